//! `windlass log`: what happened, event by event.

use std::collections::VecDeque;
use std::process::ExitCode;
use std::time::Duration;

use windlass_core::id::RunId;
use windlass_core::view::{Lines, describe, printable, printable_json};
use windlass_core::workflow::nearest;
use windlass_engine::hosted::hook_log;
use windlass_engine::journal::{Entry, entry};
use windlass_engine::store::{ChainHash, Record, Seq, Store};

use crate::cli::{Cli, LogArguments};
use crate::clock::Clock;
use crate::commands::report::history;
use crate::error::CommandError;
use crate::output::Output;
use crate::surroundings::Surroundings;

/// More than an attempt's output can have: the launcher keeps its beginning and its end.
const MAX_PRINTED_BYTES: u64 = 64 << 20;

/// How often a followed journal is looked at.
const INTERVAL: Duration = Duration::from_millis(100);

pub(crate) fn log(
    cli: &Cli,
    arguments: &LogArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let surroundings = Surroundings::find(cli)?;
    if arguments.hooks {
        return hooks(&surroundings, output);
    }
    let run = surroundings.run()?;
    let Some(store) = surroundings.store()? else { return Ok(ExitCode::SUCCESS) };
    if let Some(attempt) = &arguments.attempt {
        return printed(&surroundings, &store, &run.id, attempt, output);
    }
    if !arguments.follow {
        output.page();
    }
    let mut printer = Printer {
        run: run.id.clone(),
        next: Seq(1),
        before: ChainHash::genesis(&run.id),
        inputs: arguments.inputs,
        started: run.created_at,
        clock: Clock::here(),
        last: arguments.lines,
    };
    let mut mark = None;
    loop {
        let now = store.change_mark().map_err(CommandError::failure)?;
        if mark != Some(now) {
            mark = Some(now);
            if !printer.print(&store, output)? {
                return Ok(ExitCode::SUCCESS);
            }
        }
        let ended = store.run(&run.id).map_err(CommandError::failure)?.life
            == windlass_engine::store::Life::Finished;
        if !arguments.follow || ended {
            return Ok(ExitCode::SUCCESS);
        }
        pause();
    }
}

/// The most calls that are shown: the log begins anew now and then, and holds more.
const MAX_HOOK_LINES: usize = 10_000;

/// Prints what hooks were asked and answered, oldest first.
fn hooks(surroundings: &Surroundings, output: &mut Output) -> Result<ExitCode, CommandError> {
    let lines = hook_log::last(&surroundings.site.home, MAX_HOOK_LINES);
    let lines = lines.map_err(CommandError::failure)?;
    if lines.is_empty() && !output.is_json() {
        output.remark("no hook was called while a run was unfinished");
    }
    let clock = Clock::here();
    for line in &lines {
        if output.is_json() {
            output.json(line);
            continue;
        }
        let tool = line.tool.as_deref().map(|tool| format!(" {tool}")).unwrap_or_default();
        let who = line.agent.as_ref().map_or("session", |_| "subagent");
        let why = line.reason.as_deref().unwrap_or_default();
        let why = why.lines().next().unwrap_or_default();
        let text = format!(
            "{}  {:<9} {:<28} {:<8} {:>8.1} ms  {why}",
            clock.to_the_second(line.at),
            who,
            format!("{}{tool}", line.event),
            line.decision,
            line.ms
        );
        if !output.try_data(printable(&text, Lines::One).trim_end()) {
            break;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints what the agent printed in one attempt.
fn printed(
    surroundings: &Surroundings,
    store: &Store,
    run: &RunId,
    wanted: &str,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let history = history(store, run)?;
    let mut attempts = history.steps.values().flat_map(|step| &step.attempts);
    let Some(attempt) = attempts.find(|attempt| attempt.id.to_string() == wanted) else {
        let known: Vec<String> = history
            .steps
            .values()
            .flat_map(|step| step.attempts.iter().map(|attempt| attempt.id.to_string()))
            .collect();
        let error = CommandError::usage(format!("run `{run}` has no attempt `{wanted}`"));
        return Err(match nearest(wanted, known.iter().map(String::as_str)) {
            Some(near) => error.hint(format!("did you mean `{near}`?")),
            None => error.hint(format!("its attempts are: {}", known.join(", "))),
        });
    };
    let text = match &attempt.output {
        Some(blob) => surroundings
            .site
            .blobs()
            .get(&blob.hash, MAX_PRINTED_BYTES)
            .map_err(CommandError::failure)?,
        None => Vec::new(),
    };
    let text = String::from_utf8_lossy(&text);
    if output.is_json() {
        output.json(&serde_json::json!({"attempt": wanted, "output": text}));
    } else {
        let text = output.foreign(text.trim_end()).into_owned();
        output.data(&text);
    }
    Ok(ExitCode::SUCCESS)
}

#[expect(clippy::disallowed_methods, reason = "a database of another process cannot be waited for")]
fn pause() {
    std::thread::sleep(INTERVAL);
}

struct Printer {
    run: RunId,
    next: Seq,
    before: ChainHash,
    inputs: bool,
    started: windlass_core::time::Timestamp,
    clock: Clock,
    /// How many lines of what is there already are wanted; what comes later is printed whole.
    last: Option<usize>,
}

impl Printer {
    /// Prints what is new, and says whether anybody still reads.
    fn print(&mut self, store: &Store, output: &mut Output) -> Result<bool, CommandError> {
        let records = store.records(&self.run, self.next).map_err(CommandError::failure)?;
        let (last, mut kept) = (self.last.take(), VecDeque::new());
        for record in records {
            let record = record.map_err(CommandError::failure)?;
            self.next = record.seq.next();
            let before = std::mem::replace(&mut self.before, record.hash);
            let line = if output.is_json() {
                Some(json_line(&record, before))
            } else {
                self.line(&record)
            };
            let Some(line) = line else { continue };
            let Some(last) = last else {
                if !output.try_data(&line) {
                    return Ok(false);
                }
                continue;
            };
            kept.push_back(line);
            if kept.len() > last {
                kept.pop_front();
            }
        }
        Ok(kept.iter().all(|line| output.try_data(line)))
    }

    fn line(&self, record: &Record) -> Option<String> {
        let words = match entry(record) {
            Ok(Entry::Event(event)) => {
                let words = describe(&event).replace('\n', " ");
                printable(&self.clock.localised(&words), Lines::One)
            }
            Ok(Entry::Input(_)) if !self.inputs => return None,
            Ok(Entry::Input(_)) => format!("input from {}", record.actor),
            Err(error) => error.to_string(),
        };
        let elapsed = record.time.since(self.started).to_string();
        let at = self.clock.to_the_second(record.time);
        Some(format!("{:>5}  {at}  {elapsed:>8}  {words}", record.seq.0))
    }
}

fn json_line(record: &Record, before: ChainHash) -> String {
    let payload: serde_json::Value = serde_json::from_str(record.payload()).unwrap_or_default();
    let line = serde_json::json!({
        "seq": record.seq.0,
        "decision": record.decision,
        "time": record.time.to_string(),
        "actor": record.actor,
        "kind": record.kind,
        "payload": payload,
        "prev": before.to_string(),
        "hash": record.hash.to_string(),
    });
    printable_json(&line.to_string())
}
