//! `windlass plugin`, where the host itself is not there. With the real ones: `tests/agents/plugin.rs`.

use serde_json::Value;
use windlass_testkit::{Finished, Layout, TestEnv, test_env};

/// Settings as a person wrote them.
const ODD: &str =
    "{ \"zeta\": 1.50,\n      \"enabledPlugins\": {\"other@x\":   false}, \"alpha\": [1,\n2] }";

/// `windlass plugin` without a `claude`.
fn plugin(env: &TestEnv, arguments: &[&str]) -> Finished {
    let arguments: Vec<&str> = ["plugin"].iter().chain(arguments).copied().collect();
    env.windlass_with(&[("WINDLASS_CLAUDE", "/nowhere/claude")], &arguments)
}

fn read(env: &TestEnv, name: &str) -> String {
    fs_err::read_to_string(env.home().join(name)).expect("a file")
}

fn parsed(env: &TestEnv, name: &str) -> Value {
    serde_json::from_str(&read(env, name)).expect("JSON")
}

#[test]
fn settings_get_two_entries_and_keep_all_else() {
    let env = test_env!();
    env.file(".claude/settings.json", ODD);
    plugin(&env, &["install"]).assert_code(0);
    let settings = parsed(&env, ".claude/settings.json");
    assert_eq!(settings["enabledPlugins"]["windlass@windlass"], true);
    assert_eq!(settings["enabledPlugins"]["other@x"], false);
    let folder = settings["extraKnownMarketplaces"]["windlass"]["source"]["path"].as_str().unwrap();
    assert!(std::path::Path::new(folder).join("windlass/hooks/hooks.json").is_file());
    assert!(read(&env, ".claude/settings.json").contains("\"zeta\": 1.50"));

    let before = read(&env, ".claude/settings.json");
    let again = plugin(&env, &["install"]);
    assert_eq!(again.assert_code(0).stdout, "nothing to change\n");
    assert_eq!(read(&env, ".claude/settings.json"), before);

    plugin(&env, &["uninstall"]).assert_code(0);
    assert_eq!(read(&env, ".claude/settings.json"), ODD, "byte for byte");
    assert!(!env.state().join("plugin").exists());
}

#[test]
fn what_somebody_changed_since_is_not_taken_back() {
    let env = test_env!();
    env.file(".claude/settings.json", ODD);
    plugin(&env, &["install"]).assert_code(0);
    let changed = read(&env, ".claude/settings.json").replace("1.50", "2");
    env.file(".claude/settings.json", &changed);
    // A second install between does not make it forget that either.
    plugin(&env, &["install"]).assert_code(0);
    plugin(&env, &["uninstall"]).assert_code(0);
    let wanted: Value = serde_json::from_str(&ODD.replace("1.50", "2")).unwrap();
    assert_eq!(parsed(&env, ".claude/settings.json"), wanted);
}

#[test]
fn a_project_has_only_the_word_that_the_plugin_is_on() {
    let env = test_env!();
    plugin(&env, &["install", "--project"]).assert_code(0);
    let project = env.repository.read(".claude/settings.json");
    assert_eq!(project, "{\n  \"enabledPlugins\": {\n    \"windlass@windlass\": true\n  }\n}\n");
    plugin(&env, &["install", "--user"]).assert_code(0);
    plugin(&env, &["uninstall", "--user"]).assert_code(0);
    let user = parsed(&env, ".claude/settings.json");
    assert!(user["extraKnownMarketplaces"]["windlass"].is_object(), "the project needs it");
    assert_eq!(user.get("enabledPlugins"), None);
    assert_eq!(plugin(&env, &["validate"]).assert_code(0).stdout.matches("WRONG").count(), 0);
    plugin(&env, &["uninstall", "--project"]).assert_code(0);
    assert!(!env.repository.root().join(".claude").exists());
    assert!(!env.home().join(".claude").exists());
}

#[test]
fn settings_that_do_not_parse_stop_it_before_anything_is_written() {
    let env = test_env!();
    for (broken, why) in
        [("{ broken", "it is not JSON"), ("{\"enabledPlugins\": 1}", "`enabledPlugins` in it")]
    {
        env.file(".claude/settings.json", broken);
        let refused = plugin(&env, &["install"]);
        refused.assert_code(2);
        assert!(
            refused.stderr.contains(".claude/settings.json` was left as it is"),
            "{}",
            refused.stderr
        );
        assert!(refused.stderr.contains(why), "{}", refused.stderr);
        assert_eq!(read(&env, ".claude/settings.json"), broken);
        assert!(!env.state().join("plugin").exists(), "nothing was written");
    }
    env.file(".claude/settings.json", [b'{', 0xff, b'}']);
    assert!(plugin(&env, &["install"]).assert_code(2).stderr.contains("not text in UTF-8"));
}

#[test]
fn a_folder_that_cannot_be_written_is_named_and_can_be_taken_back() {
    let env = test_env!();
    // Permissions do not hold everybody back, a file in the way does.
    env.file(".claude/settings.json", "{}");
    let folder = env.repository.root().join(".codex");
    fs_err::write(&folder, "").unwrap();
    let refused = plugin(&env, &["install", "--project", "--host", "codex"]);
    refused.assert_code(1);
    assert!(refused.stderr.contains(".codex"), "{}", refused.stderr);
    fs_err::remove_file(&folder).unwrap();
    plugin(&env, &["uninstall", "--project", "--host", "codex"]).assert_code(0);
    assert!(!env.state().join("plugin").exists());
}

#[test]
fn a_project_has_to_be_a_repository() {
    let env = test_env!(Layout::SystemTemp);
    let folder = env.root().join("plain");
    fs_err::create_dir_all(&folder).unwrap();
    let folder = folder.to_string_lossy().into_owned();
    for command in ["install", "uninstall"] {
        let refused = plugin(&env, &[command, "--project", "-C", &folder]);
        refused.assert_code(2);
        assert!(refused.stderr.contains("is not in a git repository"), "{}", refused.stderr);
    }
}

#[test]
fn a_dry_run_prints_the_files_and_changes_nothing() {
    let env = test_env!();
    let dry = plugin(&env, &["install", "--dry-run", "--longest-check", "3h"]);
    let text = &dry.assert_code(0).stdout;
    assert!(text.contains("would be written: ") && text.contains("hooks/hooks.json"), "{text}");
    assert!(text.contains("\"timeout\": 11400"), "three hours, and ten minutes more: {text}");
    assert!(!env.state().join("plugin").exists());
    assert!(!env.home().join(".claude").exists());
    plugin(&env, &["install", "--longest-check", "soon"]).assert_code(2);
}

#[test]
fn validate_names_what_is_not_as_this_windlass_writes_it() {
    let env = test_env!();
    let nothing = plugin(&env, &["validate"]);
    assert!(nothing.assert_code(2).stdout.contains("nothing is installed"));
    plugin(&env, &["install", "--longest-check", "5h"]).assert_code(0);
    plugin(&env, &["validate"]).assert_code(0);

    let folder = env.state().join("plugin/claude");
    let hooks = folder.join("windlass/hooks/hooks.json");
    let text = fs_err::read_to_string(&hooks).unwrap();
    let exe = env.exe().canonicalize().unwrap().to_string_lossy().into_owned();
    let text = text.replace("\"PreCompact\"", "\"PreModelSwitch\"").replace(&exe, "/gone/windlass");
    fs_err::write(&hooks, text).unwrap();
    fs_err::remove_file(folder.join("windlass/commands/skip.md")).unwrap();
    fs_err::write(folder.join("windlass/agents/own.md"), "x").unwrap();
    env.file(".claude/settings.json", "{}");
    let wrong = plugin(&env, &["validate"]);
    wrong.assert_code(2);
    for words in [
        "Claude Code's own files do not say so any more",
        "`windlass/hooks/hooks.json` is not as this windlass writes it",
        "`windlass/commands/skip.md` is missing",
        "`windlass/agents/own.md` does not belong to it",
        "does not know `PreModelSwitch`",
        "`/gone/windlass` is not there",
    ] {
        assert!(wrong.stdout.contains(words), "{words}: {}", wrong.stdout);
    }
    plugin(&env, &["install"]).assert_code(0);
    let mended = plugin(&env, &["validate"]);
    mended.assert_code(0);
    assert!(mended.stdout.contains("not looked at: claude plugin validate"), "{}", mended.stdout);
    let hooks = fs_err::read_to_string(&hooks).unwrap();
    assert!(hooks.contains("18600"), "the time that was said still holds");
}

#[test]
fn hooks_of_others_in_codex_stay_byte_for_byte() {
    let env = test_env!();
    let theirs =
        "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"say done\"}]}]}}";
    env.file(".codex/hooks.json", theirs);
    let installed = plugin(&env, &["install", "--host", "codex"]);
    assert!(installed.assert_code(0).stderr.contains("trust windlass's hooks"));
    let hooks = parsed(&env, ".codex/hooks.json");
    assert_eq!(hooks["hooks"]["Stop"][0]["hooks"][0]["command"], "say done");
    let ours = hooks["hooks"]["Stop"][1]["hooks"][0]["command"].as_str().unwrap();
    assert!(ours.ends_with("windlass hook codex stop"), "{ours}");
    let again = plugin(&env, &["install", "--host", "codex"]);
    assert_eq!(again.assert_code(0).stdout, "nothing to change\n");
    plugin(&env, &["validate"]).assert_code(0);
    plugin(&env, &["uninstall", "--host", "codex"]).assert_code(0);
    assert_eq!(read(&env, ".codex/hooks.json"), theirs);
}

#[test]
fn an_agent_cannot_change_the_plugin() {
    let env = test_env!();
    plugin(&env, &["install"]).assert_code(0);
    let workflow =
        "workflow: one\nsteps:\n  - {id: a, agent: developer, task: Do., done: {file: said.txt}}\n";
    let agent = "cd /; for c in uninstall install; do windlass plugin $c; done > \"$OLDPWD/said.txt\" 2>&1; true";
    env.run(workflow, agent, &[]).assert_code(0);
    let said = fs_err::read_to_string(env.place().join("said.txt")).unwrap();
    assert_eq!(said.matches("an agent or a check cannot change the plugin").count(), 2, "{said}");
    plugin(&env, &["validate"]).assert_code(0);
}

#[test]
fn changes_are_told_in_json() {
    let env = test_env!();
    let told = plugin(&env, &["install", "--json"]);
    let told: Value = serde_json::from_str(&told.assert_code(0).stdout).unwrap();
    assert_eq!(told["dry_run"], false);
    assert!(told["changes"].as_array().unwrap().len() > 20, "{told}");
    let told = plugin(&env, &["validate", "--json"]);
    let told: Value = serde_json::from_str(&told.assert_code(0).stdout).unwrap();
    assert_eq!(told["ok"], true);
}
