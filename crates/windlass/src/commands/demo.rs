//! `windlass demo`: a small but real run, in a scratch repository, with agents that follow a script.
//!
//! Nothing here is special: the run is planned, started and driven as any other, and its gates are
//! answered by requests as a person's `windlass approve` and `windlass feedback` send them. The demo
//! only plays the person, and tells what happens.

mod scratch;
mod story;
mod summary;

use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use windlass_core::id::RunId;
use windlass_core::plan::{Plan, PlanRequest};
use windlass_core::run::{GateKind, RunState, RunStatus};
use windlass_core::workflow::Workflow;
use windlass_engine::dispatch::{Ended, Observer, Request, StartRequest, send, start};

use self::scratch::Scratch;
use self::story::Story;
use crate::cli::DemoArguments;
use crate::commands::decide_answer;
use crate::drive::{Interrupts, drive_watched, exit_code};
use crate::error::{CommandError, EXIT_FAILURE};
use crate::output::Output;
use crate::surroundings::Surroundings;

const GOAL: &str = "Greet a person by name";

/// Who answers the gates of the demo. The journal shows that it was no person.
const PERSON: &str = "demo";

const FEEDBACK: &str = "Put tests/run.sh back: it judges your work. Change bin/greet instead.";
const APPROVAL: &str = "does what it says";

pub(crate) fn demo(
    arguments: &DemoArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let signals = Interrupts::listen()?;
    let scratch = Scratch::make(arguments.keep.as_deref())?;
    let surroundings = scratch.surroundings()?;
    let story = Arc::new(Mutex::new(Story::new(output.clone(), surroundings.site.blobs())));
    tell(&story, |story| story.begin(GOAL));
    let run = begin(&surroundings, &scratch)?;
    let ended = play(&surroundings, &run, &signals, &story)?;
    let summary = summary::Summary::read(&surroundings, &scratch, &ended)?;
    if output.is_json() {
        output.json(&summary.json());
    } else {
        output.data(&summary.text(output.has_colour()));
    }
    Ok(match (ended.status, summary.is_clean()) {
        (RunStatus::Completed, false) => ExitCode::from(EXIT_FAILURE),
        (status, _) => exit_code(status),
    })
}

fn plan() -> Result<Plan, CommandError> {
    let workflow = Workflow::parse(scratch::WORKFLOW, "workflow.yaml")
        .map_err(|errors| CommandError::failure(words(&errors)))?;
    let request = PlanRequest {
        goal: GOAL.to_owned(),
        issue: None,
        inputs: std::collections::BTreeMap::new(),
    };
    workflow.plan(request).map_err(|errors| CommandError::failure(words(&errors)))
}

fn words(errors: &[impl ToString]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

fn begin(surroundings: &Surroundings, scratch: &Scratch) -> Result<RunId, CommandError> {
    let request = StartRequest {
        plan: plan()?,
        here: false,
        approved_in_advance: None,
        person: PERSON.to_owned(),
        backend: "rehearsal".to_owned(),
        command: Some(scratch.script().to_string_lossy().into_owned()),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    Ok(start(&surroundings.site, request)?)
}

/// Drives the run, and answers each gate as a person would.
fn play(
    surroundings: &Surroundings,
    run: &RunId,
    signals: &Interrupts,
    story: &Arc<Mutex<Story>>,
) -> Result<Ended, CommandError> {
    loop {
        let observer: Observer = {
            let story = Arc::clone(story);
            Box::new(move |step, state| {
                for event in &step.events {
                    tell(&story, |story| story.event(event, state));
                }
            })
        };
        let ended = drive_watched(surroundings, run, true, signals, observer)?;
        let Some(request) = answer(&ended.state) else { return Ok(ended) };
        tell(story, |story| story.answer(&request));
        let sent = send(&surroundings.site, run, PERSON, &request)?;
        decide_answer(&sent.answer)?;
    }
}

/// What the demo's person says to what a gate shows.
fn answer(state: &RunState) -> Option<Request> {
    let gate = state.gate().filter(|_| state.status() == RunStatus::AwaitingApproval)?;
    Some(match &gate.kind {
        GateKind::Protected { .. } => Request::Feedback { message: FEEDBACK.to_owned() },
        GateKind::Approval => {
            Request::Approve { gate: gate.id, message: Some(APPROVAL.to_owned()) }
        }
    })
}

fn tell(story: &Mutex<Story>, what: impl FnOnce(&mut Story)) {
    what(&mut story.lock().unwrap_or_else(PoisonError::into_inner));
}
