//! `windlass doctor --bundle`: one text file for a bug report, which its sender can read first.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use windlass_core::view::Redaction;
use windlass_engine::store::{Record, Seq};
use windlass_engine::trace;

use super::Finding;
use crate::cli::Cli;
use crate::error::CommandError;
use crate::output::Output;
use crate::surroundings::{Surroundings, account, home};

/// How much of one record is shown: a plan of a thousand steps is larger, and says no more.
const MAX_RECORD_BYTES: usize = 64 << 10;

/// How much journal is shown; what is in the middle of a long run is left out.
const MAX_JOURNAL_BYTES: usize = 4 << 20;

/// How much of the log is shown.
const MAX_LOG_BYTES: u64 = 256 << 10;

pub(super) fn write(
    cli: &Cli,
    file: &Path,
    findings: &[Finding],
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let (records, run) = journal(cli)?;
    let redaction = redaction(cli, &records);
    let mut text = text(findings, run.as_deref(), &records, &redaction);
    let log = home().map(|home| trace::last(&home.state, MAX_LOG_BYTES)).unwrap_or_default();
    if !log.is_empty() {
        let _ = writeln!(text, "\n## The last of the log\n");
        for line in log.lines() {
            let _ = writeln!(text, "    {}", redaction.text(line));
        }
    }
    let mut made =
        fs_err::OpenOptions::new().write(true).create_new(true).open(file).map_err(|error| {
            let hint = "name a file that is not there yet: windlass doctor --bundle FILE";
            CommandError::usage(error.to_string()).hint(hint)
        })?;
    made.write_all(text.as_bytes()).map_err(CommandError::failure)?;
    let shown = file.display();
    if output.is_json() {
        output.json(&serde_json::json!({"bundle": file, "run": run, "records": records.len()}));
        return Ok(ExitCode::SUCCESS);
    }
    output.data(&format!("`{shown}` has {} bytes:", text.len()));
    output.data("  versions and the findings of `windlass doctor`");
    match &run {
        Some(run) => output.data(&format!(
            "  the journal of run `{run}`: plan, goal, events, decisions, the lines that checks printed last"
        )),
        None => output.data("  no journal: there is no run here"),
    }
    if !log.is_empty() {
        output.data("  the last of the log that `WINDLASS_LOG` asked for: commands, paths, times");
    }
    output.data("  not in it: your files, what agents printed, environment variables");
    output.data("Home folders, names, addresses, URLs and what looks like a secret are taken out.");
    output.data("No rule finds everything: read it before you send it.");
    Ok(ExitCode::SUCCESS)
}

/// The records of the run that is meant; none where there is no run.
fn journal(cli: &Cli) -> Result<(Vec<Record>, Option<String>), CommandError> {
    let Ok(surroundings) = Surroundings::find(cli) else { return Ok((Vec::new(), None)) };
    // A run that was named has to be there; without a name there may be none.
    let run = match surroundings.run() {
        Ok(run) => run,
        Err(error) if cli.run.is_some() => return Err(error),
        Err(_) => return Ok((Vec::new(), None)),
    };
    let Some(store) = surroundings.store()? else { return Ok((Vec::new(), None)) };
    // A damaged journal is what the report may be about: what can be read is shown.
    let records = store.records(&run.id, Seq(1)).map_err(CommandError::failure)?;
    Ok((records.map_while(Result::ok).collect(), Some(run.id.to_string())))
}

/// What this machine and this journal are known to hold about people.
fn redaction(cli: &Cli, records: &[Record]) -> Redaction {
    let mut homes = Vec::new();
    for name in ["HOME", "WINDLASS_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"] {
        homes.extend(std::env::var(name).ok());
    }
    let mut names = vec![account()];
    for name in ["USER", "LOGNAME", "HOSTNAME", "GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"] {
        names.extend(std::env::var(name).ok());
    }
    names.push(rustix::system::uname().nodename().to_string_lossy().into_owned());
    let folder = cli.directory.clone().unwrap_or_else(|| ".".into());
    if let Ok(user) = windlass_engine::git::UserRepository::discover(&folder) {
        // Where the repository lies says who and what; inside it, paths say what happened.
        homes.push(user.top_level.to_string_lossy().into_owned());
        names.extend(user.person.map(|person| person.name));
    }
    // The longest first: a folder inside another one is taken out whole.
    homes.sort_by_key(|home| std::cmp::Reverse(home.len()));
    names.extend(
        records.iter().filter_map(|record| record.actor.strip_prefix("person:").map(str::to_owned)),
    );
    names.sort();
    names.dedup();
    // The system's own account is no person, and its name is in too many words.
    names.retain(|name| name != "root" && name != "localhost");
    Redaction::new(homes, names)
}

// Writing to a string cannot fail, so the results of `writeln!` are dropped throughout.

fn text(
    findings: &[Finding],
    run: Option<&str>,
    records: &[Record],
    redaction: &Redaction,
) -> String {
    let mut text = String::from(
        "# Windlass bundle\n\n\
         Read this before you send it. Home folders, names, addresses, URLs and what looks like a\n\
         secret were taken out by rules, and no rule finds everything.\n\n## Doctor\n\n",
    );
    for finding in findings {
        let state = serde_json::to_value(finding.state).unwrap_or_default();
        let state = state.as_str().unwrap_or_default().to_owned();
        let _ = writeln!(text, "- {state}: {}: {}", finding.what, redaction.text(&finding.says));
    }
    let Some(run) = run else { return text };
    let _ = writeln!(text, "\n## Journal of run {run}\n");
    let lines: Vec<String> = records.iter().map(|record| line(record, redaction)).collect();
    let all: usize = lines.iter().map(String::len).sum();
    // The beginning has the plan, and the end has what went wrong.
    let mut left = all.saturating_sub(MAX_JOURNAL_BYTES);
    let middle = lines.len() / 4;
    let mut skipped = 0_usize;
    for (position, line) in lines.iter().enumerate() {
        if position >= middle && left > 0 {
            left = left.saturating_sub(line.len());
            skipped += 1;
            continue;
        }
        if skipped > 0 {
            let _ = writeln!(text, "    … {skipped} records left out …");
            skipped = 0;
        }
        let _ = writeln!(text, "    {line}");
    }
    text
}

/// One record in one line: indented, so that nothing in it is Markdown.
fn line(record: &Record, redaction: &Redaction) -> String {
    let payload: serde_json::Value = serde_json::from_str(record.payload()).unwrap_or_default();
    let mut shown = redaction.json(&payload).to_string();
    if shown.len() > MAX_RECORD_BYTES {
        let end = shown.floor_char_boundary(MAX_RECORD_BYTES);
        let more = shown.len() - end;
        shown.truncate(end);
        let _ = write!(shown, " … {more} bytes left out");
    }
    let actor = redaction.text(&record.actor);
    format!("{} {} {actor} {} {shown}", record.seq.0, record.time, record.kind)
}
