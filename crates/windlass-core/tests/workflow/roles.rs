//! Roles and MCP servers as parts of a plan.

use std::collections::BTreeMap;

use windlass_core::plan::{Plan, PlanRequest};
use windlass_core::role::{Role, RoleSource};

use super::{listed, parsed, refused};

const WORKFLOW: &str = r#"
workflow: w
inputs:
  tier: {type: enum, values: [fast, smart], default: fast}
mcp:
  docs: {command: npx, args: ["-y", docs], env: {A: b}, optional: true}
steps:
  - id: plan
    team:
      spokes: [{agent: designer, model: "{inputs.tier}", writes: "{specs}/ui.md"}]
      hub: {agent: planner, model: inherit}
    done: {file: "{specs}/plan.md"}
  - {id: build, agent: developer, done: {diff: any}}
  - id: stories
    foreach: items
    steps: [{id: write, agent: writer, done: {diff: any}}]
  - {id: look, agent: nobody-we-know, done: {diff: any}}
"#;

fn role(name: &str, more: &str) -> (String, Role) {
    let text = format!("---\nname: {name}\ndescription: d\n{more}\n---\nYou are {name}.\n");
    let file = format!(".windlass/agents/{name}.md");
    (
        name.to_owned(),
        Role::parse(text.as_bytes(), &file).unwrap_or_else(|e| panic!("{}", listed(&e))),
    )
}

fn roles() -> BTreeMap<String, Role> {
    [
        role("planner", "model: opus"),
        role("developer", "model: sonnet\nmcpServers: [{docs: {command: mine}}, other]"),
        role("writer", "model: inherit"),
        role("unused", ""),
    ]
    .into()
}

fn plan(inputs: &[(&str, &str)]) -> Plan {
    let inputs = inputs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    let request = PlanRequest { inputs, roles: roles(), ..PlanRequest::default() };
    parsed(WORKFLOW).plan(request).expect("the workflow can be planned")
}

#[test]
fn a_plan_keeps_exactly_the_roles_that_its_steps_name() {
    let plan = plan(&[]);
    let kept: Vec<&str> = plan.roles.keys().map(String::as_str).collect();
    assert_eq!(kept, ["developer", "planner", "writer"]);
    let developer = &plan.roles["developer"];
    assert_eq!(developer.body, "You are developer.");
    assert_eq!(developer.source, RoleSource::File(".windlass/agents/developer.md".to_owned()));
}

#[test]
fn roles_and_servers_survive_the_journal_and_a_plan_without_them_is_written_as_before() {
    let with = plan(&[]);
    let text = serde_json::to_string(&with).unwrap();
    let read: Plan = serde_json::from_str(&text).unwrap();
    assert_eq!(read, with);
    let (mut other_roles, mut other_servers) = (read.clone(), read);
    other_roles.roles.clear();
    other_servers.mcp.clear();
    assert_ne!(other_roles, with);
    assert_ne!(other_servers, with);

    let source = "workflow: w\nsteps: [{id: a, agent: b, done: {diff: any}}]";
    let without = parsed(source).plan(PlanRequest::default()).unwrap();
    let value = serde_json::to_value(without).unwrap();
    assert!(value.get("roles").is_none() && value.get("mcp").is_none(), "{value:#}");
}

#[test]
fn the_model_is_that_of_the_step_else_that_of_its_role() {
    let models = |plan: &Plan| -> Vec<(String, Option<String>)> {
        let steps = plan.steps.iter().filter(|step| step.agent().is_some());
        steps.map(|s| (s.id.to_string(), plan.model_of(s).map(ToOwned::to_owned))).collect()
    };
    let expected = |tier: &str| {
        [
            ("plan/designer", Some(tier)),
            // `inherit` takes the role's own model back.
            ("plan/hub", None),
            ("build", Some("sonnet")),
            ("look", None),
        ]
        .map(|(step, model)| (step.to_owned(), model.map(ToOwned::to_owned)))
        .to_vec()
    };
    assert_eq!(models(&plan(&[])), expected("fast"));
    assert_eq!(models(&plan(&[("tier", "smart")])), expected("smart"));
}

#[test]
fn a_step_is_offered_the_servers_of_the_workflow_and_of_its_role() {
    let plan = plan(&[]);
    let commands = |name: &str| -> Vec<(&str, &str)> {
        let step = plan.steps.iter().find(|step| step.id.as_str() == name).unwrap();
        plan.servers_of(step).iter().map(|(name, s)| (*name, s.command.as_str())).collect()
    };
    assert_eq!(commands("look"), [("docs", "npx")]);
    assert_eq!(commands("build"), [("docs", "mine")]);
}

#[test]
fn servers_are_checked_like_everything_else() {
    let of = |mcp: &str| {
        refused(&format!(
            "workflow: w\nmcp: {mcp}\nsteps: [{{id: a, agent: b, done: {{diff: any}}}}]"
        ))
    };
    insta::assert_snapshot!(
        [of("{\"a b\": {command: x}}"), of("{a: {args: [b]}}"), of("{a: {command: x, arg: [b]}}"),
         of("{a: {command: x, args: [1], env: {\"a-b\": c}}}"), of("[a]")].concat(),
        @"
    w.yaml:2:7: `a b` cannot be the name of a server
      help: use at most 64 letters, digits, `-` and `_`, with a letter or a digit in front
    w.yaml:2:10: a server needs `command`
    w.yaml:2:23: unknown key of a server: `arg`
      help: did you mean `args`?
    w.yaml:2:30: expected text, found the number `1`
      help: put it in quotes if text is meant
    w.yaml:2:40: `a-b` cannot be the name of a variable
      help: use letters, digits and `_`
    w.yaml:2:6: expected `mcp` as a mapping, found a list
    "
    );
}

#[test]
fn an_agent_without_a_role_is_news_and_one_that_is_nearly_a_role_a_likely_slip() {
    let workflow = parsed(
        "workflow: w\nsteps:\n  - {id: a, agent: develper, done: {diff: any}}\n  \
         - {id: b, agent: judge, done: {diff: any}}\n  - {id: c, agent: judge, done: {diff: any}}\n  \
         - {id: d, agent: planner, done: {diff: any}}\n",
    );
    let found = workflow.unknown_agents(["developer", "planner"].into_iter());
    let said: Vec<String> = found
        .iter()
        .map(|one| format!("{:?} {}", one.severity, listed(std::slice::from_ref(one))))
        .collect();
    insta::assert_snapshot!(said.concat(), @"
    Warning w.yaml:3:20: the agent `develper` has no role file
      help: did you mean `developer`?
    Note w.yaml:4:20: the agent `judge` has no role file
      help: it gets only its task; a role goes into `.windlass/agents/NAME.md`
    ");
    assert_eq!(workflow.agents().into_iter().collect::<Vec<_>>(), ["develper", "judge", "planner"]);
}
