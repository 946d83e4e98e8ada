//! What keeps a run from being published, and how people go on from there.

use windlass_testkit::{TestEnv, test_env};

use crate::publish::{AGENT, BRANCH, WORKFLOW, World};

/// What a run that waits for a person says.
fn blocker(env: &TestEnv) -> String {
    assert_eq!(env.status(), "awaiting_user");
    let status = env.status_json();
    status["run"]["detail"].as_str().expect("a reason").to_owned()
}

/// A search path without `gh`, whatever is installed here.
fn path_without_gh(env: &TestEnv) -> String {
    let path = std::env::var("PATH").expect("a search path");
    let folder = |(number, folder): (usize, std::path::PathBuf)| {
        if !folder.join("gh").exists() {
            return folder;
        }
        let links = env.root().join(format!("without-gh-{number}"));
        fs_err::create_dir_all(&links).expect("a folder");
        for entry in fs_err::read_dir(folder).expect("a folder").flatten() {
            if entry.file_name() != "gh" {
                std::os::unix::fs::symlink(entry.path(), links.join(entry.file_name()))
                    .expect("a link");
            }
        }
        links
    };
    let folders = std::env::split_paths(&path).enumerate().map(folder);
    std::env::join_paths(folders).expect("a path").into_string().expect("a path")
}

#[test]
fn without_gh_the_branch_is_pushed_and_a_person_opens_the_pull_request() {
    for signed_out in [true, false] {
        let world = World::new().with_an_address();
        world.gh.fail("*", "not-signed-in");
        let path = path_without_gh(&world.env);
        let (issue, workflow, agent) =
            (["--title", "Say hello"], world.env.workflow(WORKFLOW), world.env.agent(AGENT));
        let arguments =
            ["run", "--issue", "42", "--yes", "-w", &workflow, "--agent-command", &agent];
        let mut command = world.env.windlass_command(&[&arguments[..], &issue].concat());
        if signed_out {
            command.env_clear().envs(world.gh.variables(&world.env));
        } else {
            command.env("PATH", path);
        }
        world.env.finish(command).assert_code(0);
        world.assert_published();
        assert_eq!(world.gh.pull_requests().len(), 0);
        let page = format!("https://forge.example/ada/project/compare/main...{BRANCH}?expand=1");
        let shown = world.env.windlass(&["status"]).stdout;
        assert!(shown.contains(&page), "{shown}");
        let why = if signed_out { "not signed in" } else { "not installed" };
        assert!(shown.contains(why), "{shown}");
        assert!(world.env.windlass(&["report"]).stdout.contains(&page));
        let publication = &world.env.status_json()["run"]["publication"];
        let file = publication["body_file"].as_str().expect("a file");
        assert!(shown.contains(file), "{shown}");
        assert!(fs_err::read_to_string(file).unwrap().contains("Closes #42."));
    }
}

#[test]
fn without_a_remote_it_is_said_at_the_start_and_publishing_waits_for_one() {
    let env = test_env!();
    let (workflow, agent) = (env.workflow(WORKFLOW), env.agent(AGENT));
    let run = ["run", "Do it", "-w", &workflow, "--agent-command", &agent, "--yes"];
    let finished = env.windlass(&run);
    finished.assert_code(3);
    assert!(
        finished.stderr.contains("the repository has no remote: `publish` will stop"),
        "{finished}"
    );
    assert!(finished.stderr.contains("windlass skip publish --reason WHY"), "{finished}");
    let said = blocker(&env);
    for words in
        ["no remote", "git remote add origin URL", "windlass resume", "windlass skip publish"]
    {
        assert!(said.contains(words), "{said}");
    }
    let bare = env.root().join("remote.git").display().to_string();
    env.repository.git(&["init", "--quiet", "--bare", &bare]);
    env.repository.git(&["remote", "add", "origin", &bare]);
    env.windlass(&["resume"]).assert_code(0);
    let branch = env.status_json()["run"]["branch"].as_str().unwrap().to_owned();
    let pushed = env.repository.git(&["ls-remote", "origin", &branch]);
    assert!(pushed.starts_with(&env.repository.git(&["rev-parse", &branch])), "{pushed}");
}

#[test]
fn a_workflow_with_the_input_can_do_without_publishing() {
    let env = test_env!();
    let text =
        WORKFLOW.replace("steps:", "inputs: {publish: {type: boolean, default: true}}\nsteps:");
    let text = text.replace("    before:", "    when: .inputs.publish\n    before:");
    let (workflow, agent) = (env.workflow(&text), env.agent(AGENT));
    let run = ["run", "Do it", "-w", &workflow, "--agent-command", &agent, "--yes"];
    let told = env.windlass(&run);
    told.assert_code(3);
    assert!(told.stderr.contains("`--input publish=false` turns publishing off"), "{told}");
    env.windlass(&["abort"]).assert_code(0);
    let without = env.windlass(&[&run[..], &["--input", "publish=false"]].concat());
    without.assert_code(0);
    assert!(!without.stderr.contains("no remote"), "{without}");
}

#[test]
fn a_person_can_do_without_publishing() {
    let env = test_env!();
    let (workflow, agent) = (env.workflow(WORKFLOW), env.agent(AGENT));
    env.windlass(&["run", "Do it", "-w", &workflow, "--agent-command", &agent, "--yes"])
        .assert_code(3);
    env.windlass(&["skip", "publish", "--reason", "by hand"]).assert_code(0);
    assert_eq!((env.status().as_str(), env.step("publish").as_str()), ("completed", "skipped"));
    env.assert_audit();
}

#[test]
fn what_the_remote_refuses_is_told_in_its_words() {
    let world = World::new();
    world.remote.protect(BRANCH, "only robots may push here");
    world.run(WORKFLOW, &["--yes"]).assert_code(3);
    let said = blocker(&world.env);
    assert!(said.contains("only robots may push here"), "{said}");
    assert_eq!((world.remote.branch(BRANCH), world.gh.count("pr create")), (None, 0));
    // It is asked again only when a person says so, and then it works.
    fs_err::remove_file(world.remote.root().join("hooks/pre-receive")).unwrap();
    world.windlass(&["resume"]).assert_code(0);
    world.assert_published();
    world.pull_request();
}

#[test]
fn nobodys_work_is_pushed_over() {
    let world = World::new();
    world.run(WORKFLOW, &[]).assert_code(3);
    let theirs = world.remote.commit(BRANCH);
    world.windlass(&["approve"]).assert_code(0);
    world.windlass(&["resume"]).assert_code(3);
    let said = blocker(&world.env);
    assert!(said.contains("moved by someone else") && said.contains(&theirs), "{said}");
    assert_eq!((world.remote.branch(BRANCH), world.gh.count("pr create")), (Some(theirs), 0));
}

#[test]
fn a_pull_request_that_is_there_is_used_again() {
    let world = World::new();
    world.gh.pull_request(7, BRANCH, "OPEN");
    world.run(WORKFLOW, &["--yes"]).assert_code(0);
    world.assert_published();
    let found = world.pull_request();
    assert_eq!((&found["number"], &found["title"]), (&7.into(), &"#42: Say hello".into()));
    assert!(found["body"].as_str().unwrap().contains("Closes #42."), "{found}");
    assert_eq!((world.gh.count("pr create"), world.gh.count("pr edit")), (0, 1));
}

#[test]
fn a_forge_that_fails_after_the_push_is_asked_again() {
    for how in ["no-network", "refuse", "garbage"] {
        let world = World::new();
        world.gh.fail("pr create", how);
        world.run(WORKFLOW, &["--yes"]).assert_code(3);
        let said = blocker(&world.env);
        assert!(said.contains("What to do: ") && said.contains("windlass resume"), "{said}");
        world.gh.heal();
        world.windlass(&["resume"]).assert_code(0);
        world.assert_published();
        world.pull_request();
    }
}

#[test]
fn what_does_not_hold_before_goes_back_and_the_second_push_follows_the_first() {
    let world = World::new();
    let more = r#"
  - id: after
    agent: developer
    task: Go on.
    done: {run: "test -e after.txt"}
  - id: again
    title: Pull request again
    builtin: pull-request
    before: [{run: "test ! -e broken.txt"}]
"#;
    let agent = r#"
        echo "right $WINDLASS_ATTEMPT" > answer.txt
        test $WINDLASS_STEP != after || echo "$WINDLASS_ATTEMPT" > after.txt
        if [ $WINDLASS_ATTEMPT = "after#1" ]; then echo > broken.txt; else rm -f broken.txt; fi"#;
    let workflow = format!("{WORKFLOW}{more}");
    world.start(&workflow, agent, &["--issue", "42", "--yes"]).assert_code(4);
    let first = world.remote.branch(BRANCH).expect("the first push");
    let status = world.env.status_json();
    let said = status["run"]["detail"].as_str().unwrap();
    assert!(said.contains("`again`") && said.contains("checks before publishing failed"), "{said}");
    world.windlass(&["rollback", "implement", "take it out"]).assert_code(0);
    world.windlass(&["resume"]).assert_code(0);
    let last = world.assert_published();
    assert_ne!(first, last);
    world.remote.git(&["merge-base", "--is-ancestor", &first, &last]);
    assert_eq!(world.pull_request()["number"], 43);
    assert_eq!(world.gh.count("pr create"), 1);
    let log = world.env.log_json();
    let intended = log.of("publish_intended");
    assert_eq!(intended[1]["expected"], first, "{intended:#?}");
}

#[test]
fn feedback_at_the_gate_of_a_pull_request_has_nobody_to_go_to() {
    let world = World::new();
    world.run(WORKFLOW, &[]).assert_code(3);
    let refused = world.windlass(&["feedback", "another title"]);
    refused.assert_code(2);
    assert!(refused.stderr.contains("windlass rollback STEP MSG"), "{refused}");
    world.windlass(&["rollback", "implement", "do it better"]).assert_code(0);
    world.windlass(&["resume"]).assert_code(3);
    world.windlass(&["approve"]).assert_code(0);
    world.windlass(&["resume"]).assert_code(0);
    world.assert_published();
    world.pull_request();
}

#[test]
fn work_that_went_back_after_half_a_publication_is_published_over_its_own_push() {
    let world = World::new();
    world.gh.fail("pr create", "refuse");
    world.run(WORKFLOW, &["--yes"]).assert_code(3);
    let half = world.remote.branch(BRANCH).expect("the push went through");
    world.gh.heal();
    world.windlass(&["rollback", "implement", "do it better"]).assert_code(0);
    world.windlass(&["resume"]).assert_code(0);
    let last = world.assert_published();
    assert_ne!(half, last);
    world.pull_request();
}

#[test]
fn commits_that_nobody_pushed_are_told_before_they_become_part_of_a_pull_request() {
    let world = World::new();
    world.env.repository.git(&["fetch", "--quiet", "origin"]);
    world.env.repository.write("private.txt", "not for others\n");
    world.env.repository.commit("private");
    let finished = world.run(WORKFLOW, &["--yes"]);
    let said = "1 of your commits are not at `origin`";
    assert!(finished.stderr.contains(said), "{finished}");
}
