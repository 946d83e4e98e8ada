//! `windlass delta`: from a draft to the spec and back.

use serde_json::{Value, json};
use windlass_testkit::{Finished, TestEnv, test_env};

const PRD: &str = "---\nreq_id: REQ-1\n---\n# PRD\n\n## Requirements\n\n### Requirement: User Login\nThe system SHALL log in.\n\n#### Scenario: Right password\n- WHEN it is right\n- THEN in\n\n#### Scenario: Wrong password\n- WHEN it is wrong\n- THEN out\n";

const FOLDER: &str = "devflow/requirements/REQ-1";

fn requirement() -> TestEnv {
    let env = test_env!();
    env.repository.write(&format!("{FOLDER}/PRD.md"), PRD);
    env
}

/// Creates a delta and fills it in; returns its id and file.
fn drafted(env: &TestEnv, name: &str, body: &str) -> (String, String) {
    let made = env.json(&["delta", "create", "REQ-1", name, "--title", "A title", "--json"]);
    let (id, file) = (
        made["id"].as_str().expect("an id").to_owned(),
        made["file"].as_str().expect("a file").to_owned(),
    );
    let text = read(env, &file);
    let (head, _) = text.split_once("\n<!--").expect("the template");
    env.repository.write(&file, format!("{head}\n{body}"));
    (id, file)
}

fn approved(env: &TestEnv, name: &str, body: &str) -> (String, String) {
    let made = drafted(env, name, body);
    env.windlass(&["delta", "review", "REQ-1", name]).assert_code(0);
    env.windlass(&["delta", "approve", "REQ-1", name]).assert_code(0);
    made
}

fn read(env: &TestEnv, path: &str) -> String {
    fs_err::read_to_string(env.repository.root().join(path)).expect("a document")
}

fn prd(env: &TestEnv) -> String {
    read(env, &format!("{FOLDER}/PRD.md"))
}

fn modified(with: &str) -> String {
    let (_, block) = PRD.split_once("### Requirement").expect("a requirement");
    format!("## MODIFIED Requirements\n### Requirement{}", block.replace("- THEN out", with))
}

#[test]
fn a_delta_goes_from_draft_to_the_spec_and_back() {
    let env = requirement();
    let (id, file) = drafted(
        &env,
        "add-2fa",
        "## ADDED Requirements\n### Requirement: Two Factors\nThe system SHALL ask.\n#### Scenario: On\n- WHEN on\n- THEN asked\n",
    );
    let refused = env.windlass(&["delta", "approve", "REQ-1", "add-2fa"]);
    refused.assert_code(2);
    assert!(refused.stderr.contains("is a draft"), "{refused}");
    env.windlass(&["delta", "review", "REQ-1", &id]).assert_code(0);
    let refused = env.windlass(&["delta", "apply", "REQ-1", "add-2fa"]);
    refused.assert_code(2);
    assert!(refused.stderr.contains("is not approved: it is in review"), "{refused}");
    env.windlass(&["delta", "approve", "REQ-1", "add-2fa"]).assert_code(0);
    let listed = env.json(&["delta", "list", "REQ-1", "--json"]);
    assert_eq!(listed[0]["status"], "approved");
    let reviewed = read(&env, &file);

    let tried = env.json(&["delta", "apply", "REQ-1", "--dry-run", "--json"]);
    assert_eq!(tried["applied"], false);
    assert_eq!(prd(&env), PRD, "a dry run writes nothing");
    let applied = env.json(&["delta", "apply", "REQ-1", "--json"]);
    assert_eq!(applied["deltas"], json!([id]));
    assert_eq!(applied["counts"], json!({"added": 1, "modified": 0, "removed": 0, "renamed": 0}));
    assert_eq!(applied["unchecked"], json!([]));
    let expected = format!(
        "{PRD}\n### Requirement: Two Factors\nThe system SHALL ask.\n#### Scenario: On\n- WHEN on\n- THEN asked\n"
    );
    assert_eq!(prd(&env), expected);
    assert_eq!(env.json(&["delta", "list", "REQ-1", "--json"])[0]["status"], "applied");
    env.windlass(&["delta", "apply", "REQ-1", "add-2fa"]).assert_code(2);

    env.windlass(&["delta", "revert", "REQ-1", "add-2fa"]).assert_code(0);
    assert_eq!(prd(&env), PRD);
    assert_eq!(read(&env, &file), reviewed);
    assert_eq!(
        env.json(&["delta", "list", "--json"])[0]["status"],
        "approved",
        "the same bytes are still approved"
    );
    env.windlass(&["delta", "revert", "REQ-1", "add-2fa"]).assert_code(2);
}

#[test]
fn show_has_the_blocks_and_what_they_were_written_against() {
    let env = requirement();
    drafted(&env, "reason", &modified("- THEN out, with a reason"));
    let shown = env.json(&["delta", "show", "REQ-1", "reason", "--json"]);
    let block = shown["blocks"][0].as_object().unwrap();
    let keys: Vec<&str> = block.keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        ["content", "migration", "name", "newName", "previousContent", "reason", "type"]
    );
    assert_eq!(shown["base"].as_str().unwrap().len(), 40);
    assert!(shown["fingerprints"]["User Login"].is_string(), "{shown}");
    let told = env.windlass(&["delta", "show", "REQ-1"]).stdout;
    assert!(told.contains("MODIFIED User Login"), "{told}");
}

#[test]
fn an_approval_is_about_bytes_and_not_about_a_word_in_the_file() {
    let env = requirement();
    let (_, file) = drafted(&env, "reason", &modified("- THEN out, with a reason"));
    env.repository.write(&file, read(&env, &file).replace("\"draft\"", "\"approved\""));
    let refused = env.windlass(&["delta", "apply", "REQ-1", "reason"]);
    refused.assert_code(2);
    assert!(refused.stderr.contains("no person approved these bytes"), "{refused}");
    env.repository.write(&file, read(&env, &file).replace("\"approved\"", "\"applied\""));
    let status = env.json(&["delta", "status", "REQ-1", "--json"]);
    assert_eq!(status["deltas"][0]["status"], "review");
    assert_eq!(prd(&env), PRD);
    env.repository.write(&file, read(&env, &file).replace("\"applied\"", "\"review\""));
    env.windlass(&["delta", "approve", "REQ-1", "reason"]).assert_code(0);
    env.repository.write(&file, read(&env, &file).replace("with a reason", "with a wink"));
    env.windlass(&["delta", "apply", "REQ-1", "reason"]).assert_code(2);
    assert_eq!(prd(&env), PRD);
}

/// A workflow whose only agent tries to approve.
const APPROVER: &str =
    "workflow: approver\nsteps:\n  - {id: work, agent: developer, done: {file: said.txt}}\n";

#[test]
fn an_agent_approves_nothing() {
    let env = requirement();
    let (id, file) = drafted(&env, "reason", &modified("- THEN out, with a reason"));
    env.windlass(&["delta", "review", "REQ-1", "reason"]).assert_code(0);
    env.repository.commit("a delta");
    let checkout = env.repository.root().display().to_string();
    let script = format!(
        "windlass delta approve REQ-1 reason > said.txt 2>&1; windlass -C '{checkout}' delta approve REQ-1 reason >> said.txt 2>&1; true"
    );
    env.run(APPROVER, &script, &[]).assert_code(0);
    let said = fs_err::read_to_string(env.place().join("said.txt")).unwrap();
    assert!(!said.contains(": approved"), "{said}");
    assert!(read(&env, &file).contains("status: \"review\""), "{id}");
    assert_eq!(env.json(&["delta", "list", "REQ-1", "--json"])[0]["status"], "review");
}

#[test]
fn what_two_people_changed_apart_is_merged_and_the_rest_is_a_conflict() {
    let env = requirement();
    approved(&env, "reason", &modified("- THEN out, with a reason"));
    approved(&env, "wink", &modified("- THEN out, with a wink"));
    let found = env.json(&["delta", "conflicts", "REQ-1", "--json"]);
    assert_eq!(found["hasConflicts"], true);
    assert_eq!(found["conflicts"][0]["scenario"], "Wrong password");
    assert_eq!(found["conflicts"][0]["deltas"].as_array().unwrap().len(), 2);
    let both = env.windlass(&["delta", "apply", "REQ-1", "--json"]);
    both.assert_code(3);
    let told: Value = serde_json::from_str(&both.stdout).unwrap();
    for side in ["base", "ours", "theirs"] {
        assert!(told["conflicts"][0][side].as_str().unwrap().contains("- THEN out"), "{told}");
    }
    assert_eq!(prd(&env), PRD, "none of the two is applied");
    let changed = PRD.replace("- THEN in\n", "- THEN in, at once\n");
    env.repository.write(&format!("{FOLDER}/PRD.md"), &changed);
    let one = env.json(&["delta", "apply", "REQ-1", "reason", "--json"]);
    assert_eq!(one["merged"][0]["requirement"], "User Login");
    assert_eq!(prd(&env), changed.replace("- THEN out", "- THEN out, with a reason"));
    let after = env.windlass(&["delta", "revert", "REQ-1", "wink"]);
    after.assert_code(2);
    env.repository.write(&format!("{FOLDER}/PRD.md"), PRD);
    let late = env.windlass(&["delta", "revert", "REQ-1", "reason"]);
    late.assert_code(2);
    assert!(late.stderr.contains("PRD.md:1: it has changed since"), "{late}");
    assert_eq!(prd(&env), PRD);
}

#[test]
fn a_delta_without_a_base_is_applied_unchecked_and_modules_have_specs_of_their_own() {
    let env = requirement();
    let made = env.json(&[
        "delta",
        "create",
        "REQ-1",
        "mail",
        "--target",
        "specs/modules/mail/spec.md",
        "--json",
    ]);
    let file = made["file"].as_str().unwrap();
    let text = read(&env, file);
    let without: String = text
        .lines()
        .filter(|line| !line.starts_with("base:"))
        .map(|line| format!("{line}\n"))
        .collect();
    let (head, _) = without.split_once("\n<!--").unwrap();
    env.repository.write(
        file,
        format!("{head}\n## ADDED Requirements\n### Requirement: Mail\nThe system SHALL mail.\n"),
    );
    env.windlass(&["delta", "review", "REQ-1"]).assert_code(0);
    env.windlass(&["delta", "approve", "REQ-1"]).assert_code(0);
    let applied = env.json(&["delta", "apply", "REQ-1", "--json"]);
    assert_eq!(applied["unchecked"], json!([made["id"]]));
    let spec = "devflow/specs/modules/mail/spec.md";
    assert_eq!(
        read(&env, spec),
        "## Requirements\n\n### Requirement: Mail\nThe system SHALL mail.\n"
    );
    env.windlass(&["delta", "revert", "REQ-1", "mail"]).assert_code(0);
    assert!(!env.repository.root().join(spec).exists(), "it was not there before");
}

fn refused(env: &TestEnv, words: &[&str], with: &str) -> Finished {
    let answered = env.windlass(words);
    answered.assert_code(2);
    assert!(answered.stderr.contains(with), "{words:?}: {answered}");
    answered
}

#[test]
fn bad_input_is_told_with_file_and_line_and_writes_nothing() {
    let env = requirement();
    for req in ["../REQ-1", "REQ-1/..", "req-1", "REQ", "REQ-1x"] {
        refused(&env, &["delta", "create", req, "x"], "is no id of a requirement");
    }
    refused(&env, &["delta", "create", "REQ-2", "x"], "there is no requirement `REQ-2`");
    for name in ["../x", "a/b", "", "A B", ".x"] {
        refused(&env, &["delta", "create", "REQ-1", name], "cannot be the name of a delta");
    }
    refused(
        &env,
        &["delta", "create", "REQ-1", "x", "--target", "../../etc/passwd"],
        "is no spec that a delta can change",
    );
    let (id, file) = drafted(&env, "x", "");
    refused(&env, &["delta", "create", "REQ-1", "x"], "has a delta");
    refused(&env, &["delta", "review", "REQ-1", "x"], "delta.md:1: the delta changes nothing");
    let good = read(&env, &file);
    for (text, with) in [
        (
            good.replace("title: \"A title\"\n", ""),
            "delta.md:1:1: the front matter has no `title`".to_owned(),
        ),
        (
            good.replace("req_id: \"REQ-1\"", "req_id: \"REQ-9\""),
            "delta.md:3: `req_id` is `REQ-9`".to_owned(),
        ),
        (
            format!("{good}## REMOVED Requirements\n#### Requirement: A\n"),
            "delta.md:12:1: the heading of a requirement has level 4".to_owned(),
        ),
        (
            format!("{good}## ADDED Requirements\n### Requirement: A\n### Requirement: a\n"),
            "delta.md:13:1: `a` is ADDED here".to_owned(),
        ),
    ] {
        env.repository.write(&file, text);
        refused(&env, &["delta", "show", "REQ-1", "x"], &with);
    }
    env.repository.write(&file, [good.as_bytes(), b"\xff\n"].concat());
    refused(&env, &["delta", "show", "REQ-1", "x"], "delta.md:11: byte");
    fs_err::remove_file(env.repository.root().join(&file)).unwrap();
    std::os::unix::fs::symlink("/etc/hostname", env.repository.root().join(&file)).unwrap();
    refused(&env, &["delta", "show", "REQ-1", "x"], "links are not followed");
    fs_err::remove_file(env.repository.root().join(&file)).unwrap();
    env.repository.write(&file, vec![b'x'; (16 << 20) + 1]);
    refused(&env, &["delta", "show", "REQ-1", "x"], "has more than 16 MiB");
    env.repository.write(&file, &good);
    env.repository.write(
        &format!("{FOLDER}/deltas/2020-01-01-x/delta.md"),
        good.replace(&id, "2020-01-01-x"),
    );
    refused(&env, &["delta", "show", "REQ-1", "x"], "has several deltas `x`");
    env.windlass(&["delta", "show", "REQ-1", "2020-01-01-x"]).assert_code(0);
    assert_eq!(prd(&env), PRD);
}

#[test]
fn a_large_document_is_read() {
    let env = requirement();
    let large = format!(
        "{PRD}\n### Requirement: Large\n{}\n",
        "The system SHALL be large.\n".repeat(380_000)
    );
    assert!(large.len() > 10_000_000);
    env.repository.write(&format!("{FOLDER}/PRD.md"), &large);
    approved(&env, "reason", &modified("- THEN out, with a reason"));
    env.windlass(&["delta", "apply", "REQ-1"]).assert_code(0);
    assert_eq!(prd(&env), large.replace("- THEN out", "- THEN out, with a reason"));
}

#[test]
fn a_kill_at_any_point_of_applying_leaves_all_or_nothing() {
    let env = requirement();
    env.repository.write(
        "devflow/specs/modules/a/spec.md",
        "# a\n\n## Requirements\n\n### Requirement: A\nx\n",
    );
    approved(&env, "reason", &modified("- THEN out, with a reason"));
    let made = env.json(&[
        "delta",
        "create",
        "REQ-1",
        "module",
        "--target",
        "specs/modules/a/spec.md",
        "--json",
    ]);
    let file = made["file"].as_str().unwrap();
    let (head, _) =
        read(&env, file).split_once("\n<!--").map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    env.repository.write(file, format!("{head}\n## REMOVED Requirements\n### Requirement: A\n"));
    env.windlass(&["delta", "review", "REQ-1", "module"]).assert_code(0);
    env.windlass(&["delta", "approve", "REQ-1", "module"]).assert_code(0);
    let files =
        [format!("{FOLDER}/PRD.md"), "devflow/specs/modules/a/spec.md".to_owned(), file.to_owned()];
    let seen = || files.clone().map(|file| read(&env, &file));
    let before = seen();
    let trace = env.root().join("trace");
    env.windlass_with(
        &[("WINDLASS_FAULT", format!("trace:{}", trace.display()).as_str())],
        &["delta", "apply", "REQ-1"],
    )
    .assert_code(0);
    let after = seen();
    assert_ne!(before, after);
    env.windlass(&["delta", "revert", "REQ-1", "module"]).assert_code(0);
    assert_eq!(seen(), before);
    let points = fs_err::read_to_string(trace).unwrap();
    let points: Vec<&str> =
        points.lines().filter(|point| point.starts_with("documents-")).collect();
    assert!(points.len() >= 6, "{points:?}");
    for point in points {
        let killed = env.windlass_with(&[("WINDLASS_FAULT", point)], &["delta", "apply", "REQ-1"]);
        assert_ne!(killed.code, Some(0), "{point}");
        // Whoever looks next finds the change whole, or not begun.
        let listed = env.json(&["delta", "list", "REQ-1", "--json"]);
        let status = listed[0]["status"].as_str().unwrap();
        match status {
            "approved" => assert_eq!(seen(), before, "{point}"),
            "applied" => {
                assert_eq!(seen(), after, "{point}");
                env.windlass(&["delta", "revert", "REQ-1", "module"]).assert_code(0);
            }
            other => panic!("{point}: {other}"),
        }
        assert_eq!(seen(), before, "{point}");
    }
    // Somebody edits a file between the kill and the next look: what was written is taken back.
    let killed = env.windlass_with(
        &[("WINDLASS_FAULT", "documents-file-written:1")],
        &["delta", "apply", "REQ-1"],
    );
    assert_ne!(killed.code, Some(0));
    env.repository.write(&files[1], "edited\n");
    let told = env.windlass(&["delta", "list", "REQ-1"]);
    assert!(told.stderr.contains("the change was taken back"), "{told}");
    assert_eq!(read(&env, &files[0]), before[0]);
    assert_eq!(read(&env, &files[1]), "edited\n");
}

#[test]
fn a_changed_record_is_noticed() {
    let env = requirement();
    approved(&env, "reason", &modified("- THEN out, with a reason"));
    let ledger = env.repository_state().join("documents/ledger.jsonl");
    let text = fs_err::read_to_string(&ledger).unwrap();
    fs_err::write(&ledger, text.replace("\"seq\":1", "\"seq\":2")).unwrap();
    let told = env.windlass(&["delta", "apply", "REQ-1"]);
    told.assert_code(1);
    assert!(told.stderr.contains("line 1: the record is not the one that was written"), "{told}");
    assert_eq!(prd(&env), PRD);
}

#[test]
fn the_folder_is_a_setting() {
    let env = test_env!();
    env.repository.write(".windlass/config.yaml", "devflow: docs/reqs\n");
    env.repository.write("docs/reqs/requirements/REQ-7/PRD.md", PRD);
    let made = env.json(&["delta", "create", "REQ-7", "x", "--json"]);
    assert!(
        made["file"].as_str().unwrap().starts_with("docs/reqs/requirements/REQ-7/deltas/"),
        "{made}"
    );
    env.repository.write(".windlass/config.yaml", "devflow: ../elsewhere\n");
    let refused = env.windlass(&["delta", "list"]);
    refused.assert_code(2);
    assert!(refused.stderr.contains("config.yaml:1:10"), "{refused}");
}
