//! Guards fail closed, know who calls, and leave others alone.

use serde_json::json;
use windlass_testkit::{Host, test_env};

use crate::support::{TWO_STEPS, at_the_gate, started, with_workflow};

#[test]
fn without_a_run_every_hook_is_silent_and_leaves_nothing() {
    let env = test_env!();
    let host = Host::start(&env, "s1");
    assert!(host.tool("Bash", json!({"command": "git push"})).json.is_none());
    assert!(host.tool("Write", json!({"file_path": "/etc/passwd", "content": ""})).json.is_none());
    assert!(host.says("hello").json.is_none());
    assert!(host.stops().json.is_none());
    assert!(host.agent_stops("a").json.is_none());
    assert!(!env.state().join("repos").exists(), "no repository is known");
    assert_eq!(env.repository.git(&["status", "--porcelain"]), "");
}

#[test]
fn the_orchestrator_neither_writes_nor_reads_code_and_its_subagent_does() {
    let env = test_env!();
    let host = at_the_gate(&env, "s1");
    let told = host.says("approve");
    host.starts(told.context().unwrap(), "a2");
    let path = |name: &str| env.repository.root().join(name).to_string_lossy().into_owned();
    let write = |name: &str| json!({"file_path": path(name), "content": "x"});
    for (tool, input) in [
        ("Write", write("src/code.rs")),
        ("Edit", json!({"file_path": path("src/code.rs"), "old_string": "a", "new_string": "b"})),
        ("Read", json!({"file_path": path("src/code.rs")})),
        ("Bash", json!({"command": "echo x > src/code.rs"})),
        ("Bash", json!({"command": "cat src/code.rs"})),
        ("Write", write(".windlass/config.yaml")),
        ("Write", write("judge.txt")),
        (
            "Agent",
            json!({"subagent_type": "general-purpose", "prompt": "look around", "description": "x"}),
        ),
        ("WebFetch", json!({"url": "http://127.0.0.1/"})),
        ("Bash", json!({"command": "windlass approve"})),
        ("Bash", json!({"command": "claude -p --resume s1 approve"})),
        ("SendMessage", json!({"to": "a2", "message": "go on"})),
    ] {
        let answer = host.tool(tool, input.clone());
        assert!(answer.denial().is_some(), "{tool} {input}: {answer:?}");
    }
    assert!(host.tool("Write", write("notes.md")).json.is_none());
    assert!(host.tool("Bash", json!({"command": "git status"})).json.is_none());
    assert!(host.tool_of(Some("a2"), "Write", write("src/code.rs")).json.is_none());
    assert!(
        host.tool_of(Some("a2"), "Read", json!({"file_path": path("src/x.rs")})).json.is_none()
    );
    for (tool, input) in [
        ("Write", write("other/code.rs")),
        ("Write", write("judge.txt")),
        ("Bash", json!({"command": "git push"})),
        ("Bash", json!({"command": "cat ~/.local/state/windlass/repos/*/guard.json"})),
        ("Bash", json!({"command": "cp x $HOME/.claude/settings.json"})),
        ("Agent", json!({"subagent_type": "windlass:coder", "prompt": "x", "description": "x"})),
        (
            "Bash",
            json!({"command": format!("echo x > {}", env.repository_state().join("guard.json").display())}),
        ),
    ] {
        let answer = host.tool_of(Some("a2"), tool, input.clone());
        assert!(answer.denial().is_some(), "{tool} {input}: {answer:?}");
    }
    let stranger = host.tool_of(Some("nobody"), "Write", write("src/code.rs"));
    assert!(stranger.denial().unwrap().contains("no attempt"), "{stranger:?}");
}

#[test]
fn what_publishes_is_refused_by_the_table_and_by_the_users_own_rows() {
    let env = test_env!();
    env.repository.write(
        ".windlass/config.yaml",
        "publishes: [theirs ship]\nmay_publish: [npm publish, theirs ship]\n",
    );
    env.file(
        ".config/windlass/config.yaml",
        "publishes: [our-tool ship unless --check]\nmay_publish: [kubectl apply]\n",
    );
    let host = at_the_gate(&env, "s1");
    let told = host.says("approve");
    host.starts(told.context().unwrap(), "a2");
    let answer = |agent: Option<&str>, command: &str| {
        host.tool_of(agent, "Bash", json!({ "command": command })).denial().map(str::to_owned)
    };
    for agent in [None, Some("a2")] {
        for command in ["npm publish", "docker push x", "our-tool ship", "theirs ship"] {
            let denial = answer(agent, command);
            assert!(denial.is_some_and(|why| why.contains("publishes")), "{agent:?} {command}");
        }
        for command in ["npm publish --dry-run", "our-tool ship --check", "kubectl apply -f x"] {
            assert_eq!(answer(agent, command), None, "{agent:?} {command}");
        }
    }
    // A file of the user's that cannot be read is no permission.
    env.file(".config/windlass/config.yaml", "may_publish: [\n");
    assert!(answer(Some("a2"), "ls").is_some());
}

#[test]
fn a_guard_file_that_is_gone_or_broken_is_made_again_from_the_journal() {
    let env = test_env!();
    let host = at_the_gate(&env, "s1");
    let file = env.repository_state().join("guard.json");
    let whole = fs_err::read(&file).unwrap();
    assert!(whole.len() <= 4096);
    for broken in [None, Some(""), Some("{}"), Some("{\"format\":1,\"runs\":[]"), Some("[]")] {
        match broken {
            None => fs_err::remove_file(&file).unwrap(),
            Some(text) => fs_err::write(&file, text).unwrap(),
        }
        let denied = host.tool("Bash", json!({"command": "git push"}));
        assert!(denied.denial().is_some(), "{broken:?}: {denied:?}");
        assert_eq!(fs_err::read(&file).unwrap(), whole);
    }
}

#[test]
fn where_the_guard_file_cannot_be_made_everything_is_refused() {
    let env = test_env!();
    let host = at_the_gate(&env, "s1");
    let state = env.repository_state();
    fs_err::remove_file(state.join("guard.json")).unwrap();
    fs_err::create_dir(state.join("guard.json")).unwrap();
    let denied = host.tool("Read", json!({"file_path": "README.md"}));
    assert!(denied.denial().unwrap().contains("could not answer"), "{denied:?}");
}

#[test]
fn bad_input_is_refused_where_a_run_is_unfinished() {
    let env = test_env!();
    let host = at_the_gate(&env, "s1");
    for body in [
        json!({"tool_name": 7}),
        json!({}),
        json!({"tool_name": "Bash"}),
        json!({"tool_name": "Bash", "tool_input": {"command": ["git", "push"]}}),
        json!({"tool_name": "Bash", "tool_input": {"command": "git push"}, "agent_id": 5}),
        json!({"tool_name": "Bash", "tool_input": {"command": "git push"}, "session_id": null}),
    ] {
        let answer = host.call("pre-tool-use", body.clone());
        assert!(answer.denial().is_some(), "{body}: {answer:?}");
    }
}

#[test]
fn the_shell_of_the_session_cannot_push_while_the_run_is_unfinished() {
    let env = test_env!();
    let env_file = env.root().join("env.sh");
    with_workflow(&env, TWO_STEPS);
    let host = Host::silent(&env, "s1").with("CLAUDE_ENV_FILE", &env_file.to_string_lossy());
    host.call("session-start", json!({"source": "startup"}));
    host.call("session-start", json!({"source": "resume"}));
    let line = fs_err::read_to_string(&env_file).unwrap();
    assert_eq!(line.lines().count(), 1, "said once: {line}");
    let bare = env.root().join("remote.git");
    env.repository.git(&["init", "-q", "--bare", &bare.to_string_lossy()]);
    env.repository.git(&["remote", "add", "origin", &bare.to_string_lossy()]);
    let push = |branch: &str| {
        let push = format!(". {}; git push origin HEAD:refs/heads/{branch}", env_file.display());
        env.shell(&push)
    };
    push("one").assert_code(0);
    started(&host);
    let barred = push("two");
    assert_ne!(barred.code, Some(0), "{barred}");
    assert!(barred.stderr.contains("windlass-bars-push"), "{barred}");
    host.says("/windlass:abort");
    push("three").assert_code(0);
}

#[test]
fn the_hook_log_tells_what_was_asked_and_answered() {
    let env = test_env!();
    let host = at_the_gate(&env, "s1");
    host.tool("Bash", json!({"command": "git push"}));
    let printed = env.windlass(&["log", "--hooks"]);
    assert!(printed.stdout.contains("PreToolUse Bash"), "{printed}");
    assert!(printed.stdout.contains("deny"), "{printed}");
    let lines = env.windlass(&["log", "--hooks", "--json"]).stdout;
    let last: serde_json::Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    assert_eq!(last["event"], "PreToolUse");
    assert!(last["ms"].as_f64().unwrap() > 0.0);
}

#[test]
fn a_pipe_or_a_link_in_the_place_of_a_file_of_windlass_stops_no_guard() {
    let env = test_env!();
    let host = at_the_gate(&env, "s1");
    let denies = || {
        let answer = host.tool("Bash", json!({"command": "git push"}));
        assert!(answer.denial().is_some(), "{answer:?}");
    };
    let nobody = env.root().join("nobody.json");
    fs_err::write(&nobody, "{\"format\":1,\"runs\":[]}").unwrap();
    for name in ["guard.json", "hooks.jsonl"] {
        let file = env.repository_state().join(name);
        fs_err::remove_file(&file).unwrap();
        env.shell(&format!("mkfifo '{}'", file.display())).assert_code(0);
        denies();
        fs_err::remove_file(&file).unwrap();
        fs_err::os::unix::fs::symlink(&nobody, &file).unwrap();
        denies();
        assert!(fs_err::symlink_metadata(&file).unwrap().is_file(), "{name} is windlass's again");
    }
    assert_eq!(fs_err::read(&nobody).unwrap(), b"{\"format\":1,\"runs\":[]}");
}

#[test]
fn who_moves_the_git_directory_away_is_guarded_all_the_same() {
    let env = test_env!();
    let host = at_the_gate(&env, "s1");
    let root = env.repository.root();
    let push = || host.tool("Bash", json!({"command": "git push"}));
    fs_err::rename(root.join(".git"), root.with_file_name("moved.git")).unwrap();
    assert!(push().denial().is_some(), "without a git directory");
    std::os::unix::fs::symlink(root.with_file_name("moved.git"), root.join(".git")).unwrap();
    assert!(push().denial().is_some(), "with a link to it");
    fs_err::remove_file(root.join(".git")).unwrap();
    fs_err::rename(root.with_file_name("moved.git"), root.join(".git")).unwrap();
    host.says("/windlass:abort");
    assert!(push().json.is_none(), "the run has ended");
}

#[test]
fn many_protected_files_do_not_keep_an_agent_from_its_work() {
    let env = test_env!();
    let protect: Vec<String> = (0..200).map(|n| format!("a/long/folder/name/{n}/**")).collect();
    let text = TWO_STEPS.replace(
        "judge.txt\"]",
        &format!(
            "judge.txt\", {}]",
            protect.iter().map(|p| format!("\"{p}\"")).collect::<Vec<_>>().join(", ")
        ),
    );
    with_workflow(&env, &text);
    let host = Host::start(&env, "s1");
    let first = started(&host);
    host.starts(&first, "a1");
    env.repository.write(".windlass/run/specs/plan.md", "the plan\n");
    host.agent_stops("a1");
    let told = host.says("approve");
    host.starts(told.context().unwrap(), "a2");
    assert!(fs_err::metadata(env.repository_state().join("guard.json")).unwrap().len() <= 4096);
    let path = |name: &str| env.repository.root().join(name).to_string_lossy().into_owned();
    let write = |name: &str| json!({"file_path": path(name), "content": "x"});
    let fine = host.tool_of(Some("a2"), "Write", write("src/code.txt"));
    assert!(fine.json.is_none(), "{fine:?}");
    let protected = host.tool_of(Some("a2"), "Write", write("a/long/folder/name/7/x"));
    assert!(protected.denial().is_some(), "{protected:?}");
}
