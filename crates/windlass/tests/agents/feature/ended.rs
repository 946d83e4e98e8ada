//! What is there when the feature is complete.

use serde_json::Value;

use super::stack::KEY;
use super::team::{ATTEMPTS, IN_PAPERS, NO_TABLES, lane};
use super::{BRANCH, Feature};

impl Feature {
    /// Every attempt had its role, paths instead of texts, its model, and no key; the lie was caught.
    pub(super) fn attempts_were_what_they_should_be(&self) {
        let (server, journal) = (&self.world.server, self.world.env.log_json());
        assert_eq!(server.unplayed(), Vec::new());
        assert_eq!(journal.count("attempt_ended"), ATTEMPTS.len());
        for (attempt, role) in ATTEMPTS {
            let requests = server.requests_of(&lane(attempt));
            let (asked, last) = (&requests[0], &requests[1]);
            assert!(asked.system_text().contains(&role_text(role)), "{attempt} is no {role}");
            let planning = attempt.starts_with("plan/");
            assert_eq!(asked.model().contains("sonnet"), planning, "{attempt}: {}", asked.model());
            for text in last.user_texts() {
                assert!(!text.contains(IN_PAPERS), "{attempt} was given a text: {text}");
            }
            let failed: Vec<_> =
                last.tool_results().into_iter().filter(|result| result.failed).collect();
            assert!(failed.is_empty(), "{attempt}: {failed:#?}");
        }
        let environments = self.environments();
        assert_eq!(environments.len(), ATTEMPTS.len());
        for environment in environments {
            assert!(environment.contains("ANTHROPIC_API_KEY="), "{environment}");
            assert!(
                !environment.contains(KEY) && !environment.contains("GH_TOKEN"),
                "{environment}"
            );
        }
        let told = self.prompt("backend#2");
        assert!(told.contains("was not accepted") && told.contains("sh verify.sh"), "{told}");
        let told = self.prompt("frontend#2");
        assert!(told.contains("## Hotfix") && told.contains("not read aloud"), "{told}");
        let told = self.prompt("review#2");
        for paper in ["plan-consolidated", "ph02-spring-boot-developer", "ph05-security-auditor"] {
            assert!(told.contains(&format!("issue-42-{paper}.md`: ")), "{told}");
        }
    }

    fn prompt(&self, attempt: &str) -> String {
        self.world.server.requests_of(&lane(attempt))[0].user_texts().join("\n")
    }

    /// One commit for each proven step that changed code, on the run's branch, here and at the remote.
    pub(super) fn work_is_on_its_branch(&self) {
        let repository = &self.world.env.repository;
        let subjects =
            repository.git(&["log", "--format=%s", "--reverse", &format!("main..{BRANCH}")]);
        let steps: Vec<&str> = subjects.lines().collect();
        let subject = |step| format!("Say that it is healthy (#42, {step})");
        let wanted = ["backend", "frontend", "tests", "frontend", "tests"];
        assert_eq!(steps, wanted.map(subject), "one for each time that a step was proven");
        let head = repository.git(&["rev-parse", BRANCH]);
        assert_eq!(self.remote.branch(BRANCH), Some(head));
        let page = repository.git(&["show", &format!("{BRANCH}:frontend/src/health.html")]);
        assert!(page.contains("aria-live"), "{page}");
        let kept = repository.git(&["ls-tree", "-r", "--name-only", BRANCH]);
        for never in ["target/", "node_modules", ".windlass/run"] {
            assert!(!kept.contains(never), "{kept}");
        }
    }

    pub(super) fn pull_request_says_what_was_done(&self) {
        let requests = self.gh.pull_requests();
        assert_eq!(requests.len(), 1, "{requests:#?}");
        let request = &requests[0];
        assert_eq!(request["title"], "feat(#42): Say that it is healthy");
        assert_eq!(request["baseRefName"], "main");
        assert_eq!(request["headRefOid"].as_str().map(str::to_owned), self.remote.branch(BRANCH));
        let body = request["body"].as_str().expect("a body");
        for part in [
            "## What changed and why\n\nSay that it is healthy\n\nCloses #42.",
            &format!("## Not proven\n\n- Migrations (`migrations`): {NO_TABLES}"),
            "## Not part of this run\n\n- Ui (`plan/ui`): ",
            "| Backend (`backend`) | done | 2 | observed |",
            &format!("| Migrations (`migrations`) | skipped: {NO_TABLES} | 0 |"),
            "| step | check | verdict | strength | on code | evidence |",
            "| `tests` | state `.context.testResults.allPassed == true` is true | passed | claimed |",
            "TEST-*.xml`: 1 test ran, 0 failed, 0 skipped | passed | observed |",
            "| `review` | verdict `.context.reviewFeedback.status` is APPROVED | passed | observed |",
            "## Decisions\n\n| when | who | what |",
            " | ada | `review`: approved by ada without a terminal, ",
            "\nFiles changed: ",
            &format!(" | engine | `migrations` was skipped: {NO_TABLES} |"),
            "- Working time: ",
            "in 14 attempts",
        ] {
            assert!(body.contains(part), "{part}: {body}");
        }
        assert!(!body.contains("Cost: 0.00") && body.contains(" USD\n"), "{body}");
        let journal = self.world.env.log_json();
        let intended = |line: &&Value| line["kind"] == "publish_intended";
        let before = journal.lines.iter().find(intended).expect("an intent")["hash"].clone();
        let head = format!("- Journal head: `{}`", before.as_str().expect("a hash"));
        assert!(body.contains(&head), "{head}: {body}");
        let status = self.world.env.status_json();
        assert!(status.to_string().contains(request["url"].as_str().expect("a url")), "{status:#}");
    }

    pub(super) fn costs_are_told(&self) {
        let costs = self.world.env.json(&["cost", "--by", "step", "--json"]);
        assert_eq!(costs["total"]["attempts"], ATTEMPTS.len(), "{costs:#}");
        let rows = costs["groups"][0]["rows"].as_array().expect("steps");
        assert_eq!(rows.len(), 9, "{costs:#}");
        for row in rows {
            assert!(row["cost_usd"].as_f64().is_some_and(|cost| cost > 0.01), "{row:#}");
            assert_eq!(row["unknown_cost"], 0, "{row:#}");
        }
        let said = self.windlass(&["cost"]);
        let line = said.stdout.lines().find(|line| line.trim_start().starts_with("backend "));
        assert!(line.is_some_and(|line| line.contains(" 2 × ") && line.contains(" USD")), "{said}");
    }
}

/// The body of a role that comes with windlass.
pub(crate) fn role_text(name: &str) -> String {
    let file = format!("{}/agents/{name}.md", env!("CARGO_MANIFEST_DIR"));
    let text = fs_err::read_to_string(file).expect("a role");
    let (_, body) = text.split_once("\n---\n").expect("front matter");
    body.trim().to_owned()
}
