//! A small repository with a backend and a frontend, and the ejected workflow for it.
//!
//! Its commands are small, and real: they look at the files and fail when those are not right. No
//! attempt and no check may have the key of the forge.

use windlass_testkit::TestEnv;

/// What the user's environment holds, and nobody else's.
pub(crate) const KEY: &str = "gho_0123456789abcdefghijklmnopqrstuvwxyz";

/// Stands for `mvn verify`: looks for the endpoint and reports as Surefire does.
const VERIFY: &str = r#"
test -z "${GH_TOKEN-}" || { echo 'this check holds a key'; exit 9; }
mkdir -p target/surefire-reports
grep -q '"/health"' src/main/java/Health.java
failed=$?
test $failed = 0 || problem='<failure message="nobody answers /health"/>'
cat > target/surefire-reports/TEST-health.xml <<XML
<testsuite name="health" tests="1" failures="$failed" errors="0" skipped="0">
  <testcase name="health answers" classname="HealthTest">${problem-}</testcase>
</testsuite>
XML
exit $failed
"#;

/// Stand for `npm ci`, `npm test`, `npx playwright test` and `npm run build`.
const INSTALL: &str = "mkdir -p node_modules && touch node_modules/ready\n";
const TEST: &str = "test -e node_modules/ready && grep 'data-testid=\"health\"' src/health.html\n";
const BROWSE: &str = "test -e node_modules/ready && grep -r 'health' e2e\n";
const BUILD: &str = "mkdir -p dist && cp src/health.html dist/index.html\n";

/// The commands of the shipped workflow, and what stands for each here.
const REPLACED: [(&str, &str); 6] = [
    ("run: npm ci", "run: sh install.sh"),
    ("run: mvn -q verify", "run: sh verify.sh"),
    ("run: npm test -- --watch=false", "run: sh test.sh"),
    ("run: npx playwright test", "run: sh browse.sh"),
    ("run: npm run build", "run: sh build.sh"),
    ("\"**/pom.xml\"", "\"{backend,frontend}/*.sh\""),
];

/// Commits the repository, ejects `feature` into it and replaces the commands in the copy.
pub(crate) fn lay_out(env: &TestEnv) {
    let repository = &env.repository;
    for (path, text) in [
        (".gitignore", "backend/target/\nfrontend/node_modules/\nfrontend/dist/\n"),
        ("backend/verify.sh", VERIFY),
        ("frontend/package-lock.json", "{}\n"),
        ("frontend/install.sh", INSTALL),
        ("frontend/test.sh", TEST),
        ("frontend/browse.sh", BROWSE),
        ("frontend/build.sh", BUILD),
    ] {
        repository.write(path, text);
    }
    env.windlass(&["workflow", "eject", "feature"]).assert_code(0);
    let file = ".windlass/workflows/feature.yaml";
    let mut workflow = repository.read(file);
    for (shipped, here) in REPLACED {
        assert!(workflow.contains(shipped), "{shipped} is not in\n{workflow}");
        workflow = workflow.replace(shipped, here);
    }
    for line in workflow.lines().filter(|line| !line.trim_start().starts_with('#')) {
        assert!(!line.contains("run: mvn") && !line.contains("run: np"), "{line}");
    }
    repository.write(file, workflow);
    repository.commit("a stack");
}
