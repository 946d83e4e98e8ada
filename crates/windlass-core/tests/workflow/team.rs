//! Teams: what they stand for, and what cannot be one.

use insta::assert_snapshot;
use windlass_core::plan::{PlanRequest, Read, StepKind};
use windlass_core::view::{GraphFormat, graph};

use super::{parsed, refused};

const TEAM: &str = "workflow: w
inputs: {ui: {type: boolean, default: false}}
steps:
  - {id: before, agent: x, done: {diff: any}}
  - id: plan
    title: Planning
    when: .inputs.ui
    team:
      spokes:
        - {agent: backend, task: Think, writes: '{specs}/backend.md', retries: 2}
        - {id: looks, agent: designer, when: .inputs.ui, task: Draw, writes: ['{specs}/ui.md', docs/ui.md]}
      hub: {agent: planner, task: Join, reads: [README.md]}
    publishes: {plan.file: '{specs}/plan.md'}
    done: {file: '{specs}/plan.md'}
    gate: approval
  - {id: after, agent: x, done: {diff: any}}
";

fn one_team(team: &str) -> String {
    refused(&format!(
        "workflow: w\nsteps:\n  - id: a\n    done: {{diff: any}}\n    {}\n",
        team.replace('\n', "\n    ")
    ))
}

#[test]
fn a_team_is_a_group_of_spokes_and_a_hub() {
    let request = PlanRequest { goal: "g".to_owned(), ..PlanRequest::default() };
    let plan = parsed(TEAM).plan(request).unwrap();
    assert_snapshot!(graph(&plan, GraphFormat::Terminal), @r#"
    w: w
      before        x, 3 tries
      plan/backend  backend, 2 tries, side by side, writes .windlass/run/specs/backend.md, when .inputs.ui
      plan/looks    designer, 3 tries, side by side, writes .windlass/run/specs/ui.md and docs/ui.md, needs before, when (.inputs.ui ) and (.inputs.ui )
      plan/hub      planner, 3 tries, needs plan/backend and plan/looks, when .inputs.ui, then a person decides
      plan          the steps above together, when .inputs.ui
      after         x, 3 tries
    "#);
    assert_snapshot!(graph(&plan, GraphFormat::Drawing), @r"
    w: w

     ● before          x, 3 tries
     │
     ├─● plan/backend  backend, 2 tries, side by side, writes
     │                   .windlass/run/specs/backend.md
     │                 when .inputs.ui
     ├─● plan/looks    designer, 3 tries, side by side, writes
     │                   .windlass/run/specs/ui.md and docs/ui.md
     │                 when (.inputs.ui ) and (.inputs.ui )
     │
     ◆ plan/hub        planner, 3 tries
     │                 when .inputs.ui
     │                 then a person decides
     │
     ● plan            the steps above together
     │                 when .inputs.ui
     │
     ● after           x, 3 tries
    ");
    let step = |id: &str| plan.step(plan.find(&id.into()).unwrap());
    let hub = step("plan/hub");
    assert_eq!(hub.title, "Planning: together");
    assert!(hub.gate.is_some() && hub.publishes.contains_key("plan.file"));
    let read = |file: &str, purpose: Option<&str>, optional| Read {
        file: file.to_owned(),
        purpose: purpose.map(str::to_owned),
        optional,
    };
    assert_eq!(
        hub.reads,
        [
            read(".windlass/run/specs/backend.md", Some("work of backend"), false),
            read(".windlass/run/specs/ui.md", Some("work of looks"), true),
            read("docs/ui.md", Some("work of looks"), true),
            read("README.md", None, false),
        ]
    );
    assert_eq!(step("plan").kind, StepKind::Group);
    assert!(step("plan/backend").is_spoke() && !hub.is_spoke());
    assert_eq!(step("plan/backend").retries, 2);
}

#[test]
fn the_worst_case_counts_every_spoke() {
    assert_eq!(parsed(TEAM).worst_case_attempts(), 3 + 2 + 3 + 3 + 3);
}

#[test]
fn two_spokes_never_write_one_file() {
    let source = "workflow: w
inputs: {name: {type: string, default: a}}
steps:
  - id: plan
    done: {diff: any}
    team:
      spokes: [{agent: x, writes: a.md}, {agent: y, writes: '{inputs.name}.md'}]
      hub: {agent: z}
";
    let request = PlanRequest { goal: "g".to_owned(), ..PlanRequest::default() };
    let errors = parsed(source).plan(request).unwrap_err();
    assert_eq!(errors[0].to_string(), "the spokes `plan/x` and `plan/y` both write `a.md`");
}

#[test]
fn what_is_no_team_is_refused() {
    assert_snapshot!(one_team("team: {}"), @r#"
    w.yaml:5:11: a `team` needs `spokes`
    w.yaml:5:11: a `team` needs `hub`
    "#);
    assert_snapshot!(one_team("team:\n  spokes: []\n  hub: {agent: x}"), @"w.yaml:6:15: a team has 1 to 16 spokes, and here are 0");
    assert_snapshot!(one_team("team:\n  spokes: [{task: t}]\n  hub: {task: t}"), @r#"
    w.yaml:6:16: a spoke needs `agent`
    w.yaml:6:16: a spoke needs `writes`
    w.yaml:7:12: a `hub` needs `agent`
    "#);
    assert_snapshot!(one_team("agent: x\nsteps: []\nteam:\n  spokes: [{agent: y, writes: a.md}]\n  hub: {agent: x}"), @r#"
    w.yaml:5:5: `agent` has no meaning on a step with a `team`
      help: name it in `hub`
    w.yaml:6:5: `steps` has no meaning on a step with a `team`
      help: a team makes its own steps
    w.yaml:6:12: `steps` is empty: at least one step belongs there
    "#);
    assert_snapshot!(one_team("team:\n  spokes:\n    - {agent: y, writes: a.md}\n    - {agent: y, writes: a.md}\n    - {agent: hub, writes: ../b.md, gate: approval}\n  hub: {agent: x, done: {diff: any}}"), @r#"
    w.yaml:8:19: a second step is called `a/y`
      help: give each step its own id
    w.yaml:8:30: spokes `y` and `y` write the same file
      help: give each spoke a file of its own
    w.yaml:9:19: `hub` is the last step of a team
      help: use another `id`
    w.yaml:9:41: unknown key of a spoke: `gate`
      help: known here: `id`, `title`, `agent`, `backend`, `model`, `task`, `when`, `reads`, `writes`, `retries`, `timeout`, `idle_timeout`
    w.yaml:10:23: unknown key of a `hub`: `done`
      help: known here: `title`, `agent`, `backend`, `model`, `task`, `reads`
    "#);
    // Where one has a file the other cannot have a folder.
    assert_snapshot!(one_team("team:\n  spokes:\n    - {agent: x, writes: '{specs}/notes'}\n    - {agent: y, writes: '{specs}/notes/b.md'}\n  hub: {agent: z}"), @r#"
    w.yaml:8:30: spokes `x` and `y` write the same file
      help: give each spoke a file of its own
    "#);
}
