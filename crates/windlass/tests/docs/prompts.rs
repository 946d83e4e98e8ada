//! What agents are told: samples in the documentation, and what holds for every built-in step.

use std::fmt::Write as _;

use windlass_core::id::AttemptId;
use windlass_core::plan::{CheckKind, Criterion};
use windlass_core::prompt::criterion_text;

use crate::pages;
use crate::walk::{Answer, BUILT_IN, Told, Walk};

const BEGIN: &str = "<!-- made by tests: WINDLASS_UPDATE_DOCS=1 writes it anew -->";
const END: &str = "<!-- end of what tests made -->";

const FAILING: &str = "✖ a code counts once (3.1 ms)\n  AssertionError: 80 !== 90\n      at \
                       test/cart.test.js:12:10\n";

/// The samples: a title, and whose prompt it is.
const SAMPLES: [(&str, &str, &str); 7] = [
    ("A plan", "change", "plan#1"),
    ("The work", "change", "implement#1"),
    ("The work, after its tests failed", "change", "implement#2"),
    ("A review", "change", "review#1"),
    ("The work, after the review sent it back", "change", "implement#3"),
    ("A story, test first", "autonomous", "stories/S1/red#1"),
    ("A story's acceptance test", "autonomous", "stories/S1/verify#1"),
];

fn answer(attempt: &AttemptId) -> Answer {
    match attempt.to_string().as_str() {
        "implement#1" => Answer::Fails(FAILING),
        "review#1" => Answer::SendsBack("CHANGES_REQUESTED", "an empty code is accepted"),
        _ => Answer::Holds,
    }
}

fn told(workflow: &str) -> Vec<Told> {
    let (_, inputs) = BUILT_IN.iter().find(|(name, _)| *name == workflow).expect("a workflow");
    Walk::through(workflow, inputs, &answer)
}

#[test]
fn the_page_shows_prompts_as_agents_get_them() {
    let mut samples = String::new();
    for (title, workflow, attempt) in SAMPLES {
        let told = told(workflow);
        let one = told.iter().find(|told| told.attempt.to_string() == attempt);
        let prompt = &one.unwrap_or_else(|| panic!("nobody played `{attempt}`")).prompt;
        let _ =
            writeln!(samples, "\n## {title}\n\nStep `{attempt}` of the workflow `{workflow}`:\n");
        let _ = writeln!(samples, "````markdown\n{}\n````", prompt.trim_end());
    }
    let page = pages::read("docs/prompts.md");
    let (before, rest) = page.split_once(BEGIN).expect("the beginning of the samples");
    let (written, after) = rest.split_once(END).expect("the end of the samples");
    if std::env::var_os("WINDLASS_UPDATE_DOCS").is_some() {
        let text = format!("{before}{BEGIN}\n{samples}\n{END}{after}");
        fs_err::write(pages::root().join("docs/prompts.md"), text).expect("docs/prompts.md");
        return;
    }
    assert!(
        written.trim() == samples.trim(),
        "docs/prompts.md is not what agents are told; read the difference, then write it anew with \
         WINDLASS_UPDATE_DOCS=1"
    );
}

/// Whether the step judges the work of another.
fn judges(told: &Told) -> bool {
    let index = told.state.plan.find(&told.attempt.step).expect("a step");
    let checks = told.state.plan.step(index).done.as_ref().map(Criterion::checks);
    checks
        .unwrap_or_default()
        .iter()
        .any(|check| matches!(check.kind, CheckKind::Verdict { .. } | CheckKind::VerdictIn { .. }))
}

#[test]
fn every_built_in_step_is_told_what_its_agent_needs() {
    for (workflow, inputs) in BUILT_IN {
        let all = Walk::through(workflow, inputs, &|_| Answer::Holds);
        let plan = &all.last().expect("somebody works").state.plan;
        for step in plan.steps.iter().filter(|step| step.agent().is_some()) {
            let asks = step.id.as_str().starts_with("clarify");
            let played = all.iter().any(|told| told.attempt.step == step.id);
            // A step with `satisfied: ok` needs nobody where its criterion holds already.
            let needed = !asks && !step.satisfied_ok;
            assert!(played || !needed, "{workflow}: nobody played `{}`", step.id);
        }
        for told in all {
            let (name, prompt) = (format!("{workflow}: {}", told.attempt), &told.prompt);
            let index = told.state.plan.find(&told.attempt.step).expect("a step");
            let done = criterion_text(&told.state, index);
            assert!(prompt.contains(done.trim_end()), "{name} does not know all: {prompt}");
            if judges(&told) {
                assert!(prompt.contains("finishes this step"), "{name} has to approve: {prompt}");
                let changed = told.state.proven_code != told.state.facts.base_tree;
                assert_eq!(prompt.contains("`git diff 4b825dc642cb`"), changed, "{name}: {prompt}");
            }
            // No path is there to be read and told about at the same time.
            let part = |title: &str| {
                let rest = prompt.split_once(&format!("\n## {title}\n")).map(|(_, rest)| rest);
                rest.map(|rest| rest.split("\n## ").next().unwrap_or_default()).unwrap_or_default()
            };
            let context = part("Context");
            for line in part("Read these first").lines() {
                let path = line.split('`').nth(1).unwrap_or("no path");
                assert!(!context.contains(path), "{name} repeats {path}: {prompt}");
            }
        }
    }
}

#[test]
fn what_a_judge_finds_reaches_whoever_is_sent_back_in_every_workflow() {
    let cases = [
        ("change", "review", "implement", "CHANGES_REQUESTED"),
        ("fix", "regression", "fix", "CHANGES_REQUESTED"),
        ("docs", "check", "write", "CHANGES_REQUESTED"),
        ("feature", "review", "tests", "CHANGES_REQUESTED"),
        ("autonomous", "stories/S1/review", "stories/S1/green", "CHANGES_REQUESTED"),
        ("story", "stories/S1/verify", "stories/S1/green", "FAILED"),
    ];
    for (workflow, judge, target, verdict) in cases {
        let (_, inputs) = BUILT_IN.iter().find(|(name, _)| *name == workflow).expect("a workflow");
        let first = format!("{judge}#1");
        let told = Walk::through(workflow, inputs, &|attempt| {
            if attempt.to_string() == first {
                return Answer::SendsBack(verdict, "it is wrong");
            }
            Answer::Holds
        });
        let again = told.iter().filter(|told| told.attempt.step.as_str() == target).nth(1);
        let prompt =
            &again.unwrap_or_else(|| panic!("{workflow}: `{target}` is not done again")).prompt;
        assert!(prompt.contains(&format!("what `{judge}` found")), "{workflow}: {prompt}");
        assert!(prompt.contains("[BLOCKING] it is wrong src/cart.js:31"), "{workflow}: {prompt}");
        let judged_again = told.iter().filter(|told| told.attempt.step.as_str() == judge).nth(1);
        let prompt = &judged_again.expect("the judge looks again").prompt;
        assert!(prompt.contains("what you found last time"), "{workflow}: {prompt}");
    }
}
