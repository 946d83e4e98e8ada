//! Calls of tools by the seats of a hosted session.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::table::{bash, grounds};
use super::*;

fn call(tool: &str, input: &Value, seat: Seat) -> Found {
    look(&ToolCall { tool, input, folder: "/srv/place".as_ref() }, &grounds(seat))
}

#[test]
fn the_orchestrator_has_only_the_tools_of_a_carrier() {
    for tool in [
        "Workflow",
        "Monitor",
        "CronCreate",
        "ScheduleWakeup",
        "EnterWorktree",
        "Skill",
        "WebFetch",
        "mcp__x__y",
        "",
    ] {
        assert!(
            matches!(call(tool, &json!({}), Seat::Orchestrator), Found::Forbidden(_)),
            "{tool}"
        );
    }
    for tool in
        ["Agent", "Task", "AskUserQuestion", "TodoWrite", "SendMessage", "ToolSearch", "TaskStop"]
    {
        assert_eq!(call(tool, &json!({}), Seat::Orchestrator), Found::Nothing, "{tool}");
    }
}

#[test]
fn a_subagent_starts_no_agents() {
    for tool in ["Agent", "Task", "Workflow", "EnterWorktree"] {
        assert!(call(tool, &json!({}), Seat::Subagent).refusal().is_some(), "{tool}");
    }
    for tool in ["WebFetch", "Skill", "TodoWrite", "mcp__x__y"] {
        assert_eq!(call(tool, &json!({}), Seat::Subagent), Found::Nothing, "{tool}");
    }
}

#[test]
fn the_orchestrator_reads_and_writes_papers_and_no_code() {
    for file in [
        "README.md",
        "a/b.json",
        "x.yml",
        "x.YAML",
        "run.sh",
        "a.txt",
        ".gitignore",
        "/tmp/mine/x.md",
    ] {
        for tool in ["Read", "Write", "Edit"] {
            assert_eq!(
                call(tool, &json!({ "file_path": file }), Seat::Orchestrator),
                Found::Nothing,
                "{tool} {file}"
            );
        }
    }
    for file in ["src/main.rs", "x.md.rs", "Makefile", "/etc/passwd", "../x.rs"] {
        for tool in ["Read", "Write", "Edit", "MultiEdit"] {
            let found = call(tool, &json!({ "file_path": file }), Seat::Orchestrator);
            assert!(matches!(found, Found::Forbidden(_)), "{tool} {file}");
        }
    }
    for file in [
        ".windlass/x.md",
        ".windlass/run/specs/a.md",
        ".git/x.md",
        ".claude/agents/a.md",
        ".github/x.yml",
        "/srv/other/a.md",
        "/srv/state/a.json",
        "a/../.git/x.txt",
    ] {
        let found = call("Write", &json!({ "file_path": file }), Seat::Orchestrator);
        assert!(matches!(found, Found::Forbidden(_)), "{file}");
    }
    assert!(
        call("Read", &json!({"file_path": "/srv/state/a.json"}), Seat::Orchestrator)
            .refusal()
            .is_some()
    );
}

#[test]
fn a_search_of_the_orchestrator_shows_names_or_papers() {
    for input in [
        json!({"pattern": "x"}),
        json!({"pattern": "x", "output_mode": "files_with_matches"}),
        json!({"pattern": "x", "output_mode": "count", "path": "src"}),
        json!({"pattern": "x", "output_mode": "content", "glob": "*.md"}),
        json!({"pattern": "x", "output_mode": "content", "glob": "**/*.{md,json}"}),
        json!({"pattern": "x", "output_mode": "content", "path": "docs/a.md"}),
    ] {
        assert_eq!(call("Grep", &input, Seat::Orchestrator), Found::Nothing, "{input}");
    }
    for input in [
        json!({"pattern": "x", "output_mode": "content"}),
        json!({"pattern": "x", "output_mode": "content", "path": "src"}),
        json!({"pattern": "x", "output_mode": "content", "glob": "*.{md,rs}"}),
        json!({"pattern": "x", "output_mode": "content", "glob": "*"}),
        json!({"pattern": "x", "path": "/srv/state"}),
    ] {
        assert!(call("Grep", &input, Seat::Orchestrator).refusal().is_some(), "{input}");
    }
    assert_eq!(call("Glob", &json!({"pattern": "**/*.rs"}), Seat::Orchestrator), Found::Nothing);
    let content = json!({"pattern": "x", "output_mode": "content"});
    assert_eq!(call("Grep", &content, Seat::Subagent), Found::Nothing);
}

#[test]
fn a_subagent_writes_where_its_step_may() {
    let write = |file: &str| call("Write", &json!({ "file_path": file }), Seat::Subagent);
    for file in [
        "src/a/b.rs",
        "docs/x.md",
        ".windlass/run/specs/a.md",
        ".windlass/run/reports/a.md",
        "/tmp/mine/x",
    ] {
        assert_eq!(write(file), Found::Nothing, "{file}");
    }
    for file in [
        "lib/a.rs",
        "src/Cargo.lock",
        ".github/x",
        ".windlass/run/state.json",
        ".windlass/config.yaml",
        ".git/config",
        "src/.git/config",
        ".claude/settings.local.json",
        "/srv/state/x",
        "/srv/plugin/x",
        "src/../lib/x",
        "../x",
    ] {
        assert!(matches!(write(file), Found::Forbidden(_)), "{file}");
    }
    let mut free = grounds(Seat::Subagent);
    free.may_write.clear();
    let input = json!({"file_path": "lib/a.rs"});
    let anywhere = ToolCall { tool: "Write", input: &input, folder: "/srv/place".as_ref() };
    assert_eq!(look(&anywhere, &free), Found::Nothing);
}

#[test]
fn a_patch_is_judged_by_the_files_it_names() {
    let patch = |file: &str| {
        format!("*** Begin Patch\n*** Update File: {file}\n@@\n-a\n+b\n*** End Patch\n")
    };
    for (file, allowed) in [("src/a.rs", true), ("lib/a.rs", false), (".git/config", false)] {
        let found = call("apply_patch", &json!({ "input": patch(file) }), Seat::Subagent);
        assert_eq!(found == Found::Nothing, allowed, "{file}");
        let command = format!("apply_patch <<'EOF'\n{}EOF\n", patch(file));
        assert_eq!(bash(&command, Seat::Subagent) == Found::Nothing, allowed, "{command}");
        assert!(bash(&command, Seat::Orchestrator).refusal().is_some(), "{command}");
    }
}

#[test]
fn links_are_followed_where_the_caller_follows_them() {
    let real = |path: &Path| match path.strip_prefix("/srv/place/link") {
        Ok(rest) => Path::new("/srv/state").join(rest),
        Err(_) => PathBuf::from(path),
    };
    let input = json!({"command": "cat link/guard.json"});
    let call = ToolCall { tool: "Bash", input: &input, folder: "/srv/place".as_ref() };
    assert_eq!(look(&call, &grounds(Seat::Subagent)), Found::Nothing);
    assert!(look_with(&call, &grounds(Seat::Subagent), &real).refusal().is_some());
}

#[test]
fn a_call_of_windlass_is_found_wherever_it_stands() {
    for command in [
        "windlass context set a=b",
        "cd x && windlass --json context set a=b",
        "bash -c 'windlass context set a=b'",
        "sudo env A=1 /usr/bin/windlass context set a=b",
        "echo $(windlass context set a=b)",
        "w=windlass; $w context set a=b",
        "f() { windlass context \"$@\"; }; f set a=b",
    ] {
        assert!(calls_windlass(command, &["context", "set"]), "{command}");
    }
    for command in [
        "windlass context get a",
        "echo windlass context set",
        "windlass status",
        "git commit -m 'windlass context set'",
    ] {
        assert!(!calls_windlass(command, &["context", "set"]), "{command}");
    }
}

#[test]
fn every_refusal_says_what_to_do_instead() {
    for (command, seat) in [
        ("git push", Seat::Attempt),
        ("git $x", Seat::Attempt),
        ("gh pr create", Seat::Subagent),
        ("cat src/main.rs", Seat::Orchestrator),
        ("windlass approve", Seat::Orchestrator),
        ("claude -p x", Seat::Subagent),
        ("git diff", Seat::Orchestrator),
    ] {
        let found = bash(command, seat);
        let why = found.refusal().unwrap();
        assert!(why.len() > 60 && why.contains(['.', ':']), "{command}: {why}");
    }
}

/// Run with `--release --run-ignored all --success-output immediate`.
#[test]
#[ignore = "prints figures, asserts none"]
#[expect(clippy::disallowed_methods, reason = "it measures, and decides nothing")]
fn how_long_a_look_takes() {
    let line = "cd src && cargo test --workspace 2>&1 | tail -n 20 && git add -A && git commit -m 'add the button'";
    let long = format!(
        "set -e\n{}",
        "if [ -f \"$x\" ]; then echo \"$(date) $x\" | tee -a out.txt; fi; git status\n".repeat(22)
    );
    for text in [line, &long] {
        let mut times: Vec<_> = (0..200)
            .map(|_| {
                let start = std::time::Instant::now();
                let _ = bash(text, Seat::Orchestrator);
                start.elapsed()
            })
            .collect();
        let first = times[0];
        times.sort();
        println!("{} bytes: first {first:?}, median {:?}", text.len(), times[100]);
    }
}

#[test]
fn looking_at_stories_is_free_and_only_a_subagent_notes_a_failure() {
    let bash = |command: &str, seat: Seat| call("Bash", &json!({ "command": command }), seat);
    for command in [
        "windlass deps scan S1",
        "windlass tdd status",
        "windlass compact --json",
        "windlass failure list S1",
        "windlass failure advice S1",
    ] {
        for seat in [Seat::Orchestrator, Seat::Subagent] {
            assert_eq!(bash(command, seat), Found::Nothing, "{command}");
        }
    }
    let add = "windlass failure add S1 --category external 'the bank is down'";
    assert_eq!(bash(add, Seat::Subagent), Found::Nothing);
    assert!(bash(add, Seat::Orchestrator).refusal().is_some());
}

#[test]
fn asking_for_help_is_for_agents_and_everything_about_it_is_decided_by_people() {
    let bash = |command: &str, seat: Seat| call("Bash", &json!({ "command": command }), seat);
    for command in
        ["windlass blocker list", "windlass clarify list --json", "windlass checkpoint list"]
    {
        for seat in [Seat::Orchestrator, Seat::Subagent] {
            assert_eq!(bash(command, seat), Found::Nothing, "{command}");
        }
    }
    let block = "windlass block 'no key' --check 'test -n \"$KEY\"'";
    assert_eq!(bash(block, Seat::Subagent), Found::Nothing);
    assert!(bash(block, Seat::Orchestrator).refusal().is_some());
    for command in [
        "windlass fixed",
        "windlass fixed S2 --notes x",
        "windlass blocker check 1",
        "windlass answer Q1=a",
        "windlass clarify add --phase analysis --category scope a b",
        "windlass publish --draft",
        "windlass checkpoint good",
        "windlass checkpoint",
    ] {
        for seat in [Seat::Orchestrator, Seat::Subagent] {
            assert!(bash(command, seat).refusal().is_some(), "{command}");
        }
    }
}
