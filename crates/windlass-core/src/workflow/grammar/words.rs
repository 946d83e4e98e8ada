//! Keys that take one of a few words, with what each word means to the plan.

use crate::judgement::ReportKind;
use crate::plan::{
    BaselinePolicy, CommitPolicy, Exhausted, GatePolicy, RoomNetwork, Skip, StepNetwork, ValueType,
};
use crate::protect::Only;
use crate::question::Phase;
use crate::workflow::check::PlatformCheck;

/// What windlass does itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::workflow) enum Builtin {
    PullRequest,
    Verify,
}

pub(in crate::workflow) const BUILTIN: [(&str, Builtin); 2] =
    [("pull-request", Builtin::PullRequest), ("verify", Builtin::Verify)];

pub(in crate::workflow) const GATE: [(&str, GatePolicy); 1] = [("approval", GatePolicy::Approval)];

pub(in crate::workflow) const SKIP: [(&str, Skip); 1] = [("allowed", Skip::Allowed)];

pub(in crate::workflow) const EXHAUSTED: [(&str, Exhausted); 3] =
    [("pause", Exhausted::Pause), ("block", Exhausted::Block), ("waive", Exhausted::Waive)];

/// Whether the work of a waived step stays.
pub(in crate::workflow) const WAIVE: [(&str, bool); 1] = [("keep", true)];

pub(in crate::workflow) const COMMIT: [(&str, CommitPolicy); 2] =
    [("wip", CommitPolicy::Wip), ("never", CommitPolicy::Never)];

/// The network of a step's attempts.
pub(in crate::workflow) const NETWORK: [(&str, StepNetwork); 3] =
    [("on", StepNetwork::On), ("provider", StepNetwork::Provider), ("off", StepNetwork::Off)];

/// The network of a check's command.
pub(in crate::workflow) const ROOM_NETWORK: [(&str, RoomNetwork); 2] =
    [("none", RoomNetwork::None), ("host", RoomNetwork::Host)];

pub(in crate::workflow) const BASELINE: [(&str, BaselinePolicy); 3] = [
    ("strict", BaselinePolicy::Strict),
    ("no_new_failures", BaselinePolicy::NoNewFailures),
    ("off", BaselinePolicy::Off),
];

pub(in crate::workflow) const ONLY: [(&str, Only); 2] =
    [("existing", Only::Existing), ("new", Only::New)];

/// For `satisfied` and `stale`.
pub(in crate::workflow) const OK: [(&str, bool); 1] = [("ok", true)];

pub(in crate::workflow) const TRUST: [(&str, bool); 1] = [("agent", true)];

pub(in crate::workflow) const FOREACH: [(&str, ()); 1] = [("items", ())];

/// What of the platform is checked. Whoever adds a word adds its meaning to [`PlatformCheck`] and says in
/// `plan::platform` which check it becomes.
pub(in crate::workflow) const PLATFORM_CHECKS: [(&str, PlatformCheck); 6] = [
    ("build", PlatformCheck::Build),
    ("test", PlatformCheck::Test),
    ("lint", PlatformCheck::Lint),
    ("coverage", PlatformCheck::Coverage),
    ("red", PlatformCheck::Red),
    ("green", PlatformCheck::Green),
];

/// What of the platform can put something right.
pub(in crate::workflow) const FIXES: [(&str, ()); 1] = [("lintFix", ())];

/// For a `diff` without bounds.
pub(in crate::workflow) const WHOLE_DIFF: [(&str, ()); 1] = [("any", ())];

/// What questions stand before.
pub(in crate::workflow) const PHASES: [(&str, Phase); 3] = [
    ("analysis", Phase::Analysis),
    ("planning", Phase::Planning),
    ("development", Phase::Development),
];

/// What a report judges.
pub(in crate::workflow) const REPORT_KINDS: [(&str, ReportKind); 3] = [
    ("review", ReportKind::Review),
    ("tests", ReportKind::Tests),
    ("security", ReportKind::Security),
];

/// Types of inputs, by their number in `input.rs`.
pub(in crate::workflow) const INPUT_TYPES: [(&str, u8); 5] =
    [("integer", 0), ("number", 1), ("string", 2), ("boolean", 3), ("enum", 4)];

/// Types of published values.
pub(in crate::workflow) const PUBLISHED_TYPES: [(&str, ValueType); 7] = [
    ("boolean", ValueType::Boolean),
    ("integer", ValueType::Integer),
    ("number", ValueType::Number),
    ("string", ValueType::String),
    ("array", ValueType::Array),
    ("object", ValueType::Object),
    ("any", ValueType::Any),
];

/// The words alone, for a row of the grammar.
pub(super) const fn alone<T: Copy, const N: usize>(
    words: &[(&'static str, T); N],
) -> [&'static str; N] {
    let mut alone = [""; N];
    let mut index = 0;
    while index < N {
        alone[index] = words[index].0;
        index += 1;
    }
    alone
}
