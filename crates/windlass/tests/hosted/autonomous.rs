//! The commands of the plugin that start stories and reviews, and a session that is let go on the way.

use windlass_testkit::{Host, TestEnv, test_env};

use crate::support::{count, started, with_workflow};

const PLATFORM: &str = r#"{
  "name": "shell", "displayName": "Shell", "version": "1", "markers": ["test.sh"], "priority": 90,
  "commands": {"test": "sh test.sh", "lint": "sh -n test.sh"},
  "testFiles": ["test.sh"]
}"#;

const QUESTIONS: &str = r"questions:
  - id: Q1
    category: users
    question: Who is greeted?
    options: [Members, Everybody]
    recommended: a
";

/// A repository whose platform needs a shell and nothing else.
fn with_platform(env: &TestEnv) {
    env.repository.write(".windlass/platforms/shell/platform.json", PLATFORM);
    env.repository.write("test.sh", "true\n");
    env.repository.commit("a platform");
}

#[test]
fn the_command_workflow_starts_autonomous_and_offers_the_analysts_questions() {
    let env = test_env!();
    with_platform(&env);
    let host = Host::start(&env, "s1");
    let told = host.says("/windlass:workflow Greet people by their name");
    let first = told.context().unwrap_or_else(|| panic!("{told:?}"));
    assert!(first.contains("subagent_type: windlass:analyst"), "{first}");
    let journal = env.log_json();
    let plan = &journal.of("run_started")[0]["plan"];
    assert_eq!(plan["workflow"], "autonomous", "{plan:#}");
    assert_eq!(plan["goal"], "Greet people by their name");
    let started = host.starts(first, "a1");
    let prompt = started.updated_input().unwrap()["prompt"].as_str().unwrap();
    assert!(prompt.contains("questions-analysis.yaml"), "{prompt}");
}

#[test]
fn inputs_come_with_the_command_and_its_slash_may_be_left_out() {
    let env = test_env!();
    with_platform(&env);
    let host = Host::start(&env, "s1");
    let told = host.says("windlass:workflow --input clarify=false -- Greet --all people");
    let first = told.context().unwrap();
    assert!(first.contains("step `analyse`"), "no questions are wanted: {first}");
    assert_eq!(env.log_json().of("run_started")[0]["plan"]["goal"], "Greet --all people");
}

#[test]
fn a_story_or_a_review_that_cannot_be_started_says_why_and_starts_nothing() {
    let env = test_env!();
    with_platform(&env);
    let host = Host::start(&env, "s1");
    for (prompt, why) in [
        ("/windlass:implement", "a story is named by its id"),
        ("/windlass:implement the login", "a story is named by its id"),
        ("/windlass:implement S2", "S2"),
        ("/windlass:review", "a review needs files"),
        ("/windlass:review gone.sh", "`gone.sh` is not a file of this repository"),
        ("/windlass:review ../test.sh", "is not a file of this repository"),
    ] {
        let told = host.says(prompt);
        let told = told.context().unwrap();
        assert!(told.contains("nothing was started") && told.contains(why), "{prompt}: {told}");
    }
    let none = env.windlass(&["log"]);
    assert!(none.stderr.contains("no run"), "{none}");
}

/// A run that knows a story and never builds it.
const KNOWN: &str = r#"
workflow: known
defaults: {retries: 1}
steps:
  - id: stories
    foreach: items
    stories: stories.yaml
    steps: [{id: red, agent: developer, done: {file: never}}]
"#;

#[test]
fn one_story_of_an_earlier_run_is_built_alone() {
    let env = test_env!();
    with_platform(&env);
    env.repository.write(
        "stories.yaml",
        "stories: [{id: S1, title: Greet, size: S, criteria: [a name is greeted by its name]}]\n",
    );
    env.repository.commit("stories");
    env.run(KNOWN, "true", &[]).assert_code(4);
    env.windlass(&["abort"]).assert_code(0);
    let host = Host::start(&env, "s1");
    let told = host.says("/windlass:implement S1");
    let started = host.starts(told.context().unwrap(), "a1");
    let prompt = started.updated_input().unwrap()["prompt"].as_str().unwrap();
    assert!(prompt.contains("RED of story S1"), "{prompt}");
    let log = env.log_json();
    let plan = &log.of("run_started")[0]["plan"];
    assert_eq!((&plan["workflow"], &plan["goal"]), (&"story".into(), &"S1: Greet".into()));
    assert_eq!(plan["items"][0]["id"], "S1", "{plan}");
}

/// A workflow of the user's own stands for the one that comes with windlass.
const REVIEW: &str = r#"
workflow: review
inputs: {files: {type: string}}
steps:
  - {id: review, agent: reviewer, task: "Read {inputs.files}", done: {file: "{specs}/review.md"}}
"#;

#[test]
fn the_command_review_hands_the_files_to_the_workflow_of_that_name() {
    let env = test_env!();
    with_platform(&env);
    env.repository.write(".windlass/workflows/review.yaml", REVIEW);
    env.repository.write("src/a b.sh", "true\n");
    env.repository.commit("a workflow");
    let host = Host::start(&env, "s1");
    let told = host.says("/windlass:review test.sh 'src/a b.sh'");
    let first = told.context().unwrap();
    let started = host.starts(first, "a1");
    let prompt = started.updated_input().unwrap()["prompt"].as_str().unwrap();
    assert!(prompt.contains("Read test.sh\nsrc/a b.sh"), "{prompt}");
    assert_eq!(env.log_json().of("run_started")[0]["plan"]["goal"], "Review test.sh, src/a b.sh");
}

#[test]
fn a_session_is_let_go_while_a_person_is_asked() {
    let env = test_env!();
    with_platform(&env);
    let host = Host::start(&env, "s1");
    let told = host.says("/windlass:workflow Greet people by their name");
    assert!(host.starts(told.context().unwrap(), "a1").allows());
    // Nobody is there, and silence answers no question about a secret.
    let secret = QUESTIONS.replace("Who is greeted?", "Which password do members have?");
    env.repository.write(".windlass/run/specs/questions-analysis.yaml", secret);
    assert!(host.agent_stops("a1").json.is_none());
    let let_go = host.stops();
    assert_eq!(env.status(), "awaiting_user", "{let_go:?}");
    assert!(let_go.sent_on().is_none() && let_go.message().is_some(), "{let_go:?}");
    assert_eq!(count(&env, "questions_asked"), 1);
}

/// A person wants to look after each item.
const CHECKPOINT: &str = r#"
workflow: two
steps:
  - id: items
    foreach: items
    tasks: tasks.md
    checkpoint: "1"
    steps:
      - {id: write, agent: planner, task: Write., done: {file: "{specs}/{item.id}.md"}}
"#;

#[test]
fn a_session_is_let_go_at_a_blocker() {
    let env = test_env!();
    env.repository.write("tasks.md", "- [ ] T1: one\n- [ ] T2: two\n");
    with_workflow(&env, CHECKPOINT);
    let host = Host::start(&env, "s1");
    let first = started(&host);
    assert!(first.contains("items/T1/write"), "{first}");
    assert!(host.starts(&first, "a1").allows());
    env.repository.write(".windlass/run/specs/T1.md", "written\n");
    assert!(host.agent_stops("a1").json.is_none());
    let let_go = host.stops();
    assert_eq!(count(&env, "blocker_opened"), 1, "{let_go:?}");
    assert_eq!(env.status(), "awaiting_user");
    assert!(let_go.sent_on().is_none(), "{let_go:?}");
    assert!(let_go.message().unwrap().contains("Answer `fixed`"), "{let_go:?}");
    let told = host.says("fixed");
    assert!(told.context().unwrap().contains("items/T2/write"), "{told:?}");
}

/// So many steps that a session can stop a hundred times without being stuck at one of them.
fn many_steps() -> String {
    let mut text = "workflow: two\nsteps:\n".to_owned();
    for step in 0..9 {
        text.push_str(&format!(
            "  - {{id: s{step}, agent: planner, task: Write., done: {{file: \"{{specs}}/{step}.md\"}}}}\n"
        ));
    }
    text
}

#[test]
fn a_session_is_let_go_after_it_was_sent_on_a_hundred_times() {
    let env = test_env!();
    with_workflow(&env, &many_steps());
    let host = Host::start(&env, "s1").with("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP", "0");
    let mut instruction = started(&host);
    let mut sent_on = 0;
    let let_go = 'session: loop {
        for _ in 0..13 {
            let answer = host.stops();
            match answer.sent_on() {
                Some(next) => instruction = next.to_owned(),
                None => break 'session answer,
            }
            sent_on += 1;
            assert!(sent_on <= 100, "{instruction}");
        }
        // The step is done, and what counts in a row counts from zero.
        let agent = format!("a{sent_on}");
        assert!(host.starts(&instruction, &agent).allows());
        let step = count(&env, "step_done");
        env.repository.write(&format!(".windlass/run/specs/{step}.md"), "written\n");
        assert!(host.agent_stops(&agent).json.is_none());
    };
    assert_eq!(sent_on, 100);
    let told = let_go.message().unwrap();
    assert!(told.contains("told to continue 100 times in all"), "{told}");
    assert_eq!(env.status(), "paused");
    let told = host.says("resume");
    assert!(told.context().unwrap().contains("Call the Agent tool"), "{told:?}");
    assert!(host.stops().sent_on().is_some(), "a person's word counts from zero");
}
