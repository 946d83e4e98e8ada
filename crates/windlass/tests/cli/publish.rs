//! A run ends in one pull request that says what stands behind it.

use serde_json::Value;
use windlass_testkit::{Finished, Gh, Remote, TestEnv, test_env};

/// One step and a pull request behind a gate.
pub(super) const WORKFLOW: &str = r#"
workflow: w
defaults: {retries: 1}
steps:
  - id: implement
    title: Implementing
    agent: developer
    task: Write answer.txt.
    done: {run: "grep -q right answer.txt"}
  - id: publish
    title: Pull request
    builtin: pull-request
    before: [{run: "test ! -e broken.txt"}]
    gate: approval
"#;

/// Does what is asked, with new content at every attempt.
pub(super) const AGENT: &str = "echo \"right $WINDLASS_ATTEMPT\" > answer.txt; rm -f broken.txt";

/// The branch of issue 42.
pub(super) const BRANCH: &str = "feature/issue-42-say-hello";

/// A repository with a remote, a forge, and an issue to begin with.
pub(super) struct World {
    pub(super) env: TestEnv,
    pub(super) gh: Gh,
    pub(super) remote: Remote,
}

impl World {
    pub(super) fn new() -> Self {
        let env = test_env!();
        let (gh, remote) = (Gh::new(&env), Remote::bare(&env));
        gh.issue(42, "Say hello", "To everyone.");
        Self { env, gh, remote }
    }

    /// Gives the remote the address of a forge, which git takes for the folder that it is.
    pub(super) fn with_an_address(self) -> Self {
        let (git, folder) = (&self.env.repository, self.remote.root().display());
        git.git(&["remote", "set-url", "origin", "https://forge.example/ada/project.git"]);
        git.git(&[
            "config",
            &format!("url.{folder}.insteadOf"),
            "https://forge.example/ada/project.git",
        ]);
        self
    }

    /// Runs a workflow for issue 42.
    pub(super) fn run(&self, workflow: &str, more: &[&str]) -> Finished {
        self.start(workflow, AGENT, &[&["--issue", "42"], more].concat())
    }

    pub(super) fn start(&self, workflow: &str, agent: &str, more: &[&str]) -> Finished {
        let (workflow, agent) = (self.env.workflow(workflow), self.env.agent(agent));
        let fixed = ["run", "--workflow", &workflow, "--agent-command", &agent];
        self.windlass(&[&fixed, more].concat())
    }

    pub(super) fn windlass(&self, arguments: &[&str]) -> Finished {
        let mut command = self.env.windlass_command(arguments);
        command.env_clear().envs(self.gh.variables(&self.env));
        self.env.finish(command)
    }

    /// The only pull request that there is.
    pub(super) fn pull_request(&self) -> Value {
        let all = self.gh.pull_requests();
        assert_eq!(all.len(), 1, "{all:#?}");
        all[0].clone()
    }

    /// Fails unless the run completed with its branch at the remote as it is here.
    pub(super) fn assert_published(&self) -> String {
        assert_eq!(self.env.status(), "completed");
        let branch = self.env.status_json()["run"]["branch"].as_str().expect("a branch").to_owned();
        let here = self.env.repository.git(&["rev-parse", &branch]);
        assert_eq!(self.remote.branch(&branch), Some(here.clone()));
        self.env.assert_audit();
        here
    }
}

#[test]
fn nothing_leaves_before_the_gate_and_one_pull_request_after_it() {
    let world = World::new();
    world.run(WORKFLOW, &[]).assert_code(3);
    assert_eq!(world.remote.branch(BRANCH), None);
    assert_eq!((world.gh.count("pr list"), world.gh.count("pr create")), (0, 0));
    let shown = world.windlass(&["status"]).stdout;
    assert!(shown.contains("publish"), "{shown}");
    // With nobody driving, the answer is recorded and nothing is sent.
    world.windlass(&["approve"]).assert_code(0);
    assert_eq!((world.remote.branch(BRANCH), world.gh.pull_requests().len()), (None, 0));
    world.windlass(&["resume"]).assert_code(0);
    let commit = world.assert_published();
    let opened = world.pull_request();
    assert_eq!(opened["title"], "#42: Say hello");
    assert_eq!((&opened["baseRefName"], &opened["headRefName"]), (&"main".into(), &BRANCH.into()));
    assert_eq!((&opened["headRefOid"], &opened["isDraft"]), (&commit.into(), &false.into()));
    // A run that is over publishes nothing more.
    world.windlass(&["resume"]);
    assert_eq!(world.gh.count("pr create"), 1);
    let log = world.env.log_json();
    assert_eq!((log.count("publish_intended"), log.count("published")), (1, 1));
}

#[test]
fn every_screen_shows_the_pull_request() {
    let world = World::new();
    world.run(WORKFLOW, &["--yes"]).assert_code(0);
    world.assert_published();
    let url = "https://forge.example/ada/project/pull/43";
    for arguments in [&["status"][..], &["report"], &["report", "--html"], &["log"]] {
        let shown = world.windlass(arguments).stdout;
        assert!(shown.contains(url) && shown.contains("#43"), "{arguments:?}: {shown}");
    }
    for (arguments, pointer) in [
        (["status", "--json"], "/run/publication/number"),
        (["report", "--json"], "/publication/number"),
    ] {
        let json = world.env.json(&arguments);
        assert_eq!(json.pointer(pointer), Some(&43.into()), "{json:#}");
    }
    let state = world.env.place().join(".windlass/run/state.json");
    let document: Value = serde_json::from_slice(&fs_err::read(state).unwrap()).unwrap();
    assert_eq!(
        (&document["publish"]["prNumber"], &document["publish"]["prUrl"]),
        (&43.into(), &url.into())
    );
}

const EVENTFUL: &str = r#"
workflow: eventful
defaults: {retries: 1}
steps:
  - id: implement
    title: Implementing
    agent: developer
    task: Write answer.txt.
    done: {run: "grep -q right answer.txt"}
    gate: approval
  - id: judge
    title: Judging
    agent: developer
    task: Say that it is good.
    trust: agent
    publishes: {judge.good: boolean}
    done: {state: .context.judge.good}
  - id: lint
    title: Linting
    agent: linter
    task: Tidy up.
    done: {run: "test -e tidy.txt"}
    exhausted: waive
  - id: docs
    title: Documenting
    agent: writer
    task: Write.
    done: {file: docs.md}
  - id: publish
    title: Pull request
    builtin: pull-request
    pull_request: {title: "feat(#{issue}): {issue.title}"}
"#;

#[test]
fn the_text_says_what_was_done_and_what_stands_behind_it() {
    let world = World::new();
    let agent =
        format!("{AGENT}\ntest $WINDLASS_STEP != judge || windlass context set judge.good=true");
    world.start(EVENTFUL, &agent, &["--issue", "42"]).assert_code(3);
    world.windlass(&["skip", "docs", "--reason", "nothing | to <b>say</b>"]).assert_code(0);
    world.windlass(&["approve", "-m", "good work"]).assert_code(0);
    world.windlass(&["resume"]).assert_code(0);
    world.assert_published();
    let opened = world.pull_request();
    assert_eq!(opened["title"], "feat(#42): Say hello");
    let body = opened["body"].as_str().unwrap();
    for words in [
        "## What changed and why\n\nSay hello\n\nCloses #42.\n",
        "## How it was proven\n",
        "## Steps\n",
        "| Implementing (`implement`) | done | 1 | observed |",
        "| Judging (`judge`) | done | 1 | claimed only |",
        "| Linting (`lint`) | **waived**; its work is not part of the result (answer.txt)",
        "## Evidence\n",
        "passed | observed |",
        "passed | claimed |",
        "## Not proven\n",
        "- **Linting (`lint`): waived**\n  - ",
        "- Documenting (`docs`): nothing &#124; to &lt;b&gt;say&lt;/b&gt;",
        "## Decisions\n",
        "| ada | ",
        "good work",
        "## Cost and time\n",
        "- Cost: ",
        "- Working time: ",
        "in 3 attempts",
    ] {
        assert!(body.contains(words), "{words}: {body}");
    }
    // The pull request is not among what it is about.
    assert!(!body.contains("(`publish`)"), "{body}");
    let head = body.split_once("- Journal head: `").unwrap().1.split('`').next().unwrap();
    let log = world.env.log_json();
    let intended = log.lines.iter().find(|line| line["kind"] == "publish_intended").unwrap();
    assert_eq!(intended["hash"], head, "{body}");
    let run = world.env.status_json()["run"]["id"].as_str().unwrap().to_owned();
    assert!(body.contains(&format!("windlass audit --run {run} --head {head}")), "{body}");
    let known = world.windlass(&["audit", "--head", head]);
    known.assert_code(0);
    let forged = format!("{}{}", &head[1..], &head[..1]);
    let unknown = world.windlass(&["audit", "--head", &forged]);
    unknown.assert_code(1);
    assert!(unknown.stdout.contains("not in this journal"), "{unknown}");
}

#[test]
fn base_and_draft_are_as_the_workflow_says() {
    let world = World::new();
    world.env.repository.git(&["push", "--quiet", "origin", "main:refs/heads/next"]);
    let workflow =
        format!("{WORKFLOW}    pull_request: {{base: next, draft: true, title: \"Hello\"}}\n");
    world.run(&workflow, &["--yes"]).assert_code(0);
    let opened = world.pull_request();
    assert_eq!((&opened["title"], &opened["baseRefName"]), (&"Hello".into(), &"next".into()));
    assert_eq!(opened["isDraft"], true);
}

#[test]
fn hostile_words_are_neither_flag_nor_command_nor_markup() {
    let world = World::new();
    let pwned = world.env.root().join("pwned");
    let touch = format!("$(touch {0}) `touch {0}`", pwned.display());
    let goals = [
        "--help",
        "--body-file=/etc/passwd",
        touch.as_str(),
        "a\n\n## Evidence\n\n| `x` | fine | passed | observed |",
        "<script>alert(1)</script> <!-- hidden",
        "ask @everyone and @ada, fixes #1, closes other/repo#2 [skip ci]",
        "``` <img src=x> @everyone fixes #1 `````",
        "\u{202e}desrever \u{1b}[31mred",
    ];
    for (number, goal) in (50..).zip(goals) {
        world.gh.issue(number, goal, goal);
        let text = number.to_string();
        world.start(WORKFLOW, AGENT, &["--yes", "--issue", &text]).assert_code(0);
        let all = world.gh.pull_requests();
        let opened = all.last().unwrap();
        let (title, body) = (opened["title"].as_str().unwrap(), opened["body"].as_str().unwrap());
        assert!(title.starts_with(&format!("#{number}: ")) && !title.contains('\n'), "{title}");
        assert!(!title.contains('\u{202e}') && !title.contains('\u{1b}'), "{title}");
        assert_eq!(body.matches("\n## Evidence\n").count(), 1, "{body}");
        assert_eq!(body.matches(&format!("Closes #{number}.")).count(), 1, "{body}");
        assert!(!body.contains("<script") && !body.contains("<!--"), "{body}");
        assert!(!body.contains("<img"), "{body}");
        // A forge acts on titles and messages as it does on descriptions.
        let branch = opened["headRefName"].as_str().unwrap();
        let messages =
            world.env.repository.git(&["log", "--format=%B", &format!("main..{branch}")]);
        let subject = messages.lines().next().unwrap_or_default();
        assert!(subject.ends_with(&format!("(#{number}, implementing)")), "{messages}");
        assert!(subject.chars().count() <= 72 && !messages.contains("wip"), "{messages}");
        for text in [title, body, &messages] {
            for acting in ["@everyone", "@ada", "fixes #1", "repo#2", "[skip ci]"] {
                assert!(!text.contains(acting), "{acting}: {text}");
            }
        }
        assert!(!body.contains('\u{202e}') && !body.contains('\u{1b}'), "{body}");
    }
    assert_eq!(world.gh.pull_requests().len(), goals.len());
    assert!(!pwned.exists(), "a title was run");
}

/// Two steps before the pull request.
const TWO_STEPS: &str = r#"
workflow: w
defaults: {retries: 1}
steps:
  - {id: implement, agent: developer, task: Write., done: {run: "grep -q right answer.txt"}}
  - {id: docs, agent: writer, task: Document., done: {run: "grep -q attempt answer.txt"}}
  - {id: publish, builtin: pull-request, gate: approval}
"#;

/// Writes something else at each step.
const WRITER: &str = "echo \"right, attempt $WINDLASS_ATTEMPT\" > answer.txt";

#[test]
fn what_is_published_is_one_commit_with_the_files_that_were_proven_if_it_is_set() {
    let world = World::new();
    world.env.file(".config/windlass/config.yaml", "commits: {squash: run, style: conventional}\n");
    world.start(TWO_STEPS, WRITER, &["--issue", "42"]).assert_code(3);
    world.windlass(&["approve"]).assert_code(0);
    world.windlass(&["resume"]).assert_code(0);
    let branch = world.env.status_json()["run"]["branch"].as_str().unwrap().to_owned();
    let pushed = world.remote.branch(&branch).expect("the branch is there");
    let git = |arguments: &[&str]| world.env.repository.git(arguments);
    assert_eq!(git(&["rev-list", "--count", &format!("main..{pushed}")]), "1");
    assert_eq!(git(&["rev-list", "--count", &format!("main..{branch}")]), "2", "every step stays");
    let tree = |commit: &str| git(&["rev-parse", &format!("{commit}^{{tree}}")]);
    assert_eq!(tree(&pushed), tree(&branch), "exactly what was proven");
    let message = git(&["log", "-1", "--format=%B", &pushed]);
    assert!(message.starts_with("feat: say hello (#42)\n"), "{message}");
    for trailer in ["Windlass-Step: implement\n", "Windlass-Step: docs\n", "Windlass-Journal: "] {
        assert!(message.contains(trailer), "{message}");
    }
    assert_eq!(world.pull_request()["headRefOid"], pushed.as_str());
    world.env.assert_audit();
}

#[test]
fn what_is_published_a_second_time_goes_on_from_the_first() {
    let world = World::new();
    world.env.file(".config/windlass/config.yaml", "commits: {squash: run}\n");
    world.start(TWO_STEPS, WRITER, &["--issue", "42"]).assert_code(3);
    // The push arrives, and the pull request cannot be opened.
    world.gh.fail("pr create", "refuse");
    world.windlass(&["approve"]).assert_code(0);
    world.windlass(&["resume"]);
    let branch = world.env.status_json()["run"]["branch"].as_str().unwrap().to_owned();
    let first = world.remote.branch(&branch).expect("it was pushed");
    world.gh.heal();
    world.windlass(&["resume"]).assert_code(0);
    assert_eq!(world.remote.branch(&branch), Some(first), "made once, however often it is tried");
    assert_eq!(world.gh.pull_requests().len(), 1);
}

#[test]
fn the_report_and_the_pull_request_count_the_same() {
    let world = World::new();
    world.run(WORKFLOW, &["--yes"]).assert_code(0);
    let opened = world.pull_request();
    let body = opened["body"].as_str().unwrap();
    let report: Value =
        serde_json::from_str(&world.windlass(&["report", "--json"]).stdout).unwrap();
    let counts = &report["counts"];
    assert_eq!((&counts["steps"], &counts["steps_proven"]), (&1.into(), &1.into()), "{counts}");
    let words = "1 of 1 step proven, by 1 check";
    assert!(body.contains(words), "{body}");
    let written = world.windlass(&["report"]).stdout;
    assert!(written.contains(words), "{written}");
    assert!(body.starts_with("## What changed and why\n\nSay hello\n\nCloses #42.\n"), "{body}");
    assert!(body.contains("\n| Implementing | "), "{body}");
}
