//! The file itself, and what holds for all its steps.

use super::check::ROOM;
use super::step::STEP;
use super::words::{BASELINE, INPUT_TYPES, NETWORK, ONLY, alone};
use crate::source::key::{Key, Mapping, Names, Rule, Takes, count, list, one_or_more, small_count};
use crate::workflow::step::MAX_STEPS;

const TYPES: [&str; 5] = alone(&INPUT_TYPES);
const BASELINE_WORDS: [&str; 3] = alone(&BASELINE);

const ONLY_WORDS: [&str; 2] = alone(&ONLY);
const NETWORK_WORDS: [&str; 3] = alone(&NETWORK);

pub(in crate::workflow) static WORKFLOW: Mapping = Mapping {
    name: "workflow",
    of: "a workflow",
    doc: "The file: what a run can be given, what holds for all its steps, and the steps.",
    keys: &[
        Key::new("workflow", Takes::Id, "The name.").required().example("change"),
        Key::new("title", Takes::Text, "What people call it.")
            .otherwise("the name")
            .example("A change with its tests"),
        Key::new(
            "platform",
            Takes::Id,
            "What the repository is built with: `detect` looks when a run starts, a name takes that \
             platform, `none` does without.",
        )
        .default("none")
        .example("detect"),
        Key::new(
            "inputs",
            Takes::Named { names: Names::Inputs, of: &Takes::Mapping(&INPUT) },
            "What a run can be given with `--input NAME=VALUE`.",
        )
        .otherwise("none")
        .example("{coverage: {type: integer, default: 70}}"),
        Key::new(
            "defaults",
            Takes::Mapping(&DEFAULTS),
            "What steps have unless they say otherwise.",
        )
        .example("{retries: 2, timeout: 20m}"),
        Key::new(
            "limits",
            Takes::Mapping(&LIMITS),
            "The budget, checked before each attempt; over it the run pauses.",
        )
        .example("{cost_usd: 10, wall: 2h}"),
        Key::new(
            "prepare",
            list(&Takes::Mapping(&PREPARE)),
            "Commands that make a clean tree ready for checks.",
        )
        .otherwise("none")
        .example("[{in: frontend, run: npm ci, lock: frontend/package-lock.json}]"),
        Key::new(
            "carry",
            one_or_more(&Takes::Glob),
            "Ignored files that checks need, pinned when the run starts; 16 MiB each at most.",
        )
        .otherwise("none")
        .example("[\".env.test\"]"),
        Key::new(
            "protect",
            Takes::Either(&[Takes::Word(&["none"]), Takes::OneOrMore { of: &PROTECTED, least: 0 }]),
            "Files that judge the work: a change to one fails the proof and asks a person. What a check's \
             command runs, and what the platform's commands depend on, is added; `none` says that it is not. \
             `.windlass/**`, files that agents and continuous integration follow and git attributes are \
             protected in every run.",
        )
        .otherwise("what is found")
        .example("[\"deploy/**\", {file: package.json, keys: [scripts, jest]}]"),
        Key::new(
            "recheck",
            one_or_more(&Takes::Criterion),
            "Commands that have to pass before a run that a blocker kept goes on.",
        )
        .otherwise("only the check of the blocker")
        .example("[{run: make test}]"),
        Key::new(
            "baseline",
            Takes::Word(&BASELINE_WORDS),
            "Every command that judges runs once on the base before the first attempt. `strict`: what \
             fails there has to hold at the end all the same; `no_new_failures`: only failures that \
             are new count; `off`: it is not run.",
        )
        .default("strict"),
        Key::new(
            "cold",
            Takes::Boolean,
            "Whether what the run ends with is proven once more in a fresh clone, with nothing but \
             what `prepare` makes there; reports show a `false`.",
        )
        .default("true"),
        Key::new(
            "mcp",
            Takes::Named { names: Names::Servers, of: &Takes::Mapping(&SERVER) },
            "MCP servers that its agents are offered, by name.",
        )
        .otherwise("none")
        .example("{context7: {command: context7-mcp, optional: true}}"),
        Key::new(
            "steps",
            Takes::List { of: &Takes::Mapping(&STEP), least: 1, most: Some(MAX_STEPS) },
            "The steps, in order.",
        )
        .required(),
    ],
    not_yet: &[],
    rule: Rule::None,
};

/// What one rule of `protect` is.
static PROTECTED: Takes = Takes::Either(&[Takes::Glob, Takes::Mapping(&PROTECT)]);

pub(in crate::workflow) static PROTECT: Mapping = Mapping {
    name: "protect",
    of: "an entry of `protect`",
    doc: "Files that judge the work, and what of them counts.",
    keys: &[
        Key::new("file", Takes::Glob, "The files.").required().example("\"**/package.json\""),
        Key::new(
            "keys",
            one_or_more(&Takes::Text),
            "Only the values of these keys count, with dots between the levels; `*` stands for any letters. For \
             JSON, TOML, YAML, XML and files of sections (`.cfg`, `.ini`). A file that cannot be read counts \
             wholly.",
        )
        .otherwise("the whole file")
        .example("[scripts, jest]"),
        Key::new(
            "only",
            Takes::Word(&ONLY_WORDS),
            "`existing`: new files may be added; `new`: those that are there may change.",
        )
        .otherwise("all of them"),
    ],
    not_yet: &[],
    rule: Rule::None,
};

pub(in crate::workflow) static INPUT: Mapping = Mapping {
    name: "input",
    of: "an input",
    doc: "Something that a run can be given. Without a default it must be given.",
    keys: &[
        Key::new("type", Takes::Word(&TYPES), "What values it takes.").required(),
        Key::new(
            "values",
            Takes::List { of: &Takes::Literal, least: 1, most: None },
            "The words that `type: enum` takes.",
        )
        .example("[quick, full]"),
        Key::new("default", Takes::Value, "The value when none is given.")
            .otherwise("it must be given")
            .example("70"),
        Key::new(
            "ask",
            Takes::Text,
            "The question to a person at a terminal; elsewhere the default counts.",
        )
        .example("\"Target coverage in percent?\""),
    ],
    not_yet: &[],
    rule: Rule::DefaultOfType,
};

pub(in crate::workflow) static DEFAULTS: Mapping = Mapping {
    name: "defaults",
    of: "`defaults`",
    doc: "What steps have unless they say otherwise.",
    keys: &[
        Key::new("retries", small_count(1), "Tries in all, the first included.").default("3"),
        Key::new("timeout", Takes::Time, "How long an attempt may take.").default("30m"),
        Key::new(
            "idle_timeout",
            Takes::Time,
            "How long an attempt may show no sign of life at all.",
        )
        .default("10m"),
        Key::new(
            "network",
            Takes::Word(&NETWORK_WORDS),
            "What attempts reach: `on` everything, `provider` hosts by list, `off` nothing.",
        )
        .default("on"),
        Key::new(
            "backoff",
            Takes::Either(&[Takes::Time, Takes::Mapping(&BACKOFF)]),
            "How long to wait after trouble with the surroundings or a timeout.",
        )
        .default("{\"initial\": \"5s\", \"max\": \"1h\"}"),
    ],
    not_yet: &[],
    rule: Rule::None,
};

pub(in crate::workflow) static LIMITS: Mapping = Mapping {
    name: "limits",
    of: "`limits`",
    doc: "The budget of a run.",
    keys: &[
        Key::new("cost_usd", Takes::Amount, "The most that agents may cost, in US dollars.")
            .default("25"),
        Key::new("wall", Takes::Time, "The most time that attempts and checks may take in all.")
            .default("8h"),
        Key::new("attempts", count(1), "The most attempts in all.")
            .otherwise("the worst case, at least 60"),
    ],
    not_yet: &[],
    rule: Rule::None,
};

pub(in crate::workflow) static PREPARE: Mapping = Mapping {
    name: "prepare",
    of: "an entry of `prepare`",
    doc: "A command that makes a clean tree ready, in a room of its own where registries can be \
          reached. What it made is used again for the same command and the same content of all its \
          `inputs`.",
    keys: &[
        Key::new("in", Takes::Path, "The folder to run in.").otherwise("the root").example("web"),
        Key::new("run", Takes::Command, "The command.").required().example("npm ci"),
        Key::new(
            "lock",
            Takes::Path,
            "The lock file; it is one of the `inputs` where there are any.",
        )
        .example("web/package-lock.json"),
        Key::new("timeout", Takes::Time, "How long it may take.").default("30m"),
        Key::new(
            "inputs",
            one_or_more(&Takes::Glob),
            "The files that the command sees, and no others: manifests, lock files, settings of \
             registries.",
        )
        .otherwise("the whole tree")
        .example("[web/package.json, web/package-lock.json, web/.npmrc]"),
        Key::new("room", Takes::Mapping(&ROOM), "What its room opens besides.")
            .otherwise("nothing")
            .example("{expose: [~/.cache/browsers]}"),
    ],
    not_yet: &[],
    rule: Rule::None,
};

pub(in crate::workflow) static SERVER: Mapping = Mapping {
    name: "server",
    of: "a server",
    doc: "An MCP server: a program that talks over its standard input and output and gives agents \
          more tools. What stands here is part of the journal, so no secret belongs here.",
    keys: &[
        Key::new("command", Takes::Text, "The program, found in `PATH`.").required().example("ng"),
        Key::new("args", list(&Takes::Literal), "Its arguments.")
            .otherwise("none")
            .example("[mcp]"),
        Key::new(
            "env",
            Takes::Named { names: Names::Variables, of: &Takes::Literal },
            "Variables for it.",
        )
        .otherwise("none")
        .example("{NG_CLI_ANALYTICS: \"false\"}"),
        Key::new("optional", Takes::Boolean, "Whether a missing program is no trouble.")
            .default("false"),
    ],
    not_yet: &[],
    rule: Rule::None,
};

pub(in crate::workflow) static BACKOFF: Mapping = Mapping {
    name: "backoff",
    of: "`backoff`",
    doc: "A wait that doubles from failure to failure. One time alone is the first wait.",
    keys: &[
        Key::new("initial", Takes::Time, "The wait after the first failure.").default("5s"),
        Key::new("max", Takes::Time, "The longest wait.").default("1h"),
    ],
    not_yet: &[],
    rule: Rule::None,
};
