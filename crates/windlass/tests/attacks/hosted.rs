//! What a hosted session has of all this. It cannot be boxed: agents are the session's own, with the
//! user's rights, in the user's checkout. Checks run in rooms all the same.
//!
//! So the column follows from two others: what is tried within an attempt is as open as where nothing is
//! confined, and what wants a false proof meets the same judge as in a box. Exceptions are listed, each
//! with its reason and, where there is one, the test that shows it.

use crate::probe::Group;
use crate::table::Cell;

/// A row that does not follow from the others.
struct Exception {
    name: &'static str,
    cell: Cell,
    why: &'static str,
}

const fn but(name: &'static str, cell: Cell, why: &'static str) -> Exception {
    Exception { name, cell, why }
}

const HOME: &str = "agents write the user's home, and rooms show its programs";
const PLACE: &str = "the checkout is the place, and its git settings are not put back";

const EXCEPTIONS: &[Exception] = &[
    but("approve", Cell::Refused, "callers below the session decide nothing (`hosted::callers`)"),
    but("approve_as_daemon", Cell::Refused, "a decision needs a terminal (`hosted::callers`)"),
    but("approve_at_own_terminal", Cell::Open, "whoever hides well passes for a person"),
    but("process", Cell::Open, "there is no launcher around an agent of a session"),
    but("process_in_session", Cell::Open, "there is no launcher around an agent of a session"),
    but("process_without_marks", Cell::Open, "there is no launcher around an agent of a session"),
    but("inherited_file", Cell::Open, "the session starts its own programs"),
    but("controlling_terminal", Cell::Open, "the session has the user's terminal"),
    but("own_tmp_file", Cell::Open, "all agents of a session have one temporary folder"),
    but("monitor_setting", Cell::Open, PLACE),
    but("diff_setting", Cell::Open, PLACE),
    but("hook", Cell::Open, PLACE),
    but("attributes_setting", Cell::Open, PLACE),
    but("worktree_settings", Cell::Open, PLACE),
    but("monitor_for_person", Cell::Open, PLACE),
    but("hook_for_person", Cell::Open, PLACE),
    but("blind_reviewer", Cell::Open, PLACE),
    but("binary_for_reviewer", Cell::Open, PLACE),
    but("program_for_reviewer", Cell::Open, HOME),
    but("fake_program", Cell::Open, HOME),
    but("start_file_of_interpreter", Cell::Open, HOME),
    but("survivor_forges_review", Cell::Open, "there is no launcher around an agent of a session"),
];

/// What comes of an attack in a hosted session.
pub(crate) fn cell(name: &str, group: Group, unconfined: Cell, boxed: Cell) -> Cell {
    let exception = EXCEPTIONS.iter().find(|exception| exception.name == name);
    match (exception, group) {
        (Some(exception), _) => exception.cell,
        (None, Group::Proofs | Group::Judges) => boxed,
        (None, _) => unconfined,
    }
}

/// The exceptions in words, for the document.
pub(crate) fn notes() -> Vec<String> {
    EXCEPTIONS.iter().map(|each| format!("`{}`: {}", each.name, each.why)).collect()
}

/// The names of all exceptions.
pub(crate) fn names() -> Vec<&'static str> {
    EXCEPTIONS.iter().map(|each| each.name).collect()
}
