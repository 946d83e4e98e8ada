//! Running commands in the verifier's tree.

use std::path::{Path, PathBuf};

use windlass_core::plan::{Plan, Prepare};
use windlass_core::proof::{Blob, Outcome};
use windlass_core::time::Span;

use super::cancel::Cancel;
use super::verifier::{MAX_PREPARED, Verifier};
use crate::fault;
use crate::git::{VerifierTree, place_files};
use crate::launcher::{Confinement, ConfinementMode, LaunchPolicy, LaunchReport};
use crate::process::{self, LauncherCommand};

/// How much of a command's output is kept as evidence.
const MAX_EVIDENCE_BYTES: u64 = 4 << 20;

/// How much of a failing command's output goes into the journal and the next prompt.
const MAX_EXCERPT_BYTES: usize = 1500;

/// The largest lock file that is read.
const MAX_LOCK_BYTES: u64 = 64 << 20;

/// Folders in the user's home that hold tools' caches: checks may fill them, agents may not.
const TOOL_CACHES: &[&str] = &[
    ".cache",
    ".cargo/registry",
    ".cargo/git",
    ".npm",
    ".m2",
    ".gradle",
    ".ivy2",
    ".sbt",
    ".nuget",
    ".yarn",
    ".bun",
    ".local/share/pnpm",
    "go/pkg",
    ".pub-cache",
    ".hex",
    ".mix",
    ".gem",
];

/// How a command ended, and what it printed.
pub(super) struct Ran {
    pub(super) report: LaunchReport,
    pub(super) evidence: Option<Blob>,
    pub(super) excerpt: String,
}

impl Ran {
    pub(super) fn succeeded(&self) -> bool {
        self.report.outcome == Outcome::Exited { code: 0 }
    }

    /// How it ended, in words.
    pub(super) fn words(&self, timeout: Span) -> String {
        match &self.report.outcome {
            Outcome::Exited { code } => format!("exited with {code}"),
            Outcome::Signalled { signal } => format!("was ended by signal {signal}"),
            Outcome::TimedOut => format!("took longer than {timeout}"),
            Outcome::CouldNotStart { message } => format!("could not start: {message}"),
            Outcome::OverLimit { what } => format!("went past its limit: {what}"),
            Outcome::Idle | Outcome::Cancelled | Outcome::ProviderLimit { .. } => {
                "was stopped".to_owned()
            }
        }
    }
}

/// What to run, and where.
pub(super) struct CommandRequest<'a> {
    pub(super) command: &'a str,
    pub(super) folder: Option<&'a str>,
    pub(super) timeout: Span,
    pub(super) env: Vec<(String, String)>,
}

impl Verifier {
    /// Runs one command in the verifier's tree, below a launcher.
    pub(super) fn run(
        &self,
        tree: &VerifierTree,
        request: &CommandRequest<'_>,
        cancel: &Cancel,
    ) -> Result<Ran, std::io::Error> {
        let scratch = tempfile::Builder::new().prefix("check-").tempdir_in(&self.scratch)?;
        let temp = scratch.path().join("tmp");
        fs_err::create_dir_all(&temp)?;
        let output = scratch.path().join("output");
        let policy = self.policy(tree, request, &temp, &output);
        let unit = process::spawn(&LauncherCommand::new(&self.exe), &policy)
            .map_err(std::io::Error::other)?;
        cancel.running(Some(unit.stop_handle()));
        let report = unit.wait();
        cancel.running(None);
        let (evidence, excerpt) = self.keep_output(scratch.path())?;
        Ok(Ran { report, evidence, excerpt })
    }

    fn policy(
        &self,
        tree: &VerifierTree,
        request: &CommandRequest<'_>,
        temp: &Path,
        output: &Path,
    ) -> LaunchPolicy {
        let cwd = request.folder.map_or_else(|| tree.dir().to_owned(), |f| tree.dir().join(f));
        let argv = ["sh", "-c", request.command].map(str::to_owned).to_vec();
        let mut policy = LaunchPolicy::new(argv, cwd, output.to_owned());
        policy.env.clone_from(&self.env);
        policy.env.extend(request.env.iter().cloned());
        policy.env.push(("TMPDIR".to_owned(), temp.to_string_lossy().into_owned()));
        policy.env.push(("WINDLASS_CHECK".to_owned(), "1".to_owned()));
        policy.max_output_bytes = MAX_EVIDENCE_BYTES;
        policy.timeout = Some(request.timeout);
        policy.grace = Span::seconds(5);
        policy.hold_lock = Some(self.launchers_lock.clone());
        policy.registry = Some(self.registry.clone());
        policy.confinement = Confinement {
            mode: ConfinementMode::Prefer,
            write: self.writable(),
            never: self.never.clone(),
            within: vec![tree.dir().to_owned(), temp.to_owned()],
        };
        policy
    }

    fn writable(&self) -> Vec<PathBuf> {
        let home = self.env.iter().find(|(name, _)| name == "HOME").map(|(_, home)| home);
        let caches = home
            .into_iter()
            .flat_map(|home| TOOL_CACHES.iter().map(move |cache| Path::new(home).join(cache)));
        std::iter::once(std::env::temp_dir()).chain(caches.filter(|cache| cache.is_dir())).collect()
    }

    fn keep_output(&self, scratch: &Path) -> Result<(Option<Blob>, String), std::io::Error> {
        // Never through a link and never from a pipe: where nothing confines a check, it can put
        // anything in the place of its own output.
        let most = 2 * MAX_EVIDENCE_BYTES;
        let bytes = match place_files::read_file_bounded(scratch, Path::new("output"), most) {
            Ok(bytes) => bytes,
            Err(error) if error.is_missing() => Vec::new(),
            Err(error) => return Err(std::io::Error::other(error)),
        };
        if bytes.is_empty() {
            return Ok((None, String::new()));
        }
        let blob = self.blobs.put(&bytes).map_err(std::io::Error::other)?;
        Ok((Some(blob), excerpt(&bytes)))
    }

    /// Makes a clean tree ready: runs each `prepare` whose lock has changed since it last ran here.
    ///
    /// Returns the command that failed, if one did.
    pub(super) fn prepare(
        &self,
        tree: &VerifierTree,
        plan: &Plan,
        cancel: &Cancel,
    ) -> Result<Option<(String, Ran)>, std::io::Error> {
        for (number, prepare) in plan.prepare.iter().enumerate() {
            let marker = self.verifier_dir.join(format!("prepared-{number}"));
            let wanted = prepare_key(tree.dir(), prepare);
            let known = number < MAX_PREPARED;
            if known && fs_err::read_to_string(&marker).is_ok_and(|found| found == wanted) {
                continue;
            }
            let request = CommandRequest {
                command: &prepare.run,
                folder: prepare.folder.as_deref(),
                timeout: prepare.timeout,
                env: Vec::new(),
            };
            let ran = self.run(tree, &request, cancel)?;
            if !ran.succeeded() {
                return Ok(Some((prepare.run.clone(), ran)));
            }
            fault::point("prepared");
            if known {
                fs_err::write(&marker, wanted)?;
            }
        }
        Ok(None)
    }

    /// Forgets which commands have run, because their results are gone with the tree.
    pub(super) fn forget_prepared(&self, plan: &Plan) -> Result<(), std::io::Error> {
        for number in 0..plan.prepare.len().min(MAX_PREPARED) {
            match fs_err::remove_file(self.verifier_dir.join(format!("prepared-{number}"))) {
                Ok(()) => {}
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// What decides whether a `prepare` has to run again: its words, and its lock file's content.
pub(super) fn prepare_key(tree: &Path, prepare: &Prepare) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(prepare.run.as_bytes());
    hasher.update(prepare.folder.as_deref().unwrap_or_default().as_bytes());
    if let Some(lock) = &prepare.lock {
        // A link or a pipe in its place is no lock file; whatever it is, it is not the one before.
        match place_files::read_file_bounded(tree, Path::new(lock), MAX_LOCK_BYTES) {
            Ok(bytes) => hasher.update(&bytes),
            Err(_) => hasher.update(b"none"),
        };
    }
    hasher.finalize().to_hex().to_string()
}

/// The end of an output, where commands say what went wrong.
fn excerpt(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_end();
    let mut start = text.len().saturating_sub(MAX_EXCERPT_BYTES);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    let tail = &text[start..];
    let whole_lines =
        if start == 0 { tail } else { tail.split_once('\n').map_or(tail, |(_, t)| t) };
    // Escape sequences and other control characters have no business in a journal or a prompt.
    whole_lines.chars().filter(|c| *c == '\n' || *c == '\t' || !c.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_the_end_in_whole_lines() {
        let long: String = (0..400).map(|n| format!("line {n}\n")).collect();
        let excerpt = excerpt(long.as_bytes());
        assert!(excerpt.len() <= MAX_EXCERPT_BYTES);
        assert!(excerpt.starts_with("line ") && excerpt.ends_with("line 399"), "{excerpt}");
        assert_eq!(super::excerpt(b"\x1b[31mred\x1b[0m\n"), "[31mred[0m");
    }
}
