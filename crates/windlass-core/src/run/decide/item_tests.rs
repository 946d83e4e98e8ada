//! Items: they come up one after the other, each on its own.

use serde_json::json;

use crate::item::{Item, ItemChange, ItemSource, NewItem};
use crate::plan::{Exhausted, ValueType};
use crate::run::testing::*;
use crate::run::*;

/// A step that adds items, a step that repeats over them, and a step after it.
fn planned(steps: impl IntoIterator<Item = Draft>) -> [Draft; 3] {
    let plan = agent("plan").sets("items", ValueType::Array);
    [plan, foreach("stories", 3, steps), agent("last")]
}

/// One step per item.
fn code() -> Draft {
    agent("stories/code").task("Do {item.id}: {item.title}")
}

/// A run whose first step added these items and is done.
fn with_items<const N: usize>(drafts: [Draft; 3], items: [&str; N]) -> Run {
    let mut run = Run::of(drafts);
    run.begins("plan");
    for item in items {
        run.asks("plan#1", item).unwrap();
    }
    run.ends("plan#1", "c1");
    run.verifies(holds());
    run
}

fn statuses(run: &Run) -> Vec<&'static str> {
    let items = run.state.items.iter();
    items.map(|item| run.state.item_status(item).as_str()).collect()
}

#[test]
fn items_come_up_one_after_the_other_and_then_the_step_is_done() {
    let mut run = Run::of(planned([code()]));
    run.begins("plan");
    let added = |id: &str| Event::ItemAdded {
        item: Item {
            id: id.into(),
            step: "stories".into(),
            title: format!("Title of {id}"),
            body: String::new(),
            story: None,
            source: ItemSource::Agent { attempt: attempt_id("plan#1") },
            skipped: None,
        },
    };
    assert_eq!(run.asks("plan#1", "S1").unwrap(), [added("S1")]);
    assert_eq!(run.asks("plan#1", "S2").unwrap(), [added("S2")]);
    run.ends("plan#1", "c1");
    let began = Event::RepeatBegan { step: "stories".into() };
    assert_eq!(
        run.verifies(holds()),
        [proven("plan", "c1"), done("plan"), began, opened("S1"), taken("stories/S1/code")]
    );
    assert_eq!(run.state.plan.step(run.index("stories/S1/code")).task, "Do S1: Title of S1");
    assert_eq!(statuses(&run), ["active", "pending"]);
    assert_eq!(
        run.proves("stories/S1/code", "c2"),
        [
            proven("stories/S1/code", "c2"),
            done("stories/S1/code"),
            taken("stories/S1"),
            done("stories/S1"),
            opened("S2"),
            taken("stories/S2/code"),
        ]
    );
    assert_eq!(
        run.proves("stories/S2/code", "c3")[2..],
        [taken("stories/S2"), done("stories/S2"), taken("stories"), done("stories"), taken("last")]
    );
    assert_eq!(statuses(&run), ["done", "done"]);
}

#[test]
fn without_items_the_step_is_skipped_and_says_so() {
    let run = with_items(planned([code()]), []);
    assert_eq!(run.status_of("stories"), StepStatus::Skipped);
    assert_eq!(run.step("stories").note.as_deref(), Some("there are no items"));
    assert_eq!(run.outstanding(), [take_baseline("last", 0)]);
}

#[test]
fn a_blocked_item_does_not_stop_the_next_and_then_a_person_is_asked() {
    let stuck = code().retries(1).exhausted(Exhausted::Block);
    let mut run = with_items(planned([stuck]), ["S1", "S2"]);
    run.begins("stories/S1/code");
    let events = run.fails("stories/S1/code#1", "c2");
    assert_eq!(events[events.len() - 2..], [opened("S2"), taken("stories/S2/code")]);
    run.proves("stories/S2/code", "c3");
    assert_eq!(statuses(&run), ["blocked", "done"]);
    assert_eq!(run.state.status(), RunStatus::AwaitingUser);
    assert!(run.outstanding().is_empty());

    let mut skipping = run.clone();
    skipping.decides(skip("stories/S1"));
    assert_eq!(statuses(&skipping), ["skipped", "done"]);
    assert_eq!(skipping.status_of("stories"), StepStatus::Done);

    let mut dropping = run.clone();
    dropping.decides(skip_item("S1"));
    assert_eq!(statuses(&dropping), ["skipped", "done"]);
    assert_eq!(dropping.status_of("stories"), StepStatus::Done);

    run.decides(retry("stories/S1/code"));
    run.proves("stories/S1/code", "c4");
    assert_eq!(statuses(&run), ["done", "done"]);
    assert_eq!(run.status_of("stories"), StepStatus::Done);
}

#[test]
fn a_waived_item_counts_and_is_shown() {
    let waived = code().retries(1).exhausted(Exhausted::Waive);
    let mut run = with_items(planned([waived]), ["S1"]);
    run.begins("stories/S1/code");
    run.fails("stories/S1/code#1", "c2");
    run.begins_from("stories/S1/code", "c1");
    assert_eq!(statuses(&run), ["done"]);
    assert!(run.state.is_item_waived(&run.state.items[0]));
    assert_eq!(run.status_of("last"), StepStatus::Running);
}

#[test]
fn an_item_whose_tries_are_used_up_pauses_the_run_by_default() {
    let mut run = with_items(planned([code().retries(1)]), ["S1", "S2"]);
    run.begins("stories/S1/code");
    run.fails("stories/S1/code#1", "c2");
    assert_eq!(run.state.reason(), Some("retries_exhausted"));
    assert_eq!(statuses(&run), ["active", "pending"]);
    run.decides(skip("stories/S1"));
    assert_eq!(statuses(&run), ["skipped", "active"]);
}

/// Code and its review, which can send the code back.
fn reviewed() -> [Draft; 3] {
    let review = agent("stories/review").sets("review", ValueType::Object);
    planned([code(), review.route("NO", [], "stories/code", 1)])
}

#[test]
fn a_verdict_inside_an_item_leads_back_inside_that_item_alone() {
    let mut run = with_items(reviewed(), ["S1", "S2"]);
    run.proves("stories/S1/code", "c2");
    run.proves("stories/S1/review", "c2");
    run.proves("stories/S2/code", "c3");
    run.begins("stories/S2/review");
    run.ends("stories/S2/review#1", "c3");
    run.verifies(says("NO", []));
    assert_eq!(run.status_of("stories/S1/code"), StepStatus::Done);
    assert_eq!(run.status_of("stories/S2/code"), StepStatus::Running);
    assert!(run.step("stories/S2/code").hotfix.is_some());
    run.proves("stories/S2/code", "c4");
    run.proves("stories/S2/review", "c4");
    assert_eq!(run.status_of("stories"), StepStatus::Done);
}

#[test]
fn what_an_item_publishes_no_other_item_sees() {
    let mut run = with_items(reviewed(), ["S1", "S2"]);
    run.proves("stories/S1/code", "c2");
    run.begins("stories/S1/review");
    run.sets("stories/S1/review#1", "review", json!({"status": "APPROVED"})).unwrap();
    run.ends("stories/S1/review#1", "c2");
    run.verifies(holds());
    assert_eq!(*run.state.context, json!({}));
    let seen = |step: &str| (*run.state.context_of(run.index(step))).clone();
    assert_eq!(seen("stories/S1/code"), json!({"review": {"status": "APPROVED"}}));
    assert_eq!(seen("stories/S2/code"), json!({}), "a verdict about one counts for that one");
    assert_eq!(seen("last"), json!({}));
}

#[test]
fn a_person_sends_a_finished_item_back_and_the_others_stay_done() {
    let mut run = with_items(planned([code()]), ["S1", "S2"]);
    run.proves("stories/S1/code", "c2");
    run.proves("stories/S2/code", "c3");
    run.begins("last");
    run.fails("last#1", "c4");
    run.decides(PAUSE_NOW);
    run.ends("last#2", "c4");
    run.decides(rollback("stories/S1/code", "c4"));
    assert_eq!(statuses(&run), ["active", "done"]);
    assert_eq!(run.status_of("last"), StepStatus::Invalidated);
    run.proves("stories/S1/code", "c5");
    assert_eq!(run.status_of("stories"), StepStatus::Done);
    assert_eq!(run.status_of("last"), StepStatus::Running);
}

#[test]
fn a_rollback_behind_the_items_opens_all_of_them_one_after_the_other() {
    let mut run = with_items(planned([code()]), ["S1", "S2"]);
    run.proves("stories/S1/code", "c2");
    run.proves("stories/S2/code", "c3");
    run.begins("last");
    run.decides(PAUSE_NOW);
    run.ends("last#1", "c4");
    run.decides(rollback("plan", "c4"));
    assert_eq!(statuses(&run), ["pending", "pending"]);
    run.begins("plan");
    assert_eq!(run.asks("plan#2", "S1").unwrap(), [], "the same again changes nothing");
    run.asks("plan#2", "S3").unwrap();
    run.ends("plan#2", "c5");
    run.verifies(holds());
    assert_eq!(statuses(&run), ["active", "pending", "pending"]);
    assert_eq!(run.status_of("stories/S2/code"), StepStatus::Invalidated);
    run.proves("stories/S1/code", "c6");
    run.proves("stories/S2/code", "c7");
    run.proves("stories/S3/code", "c8");
    assert_eq!(run.status_of("stories"), StepStatus::Done);
}

#[test]
fn feedback_at_the_gate_of_the_step_reaches_every_item() {
    let [plan, stories, last] = planned([code()]);
    let mut run = with_items([plan, stories.gated(), last], ["S1", "S2"]);
    run.proves("stories/S1/code", "c2");
    run.proves("stories/S2/code", "c3");
    run.begins_from("stories", "c3");
    assert_eq!(run.state.status(), RunStatus::AwaitingApproval);
    run.decides(feedback("shorter", "c3"));
    let asked = |run: &Run, step: &str| run.step(step).hotfix.as_ref().unwrap().message.clone();
    assert_eq!(asked(&run, "stories/S1/code"), "shorter");
    run.proves("stories/S1/code", "c4");
    assert_eq!(asked(&run, "stories/S2/code"), "shorter");
}

#[test]
fn a_person_adds_an_item_while_the_gate_is_open_and_it_comes_up() {
    let [plan, stories, last] = planned([code()]);
    let mut run = with_items([plan, stories.gated(), last], ["S1"]);
    run.proves("stories/S1/code", "c2");
    run.begins_from("stories", "c2");
    assert_eq!(run.decides(add_item("S2"))[1..], [opened("S2"), taken("stories/S2/code")]);
    run.proves("stories/S2/code", "c3");
    run.begins_from("stories", "c3");
    assert_eq!(run.state.gate().map(|gate| gate.id.0), Some(2), "the first gate showed less");
}

#[test]
fn an_item_can_be_changed_and_skipped_until_it_comes_up() {
    let mut run = with_items(planned([code()]), ["S1", "S2", "S3"]);
    run.decides(retitle_item("S2", "Another title"));
    run.decides(skip_item("S3"));
    assert_eq!(run.refuses(skip_item("S3")), Rejected::ItemSkipped { item: "S3".into() });
    assert_eq!(
        run.refuses(retitle_item("S1", "Too late")),
        Rejected::ItemBegun { item: "S1".into() }
    );
    run.proves("stories/S1/code", "c2");
    assert_eq!(run.state.plan.step(run.index("stories/S2/code")).task, "Do S2: Another title");
    run.decides(reopen_item("S3"));
    run.proves("stories/S2/code", "c3");
    run.proves("stories/S3/code", "c4");
    assert_eq!(statuses(&run), ["done", "done", "done"]);
}

#[test]
fn what_is_no_item_is_refused() {
    let mut run = Run::of(planned([code()]));
    run.begins("plan");
    for item in ["S1", "S2", "S3"] {
        run.asks("plan#1", item).unwrap();
    }
    let too_many = Rejected::TooManyItems { step: "stories".into(), max: 3 };
    assert_eq!(run.asks("plan#1", "S4").unwrap_err(), too_many);
    assert_eq!(run.refuses(add_item("S4")), too_many);
    assert_eq!(run.refuses(add_item("S1")), Rejected::ItemTaken { item: "S1".into() });
    assert!(matches!(run.refuses(add_item("a/b")), Rejected::BadItem(_)));
    assert!(matches!(run.refuses(skip_item("S9")), Rejected::UnknownItem { .. }));
    let stale = Rejected::StaleAttempt { attempt: attempt_id("plan#7") };
    assert_eq!(run.asks("plan#7", "S4").unwrap_err(), stale);
    let set = run.sets("plan#1", "items", json!([]));
    assert_eq!(set.unwrap_err(), Rejected::ItemsAreAdded);
    run.ends("plan#1", "c1");
    run.verifies(holds());
    run.begins("stories/S1/code");
    assert_eq!(
        run.asks("stories/S1/code#1", "S4").unwrap_err(),
        Rejected::MayNotAddItems { step: "stories/S1/code".into() }
    );
}

#[test]
fn a_step_that_is_done_takes_no_more_items() {
    let mut run = with_items(planned([code()]), ["S1"]);
    run.proves("stories/S1/code", "c2");
    let finished = Rejected::StepFinished { step: "stories".into(), status: "done".to_owned() };
    assert_eq!(run.refuses(add_item("S2")), finished);
    let mut run = Run::of([agent("plan")]);
    assert_eq!(run.refuses(add_item("S1")), Rejected::NoItems);
}

#[test]
fn with_more_than_one_such_step_an_item_names_its_own() {
    let more = foreach("more", 3, [agent("more/code")]);
    let mut run = Run::of([agent("plan"), foreach("stories", 3, [code()]), more]);
    let steps = vec!["stories".into(), "more".into()];
    assert_eq!(run.refuses(add_item("S1")), Rejected::WhichForeach { steps });
    let of = |step: &str| NewItem { step: Some(step.into()), ..new_item("S1") };
    let no = Rejected::NoForeach { step: "plan".into() };
    assert_eq!(run.refuses(Decision::AddItem { item: of("plan") }), no);
    run.decides(Decision::AddItem { item: of("more") });
    assert_eq!(run.state.items[0].item.step.as_str(), "more");
}

#[test]
fn a_task_list_is_read_before_the_items_come_up() {
    let mut run = Run::of([foreach("stories", 3, [code()]).of_tasks("TASKS.md")]);
    let read = Effect::ReadTasks { step: "stories".into(), epoch: 0 };
    assert_eq!(run.outstanding(), [read]);
    assert_eq!(run.state.status(), RunStatus::Active);
    let events = run.reads("stories", [("T1", false), ("T2", true), ("T3", false)]);
    let last = [
        Event::TasksRead { step: "stories".into(), tasks: 3 },
        opened("T1"),
        taken("stories/T1/code"),
    ];
    assert_eq!(events[3..], last);
    assert_eq!(statuses(&run), ["active", "skipped", "pending"]);
    run.proves("stories/T1/code", "c1");
    run.proves("stories/T3/code", "c2");
    assert_eq!(run.state.status(), RunStatus::Completed);
}

#[test]
fn a_task_list_without_an_open_task_asks_a_person() {
    for tasks in [&[][..], &[("T1", true), ("T2", true)]] {
        let mut run = Run::of([foreach("stories", 3, [code()]).of_tasks("TASKS.md")]);
        run.reads_all("stories", tasks);
        assert_eq!(run.state.status(), RunStatus::AwaitingUser);
        let note = "its tasks in `TASKS.md` cannot be taken: no task in it is open";
        assert_eq!(run.step("stories").note.as_deref(), Some(note));
    }
}

#[test]
fn a_task_list_that_cannot_be_taken_blocks_the_step_until_a_person_says_again() {
    let mut run = Run::of([foreach("stories", 1, [code()]).of_tasks("TASKS.md")]);
    run.reads("stories", [("T1", false), ("T2", false)]);
    assert_eq!(run.state.status(), RunStatus::AwaitingUser);
    assert_eq!(
        run.step("stories").note.as_deref(),
        Some("its tasks in `TASKS.md` cannot be taken: 2 items are to be done, more than `max: 1`")
    );
    assert!(run.state.items.is_empty());
    run.decides(retry("stories"));
    assert_eq!(run.outstanding(), [Effect::ReadTasks { step: "stories".into(), epoch: 1 }]);
    run.reads("stories", [("T1", false)]);
    run.proves("stories/T1/code", "c1");
    assert_eq!(run.state.status(), RunStatus::Completed);
}

#[test]
fn a_box_that_was_ticked_since_changes_nothing_when_the_list_is_read_again() {
    let mut run = Run::of([foreach("stories", 3, [code()]).of_tasks("TASKS.md"), agent("last")]);
    run.reads("stories", [("T1", false), ("T2", false)]);
    run.proves("stories/T1/code", "c1");
    run.proves("stories/T2/code", "c2");
    run.begins("last");
    run.decides(PAUSE_NOW);
    run.ends("last#1", "c3");
    run.decides(rollback("stories", "c3"));
    run.reads("stories", [("T1", true), ("T2", true), ("T3", false)]);
    assert_eq!(statuses(&run), ["active", "pending", "pending"]);
}

#[test]
fn a_late_reading_of_an_earlier_life_is_refused() {
    let mut run = Run::of([foreach("stories", 3, [code()]).of_tasks("TASKS.md")]);
    let late = InputKind::TasksRead {
        step: "stories".into(),
        epoch: 7,
        file: "TASKS.md".to_owned(),
        tasks: Ok(Vec::new()),
    };
    assert_eq!(run.feed(late).unwrap_err(), Rejected::NotExpected);
}

#[test]
fn a_when_inside_an_item_is_asked_for_every_item() {
    let docs = agent("stories/docs").when(".item.id == \"S1\"");
    let mut run = with_items(planned([code(), docs]), ["S1", "S2"]);
    run.proves("stories/S1/code", "c2");
    assert_eq!(
        run.outstanding(),
        [Effect::EvaluateWhen { step: "stories/S1/docs".into(), epoch: 0 }]
    );
    run.when("stories/S1/docs", Ok(true));
    run.proves("stories/S1/docs", "c3");
    run.proves("stories/S2/code", "c4");
    run.when("stories/S2/docs", Ok(false));
    assert_eq!(statuses(&run), ["done", "done"]);
}

/// A run with two stories of two steps each, of which the second step is blocked after one try.
fn with_stories() -> Run {
    let second = agent("stories/second").retries(1).exhausted(Exhausted::Block);
    with_items(planned([agent("stories/first"), second]), ["S1", "S2"])
}

#[test]
fn what_was_done_for_a_blocked_item_leaves_the_place_before_the_next_comes_up() {
    let mut run = with_stories();
    run.proves("stories/S1/first", "c2");
    run.begins("stories/S1/second");
    let events = run.fails("stories/S1/second#1", "c3");
    let back = Event::ItemTakenBack { item: "S1".into(), code: "c1".into() };
    assert_eq!(events[events.len() - 3..], [back, opened("S2"), taken("stories/S2/first")]);
    let Effect::TakeBaseline(request) = &run.outstanding()[0] else { panic!("no baseline") };
    assert_eq!(request.reset_code, Some("c1".into()));
    assert_eq!(run.state.proven_code, "c1".into());
}

#[test]
fn a_blocked_item_goes_on_with_its_work_when_nobody_changed_the_code_since() {
    let mut run = with_stories();
    run.decides(skip_item("S2"));
    run.proves("stories/S1/first", "c2");
    run.begins("stories/S1/second");
    run.fails("stories/S1/second#1", "c3");
    assert_eq!(run.state.status(), RunStatus::AwaitingUser);
    let fixed = Decision::Fixed { what: Some("S1".to_owned()), notes: Some("a key".to_owned()) };
    let events = run.decides(fixed);
    assert_eq!(events[0], Event::ItemGoesOn { item: "S1".into() });
    assert_eq!(run.step("stories/S1/second").hotfix.as_ref().unwrap().message, "a key");
    let Effect::TakeBaseline(request) = &run.outstanding()[0] else { panic!("no baseline") };
    assert_eq!(
        (request.step.as_str(), &request.reset_code),
        ("stories/S1/second", &Some("c2".into()))
    );
    assert_eq!(run.state.proven_code, "c2".into());
}

#[test]
fn a_blocked_item_begins_anew_when_others_were_done_since() {
    let mut run = with_stories();
    run.proves("stories/S1/first", "c2");
    run.begins("stories/S1/second");
    run.fails("stories/S1/second#1", "c3");
    run.proves("stories/S2/first", "c4");
    run.proves("stories/S2/second", "c5");
    assert_eq!(run.state.status(), RunStatus::AwaitingUser);
    run.decides(Decision::Fixed { what: None, notes: None });
    assert_eq!(run.status_of("stories/S1/first"), StepStatus::Running);
    let item = run.state.item(&"S1".into()).unwrap();
    assert_eq!((item.began.clone(), item.left.clone()), (Some("c5".into()), None));
    assert_eq!(run.state.reset_code, None);
}

#[test]
fn items_wait_for_what_they_depend_on_and_others_go_first() {
    let story = |needs: &[&str]| crate::story::Story {
        size: crate::story::Size::M,
        criteria: Vec::new(),
        security: false,
        depends_on: needs.iter().map(|need| (*need).into()).collect(),
        files: Vec::new(),
        design: None,
    };
    let stuck = code().retries(1).exhausted(Exhausted::Block);
    let mut run = with_items(planned([stuck]), ["S1", "S2", "S3"]);
    let change = |story| ItemChange { story: Some(story), ..Default::default() };
    let update = |id: &str, story| Decision::UpdateItem { item: id.into(), change: change(story) };
    run.decides(update("S2", story(&["S1"])));
    let cycle = run.refuses(update("S3", story(&["S3"])));
    assert_eq!(cycle, Rejected::DependencyCycle { item: "S3".into() });
    assert!(matches!(run.refuses(update("S3", story(&["S9"]))), Rejected::UnknownItem { .. }));
    run.begins("stories/S1/code");
    run.fails("stories/S1/code#1", "c2");
    assert_eq!(statuses(&run), ["blocked", "pending", "active"]);
    run.proves("stories/S3/code", "c3");
    assert_eq!(run.state.status(), RunStatus::AwaitingUser);
    assert_eq!(statuses(&run), ["blocked", "pending", "done"]);
    run.decides(skip_item("S1"));
    assert_eq!(statuses(&run), ["skipped", "active", "done"]);
}

#[test]
fn people_move_what_has_not_come_up() {
    let mut run = with_items(planned([code()]), ["S1", "S2", "S3"]);
    let to = |item: &str, before: Option<&str>| Decision::MoveItem {
        item: item.into(),
        before: before.map(Into::into),
    };
    assert_eq!(run.refuses(to("S1", None)), Rejected::ItemBegun { item: "S1".into() });
    assert_eq!(run.refuses(to("S2", Some("S2"))), Rejected::BeforeItself { item: "S2".into() });
    run.decides(to("S3", Some("S2")));
    let order: Vec<_> =
        run.state.items.iter().map(|item| item.item.id.as_str().to_owned()).collect();
    assert_eq!(order, ["S1", "S3", "S2"]);
    run.proves("stories/S1/code", "c2");
    assert_eq!(statuses(&run), ["done", "active", "pending"]);
}

#[test]
fn a_run_can_start_with_items_and_goes_through_them() {
    let new = |id: &str| NewItem {
        id: id.into(),
        title: format!("Title of {id}"),
        body: "Words.".to_owned(),
        story: None,
        step: None,
    };
    let mut run = Run::over([new("S1"), new("S2")], [foreach("stories", 3, [code()])]);
    assert_eq!(statuses(&run), ["active", "pending"]);
    run.begins("stories/S1/code");
    let plan = serde_json::to_value(&*run.state.plan).unwrap();
    assert_eq!(plan["items"][0]["id"], "S1", "a replay starts with them too");
    let without = serde_json::to_value(&*Run::of([agent("code")]).state.plan).unwrap();
    assert!(without.get("items").is_none(), "plans of earlier versions stay as they are");
}
