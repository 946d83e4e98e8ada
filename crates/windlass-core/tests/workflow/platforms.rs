//! Platforms in workflows: what is read, what a plan makes of it, and what is refused.

use proptest::prelude::*;
use windlass_core::id::StepIndex;
use windlass_core::plan::{CheckKind, Criterion, Plan, PlanRequest};
use windlass_core::platform::{Listing, Pack, PinnedPlatform, Wanted, detect};
use windlass_core::protect::Protected;
use windlass_core::workflow::Workflow;

use super::{parsed, refused};

const PACK: &str = r#"{
  "name": "x", "version": "1", "markers": ["x.toml"], "priority": 50,
  "commands": {
    "prepare": {"run": "x get", "lock": "x.lock"},
    "build": "x build",
    "test": {"run": "x test", "report": "out/*.xml", "protect": ["x.toml"]},
    "lint": {"run": "x lint", "if": "lint.cfg"},
    "coverage": {"run": "x cover", "report": "lcov.info"}
  },
  "testFiles": ["tests/**"], "protect": ["lint.cfg"],
  "qualityGates": {"coverage": {"S": 10, "M": 20, "L": 30, "XL": 40}, "required": ["build"]}
}"#;

fn pinned(paths: &[&str]) -> Vec<PinnedPlatform> {
    let packs = [Pack::parse(PACK.as_bytes(), "platform.json").expect("a pack")];
    let listing = Listing::new(paths.iter().map(|path| (*path).to_owned()));
    detect(&packs, &listing, &Wanted::default()).pin(&packs, &listing).expect("a platform")
}

fn planned(source: &str, platforms: Vec<PinnedPlatform>) -> Result<Plan, String> {
    let request = PlanRequest { goal: "g".to_owned(), platforms, ..PlanRequest::default() };
    parsed(source).plan(request).map_err(|errors| {
        let words = errors.iter().map(|one| {
            let help = one.help().expect("an error says what to do");
            format!("{one}; {help}")
        });
        words.collect::<Vec<_>>().join("\n")
    })
}

/// A workflow of one step with this criterion.
fn one(done: &str) -> String {
    format!("workflow: w\nplatform: detect\nsteps:\n  - {{id: a, agent: dev, done: {done}}}\n")
}

fn checks(plan: &Plan) -> Vec<(u32, &CheckKind)> {
    let done = plan.steps[0].done.as_ref().expect("a criterion");
    done.checks().into_iter().map(|check| (check.id.0, &check.kind)).collect()
}

#[test]
fn checks_become_ordinary_ones_in_each_root() {
    let platforms = pinned(&["back/x.toml", "back/lint.cfg", "front/x.toml", "front/x.lock"]);
    let source = one("[{platform: build}, {run: make}, {platform: test}, {platform: coverage}]");
    let plan = planned(&source, platforms).unwrap();
    let words: Vec<String> = checks(&plan)
        .into_iter()
        .map(|(id, kind)| {
            let command = kind.command().unwrap();
            let glob = if let CheckKind::Junit { glob, min: 1, failures: 0, .. } = kind {
                format!("junit {glob}")
            } else if let CheckKind::Coverage { glob, min, by_size: None, .. } = kind {
                format!("{min} {glob}")
            } else {
                "run".to_owned()
            };
            format!("{id} {} {}: {glob}", command.folder.unwrap_or("."), command.command)
        })
        .collect();
    insta::assert_snapshot!(words.join("\n"), @r"
    0 back x build: run
    1 front x build: run
    2 . make: run
    3 back x test: junit back/out/*.xml
    4 front x test: junit front/out/*.xml
    5 back x cover: 20 back/lcov.info
    6 front x cover: 20 front/lcov.info
    ");
    let prepare: Vec<_> = plan
        .prepare
        .iter()
        .map(|one| (one.folder.as_deref().unwrap(), one.run.as_str(), one.lock.as_deref()))
        .collect();
    assert_eq!(
        prepare,
        [("back", "x get", None), ("front", "x get", Some("front/x.lock"))],
        "a lock counts where it is"
    );
    let protected = ["back/lint.cfg", "back/x.toml", "front/lint.cfg", "front/x.toml"];
    assert_eq!(plan.protect, protected.map(Protected::whole));
    let stored = serde_json::to_string(&plan).unwrap();
    assert_eq!(serde_json::from_str::<Plan>(&stored).unwrap(), plan);
}

#[test]
fn what_a_platform_has_no_command_for_is_left_out_and_said() {
    let source = one("[{platform: build}, {platform: lint}]");
    let plan = planned(&source, pinned(&["a/x.toml", "b/x.toml", "b/lint.cfg"])).unwrap();
    assert_eq!(plan.unchecked, ["x in `a` has no `lint` command"]);
    assert_eq!(checks(&plan).len(), 3);
    let plan = planned(&source, pinned(&["x.toml"])).unwrap();
    assert_eq!(plan.unchecked, ["x has no `lint` command"]);
    let any = planned(&one("{any: [{run: make}, {platform: lint}]}"), pinned(&["x.toml"])).unwrap();
    assert_eq!(checks(&any).len(), 1);
}

#[test]
fn what_would_prove_nothing_any_more_is_refused() {
    for done in [
        "{platform: lint}",
        "[{platform: lint}, {state: .ok}]",
        "{not: {platform: lint}}",
        "{any: [{all: [{state: .ok}, {platform: lint}]}, {platform: build}]}",
    ] {
        let said = planned(&one(done), pinned(&["x.toml"])).unwrap_err();
        let expected =
            "nothing proves step `a`: x has no `lint` command; give the platform that command";
        assert!(said.starts_with(expected), "{done}: {said}");
    }
    let trusted = one("[{platform: lint}, {state: .ok}], trust: agent");
    assert_eq!(planned(&trusted, pinned(&["x.toml"])).unwrap().unchecked.len(), 1);
}

#[test]
fn a_required_command_is_never_left_out() {
    let mut platforms = pinned(&["x.toml"]);
    platforms[0].pack.commands.clear();
    let source = one("[{platform: build}, {run: make}]");
    let said = planned(&source, platforms).unwrap_err();
    insta::assert_snapshot!(said, @"x requires `build`, and nothing there fits one of the ways it knows; `windlass platform show x` shows the ways; `windlass platform eject x` makes a copy for this repository to change");
}

#[test]
fn a_workflow_that_asks_for_no_platform_keeps_none() {
    let source = "workflow: w\nsteps: [{id: a, agent: dev, done: {run: make}}]\n";
    for source in [source.to_owned(), format!("{source}platform: none\n")] {
        let plan = planned(&source, pinned(&["x.toml"])).unwrap();
        assert!(plan.platforms.is_empty() && plan.prepare.is_empty() && plan.protect.is_empty());
        let stored = serde_json::to_string(&plan).unwrap();
        assert!(!stored.contains("platform") && !stored.contains("unchecked"), "{stored}");
    }
}

#[test]
fn a_check_of_no_platform_is_refused() {
    let said = planned(&one("{platform: test}"), Vec::new()).unwrap_err();
    assert!(said.starts_with("this workflow needs a platform, and none is known"), "{said}");
    insta::assert_snapshot!(refused("workflow: w\nsteps: [{id: a, agent: b, done: {platform: test}}]\n"), @r"
    w.yaml:2:33: this check is about the platform, and the workflow has none
      help: add `platform: detect` at the top of the file
    ");
    insta::assert_snapshot!(refused(
        "workflow: w\nplatform: A b\nsteps: [{id: a, agent: b, done: {platform: tests, in: x}}]\n"
    ));
}

#[test]
fn a_repeated_coverage_check_waits_for_the_size_of_the_story() {
    let source = "workflow: w\nplatform: detect\nsteps:\n  - id: s\n    foreach: items\n    steps:\n      \
                  - {id: a, agent: dev, done: {platform: coverage}}\n";
    let plan = planned(source, pinned(&["x.toml"])).unwrap();
    let foreach = plan.foreach(StepIndex(0)).expect("repeated steps");
    let Some(Criterion::Check(check)) = &foreach.steps[0].done else { panic!("{foreach:?}") };
    let CheckKind::Coverage { by_size: Some(by_size), .. } = &check.kind else {
        panic!("{check:?}")
    };
    let sizes = [by_size.s, by_size.m, by_size.l, by_size.xl].map(|percent| percent.to_string());
    assert_eq!(sizes, ["10", "20", "30", "40"]);
}

fn mutated() -> impl Strategy<Value = String> {
    let with = prop_oneof![
        Just(String::new()),
        Just("{".to_owned()),
        Just("]".to_owned()),
        Just("\"".to_owned()),
        Just("\\u0000".to_owned()),
        Just("\\".to_owned()),
        Just("../".to_owned()),
        Just("\"if\": [{\"file\": \"*\"}],".to_owned()),
        Just("1e999".to_owned()),
        "\\PC{0,6}",
    ];
    proptest::collection::vec((0..PACK.len(), 0..12usize, with), 1..4).prop_map(|edits| {
        let mut text = PACK.to_owned();
        for (at, len, with) in edits {
            let at = at.min(text.len());
            let end = (at + len).min(text.len());
            if text.is_char_boundary(at) && text.is_char_boundary(end) {
                text.replace_range(at..end, &with);
            }
        }
        text
    })
}

proptest! {
    #[test]
    fn a_pack_is_read_or_refused_with_its_place_and_nothing_panics(source in mutated()) {
        match Pack::parse(source.as_bytes(), "p.json") {
            Err(found) => prop_assert!(!found.is_empty() && found.iter().all(|one| one.help.is_some())),
            Ok(pack) => {
                let stored = serde_json::to_string(&pack).expect("JSON");
                prop_assert_eq!(&serde_json::from_str::<Pack>(&stored).expect("the same"), &pack);
                let listing = Listing::new(["x.toml".to_owned(), "a/x.toml".to_owned()]);
                let packs = [pack];
                let found = detect(&packs, &listing, &Wanted::default());
                let _ = found.pin(&packs, &listing);
            }
        }
    }

    #[test]
    fn any_bytes_are_refused_without_a_panic(source in proptest::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(Pack::parse(&source, "p.json").is_err());
    }

    #[test]
    fn any_paths_can_be_looked_at(paths in proptest::collection::vec("[a-z./\\[\\]*{}\\\\ é\n]{0,20}", 0..20)) {
        let packs = [Pack::parse(PACK.as_bytes(), "p.json").expect("a pack")];
        let listing = Listing::new(paths);
        for root in detect(&packs, &listing, &Wanted::default()).roots {
            prop_assert!(!root.folder.contains("..") && !root.folder.starts_with('/'));
        }
    }
}

#[test]
fn a_workflow_names_its_platform() {
    let named = |line: &str| {
        let source =
            format!("workflow: w\n{line}\nsteps: [{{id: a, agent: b, done: {{run: x}}}}]\n");
        Workflow::parse(&source, "w.yaml").unwrap().platform().map(str::to_owned)
    };
    assert_eq!(named("platform: rust").as_deref(), Some("rust"));
    assert_eq!(named("platform: none"), None);
}

#[test]
fn a_pull_request_with_nothing_before_it_keeps_its_empty_criterion() {
    let source = "workflow: w\nplatform: detect\nsteps:\n  - {id: a, agent: dev, done: {run: make}}\n  \
                  - {id: p, builtin: pull-request}\n";
    let plan = planned(source, pinned(&["x.toml"])).unwrap();
    // Without one the step would be done before anything is published.
    assert_eq!(plan.steps[1].done, Some(Criterion::All(Vec::new())));
}
