//! Who needs whom, and where routes lead.

use insta::assert_snapshot;

use super::{parsed, refused};

/// Writes a step per line: `id: keys`.
fn steps(lines: &[&str]) -> String {
    let mut source = "workflow: w\nsteps:\n".to_owned();
    for line in lines {
        let (id, keys) = line.split_once(':').unwrap_or((line, ""));
        let comma = if keys.is_empty() { "" } else { "," };
        source.push_str(&format!("  - {{id: {id}, agent: x, done: {{diff: any}}{comma}{keys}}}\n"));
    }
    source
}

/// Shows each step of the plan with the steps it needs and its parent.
fn shape(source: &str) -> String {
    let plan = parsed(source).plan(Default::default()).expect("nothing is asked");
    let mut text = String::new();
    for step in &plan.steps {
        let needs: Vec<_> = step.needs.iter().map(|&need| plan.step(need).id.as_str()).collect();
        let parent = step.parent.map_or("", |parent| plan.step(parent).id.as_str());
        let when = step.when.as_deref().unwrap_or_default().replace('\n', "");
        text.push_str(&format!("{} <- [{}] ({parent}) {when}", step.id, needs.join(", ")));
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    text
}

#[test]
fn steps_follow_each_other_unless_they_say_otherwise() {
    assert_snapshot!(shape(&steps(&["a", "b", "c: needs: [a]", "d: needs: []", "e: needs: [c, d]"])), @r#"
    a <- [] ()
    b <- [a] ()
    c <- [a] ()
    d <- [] ()
    e <- [c, d] ()
    "#);
}

#[test]
fn steps_stand_after_what_they_need_and_else_as_in_the_file() {
    assert_snapshot!(shape(&steps(&["a: needs: [c]", "b: needs: []", "c: needs: []", "d: needs: [a]"])), @r#"
    b <- [] ()
    c <- [] ()
    a <- [c] ()
    d <- [a] ()
    "#);
}

#[test]
fn nested_steps_stand_before_their_group() {
    assert_snapshot!(shape("workflow: w
steps:
  - {id: a, agent: x, done: {diff: any}}
  - id: g
    when: .inputs.g
    steps:
      - {id: b, agent: x, done: {diff: any}}
      - {id: c, agent: x, done: {diff: any}, needs: [], when: .inputs.c}
      - {id: d, agent: x, done: {diff: any}, needs: [b]}
      - id: h
        needs: [d, a]
        when: .inputs.h
        steps: [{id: b, agent: x, done: {diff: any}}, {id: e, agent: x, done: {diff: any}, when: .inputs.e, needs: [b, g/c]}]
  - {id: f, agent: x, done: {diff: any}}
  - {id: i, agent: x, done: {diff: any}, needs: [g/h/b]}
"), @r#"
    a <- [] ()
    g/b <- [a] (g) .inputs.g
    g/c <- [a] (g) (.inputs.g) and (.inputs.c)
    g/d <- [g/b] (g) .inputs.g
    g/h/b <- [a, g/d] (g/h) (.inputs.g) and (.inputs.h)
    g/h/e <- [g/c, g/h/b] (g/h) ((.inputs.g) and (.inputs.h)) and (.inputs.e)
    g/h <- [g/h/e] (g) (.inputs.g) and (.inputs.h)
    g <- [g/c, g/h] () .inputs.g
    f <- [g] ()
    i <- [g/h/b] ()
    "#);
}

#[test]
fn unknown_and_double_steps_are_refused() {
    assert_snapshot!(refused(&steps(&["plan", "build: needs: [pln]", "plan: needs: [nowhere]"])), @r#"
    w.yaml:4:54: unknown step `pln`
      help: did you mean `plan`?
    w.yaml:5:10: a second step is called `plan`
      help: give each step its own id
    w.yaml:5:53: unknown step `nowhere`
      help: known here: `build`, `plan`
    "#);
}

#[test]
fn cycles_are_named() {
    assert_snapshot!(refused(&steps(&["a: needs: [a]"])), @r#"
    w.yaml:3:50: step `a` needs itself
      help: remove it from `needs`
    "#);
    assert_snapshot!(refused(&steps(&["a: needs: [c]", "b", "c", "d"])), @r#"
    w.yaml:3:10: no step of this cycle can ever begin: `a` needs `c` needs `b` needs `a`
      help: remove one of these from `needs`
    "#);
    assert_snapshot!(refused("workflow: w
steps:
  - id: g
    steps:
      - {id: a, agent: x, done: {diff: any}, needs: [b]}
  - {id: b, agent: x, done: {diff: any}}
"), @r#"
    w.yaml:5:14: no step of this cycle can ever begin: `g/a` needs `b` needs `g` needs `g/a`
      help: remove one of these from `needs`
    "#);
    assert_snapshot!(refused("workflow: w
steps: [{id: g, steps: [{id: a, agent: x, done: {diff: any}, needs: [g]}]}]
"), @r#"
    w.yaml:2:30: no step of this cycle can ever begin: `g/a` needs `g` needs `g/a`
      help: remove one of these from `needs`
    "#);
}

/// A review with a route; `route` is the mapping of CHANGES.
fn review(route: &str) -> String {
    format!(
        "workflow: w
steps:
  - {{id: a, agent: x, done: {{diff: any}}}}
  - {{id: side, agent: x, needs: [], done: {{diff: any}}}}
  - id: review
    agent: y
    needs: [a]
    done: {{verdict: .v, accept: [OK]}}
    on:
      CHANGES: {route}
  - {{id: later, agent: x, done: {{diff: any}}}}
  - {{id: g, steps: [{{id: b, agent: x, done: {{diff: any}}}}]}}
"
    )
}

#[test]
fn routes_lead_back() {
    parsed(&review("{rollback: a, max: 1}"));
    parsed(&review("{rollback: review, max: 1}"));
    assert_snapshot!(refused(&review("{rollback: later, max: 1}")), @r#"
    w.yaml:10:27: cannot go back from `review` to `later`: it comes later
      help: name the step itself or one that it needs
    "#);
    assert_snapshot!(refused(&review("{rollback: side, max: 1}")), @r#"
    w.yaml:10:27: cannot go back from `review` to `side`: it does not come before
      help: name the step itself or one that it needs
    "#);
    assert_snapshot!(refused(&review("{rollback: reveiw, max: 1}")), @r#"
    w.yaml:10:27: unknown step `reveiw`
      help: did you mean `review`?
    "#);
    assert_snapshot!(refused(&review("{rollback: g, max: 1}")), @r#"
    w.yaml:10:27: cannot go back from `review` to `g`: it comes later
      help: name the step itself or one that it needs
    "#);
}

#[test]
fn routes_do_not_lead_to_groups() {
    assert_snapshot!(refused("workflow: w
steps:
  - {id: g, steps: [{id: b, agent: x, done: {diff: any}}]}
  - {id: r, agent: y, done: {verdict: .v, accept: OK}, on: {NO: {rollback: g, max: 1}}}
"), @r#"
    w.yaml:4:76: cannot go back from `r` to `g`: nobody works on a step with nested `steps`
      help: name the step inside it that has to be done again
    "#);
}

#[test]
fn routes_are_bounded() {
    assert_snapshot!(refused(&review("{rollback: a}")), @r#"
    w.yaml:10:7: the route `CHANGES` has no bound
      help: say with `max` how often it may be taken in a run
    "#);
    assert_snapshot!(refused(&review("{rollback: a, max: 0}")), @"w.yaml:10:35: expected a whole number of at least 1, found the number `0`");
    assert_snapshot!(refused(&review("{max: 2}")), @"w.yaml:10:16: a route needs `rollback`");
}

#[test]
fn rollbacks_by_path_are_checked() {
    assert_snapshot!(refused(&review("{rollback: {by_path: {'*.sql': a}, otherwise: a}, max: 1}")), @r#"
    w.yaml:10:27: `by_path` needs `files`
      help: `files` is the jq expression that lists the files concerned
    "#);
    assert_snapshot!(refused(&review("{rollback: {files: .f, by_path: {'/x': a, 'b[': later, '*.ts': b}}, max: 1}")), @r#"
    w.yaml:10:27: `rollback` needs `otherwise`
    w.yaml:10:49: `/x`: the path is absolute: paths are relative to the repository
    w.yaml:10:58: `b[` is not a glob: unclosed character class; missing ']'
    "#);
    assert_snapshot!(refused(&review("{rollback: {files: .f, otherwise: nobody}, max: 1}")), @r#"
    w.yaml:10:50: unknown step `nobody`
      help: known here: `a`, `g`, `g/b`, `later`, `review`, `side`
    "#);
}

#[test]
fn routes_need_a_verdict_that_can_take_them() {
    assert_snapshot!(refused("workflow: w
steps: [{id: a, agent: x, done: {diff: any}, on: {NO: {rollback: a, max: 1}}}]
"), @r#"
    w.yaml:2:51: no verdict can take the route `NO`
      help: add a `verdict` or `verdict_in` check to `done`: its value selects the route
    "#);
    assert_snapshot!(refused(&review("{rollback: a, max: 1}").replace("CHANGES", "OK")), @"w.yaml:10:7: `OK` is accepted, so its route is never taken");
    assert_snapshot!(refused("workflow: w
steps: [{id: a, agent: x, done: [{diff: any}, {verdict: .v, accept: A}, {verdict: .w, accept: B}]}]
"), @"w.yaml:2:73: a step has at most one `verdict` check");
}

#[test]
fn by_path_keeps_the_order_of_the_file() {
    let source = review(
        "{rollback: {files: .f, by_path: {'z': a, '**/*.{ts,html}': review, 'a': a}, otherwise: a}, max: 2}",
    );
    let plan = parsed(&source).plan(Default::default()).unwrap();
    let index = plan.find(&"review".into()).unwrap();
    let route = &plan.step(index).on["CHANGES"];
    let paths: Vec<_> = route.rollback.by_path.iter().map(|(glob, _)| glob.as_str()).collect();
    assert_eq!(paths, ["z", "**/*.{ts,html}", "a"]);
}
