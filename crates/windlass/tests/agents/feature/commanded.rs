//! The same workflow by a shell script, for what needs no real CLI: everybody on request, `--yes`, and
//! a person who sends the work elsewhere.

use windlass_testkit::{Finished, Gh, Remote, TestEnv, test_env};

use super::{BRANCH, stack, tracker};

/// Honest agents. `found` stands for what the first review says.
const AGENTS: &str = r#"
specs=.windlass/run/specs/issue-42
paper() { echo "$WINDLASS_ATTEMPT: Database Design. $2" > $specs-$1.md; }
case $WINDLASS_STEP in
  plan/hub)
    paper plan-consolidated "$(seq 200)"
    windlass context set 'technicalSpec.skip={}' ;;
  plan/*) paper plan-${WINDLASS_STEP#plan/} ;;
  migrations)
    paper ph01-postgresql-architect
    mkdir -p backend/src/main/resources/db/migration
    echo "-- $WINDLASS_ATTEMPT" > backend/src/main/resources/db/migration/V${WINDLASS_ATTEMPT#*#}__health.sql ;;
  backend)
    paper ph02-spring-boot-developer
    mkdir -p backend/src/main/java
    echo '// GET "/health"' > backend/src/main/java/Health.java ;;
  frontend)
    paper ph03-angular-frontend-developer
    mkdir -p frontend/src
    echo '<p data-testid="health">ok</p>' > frontend/src/health.html ;;
  tests)
    paper ph04-test-engineer
    mkdir -p frontend/e2e
    echo "// health, $WINDLASS_ATTEMPT" > frontend/e2e/health.spec.ts
    windlass context set testResults.allPassed=true ;;
  security)
    paper ph05-security-auditor
    windlass context set 'securityAudit={"status":"APPROVED","findings":[]}' ;;
  review)
    paper ph06-code-reviewer
    case $WINDLASS_ATTEMPT in
      review#1) windlass context set 'reviewFeedback={"status":"CHANGES_REQUESTED","fixes":[FOUND]}' ;;
      *) windlass context set 'reviewFeedback={"status":"APPROVED","fixes":[],"architectureConcern":true}' ;;
    esac ;;
  architecture)
    paper ph07-architect-reviewer
    windlass context set 'architectureReview={"status":"APPROVED","fixes":[]}' ;;
esac
"#;

struct Commanded {
    env: TestEnv,
    gh: Gh,
    remote: Remote,
}

impl Commanded {
    fn new() -> Self {
        let env = test_env!();
        stack::lay_out(&env);
        let (gh, remote) = tracker(&env);
        Self { env, gh, remote }
    }

    fn windlass(&self, arguments: &[&str]) -> Finished {
        let mut command = self.env.windlass_command(arguments);
        command.env_clear().envs(self.gh.variables(&self.env)).env("GH_TOKEN", stack::KEY);
        self.env.finish(command)
    }

    /// Starts the run; the first review finds this.
    fn run(&self, found: &str, more: &[&str]) -> Finished {
        let agent = self.env.agent(&AGENTS.replace("FOUND", found));
        let mut arguments = vec!["run", "--issue", "42", "--workflow", "feature"];
        arguments.extend(["--agent-command", &agent]);
        arguments.extend(more);
        self.windlass(&arguments)
    }

    fn gate(&self) -> serde_json::Value {
        self.env.status_json()["gate"].clone()
    }

    fn attempts(&self, step: &str) -> usize {
        let prefix = format!("{step}#");
        let journal = self.env.log_json();
        let started = journal.of("attempt_started");
        let of_step = started.iter().filter(|payload| {
            payload["attempt"].as_str().is_some_and(|attempt| attempt.starts_with(&prefix))
        });
        of_step.count()
    }
}

#[test]
fn with_yes_the_types_of_what_was_found_lead_back_and_everybody_on_request_works() {
    let feature = Commanded::new();
    let found = r#"{"type":"frontend","issue":"grey"},{"type":"database","issue":"no index"}"#;
    let more = ["--yes", "--input", "ui_designer=true", "--input", "api_architect=true"];
    feature.run(found, &more).assert_code(0);
    let journal = feature.env.log_json();
    // The plan, two audits, the review that agrees, and publishing.
    let approved = journal.of("gate_approved");
    assert_eq!(approved.len(), 5, "{approved:#?}");
    assert!(approved.iter().all(|gate| gate["in_advance"] == true), "{approved:#?}");
    assert_eq!(journal.count("route_taken"), 1);
    assert_eq!(journal.last("route_taken").expect("a route")["target"], "migrations");
    for (step, attempts) in [
        ("plan/ui", 1),
        ("plan/api", 1),
        ("plan/hub", 1),
        ("migrations", 2),
        ("backend", 2),
        ("review", 2),
        ("architecture", 1),
    ] {
        assert_eq!(feature.env.step(step), "done", "{step}");
        assert_eq!(feature.attempts(step), attempts, "{step}");
    }
    assert_eq!(feature.gh.pull_requests().len(), 1);
    let head = feature.env.repository.git(&["rev-parse", BRANCH]);
    assert_eq!(feature.remote.branch(BRANCH), Some(head));
    feature.env.assert_audit();
    feature.env.assert_no_orphans();
}

#[test]
fn a_person_sends_the_work_elsewhere_than_a_review_suggests() {
    let feature = Commanded::new();
    feature.run(r#"{"type":"backend","issue":"slow"}"#, &[]).assert_code(3);
    for step in ["plan/hub", "security"] {
        assert_eq!(feature.gate()["step"], step);
        feature.windlass(&["approve"]).assert_code(0);
        feature.windlass(&["resume"]).assert_code(3);
    }
    assert_eq!(feature.gate()["route"]["target"], "backend");
    feature.windlass(&["rollback", "tests", "measure it first"]).assert_code(0);
    feature.windlass(&["resume"]).assert_code(3);
    assert_eq!(feature.gate()["step"], "security");
    assert_eq!(feature.attempts("backend"), 1);
    assert_eq!(feature.attempts("tests"), 2);
    let journal = feature.env.log_json();
    let back = journal.last("rolled_back").expect("a way back");
    assert_eq!((&back["target"], &back["message"]), (&"tests".into(), &"measure it first".into()));
    feature.env.assert_audit();
}
