//! Groups: steps that stand for the steps nested in them.

use crate::run::testing::*;
use crate::run::*;

#[test]
fn a_group_without_a_criterion_is_done_when_what_is_nested_in_it_is() {
    let mut run = Run::of([
        agent("g/x").inside("g"),
        agent("g/y").inside("g"),
        group("g").needs(["g/x", "g/y"]),
    ]);
    run.proves("g/x", "c1");
    assert_eq!(
        run.proves("g/y", "c2"),
        [proven("g/y", "c2"), done("g/y"), taken("g"), done("g"), Event::RunCompleted]
    );
}
