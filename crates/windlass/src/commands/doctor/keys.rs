//! What keeps attempts from acting as the user, and what does not.

use windlass_engine::git::UserRepository;
use windlass_engine::level::Level;

use super::Finding;

pub(super) fn look(level: &Level, user: Option<&UserRepository>) -> Vec<Finding> {
    let holds = match level {
        Level::Namespaces => {
            "an attempt sees neither your keys nor your sockets, has listed variables only, a home of \
             its own, and a git that refuses to push"
        }
        Level::Landlock { .. } => {
            "an attempt reads files by list, gets listed variables only, a home of its own, and a git \
             that refuses to push"
        }
        Level::None { .. } => {
            "an attempt gets listed variables only, a home of its own, and a git that refuses to push"
        }
    };
    let mut findings = vec![Finding::ok("keys", holds)];
    findings.extend(not_stopped(level).into_iter().map(|says| Finding::open("keys", says)));
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
fn not_stopped(level: &Level) -> Vec<&'static str> {
    const REMOTE: &str = "pushing without a key, to a remote in a folder that agents may write: by git without its settings";
    const HERE: &str = "with --here: reading and changing the repository's own git configuration; publishing stops if it was changed";
    let without_boxes = [
        "finding the sockets of your ssh agent or keyring where they usually are",
        "the network: what was read can be sent, and used elsewhere",
        "changing the settings of its own program, where that renews its sign-in in one folder (~/.claude, ~/.codex)",
        HERE,
    ];
    match level {
        Level::Namespaces => vec![
            "using its own sign-in for something else: whoever plays the agent is signed in",
            "the network, unless a step says `network: provider`: what is shown can be sent",
            "with an agent by `acp:`: changing the settings of its own program, whose folder it shares with you",
            "with --here: reading the repository's own git configuration",
            REMOTE,
        ],
        Level::Landlock { .. } => without_boxes
            .into_iter()
            .chain([
                "reading and changing files in your temporary folder and in /dev/shm",
                "code that an agent wrote and that a check runs: it can change the caches of tools in your home",
                REMOTE,
            ])
            .collect(),
        Level::None { .. } => without_boxes
            .into_iter()
            .chain([
                "reading your files by their full path: keys in ~/.ssh, sessions in ~/.config, if they have no passphrase",
                "writing wherever you can: pushing to a remote in a folder, changing your settings and hooks",
                "code that an agent wrote and that a check runs: on a kernel without Landlock it can do the same",
            ])
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_depends_on_what_the_machine_enforces() {
        let told = |level| not_stopped(&level).join("\n");
        let boxed = told(Level::Namespaces);
        let with = told(Level::Landlock { why: "old".to_owned() });
        let without = told(Level::None { why: "old".to_owned() });
        assert!(!boxed.contains("~/.ssh") && boxed.contains("network: provider"), "{boxed}");
        assert!(with.contains("in a folder that agents may write"), "{with}");
        assert!(without.contains("writing wherever you can"), "{without}");
        assert!(!with.contains("~/.ssh") && without.contains("~/.ssh"), "{with}");
    }
}
