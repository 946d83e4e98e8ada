//! What a session's shell reads before each command: the bar against pushing.
//!
//! The host lets a hook add to that file at the start of a session only, and then there may be no run
//! yet. So what is added is one line that reads windlass's own file, which is there as long as a run
//! is unfinished.

use std::fmt::Write as _;
use std::path::Path;

use windlass_core::run::RunState;
use windlass_engine::dispatch::Site;
use windlass_engine::home::RepositoryHome;
use windlass_engine::hosted::desk::Desk;

use super::who::Asked;
use crate::error::CommandError;

/// Keys of forges that a session's shell does without.
const KEYS: [&str; 6] = [
    "GH_TOKEN",
    "GITHUB_TOKEN",
    "GH_ENTERPRISE_TOKEN",
    "GITHUB_ENTERPRISE_TOKEN",
    "GITLAB_TOKEN",
    "SSH_AUTH_SOCK",
];

/// Adds the line to what the host's shell reads. Without that file guards are all there is.
pub(super) fn announce(asked: &Asked) {
    let Some(file) = std::env::var_os("CLAUDE_ENV_FILE").filter(|file| !file.is_empty()) else {
        return;
    };
    let ours = quoted(&Desk::of(&asked.repository).shell_file(&asked.checkout.top_level));
    let line = format!("[ -r {ours} ] && . {ours}\n");
    let there = fs_err::read_to_string(&file).unwrap_or_default();
    if !there.contains(&line) {
        let _ = fs_err::write(&file, format!("{there}{line}"));
    }
}

/// Writes what the line reads, for a run that a session drives from now on.
pub(super) fn write(
    repository: &RepositoryHome,
    site: &Site,
    state: &RunState,
) -> Result<(), CommandError> {
    let desk = Desk::of(repository);
    let checkout = Path::new(&state.facts.place);
    fs_err::create_dir_all(desk.folder()).map_err(CommandError::failure)?;
    let barred = site
        .bar_push_in_session(state, &desk.git_configuration(checkout))
        .map_err(CommandError::failure)?;
    let guard = quoted(&windlass_engine::hosted::guard_file::path(repository));
    let mut text =
        String::from("# Written by windlass: a session drives a run, and windlass publishes.\n");
    // A run that has ended is no longer in the file that guards read.
    let _ = writeln!(
        text,
        "if grep -q {} {guard} 2>/dev/null; then",
        quoted_text(state.facts.run.as_str())
    );
    for (name, value) in barred {
        let _ = writeln!(text, "export {name}={}", quoted_text(&value));
    }
    let _ = writeln!(text, "export GH_CONFIG_DIR={}", quoted(&desk.folder().join("no-gh")));
    let _ = writeln!(text, "unset {}\nfi", KEYS.join(" "));
    fs_err::write(desk.shell_file(checkout), text).map_err(CommandError::failure)
}

fn quoted(path: &Path) -> String {
    quoted_text(&path.to_string_lossy())
}

fn quoted_text(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
