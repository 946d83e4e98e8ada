//! Why a step is no part of a run, as opposed to one that a person leaves out.

/// No item of a step is there.
pub(super) const NO_ITEMS: &str = "there are no items";

/// Every item of a step was left out before.
pub(super) const NO_ITEM_LEFT: &str = "no item is left to do";

const CONDITION: &str = "`when: ";
const NOT_TRUE: &str = "` is not true";

/// Returns the reason for a step whose condition is not true.
pub(super) fn condition_is_not_true(when: &str) -> String {
    format!("{CONDITION}{when}{NOT_TRUE}")
}

/// Whether a step was skipped because the workflow says so. A person's reason ends with the person's name.
pub fn is_no_part(reason: &str) -> bool {
    let by_condition = reason.starts_with(CONDITION) && reason.ends_with(NOT_TRUE);
    by_condition || reason == NO_ITEMS || reason == NO_ITEM_LEFT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_person_leaves_out_is_a_part_that_is_missing() {
        assert!(is_no_part(&condition_is_not_true(".inputs.docs")));
        assert!(is_no_part(NO_ITEMS) && is_no_part(NO_ITEM_LEFT));
        assert!(!is_no_part("`when: x` is not true (ann)"));
        assert!(!is_no_part("not now (ann)"));
    }
}
