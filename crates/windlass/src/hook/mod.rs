//! `windlass hook HOST EVENT`: a hosting session calls back.
//!
//! Hooks run on every tool call of a session, so this is reached before arguments are parsed and
//! before anything else is set up. One file per event; each answers one question. Whatever goes wrong,
//! a guard refuses: a missing or broken `guard.json`, a panic, input that makes no sense.

mod agent;
mod guard;
mod post_tool;
mod prompt;
mod session;
mod shell_file;
mod spoken;
mod start;
mod stop;
mod subagent;
mod turn;
mod who;
mod wish;

use std::io::Read as _;
use std::panic::AssertUnwindSafe;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use windlass_core::hook::{Answer, HookCall, HookEvent};
use windlass_core::run::HostKind;
use windlass_engine::dispatch::now;
use windlass_engine::hosted::checkout::Checkout;
use windlass_engine::hosted::guard_file::{self, Seen};
use windlass_engine::hosted::hook_log::{self, HookLine};

use crate::error::CommandError;
use crate::output;
use crate::surroundings;
use who::Asked;

pub(crate) use spoken::BADGES_VARIABLE;
pub(crate) use start::begin_hosted;
pub(crate) use turn::is_attended;
pub(crate) use who::{below_host, is_hosted};

/// The largest input that is read: a file that a tool writes is part of it.
const MAX_INPUT_BYTES: u64 = 64 << 20;

/// How long the start of an agent waits for another call that is at work on the same run: the host waits a
/// minute.
pub(crate) const PATIENCE: Duration = Duration::from_secs(45);

/// How long calls wait whose hosts wait as long as checks take.
const LONG_PATIENCE: Duration = Duration::from_secs(3600);

/// Answers a hook call, if that is what was asked for.
pub(crate) fn dispatch() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next()? != "hook" {
        return None;
    }
    let (host, event) = (arguments.next()?, arguments.next()?);
    let host = match host.to_str()? {
        "claude" => HostKind::Claude,
        "codex" => HostKind::Codex,
        _ => return None,
    };
    Some(run(host, HookEvent::parse(event.to_str()?)?))
}

/// Reads the call, answers it, and logs both.
pub(crate) fn run(host: HostKind, event: HookEvent) -> ExitCode {
    let begun = Instant::now();
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().take(MAX_INPUT_BYTES).read_to_end(&mut bytes);
    // A panic is said on standard error by the default hook; here it becomes a refusal.
    let answered = std::panic::catch_unwind(AssertUnwindSafe(|| match read {
        Ok(_) => answer(host, event, &bytes),
        Err(error) => Err(CommandError::failure(error)),
    }));
    let answered = answered.unwrap_or_else(|_| {
        Err(CommandError::usage(
            "windlass panicked; please report it with `windlass doctor --bundle`",
        ))
    });
    let Answered { answer, log } =
        answered.unwrap_or_else(|error| Answered { answer: failed(event, &error), log: None });
    if let Some(printed) = answer.render(host, event) {
        output::hook_answer(&printed);
    }
    if let Some((home, call)) = log {
        let tool = call.text("tool_name").map(str::to_owned);
        hook_log::append(
            &home,
            HookLine {
                at: now(),
                session: call.session,
                event: event.name().to_owned(),
                tool,
                agent: call.agent,
                decision: answer.word().to_owned(),
                reason: answer.reason().map(str::to_owned),
                ms: begun.elapsed().as_secs_f64() * 1000.0,
            },
        );
    }
    ExitCode::SUCCESS
}

/// An answer, and where the call is logged.
struct Answered {
    answer: Answer,
    log: Option<(windlass_engine::home::RepositoryHome, HookCall)>,
}

impl Answered {
    fn nothing() -> Self {
        Self { answer: Answer::Nothing, log: None }
    }
}

/// What is answered when windlass cannot answer: guards refuse, the rest is said to people.
fn failed(event: HookEvent, error: &CommandError) -> Answer {
    let told = format!("windlass could not answer this hook: {}", error.in_one_line());
    output::note(&told);
    match event {
        HookEvent::PreToolUse => Answer::Deny(format!(
            "{told}. Until it can, everything is refused; `windlass doctor` in a terminal says more"
        )),
        HookEvent::UserPromptSubmit => Answer::Context(told),
        HookEvent::Stop => Answer::LetGo(told),
        HookEvent::SessionStart
        | HookEvent::PostToolUse
        | HookEvent::SubagentStart
        | HookEvent::SubagentStop
        | HookEvent::PreCompact
        | HookEvent::SessionEnd
        | HookEvent::TaskCompleted
        | HookEvent::TeammateIdle => Answer::Nothing,
    }
}

/// Whether an event can be about a run that does not exist yet, or comes from within an attempt.
fn matters_without_run(event: HookEvent) -> bool {
    let begins = matches!(
        event,
        HookEvent::SessionStart
            | HookEvent::SessionEnd
            | HookEvent::UserPromptSubmit
            | HookEvent::Stop
    );
    begins || std::env::var_os("WINDLASS_ATTEMPT").is_some()
}

fn answer(host: HostKind, event: HookEvent, bytes: &[u8]) -> Result<Answered, CommandError> {
    // Which repository is asked first: without a run nothing is guarded, whatever the input is, and
    // most calls of most sessions end here.
    let project = std::env::var_os("CLAUDE_PROJECT_DIR").filter(|folder| !folder.is_empty());
    let folder = match project {
        Some(folder) => folder.into(),
        None => match HookCall::read(bytes, event) {
            Ok(call) if !call.folder.as_os_str().is_empty() => call.folder,
            Ok(_) | Err(_) => std::env::current_dir().map_err(CommandError::failure)?,
        },
    };
    let home = surroundings::home()?;
    // A run that a session drives is found without the repository as well.
    let (checkout, key) = match guard_file::guarded_checkout(&home.state, &folder) {
        Some((top_level, key)) => (Checkout { common_dir: top_level.clone(), top_level }, key),
        None => match Checkout::around(&folder) {
            Some(checkout) => (checkout.clone(), checkout.key()),
            None => return Ok(Answered::nothing()),
        },
    };
    let repository = home.repository(&key);
    let seen = guard_file::read(&repository);
    if seen == Seen::NoStore && !matters_without_run(event) {
        return Ok(Answered::nothing());
    }
    let read = HookCall::read(bytes, event);
    let mut asked = match Asked::about(host, checkout, home, repository, seen, read)? {
        Some(asked) => asked,
        None => return Ok(Answered::nothing()),
    };
    let answered = match event {
        HookEvent::PreToolUse => guard::pre_tool_use(&mut asked),
        HookEvent::Stop => stop::stop(&asked),
        HookEvent::SubagentStart => subagent::start(&asked),
        HookEvent::SubagentStop => subagent::stop(&asked),
        HookEvent::UserPromptSubmit => prompt::submit(&asked),
        HookEvent::SessionStart => session::start(&asked),
        HookEvent::SessionEnd => session::end(&asked),
        HookEvent::PostToolUse => post_tool::post_tool_use(&asked),
        HookEvent::PreCompact | HookEvent::TaskCompleted | HookEvent::TeammateIdle => {
            session::note(&asked, event)
        }
    };
    let answer = answered.unwrap_or_else(|error| failed(event, &error));
    let logged = asked.is_logged(&answer).then(|| (asked.repository.clone(), asked.call));
    Ok(Answered { answer, log: logged })
}
