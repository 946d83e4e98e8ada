//! What the agents of the feature do, in order.

use std::path::Path;

use windlass_testkit::model::{Lane, Script, Turn, say};

/// Stands in every paper. A prompt names papers and never quotes them.
pub(crate) const IN_PAPERS: &str = "TEXT-OF-A-PAPER";

/// What the hub publishes.
pub(crate) const NO_TABLES: &str = "no table changes";

const SPECS: &str = ".windlass/run/specs";

/// All attempts of the run: who plays them, in which order they end does not matter.
pub(crate) const ATTEMPTS: [(&str, &str); 14] = [
    ("plan/backend#1", "spring-boot-developer"),
    ("plan/frontend#1", "angular-frontend-developer"),
    ("plan/quality#1", "test-engineer"),
    ("plan/hub#1", "architect-planner"),
    ("backend#1", "spring-boot-developer"),
    ("backend#2", "spring-boot-developer"),
    ("frontend#1", "angular-frontend-developer"),
    ("tests#1", "test-engineer"),
    ("security#1", "security-auditor"),
    ("review#1", "code-reviewer"),
    ("frontend#2", "angular-frontend-developer"),
    ("tests#2", "test-engineer"),
    ("security#2", "security-auditor"),
    ("review#2", "code-reviewer"),
];

/// The name of an attempt's lane.
pub(crate) fn lane(attempt: &str) -> String {
    format!("attempt `{attempt}`")
}

/// One attempt: it acts, and says that it is done.
pub(crate) fn attempt(name: &str, acts: Turn) -> Lane {
    // So much that it costs whole cents.
    let done = say("Done.").usage(10_000, 1_000);
    Lane::when_first_user_has(&lane(name)).turn(acts).turn(done)
}

pub(crate) fn paper(turn: Turn, name: &str, text: &str) -> Turn {
    let text = format!("# {name}\n\n{IN_PAPERS}: {text}\n");
    turn.write(&format!("{SPECS}/issue-42-{name}.md"), &text)
}

/// The script; the spokes get no answer before `together` is there.
pub(crate) fn script(together: &Path) -> Script {
    let mut script = Script::new();
    for spoke in ["backend", "frontend", "quality"] {
        let acts = paper(say("I plan."), &format!("plan-{spoke}"), "a part of the plan");
        script = script.lane(attempt(&format!("plan/{spoke}#1"), acts.until_file(together)));
    }
    script = script.lane(hub());
    for lane in building().into_iter().chain(judging(1)).chain(judging(2)) {
        script = script.lane(lane);
    }
    script
}

/// The hub joins the parts, and says what can be left out.
pub(crate) fn hub() -> Lane {
    let skip =
        format!(r#"windlass context set 'technicalSpec.skip={{"migrations":"{NO_TABLES}"}}'"#);
    let spec = "An endpoint, a page that shows it, a test for each. ".repeat(12);
    let hub = paper(say("I join them."), "plan-consolidated", &spec).shell(&skip);
    attempt("plan/hub#1", hub)
}

fn building() -> [Lane; 4] {
    let report = "ph02-spring-boot-developer";
    // It reports an endpoint that is not there.
    let lie = paper(say("All tests pass."), report, "`mvn verify` is green");
    let code = "class Health {\n  // GET \"/health\"\n}\n";
    let truth = say("Now really.").write("backend/src/main/java/Health.java", code);
    let page = "<p data-testid=\"health\">ok</p>\n";
    let first = say("I show it.").write("frontend/src/health.html", page);
    // Claude Code writes no file over one that it has not read.
    let again = say("I put it right.")
        .shell("sed -i 's/<p /<p aria-live=\"polite\" /' frontend/src/health.html");
    let shown = "ph03-angular-frontend-developer";
    [
        attempt("backend#1", lie),
        attempt("backend#2", truth),
        attempt("frontend#1", paper(first, shown, "the page")),
        attempt("frontend#2", paper(again, shown, "the page, spoken aloud")),
    ]
}

/// Tests, audit and review; the first review finds something, the second nothing.
pub(crate) fn judging(round: u8) -> [Lane; 3] {
    let tests = say("I test.").write(&format!("frontend/e2e/health{round}.spec.ts"), "// health\n");
    let tests = paper(tests, "ph04-test-engineer", &format!("round {round}"))
        .shell("windlass context set testResults.allPassed=true");
    let audit = paper(say("I audit."), "ph05-security-auditor", &format!("round {round}"))
        .shell(r#"windlass context set 'securityAudit={"status":"APPROVED","findings":[]}'"#);
    // The second one's file says frontend, whatever its type says; and frontend comes before tests.
    let found = r#"{"status":"CHANGES_REQUESTED","fixes":[
        {"type":"test","file":"frontend/e2e/health1.spec.ts","issue":"asserts nothing"},
        {"type":"test","file":"frontend/src/health.html","issue":"not read aloud"}]}"#;
    let said = if round == 1 { found } else { r#"{"status":"APPROVED","fixes":[]}"# };
    let review = paper(say("I review."), "ph06-code-reviewer", &format!("round {round}"))
        .shell(&format!("windlass context set 'reviewFeedback={said}'"));
    [
        attempt(&format!("tests#{round}"), tests),
        attempt(&format!("security#{round}"), audit),
        attempt(&format!("review#{round}"), review),
    ]
}
