//! Steps that are repeated for every item: what is refused, and what plans come of them.

use insta::assert_snapshot;
use windlass_core::plan::{Foreach, Plan, PlanRequest};

use super::{parsed, refused, refused_step};

/// A workflow around these lines of a step `stories` that repeats.
fn around(lines: &str) -> String {
    format!(
        "workflow: w
steps:
  - {{id: plan, agent: p, done: {{diff: any}}}}
  - id: stories
    foreach: items
{lines}
  - {{id: last, agent: l, done: {{diff: any}}}}
"
    )
}

fn planned(source: &str) -> Plan {
    parsed(source).plan(PlanRequest::default()).expect("a plan")
}

fn foreach(plan: &Plan) -> &Foreach {
    let index = plan.foreaches().next().expect("a step repeats");
    plan.foreach(index).expect("it repeats something")
}

const STEPS: &str = "    steps:
      - {id: code, agent: c, task: 'Do {item.id}: {item.title} {item.body}', done: {file: 'src/{item.id}.txt'}}
      - {id: review, agent: r, may_write: ['{item.id}/**'], done: {verdict: .context.v, accept: OK}, on: {NO: {rollback: code, max: 2}}}";

#[test]
fn the_repeated_steps_stand_once_in_the_plan_and_count_from_their_first() {
    let plan = planned(&around(STEPS));
    let ids: Vec<&str> = plan.steps.iter().map(|step| step.id.as_str()).collect();
    assert_eq!(ids, ["plan", "stories", "last"]);
    assert_eq!(plan.steps[1].needs.iter().map(|need| need.0).collect::<Vec<_>>(), [0]);
    assert_eq!(plan.steps[2].needs.iter().map(|need| need.0).collect::<Vec<_>>(), [1]);
    let repeated = foreach(&plan);
    assert_eq!((repeated.max, repeated.tasks.as_deref()), (50, None));
    let inside: Vec<_> = repeated
        .steps
        .iter()
        .map(|step| (step.id.as_str(), step.needs.iter().map(|n| n.0).collect::<Vec<_>>()))
        .collect();
    assert_eq!(inside, [("stories/code", vec![]), ("stories/review", vec![0])]);
    assert_eq!(repeated.steps[1].on["NO"].rollback.otherwise.0, 0);
    assert_eq!(repeated.steps[0].task, "Do {item.id}: {item.title} {item.body}");
    assert!(repeated.steps.iter().all(|step| step.parent.is_none()));
    let stored: Plan = serde_json::from_str(&serde_json::to_string(&plan).unwrap()).unwrap();
    assert_eq!(stored, plan);
}

#[test]
fn max_and_tasks_are_read_and_a_condition_stays_where_it_is_written() {
    let source = around(
        "    max: 7
    tasks: '{specs}/tasks.md'
    when: .inputs.x
    steps:
      - {id: code, agent: c, done: {diff: any}}
      - {id: docs, agent: d, when: '.item.id == \"S1\"', done: {diff: any}}",
    );
    let plan = planned(&source);
    let repeated = foreach(&plan);
    assert_eq!(repeated.max, 7);
    assert_eq!(repeated.tasks.as_deref(), Some(".windlass/run/specs/tasks.md"));
    assert_eq!(plan.steps[1].when.as_deref(), Some(".inputs.x"));
    assert_eq!(repeated.steps[0].when, None);
    assert_eq!(repeated.steps[1].when.as_deref(), Some(".item.id == \"S1\""));
}

#[test]
fn groups_can_be_around_and_inside() {
    let plan = planned(
        "workflow: w
steps:
  - id: g
    steps:
      - id: stories
        foreach: items
        steps:
          - id: work
            steps: [{id: a, agent: x, done: {diff: any}}, {id: b, agent: x, done: {diff: any}}]
          - {id: check, agent: y, done: {diff: any}}
",
    );
    let ids: Vec<&str> = plan.steps.iter().map(|step| step.id.as_str()).collect();
    assert_eq!(ids, ["g/stories", "g"]);
    let inside: Vec<_> = foreach(&plan)
        .steps
        .iter()
        .map(|step| (step.id.as_str(), step.parent.map(|p| p.0), step.needs.len()))
        .collect();
    assert_eq!(
        inside,
        [
            ("g/stories/work/a", Some(2), 0),
            ("g/stories/work/b", Some(2), 1),
            ("g/stories/work", None, 1),
            ("g/stories/check", None, 1),
        ]
    );
}

#[test]
fn the_bound_counts_every_item_and_its_routes() {
    // `code` and `review` have three tries each, and the route opens both twice more.
    let workflow = parsed(&around(STEPS).replace("foreach: items", "foreach: items\n    max: 4"));
    assert_eq!(workflow.worst_case_attempts(), 3 + 4 * (6 + 2 * 6) + 3);
    let back = around(STEPS).replace(
        "{id: last, agent: l, done: {diff: any}}",
        "{id: last, agent: l, done: {verdict: .v, accept: OK}, on: {NO: {rollback: plan, max: 1}}}",
    );
    let workflow = parsed(&back.replace("foreach: items", "foreach: items\n    max: 4"));
    let once = 3 + 4 * (6 + 2 * 6) + 3;
    // Going back opens everything; the routes of items are never reset.
    assert_eq!(workflow.worst_case_attempts(), once + 3 + 4 * 6 + 3);
}

#[test]
fn foreach_needs_something_to_repeat() {
    assert_snapshot!(refused_step("agent: x;foreach: items;done: {diff: any}"), @r#"
    w.yaml:5:14: `foreach` has nothing to repeat
      help: nest `steps` in this step: they are done once for every item
    "#);
    assert_snapshot!(refused_step("agent: x;max: 3;tasks: TASKS.md;done: {diff: any}"), @r#"
    w.yaml:5:5: `max` has no meaning without `foreach`
      help: add `foreach: items` to repeat the nested `steps`
    w.yaml:6:5: `tasks` has no meaning without `foreach`
      help: add `foreach: items` to repeat the nested `steps`
    "#);
}

#[test]
fn values_that_mean_nothing_are_refused() {
    assert_snapshot!(refused(&around(&format!("    max: 0\n    tasks: ../T.md\n{STEPS}"))), @r#"
    w.yaml:5:14: nobody adds items before `stories` begins
      help: without any it is skipped: let an earlier step publish `items: array`, name a task list with `tasks`, or add them yourself with `windlass item add` in time
    w.yaml:6:10: expected a whole number of at least 1, found the number `0`
    w.yaml:7:12: `../T.md`: the path leads outside with `..`: paths stay inside the repository
    "#);
    assert_snapshot!(refused(&around(STEPS).replace("foreach: items", "foreach: stories")), @r#"
    w.yaml:5:14: expected `items`, found `stories`
    w.yaml:5:14: nobody adds items before `stories` begins
      help: without any it is skipped: let an earlier step publish `items: array`, name a task list with `tasks`, or add them yourself with `windlass item add` in time
    "#);
    assert_snapshot!(refused(&around(&format!("    max: 1000\n{STEPS}"))), @r#"
    w.yaml:5:14: nobody adds items before `stories` begins
      help: without any it is skipped: let an earlier step publish `items: array`, name a task list with `tasks`, or add them yourself with `windlass item add` in time
    w.yaml:5:14: 1000 items with 2 steps and a group each are more than 2000 steps
      help: lower `max`
    "#);
    assert_snapshot!(refused(&around(&format!("    agent: x\n    retries: 2\n{STEPS}"))), @r#"
    w.yaml:5:14: nobody adds items before `stories` begins
      help: without any it is skipped: let an earlier step publish `items: array`, name a task list with `tasks`, or add them yourself with `windlass item add` in time
    w.yaml:6:5: `agent` has no meaning on a step with nested `steps`
      help: nobody works on the step itself: move the key to the steps inside it
    w.yaml:7:5: `retries` has no meaning on a step with nested `steps`
      help: nobody works on the step itself: move the key to the steps inside it
    "#);
}

#[test]
fn a_foreach_inside_another_is_refused() {
    assert_snapshot!(refused(&around(
        "    steps:
      - id: inner
        foreach: items
        steps: [{id: a, agent: x, done: {diff: any}}]"
    )), @r#"
    w.yaml:5:14: nobody adds items before `stories` begins
      help: without any it is skipped: let an earlier step publish `items: array`, name a task list with `tasks`, or add them yourself with `windlass item add` in time
    w.yaml:8:18: a `foreach` cannot be inside another
      help: items have no items of their own: make them items of one list
    w.yaml:8:18: nobody adds items before `stories/inner` begins
      help: without any it is skipped: let an earlier step publish `items: array`, name a task list with `tasks`, or add them yourself with `windlass item add` in time
    "#);
}

#[test]
fn nothing_outside_knows_a_step_of_an_item_and_none_of_them_knows_what_is_outside() {
    assert_snapshot!(refused(&around(
        "    steps:
      - {id: code, agent: c, needs: [plan], done: {diff: any}}"
    ).replace("{id: last,", "{id: last, needs: [stories/code],")), @r#"
    w.yaml:5:14: nobody adds items before `stories` begins
      help: without any it is skipped: let an earlier step publish `items: array`, name a task list with `tasks`, or add them yourself with `windlass item add` in time
    w.yaml:7:38: `stories/code` cannot need `plan`
      help: a step of an item needs only steps of the same item: let `stories` need it
    w.yaml:8:24: `last` cannot need `stories/code`
      help: it is done once for every item: need `stories`, which is done when all of them are
    "#);
    assert_snapshot!(refused(&around(
        "    steps:
      - {id: code, agent: c, done: {verdict: .v, accept: OK}, on: {NO: {rollback: plan, max: 1}}}"
    )), @r#"
    w.yaml:5:14: nobody adds items before `stories` begins
      help: without any it is skipped: let an earlier step publish `items: array`, name a task list with `tasks`, or add them yourself with `windlass item add` in time
    w.yaml:7:83: cannot go back from `stories/code` to `plan`: an item goes back only to its own steps, and nobody else to those
      help: name a step on the same side of `foreach`
    "#);
    assert_snapshot!(refused(&around(STEPS).replace(
        "{id: last, agent: l, done: {diff: any}}",
        "{id: last, agent: l, done: {verdict: .v, accept: OK}, on: {NO: {rollback: stories/code, max: 1}, MORE: {rollback: stories, max: 1}}}",
    )), @r#"
    w.yaml:5:14: nobody adds items before `stories` begins
      help: without any it is skipped: let an earlier step publish `items: array`, name a task list with `tasks`, or add them yourself with `windlass item add` in time
    w.yaml:9:79: cannot go back from `last` to `stories/code`: an item goes back only to its own steps, and nobody else to those
      help: name a step on the same side of `foreach`
    w.yaml:9:119: cannot go back from `last` to `stories`: that would do every item again
      help: name a step before it, or let a person decide at a `gate`
    "#);
}

#[test]
fn placeholders_of_items_stand_where_they_are_known_and_safe() {
    assert_snapshot!(refused_step("agent: x;task: Do {item.title};reads: ['{item.id}.md'];done: {diff: any}"), @r#"
    w.yaml:5:11: `{item.title}` is known only where steps are repeated
      help: use it in the steps that are nested in a step with `foreach: items`
    w.yaml:6:13: `{item.id}` is known only where steps are repeated
      help: use it in the steps that are nested in a step with `foreach: items`
    "#);
    assert_snapshot!(refused(&around(
        "    steps:
      - id: code
        agent: c
        model: '{item.id}'
        task: Do {item.titel} of {item}
        reads: ['{item.title}.md']
        done: {run: 'test {item.id}', in: '{item.id}'}"
    )), @r#"
    w.yaml:5:14: nobody adds items before `stories` begins
      help: without any it is skipped: let an earlier step publish `items: array`, name a task list with `tasks`, or add them yourself with `windlass item add` in time
    w.yaml:9:16: `{item.id}` is not known before its item comes up
      help: `{item.…}` works in `task`, `reads`, `publishes`, `may_write`, `writes`, `file` and `diff`
    w.yaml:10:15: unknown placeholder `{item.titel}`
      help: did you mean `{item.title}`?
    w.yaml:11:17: `{item.title}` cannot be part of a path
      help: `{item.id}` can: it has only letters, digits, `-` and `_`
    w.yaml:12:21: `{item.id}` cannot be part of a command: only inputs can
      help: give it to the command of a check as a variable: `env: {ITEM: .item.id, TITLE: .item.title}`
    w.yaml:12:43: `{item.id}` is not known before its item comes up
      help: `{item.…}` works in `task`, `reads`, `publishes`, `may_write`, `writes`, `file` and `diff`
    "#);
}

#[test]
fn spokes_of_a_team_write_files_of_their_item_and_never_the_same_one() {
    let team = |one: &str, other: &str| {
        around(&format!(
            "    steps:
      - id: plan
        team:
          spokes:
            - {{id: a, agent: x, writes: '{one}'}}
            - {{id: b, agent: y, writes: '{other}'}}
          hub: {{agent: z}}
        done: {{file: '{{item.id}}.md'}}"
        ))
    };
    let source = team("{specs}/{item.id}-a.md", "{{context.x}}-{item.id}.md");
    let plan = parsed(&source).plan(PlanRequest::default()).unwrap();
    let foreach = plan.foreaches().next().and_then(|index| plan.foreach(index)).unwrap();
    let spoke = &foreach.steps[0];
    assert_eq!(spoke.writes, [".windlass/run/specs/{item.id}-a.md"]);
    assert_eq!(foreach.steps[1].writes, ["{context.x}-{item.id}.md"]);
    let read = &foreach.steps[2].reads[1].file;
    assert_eq!(read, "{{context.x}-{item.id}.md", "a brace that is meant stays one");
    assert_snapshot!(refused(&team("{item.id}.md", "{item.id}.md")), @r#"
    w.yaml:5:14: nobody adds items before `stories` begins
      help: without any it is skipped: let an earlier step publish `items: array`, name a task list with `tasks`, or add them yourself with `windlass item add` in time
    w.yaml:11:41: spokes `a` and `b` write the same file
      help: give each spoke a file of its own
    "#);
    let inputs = "inputs: {n: {type: string, default: a}, m: {type: string, default: a}}\nsteps:";
    let same = team("{inputs.n}.md", "{inputs.m}.md").replacen("steps:", inputs, 1);
    assert!(parsed(&same).plan(PlanRequest::default()).is_err(), "the files are the same one");
}

#[test]
fn a_list_that_nobody_fills_is_pointed_out() {
    let source = "workflow: w\nsteps:\n  - id: stories\n    foreach: items\n    steps: [{id: a, agent: x, done: {diff: any}}]\n";
    let warning = parsed(source).warnings()[0].to_string();
    assert!(warning.contains("nobody adds items before `stories` begins"), "{warning}");
    let filled = source.replace("foreach: items", "foreach: items\n    tasks: TASKS.md");
    let warning = parsed(&filled).warnings()[0].to_string();
    assert!(warning.contains("can tick or remove entries of this list"), "{warning}");
    let guarded = filled.replace("steps:\n  -", "protect: ['*.md']\nsteps:\n  -");
    assert_eq!(parsed(&guarded).warnings(), []);
}
