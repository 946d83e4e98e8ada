//! A step and what belongs to it.

use super::file::BACKOFF;
use super::team::{BACKEND, MODEL, TEAM};
use super::words::{
    BUILTIN, COMMIT, EXHAUSTED, FIXES, FOREACH, GATE, NETWORK, OK, PUBLISHED_TYPES, SKIP, TRUST,
    WAIVE, alone,
};
use crate::source::key::{Key, Mapping, Names, Rule, Takes, list, one_or_more, small_count};
use crate::workflow::step::MAX_STEPS;
use crate::workflow::unsupported;

const BUILTIN_WORDS: [&str; 2] = alone(&BUILTIN);
const NETWORK_WORDS: [&str; 3] = alone(&NETWORK);
const GATE_WORDS: [&str; 1] = alone(&GATE);
const SKIP_WORDS: [&str; 1] = alone(&SKIP);
const EXHAUSTED_WORDS: [&str; 3] = alone(&EXHAUSTED);
const WAIVE_WORDS: [&str; 1] = alone(&WAIVE);
const COMMIT_WORDS: [&str; 2] = alone(&COMMIT);
const OK_WORDS: [&str; 1] = alone(&OK);
const TYPES: [&str; 7] = alone(&PUBLISHED_TYPES);
const TRUST_WORDS: [&str; 1] = alone(&TRUST);
const FIX_WORDS: [&str; 1] = alone(&FIXES);
const FOREACH_WORDS: [&str; 1] = alone(&FOREACH);

pub(in crate::workflow) static STEP: Mapping = Mapping {
    name: "step",
    of: "a step",
    doc: "One node of the workflow: who does it, what proves it, where people decide. A step with \
          nested `steps` is a group; nobody works on it, and it is done when they are.",
    keys: &[
        Key::new("id", Takes::Id, "The name, unique among the steps beside it.")
            .required()
            .on_groups()
            .example("implement"),
        Key::new("title", Takes::Text, "What people call it, also in its commit.")
            .otherwise("from the id")
            .on_groups()
            .example("Implementation"),
        Key::new("agent", Takes::Text, "The role that does it; the prompt names it.")
            .otherwise("required, except on a group or with a `team`")
            .example("developer"),
        Key::new("backend", Takes::Text, BACKEND).otherwise("the run's").example("codex"),
        Key::new("model", Takes::Template, MODEL)
            .otherwise("the role's, else the backend's own")
            .example("\"{inputs.model_tier}\""),
        Key::new("task", Takes::Template, "What to do.")
            .otherwise("empty")
            .example("\"Reach this goal: {goal}\""),
        Key::new("needs", one_or_more(&Takes::StepName), "Steps that come first; `[]` for none.")
            .otherwise("the step above")
            .on_groups()
            .example("[migrations]"),
        Key::new(
            "when",
            Takes::Expression,
            "A jq expression over the run's document; the step is skipped unless it is `true`.",
        )
        .otherwise("always")
        .on_groups()
        .example(".inputs.ui_designer"),
        Key::new(
            "reads",
            list(&Takes::Either(&[Takes::Path, Takes::Mapping(&READ)])),
            "Files to read first; the prompt gives their paths, never their contents.",
        )
        .otherwise("none")
        .example("[{file: \"{context.plan.file}\", as: Plan}]"),
        Key::new(
            "publishes",
            Takes::Named {
                names: Names::ContextKeys,
                of: &Takes::Either(&[Takes::Word(&TYPES), Takes::Path]),
            },
            "Context keys: a path that windlass sets when the step is proven, or a type \
             that the agent sets with `windlass context set`.",
        )
        .otherwise("none")
        .example("{plan.file: \"{specs}/plan.md\", review: object}"),
        Key::new("may_write", one_or_more(&Takes::Glob), "A change elsewhere fails the attempt.")
            .otherwise("everything")
            .example("[\"src/**\"]"),
        Key::new("retries", small_count(1), "Tries in all, the first included.")
            .otherwise("3, or `defaults`"),
        Key::new("timeout", Takes::Time, "How long an attempt may take.")
            .otherwise("30m, or `defaults`"),
        Key::new(
            "idle_timeout",
            Takes::Time,
            "How long an attempt may show no sign of life at all.",
        )
        .otherwise("10m, or `defaults`"),
        Key::new(
            "backoff",
            Takes::Either(&[Takes::Time, Takes::Mapping(&BACKOFF)]),
            "How long to wait after trouble with the surroundings or a timeout.",
        )
        .otherwise("5s to 1h, or `defaults`"),
        Key::new(
            "network",
            Takes::Word(&NETWORK_WORDS),
            "What its attempts reach: `on` everything, services of this machine included; `provider` \
             the backend's own hosts, the `registries` of the configuration and `hosts`; `off` nothing.",
        )
        .otherwise("`on`, or `defaults`"),
        Key::new(
            "hosts",
            one_or_more(&Takes::Host),
            "With `network: provider`: hosts that attempts reach besides, as `HOST`, `HOST:PORT` or \
             `*.DOMAIN`.",
        )
        .otherwise("none")
        .example("[docs.example.org, \"*.example.org:8443\"]"),
        Key::new("gate", Takes::Word(&GATE_WORDS), "A person has to accept the proven step.")
            .otherwise("none")
            .on_groups(),
        Key::new(
            "on",
            Takes::Named { names: Names::Verdicts, of: &Takes::Mapping(&ROUTE) },
            "Where a verdict that is not accepted leads.",
        )
        .otherwise("none")
        .example("{CHANGES_REQUESTED: {rollback: implement, max: 3}}"),
        Key::new(
            "skip",
            Takes::Word(&SKIP_WORDS),
            "An earlier step may ask to skip it, by a published object whose `skip` names it.",
        )
        .otherwise("only a person may"),
        Key::new(
            "exhausted",
            Takes::Word(&EXHAUSTED_WORDS),
            "After the last try: `pause` the run; `block` this step and what needs it; `waive` \
             the proof, which reports show.",
        )
        .default("pause"),
        Key::new(
            "waive",
            Takes::Word(&WAIVE_WORDS),
            "With `exhausted: waive`: `keep` lets the unproven work stay where it is within `may_write`.",
        )
        .otherwise("the place is set back to proven code, and the work is kept aside"),
        Key::new(
            "commit",
            Takes::Word(&COMMIT_WORDS),
            "Whether proven code becomes a commit on the run's branch.",
        )
        .default("wip"),
        Key::new("done", Takes::Criterion, "What proves the step.")
            .otherwise("required, except on a group")
            .on_groups()
            .example("{run: make test}"),
        Key::new(
            "keeps",
            Takes::Criterion,
            "What has to hold besides `done`, and what no try may break: after one that does, the code \
             goes back to what the step began from before the next.",
        )
        .otherwise("a failed try is what the next one goes on from")
        .example("{run: make test}"),
        Key::new(
            "fix",
            Takes::Either(&[Takes::Command, Takes::Mapping(&PLATFORM_FIX)]),
            "A command that is the first try, confined like an agent; the agent has the others.",
        )
        .otherwise("all tries are the agent's")
        .example("make format"),
        Key::new(
            "satisfied",
            Takes::Word(&OK_WORDS),
            "Verify before the first attempt: the work may be there.",
        )
        .otherwise("the first attempt always happens"),
        Key::new(
            "trust",
            Takes::Word(&TRUST_WORDS),
            "The agent's own claims may complete the step; reports show it.",
        )
        .otherwise("claims alone complete nothing")
        .on_groups(),
        Key::new(
            "steps",
            Takes::List { of: &Takes::Mapping(&STEP), least: 1, most: Some(MAX_STEPS) },
            "Nested steps, named `parent/child` from outside.",
        )
        .otherwise("none")
        .on_groups(),
        Key::new(
            "foreach",
            Takes::Word(&FOREACH_WORDS),
            "`items`: the nested `steps` are repeated for every item.",
        )
        .otherwise("they are done once")
        .on_groups(),
        Key::new("max", small_count(1), "With `foreach`: the most items.")
            .otherwise("50")
            .on_groups(),
        Key::new(
            "tasks",
            Takes::Path,
            "With `foreach`: a Markdown task list in the place, whose entries are items.",
        )
        .otherwise("none")
        .on_groups()
        .example("TASKS.md"),
        Key::new(
            "stories",
            Takes::Path,
            "With `foreach`: a file of stories, whose entries are items; in place of `tasks`.",
        )
        .otherwise("none")
        .on_groups()
        .example("\"{specs}/stories.yaml\""),
        Key::new(
            "report",
            Takes::Mapping(&REPORT),
            "With `foreach`: how often people are told how far the items have come.",
        )
        .otherwise("never")
        .on_groups()
        .example("{items: 3, time: 30m}"),
        Key::new(
            "checkpoint",
            Takes::Either(&[small_count(0), Takes::Template]),
            "With `foreach`: after how many items a person looks before the next; 0 for never.",
        )
        .otherwise("never")
        .on_groups()
        .example("5"),
        Key::new(
            "builtin",
            Takes::Word(&BUILTIN_WORDS),
            "Windlass does the step itself, in place of an `agent`: `pull-request` pushes the run's \
             branch and opens a pull request; `verify` only proves `done`, on the files as they are.",
        )
        .otherwise("none"),
        Key::new(
            "before",
            one_or_more(&Takes::Criterion),
            "With `builtin: pull-request`: checks that have to hold first.",
        )
        .otherwise("none")
        .example("[{run: make test}]"),
        Key::new(
            "pull_request",
            Takes::Mapping(&PULL_REQUEST),
            "With `builtin: pull-request`: what it is called and where it goes.",
        )
        .otherwise("from the issue or the goal, to the branch that the run began from"),
        Key::new(
            "failed",
            Takes::Mapping(&FAILED),
            "With `builtin`: where to go back to when what has to hold does not.",
        )
        .otherwise("`exhausted` says what happens")
        .example("{rollback: implement, max: 3}"),
        Key::new(
            "team",
            Takes::Mapping(&TEAM),
            "Several agents side by side, then one that joins what they wrote; in place of `agent`.",
        )
        .otherwise("none"),
    ],
    not_yet: &unsupported::STEP_KEYS,
    rule: Rule::AgentOrGroup,
};

pub(in crate::workflow) static PLATFORM_FIX: Mapping = Mapping {
    name: "platform_fix",
    of: "a `fix` of the platform",
    doc: "The platform's command that fixes what its linter finds; without such a command \
          all tries are the agent's.",
    keys: &[Key::new("platform", Takes::Word(&FIX_WORDS), "The command.")
        .required()
        .example("lintFix")],
    not_yet: &[],
    rule: Rule::None,
};

pub(in crate::workflow) static REPORT: Mapping = Mapping {
    name: "report",
    of: "`report`",
    doc: "How often people are told how far the items have come: whichever comes first.",
    keys: &[
        Key::new("items", small_count(1), "After so many items.").example("3"),
        Key::new("time", Takes::Time, "After so long.").example("30m"),
    ],
    not_yet: &[],
    rule: Rule::None,
};

pub(in crate::workflow) static PULL_REQUEST: Mapping = Mapping {
    name: "pull_request",
    of: "`pull_request`",
    doc: "The pull request that a run ends in.",
    keys: &[
        Key::new("title", Takes::Template, "Its title; one line.")
            .otherwise("`#N: ` and the issue's title, or the first line of the goal")
            .example("\"feat(#{issue}): {issue.title}\""),
        Key::new("base", Takes::Template, "The branch that it is to be merged into.")
            .otherwise("the branch that the run began from")
            .example("\"{inputs.target}\""),
        Key::new("draft", Takes::Boolean, "Whether it is marked as not ready.").default("false"),
    ],
    not_yet: &[],
    rule: Rule::None,
};

pub(in crate::workflow) static FAILED: Mapping = Mapping {
    name: "failed",
    of: "`failed`",
    doc: "Where a step that windlass does itself goes back to: that step is open again with all that \
          needs it, and is told which checks failed.",
    keys: &[
        Key::new(
            "rollback",
            Takes::StepName,
            "The step to go back to; a step that is repeated, as `parent/child`, is that of the item \
             which was finished last.",
        )
        .required()
        .example("implement"),
        Key::new(
            "max",
            small_count(1),
            "How often it may go back in a run, never reset; then `exhausted` says what happens.",
        )
        .required()
        .example("3"),
    ],
    not_yet: &[],
    rule: Rule::None,
};

pub(in crate::workflow) static READ: Mapping = Mapping {
    name: "read",
    of: "an entry of `reads`",
    doc: "A file to read first. A path alone stands for `{file: PATH}`.",
    keys: &[
        Key::new("file", Takes::Path, "The path.").required().example("docs/conventions.md"),
        Key::new("as", Takes::Text, "What it is to the reader.").example("Conventions"),
        Key::new("optional", Takes::Boolean, "Whether the step can do without it.")
            .default("false"),
    ],
    not_yet: &[],
    rule: Rule::None,
};

pub(in crate::workflow) static ROUTE: Mapping = Mapping {
    name: "route",
    of: "a route",
    doc: "Where a verdict leads: back to a step, which is open again with all that needs it.",
    keys: &[
        Key::new(
            "rollback",
            Takes::Either(&[Takes::StepName, Takes::Mapping(&ROLLBACK)]),
            "The step to go back to.",
        )
        .required()
        .example("implement"),
        Key::new(
            "max",
            small_count(1),
            "How often the route may be taken in a run, never reset; then the run pauses.",
        )
        .required()
        .example("3"),
        Key::new(
            "block",
            Takes::Boolean,
            "Whether a person has to look first, who is told what was found; `windlass fixed` goes on at \
             the step. In an item only that item waits.",
        )
        .default("false"),
    ],
    not_yet: &[],
    rule: Rule::None,
};

pub(in crate::workflow) static ROLLBACK: Mapping = Mapping {
    name: "rollback",
    of: "`rollback`",
    doc: "The earliest step that a listed file belongs to is next, else `otherwise`.",
    keys: &[
        Key::new(
            "files",
            Takes::Expression,
            "The jq expression that lists the files concerned; `findings` for those that a `verdict_in` report blocks on.",
        )
            .example("\".context.review.files[]\""),
        Key::new(
            "by_path",
            Takes::Named { names: Names::Globs, of: &Takes::StepName },
            "Steps by glob; for each file the first glob that it matches counts.",
        )
        .otherwise("none")
        .example("{\"db/**\": migrations, \"src/**\": implement}"),
        Key::new(
            "types",
            Takes::Expression,
            "The jq expression that lists the type of each of them, in the same order.",
        )
        .example("\".context.review.fixes[].type\""),
        Key::new(
            "by_type",
            Takes::Named { names: Names::Verdicts, of: &Takes::StepName },
            "Steps by type, for what no glob of `by_path` matches.",
        )
        .otherwise("none")
        .example("{database: migrations, backend: implement}"),
        Key::new("otherwise", Takes::StepName, "The step when neither leads to one.")
            .required()
            .example("implement"),
    ],
    not_yet: &[],
    rule: Rule::PathsNeedFiles,
};
