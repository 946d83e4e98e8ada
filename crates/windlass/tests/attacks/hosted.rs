//! What there is to say about the column of hosted sessions. Its cells are played like all others
//! (`session.rs`).

/// A row, and something about it.
pub(crate) struct Reason {
    pub(crate) name: &'static str,
    pub(crate) why: &'static str,
}

const fn because(name: &'static str, why: &'static str) -> Reason {
    Reason { name, why }
}

const PLACE: &str = "the checkout is the place, and its git settings are not put back";
const LAUNCHER: &str = "there is no launcher around an agent of a session";

/// Rows that are played in another way than by the agent's script or the probe as it is.
pub(crate) const OTHERWISE: &[Reason] = &[
    because(
        "typed_ahead",
        "a session has no keys to press, so messages are sent while the agent works; one that the host \
         itself holds back until the gate is shown is not played, and would count as the person's",
    ),
    because(
        "survivor_forges_review",
        "there is no launcher whose end would have to be brought about, so only a process is left",
    ),
];

/// Rows where a session is worse than a run in which nothing is confined, and why.
pub(crate) const REASONS: &[Reason] = &[
    because(
        "environment_of_launcher",
        "the session itself is above its agents, with the user's environment",
    ),
    because("inherited_file", "the session starts its own programs"),
    because("controlling_terminal", "the session has the user's terminal"),
    because("approve_at_own_terminal", "whoever hides well passes for a person"),
    because("own_tmp_file", "all agents of a session have one temporary folder"),
    because("monitor_setting", PLACE),
    because("diff_setting", PLACE),
    because("hook", PLACE),
    because("attributes_setting", PLACE),
    because("worktree_settings", PLACE),
    because("process", LAUNCHER),
    because("process_in_session", LAUNCHER),
    because("process_without_marks", LAUNCHER),
    because("monitor_for_person", PLACE),
    because("hook_for_person", PLACE),
    because("blind_reviewer", PLACE),
    because("binary_for_reviewer", PLACE),
    because("survivor_forges_review", LAUNCHER),
    because("sees_namespace", "checks run in rooms, and without confinement they do not"),
];
