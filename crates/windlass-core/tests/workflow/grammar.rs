//! Keys and values that the grammar does not have.

use insta::assert_snapshot;

use super::{listed, one_step, parsed, refused, refused_step};

#[test]
fn unknown_keys_get_the_nearest_known_one() {
    assert_snapshot!(refused("workflow: w\nstep: []\n"), @r#"
    w.yaml:1:1: a workflow file needs `steps`
    w.yaml:2:1: unknown key of a workflow: `step`
      help: did you mean `steps`?
    "#);
    assert_snapshot!(refused_step("agent: x;retires: 2;done: {diff: any}"), @r#"
    w.yaml:5:5: unknown key of a step: `retires`
      help: did you mean `retries`?
    "#);
    assert_snapshot!(refused_step("agent: x;done: {file: a.md, minbytes: 2}"), @r#"
    w.yaml:5:24: unknown key of a `file` check: `minbytes`
      help: did you mean `min_bytes`?
    "#);
    assert_snapshot!(refused("workflow: w\ndefaults: {time_out: 3m}\nlimits: {cost: 3}\nsteps: []\n"), @r#"
    w.yaml:2:12: unknown key of `defaults`: `time_out`
      help: did you mean `timeout`?
    w.yaml:3:10: unknown key of `limits`: `cost`
      help: did you mean `cost_usd`?
    w.yaml:4:8: `steps` is empty: at least one step belongs there
    "#);
}

#[test]
fn an_unknown_key_that_is_near_to_nothing_gets_the_list() {
    assert_snapshot!(refused_step("agent: x;done: {diff: {banana: 1}}"), @r#"
    w.yaml:5:19: unknown key of a `diff` check: `banana`
      help: known here: `only`, `never`, `max_lines`, `empty`
    "#);
}

#[test]
fn what_a_workflow_and_a_step_must_have_is_asked_for() {
    assert_snapshot!(refused("title: T\n"), @r#"
    w.yaml:1:1: a workflow file needs `workflow`
    w.yaml:1:1: a workflow file needs `steps`
    "#);
    assert_snapshot!(refused("workflow: w\nsteps: [{title: T}]\n"), @r#"
    w.yaml:2:9: a step needs `id`
    w.yaml:2:9: nobody works on this step
      help: name an `agent` or a `team`, or nest `steps` in it
    w.yaml:2:9: nothing proves this step
      help: say what must hold under `done`, such as `{run: make test}` or `{diff: any}`
    "#);
    assert_snapshot!(refused("workflow: w\nsteps: []\n"), @"w.yaml:2:8: `steps` is empty: at least one step belongs there");
}

#[test]
fn ids_have_a_form() {
    assert_snapshot!(refused("workflow: My Flow\nsteps: [{id: Über, agent: x, done: {diff: any}}]\n"), @r#"
    w.yaml:1:11: `My Flow` cannot be an id
      help: use lower-case letters, digits, `-` and `_`, no `-` or `_` in front, at most 64
    w.yaml:2:14: `Über` cannot be an id
      help: use lower-case letters, digits, `-` and `_`, no `-` or `_` in front, at most 64
    "#);
    assert_snapshot!(refused("workflow: w\nsteps: [{id: -a, agent: x, done: {diff: any}}]\n"), @r#"
    w.yaml:2:14: `-a` cannot be an id
      help: use lower-case letters, digits, `-` and `_`, no `-` or `_` in front, at most 64
    "#);
    assert_snapshot!(refused("workflow: w\nsteps: [{id: a/b, agent: x, done: {diff: any}}]\n"), @r#"
    w.yaml:2:14: `a/b` cannot be an id
      help: use lower-case letters, digits, `-` and `_`, no `-` or `_` in front, at most 64
    "#);
}

#[test]
fn words_of_the_grammar_that_nothing_runs_yet_are_refused() {
    assert_snapshot!(refused_step(
        "agent: x;concurrency: 2;may_read: [a];done: {diff: any}"
    ), @r#"
    w.yaml:5:5: `concurrency` is not supported by this version of windlass yet
    w.yaml:6:5: `may_read` is not supported by this version of windlass yet
    "#);
}

#[test]
fn retries_count_the_first_try() {
    assert_snapshot!(refused_step("agent: x;retries: 0;done: {diff: any}"), @r#"
    w.yaml:5:14: `retries: 0` allows no try at all
      help: `retries` counts tries, the first included: write 1 for a single one
    "#);
    assert_snapshot!(refused_step("agent: x;retries: -1;done: {diff: any}"), @"w.yaml:5:14: expected a whole number of at least 1, found the number `-1`");
    assert_snapshot!(refused_step("agent: x;retries: 99999999999;done: {diff: any}"), @"w.yaml:5:14: 99999999999 is too large");
}

#[test]
fn times_have_units() {
    assert_snapshot!(refused_step("agent: x;timeout: 30;idle_timeout: 0s;backoff: soon;done: {diff: any}"), @r#"
    w.yaml:5:14: expected a time, found the number `30`
      help: write it with its unit: `90s`, `30m`, `8h`, `1h30m`
    w.yaml:6:19: a time of 0 leaves no time at all
    w.yaml:7:14: expected a time, found the text `soon`
      help: write it with its unit: `90s`, `30m`, `8h`, `1h30m`
    "#);
    assert_snapshot!(refused_step("agent: x;backoff: {initial: 1h, max: 1m};done: {diff: any}"), @"w.yaml:5:14: `initial` is longer than `max`");
}

#[test]
fn policies_are_words() {
    assert_snapshot!(refused_step(
        "agent: x;gate: aproval;skip: yes;exhausted: stop;commit: always;satisfied: true;trust: me;done: {diff: any}"
    ), @r#"
    w.yaml:5:11: expected `approval`, found `aproval`
      help: did you mean `approval`?
    w.yaml:6:11: expected `allowed`, found `yes`
    w.yaml:7:16: expected `pause`, `block` or `waive`, found `stop`
    w.yaml:8:13: expected `wip` or `never`, found `always`
    w.yaml:9:16: expected `ok`, found the boolean `true`
    w.yaml:10:12: expected `agent`, found `me`
    "#);
}

#[test]
fn limits_are_above_zero() {
    let steps = "steps: [{id: a, agent: x, done: {diff: any}}]";
    assert_snapshot!(refused(&format!("workflow: w\nlimits: {{cost_usd: 0, wall: 8, attempts: 0}}\n{steps}\n")), @r#"
    w.yaml:2:20: expected a number above 0, found the number `0`
    w.yaml:2:29: expected a time, found the number `8`
      help: write it with its unit: `90s`, `30m`, `8h`, `1h30m`
    w.yaml:2:42: expected a whole number of at least 1, found the number `0`
    "#);
    assert_snapshot!(refused(&format!("workflow: w\nlimits: {{cost_usd: .inf}}\n{steps}\n")), @"w.yaml:2:20: this is not valid YAML: value `.inf` is not a finite number");
    parsed(&format!("workflow: w\nlimits: {{cost_usd: 0.5, wall: 8h, attempts: 1}}\n{steps}\n"));
}

#[test]
fn inputs_have_types_and_defaults_that_fit() {
    let source = "workflow: w
inputs:
  a: {type: int}
  b: {default: 1}
  c: {type: enum}
  d: {type: enum, values: [x, y], default: z}
  e: {type: integer, default: 1.5}
  f: {type: boolean, default: yes}
  g: {type: integer, values: [1]}
  h-i: {type: string}
  j: {type: number, default: 007}
  k: {type: enum, values: []}
steps: [{id: a, agent: x, done: {diff: any}}]
";
    assert_snapshot!(refused(source), @r#"
    w.yaml:3:13: expected `integer`, `number`, `string`, `boolean` or `enum`, found `int`
      help: did you mean `integer`?
    w.yaml:4:6: an input needs `type`
    w.yaml:5:6: `type: enum` needs `values`
    w.yaml:6:44: expected one of `x`, `y`, found the text `z`
    w.yaml:7:31: expected a whole number, found the number `1.5`
    w.yaml:8:31: expected `true` or `false`, found the text `yes`
    w.yaml:9:30: `values` belongs to `type: enum`
    w.yaml:10:3: `h-i` cannot be the name of an input
      help: use letters, digits and `_`, and no digit in front
    w.yaml:11:30: expected a number, found the number `007`
      help: a leading zero means octal to some and decimal to others: leave it out
    w.yaml:12:27: `values` is empty
    "#);
}

#[test]
fn a_group_has_nobody_who_works() {
    assert_snapshot!(refused_step("agent: x;retries: 2;steps: [{id: b, agent: y, done: {diff: any}}]"), @r#"
    w.yaml:4:5: `agent` has no meaning on a step with nested `steps`
      help: nobody works on the step itself: move the key to the steps inside it
    w.yaml:5:5: `retries` has no meaning on a step with nested `steps`
      help: nobody works on the step itself: move the key to the steps inside it
    "#);
    assert_snapshot!(refused_step("steps: []"), @"w.yaml:4:12: `steps` is empty: at least one step belongs there");
}

#[test]
fn published_keys_and_values_are_checked() {
    assert_snapshot!(refused_step("agent: x;done: {diff: any};publishes: {a-b: string, c: /etc/x, d: 7}"), @r#"
    w.yaml:6:17: `a-b` cannot be a context key
      help: use names of letters, digits and `_`, joined with dots
    w.yaml:6:33: `/etc/x`: the path is absolute: paths are relative to the repository
    w.yaml:6:44: expected text, found the number `7`
      help: put it in quotes if text is meant
    "#);
    let found =
        parsed(&one_step("agent: x;done: {diff: any};publishes: {a: bool, b: nubmer, c: notes}"));
    assert_snapshot!(listed(found.warnings()), @r#"
    w.yaml:6:20: `bool` is not a type, so it is read as a path
      help: did you mean `boolean`?
    w.yaml:6:29: `nubmer` is not a type, so it is read as a path
      help: did you mean `number`?
    "#);
}

#[test]
fn reads_are_files() {
    assert_snapshot!(refused_step("agent: x;done: {diff: any};reads: [{as: Spec}, {file: a, optional: maybe}, 7]"), @r#"
    w.yaml:6:13: an entry of `reads` needs `file`
    w.yaml:6:45: expected `true` or `false`, found the text `maybe`
    w.yaml:6:53: expected an entry of `reads` as a mapping, found the number `7`
    "#);
    assert_snapshot!(refused_step("agent: x;done: {diff: any};reads: a.md"), @"w.yaml:6:12: expected a list of files, found the text `a.md`");
}

#[test]
fn paths_stay_inside_the_repository() {
    assert_snapshot!(refused_step("agent: x;done: {file: ../a.md};may_write: [/tmp/**, 'a/../b'];reads: [~/x]"), @r#"
    w.yaml:5:18: `../a.md`: the path leads outside with `..`: paths stay inside the repository
    w.yaml:6:17: `/tmp/**`: the path is absolute: paths are relative to the repository
    w.yaml:6:26: `a/../b`: the path leads outside with `..`: paths stay inside the repository
    w.yaml:7:13: `~/x`: the path is absolute: paths are relative to the repository
    "#);
    assert_snapshot!(refused("workflow: w
prepare: [{in: /srv, run: make}, {lock: a}]
carry: ../.env
protect: ['a[']
steps: [{id: a, agent: x, done: {diff: any}}]
"), @r#"
    w.yaml:2:16: `/srv`: the path is absolute: paths are relative to the repository
    w.yaml:2:34: an entry of `prepare` needs `run`
    w.yaml:3:8: `../.env`: the path leads outside with `..`: paths stay inside the repository
    w.yaml:4:11: `a[` is not a glob: unclosed character class; missing ']'
    "#);
}

#[test]
fn more_steps_than_anybody_reads_are_refused() {
    let step = "  - {id: a, agent: x, done: {diff: any}}\n";
    assert_snapshot!(refused(&format!("workflow: w\nsteps:\n{}", step.repeat(501))), @"w.yaml:3:3: there are 501 steps, more than 500");
}

#[test]
fn findings_of_a_hopeless_file_are_bounded() {
    let keys: String = (0..5000).map(|n| format!("k{n}: x\n")).collect();
    assert_eq!(windlass_core::workflow::Workflow::parse(&keys, "w").unwrap_err().len(), 50);
}
