//! Long output at a terminal goes through the pager that people have set.

use std::io::Write as _;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::SIGINT;

use crate::programs;

/// A pager that shows what is written to it, until it is dropped; then the person reads on.
pub(crate) struct Pager {
    child: Child,
    input: Option<ChildStdin>,
}

impl Pager {
    /// Starts the pager; none where there is none, or where nobody wants one.
    pub(crate) fn start() -> Option<Self> {
        let command = chosen(|name| std::env::var(name).ok(), programs::is_there("less"))?;
        let mut pager = Command::new("sh");
        pager.args(["-c", &command]).stdin(Stdio::piped());
        // As git does: leave when all fits on one screen, keep colours and what is on the screen.
        for (name, value) in [("LESS", "FRX"), ("LV", "-c")] {
            if std::env::var_os(name).is_none() {
                pager.env(name, value);
            }
        }
        let mut child = pager.spawn().ok()?;
        // Ctrl-C is for the pager, which goes on.
        let _ = signal_hook::flag::register(SIGINT, Arc::new(AtomicBool::new(false)));
        let input = child.stdin.take();
        Some(Self { child, input })
    }

    /// Writes a line, and says whether anybody still reads.
    pub(crate) fn line(&mut self, text: &str) -> bool {
        self.input.as_mut().is_some_and(|input| writeln!(input, "{text}").is_ok())
    }
}

impl Drop for Pager {
    fn drop(&mut self) {
        self.input = None;
        let _ = self.child.wait();
    }
}

/// The pager that is set: git's own, the usual one, else `less`. `cat` and nothing mean none.
fn chosen(variable: impl Fn(&str) -> Option<String>, has_less: bool) -> Option<String> {
    let set = variable("GIT_PAGER").or_else(|| variable("PAGER"));
    let command = set.or_else(|| has_less.then(|| "less".to_owned()))?;
    let command = command.trim();
    (!command.is_empty() && command != "cat").then(|| command.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pager_is_the_one_that_is_set() {
        let with = |set: &[(&str, &str)], less| {
            let variable = |name: &str| {
                set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
            };
            chosen(variable, less)
        };
        assert_eq!(with(&[], true).as_deref(), Some("less"));
        assert_eq!(with(&[], false), None);
        assert_eq!(with(&[("PAGER", "more")], true).as_deref(), Some("more"));
        assert_eq!(
            with(&[("PAGER", "more"), ("GIT_PAGER", "delta")], true).as_deref(),
            Some("delta")
        );
        assert_eq!(with(&[("PAGER", "more"), ("GIT_PAGER", "cat")], true), None);
        assert_eq!(with(&[("PAGER", "")], true), None);
    }
}
