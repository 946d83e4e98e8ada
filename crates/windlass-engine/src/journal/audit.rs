//! Whether a journal is what it says: the chain, and every decision in it.

use serde::Serialize;
use windlass_core::id::RunId;
use windlass_core::run::{
    Actor, DECIDER_VERSION, Event, Input, InputKind, Rejected, RunState, decide, start,
};

use super::load::LoadError;
use super::record::{Entry, entry};
use crate::store::{Record, Seq, Store};

/// What an audit found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AuditReport {
    /// Whether nothing is wrong.
    pub ok: bool,
    /// How many records there are.
    pub events: u64,
    /// How many decisions there are.
    pub decisions: u64,
    /// Decisions that were made again and gave the same events.
    pub redecided: u64,
    /// The last link of the chain.
    pub head: String,
    /// What is wrong.
    pub problems: Vec<String>,
}

/// Recomputes the chain of a run and makes every decision in it again.
///
/// # Errors
/// There is no such run, or the database cannot be read at all.
pub fn audit(store: &Store, run: &RunId) -> Result<AuditReport, LoadError> {
    let read = |source| LoadError::Read { run: run.clone(), source };
    let chain = store.verify_chain(run).map_err(read)?;
    let mut report = AuditReport {
        ok: true,
        events: chain.events,
        decisions: 0,
        redecided: 0,
        head: chain.head.hash.to_string(),
        problems: chain
            .problems
            .iter()
            .map(|problem| format!("record {}: {}", problem.seq.0, problem.message))
            .collect(),
    };
    let mut replay = Replay { state: None, report: &mut report };
    let mut decision: Vec<Record> = Vec::new();
    for record in store.records(run, Seq(1)).map_err(read)? {
        // A damaged record is in the chain's problems already; what follows it proves nothing.
        let Ok(record) = record else { break };
        if decision.last().is_some_and(|last| last.decision != record.decision) {
            replay.decision(&std::mem::take(&mut decision));
        }
        decision.push(record);
    }
    if !decision.is_empty() {
        replay.decision(&decision);
    }
    report.ok = report.problems.is_empty();
    Ok(report)
}

struct Replay<'a> {
    state: Option<RunState>,
    report: &'a mut AuditReport,
}

impl Replay<'_> {
    fn decision(&mut self, records: &[Record]) {
        self.report.decisions += 1;
        let Some(first) = records.first() else { return };
        let seq = first.seq.0;
        let mut entries = Vec::with_capacity(records.len());
        for record in records {
            match entry(record) {
                Ok(entry) => entries.push(entry),
                Err(error) => return self.problem(seq, &error.to_string()),
            }
        }
        let mut entries = entries.into_iter();
        let Some(Entry::Input(opening)) = entries.next() else {
            return self.problem(seq, "the decision does not begin with its input");
        };
        let mut events = Vec::new();
        for entry in entries {
            match entry {
                Entry::Event(event) => events.push(*event),
                Entry::Input(_) => return self.problem(seq, "the decision has two inputs"),
            }
        }
        let actor: Actor = match first.actor.parse() {
            Ok(actor) => actor,
            Err(error) => return self.problem(seq, &error.to_string()),
        };
        let input = Input { at: first.time, actor, kind: opening.input };
        if opening.decider == DECIDER_VERSION {
            self.redecide(seq, &input, &events);
        } else {
            self.justify(seq, &input, &events);
        }
        self.apply(seq, &input, &events);
    }

    fn redecide(&mut self, seq: u64, input: &Input, events: &[Event]) {
        let again: Result<Vec<Event>, Rejected> = match &self.state {
            None => start(input).map(|(_, events)| events),
            Some(state) => decide(state, input),
        };
        match again {
            Ok(again) if again == events => self.report.redecided += 1,
            Ok(_) => self.problem(seq, "the same input gives other events"),
            Err(rejected) => self.problem(seq, &format!("the input would be rejected: {rejected}")),
        }
    }

    /// For decisions of another version: no transition without its proof or a person's decision.
    fn justify(&mut self, seq: u64, input: &Input, events: &[Event]) {
        for event in events {
            let justified = match event {
                Event::StepProven { .. } => matches!(
                    input.kind,
                    InputKind::Verified { .. } | InputKind::AttemptEnded { .. }
                ),
                Event::StepNotProven { .. } => matches!(
                    input.kind,
                    InputKind::Verified { .. }
                        | InputKind::AttemptEnded { .. }
                        | InputKind::AttemptLost { .. }
                ),
                Event::GateApproved { in_advance: false, .. }
                | Event::FeedbackGiven { .. }
                | Event::AgentChanged { .. }
                | Event::ProtectedPinned { .. } => input.actor.as_person().is_some(),
                _ => true,
            };
            if !justified {
                self.problem(seq, &format!("`{}` has no cause", event.kind()));
            }
        }
    }

    fn apply(&mut self, seq: u64, input: &Input, events: &[Event]) {
        for event in events {
            let applied = match &mut self.state {
                Some(state) => state.apply(input.at, event),
                None => RunState::begin(input.at, event).map(|state| self.state = Some(state)),
            };
            if let Err(illegal) = applied {
                self.problem(seq, &illegal.to_string());
            }
        }
    }

    fn problem(&mut self, seq: u64, message: &str) {
        self.report.problems.push(format!("record {seq}: {message}"));
    }
}
