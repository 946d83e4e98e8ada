//! What the agents do: a goal becomes two stories, and one of them lies on the way.

use serde_json::json;
use windlass_testkit::TestEnv;
use windlass_testkit::model::{Lane, Script, Turn, say};

pub(super) const GOAL: &str = "Greet people by their name";

const SPECS: &str = ".windlass/run/specs";

/// All attempts of the run, in order, and who plays them. `green` of S1 is tried twice.
pub(super) const ATTEMPTS: [(&str, &str); 14] = [
    ("clarify#1", "analyst"),
    ("analyse#1", "analyst"),
    ("clarify-plan#1", "architect"),
    ("design#1", "architect"),
    ("stories/S1/red#1", "developer"),
    ("stories/S1/green#1", "developer"),
    ("stories/S1/green#2", "developer"),
    ("stories/S1/verify#1", "tester"),
    ("stories/S1/review#1", "reviewer"),
    ("stories/S2/red#1", "developer"),
    ("stories/S2/green#1", "developer"),
    ("stories/S2/verify#1", "tester"),
    ("stories/S2/review#1", "reviewer"),
    ("stories/S2/security#1", "security"),
];

const PACKAGE: &str = r#"{
  "name": "greeter",
  "private": true,
  "type": "commonjs",
  "scripts": {"test": "node --test", "lint": "node --check src/greet.js"}
}
"#;
const UNGREETING: &str = "exports.greet = () => '';\n";
const GREETING: &str = "exports.greet = (name) => `Hello, ${name}!`;\n";
const SAFE: &str = r"const marks = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const safe = (text) => text.replace(/[&<>]/g, (mark) => marks[mark]);
exports.greet = (name) => `Hello, ${safe(name)}!`;
";
const OLD_TEST: &str = r"const test = require('node:test');
const assert = require('node:assert');
const { greet } = require('../src/greet.js');

test('the greeting is a text', () => assert.strictEqual(typeof greet('Ada'), 'string'));
";
const NAME_TEST: &str = r"const test = require('node:test');
const assert = require('node:assert');
const { greet } = require('../src/greet.js');

test('greets by name', () => assert.strictEqual(greet('Ada'), 'Hello, Ada!'));
";
const MARKUP_TEST: &str = r"const test = require('node:test');
const assert = require('node:assert');
const { greet } = require('../src/greet.js');

test('markup is text', () => assert.strictEqual(greet('<b>'), 'Hello, &lt;b&gt;!'));
";
const QUESTION: &str = r"questions:
  - id: Q1
    category: {category}
    question: {question}
    options: [{id: a, text: '{first}'}, {id: b, text: '{second}'}]
    recommended: b
";
const STORIES: &str = r"stories:
  - id: S1
    title: Greet by name
    size: S
    criteria: ['greet(Ada) answers with the text Hello, Ada!']
  - id: S2
    title: Names are no markup
    size: S
    criteria: ['greet(<b>) answers with the mark escaped as &lt;']
    security: true
open_questions: [Which signs are escaped?]
";
const DESIGNED: &str = r"stories:
  - id: S1
    title: Greet by name
    size: S
    criteria: ['greet(Ada) answers with the text Hello, Ada!']
    depends_on: []
    files: [src/greet.js, test/name.test.js]
    design: greet in src/greet.js puts the name into a template; the test compares the whole text.
  - id: S2
    title: Names are no markup
    size: S
    criteria: ['greet(<b>) answers with the mark escaped as &lt;']
    security: true
    depends_on: [S1]
    files: [src/greet.js, test/markup.test.js]
    design: greet replaces the three signs that begin markup before it puts the name into the text.
";

/// Commits a small project that node tests by itself.
pub(super) fn lay_out(env: &TestEnv) {
    let repository = &env.repository;
    repository.write("package.json", PACKAGE);
    // Else npm looks for a newer npm.
    repository.write(".npmrc", "update-notifier=false\n");
    repository.write("src/greet.js", UNGREETING);
    repository.write("test/start.test.js", OLD_TEST);
    repository.commit("a greeter that does not greet");
}

/// The name of an attempt's lane.
pub(super) fn lane(attempt: &str) -> String {
    format!("attempt `{attempt}`")
}

/// One attempt: it acts, and says that it is done.
fn attempt(name: &str, acts: impl IntoIterator<Item = Turn>) -> Lane {
    let lane = acts.into_iter().fold(Lane::when_first_user_has(&lane(name)), Lane::turn);
    lane.turn(say("Done.").usage(10_000, 1_000))
}

fn paper(name: &str, text: &str) -> [Turn; 1] {
    [say("I write it down.").write(&format!("{SPECS}/{name}"), text)]
}

/// Reads files and writes them anew: Claude Code writes over none that it has not read.
fn changes<'t>(said: &str, files: impl IntoIterator<Item = (&'t str, &'t str)>) -> [Turn; 2] {
    let (mut reads, mut writes) = (say("I look at it."), say(said));
    for (path, text) in files {
        reads = reads.tool("Read", json!({"file_path": format!("<<cwd>>/{path}")}));
        writes = writes.write(path, text);
    }
    [reads, writes]
}

fn question(category: &str, question: &str, first: &str, second: &str) -> String {
    QUESTION
        .replace("{category}", category)
        .replace("{question}", question)
        .replace("{first}", first)
        .replace("{second}", second)
}

pub(super) fn script() -> Script {
    let mut script = Script::new();
    for lane in planning().into_iter().chain(first_story()).chain(second_story()) {
        script = script.lane(lane);
    }
    script
}

fn planning() -> [Lane; 4] {
    let about_goal = question("users", "Who is greeted?", "Only members", "Everybody");
    let about_plan = question("order", "Which story is first?", "S2", "S1");
    let stories = format!("{SPECS}/stories.yaml");
    [
        attempt("clarify#1", paper("questions-analysis.yaml", &about_goal)),
        attempt("analyse#1", paper("stories.yaml", STORIES)),
        attempt("clarify-plan#1", paper("questions-planning.yaml", &about_plan)),
        attempt("design#1", changes("I design.", [(&*stories, DESIGNED)])),
    ]
}

/// Its first `green` weakens the test instead of writing the code.
fn first_story() -> [Lane; 5] {
    let red = [say("A test.").write("test/name.test.js", NAME_TEST)];
    let weaker = NAME_TEST.replace("'Hello, Ada!'", "''");
    let lie = changes("All tests pass.", [("test/name.test.js", &*weaker)]);
    let truth = [("test/name.test.js", NAME_TEST), ("src/greet.js", GREETING)];
    let truth = changes("Now really.", truth);
    let tests = "AC1: PASS test/name.test.js::greets by name\n\nPASSED\n";
    let review = "[SUGGESTION] name the template src/greet.js:1\n\nAPPROVED\n";
    [
        attempt("stories/S1/red#1", red),
        attempt("stories/S1/green#1", lie),
        attempt("stories/S1/green#2", truth),
        attempt("stories/S1/verify#1", paper("S1-tests.md", tests)),
        attempt("stories/S1/review#1", paper("S1-review.md", review)),
    ]
}

fn second_story() -> [Lane; 5] {
    let red = [say("A test.").write("test/markup.test.js", MARKUP_TEST)];
    let green = changes("I escape it.", [("src/greet.js", SAFE)]);
    let tests = "AC1: PASS test/markup.test.js::markup is text\n\nPASSED\n";
    [
        attempt("stories/S2/red#1", red),
        attempt("stories/S2/green#1", green),
        attempt("stories/S2/verify#1", paper("S2-tests.md", tests)),
        attempt("stories/S2/review#1", paper("S2-review.md", "APPROVED\n")),
        attempt("stories/S2/security#1", paper("S2-security.md", "CLEARED\n")),
    ]
}
