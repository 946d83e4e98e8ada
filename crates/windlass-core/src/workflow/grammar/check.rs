//! The kinds of check; the first key of each table is the word that makes a mapping that check.

use super::paper_check::{QUESTIONS, STORIES, VERDICT_IN};
use super::words::{OK, PLATFORM_CHECKS, ROOM_NETWORK, WHOLE_DIFF, alone};
use crate::source::key::{Key, Mapping, Names, Rule, Takes, count, one_or_more};
use crate::workflow::unsupported;

const OK_WORDS: [&str; 1] = alone(&OK);
const WHOLE_DIFF_WORDS: [&str; 1] = alone(&WHOLE_DIFF);
const ROOM_NETWORK_WORDS: [&str; 2] = alone(&ROOM_NETWORK);
const PLATFORM_WORDS: [&str; 6] = alone(&PLATFORM_CHECKS);

/// Every kind of check, ways to join them included.
pub(in crate::workflow) static CHECKS: [&Mapping; 17] = [
    &ALL,
    &ANY,
    &NOT,
    &FILE,
    &RUN,
    &JUNIT,
    &COVERAGE,
    &RED,
    &GREEN,
    &PLATFORM,
    &DIFF_CHECK,
    &STATE,
    &VERDICT,
    &CHECKLIST,
    &STORIES,
    &QUESTIONS,
    &VERDICT_IN,
];

/// Returns every word that makes a mapping a check, also those that are refused.
pub(in crate::workflow) fn check_kinds() -> impl Iterator<Item = &'static str> + Clone {
    CHECKS.iter().map(|check| check.keys[0].name).chain(unsupported::CHECKS)
}

const PARTS: Takes = Takes::List { of: &Takes::Criterion, least: 1, most: None };

static ALL: Mapping = Mapping {
    name: "all",
    of: "`all`",
    doc: "Every part holds. A list of checks means the same.",
    keys: &[Key::new("all", PARTS, "The parts.")
        .required()
        .example("[{file: docs/usage.md}, {run: make test}]")],
    not_yet: &[],
    rule: Rule::None,
};

static ANY: Mapping = Mapping {
    name: "any",
    of: "`any`",
    doc: "At least one part holds. What was not looked at never makes a criterion hold.",
    keys: &[Key::new("any", PARTS, "The parts.")
        .required()
        .example("[{file: docs/usage.md}, {run: make test}]")],
    not_yet: &[],
    rule: Rule::None,
};

static NOT: Mapping = Mapping {
    name: "not",
    of: "`not`",
    doc: "The part fails.",
    keys: &[Key::new("not", Takes::Criterion, "The part.")
        .required()
        .example("{run: grep -rq TODO src}")],
    not_yet: &[],
    rule: Rule::None,
};

pub(in crate::workflow) static FILE: Mapping = Mapping {
    name: "file_check",
    of: "a `file` check",
    doc: "Observed. One file matches whose content is new or changed since the step began. Links \
          do not count.",
    keys: &[
        Key::new("file", Takes::Glob, "The glob.").required().example("\"docs/*.md\""),
        Key::new("stale", Takes::Word(&OK_WORDS), "An unchanged file suffices.")
            .otherwise("it does not"),
        Key::new("min_bytes", count(0), "The least size.").example("100"),
        Key::new("contains", Takes::Literal, "Text that the file must contain.").example("Usage"),
    ],
    not_yet: &[],
    rule: Rule::None,
};

const TIMEOUT: Key = Key::new("timeout", Takes::Time, "How long it may take.").default("10m");
const CACHE: Key =
    Key::new("cache", Takes::Boolean, "Whether an earlier pass counts again.").default("true");
const ENV: Key = Key::new(
    "env",
    Takes::Either(&[
        one_or_more(&Takes::Variable),
        Takes::Named { names: Names::CheckVariables, of: &Takes::Expression },
    ]),
    "The variables that the command gets of the run, each with the jq expression for its value; or a \
     list of those of your environment that matter to the result. Not `PATH`, `HOME`, `TMPDIR` or \
     `SHELL`, nor names that begin with `WINDLASS_`, `GIT_` or `LD_`.",
)
.otherwise("none")
.example("{REVIEW: .context.review.status}");
const NETWORK: Key = Key::new(
    "network",
    Takes::Word(&ROOM_NETWORK_WORDS),
    "`host`: the command uses the host's network, and its proof shows it; `none`: loopback of its own \
     only.",
)
.default("none");
const HOSTS: Key = Key::new(
    "hosts",
    one_or_more(&Takes::Host),
    "Hosts that the command reaches, and no others, by windlass's proxy; its proof shows them.",
)
.otherwise("none")
.example("[api.example.org, \"*.example.org:8443\"]");
const ROOM_KEY: Key = Key::new("room", Takes::Mapping(&ROOM), "What its room opens besides.")
    .otherwise("nothing")
    .example("{expose: [~/.cache/browsers]}");
const IN: Key =
    Key::new("in", Takes::Path, "The folder to run in.").otherwise("the root").example("app");

pub(in crate::workflow) static ROOM: Mapping = Mapping {
    name: "room",
    of: "`room`",
    doc: "What the room of a command opens besides the tree, the system and the usual tools. A proof \
          that was got so shows it.",
    keys: &[Key::new(
        "expose",
        one_or_more(&Takes::MachinePath),
        "Paths of the machine that the command may read: absolute, or below `~/`.",
    )
    .required()
    .example("[~/.cache/browsers, /dev/dri]")],
    not_yet: &[],
    rule: Rule::None,
};

pub(in crate::workflow) static RUN: Mapping = Mapping {
    name: "run_check",
    of: "a `run` check",
    doc: "Observed. The command exits with 0, by `sh -c`, in the verifier's tree. A pass counts \
          again for the same code, command, folder, `prepare`, carried files and variables of \
          `env`. Of the run a command knows what `env` gives it, and nothing else.",
    keys: &[
        Key::new("run", Takes::Command, "The command.").required().example("make test"),
        TIMEOUT,
        CACHE,
        ENV,
        IN,
        NETWORK,
        HOSTS,
        ROOM_KEY,
    ],
    not_yet: &[],
    rule: Rule::None,
};

pub(in crate::workflow) static JUNIT: Mapping = Mapping {
    name: "junit_check",
    of: "a `junit` check",
    doc: "Observed. In the reports that the command wrote in this verification, at least `min` tests \
          really ran and at most `failures` failed; skipped ones did not run. Reports that were \
          there before are deleted first.",
    keys: &[
        Key::new("junit", Takes::Glob, "The reports, in JUnit's XML.")
            .required()
            .example("\"**/surefire-reports/*.xml\""),
        Key::new("run", Takes::Command, "The command that writes them.")
            .required()
            .example("mvn -q verify"),
        Key::new("min", count(1), "The least number of tests that ran.").default("1"),
        Key::new("failures", count(0), "The most that may have failed.").default("0"),
        TIMEOUT,
        CACHE,
        ENV,
        IN,
        NETWORK,
        HOSTS,
        ROOM_KEY,
    ],
    not_yet: &[],
    rule: Rule::None,
};

pub(in crate::workflow) static COVERAGE: Mapping = Mapping {
    name: "coverage_check",
    of: "a `coverage` check",
    doc: "Observed. The line coverage in the reports that the command wrote in this verification is \
          at least `min` percent. lcov, Cobertura and JaCoCo are told apart by their content.",
    keys: &[
        Key::new("coverage", Takes::Glob, "The reports.").required().example("coverage/lcov.info"),
        Key::new("run", Takes::Command, "The command that writes them.")
            .required()
            .example("npm run coverage"),
        Key::new("min", Takes::Percent, "The least line coverage in percent.")
            .required()
            .example("70"),
        TIMEOUT,
        CACHE,
        ENV,
        IN,
        NETWORK,
        HOSTS,
        ROOM_KEY,
    ],
    not_yet: &[],
    rule: Rule::None,
};

const REPORT: Key = Key::new(
    "report",
    Takes::Glob,
    "The reports that the command writes, in JUnit's XML: they say which tests are new, and which \
     were skipped.",
)
.otherwise("only how the command ends counts")
.example("\"out/junit/*.xml\"");

pub(in crate::workflow) static RED: Mapping = Mapping {
    name: "red_check",
    of: "a `red` check",
    doc: "Observed. Test first: only test files changed, and one did; the command passed on the code \
          that the step first began from, and fails on that code with the test files as they are now. \
          With a `report`, a test that is new has to be among those that fail, and none may be \
          skipped. Where a step has several, each passed before, one fails now, and the others still \
          pass. Stands alone or under `all`.",
    keys: &[
        Key::new("red", Takes::Command, "The command that runs the tests.")
            .required()
            .example("make test"),
        Key::new(
            "tests",
            Takes::OneOrMore { of: &Takes::Glob, least: 1 },
            "What is a test file, from the root.",
        )
        .required()
        .example("[\"tests/**\"]"),
        REPORT,
        TIMEOUT,
        CACHE,
        ENV,
        IN,
        NETWORK,
        HOSTS,
        ROOM_KEY,
    ],
    not_yet: &[],
    rule: Rule::None,
};

pub(in crate::workflow) static GREEN: Mapping = Mapping {
    name: "green_check",
    of: "a `green` check",
    doc: "Observed. Test first: no test file that was there at the last `red` before is changed or gone, \
          and the command passes. With a `report`, every test that failed at red and is still there \
          ran and passed, and no fewer tests ran. New test files are fine. Stands alone or under \
          `all`.",
    keys: &[
        Key::new("green", Takes::Command, "The command that runs the tests.")
            .required()
            .example("make test"),
        Key::new(
            "tests",
            Takes::OneOrMore { of: &Takes::Glob, least: 1 },
            "What is a test file besides what it was at red.",
        )
        .otherwise("as at red")
        .example("[\"tests/**\"]"),
        REPORT,
        TIMEOUT,
        CACHE,
        ENV,
        IN,
        NETWORK,
        HOSTS,
        ROOM_KEY,
    ],
    not_yet: &[],
    rule: Rule::None,
};

static PLATFORM: Mapping = Mapping {
    name: "platform_check",
    of: "a `platform` check",
    doc: "Observed. The platform's own command proves it, in each of its roots: `build` and `lint` are \
          `run` checks, `test` is a `junit` check where the platform writes such reports, `coverage` \
          asks for what the platform asks of a story of the item's size (M elsewhere), `red` and `green` \
          are those checks with the platform's tests. A command that \
          the platform does not have is left out, and the plan says so; a platform's required command \
          is never left out. The workflow needs the key `platform`.",
    keys: &[Key::new("platform", Takes::Word(&PLATFORM_WORDS), "What is checked.")
        .required()
        .example("test")],
    not_yet: &[],
    rule: Rule::None,
};

pub(in crate::workflow) static CHECKLIST: Mapping = Mapping {
    name: "checklist_check",
    of: "a `checklist` check",
    doc: "Claimed. At least `min` percent of the boxes in a Markdown file are ticked, and there is one.",
    keys: &[
        Key::new("checklist", Takes::Path, "The file.")
            .required()
            .example("\"{specs}/checklist.md\""),
        Key::new("min", Takes::Percent, "The least share in percent.").default("100"),
    ],
    not_yet: &[],
    rule: Rule::None,
};

static DIFF_CHECK: Mapping = Mapping {
    name: "diff_check",
    of: "a `diff` check",
    doc: "Observed. Something changed since the step began, and all of it is within bounds.",
    keys: &[Key::new(
        "diff",
        Takes::Either(&[Takes::Word(&WHOLE_DIFF_WORDS), Takes::Mapping(&DIFF)]),
        "The bounds; `any` for none.",
    )
    .required()
    .example("{only: [\"src/**\"], max_lines: 400}")],
    not_yet: &[],
    rule: Rule::None,
};

pub(in crate::workflow) static DIFF: Mapping = Mapping {
    name: "diff",
    of: "a `diff` check",
    doc: "The bounds of a change.",
    keys: &[
        Key::new("only", one_or_more(&Takes::Glob), "Every changed path matches one of these.")
            .otherwise("any path")
            .example("[\"src/**\"]"),
        Key::new("never", one_or_more(&Takes::Glob), "No changed path matches one of these.")
            .otherwise("none")
            .example("[\"src/generated/**\"]"),
        Key::new(
            "max_lines",
            count(1),
            "The most lines added and removed. A line counts once for each started 160 bytes, also \
             in a file that is not text, and every changed path counts at least once.",
        )
        .example("400"),
        Key::new("empty", Takes::Word(&OK_WORDS), "Nothing may have changed at all.")
            .otherwise("something has to"),
    ],
    not_yet: &[],
    rule: Rule::None,
};

static STATE: Mapping = Mapping {
    name: "state_check",
    of: "a `state` check",
    doc: "Claimed. A jq expression over the run's document is `true`.",
    keys: &[Key::new("state", Takes::Expression, "The expression.")
        .required()
        .example("\".context.tests.passed == true\"")],
    not_yet: &[],
    rule: Rule::None,
};

pub(in crate::workflow) static VERDICT: Mapping = Mapping {
    name: "verdict_check",
    of: "a `verdict` check",
    doc: "Observed when another agent gives it than those whose work it judges, else claimed. The \
          value is one of `accept`; another value that `on` names takes that route, provided that \
          all other checks of the step hold. A step has at most one.",
    keys: &[
        Key::new("verdict", Takes::Expression, "The jq expression for the value.")
            .required()
            .example(".context.review.status"),
        Key::new("accept", Takes::OneOrMore { of: &Takes::Text, least: 1 }, "What is accepted.")
            .required()
            .example("[APPROVED]"),
    ],
    not_yet: &[],
    rule: Rule::None,
};
