//! What a workflow says about rooms and boxes: variables, networks, paths, the baseline and the cold proof.

use std::collections::BTreeMap;

use insta::assert_snapshot;
use windlass_core::plan::{
    BaselinePolicy, CheckKind, Plan, PlanRequest, RoomNetwork, RoomWishes, StepNetwork,
};

use super::{one_step, parsed, refused, refused_step};

fn planned(source: &str) -> Plan {
    parsed(source).plan(PlanRequest::default()).expect("a plan")
}

/// What the commands of the first step ask for, one entry for each.
fn wishes(plan: &Plan) -> Vec<RoomWishes> {
    let done = plan.steps[0].done.as_ref().expect("a criterion");
    let checks = done.checks();
    checks.iter().map(|check| check.kind.command().expect("a command").room.clone()).collect()
}

#[test]
fn every_check_with_a_command_takes_variables_a_network_and_paths() {
    let options = "env: {REVIEW: .context.review.status, ITEM: .item.id}, network: host, \
                   room: {expose: [/opt/data, ~/.cache/tool]}";
    let all = RoomWishes {
        variables: BTreeMap::from([
            ("ITEM".to_owned(), ".item.id".to_owned()),
            ("REVIEW".to_owned(), ".context.review.status".to_owned()),
        ]),
        network: RoomNetwork::Host,
        hosts: Vec::new(),
        expose: vec!["/opt/data".to_owned(), "~/.cache/tool".to_owned()],
        agents_own: false,
    };
    for check in [
        "run: make",
        "junit: r.xml, run: make",
        "coverage: r.xml, run: make, min: 1",
        "red: make, tests: t",
    ] {
        let plan = planned(&one_step(&format!("agent: x;done: {{{check}, {options}}}")));
        assert_eq!(wishes(&plan), std::slice::from_ref(&all), "{check}");
    }
    let green = format!(
        "workflow: w\nsteps:\n  - {{id: r, agent: x, done: {{red: make, tests: t}}}}\n  \
         - {{id: g, agent: x, keeps: {{run: a, {options}}}, done: {{green: make, {options}}}}}\n  \
         - {{id: p, builtin: pull-request, before: {{run: b, {options}}}}}\n"
    );
    let plan = planned(&format!("recheck: {{run: make, {options}}}\n{green}"));
    let criteria = plan.steps.iter().skip(1).filter_map(|step| step.done.as_ref());
    let checks: Vec<_> = criteria.chain(&plan.recheck).flat_map(|done| done.checks()).collect();
    assert_eq!(checks.len(), 4);
    for check in checks {
        assert_eq!(check.kind.command().unwrap().room, &all, "{check:?}");
    }
}

#[test]
fn a_check_names_the_hosts_that_it_reaches() {
    let check = |options: &str| one_step(&format!("agent: x;done: {{run: make, {options}}}"));
    let plan = planned(&check("hosts: [api.example.org, \"*.example.org:8443\"]"));
    assert_eq!(wishes(&plan)[0].hosts, ["api.example.org", "*.example.org:8443"]);
    assert_eq!(wishes(&plan)[0].network, RoomNetwork::None);
    for (options, words) in [
        ("hosts: a.example.org, network: host", "do not go together"),
        ("hosts: [\"https://a.example.org/\"]", "a.example.org"),
    ] {
        let found = refused(&check(options));
        assert!(found.contains(words), "{options}: {found}");
    }
}

#[test]
fn a_check_that_asks_for_nothing_is_planned_as_before() {
    let plan = planned(&one_step("agent: x;done: {run: make, env: [CI], network: none}"));
    let checks = plan.steps[0].done.as_ref().unwrap().checks();
    let CheckKind::Run { env, room, .. } = &checks[0].kind else { panic!("{checks:?}") };
    assert_eq!((env.as_slice(), room.is_plain()), (&["CI".to_owned()][..], true));
    let text = serde_json::to_string(&plan).unwrap();
    for word in ["room", "network", "hosts", "expose", "baseline", "cold", "variables"] {
        assert!(!text.contains(&format!("\"{word}\"")), "{word} in {text}");
    }
    let again: Plan = serde_json::from_str(&text).unwrap();
    assert_eq!((again.cold, again.baseline), (true, BaselinePolicy::Strict));
    assert_eq!(again, plan);
}

#[test]
fn names_that_nobody_gives_to_a_check_are_refused_with_another() {
    let source = "workflow: w
steps:
  - id: a
    agent: x
    done:
      run: make
      env:
        WINDLASS_CONTEXT_REVIEW_STATUS: .a
        WINDLASS_ITEM_ID: .b
        WINDLASS_PATH: .c
        GIT_DIR: .d
        LD_PRELOAD: .e
        PATH: .f
        a-b: .g
        1A: .h
        FINE: 7
";
    assert_snapshot!(refused(source), @r#"
    w.yaml:8:9: a check cannot be given the variable `WINDLASS_CONTEXT_REVIEW_STATUS`
      help: choose another name, such as `REVIEW_STATUS`
    w.yaml:9:9: a check cannot be given the variable `WINDLASS_ITEM_ID`
      help: choose another name, such as `ITEM_ID`
    w.yaml:10:9: a check cannot be given the variable `WINDLASS_PATH`
      help: choose another name, such as `CHECK_WINDLASS_PATH`
    w.yaml:11:9: a check cannot be given the variable `GIT_DIR`
      help: choose another name, such as `CHECK_GIT_DIR`
    w.yaml:12:9: a check cannot be given the variable `LD_PRELOAD`
      help: choose another name, such as `CHECK_LD_PRELOAD`
    w.yaml:13:9: a check cannot be given the variable `PATH`
      help: choose another name, such as `CHECK_PATH`
    w.yaml:14:9: `a-b` cannot be the name of a variable
      help: use letters, digits and `_`
    w.yaml:15:9: `1A` cannot be the name of a variable
      help: use letters, digits and `_`
    w.yaml:16:15: expected text, found the number `7`
      help: put it in quotes if text is meant
    "#);
    assert_snapshot!(refused_step("agent: x;done: {run: make, env: {A: ' '}}"), @"w.yaml:5:32: expected text, found only blanks");
    assert_snapshot!(refused_step("agent: x;done: {run: make, env: [A=b]}"), @"w.yaml:5:29: expected the name of an environment variable");
}

#[test]
fn a_room_has_loopback_or_the_hosts_network_and_opens_paths() {
    assert_snapshot!(refused_step("agent: x;done: {run: make, network: on}"), @"w.yaml:5:32: expected `none` or `host`, found `on`");
    assert_snapshot!(refused_step("agent: x;done: {run: make, room: {}}"), @"w.yaml:5:29: `room` needs `expose`");
    assert_snapshot!(refused_step("agent: x;done: {run: make, room: {exposed: [/a]}}"), @r#"
    w.yaml:5:29: `room` needs `expose`
    w.yaml:5:30: unknown key of `room`: `exposed`
      help: did you mean `expose`?
    "#);
    assert_snapshot!(refused_step(
        "agent: x;done: {run: make, room: {expose: [data, /a/../b, ~, ~/, 7]}}"
    ), @r#"
    w.yaml:5:39: `data` cannot be exposed: it is neither absolute nor below `~/`
      help: write it from the root, or from your home: `/opt/data`, `~/.cache/tool`
    w.yaml:5:45: `/a/../b` cannot be exposed: it holds `..`
      help: write the path that is meant, without `..`
    w.yaml:5:54: expected text, found nothing
    w.yaml:5:57: `~/` cannot be exposed: that is everything
      help: name the folder that is needed, such as `~/.cache/tool`
    w.yaml:5:61: expected text, found the number `7`
      help: put it in quotes if text is meant
    "#);
    assert_snapshot!(refused_step("agent: x;done: {file: a, network: host}"), @r#"
    w.yaml:5:21: unknown key of a `file` check: `network`
      help: known here: `file`, `stale`, `min_bytes`, `contains`
    "#);
}

#[test]
fn a_command_of_prepare_says_which_files_it_sees() {
    let steps = "steps: [{id: a, agent: x, done: {diff: any}}]";
    let source = format!(
        "workflow: w\nprepare:\n  - run: npm ci\n    lock: \"a[1].json\"\n    \
         inputs: [package.json, \"**/.npmrc\"]\n    \
         room: {{expose: ~/.cache/browsers}}\n  - run: make deps\n    lock: lock\n{steps}\n"
    );
    let plan = planned(&source);
    assert_eq!(plan.prepare[0].inputs, ["package.json", "**/.npmrc", "a[[]1[]].json"]);
    assert_eq!(plan.prepare[0].expose, ["~/.cache/browsers"]);
    assert!(plan.prepare[1].inputs.is_empty() && plan.prepare[1].expose.is_empty());
    let source =
        format!("workflow: w\nprepare: [{{run: a, inputs: ../x, network: host}}]\n{steps}\n");
    assert_snapshot!(refused(&source), @r#"
    w.yaml:2:28: `../x`: the path leads outside with `..`: paths stay inside the repository
    w.yaml:2:34: unknown key of an entry of `prepare`: `network`
      help: known here: `in`, `run`, `lock`, `timeout`, `inputs`, `room`
    "#);
}

#[test]
fn the_network_of_a_step_is_its_own_or_that_of_the_defaults() {
    let source = "workflow: w
defaults: {network: provider}
steps:
  - {id: a, agent: x, hosts: [Docs.Example.org, '*.example.org:8443'], done: {diff: any}}
  - {id: b, agent: x, network: off, done: {diff: any}}
  - {id: c, agent: x, network: on, done: {diff: any}}
";
    let plan = planned(source);
    let networks: Vec<_> = plan.steps.iter().map(|step| step.network).collect();
    assert_eq!(networks, [StepNetwork::Provider, StepNetwork::Off, StepNetwork::On]);
    assert_eq!(plan.steps[0].hosts, ["docs.example.org", "*.example.org:8443"]);
    let plain = planned(&one_step("agent: x;done: {diff: any}"));
    assert_eq!((plain.steps[0].network, plain.steps[0].hosts.len()), (StepNetwork::On, 0));
}

#[test]
fn a_team_has_one_network() {
    let team = "team: {spokes: [{agent: b, writes: b.md}], hub: {agent: h}}";
    let keys = format!("network: provider;hosts: docs.example.org;done: {{file: p.md}};{team}");
    let plan = planned(&one_step(&keys));
    assert_eq!(plan.steps.len(), 3);
    for step in plan.steps.iter().filter(|step| step.agent().is_some()) {
        assert_eq!(step.network, StepNetwork::Provider, "{}", step.id);
        assert_eq!(step.hosts, ["docs.example.org"], "{}", step.id);
    }
    let keys = format!("hosts: docs.example.org;done: {{file: p.md}};{team}");
    assert_snapshot!(refused_step(&keys), @r#"
    w.yaml:4:12: `hosts` needs `network: provider`
      help: add `network: provider` to the step: with `on` every host is reached already
    "#);
}

#[test]
fn hosts_need_a_network_by_list_and_are_hosts() {
    assert_snapshot!(refused_step("agent: x;hosts: [a.example.org];done: {diff: any}"), @r#"
    w.yaml:5:13: `hosts` needs `network: provider`
      help: add `network: provider` to the step: with `on` every host is reached already
    "#);
    assert_snapshot!(refused_step("agent: x;network: off;hosts: [a.example.org];done: {diff: any}"), @r#"
    w.yaml:6:13: `hosts` needs `network: provider`
      help: write `network: provider`: with `off` no host is reached
    "#);
    assert_snapshot!(refused_step(
        "agent: x;network: provider;hosts: [\"https://a.example.org/x\", \"*\", \"a.b:0\", \"a b\"];done: {diff: any}"
    ), @r#"
    w.yaml:6:13: `https://a.example.org/x`: this is more than a host
      help: write the host alone: `a.example.org`
    w.yaml:6:40: `*`: `*` stands only in front of a domain
      help: name the domain, such as `*.example.org`
    w.yaml:6:45: `a.b:0`: a port is a number from 1 to 65535
      help: write `HOST` or `HOST:PORT`, such as `packages.example.org:8443`
    w.yaml:6:54: `a b`: this is not the name of a host
      help: write `HOST` or `HOST:PORT`, such as `packages.example.org:8443`
    "#);
    assert_snapshot!(refused_step("agent: x;network: none;done: {diff: any}"), @"w.yaml:5:14: expected `on`, `provider` or `off`, found `none`");
    assert_snapshot!(refused_step("network: off;steps: [{id: b, agent: x, done: {diff: any}}]"), @r#"
    w.yaml:4:5: `network` has no meaning on a step with nested `steps`
      help: nobody works on the step itself: move the key to the steps inside it
    "#);
}

#[test]
fn the_baseline_and_the_cold_proof_are_of_the_whole_workflow() {
    let steps = "steps: [{id: a, agent: x, done: {diff: any}}]";
    let plan = planned(&format!("workflow: w\ncold: false\nbaseline: no_new_failures\n{steps}\n"));
    assert_eq!((plan.cold, plan.baseline), (false, BaselinePolicy::NoNewFailures));
    let again: Plan = serde_json::from_str(&serde_json::to_string(&plan).unwrap()).unwrap();
    assert_eq!((again.cold, again.baseline), (false, BaselinePolicy::NoNewFailures));
    let off = planned(&format!("workflow: w\nbaseline: off\n{steps}\n"));
    assert_eq!((off.cold, off.baseline), (true, BaselinePolicy::Off));
    let source = format!("workflow: w\ncold: never\nbaseline: loose\n{steps}\n");
    assert_snapshot!(refused(&source), @r#"
    w.yaml:2:7: expected `true` or `false`, found the text `never`
    w.yaml:3:11: expected `strict`, `no_new_failures` or `off`, found `loose`
    "#);
}
