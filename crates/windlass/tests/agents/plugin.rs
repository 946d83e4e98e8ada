//! The plugin in the real CLIs, the oldest and the newest that windlass supports.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use windlass_core::plugin::{HOOKS, Plugin, codex};
use windlass_testkit::cli::{RealCli, environment_for_claude, environment_for_codex};
use windlass_testkit::model::{Lane, ModelServer, Script, say, tool};
use windlass_testkit::{Finished, TestEnv, test_env};

/// Settings as a person wrote them. The oldest Claude Code drops `model` whenever it writes them.
const ODD: &str = "{ \"zeta\": 1.50,\n   \"model\":\"opus\", \"enabledPlugins\": {\"other@x\":   false}, \"alpha\": [1,\n2] }";

/// One version of Claude Code in a world of its own.
struct Session {
    env: TestEnv,
    claude: RealCli,
    server: ModelServer,
}

impl Session {
    /// Both versions; those that are not installed are counted skips.
    fn each(script: impl Fn() -> Script) -> Vec<Self> {
        let versions = [RealCli::claude_oldest(), RealCli::claude()];
        let session =
            |claude| Self { env: test_env!(), claude, server: ModelServer::start(script()) };
        versions.into_iter().flatten().map(session).collect()
    }

    fn variables(&self) -> Vec<(String, String)> {
        let mut variables = environment_for_claude(&self.env, &self.server);
        let program = self.claude.program().to_string_lossy().into_owned();
        variables.push(("WINDLASS_CLAUDE".to_owned(), program));
        variables
    }

    fn windlass(&self, arguments: &[&str]) -> Finished {
        let mut command = self.env.windlass_command(arguments);
        command.env_clear().envs(self.variables());
        self.env.finish(command)
    }

    fn claude(&self, arguments: &[&str]) -> Finished {
        let mut command = self.claude.command(&self.env, &self.variables());
        command.args(arguments);
        self.env.finish(command)
    }

    /// A session with one prompt, as the messages that it printed.
    fn ask(&self, prompt: &str, more: &[&str]) -> Vec<Value> {
        let mut arguments = vec!["-p", prompt, "--output-format", "stream-json", "--verbose"];
        arguments.extend(["--permission-mode", "acceptEdits"]);
        arguments.extend(more);
        let finished = self.claude(&arguments);
        let lines = finished.stdout.lines();
        lines.map(|line| serde_json::from_str(line).expect("a message")).collect()
    }

    fn version(&self) -> String {
        self.claude.version().expect("a version")
    }

    fn marketplace(&self) -> PathBuf {
        self.env.state().join("plugin/claude")
    }

    fn settings(&self) -> PathBuf {
        self.env.home().join(".claude/settings.json")
    }
}

/// A session that only answers.
fn answers() -> Script {
    Script::new().lane(Lane::when_first_user_has("PLAIN-TASK").turn(say("Done.")))
}

fn init(messages: &[Value]) -> &Value {
    messages.iter().find(|message| message["subtype"] == "init").expect("a session that began")
}

#[test]
fn what_is_installed_passes_the_strict_validation_of_the_oldest_and_the_newest_claude() {
    for session in Session::each(answers) {
        let installed = session.windlass(&["plugin", "install"]);
        installed.assert_code(0);
        assert!(installed.stdout.contains("called: claude plugin install windlass@windlass"));
        for folder in [session.marketplace(), session.marketplace().join("windlass")] {
            let folder = folder.to_string_lossy().into_owned();
            session.claude(&["plugin", "validate", "--strict", &folder]).assert_code(0);
        }
        let validated = session.windlass(&["plugin", "validate", "--json"]);
        let told: Value = serde_json::from_str(&validated.assert_code(0).stdout).unwrap();
        let findings = told["findings"].as_array().unwrap();
        assert!(findings.iter().all(|finding| finding["ok"] == true), "{told}");
        assert_eq!(session.server.outside(), Vec::<String>::new());
    }
}

#[test]
fn a_plugin_that_claude_refuses_is_refused() {
    for session in Session::each(answers) {
        session.windlass(&["plugin", "install"]).assert_code(0);
        let manifest = session.marketplace().join("windlass/.claude-plugin/plugin.json");
        fs_err::write(manifest, "{\"name\": 7}").unwrap();
        let validated = session.windlass(&["plugin", "validate"]);
        validated.assert_code(2);
        let said = "WRONG: claude plugin validate --strict (plugin)";
        assert!(validated.stdout.contains(said), "{}", validated.stdout);
    }
}

#[test]
fn a_second_install_changes_nothing_and_uninstall_gives_all_back_byte_for_byte() {
    for session in Session::each(answers) {
        for scope in ["--user", "--project"] {
            let project = session.env.repository.root().join(".claude/settings.json");
            session.env.file(".claude/settings.json", ODD);
            fs_err::create_dir_all(project.parent().unwrap()).unwrap();
            fs_err::write(&project, ODD).unwrap();
            let read = |path: &Path| fs_err::read_to_string(path).unwrap();

            session.windlass(&["plugin", "install", scope]).assert_code(0);
            let first = (read(&session.settings()), read(&project));
            assert_ne!(first.0, ODD);
            let second = session.windlass(&["plugin", "install", scope]);
            assert_eq!(second.assert_code(0).stdout, "nothing to change\n");
            assert_eq!((read(&session.settings()), read(&project)), first, "{scope}");

            session.windlass(&["plugin", "uninstall", scope]).assert_code(0);
            let version = session.version();
            assert_eq!(read(&session.settings()), ODD, "{scope} {version}");
            assert_eq!(read(&project), ODD, "{scope} {version}");
            assert!(!session.env.state().join("plugin").exists());
            let listed = session.claude(&["plugin", "list", "--json"]);
            assert!(!listed.stdout.contains("windlass"), "{}", listed.stdout);
            session.windlass(&["plugin", "uninstall", scope]).assert_code(0);
            assert_eq!(read(&session.settings()), ODD, "nothing is there to take back");
        }
    }
}

#[test]
fn settings_that_do_not_parse_are_refused_before_claude_is_asked() {
    for session in Session::each(answers) {
        session.env.file(".claude/settings.json", "{ broken");
        session.windlass(&["plugin", "install"]).assert_code(2);
        assert_eq!(fs_err::read_to_string(session.settings()).unwrap(), "{ broken");
        assert!(!session.env.home().join(".claude/plugins").exists(), "Claude Code was not asked");
    }
}

#[test]
fn the_first_session_has_all_of_the_plugin() {
    for session in Session::each(answers) {
        session.windlass(&["plugin", "install"]).assert_code(0);
        let messages = session.ask("PLAIN-TASK", &[]);
        let (init, version) = (init(&messages), session.version());
        assert_eq!(init.get("plugin_errors"), None, "{version}");
        let has = |key: &str, name: &str| {
            let list = init[key].as_array().unwrap();
            assert!(list.iter().any(|each| each == name), "{version}: {key} {name}: {init}");
        };
        let commands = [
            "feature",
            "workflow",
            "implement",
            "review",
            "run",
            "status",
            "approve",
            "retry-reset",
            "abort",
        ];
        for command in commands {
            has("slash_commands", &format!("windlass:{command}"));
        }
        for agent in ["worker", "developer", "analyst", "security", "code-reviewer"] {
            has("agents", &format!("windlass:{agent}"));
        }
        let started = messages.iter().filter(|message| message["subtype"] == "hook_started");
        let events: Vec<&Value> = started.map(|message| &message["hook_event"]).collect();
        assert!(events.contains(&&json!("SessionStart")), "{version}: {events:?}");
        assert_eq!(session.server.outside(), Vec::<String>::new());
    }
}

/// A program in the place of windlass that writes down which hook it was called for.
fn recorder(env: &TestEnv) -> (String, PathBuf) {
    let log = env.root().join("tmp/called");
    let script = format!("#!/bin/sh\ncat > /dev/null\necho \"$*\" >> '{}'\n", log.display());
    let program = env.file("bin/windlass", script);
    let executable = std::fs::Permissions::from_mode(0o755);
    fs_err::set_permissions(&program, executable).expect("a program");
    (program.to_string_lossy().into_owned(), log)
}

/// A plugin whose hooks call another program than windlass.
fn folder_with(env: &TestEnv, binary: &str) -> String {
    let plugin = Plugin {
        version: "0.1.0",
        binary,
        longest_check: None,
        roles: &[],
        servers: Default::default(),
    };
    for (name, text) in plugin.files() {
        env.file(&format!("marketplace/{name}"), text);
    }
    env.home().join("marketplace/windlass").to_string_lossy().into_owned()
}

fn called(log: &Path, host: &str) -> Vec<&'static str> {
    let text = fs_err::read_to_string(log).unwrap_or_default();
    let called = |word: &str| text.lines().any(|line| line == format!("hook {host} {word}"));
    HOOKS.iter().map(|hook| hook.event.argument()).filter(|word| called(word)).collect()
}

#[test]
fn a_session_calls_every_hook_that_it_comes_by() {
    let script = || {
        let worker = Lane::when_first_user_has("WORKER-TASK").turn(say("Done."));
        let start = json!({
            "description": "work", "prompt": "WORKER-TASK", "subagent_type": "windlass:worker",
            "run_in_background": false,
        });
        let main = Lane::when_first_user_has("MAIN-TASK");
        Script::new().lane(worker).lane(main.turn(tool("Agent", start)).turn(say("Done.")))
    };
    for session in Session::each(script) {
        let (binary, log) = recorder(&session.env);
        let plugin = Plugin {
            version: "0.1.0",
            binary: &binary,
            longest_check: None,
            roles: &[],
            servers: Default::default(),
        };
        for (name, text) in plugin.files() {
            session.env.file(&format!("marketplace/{name}"), text);
        }
        let folder = session.env.home().join("marketplace/windlass").to_string_lossy().into_owned();
        let messages = session.ask("MAIN-TASK", &["--plugin-dir", &folder]);
        assert_eq!(init(&messages).get("plugin_errors"), None);
        // The others need a compaction, a list of tasks, a team.
        let wanted = [
            "session-start",
            "user-prompt-submit",
            "pre-tool-use",
            "post-tool-use",
            "subagent-start",
            "subagent-stop",
            "stop",
            "session-end",
        ];
        assert_eq!(called(&log, "claude"), wanted, "{}", session.version());
        assert_eq!(session.server.outside(), Vec::<String>::new());
    }
}

#[test]
fn with_its_program_gone_the_newest_claude_takes_no_prompt_and_the_oldest_goes_on() {
    for session in Session::each(answers) {
        let folder = folder_with(&session.env, "/gone/windlass");
        session.ask("PLAIN-TASK", &["--plugin-dir", &folder]);
        // The page about the plugin says so.
        let asked = usize::from(session.version().starts_with("2.1.150"));
        assert_eq!(session.server.requests().len(), asked, "{}", session.version());
    }
}

#[test]
fn codex_calls_the_hooks_that_were_trusted() {
    let Some(cli) = RealCli::codex() else { return };
    let env = test_env!();
    let lane = Lane::when_first_user_has("MAIN-TASK");
    let lane = lane.turn(say("Now.").shell("true")).turn(say("Done."));
    let server = ModelServer::start(Script::new().lane(lane));
    let variables = environment_for_codex(&env, &server);
    let (binary, log) = recorder(&env);
    env.file(".codex/hooks.json", codex::with_hooks(None, &binary, None).unwrap());
    let run = |more: &[&str]| {
        let mut command = cli.command(&env, &variables);
        command.args(["exec", "--json", "-s", "workspace-write"]).args(more).arg("MAIN-TASK");
        env.finish(command).assert_code(0);
    };
    run(&[]);
    assert_eq!(called(&log, "codex"), Vec::<&str>::new(), "nobody has trusted them");
    run(&["--dangerously-bypass-hook-trust"]);
    let wanted = [
        "session-start",
        "user-prompt-submit",
        "pre-tool-use",
        "post-tool-use",
        "stop",
        "session-end",
    ];
    assert_eq!(called(&log, "codex"), wanted);
    assert_eq!(server.outside(), Vec::<String>::new());
}
