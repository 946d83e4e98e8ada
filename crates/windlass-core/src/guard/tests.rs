use serde_json::json;

use super::*;

fn grounds() -> Grounds {
    Grounds::of_attempt("/srv/place".into(), vec!["/tmp/mine".into()])
}

fn bash(command: &str) -> Found {
    let input = json!({ "command": command });
    look(&ToolCall { tool: "Bash", input: &input, folder: "/srv/place".as_ref() }, &grounds())
}

fn write(tool: &str, file: &str) -> Found {
    let input = json!({ "file_path": file });
    look(&ToolCall { tool, input: &input, folder: "/srv/place/src".as_ref() }, &grounds())
}

#[test]
fn folders_of_windlass_come_before_the_temporary_folder_that_they_lie_in() {
    let state = "/tmp/mine/home/.local/state/windlass";
    let off_limits = vec![state.into(), "/srv/place/.claude/settings.json".into()];
    let subagent = Grounds { seat: Seat::Subagent, off_limits, ..grounds() };
    let shell = |command: String| {
        let input = json!({ "command": command });
        look(&ToolCall { tool: "Bash", input: &input, folder: "/srv/place".as_ref() }, &subagent)
    };
    for folder in [state, "/tmp/mine/home/.local/state", "/tmp/mine/home", "/tmp/mine"] {
        assert!(matches!(shell(format!("rm -rf {folder}")), Found::Forbidden(_)), "{folder}");
        assert!(
            matches!(shell(format!("mv {folder} /tmp/mine/x")), Found::Forbidden(_)),
            "{folder}"
        );
    }
    for honest in ["rm -rf /tmp/mine/other", "mkdir -p /tmp/mine/home", "cp /tmp/mine/x ."] {
        assert_eq!(shell(honest.to_owned()), Found::Nothing, "{honest}");
    }
}

#[test]
fn a_value_that_doubles_itself_is_answered() {
    let doubling = format!("a=xxxxxxxx; {} git $a; git push", "a=$a$a; ".repeat(60));
    assert_ne!(super::table::bash(&doubling, Seat::Subagent), Found::Nothing);
    let long = format!("a={}; b={}; git push $b", "x".repeat(30_000), "$a".repeat(10_000));
    assert_ne!(super::table::bash(&long, Seat::Subagent), Found::Nothing);
}

#[test]
fn a_push_is_found_however_it_is_dressed() {
    for command in [
        "git push",
        "git push origin main",
        "cd src && git -C .. push --force",
        "git -c user.name=x push",
        "true; GIT_DIR=.git /usr/bin/git push",
        "sudo -E -u them git push",
        "{ git push; }",
        "timeout 30 git push origin HEAD",
        "timeout -k 5 30s git push",
        "bash -lc 'git push origin main'",
        "sh -c \"echo ok; git push\"",
        "echo $(git push 2>&1)",
        "echo \"$(git push)\"",
        "echo `git push`",
        "(git push)",
        "if true; then git push; fi",
        "git \\\n  push",
        "'git' \"push\"",
        "find . -name x -exec git push \\;",
        "echo main | xargs git push origin",
        "bash <<'EOF'\ngit push\nEOF\n",
        "cat <<EOF\n$(git push)\nEOF\n",
        "echo a # it's fine\ngit push",
        "eval git push",
        "git subtree push --prefix x origin main",
        "gh pr create --fill",
        "gh pr merge 7 --squash",
        "gh api -X POST /repos/a/b/pulls",
        "gh api /repos/a/b/pulls -f title=x",
        "gh release create v1",
        "hub pull-request",
    ] {
        assert!(matches!(bash(command), Found::Forbidden(_)), "{command}: {:?}", bash(command));
    }
}

#[test]
fn honest_work_is_let_through() {
    for command in [
        "git status && git diff HEAD~1 | head",
        "git log --grep=push",
        "git commit -m 'do not git push'",
        "git stash push",
        "echo 'git push' > notes.md",
        "cat > README.md <<'EOF'\n# How to release\n\n    git push origin main\n\nIt's easy.\nEOF\n",
        "gh pr view 7 --json title",
        "gh issue list",
        "gh api /repos/a/b/pulls",
        "gh api -X GET /search -f q=x",
        "mvn -q verify 2>&1 | tail -n 20 > /tmp/mine/out.txt",
        "npm test > /dev/null 2>&1",
        "for f in *.txt; do sed -i 's/a/b/' \"$f\"; done",
        "echo \"it's $(date)\"",
        "windlass context set plan.note='ready to push'",
        "grep -rn 'pushState' src | wc -l",
        "rm -rf target .gitignore.bak",
        "python3 - <<'PY'\nprint(\"it's\")\nPY",
        "echo unbalanced ' quote",
        "$RUNNER test",
    ] {
        assert_eq!(bash(command), Found::Nothing, "{command}");
    }
}

#[test]
fn what_cannot_be_read_is_refused_when_it_speaks_of_a_push() {
    for command in ["$GIT push origin", "echo 'open; git push", "git $act push"] {
        assert!(matches!(bash(command), Found::CannotTell(_)), "{command}: {:?}", bash(command));
    }
}

#[test]
fn files_of_git_of_windlass_and_of_others_are_not_written() {
    for file in [
        "/srv/place/.git/config",
        "../.git/hooks/pre-push",
        "/srv/place/sub/.git/HEAD",
        "/srv/place/.windlass/run/state.json",
        "../.windlass/run/log",
        "/srv/place/.windlass/run/evidence/a.txt",
        "/etc/passwd",
        "/srv/place/../other/x",
        "/srv/placebo/x",
        "~/.bashrc",
    ] {
        for tool in ["Write", "Edit", "NotebookEdit"] {
            assert!(matches!(write(tool, file), Found::Forbidden(_)), "{tool} {file}");
        }
    }
    for command in [
        "echo x > .git/hooks/pre-commit",
        "echo x >> /etc/hosts",
        "make 2>~/log",
        "rm -rf .git",
        "sed -i s/a/b/ .git/config",
        "echo '{}' | tee .windlass/run/state.json",
    ] {
        assert!(matches!(bash(command), Found::Forbidden(_)), "{command}");
    }
}

#[test]
fn files_of_the_place_and_temporary_ones_are_written() {
    for file in [
        "main.rs",
        "/srv/place/.gitignore",
        "/srv/place/.windlass/run/specs/plan.md",
        "/srv/place/.windlass/run/reports/a.md",
        "/tmp/mine/x",
        "../docs/git.md",
    ] {
        assert_eq!(write("Write", file), Found::Nothing, "{file}");
    }
    assert_eq!(write("Read", "/etc/hostname"), Found::Nothing);
}

#[test]
fn a_call_without_what_it_is_about_is_refused() {
    let call = |tool, input: &serde_json::Value| {
        look(&ToolCall { tool, input, folder: "/srv/place".as_ref() }, &grounds())
    };
    assert!(call("Bash", &json!({})).refusal().is_some());
    assert!(call("Write", &json!({"file_path": 7})).refusal().is_some());
    assert!(call("mcp__lab__say", &json!(null)).refusal().is_none());
}

#[test]
fn a_script_that_the_orchestrator_writes_is_looked_at() {
    let orchestrator = Grounds { seat: Seat::Orchestrator, ..grounds() };
    let write = |content: &str| {
        let input = json!({"file_path": "/srv/place/x.sh", "content": content});
        let call = ToolCall { tool: "Write", input: &input, folder: "/srv/place".as_ref() };
        look(&call, &orchestrator)
    };
    assert_eq!(write("#!/bin/sh\nset -e\nmvn -q verify\n"), Found::Nothing);
    assert!(matches!(write("#!/bin/sh\ngit push origin main\n"), Found::Forbidden(_)));
    assert!(write("windlass approve\n").refusal().is_some());
    assert!(write("sed -i s/a/b/ src/main.rs\n").refusal().is_some());
}
