//! A workflow that uses most of the grammar.

use super::parsed;

const LARGE: &str = include_str!("large_example.yaml");

#[test]
fn a_workflow_that_ends_in_a_pull_request_is_good() {
    let workflow = parsed(LARGE);
    assert_eq!(workflow.warnings(), []);
    // Eight steps of three tries, and three times everything from the earliest target on; nobody
    // tries anything in the step that windlass does itself. The last proof sends the first step that a
    // command proves back twice, and the three after it.
    assert_eq!(workflow.worst_case_attempts(), 8 * 3 + 3 * 5 * 3 + 2 * 4 * 3);
}
