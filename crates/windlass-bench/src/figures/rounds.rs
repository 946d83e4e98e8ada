//! A run with a long past: few steps, many rounds.
//!
//! The real binary starts the run and takes it to its gate. From there people send it back to its
//! first step again and again: every decision is made by the machine and appended by the journal,
//! only the agents and checks are replaced by what the real ones had reported. The run stays a real
//! one, with a place and a branch, and any `windlass` can go on with it.

use std::collections::BTreeMap;

use windlass_core::id::{RunId, StepId};
use windlass_core::proof::VerifyReport;
use windlass_core::run::{Actor, Decision, Input, InputKind, outstanding};
use windlass_core::time::{Span, Timestamp};
use windlass_engine::dispatch::now;
use windlass_engine::git::UserRepository;
use windlass_engine::home::Home;
use windlass_engine::journal::{Entry, Journal, entry};
use windlass_engine::store::{Seq, Store};

use crate::edge::Edge;
use crate::measure::run;
use crate::scratch::{Criterion, Medium, Scratch, Windlass, chain};
use crate::{BenchResult, Effort};

/// The exit code of a run that waits for a person.
pub(super) const AT_GATE: i32 = 3;

/// How many steps the run has; the last one has the gate.
const STEPS: usize = 5;

/// The first step.
const FIRST: &str = "s1";

/// A run with at least as many records as were asked for, waiting at its gate.
#[derive(Debug)]
pub(super) struct Rounds {
    pub(super) scratch: Scratch,
    pub(super) run: RunId,
    pub(super) records: u64,
    pub(super) store_dir: std::path::PathBuf,
}

impl Rounds {
    /// Builds the run in memory where that is possible: no figure is about writing it.
    pub(super) fn build(windlass: &Windlass, effort: Effort) -> BenchResult<Self> {
        let wanted = effort.pick(10_000, 100_000);
        let scratch = Scratch::new(Medium::Memory)?;
        let workflow =
            scratch.workflow(&chain(STEPS, Criterion::Command, "    gate: approval\n"))?;
        run(&mut scratch.windlass_run(&windlass.exe, &workflow), AT_GATE)?;

        let user = UserRepository::discover(&scratch.path("repository"))?;
        let home = Home {
            state: scratch.path("home/state"),
            cache: scratch.path("home/cache"),
            data: scratch.path("home/data"),
        };
        let store_dir = home.repository(&user.key).state;
        let store = Store::open(&store_dir)?;
        let run = store.runs()?.first().ok_or("the run is not in its store")?.id.clone();
        let (edge, proofs) = reports(&store, &run)?;
        let records = go_round(Journal::take_over(store, &run)?, &edge, &proofs, wanted)?;
        Ok(Self { scratch, run, records, store_dir })
    }

    pub(super) fn store(&self) -> BenchResult<Store> {
        Ok(Store::open_read_only(&self.store_dir)?)
    }
}

/// Reads what the real agents and checks reported.
fn reports(store: &Store, run: &RunId) -> BenchResult<(Edge, BTreeMap<StepId, VerifyReport>)> {
    let (mut files, mut ended, mut proofs) = (None, None, BTreeMap::new());
    for record in store.records(run, Seq(1))? {
        let Entry::Event(event) = entry(&record?)? else { continue };
        match *event {
            windlass_core::run::Event::StepBegan { baseline, .. } => files = Some(baseline),
            windlass_core::run::Event::AttemptEnded { report, .. } => ended = Some(*report),
            windlass_core::run::Event::StepProven { step, report, .. } => {
                proofs.insert(step, *report);
            }
            _ => {}
        }
    }
    let files = files.ok_or("no step of the run began")?;
    let ended = ended.ok_or("no attempt of the run ended")?;
    Ok((Edge { files, ended }, proofs))
}

/// Goes round until there are enough records and the run is at its gate again.
fn go_round(
    mut journal: Journal,
    edge: &Edge,
    proofs: &BTreeMap<StepId, VerifyReport>,
    wanted: u64,
) -> BenchResult<u64> {
    let mut at: Timestamp = now();
    journal.greet(at, None, None)?;
    loop {
        at = at.plus(Span::seconds(1));
        let effect = outstanding(journal.state()).into_iter().next();
        let (actor, kind) = match effect {
            Some(effect) => {
                // The place is not touched, so every round leaves the files of the gate.
                let mut kind = edge.answer(effect, |step| proofs.get(step).cloned())?;
                let latest = journal.state().latest.clone().ok_or("no files were seen yet")?;
                match &mut kind {
                    InputKind::BaselineTaken { baseline, .. } => baseline.snapshot = latest,
                    InputKind::AttemptEnded { snapshot, .. } => *snapshot = latest,
                    _ => {}
                }
                (Actor::engine(), kind)
            }
            None if journal.head().seq.0 >= wanted => break,
            None => {
                let gate = journal.state().gate().ok_or("the run does not wait at its gate")?;
                let rollback = Decision::Rollback {
                    step: FIRST.into(),
                    message: "once more".to_owned(),
                    reset_code: false,
                    checkpoint: None,
                    observed: gate.snapshot.clone(),
                };
                (Actor::person("bench"), InputKind::Decided(rollback))
            }
        };
        journal.decide(Input { at, actor, kind }, Vec::new(), Vec::new())?;
    }
    let left = Input { at, actor: Actor::engine(), kind: InputKind::DriverLeft };
    journal.decide(left, Vec::new(), Vec::new())?;
    Ok(journal.head().seq.0)
}
