//! Reading on in the journal of a run: what its attempts used.

use jiff::tz::TimeZone;
use rusqlite::{Connection, OptionalExtension as _, params};
use windlass_core::id::{AttemptId, RunId};
use windlass_core::plan::StepKind;
use windlass_core::proof::{Outcome, Usage};
use windlass_core::run::{Event, RunState};
use windlass_core::time::Timestamp;

use super::open::{Machine, MachineError};
use super::spend::{self, Spend};
use crate::journal::{Entry, INPUT_KIND, LoadError, entry};
use crate::store::{Seq, Store};

/// Why the journal of a run was not read on.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what it is")]
pub enum CatchUpError {
    #[error(transparent)]
    Machine(#[from] MachineError),
    #[error(transparent)]
    Journal(#[from] LoadError),
}

impl Machine {
    /// Returns up to which record the journal of a run was read.
    pub fn mark(&self, repository: &str, run: &RunId) -> Result<Seq, MachineError> {
        self.read(|conn| mark(conn, repository, run))
    }

    /// Adds what attempts of a run used since its journal was last read.
    ///
    /// Rows and mark are one transaction, so it may happen any number of times, in any number of
    /// processes. `state` is the run's, for what its plan says of a step.
    pub fn catch_up(
        &self,
        store: &Store,
        repository: &str,
        state: &RunState,
    ) -> Result<(), CatchUpError> {
        let run = &state.facts.run;
        let after = self.mark(repository, run)?;
        let (rows, last) = read_on(store, repository, state, after)?;
        if last == after {
            return Ok(());
        }
        self.write(|tx| {
            for row in &rows {
                spend::add(tx, row)?;
            }
            // Another process may have come further meanwhile; the rows are the same.
            let last = i64::try_from(last.0).unwrap_or(i64::MAX);
            tx.execute(
                "INSERT INTO marks (repository, run, seq) VALUES (?1, ?2, ?3) \
                 ON CONFLICT DO UPDATE SET seq = max(seq, excluded.seq)",
                params![repository, run.as_str(), last],
            )
            .map(|_| ())
        })?;
        Ok(())
    }
}

fn mark(conn: &Connection, repository: &str, run: &RunId) -> rusqlite::Result<Seq> {
    let select = "SELECT seq FROM marks WHERE repository = ?1 AND run = ?2";
    let seq = conn.query_row(select, params![repository, run.as_str()], |row| row.get::<_, i64>(0));
    Ok(Seq(seq.optional()?.and_then(|seq| u64::try_from(seq).ok()).unwrap_or(0)))
}

/// The attempts that ended after this record, and the last record that there is.
fn read_on(
    store: &Store,
    repository: &str,
    state: &RunState,
    after: Seq,
) -> Result<(Vec<Spend>, Seq), LoadError> {
    let run = &state.facts.run;
    let zone = TimeZone::system();
    let records = store
        .records(run, after.next())
        .map_err(|source| LoadError::Read { run: run.clone(), source })?;
    let (mut rows, mut last) = (Vec::new(), after);
    for record in records {
        let record = record.map_err(|source| LoadError::Damaged { run: run.clone(), source })?;
        last = record.seq;
        if record.kind == INPUT_KIND || !record.kind.starts_with("attempt_") {
            continue;
        }
        let read = entry(&record);
        let read = read.map_err(|source| LoadError::Record { run: run.clone(), source })?;
        let Entry::Event(event) = read else { continue };
        let Some((attempt, usage, outcome)) = used(*event) else { continue };
        rows.push(row(repository, state, &attempt, usage, outcome, record.time, &zone));
    }
    Ok((rows, last))
}

/// What an event says of the end of an attempt. One that was held was never started.
fn used(event: Event) -> Option<(AttemptId, Usage, &'static str)> {
    match event {
        Event::AttemptEnded { attempt, report, .. } => {
            let outcome = word(&report.outcome)?;
            Some((attempt, report.usage, outcome))
        }
        Event::AttemptLost { attempt, usage, .. } => Some((attempt, usage, "lost")),
        _ => None,
    }
}

fn word(outcome: &Outcome) -> Option<&'static str> {
    Some(match outcome {
        Outcome::Held { .. } => return None,
        Outcome::CouldNotStart { .. } => "could_not_start",
        Outcome::Exited { .. } => "exited",
        Outcome::Signalled { .. } => "signalled",
        Outcome::TimedOut => "timed_out",
        Outcome::Idle => "idle",
        Outcome::OverLimit { .. } => "over_limit",
        Outcome::Cancelled => "cancelled",
        Outcome::ProviderLimit { .. } => "provider_limit",
        Outcome::Interrupted { .. } => "interrupted",
        Outcome::AgentFailed { .. } => "agent_failed",
        Outcome::OverBudget { .. } => "over_budget",
    })
}

fn row(
    repository: &str,
    state: &RunState,
    attempt: &AttemptId,
    mut usage: Usage,
    outcome: &str,
    at: Timestamp,
    zone: &TimeZone,
) -> Spend {
    let plan = state.plan.find(&attempt.step).map(|index| state.plan.step(index));
    let (agent, backend, model) = match plan.map(|plan| &plan.kind) {
        Some(StepKind::Agent { agent, backend, model, .. }) => (agent.as_str(), backend, model),
        Some(StepKind::Group | StepKind::Foreach(_) | StepKind::PullRequest(_)) | None => {
            ("", &None, &None)
        }
    };
    if usage.model.is_none() {
        usage.model.clone_from(model);
    }
    Spend {
        repository: repository.to_owned(),
        run: state.facts.run.to_string(),
        attempt: attempt.to_string(),
        day: day(at, zone),
        step: attempt.step.to_string(),
        agent: agent.to_owned(),
        backend: backend.clone().unwrap_or_else(|| state.facts.backend.clone()),
        usage,
        outcome: outcome.to_owned(),
        at,
    }
}

fn day(at: Timestamp, zone: &TimeZone) -> String {
    match jiff::Timestamp::from_millisecond(at.0) {
        Ok(moment) => moment.to_zoned(zone.clone()).date().to_string(),
        Err(_) => "unknown".to_owned(),
    }
}
