//! What keeps attempts from acting as the user, and what does not.

use windlass_engine::git::UserRepository;
use windlass_engine::launcher::confine::{self, ConfinementLevel};

use super::Finding;

pub(super) fn look(user: Option<&UserRepository>) -> Vec<Finding> {
    let mut findings = vec![Finding::ok(
        "keys",
        "an attempt gets listed variables only, a home of its own, and a git that refuses to push",
    )];
    findings.extend(not_stopped(&confine::level()).map(|says| Finding::open("keys", says)));
    if user.is_some_and(UserRepository::has_key_in_settings) {
        findings.push(Finding::warning(
            "keys",
            "the repository's git configuration holds a password or token: with --here an agent can read it",
            "keep it in a credential helper: git config --get-regexp 'url|extraheader'",
        ));
    }
    findings
}

/// What an agent that sets out to do it can do on this machine.
fn not_stopped(level: &ConfinementLevel) -> impl Iterator<Item = &'static str> {
    let confined = matches!(level, ConfinementLevel::Landlock { .. });
    let writing = if confined {
        "pushing without a key, to a remote in a folder that agents may write: by git without its settings"
    } else {
        "writing wherever you can: pushing to a remote in a folder, changing your settings and hooks"
    };
    [
        "reading your files by their full path: keys in ~/.ssh, sessions in ~/.config, if they have no passphrase",
        "finding the sockets of your ssh agent or keyring where they usually are",
        "the network: what was read can be sent, and used elsewhere",
        "changing the settings of its own program, where that renews its sign-in in one folder (~/.claude, ~/.codex)",
        "code that an agent wrote and a check runs: checks have your home",
        "with --here: reading and changing the repository's own git configuration; publishing stops if it was changed",
        writing,
    ]
    .into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_depends_on_what_the_machine_enforces() {
        let told = |level| not_stopped(&level).collect::<Vec<_>>().join("\n");
        let with = told(ConfinementLevel::Landlock { abi: 6 });
        let without = told(ConfinementLevel::None { reason: "old".to_owned() });
        assert!(with.contains("in a folder that agents may write"), "{with}");
        assert!(without.contains("writing wherever you can"), "{without}");
        assert!(with.contains("~/.ssh") && without.contains("~/.ssh"));
    }
}
