//! Running commands in rooms.

use std::path::{Path, PathBuf};

use windlass_core::measure::cause;
use windlass_core::proof::{Blob, Outcome};
use windlass_core::time::Span;

use super::cancel::Cancel;
use super::verifier::Verifier;
use crate::git::place_files;
use crate::launcher::supervise::free_bytes;
use crate::launcher::view::{Rights, ViewNetwork};
use crate::launcher::{Confinement, ConfinementMode, LaunchPolicy, LaunchReport, Limits};
use crate::level::Level;
use crate::network::put_in_force;
use crate::process::{self, LauncherCommand};
use crate::proxy::ProxyPolicy;
use crate::room::Room;
use crate::room::copied::is_installed;

/// How much of a command's output is kept as evidence.
const MAX_EVIDENCE_BYTES: u64 = 4 << 20;

/// How much of a failing command's output goes into the journal and the next prompt.
const MAX_EXCERPT_BYTES: usize = 3000;

/// How much of that an account of what else was seen may take; the rest is the output's.
const MAX_ACCOUNT_EXCERPT_BYTES: usize = 1000;

/// The largest file that a command writes: an image of a machine, or a database for a load test.
const MAX_FILE_BYTES: u64 = 16 << 30;

/// What a command leaves free on the disk of its room.
const KEPT_FREE_BYTES: u64 = 1 << 30;

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

    /// Whether the way it ended says something about the work. A command that ran out of time, was
    /// stopped or is not there (126 and 127, as shells say it) has said nothing: under `not` that
    /// must not pass for a failure. Nor must one whose launcher was lost: a signal ended it that was
    /// not its own.
    pub(super) fn answered(&self) -> bool {
        if self.report.lost.is_some() {
            return false;
        }
        match &self.report.outcome {
            Outcome::Exited { code } => !matches!(code, 126 | 127),
            Outcome::Signalled { .. } => true,
            Outcome::TimedOut
            | Outcome::CouldNotStart { .. }
            | Outcome::OverLimit { .. }
            | Outcome::Idle
            | Outcome::Cancelled
            | Outcome::ProviderLimit { .. }
            | Outcome::Held { .. }
            | Outcome::Interrupted { .. }
            | Outcome::AgentFailed { .. }
            | Outcome::OverBudget { .. } => false,
        }
    }

    /// How it ended, in words.
    pub(super) fn words(&self, timeout: Span) -> String {
        if let Some(how) = &self.report.lost {
            return format!("was ended from outside: {how}");
        }
        match &self.report.outcome {
            Outcome::Exited { code } => format!("exited with {code}"),
            Outcome::Signalled { signal } => format!("was ended by signal {signal}"),
            Outcome::TimedOut => format!("took longer than {timeout}"),
            Outcome::CouldNotStart { message } => format!("could not start: {message}"),
            Outcome::OverLimit { what } => format!("exceeded its limit: {what}"),
            Outcome::Idle
            | Outcome::Cancelled
            | Outcome::ProviderLimit { .. }
            | Outcome::Held { .. }
            | Outcome::Interrupted { .. }
            | Outcome::AgentFailed { .. }
            | Outcome::OverBudget { .. } => "was stopped".to_owned(),
        }
    }
}

/// Programs that look for something and say 2 where they could not: not finding it is another answer.
const SEARCHING: [&str; 7] = ["grep", "egrep", "fgrep", "zgrep", "rg", "diff", "cmp"];

/// Whether a command that has to fail failed because it could not look: the folder that it searches is gone,
/// say, and with it what must not be there.
pub(super) fn could_not_look(command: &str, outcome: &Outcome) -> bool {
    let Outcome::Exited { code: 2.. } = outcome else { return false };
    // Of a pipe the last program answers.
    let last = command.rsplit('|').next().unwrap_or(command);
    let program = last.split_whitespace().find(|word| !word.contains('=') && *word != "!");
    let name = program.and_then(|program| program.rsplit('/').next());
    name.is_some_and(|name| SEARCHING.contains(&name))
}

/// What to run, and where.
pub(super) struct CommandRequest<'a> {
    pub(super) command: &'a str,
    pub(super) folder: Option<&'a str>,
    pub(super) timeout: Span,
    pub(super) env: Vec<(String, String)>,
    pub(super) network: ViewNetwork,
    /// What it may do besides, in its namespace.
    pub(super) rights: Rights,
    /// The way out of a network of its own.
    pub(super) proxy: Option<ProxyPolicy>,
    /// Further paths that it may read.
    pub(super) expose: Vec<PathBuf>,
    /// What it may do with the tool caches of the home, where there are no layers over them.
    pub(super) caches: Caches,
}

/// What a command may do with tool caches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Caches {
    /// Fill them: it makes a tree ready, or nobody's work is in it yet.
    Fill,
    /// Read them: what it leaves there would meet the next check, and the user.
    Read,
}

/// Caches whose tools cannot work without writing there, and take no other folder by a variable.
const WRITTEN_ALWAYS: [&str; 5] = [".gradle", ".m2", ".ivy2", ".sbt", "coursier"];

/// Variables that give tools a cache of their own.
const OWN_CACHES: [(&str, &str); 10] = [
    ("BUN_INSTALL_CACHE_DIR", "bun"),
    ("CCACHE_DIR", "ccache"),
    ("COMPOSER_CACHE_DIR", "composer"),
    ("GOCACHE", "go-build"),
    ("PIPENV_CACHE_DIR", "pipenv"),
    ("PIP_CACHE_DIR", "pip"),
    ("POETRY_CACHE_DIR", "pypoetry"),
    ("UV_CACHE_DIR", "uv"),
    ("YARN_CACHE_FOLDER", "yarn"),
    ("npm_config_cache", "npm"),
];

impl Verifier {
    /// Runs one command in a room, below a launcher.
    pub(super) fn run(
        &self,
        room: &Room,
        request: &CommandRequest<'_>,
        cancel: &Cancel,
    ) -> Result<Ran, std::io::Error> {
        let (report, output) = self.run_only(room, request, cancel)?;
        let (evidence, excerpt) = self.keep(&output, "")?;
        Ok(Ran { report, evidence, excerpt })
    }

    /// As [`Self::run`], with the output in hand instead of kept.
    pub(super) fn run_only(
        &self,
        room: &Room,
        request: &CommandRequest<'_>,
        cancel: &Cancel,
    ) -> Result<(LaunchReport, Vec<u8>), std::io::Error> {
        let _span = tracing::info_span!("check", command = %request.command).entered();
        let scratch = tempfile::Builder::new().prefix("check-").tempdir_in(&self.scratch)?;
        let policy = self.policy(room, request, scratch.path())?;
        let unit = process::spawn(&LauncherCommand::new(&self.exe), &policy)
            .map_err(std::io::Error::other)?;
        cancel.running(Some(unit.stop_handle()));
        let report = unit.wait();
        cancel.running(None);
        Ok((report, read_output(scratch.path())?))
    }

    fn policy(
        &self,
        room: &Room,
        request: &CommandRequest<'_>,
        scratch: &Path,
    ) -> Result<LaunchPolicy, std::io::Error> {
        let cwd = request.folder.map_or_else(|| room.root().to_owned(), |f| room.root().join(f));
        let argv = ["sh", "-c", request.command].map(str::to_owned).to_vec();
        let mut policy = LaunchPolicy::new(argv, cwd, scratch.join("output"));
        policy.env = in_room(&self.env, &self.rooms.root, room.root());
        policy.env.extend(request.env.iter().cloned());
        policy.max_output_bytes = MAX_EVIDENCE_BYTES;
        policy.timeout = Some(request.timeout);
        policy.grace = Span::seconds(5);
        policy.limits = command_limits(free_bytes(&self.rooms.dir));
        policy.hold_lock = Some(self.launchers_lock.clone());
        policy.registry = Some(self.registry.clone());
        if *self.rooms.level() == Level::Namespaces {
            let (network, rights) = (request.network, request.rights);
            policy.view = Some(self.rooms.view(room, network, rights, &request.expose)?);
            policy.confinement.mode = self.mode;
            if let Some(proxy) = &request.proxy {
                put_in_force(proxy.clone(), &mut policy);
            }
            return Ok(policy);
        }
        let temp = scratch.join("tmp");
        fs_err::create_dir_all(&temp)?;
        policy.env.push(("TMPDIR".to_owned(), temp.to_string_lossy().into_owned()));
        let mut write = self.rooms.exposed().caches();
        // Those that are not there stay away: here they would be folders of the user's home.
        write.retain(|cache| cache.is_dir());
        if request.caches == Caches::Read && self.mode != ConfinementMode::Off {
            write.retain(|cache| {
                cache.iter().any(|part| WRITTEN_ALWAYS.iter().any(|name| part == *name))
            });
            for (variable, folder) in OWN_CACHES {
                let own = temp.join("caches").join(folder).to_string_lossy().into_owned();
                policy.env.retain(|(name, _)| name != variable);
                policy.env.push((variable.to_owned(), own));
            }
        }
        policy.confinement = Confinement {
            mode: self.mode,
            write,
            never: self.never.clone(),
            within: vec![room.root().to_owned(), temp],
            read: Some(self.readable(&request.expose)),
            ..Confinement::default()
        };
        Ok(policy)
    }

    /// What a check may read where it has no view of its own: neither the user's checkout nor the place.
    fn readable(&self, expose: &[PathBuf]) -> Vec<PathBuf> {
        let mut read = self.rooms.exposed().readable();
        read.extend(self.rooms.object_folders());
        let besides = expose.iter().flat_map(|path| self.rooms.exposed().readable_besides(path));
        read.extend(besides);
        read
    }

    /// Keeps an output, and below it an account of what else was seen, as evidence.
    ///
    /// Returns it with the excerpt that explains a failure: the beginning of the account, and as
    /// much of what the output says about it as there is room for.
    pub(super) fn keep(
        &self,
        output: &[u8],
        account: &str,
    ) -> Result<(Option<Blob>, String), std::io::Error> {
        if output.is_empty() && account.is_empty() {
            return Ok((None, String::new()));
        }
        let account = printable(account);
        let line_break: &[u8] =
            match account.is_empty() || output.is_empty() || output.ends_with(b"\n") {
                true => b"",
                false => b"\n",
            };
        let bytes = [output, line_break, account.as_bytes()].concat();
        let blob = self.blobs.put(&bytes).map_err(std::io::Error::other)?;
        let seen = beginning(account.trim_end(), MAX_ACCOUNT_EXCERPT_BYTES);
        let said = cause(&String::from_utf8_lossy(output), MAX_EXCERPT_BYTES - 1 - seen.len());
        let excerpt = [seen, said.as_str()]
            .iter()
            .filter(|text| !text.is_empty())
            .copied()
            .collect::<Vec<_>>()
            .join("\n");
        Ok((Some(blob), excerpt))
    }
}

/// The environment of a room: what names the checkout names the room, where that stands elsewhere. In
/// `PATH`, folders of the work come last unless they are of installed programs: they must not decide what
/// a command runs that the machine has, too.
fn in_room(env: &[(String, String)], checkout: &Path, root: &Path) -> Vec<(String, String)> {
    let moved = |part: &str| match Path::new(part).strip_prefix(checkout) {
        Ok(below) if root != checkout => root.join(below).to_string_lossy().into_owned(),
        Ok(_) | Err(_) => part.to_owned(),
    };
    let is_work = |part: &&str| {
        let below = Path::new(part).strip_prefix(checkout);
        below.is_ok_and(|below| !below.iter().any(|name| is_installed(&name.to_string_lossy())))
    };
    let value = |name: &str, text: &str| {
        let parts = text.split(':');
        let (last, first): (Vec<&str>, Vec<&str>) =
            parts.partition(|part| name == "PATH" && is_work(part));
        first.into_iter().chain(last).map(moved).collect::<Vec<_>>().join(":")
    };
    env.iter().map(|(name, text)| (name.clone(), value(name, text))).collect()
}

/// What a command may use. It runs the agent's code, so nothing of it may take the machine down; test
/// suites are large, so no bound is near to what one uses.
fn command_limits(free_disk: Option<u64>) -> Limits {
    let memory = rustix::system::sysinfo();
    let total = memory.totalram.saturating_mul(u64::from(memory.mem_unit));
    Limits {
        file_size_bytes: Some(MAX_FILE_BYTES),
        memory_bytes: Some(total / 10 * 9),
        // On a disk that is nearly full already, a command may still use most of what there is.
        free_disk_bytes: free_disk.map(|free| KEPT_FREE_BYTES.min(free / 10)),
        ..Limits::default()
    }
}

fn read_output(scratch: &Path) -> Result<Vec<u8>, std::io::Error> {
    // Never through a link and never from a pipe: where nothing confines a check, it can put
    // anything in the place of its own output.
    let most = 2 * MAX_EVIDENCE_BYTES;
    match place_files::read_file_bounded(scratch, Path::new("output"), most) {
        Ok(bytes) => Ok(bytes),
        Err(error) if error.is_missing() => Ok(Vec::new()),
        Err(error) => Err(std::io::Error::other(error)),
    }
}

/// The first lines of a text.
fn beginning(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    let mut cut = most;
    while !text.is_char_boundary(cut) {
        cut -= 1;
    }
    text[..cut].rsplit_once('\n').map_or(&text[..cut], |(whole_lines, _)| whole_lines)
}

/// Escape sequences and other control characters have no business in a journal or a prompt.
fn printable(text: &str) -> String {
    text.chars().filter(|c| *c == '\n' || *c == '\t' || !c.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_names_the_checkout_names_the_room_and_folders_of_the_work_are_searched_last() {
        let own = |list: &[(&str, &str)]| -> Vec<(String, String)> {
            list.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
        };
        let env = own(&[
            ("PATH", "/home/a/shop/bin:/home/a/shop/.venv/bin:/usr/bin"),
            ("PYTHONPATH", "/home/a/shop/src:/home/a/shopping"),
        ]);
        let (checkout, room) = (Path::new("/home/a/shop"), Path::new("/tmp/room"));
        let here = own(&[
            ("PATH", "/home/a/shop/.venv/bin:/usr/bin:/home/a/shop/bin"),
            ("PYTHONPATH", "/home/a/shop/src:/home/a/shopping"),
        ]);
        assert_eq!(in_room(&env, checkout, checkout), here);
        let elsewhere = own(&[
            ("PATH", "/tmp/room/.venv/bin:/usr/bin:/tmp/room/bin"),
            ("PYTHONPATH", "/tmp/room/src:/home/a/shopping"),
        ]);
        assert_eq!(in_room(&env, checkout, room), elsewhere);
    }

    fn ran(outcome: Outcome, lost: Option<&str>) -> Ran {
        let lost = lost.map(str::to_owned);
        let report = LaunchReport { lost, ..LaunchReport::of(outcome) };
        Ran { report, evidence: None, excerpt: String::new() }
    }

    #[test]
    fn a_command_whose_launcher_was_lost_has_said_nothing() {
        let killed = Outcome::Signalled { signal: 9 };
        assert!(ran(killed.clone(), None).answered());
        let lost = ran(killed, Some("the launcher was killed"));
        assert!(!lost.answered());
        assert!(lost.words(Span::seconds(1)).contains("the launcher was killed"));
    }

    #[test]
    fn a_command_is_bounded_as_attempts_are() {
        let limits = command_limits(Some(100 << 30));
        assert!(limits.memory_bytes.is_some() && limits.file_size_bytes.is_some());
        assert!(limits.processes > 0);
        assert_eq!(limits.free_disk_bytes, Some(KEPT_FREE_BYTES));
        // Where little is left, most of that may still be used.
        assert_eq!(command_limits(Some(1000)).free_disk_bytes, Some(100));
        assert_eq!(command_limits(None).free_disk_bytes, None);
    }

    #[test]
    fn a_search_that_could_not_look_has_found_out_nothing() {
        let exited = |code| Outcome::Exited { code };
        for (command, code, could_not) in [
            ("grep -rq TODO src", 2, true),
            ("grep -rq TODO src", 1, false),
            ("LC_ALL=C /usr/bin/grep -rq TODO src", 2, true),
            ("cat a | grep -q x", 2, true),
            ("grep -v x a | sort -c", 2, false),
            ("make test", 2, false),
        ] {
            assert_eq!(could_not_look(command, &exited(code)), could_not, "{command} {code}");
        }
    }

    #[test]
    fn an_account_is_cut_after_a_whole_line() {
        assert_eq!(beginning("one\ntwo\nthree", 9), "one\ntwo");
        assert_eq!(beginning("one\ntwo", 9), "one\ntwo");
        assert_eq!(beginning("äää", 3), "ä");
    }
}
