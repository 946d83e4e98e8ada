//! Calls of windlass itself: who sits where may call what.

use super::Seat;
use super::shell::Walk;
use super::word::is_known;

/// Commands that only look.
const LOOKS: [&str; 22] = [
    "status", "log", "report", "proofs", "graph", "cost", "audit", "doctor", "diff", "replay",
    "watch", "schema", "check", "simulate", "help", "version", "agent", "workflow", "plugin",
    "deps", "tdd", "compact",
];

pub(super) fn look(walk: &mut Walk<'_>, arguments: &[String]) {
    walk.windlass.push(arguments.to_vec());
    let words: Vec<&str> =
        arguments.iter().map(String::as_str).filter(|word| !word.starts_with('-')).collect();
    let option = |name: &str| {
        arguments.iter().any(|word| word == name || word.starts_with(&format!("{name}=")))
    };
    if option("--help") || option("--version") || words.is_empty() {
        return;
    }
    let looks = match words.as_slice() {
        ["agent" | "workflow", act, ..] => matches!(*act, "list" | "show"),
        ["plugin", act, ..] => *act == "validate",
        ["agent" | "workflow" | "plugin"] => true,
        ["context", act, ..] => *act == "get",
        ["failure", act, ..] => matches!(*act, "list" | "advice"),
        ["blocker" | "clarify" | "checkpoint", act, ..] => *act == "list",
        ["item" | "story", act, ..] => matches!(*act, "list" | "show"),
        ["place", more @ ..] => more.is_empty(),
        [first, ..] => LOOKS.contains(first),
        [] => true,
    };
    let may = match walk.grounds.seat {
        Seat::Attempt => true,
        Seat::Orchestrator => {
            looks
                || match words.as_slice() {
                    ["propose", ..] => true,
                    ["run", ..] => option("--hosted"),
                    ["feedback" | "rollback", ..] => option("--token"),
                    _ => false,
                }
        }
        Seat::Subagent => {
            looks
                || matches!(
                    words.as_slice(),
                    ["context", "set", ..]
                        | ["failure", "add", ..]
                        | ["item" | "story", "add" | "update", ..]
                        | ["block", ..]
                )
        }
    };
    if may {
        return;
    }
    if !is_known(words[0]) {
        walk.cannot_tell("which command of windlass this is cannot be seen. Write it out");
        return;
    }
    let why = match words[0] {
        "hook" => "`windlass hook` is called by the host and by nobody else. Go on with the step",
        _ if walk.grounds.seat == Seat::Orchestrator => {
            "this command of windlass decides, and only the person does that: say what you would have \
             decided, with `windlass propose`, and stop"
        }
        _ => {
            "an agent of a step calls only `windlass context`, `windlass block` and `windlass item`, and \
             commands that look. Finish the step and stop"
        }
    };
    walk.forbid(why);
}

/// Without its hooks and its host, a session has no guards.
pub(super) fn leaves_the_host_alone(walk: &mut Walk<'_>) {
    if walk.grounds.seat != Seat::Attempt {
        walk.forbid(
            "the processes of the session and of windlass must not be ended. End what you have started by its \
             number",
        );
    }
}

/// Looks at programs that end others by name.
pub(super) fn processes(walk: &mut Walk<'_>, name: &str, arguments: &[String]) {
    let ours = |word: &String| {
        let word = word.to_lowercase();
        ["windlass", "claude", "codex"].iter().any(|name| word.contains(name))
    };
    if matches!(name, "pkill" | "killall" | "killall5") && arguments.iter().any(ours) {
        leaves_the_host_alone(walk);
    }
}
