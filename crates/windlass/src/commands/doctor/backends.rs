//! Programs that can play agents.

use std::path::{Path, PathBuf};
use std::time::Duration;

use windlass_core::view::{Lines, printable};
use windlass_engine::process::probe::{Answer, version};

use super::Finding;

/// The programs that people use.
const PROGRAMS: [&str; 4] = ["claude", "codex", "gemini", "opencode"];

/// How long each may take to say its version.
const PATIENCE: Duration = Duration::from_secs(2);

pub(super) fn look() -> Vec<Finding> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let mut findings = Vec::new();
    let mut missing = Vec::new();
    for name in PROGRAMS {
        match folders.iter().map(|folder| folder.join(name)).find(|file| is_program(file)) {
            Some(file) => findings.push(found(name, &file)),
            None => missing.push(name),
        }
    }
    if findings.is_empty() {
        return vec![Finding::warning(
            "agents",
            format!("none of {} is in PATH", PROGRAMS.join(", ")),
            "install one, or use any other: windlass run … --agent-command 'CMD'",
        )];
    }
    if !missing.is_empty() {
        findings.push(Finding::ok("agents", format!("not in PATH: {}", missing.join(", "))));
    }
    findings
}

fn is_program(file: &Path) -> bool {
    rustix::fs::access(file, rustix::fs::Access::EXEC_OK).is_ok() && file.is_file()
}

fn found(name: &'static str, file: &Path) -> Finding {
    // Until windlass drives it by itself, this is how.
    let how =
        format!("windlass does not know its ways yet; use it with --agent-command '{name} …'");
    let said = match version(file, PATIENCE) {
        Answer::Said(line) => printable(&line, Lines::One),
        Answer::Silent => "it does not say its version".to_owned(),
        Answer::TooSlow => {
            return Finding::warning(
                name,
                format!("{}: no answer within {} s", file.display(), PATIENCE.as_secs()),
                format!("{name} --version"),
            );
        }
        Answer::NotStarted(why) => {
            let says = format!("{} cannot be started: {why}", file.display());
            return Finding::warning(name, says, format!("install {name} again"));
        }
    };
    Finding::ok(name, format!("found at {} ({said}); {how}", file.display()))
}
