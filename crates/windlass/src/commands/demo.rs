//! `windlass demo`: a small but real run, in a scratch repository, with agents that follow a script.
//!
//! Nothing here is special: the run is planned, started and driven as any other, and its gates are
//! answered by requests as a person's `windlass approve` and `windlass feedback` send them. The demo
//! only plays the person where the viewer does not, tells what happens, and looks around in what is
//! left.

mod scratch;
mod stage;
mod story;
mod summary;
mod tour;

use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use windlass_core::config::CommitConfig;
use windlass_core::id::RunId;
use windlass_core::plan::{Plan, PlanRequest};
use windlass_core::run::{GateKind, RunState, RunStatus};
use windlass_core::time::Span;
use windlass_core::workflow::Workflow;
use windlass_engine::dispatch::{
    DriveOptions, Ended, Observer, Request, StartRequest, Unwatched, send_played, start,
};

use self::scratch::Scratch;
use self::stage::{Stage, Waited};
use self::story::Story;
use self::summary::Summary;
use self::tour::{Looked, tour};
use crate::cli::DemoArguments;
use crate::commands::decide_answer;
use crate::drive::{drive_watched, exit_code};
use crate::error::{CommandError, EXIT_FAILURE};
use crate::interrupts::Interrupts;
use crate::output::Output;
use crate::surroundings::{Surroundings, account};

const GOAL: &str = "Greet a person by name";

/// Who answers a gate that nobody else does. The journal shows that it was no person.
const PERSON: &str = "demo";

const FEEDBACK: &str = "Put tests/run.sh back: it judges your work. Change bin/greet instead.";
const APPROVAL: &str = "does what it says";

/// As many characters as the result has that somebody reads.
const RESULT: usize = 90;

pub(crate) fn demo(
    arguments: &DemoArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let stage = Stage::new(arguments, output, Arc::new(Interrupts::listen()?));
    let scratch = Scratch::make(arguments.keep.as_deref(), stage.pace())?;
    let surroundings = scratch.surroundings()?;
    let story = Story::new(output.clone(), surroundings.site.blobs(), stage.clone());
    let story = Arc::new(Mutex::new(story));
    tell(&story, |story| story.begin(GOAL));
    let run = begin(&surroundings, &scratch)?;
    let raised = stage.raise(&surroundings, &run, output);
    let ended = play(&surroundings, &run, &stage, &story);
    drop(raised);
    let ended = ended?;
    let summary = Summary::read(&surroundings, &scratch, &ended)?;
    let colour = output.has_colour();
    if !output.is_json() {
        output.data(&summary.text(colour));
    }
    let mut looked = Vec::new();
    if ended.status == RunStatus::Completed {
        stage.rest_for(RESULT);
        looked = tour(&scratch, summary.stopped_at(), &stage, output)?;
    }
    if output.is_json() {
        output.json(&summary.json(&looked));
    } else {
        output.data(&summary.farewell(colour));
    }
    if arguments.open
        && let Err(reason) = tour::open(&scratch, &stage)
    {
        output.remark(&format!("the report was not opened: {reason}"));
    }
    let fine = summary.is_clean() && looked.iter().all(Looked::is_fine);
    Ok(match (ended.status, fine) {
        (RunStatus::Completed, false) => ExitCode::from(EXIT_FAILURE),
        (status, _) => exit_code(status),
    })
}

fn plan() -> Result<Plan, CommandError> {
    let workflow = Workflow::parse(scratch::WORKFLOW, "workflow.yaml")
        .map_err(|errors| CommandError::failure(words(&errors)))?;
    let request = PlanRequest { goal: GOAL.to_owned(), ..PlanRequest::default() };
    workflow.plan(request).map_err(|errors| CommandError::failure(words(&errors)))
}

fn words(errors: &[impl ToString]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

fn begin(surroundings: &Surroundings, scratch: &Scratch) -> Result<RunId, CommandError> {
    let request = StartRequest {
        plan: plan()?,
        branch: None,
        here: false,
        approved_in_advance: None,
        person: PERSON.to_owned(),
        backend: "rehearsal".to_owned(),
        command: Some(scratch.script().to_string_lossy().into_owned()),
        command_from_repository: false,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        failure_rules: Vec::new(),
        questions_wait: Some(Span(0)),
        services: Vec::new(),
        commits: CommitConfig::default(),
        no_cold: None,
    };
    Ok(start(&surroundings.site, request, &mut Unwatched)?)
}

/// Drives the run, and answers each gate as a person would, or lets the viewer do it.
fn play(
    surroundings: &Surroundings,
    run: &RunId,
    stage: &Stage,
    story: &Arc<Mutex<Story>>,
) -> Result<Ended, CommandError> {
    loop {
        let observer: Observer = {
            let (story, stage) = (Arc::clone(story), stage.clone());
            Box::new(move |step, state| {
                stage.take(state);
                for event in &step.events {
                    tell(&story, |story| story.event(event, state));
                }
            })
        };
        let ended =
            drive_watched(surroundings, run, DriveOptions::local(true), stage.signals(), observer)?;
        let Some((question, request)) = answer(&ended.state) else { return Ok(ended) };
        let person = match stage.ask(question) {
            Waited::Interrupted => return Ok(ended),
            // It is the viewer's decision then, and the journal says so.
            Waited::Enter => account(),
            Waited::TimeUp => PERSON.to_owned(),
        };
        tell(story, |story| story.answer(&request, &person));
        let sent = send_played(&surroundings.site, run, &person, &request)?;
        decide_answer(&sent.answer)?;
    }
}

/// What is to be said to what a gate shows, and the question whether the viewer says it.
fn answer(state: &RunState) -> Option<(&'static str, Request)> {
    let gate = state.gate().filter(|_| state.status() == RunStatus::AwaitingApproval)?;
    Some(match &gate.kind {
        GateKind::Protected { .. } => {
            let request = Request::Feedback { message: FEEDBACK.to_owned(), gate: Some(gate.id) };
            ("Your turn: Enter sends it back", request)
        }
        GateKind::Route { .. } => {
            let request = Request::Approve { gate: gate.id, message: None };
            ("Your turn: Enter sends it back", request)
        }
        GateKind::Approval => (
            "Your turn: Enter approves",
            Request::Approve { gate: gate.id, message: Some(APPROVAL.to_owned()) },
        ),
    })
}

fn tell(story: &Mutex<Story>, what: impl FnOnce(&mut Story)) {
    what(&mut story.lock().unwrap_or_else(PoisonError::into_inner));
}
