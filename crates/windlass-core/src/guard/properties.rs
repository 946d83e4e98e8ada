//! What holds for every text. The fuzz target (`fuzz/`) hunts for the same.

use std::fmt::Write as _;

use proptest::prelude::*;
use serde_json::json;

use super::table::{bash, grounds};
use super::*;

const SEATS: [Seat; 3] = [Seat::Attempt, Seat::Orchestrator, Seat::Subagent];

/// Ways to dress a command, `@` being the command and `&` the command in single quotes.
const DRESSES: &[&str] = &[
    "@",
    "( @ )",
    "{ @; }",
    "true && @",
    "false || @",
    "true; @",
    "@ &",
    "! @",
    "if true; then @; fi",
    "if @; then :; fi",
    "while @; do :; done",
    "for x in 1; do @; done",
    "f() { @; }; f",
    "case a in a) @;; esac",
    "echo $(@)",
    "echo \"$(@)\"",
    "x=$(@)",
    "cat <(@)",
    "cat <<E\n$(@)\nE\n",
    "bash -c &",
    "sh -ec &",
    "eval &",
    "env A=1 bash -c &",
    "sudo -u them sh -c &",
    "timeout 5 bash -c &",
    "nice -n 5 bash -c &",
    "nohup sh -c &",
    "xargs -n1 sh -c &",
    "find . -exec sh -c & \\;",
    "bash <<< &",
    "echo & | sh",
    "printf %s & | bash",
    "trap & EXIT",
    "flock x -c &",
    "su -c &",
    "git rebase -x & main",
    "git submodule foreach &",
    "watch &",
    "script -qc & x",
    "time ( @ )",
    "source <(echo &)",
    "alias q=&; q",
    "x=&; eval \"$x\"",
    "cd src; @",
    "@ > /dev/null 2>&1",
    "@ | tail -1",
];

const PUSHES: &[&str] = &[
    "git push",
    "git push origin main",
    "git -C x push",
    "/usr/bin/git push -f",
    "g\\it \"pu\"sh",
    "gh pr create --fill",
    "git -c alias.x=push x",
    "git remote set-url origin y",
    "hub pull-request",
    "x=push; git $x",
    "git subtree push -P a b c",
    "glab mr create",
    "npm publish",
    "docker push x",
    "git -C /srv/other fetch . HEAD:branch",
];

const HONEST: &[&str] = &[
    "git status",
    "git stash push",
    "git commit -m 'git push'",
    "echo git push",
    "grep -r 'git push' src",
    "git log --grep=push",
    "ls -l",
    "cargo test push",
    "gh pr view 7",
    "git fetch origin",
    "npm run push-data",
    "git config user.name",
    "cat docs/push.md",
    "make push",
    "docker build -t x .",
    "# git push\ntrue",
];

fn dressed(dress: &str, command: &str) -> String {
    let quoted = format!("'{}'", command.replace('\'', "'\\''"));
    let mut out = String::new();
    for c in dress.chars() {
        match c {
            '@' => out.push_str(command),
            // `&&`, `2>&1` and a lone `&` at the end stay.
            _ => out.push(c),
        }
    }
    let mut whole = String::new();
    for (at, word) in out.split(' ').enumerate() {
        let space = if at > 0 { " " } else { "" };
        let word = match word {
            "&" if dress != "@ &" => quoted.clone(),
            "x=&;" => format!("x={quoted};"),
            "q=&;" | "alias q=&;" => format!("q={quoted};"),
            "&)" => format!("{quoted})"),
            "&;" => format!("{quoted};"),
            other => other.to_owned(),
        };
        let _ = write!(whole, "{space}{word}");
    }
    whole
}

fn dress() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(DRESSES)
}

proptest! {
    /// It reads what models wrote: anything at all.
    #[test]
    fn no_text_brings_it_down(command in "\\PC{0,80}", noise in "[\\\\'\"`$(){}<>|&;#!=*?\\[\\] \ngitpushEOF-]{0,60}") {
        for seat in SEATS {
            let _ = bash(&command, seat);
            let _ = bash(&noise, seat);
        }
        let _ = calls_windlass(&noise, &["context", "set"]);
    }

    #[test]
    fn no_bytes_bring_it_down(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let text = String::from_utf8_lossy(&bytes);
        for seat in SEATS {
            let _ = bash(&text, seat);
        }
    }

    #[test]
    fn no_input_brings_it_down(tool in "(Bash|Read|Grep|Glob|Write|Edit|Task|mcp__x|[A-Z][a-z]{0,8})", path in "\\PC{0,30}") {
        for seat in SEATS {
            let input = json!({"file_path": path, "path": path, "glob": path, "command": path, "output_mode": "content"});
            let _ = look(&ToolCall { tool: &tool, input: &input, folder: "/srv/place".as_ref() }, &grounds(seat));
        }
    }

    #[test]
    fn a_push_is_found_in_any_two_dresses(push in proptest::sample::select(PUSHES), inner in dress(), outer in dress()) {
        let command = dressed(outer, &dressed(inner, push));
        for seat in SEATS {
            prop_assert!(bash(&command, seat).refusal().is_some(), "{seat:?}: {command}");
        }
    }

    #[test]
    fn a_push_after_any_plain_words_is_found(words in "[a-z0-9 ./_-]{0,30}", glue in "(;|&&|\\||\n|&)") {
        let found = bash(&format!("echo {words}{glue} git push"), Seat::Attempt);
        prop_assert!(found.refusal().is_some());
    }

    #[test]
    fn a_push_before_any_text_is_refused(text in "\\PC{0,60}", noise in "[\\\\'\"`$(){}<>|&;#!=*? \n]{0,30}") {
        for after in [text, noise] {
            for seat in SEATS {
                let command = format!("git push; {after}");
                prop_assert!(bash(&command, seat).refusal().is_some(), "{seat:?}: {command}");
            }
        }
    }

    #[test]
    fn honest_work_is_clean_in_any_dress(honest in proptest::sample::select(HONEST), dress in dress()) {
        // A comment hides the end of its line, the dress's own closing words included.
        prop_assume!(!honest.starts_with('#') || dress == "@");
        let command = dressed(dress, honest);
        // What `xargs` adds is not known, and a `foreach` over words is what it says.
        for seat in [Seat::Attempt, Seat::Subagent] {
            prop_assert_eq!(bash(&command, seat), Found::Nothing, "{:?}: {}", seat, command);
        }
    }

    #[test]
    fn words_that_only_speak_of_pushes_are_clean(words in "[a-z ]{0,20}") {
        for command in [
            format!("echo '{words} git push {words}'"),
            format!("git commit -m '{words} git push {words}'"),
            format!("grep -rn 'git push {words}' src"),
            format!("# {words} git push"),
            format!("cat > docs/x.md <<'EOF'\n{words}\ngit push\nEOF\n"),
        ] {
            prop_assert_eq!(bash(&command, Seat::Attempt), Found::Nothing, "{}", command);
        }
    }
}

#[test]
fn no_pair_of_dresses_hides_a_push() {
    let mut hidden = Vec::new();
    for (at, (outer, inner)) in
        DRESSES.iter().flat_map(|outer| DRESSES.iter().map(move |inner| (outer, inner))).enumerate()
    {
        let command = dressed(outer, &dressed(inner, PUSHES[at % PUSHES.len()]));
        if bash(&command, Seat::Attempt).refusal().is_none() {
            hidden.push(command);
        }
    }
    assert!(hidden.is_empty(), "{} are hidden:\n{}", hidden.len(), hidden.join("\n---\n"));
}

/// Nesting that would take a naive reader's stack, or the time until the host gives up waiting.
#[test]
fn deep_and_long_texts_are_answered() {
    let texts = [
        "(".repeat(60_000),
        "{ ".repeat(30_000),
        "$(".repeat(30_000),
        "`".repeat(60_000),
        "\"$(".repeat(20_000),
        "if true; then ".repeat(4_000),
        "case x in x) ".repeat(4_000),
        "${a:-".repeat(10_000),
        "$((".repeat(20_000),
        "bash -c ".repeat(8_000),
        "sudo ".repeat(12_000),
        "{a,b}".repeat(12_000),
        "a=".repeat(30_000),
        "x=1; ".repeat(12_000),
        "echo a | ".repeat(7_000),
        "f() { f; f; }; f; ".repeat(500),
        "for i in 1 2; do ".repeat(15) + "git status;" + &"done;".repeat(15),
        "x=push; ".to_owned() + &"git status; ".repeat(5_000),
        "! ".repeat(30_000),
        "< ".repeat(30_000),
        "\\".repeat(60_000),
        "'".repeat(60_001),
        "[[ ".repeat(20_000),
        "[[ ! ".repeat(10_000),
        format!("[[ {}a{} ]]", "( ".repeat(14), " )".repeat(14)),
        "a && ".repeat(12_000) + "a",
        "git push;".repeat(100_000),
    ];
    for text in texts {
        let _ = bash(&text, Seat::Orchestrator);
        let found = bash(&format!("{text}; git push"), Seat::Attempt);
        assert!(found.refusal().is_some(), "{}", &text[..20]);
    }
}
