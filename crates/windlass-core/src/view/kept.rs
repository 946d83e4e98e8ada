//! The files that a run kept: of every attempt, and of everything that was sent or rolled back.
//!
//! Nothing is read here but the journal: it names the snapshots, and the engine's repository, which
//! is never pruned, has their objects.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::id::{AttemptId, ObjectId, StepId};
use crate::run::{Event, RunState};
use crate::snapshot::Snapshot;
use crate::time::Timestamp;
use crate::view::trail::{Told, TrailError, follow};

/// Files that can be looked at and brought back.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    /// How people name them: `implement#2`, or `feedback@45` by the number of the event.
    pub name: String,
    /// Whose they were.
    pub step: StepId,
    /// What became of them.
    pub fate: Fate,
    /// The number of the event that kept them.
    pub seq: u64,
    /// When that was.
    pub at: Timestamp,
    /// The files.
    pub snapshot: Snapshot,
    /// What the attempt began from; for what was sent back, what the step began from.
    pub from: Snapshot,
    /// The code that was proven last, and the papers that the step began from.
    pub rests_on: Snapshot,
    /// The last commit of the run's branch at that moment.
    pub head: ObjectId,
    /// Papers that were moved aside in the place, because the step was to be done again.
    pub set_aside: Vec<String>,
}

/// What became of kept files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// Nothing has judged them yet.
    Open,
    /// The step's criterion holds on them, and the run rests on them.
    Proven,
    /// The criterion did not hold.
    NotProven,
    /// They were proven, and the step was done again since.
    Superseded,
    /// The attempt died with its driver.
    Lost,
    /// A person sent them back.
    SentBack,
    /// The run went back to an earlier step.
    RolledBack,
    /// They changed while a gate was open.
    ChangedAtGate,
}

impl Fate {
    /// Returns the fate in words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "not judged",
            Self::Proven => "proven",
            Self::NotProven => "not proven",
            Self::Superseded => "superseded",
            Self::Lost => "lost",
            Self::SentBack => "sent back",
            Self::RolledBack => "rolled back",
            Self::ChangedAtGate => "changed at the gate",
        }
    }
}

/// What a step, or the whole run, changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Work {
    /// The files before.
    pub from: Snapshot,
    /// The files after.
    pub to: Snapshot,
    /// Whether the criterion holds on them.
    pub proven: bool,
}

/// Everything that a run kept.
#[derive(Clone, Debug, Default)]
pub struct KeptFiles {
    /// In the order of the journal.
    pub list: Vec<Kept>,
    /// What each step changed; its rework after feedback belongs to it, a later life does not.
    pub work: BTreeMap<StepId, Work>,
    /// What the run changed since its base; none before its first step began.
    pub whole: Option<Work>,
}

impl KeptFiles {
    /// Reads off the journal what was kept.
    ///
    /// # Errors
    /// The trail is empty, or does not make sense.
    pub fn of(trail: &[Told]) -> Result<Self, TrailError> {
        let mut reader = Reader::default();
        let state = follow(trail, |told, before, after| reader.read(told, before, after))?;
        let mut files = reader.files;
        if let (Some(papers), Some(latest)) = (reader.first_papers, &state.latest) {
            let from = Snapshot { code: state.facts.base_tree.clone(), papers };
            let proven = state.remaining == 0;
            files.whole = Some(Work { from, to: latest.clone(), proven });
        }
        Ok(files)
    }

    /// Finds kept files by their name, or by the beginning of their code's object name.
    pub fn find(&self, name: &str) -> Vec<&Kept> {
        let named: Vec<&Kept> = self.list.iter().filter(|kept| kept.name == name).collect();
        if !named.is_empty() {
            return named;
        }
        const SHORTEST: usize = 4;
        let prefix = name.len() >= SHORTEST;
        let object = |kept: &&Kept| prefix && kept.snapshot.code.as_str().starts_with(name);
        self.list.iter().filter(object).collect()
    }
}

#[derive(Default)]
struct Reader {
    files: KeptFiles,
    began: BTreeMap<AttemptId, Snapshot>,
    from: BTreeMap<StepId, Snapshot>,
    first_papers: Option<ObjectId>,
}

impl Reader {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the other events keep no files")]
    fn read(&mut self, told: &Told, before: Option<&RunState>, after: &RunState) {
        match &told.event {
            Event::StepBegan { step, baseline } => {
                self.first_papers.get_or_insert_with(|| baseline.snapshot.papers.clone());
                self.from.entry(step.clone()).or_insert_with(|| baseline.snapshot.clone());
            }
            Event::AttemptStarted { attempt, .. } => {
                if let Some(latest) = &after.latest {
                    self.began.insert(attempt.clone(), latest.clone());
                }
            }
            Event::AttemptEnded { attempt, snapshot, .. } => {
                self.keep_attempt(told, attempt, snapshot, Fate::Open, after);
            }
            Event::AttemptLost { attempt, snapshot, .. } => {
                self.keep_attempt(told, attempt, snapshot, Fate::Lost, after);
            }
            Event::StepProven { step, snapshot, .. } => {
                self.judge(step, Fate::Proven);
                self.note_work(step, snapshot, true, after);
            }
            Event::StepNotProven { step, .. } => self.judge(step, Fate::NotProven),
            Event::GateAnswerRefused { observed, .. } => {
                if let Some(gate) = after.gate() {
                    let step = gate.step.clone();
                    self.keep(told, "changed", &step, observed, Fate::ChangedAtGate, after);
                }
            }
            Event::FeedbackGiven { step, observed, .. } => {
                self.keep(
                    told,
                    "feedback",
                    step,
                    observed,
                    Fate::SentBack,
                    before.unwrap_or(after),
                );
                self.supersede(step, Fate::SentBack);
            }
            Event::RolledBack { target, observed, .. } => {
                let then = before.unwrap_or(after);
                self.keep(told, "rollback", target, observed, Fate::RolledBack, then);
                self.reopen(then, after);
            }
            _ => {}
        }
    }

    fn keep_attempt(
        &mut self,
        told: &Told,
        attempt: &AttemptId,
        snapshot: &Snapshot,
        fate: Fate,
        state: &RunState,
    ) {
        self.keep(told, "", &attempt.step, snapshot, fate, state);
        if let Some(kept) = self.files.list.last_mut() {
            kept.name = attempt.to_string();
            kept.set_aside = Vec::new();
            if let Some(began) = self.began.get(attempt) {
                kept.from = began.clone();
            }
        }
        self.note_work(&attempt.step, snapshot, false, state);
    }

    fn keep(
        &mut self,
        told: &Told,
        word: &str,
        step: &StepId,
        snapshot: &Snapshot,
        fate: Fate,
        state: &RunState,
    ) {
        let from = self.from.get(step).unwrap_or(snapshot).clone();
        let own = state.plan.find(step).map(|index| state.step(index));
        self.files.list.push(Kept {
            name: format!("{word}@{}", told.seq),
            step: step.clone(),
            fate,
            seq: told.seq,
            at: told.at,
            snapshot: snapshot.clone(),
            rests_on: Snapshot { code: state.proven_code.clone(), papers: from.papers.clone() },
            from,
            head: state.head.clone(),
            set_aside: own.map(|step| step.papers.clone()).unwrap_or_default(),
        });
    }

    fn note_work(&mut self, step: &StepId, to: &Snapshot, proven: bool, state: &RunState) {
        let baseline = || {
            let index = state.plan.find(step)?;
            Some(state.step(index).baseline.as_ref()?.snapshot.clone())
        };
        let Some(from) = self.from.get(step).cloned().or_else(baseline) else { return };
        self.files.work.insert(step.clone(), Work { from, to: to.clone(), proven });
    }

    /// Gives the newest files of a step their verdict.
    fn judge(&mut self, step: &StepId, fate: Fate) {
        let mut attempts = self.files.list.iter_mut().rev().filter(|kept| is_attempt(kept, step));
        if let Some(kept) = attempts.next()
            && matches!(kept.fate, Fate::Open | Fate::NotProven | Fate::Lost)
        {
            kept.fate = fate;
        }
    }

    /// The step is to be done again: what it rests on is superseded, and what nothing had judged
    /// gets `fate`.
    fn supersede(&mut self, step: &StepId, fate: Fate) {
        for kept in self.files.list.iter_mut().filter(|kept| is_attempt(kept, step)) {
            if kept.fate == Fate::Proven {
                kept.fate = Fate::Superseded;
            } else if kept.fate == Fate::Open {
                kept.fate = fate;
            }
        }
    }

    /// Everything that is open again begins a new life.
    fn reopen(&mut self, before: &RunState, after: &RunState) {
        for index in after.plan.indexes() {
            let lived = before.step(index).epoch != after.step(index).epoch;
            let closed = before.step(index).is_finished() && !after.step(index).is_finished();
            if lived || closed {
                let step = after.plan.step(index).id.clone();
                self.supersede(&step, Fate::RolledBack);
                self.from.remove(&step);
            }
        }
    }
}

fn is_attempt(kept: &Kept, step: &StepId) -> bool {
    kept.step == *step && kept.name.contains('#')
}
