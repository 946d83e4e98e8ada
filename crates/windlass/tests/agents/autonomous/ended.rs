//! What is there when the goal is reached.

use serde_json::{Value, json};
use windlass_testkit::Journal;

use super::Autonomous;
use super::team::{ATTEMPTS, GOAL, lane};

/// The report on which a step was last proven, and the code that it was proven on.
fn proven(journal: &Journal, step: &str) -> (Value, Value) {
    let proven = journal.of("step_proven");
    let last = proven.iter().rev().find(|payload| payload["step"] == step);
    let last = last.unwrap_or_else(|| panic!("{step} is not proven"));
    (last["report"].clone(), last["snapshot"]["code"].clone())
}

impl Autonomous {
    /// Every attempt was made by Claude Code, once, and none of its tools failed.
    pub(super) fn attempts_were_played(&self, journal: &Journal) {
        let server = &self.world.server;
        assert_eq!(server.unplayed(), Vec::new());
        assert_eq!(journal.count("attempt_ended"), ATTEMPTS.len());
        for (attempt, role) in ATTEMPTS {
            let requests = server.requests_of(&lane(attempt));
            let system = requests[0].system_text();
            assert!(system.contains(&crate::feature::role_text(role)), "{attempt} is no {role}");
            let last = requests.last().expect("a request");
            let failed: Vec<_> =
                last.tool_results().into_iter().filter(|result| result.failed).collect();
            assert!(failed.is_empty(), "{attempt}: {failed:#?}");
        }
    }

    /// Nobody is at a terminal: the recommendations are taken at once, and recorded as assumed.
    pub(super) fn questions_were_assumed(&self, journal: &Journal) {
        let asked: Vec<Value> = journal
            .of("questions_asked")
            .iter()
            .map(|payload| json!([payload["step"], payload["questions"][0]["phase"]]))
            .collect();
        assert_eq!(asked, [json!(["clarify", "analysis"]), json!(["clarify-plan", "planning"])]);
        let assumed = json!({"answer": {"question": "Q1", "choice": "b", "by": "assumed"}});
        assert_eq!(journal.of("question_answered"), [&assumed, &assumed]);
        for attempt in ["analyse#1", "stories/S2/green#1"] {
            let told = self.prompt(attempt);
            assert!(told.contains("clarifications.md"), "{attempt}: {told}");
        }
    }

    /// The first `green` of S1 changed the test; the second try was told so, and put it right.
    pub(super) fn the_lie_was_caught(&self, journal: &Journal) {
        let refused = journal.of("step_not_proven");
        let [refused] = refused.as_slice() else { panic!("{refused:#?}") };
        assert_eq!(refused["step"], "stories/S1/green");
        let why = "a test was changed between red and green: test/name.test.js";
        assert!(refused["failure"].to_string().contains(why), "{refused:#}");
        let told = self.prompt("stories/S1/green#2");
        assert!(told.contains(why), "{told}");
    }

    /// Both stories are completed, and only the engine has said so.
    pub(super) fn stories_are_completed(&self) {
        let stories = self.world.env.json(&["tdd", "status", "--json"]);
        let seen: Vec<Value> = stories
            .as_array()
            .expect("stories")
            .iter()
            .map(|story| json!([story["id"], story["status"], story["checks"]]))
            .collect();
        let checks = |security: bool| json!({"testsPass": true, "coverageMet": true, "reviewApproved": true, "securityCleared": security});
        // Nobody has asked for the security of the first one.
        let wanted =
            [json!(["S1", "completed", checks(false)]), json!(["S2", "completed", checks(true)])];
        assert_eq!(seen, wanted);
        assert_eq!(self.world.env.status(), "completed");
    }

    /// From each criterion to its test, to the proofs that it failed and passes, to the commit.
    pub(super) fn the_trace_is_there(&self, journal: &Journal) {
        let tests = [
            ("S1", "test/name.test.js", "greets by name", 2),
            ("S2", "test/markup.test.js", "markup is text", 3),
        ];
        for (story, file, test, ran) in tests {
            let (red, tested) = proven(journal, &format!("stories/{story}/red"));
            assert_eq!(red["changed"], json!([file]), "only the test changed");
            assert_eq!(red["red"][0]["ran"], ran, "{red:#}");
            let summary = red["proofs"][0]["summary"].as_str().expect("a summary");
            let fails = format!("passed before, and now fails as it should: test.{test}");
            assert!(summary.ends_with(&fails), "{summary}");

            let (green, code) = proven(journal, &format!("stories/{story}/green"));
            let summary = green["proofs"][0]["summary"].as_str().expect("a summary");
            let passes = format!("the tests of red are as they were; {ran} tests ran");
            assert!(summary.ends_with(&passes), "{summary}");

            let (verified, same) = proven(journal, &format!("stories/{story}/verify"));
            assert_eq!(same, code, "what was tested is what was built");
            let criterion =
                json!({"id": "AC1", "verdict": "PASS", "tests": [format!("{file}::{test}")]});
            assert_eq!(verified["criteria"], json!([criterion]));
            assert_eq!(proven(journal, &format!("stories/{story}/final")).1, code);

            for (step, code) in [("red", tested), ("green", code)] {
                let step = format!("stories/{story}/{step}");
                let committed = journal.of("step_committed");
                let commit = committed.iter().find(|payload| payload["step"] == step);
                let commit = commit.expect("a commit");
                assert_eq!(commit["code"], code, "{step} is committed as it was proven");
            }
        }
    }

    pub(super) fn the_pull_request_is_open(&self, journal: &Journal) {
        let requests = self.gh.pull_requests();
        let [request] = requests.as_slice() else { panic!("{requests:#?}") };
        assert_eq!(request["title"], format!("[Feature] {GOAL}"));
        assert_eq!((&request["state"], &request["isDraft"]), (&json!("OPEN"), &json!(false)));
        let branch = request["headRefName"].as_str().expect("a branch");
        let built = journal.of("step_committed");
        let built = built.last().expect("a commit")["commit"].as_str().expect("a commit");
        assert_eq!(self.remote.branch(branch).as_deref(), Some(built));
        let repository = &self.world.env.repository;
        let changed = repository.git(&["diff", "--name-only", "main", branch]);
        let wanted = ["src/greet.js", "test/markup.test.js", "test/name.test.js"];
        assert_eq!(changed.lines().collect::<Vec<_>>(), wanted);
    }
}
