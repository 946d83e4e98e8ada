//! A team and who is in it.

use super::step::READ;
use crate::source::key::{Key, Mapping, Rule, Takes, list, one_or_more, small_count};
use crate::workflow::team::MAX_SPOKES;

static ONE_READ: Takes = Takes::Either(&[Takes::Path, Takes::Mapping(&READ)]);
const READS: Takes = list(&ONE_READ);

/// What `backend` means wherever an agent is named.
pub(super) const BACKEND: &str =
    "The program that plays it: `claude`, `codex`, `gemini`, `opencode` or `qwen`.";

/// What `model` means there.
pub(super) const MODEL: &str = "Its model, in the backend's words; or `fast` or `smart`, which Claude Code takes as \
     `sonnet` and `opus` and others ignore.";

pub(in crate::workflow) static TEAM: Mapping = Mapping {
    name: "team",
    of: "a `team`",
    doc: "Spokes that work side by side, each in a place of its own, and a hub that joins what they \
          wrote. It stands for a group of steps: one per spoke, and `hub`.",
    keys: &[
        Key::new(
            "spokes",
            Takes::List { of: &Takes::Mapping(&SPOKE), least: 1, most: Some(MAX_SPOKES) },
            "Those who work side by side.",
        )
        .required(),
        Key::new("hub", Takes::Mapping(&HUB), "Who joins it; it is proven as the step says.")
            .required()
            .example("{agent: planner, task: Make one plan of these.}"),
    ],
    not_yet: &[],
    rule: Rule::None,
};

pub(in crate::workflow) static SPOKE: Mapping = Mapping {
    name: "spoke",
    of: "a spoke",
    doc: "It is done when every file of `writes` is there and new; any other change fails its try.",
    keys: &[
        Key::new("id", Takes::Id, "The name of its step.").otherwise("the agent").example("looks"),
        Key::new("title", Takes::Text, "What people call it.").otherwise("from the id"),
        Key::new("agent", Takes::Text, "The role.").required().example("designer"),
        Key::new("backend", Takes::Text, BACKEND).otherwise("the run's").example("codex"),
        Key::new("model", Takes::Template, MODEL)
            .otherwise("the role's, else the backend's own")
            .example("\"{inputs.model_tier}\""),
        Key::new("task", Takes::Template, "What to do.").otherwise("empty").example("Draw it."),
        Key::new("when", Takes::Expression, "It is skipped unless this is `true`.")
            .otherwise("always")
            .example(".inputs.ui"),
        Key::new("reads", READS, "Files to read first.").otherwise("none"),
        Key::new(
            "writes",
            one_or_more(&Takes::Path),
            "The files that it writes, and nothing else; they are brought into the run's place.",
        )
        .required()
        .example("\"{specs}/ui.md\""),
        Key::new("retries", small_count(1), "Tries in all, the first included.")
            .otherwise("3, or `defaults`"),
        Key::new("timeout", Takes::Time, "How long an attempt may take.")
            .otherwise("30m, or `defaults`"),
        Key::new("idle_timeout", Takes::Time, "How long it may show no sign of life at all.")
            .otherwise("10m, or `defaults`"),
    ],
    not_yet: &[],
    rule: Rule::None,
};

pub(in crate::workflow) static HUB: Mapping = Mapping {
    name: "hub",
    of: "a `hub`",
    doc: "The last step of a team. It reads what the spokes wrote.",
    keys: &[
        Key::new("title", Takes::Text, "What people call it.").otherwise("from the step's title"),
        Key::new("agent", Takes::Text, "The role.").required().example("planner"),
        Key::new("backend", Takes::Text, BACKEND).otherwise("the run's").example("codex"),
        Key::new("model", Takes::Template, MODEL)
            .otherwise("the role's, else the backend's own")
            .example("\"{inputs.model_tier}\""),
        Key::new("task", Takes::Template, "What to do.").otherwise("empty"),
        Key::new("reads", READS, "Files to read besides.").otherwise("none"),
    ],
    not_yet: &[],
    rule: Rule::None,
};
