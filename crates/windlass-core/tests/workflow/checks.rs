//! Criteria: their form, and whose word they rest on.

use insta::assert_snapshot;
use windlass_core::plan::{Criterion, Strength};

use super::{listed, one_step, parsed, refused, refused_step};

#[test]
fn a_mapping_is_one_check() {
    assert_snapshot!(refused_step("agent: x;done: {file: a, run: make}"), @r#"
    w.yaml:5:21: `file` and `run` are two checks in one mapping
      help: give each its own mapping, under `all` or `any`
    "#);
    assert_snapshot!(refused_step("agent: x;done: {flie: a}"), @r#"
    w.yaml:5:12: unknown check `flie`
      help: did you mean `file`?
    "#);
    assert_snapshot!(refused_step("agent: x;done: {}"), @"w.yaml:5:11: this check is empty");
    assert_snapshot!(refused_step("agent: x;done: make test"), @r#"
    w.yaml:5:11: expected a check, found the text `make test`
      help: write it as a mapping, such as `{file: "{specs}/plan.md"}` or `{run: make test}`
    "#);
    assert_snapshot!(refused_step("agent: x;done: {all: [{diff: any}], timeout: 3m}"), @"w.yaml:5:32: unknown key beside `all`: `timeout`");
}

#[test]
fn empty_lists_of_checks_are_refused() {
    assert_snapshot!(refused_step("agent: x;done: []"), @"w.yaml:5:11: `done` is empty: it would prove nothing");
    assert_snapshot!(refused_step("agent: x;done: {any: []}"), @"w.yaml:5:17: `any` is empty: it would prove nothing");
}

#[test]
fn options_of_checks_are_checked() {
    assert_snapshot!(refused_step("agent: x;done: [{file: 'a[', stale: no}, {run: make, timeout: 5}, {run: ''}]"), @r#"
    w.yaml:5:19: `a[` is not a glob: unclosed character class; missing ']'
    w.yaml:5:32: expected `ok`, found `no`
    w.yaml:5:58: expected a time, found the number `5`
      help: write it with its unit: `90s`, `30m`, `8h`, `1h30m`
    w.yaml:5:68: expected text, found only blanks
    "#);
    assert_snapshot!(refused_step("agent: x;done: [{diff: some}, {diff: {only: ['/x'], max_lines: 0}}, {run: m, env: [A-B]}]"), @r#"
    w.yaml:5:19: expected `any`, found `some`
    w.yaml:5:41: `/x`: the path is absolute: paths are relative to the repository
    w.yaml:5:59: expected a whole number of at least 1, found the number `0`
    w.yaml:5:79: expected the name of an environment variable
    "#);
    assert_snapshot!(refused_step("agent: x;done: {verdict: .v}"), @"w.yaml:5:11: a `verdict` check needs `accept`");
    assert_snapshot!(refused_step("agent: x;done: {verdict: .v, accept: []}"), @"w.yaml:5:33: `accept` is empty: no verdict would ever do");
}

#[test]
fn claims_alone_do_not_complete_a_step() {
    assert_snapshot!(refused_step("agent: x;done: {state: .context.ok}"), @r#"
    w.yaml:5:11: claims of its own agent alone can complete step `a`
      help: add a check that windlass observes (`file`, `run`, `junit`, `coverage` or `diff`) that has to hold in every case, let another agent judge, or accept it with `trust: agent`
    "#);
    assert_snapshot!(refused_step("agent: x;done: {verdict: .context.v, accept: [OK]}"), @r#"
    w.yaml:5:11: claims of its own agent alone can complete step `a`
      help: add a check that windlass observes (`file`, `run`, `junit`, `coverage` or `diff`) that has to hold in every case, let another agent judge, or accept it with `trust: agent`
    "#);
    assert_snapshot!(refused_step("agent: x;done: {any: [{run: make}, {state: .context.ok}]}"), @r#"
    w.yaml:5:18: claims of its own agent alone can complete step `a`
      help: add a check that windlass observes (`file`, `run`, `junit`, `coverage` or `diff`) that has to hold in every case, let another agent judge, or accept it with `trust: agent`
    "#);
    assert_snapshot!(refused_step("agent: x;done: {not: {state: .context.bad}}"), @r#"
    w.yaml:5:17: claims of its own agent alone can complete step `a`
      help: add a check that windlass observes (`file`, `run`, `junit`, `coverage` or `diff`) that has to hold in every case, let another agent judge, or accept it with `trust: agent`
    "#);
    assert_snapshot!(refused_step("agent: x;done: {not: {all: [{run: make}, {state: .a}]}}"), @r#"
    w.yaml:5:24: claims of its own agent alone can complete step `a`
      help: add a check that windlass observes (`file`, `run`, `junit`, `coverage` or `diff`) that has to hold in every case, let another agent judge, or accept it with `trust: agent`
    "#);
}

#[test]
fn a_claim_beside_something_observed_is_fine() {
    for done in [
        "[{state: .context.ok}, {run: make}]",
        "{not: {run: grep TODO}}",
        "{not: {any: [{run: make}, {state: .a}]}}",
        "{any: [{run: make}, {all: [{state: .a}, {diff: any}]}]}",
    ] {
        assert_eq!(listed(parsed(&one_step(&format!("agent: x;done: {done}"))).warnings()), "");
    }
}

#[test]
fn trust_is_allowed_and_shown() {
    let workflow = parsed(&one_step("agent: x;trust: agent;done: {state: .context.ok}"));
    assert_snapshot!(listed(workflow.warnings()), @r#"
    w.yaml:6:11: step `a` is done when its own agent says so
      help: `trust: agent` allows it, and every report shows it
    "#);
}

#[test]
fn a_verdict_is_observed_when_another_agent_gives_it() {
    let judged_by = |judge: &str| {
        format!(
            "workflow: w\nsteps:\n  - {{id: a, agent: x, done: {{diff: any}}}}\n  - {{id: b, agent: {judge}, done: {{verdict: .v, accept: OK}}}}\n"
        )
    };
    let plan = parsed(&judged_by("y")).plan(Default::default()).unwrap();
    let Some(Criterion::Check(check)) = &plan.steps[1].done else { panic!("{plan:?}") };
    assert_eq!(check.strength(), Strength::Observed);
    assert_snapshot!(refused(&judged_by("x")), @r#"
    w.yaml:4:29: claims of its own agent alone can complete step `b`
      help: add a check that windlass observes (`file`, `run`, `junit`, `coverage` or `diff`) that has to hold in every case, let another agent judge, or accept it with `trust: agent`
    "#);
}

#[test]
fn a_verdict_on_nobodys_work_is_a_claim() {
    assert_snapshot!(refused("workflow: w
steps:
  - {id: a, agent: x, done: {diff: any}}
  - {id: b, agent: y, needs: [], done: {verdict: .v, accept: OK}}
"), @r#"
    w.yaml:4:40: claims of its own agent alone can complete step `b`
      help: add a check that windlass observes (`file`, `run`, `junit`, `coverage` or `diff`) that has to hold in every case, let another agent judge, or accept it with `trust: agent`
    "#);
}

#[test]
fn a_group_is_judged_like_any_step() {
    assert_snapshot!(refused_step("done: {state: .a};steps: [{id: b, agent: y, done: {diff: any}}]"), @r#"
    w.yaml:4:11: claims of its own agent alone can complete step `a`
      help: add a check that windlass observes (`file`, `run`, `junit`, `coverage` or `diff`) that has to hold in every case, let another agent judge, or accept it with `trust: agent`
    "#);
}

#[test]
fn reports_need_the_command_that_writes_them() {
    assert_snapshot!(refused_step("agent: x;done: {junit: '**/*.xml'}"), @r#"
    w.yaml:5:11: a `junit` check needs `run`
      help: say with `run` which command writes the reports: a report that was there before proves nothing
    "#);
    assert_snapshot!(refused_step("agent: x;done: {coverage: lcov.info, min: 70}"), @r#"
    w.yaml:5:11: a `coverage` check needs `run`
      help: say with `run` which command writes the reports: a report that was there before proves nothing
    "#);
    assert_snapshot!(refused_step("agent: x;done: {junit: a.xml, run: make, file: b}"), @r#"
    w.yaml:5:37: `junit` and `file` are two checks in one mapping
      help: give each its own mapping, under `all` or `any`
    "#);
}

#[test]
fn options_of_measured_checks_are_checked() {
    assert_snapshot!(refused_step("agent: x;done: [{junit: '/a.xml', run: m, min: 0, failures: -1, max: 3}, {junit: 'a[', run: m, timeout: 5}]"), @r#"
    w.yaml:5:20: `/a.xml`: the path is absolute: paths are relative to the repository
    w.yaml:5:43: expected a whole number of at least 1, found the number `0`
    w.yaml:5:56: expected a whole number of at least 0, found the number `-1`
    w.yaml:5:60: unknown key of a `junit` check: `max`
      help: known here: `junit`, `run`, `min`, `failures`, `timeout`, `cache`, `env`, `in`, `network`, `hosts`, `room`
    w.yaml:5:77: `a[` is not a glob: unclosed character class; missing ']'
    w.yaml:5:100: expected a time, found the number `5`
      help: write it with its unit: `90s`, `30m`, `8h`, `1h30m`
    "#);
    assert_snapshot!(refused_step("agent: x;done: [{coverage: a, run: m}, {coverage: a, run: m, min: 101}, {coverage: a, run: m, min: '70'}, {coverage: a, run: m, min: 070}, {coverage: a, run: m, min: 0.1234567}]"), @r#"
    w.yaml:5:12: a `coverage` check needs `min`
    w.yaml:5:62: expected a percentage from 0 to 100, found the number `101`
    w.yaml:5:95: expected a percentage from 0 to 100, found the text `70`
      help: leave out the quotes
    w.yaml:5:129: expected a percentage from 0 to 100, found the number `070`
      help: a leading zero means octal to some and decimal to others: leave it out
    w.yaml:5:162: expected a percentage from 0 to 100, found the number `0.1234567`
    "#);
    assert_snapshot!(refused_step("agent: x;done: [{coverage: a, run: m, min: '{goal}'}, {coverage: a, run: m, min: '{inputs.nope}'}, {checklist: a, min: many}, {checklist: '../a'}, {checklist: a, run: m}]"), @r#"
    w.yaml:5:39: expected a percentage from 0 to 100, found the text `{goal}`
      help: only an input can give it: `"{inputs.NAME}"`
    w.yaml:5:115: expected a percentage from 0 to 100, found the text `many`
    w.yaml:5:134: `../a`: the path leads outside with `..`: paths stay inside the repository
    w.yaml:5:158: `checklist` and `run` are two checks in one mapping
      help: give each its own mapping, under `all` or `any`
    "#);
    assert_snapshot!(refused_step("agent: x;done: [{junit: '{context.a}', run: m}, {junit: a, run: 'm {goal}'}]"), @r#"
    w.yaml:5:20: `{context.a}` is not known before the run starts
      help: `{context.…}` works in `task`, `reads`, `publishes`, `file` and `checklist`
    w.yaml:5:60: `{goal}` cannot be part of a command: only inputs can
      help: make it an input, or let the command find it out
    "#);
}

#[test]
fn the_input_that_gives_a_percentage_exists() {
    assert_snapshot!(refused_step("agent: x;done: [{coverage: a, run: m, min: '{inputs.nope}'}, {junit: '{inputs.a}', run: 'm {inputs.b}'}]"), @r#"
    w.yaml:5:39: unknown input `nope`
    w.yaml:5:65: unknown input `a`
    w.yaml:5:84: unknown input `b`
    "#);
}

#[test]
fn ticked_boxes_are_claims() {
    assert_snapshot!(refused_step("agent: x;done: {checklist: tasks.md}"), @r#"
    w.yaml:5:11: claims of its own agent alone can complete step `a`
      help: add a check that windlass observes (`file`, `run`, `junit`, `coverage` or `diff`) that has to hold in every case, let another agent judge, or accept it with `trust: agent`
    "#);
    for done in [
        "{checklist: t.md}, {junit: a.xml, run: m}",
        "{checklist: t.md, min: 80.5}, {coverage: a, run: m, min: 1}",
    ] {
        assert_eq!(listed(parsed(&one_step(&format!("agent: x;done: [{done}]"))).warnings()), "");
    }
}
