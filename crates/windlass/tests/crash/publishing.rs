//! Dying while a run is published: one branch, one pull request, whatever happened.

use windlass_testkit::{Finished, Gh, Remote, TestEnv, in_parallel, test_env, wait};

use super::scenario::read_points;

const WORKFLOW: &str = r#"
workflow: published
steps:
  - id: build
    agent: developer
    task: Write out.txt.
    done: {file: out.txt}
  - id: publish
    builtin: pull-request
    before: [{run: "test -e out.txt"}]
    gate: approval
"#;

/// Writes whole or not at all: a half-written file would satisfy the check.
const AGENT: &str = "echo built > .windlass/run/new && mv .windlass/run/new out.txt";

const BRANCH: &str = "feature/issue-42-say-hello";

/// What was there before windlass published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Before {
    /// Nothing.
    Nothing,
    /// A pull request of the branch, which is to be used again.
    PullRequest,
}

struct Forge {
    env: TestEnv,
    gh: Gh,
    remote: Remote,
}

impl Forge {
    fn new(before: Before) -> Self {
        let env = test_env!();
        let (gh, remote) = (Gh::new(&env), Remote::bare(&env));
        gh.issue(42, "Say hello", "To everyone.");
        if before == Before::PullRequest {
            gh.pull_request(7, BRANCH, "OPEN");
        }
        // Every push that got through leaves a line.
        remote.hook("post-receive", "#!/bin/sh\ncat >> pushes\n");
        Self { env, gh, remote }
    }

    fn run(&self, fault: &str) -> Finished {
        let (workflow, agent) = (self.env.workflow(WORKFLOW), self.env.agent(AGENT));
        let arguments = ["run", "--issue", "42", "--yes", "-w", &workflow];
        self.windlass(&[&arguments[..], &["--agent-command", &agent]].concat(), Some(fault))
    }

    fn windlass(&self, arguments: &[&str], fault: Option<&str>) -> Finished {
        let mut command = self.env.windlass_command(arguments);
        command.env_clear().envs(self.gh.variables(&self.env));
        command.envs(fault.map(|fault| ("WINDLASS_FAULT", fault)));
        self.env.start(command).wait(wait::DEADLINE).expect("the run hangs")
    }

    /// The points from the intent to the end.
    fn points(&self) -> Vec<String> {
        let trace = self.env.root().join("trace");
        let whole = self.run(&format!("trace:{}", trace.display()));
        assert_eq!(whole.code, Some(0), "{whole}");
        let points = read_points(&trace);
        let first =
            points.iter().position(|point| point == "before-publish:1").expect("publishing");
        // The append before it is the intent.
        let appended = points[..first].iter().rposition(|point| point.starts_with("before-append"));
        points[appended.expect("an intent")..].to_vec()
    }

    /// Fails unless the run came to its one end.
    fn assert_end(&self, before: Before, point: &str) {
        let env = &self.env;
        env.assert_no_orphans();
        env.assert_audit();
        let log = env.log_json();
        log.assert_linked();
        assert_eq!(env.status(), "completed", "died at {point}");
        for (kind, times) in [("publish_intended", 1), ("published", 1), ("publish_refused", 0)] {
            assert_eq!(log.count(kind), times, "{kind}, died at {point}: {:#?}", log.kinds());
        }
        let here = env.repository.git(&["rev-parse", BRANCH]);
        assert_eq!(self.remote.branch(BRANCH).as_ref(), Some(&here), "died at {point}");
        let pushes = fs_err::read_to_string(self.remote.root().join("pushes")).unwrap_or_default();
        assert_eq!(pushes.lines().count(), 1, "died at {point}: {pushes}");
        let all = self.gh.pull_requests();
        assert_eq!(all.len(), 1, "died at {point}: {all:#?}");
        let (number, opened) = match before {
            Before::Nothing => (43, 1),
            Before::PullRequest => (7, 0),
        };
        assert_eq!(all[0]["number"], number, "died at {point}");
        assert_eq!(self.gh.count("pr create"), opened, "died at {point}");
        let status = env.status_json();
        assert_eq!(status["run"]["publication"]["number"], number, "died at {point}");
        let body = all[0]["body"].as_str().expect("a text");
        assert!(body.contains("Closes #42."), "died at {point}: {body}");
    }
}

fn dies_everywhere(before: Before, wanted: &[&str]) {
    let whole = Forge::new(before);
    let points = whole.points();
    whole.assert_end(before, "no point");
    for name in wanted {
        let passed = points.iter().any(|point| point.split(':').next() == Some(*name));
        assert!(passed, "{name} is not among {points:?}");
    }
    in_parallel(4, points, |point| {
        let forge = Forge::new(before);
        let died = forge.run(&point);
        assert_eq!(died.code, None, "{point}: nobody died there: {died}");
        // Whoever dies at the very end has nothing left to do.
        if forge.env.status() != "completed" {
            let resumed = forge.windlass(&["resume"], None);
            assert_eq!(resumed.code, Some(0), "died at {point}: {resumed}");
        }
        forge.assert_end(before, &point);
    });
}

#[test]
fn a_kill_while_publishing_leaves_one_pull_request() {
    let points = [
        "before-publish",
        "forge-push",
        "forge-pushed",
        "forge-open",
        "forge-opened",
        "after-publish",
    ];
    dies_everywhere(Before::Nothing, &points);
}

#[test]
fn a_kill_while_a_pull_request_is_used_again_leaves_one() {
    let points = [
        "before-publish",
        "forge-push",
        "forge-pushed",
        "forge-update",
        "forge-updated",
        "after-publish",
    ];
    dies_everywhere(Before::PullRequest, &points);
}
