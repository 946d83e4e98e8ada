//! What a hook call costs: it is felt on every tool call of a session.
//!
//! All are started in the same way and turn by turn, so whatever the machine does meanwhile hits all of
//! them: `/bin/true`, the real `windlass`, and scripts that do the like with bash and jq, and in Python. The
//! scripts keep far less (no journal, no proof of who calls, one regular expression for a guard); they are
//! there to say what people put up with today.

use std::io::Write as _;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use windlass_core::hook::GuardFile;
use windlass_core::id::RunId;
use windlass_core::run::{Actor, InputKind};
use windlass_engine::dispatch::HostedJournal;
use windlass_engine::git::UserRepository;
use windlass_engine::home::{Home, RepositoryHome};

use crate::measure::{median, milliseconds, run, say};
use crate::scratch::{Medium, Scratch, Windlass};
use crate::table::{Figure, Unit};
use crate::{BenchResult, Effort};

const WORKFLOW: &str = "\
workflow: bench
steps:
  - {id: plan, agent: planner, task: Plan., done: {file: \"{specs}/plan.md\"}, gate: approval}
";

/// Who answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answerer {
    True,
    Windlass,
    Shell,
    Python,
}

const ANSWERERS: [Answerer; 4] =
    [Answerer::True, Answerer::Windlass, Answerer::Shell, Answerer::Python];

/// A repository in which hooks are called, with a run or without.
struct Stage<'w> {
    windlass: &'w Windlass,
    scratch: Scratch,
    repository: RepositoryHome,
}

impl<'w> Stage<'w> {
    fn new(windlass: &'w Windlass) -> BenchResult<Self> {
        let scratch = Scratch::new(Medium::Disk)?;
        let workflows = scratch.path("repository/.windlass/workflows");
        fs_err::create_dir_all(&workflows)?;
        fs_err::write(workflows.join("bench.yaml"), WORKFLOW)?;
        run(scratch.command("git").args(["add", "-A"]), 0)?;
        run(scratch.command("git").args(["commit", "-q", "-m", "workflow", "--no-gpg-sign"]), 0)?;
        for (name, text) in [
            ("guard.sh", include_str!("hooks/guard.sh")),
            ("guard.py", include_str!("hooks/guard.py")),
        ] {
            fs_err::write(scratch.path(name), text)?;
        }
        let user = UserRepository::discover(&scratch.path("repository"))?;
        let home = Home {
            state: scratch.path("home/state"),
            cache: scratch.path("home/cache"),
            data: scratch.path("home/data"),
        };
        let repository = home.repository(&user.key);
        Ok(Self { windlass, scratch, repository })
    }

    /// Starts a run as a person does in a session, with the same for the scripts.
    fn start_run(&self) -> BenchResult<()> {
        self.hook("session-start", "SessionStart", &json!({"source": "startup"}))?;
        let prompt = json!({"prompt": "/windlass:bench Measure"});
        let told = self.hook("user-prompt-submit", "UserPromptSubmit", &prompt)?;
        if !told.contains("subagent_type:") {
            return Err(format!("the run did not start: {told}").into());
        }
        let state =
            json!({"status": "active", "blocks": 0, "file": "plan.md", "instruction": told});
        Ok(fs_err::write(self.scratch.path("state.json"), state.to_string())?)
    }

    fn hook(&self, word: &str, event: &str, body: &Value) -> BenchResult<String> {
        let called = self.call(Answerer::Windlass, word, event, body)?;
        Ok(called.0)
    }

    /// Calls a hook as a host does; returns what it printed and how long it took.
    fn call(
        &self,
        answerer: Answerer,
        word: &str,
        event: &str,
        body: &Value,
    ) -> BenchResult<(String, f64)> {
        let mut input = json!({
            "session_id": "bench",
            "cwd": self.scratch.path("repository"),
            "hook_event_name": event,
        });
        if let (Some(input), Some(body)) = (input.as_object_mut(), body.as_object()) {
            input.extend(body.clone());
        }
        let (mut ours, theirs) = UnixStream::pair()?;
        let mut command = match answerer {
            Answerer::True => self.scratch.command("/bin/true"),
            Answerer::Windlass => {
                let mut command = self.scratch.command(&self.windlass.exe);
                command.args(["hook", "claude", word]);
                command
            }
            Answerer::Shell => self.script("bash", "guard.sh", word),
            Answerer::Python => self.script(&python(), "guard.py", word),
        };
        command.env("CLAUDE_PROJECT_DIR", self.scratch.path("repository"));
        command.env("CLAUDE_CODE_SESSION_ATTENDED", "0");
        command.stdin(Stdio::from(OwnedFd::from(theirs))).stdout(Stdio::piped());
        command.stderr(Stdio::null());
        let begun = Instant::now();
        let child = command.spawn()?;
        drop(command);
        // Not all of them read what they are given.
        let _ = ours.write_all(input.to_string().as_bytes());
        drop(ours);
        let output = child.wait_with_output()?;
        let took = milliseconds(begun.elapsed());
        Ok((String::from_utf8_lossy(&output.stdout).into_owned(), took))
    }

    fn script(&self, program: &str, name: &str, word: &str) -> Command {
        let mut command = self.scratch.command(program);
        command.arg(self.scratch.path(name)).arg(self.scratch.path("state.json")).arg(word);
        command
    }

    /// Times all of them turn by turn; medians in the order of [`ANSWERERS`].
    fn times(
        &self,
        repetitions: usize,
        word: &str,
        event: &str,
        body: &Value,
    ) -> BenchResult<Vec<f64>> {
        let mut times = vec![Vec::new(); ANSWERERS.len()];
        for _ in 0..repetitions {
            for (answerer, times) in ANSWERERS.iter().zip(&mut times) {
                times.push(self.call(*answerer, word, event, body)?.1);
            }
        }
        Ok(times.into_iter().map(median).collect())
    }

    /// Makes the run's journal longer by what changes nothing.
    fn lengthen(&self, records: u64) -> BenchResult<()> {
        let run = self.run()?;
        let mut journal = HostedJournal::open(&self.repository, &run, Duration::from_secs(5))?;
        // The input and what followed: two records each.
        for _ in 0..records / 2 {
            let noted = InputKind::SessionNoted { event: "PreCompact".to_owned() };
            journal.feed(noted, Actor::engine())??;
        }
        Ok(())
    }

    fn run(&self) -> BenchResult<RunId> {
        let file = fs_err::read(windlass_engine::hosted::guard_file::path(&self.repository))?;
        let file = GuardFile::read(&file).ok_or("guard.json cannot be read")?;
        Ok(file.runs.first().ok_or("no run is guarded")?.run.clone())
    }
}

pub(super) fn measure(windlass: &Windlass, effort: Effort) -> BenchResult<Vec<Figure>> {
    let repetitions = effort.pick(10, 200);
    let push = json!({"tool_name": "Bash", "tool_use_id": "t",
        "tool_input": {"command": "cd src && git -C .. push origin main"}});
    let honest = json!({"tool_name": "Bash", "tool_use_id": "t",
        "tool_input": {"command": "cargo test --workspace -- --nocapture"}});
    let mut figures = Vec::new();
    let stage = Stage::new(windlass)?;
    let times = stage.times(repetitions, "pre-tool-use", "PreToolUse", &push)?;
    figures.extend(rows("no unfinished run", &times, Some(2.0)));
    stage.start_run()?;
    let times = stage.times(repetitions, "pre-tool-use", "PreToolUse", &honest)?;
    figures.extend(rows("guard, honest command", &times, Some(2.5)));
    let times = stage.times(repetitions, "pre-tool-use", "PreToolUse", &push)?;
    figures.extend(rows("guard, push", &times, Some(2.5)));
    let guard_short = times[1];
    let stop_short = stops(&stage, repetitions)?;
    figures.extend(rows("Stop, file criterion", &stop_short, Some(12.0)));
    let records = effort.pick(2_000, 100_000);
    say(&format!("making the journal {records} records long"));
    stage.lengthen(records)?;
    let times = stage.times(repetitions, "pre-tool-use", "PreToolUse", &push)?;
    let name = format!("guard, push, at {records} events");
    let figure = Figure::new(hook(&name), Unit::Milliseconds, times[1]);
    figures.push(figure.beside("at 10 events", guard_short).at_most(1.5 * guard_short));
    let stop_long = stops(&stage, repetitions)?;
    let name = format!("Stop, at {records} events");
    let figure = Figure::new(hook(&name), Unit::Milliseconds, stop_long[1]);
    figures.push(figure.beside("at 10 events", stop_short[1]).at_most(1.5 * stop_short[1]));
    Ok(figures)
}

/// Times Stop. The session calls a tool in between, or its run would be paused for going round.
fn stops(stage: &Stage<'_>, repetitions: usize) -> BenchResult<Vec<f64>> {
    let mut times = vec![Vec::new(); ANSWERERS.len()];
    for round in 0..repetitions {
        if round % 7 == 0 {
            let said = json!({"prompt": "go on"});
            stage.hook("user-prompt-submit", "UserPromptSubmit", &said)?;
        }
        for (answerer, times) in ANSWERERS.iter().zip(&mut times) {
            let (printed, took) = stage.call(*answerer, "stop", "Stop", &json!({}))?;
            let blocks = *answerer == Answerer::True || printed.contains("\"block\"");
            if !blocks {
                return Err(format!("{answerer:?} did not send the session on: {printed}").into());
            }
            times.push(took);
        }
    }
    Ok(times.into_iter().map(median).collect())
}

fn rows(name: &str, times: &[f64], bound: Option<f64>) -> Vec<Figure> {
    let plain = times[0];
    let figure = |what: &str, at: usize| {
        Figure::new(hook(&format!("{name}: {what}")), Unit::Milliseconds, times[at])
            .beside("/bin/true", plain)
    };
    let ours = figure("windlass", 1);
    let ours = match bound {
        Some(bound) => ours.at_most(bound * plain),
        None => ours,
    };
    let (jq, python) = (version("jq"), version(&python()));
    vec![ours, figure(&format!("bash and {jq}"), 2), figure(&python, 3)]
}

fn hook(name: &str) -> String {
    format!("hook: {name}")
}

/// The system's Python where there is one: a shim in front of it would cost more than it does.
fn python() -> String {
    let system = PathBuf::from("/usr/bin/python3");
    if system.exists() { system.to_string_lossy().into_owned() } else { "python3".to_owned() }
}

fn version(program: &str) -> String {
    let asked = Command::new(program).arg("--version").output();
    let said = asked.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    said.unwrap_or_else(|_| format!("{program} (not installed)"))
}
