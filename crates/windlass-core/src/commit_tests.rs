use std::sync::Arc;

use super::*;
use crate::plan::Issue;
use crate::run::testing::{Run, agent};

fn state(goal: &str, style: CommitStyle) -> RunState {
    let mut state = Run::of([agent("implement"), agent("docs"), agent("red")]).state;
    Arc::make_mut(&mut state.facts).commits = style;
    Arc::make_mut(&mut state.plan).goal = goal.to_owned();
    state
}

fn subject_of(state: &RunState, step: &str) -> String {
    message(state, &step.into(), None).lines().next().unwrap_or_default().to_owned()
}

fn conventional() -> CommitStyle {
    CommitStyle { conventional: true, ..CommitStyle::default() }
}

#[test]
fn a_subject_says_what_for_and_by_which_step_and_leads_to_the_journal() {
    let plain = state("Greet people by name\nin many languages", CommitStyle::default());
    let told = message(&plain, &"implement".into(), Some(&"0123".to_owned()));
    let trailers = "Windlass-Run: testrun0\nWindlass-Step: implement\nWindlass-Journal: 0123\n";
    assert_eq!(told, format!("Greet people by name (implement)\n\n{trailers}"));
    assert_eq!(subject_of(&state("Greet", conventional()), "implement"), "feat: greet (implement)");
    assert_eq!(subject_of(&state("HTTP 2", conventional()), "docs"), "docs: HTTP 2 (docs)");
    assert_eq!(subject_of(&state("Greet", conventional()), "red"), "test: greet (red)");
}

#[test]
fn a_subject_has_at_most_72_characters_and_keeps_the_issue() {
    for goal in ["word ".repeat(40), "x".repeat(300), "é @a #1 ".repeat(60), String::new()] {
        for style in [CommitStyle::default(), conventional()] {
            let mut state = state(&goal, style);
            Arc::make_mut(&mut state.plan).issue = Some(Issue {
                number: 12,
                title: goal.clone(),
                url: None,
                body: String::new(),
                labels: vec!["Bug".to_owned()],
            });
            let subject = subject_of(&state, "implement");
            assert!(subject.chars().count() <= MAX_SUBJECT_CHARACTERS, "{subject}");
            assert!(subject.ends_with("(#12, implement)"), "{subject}");
            assert!(!subject.contains("#1 ") && !subject.contains("@a"), "{subject}");
            assert!(!subject.contains("wip"), "{subject}");
            assert_eq!(subject.starts_with("fix: "), state.facts.commits.conventional, "{subject}");
        }
    }
}

#[test]
fn nothing_of_others_acts_on_a_forge() {
    let state = state("closes #5\tfor @ada [skip ci]\u{202e}", CommitStyle::default());
    let wanted = "closes #\u{200b}5 for @\u{200b}ada [\u{200b}skip ci]\\u{202e} (implement)";
    assert_eq!(subject_of(&state, "implement"), wanted);
}

#[test]
fn a_template_is_filled_and_cut_like_the_rest() {
    let style = |template: &str| CommitStyle {
        subject: Some(template.to_owned()),
        ..CommitStyle::default()
    };
    let filled = |template: &str| subject_of(&state("Greet people", style(template)), "implement");
    assert_eq!(filled("PROJ {type}: {what} [{step}]"), "PROJ feat: Greet people [implement]");
    assert_eq!(filled("{what}"), "Greet people");
    assert_eq!(filled("always the same"), "always the same");
    let long = state(&"word ".repeat(40), style("{type}: {what} ({step})"));
    let subject = subject_of(&long, "implement");
    assert!(subject.chars().count() <= MAX_SUBJECT_CHARACTERS, "{subject}");
    assert!(subject.ends_with("word… (implement)"), "{subject}");
}

#[test]
fn a_repository_that_writes_conventional_commits_is_known_by_its_subjects() {
    let typed = ["feat: a", "fix(core)!: b", "chore(deps): c", "Merge branch x", "docs: d", "e"];
    assert!(is_conventional(typed.iter().copied().chain(["ci: f"])));
    assert!(!is_conventional(["feat: a", "fix: b"]), "too few to tell");
    let plain = ["guard: a", "views: b", "Add c", "feat: d", "note: e", "Fix: f", "feat(x: g"];
    assert!(!is_conventional(plain));
    assert!(!is_conventional([]));
}

#[test]
fn one_commit_for_several_steps_names_them_all_and_says_what_for() {
    let state = state("Greet people by name", conventional());
    let steps: Vec<StepId> = ["red", "implement", "docs"].map(StepId::from).to_vec();
    let told = squashed_message(&state, &steps, Some(&"0123".to_owned()));
    assert_eq!(
        told,
        "feat: greet people by name\n\nWindlass-Run: testrun0\nWindlass-Step: red\nWindlass-Step: \
         implement\nWindlass-Step: docs\nWindlass-Journal: 0123\n"
    );
    let one = squashed_message(&state, &steps[2..], None);
    assert!(one.starts_with("docs: greet people by name (docs)\n"), "{one}");
}
