//! What keys and news do to the screen, and how it looks at three sizes.

use std::sync::Arc;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use windlass_core::id::{GateId, RunId, StepId};
use windlass_core::run::{RunStatus, StepStatus};
use windlass_core::time::{Span, Timestamp};
use windlass_core::view::{
    BudgetView, Doing, GateAhead, GateView, NextCommand, RollbackTarget, RunView, RunningView,
    StatusView, StepView,
};
use windlass_engine::dispatch::Request;
use windlass_engine::process::activity::Activity;

use super::draw::draw;
use super::live::Live;
use super::look::Look;
use super::pager::{LineKind, Page, PageLine, Subject};
use super::screen::{Action, Dialog, Driven, Message, Notice, Screen, Seen};
use super::shown::SETTLE;
use super::update::update;

const START: Timestamp = Timestamp(1_800_000_000_000);
const NOW: Timestamp = Timestamp(1_800_000_130_000);

fn step(id: &str, title: &str, status: StepStatus) -> StepView {
    StepView {
        id: StepId::from(id),
        title: title.to_owned(),
        status,
        attempts: u32::from(status != StepStatus::Pending),
        tries: 0,
        retries: 3,
        agent: Some("developer".to_owned()),
        depth: id.matches('/').count(),
        waived: false,
        note: None,
        failure: None,
        cost_usd: 0.0,
        wall: Span::seconds(62),
        running_since: (status == StepStatus::Running).then_some(START),
    }
}

fn view(status: RunStatus, steps: Vec<StepView>) -> StatusView {
    StatusView {
        blockers: Vec::new(),
        questions: Vec::new(),
        blocked: Vec::new(),
        run: RunView {
            id: RunId::from("k3v9x2ab"),
            workflow: "change".to_owned(),
            title: "A change".to_owned(),
            goal: "Add a health endpoint 漢字 to the server".to_owned(),
            status,
            reason: None,
            detail: None,
            branch: "windlass/add-a-health-endpoint-k3v9x2ab".to_owned(),
            place: "/place".to_owned(),
            here: false,
            head: "c0ffee".to_owned(),
            started_at: START.to_string(),
            since: START.to_string(),
            since_moment: START,
            until: None,
            until_moment: None,
            publication: None,
        },
        steps,
        running: Vec::new(),
        items: Vec::new(),
        gate: None,
        next_gate: Some(GateAhead {
            step: "review".into(),
            title: "Review".to_owned(),
            steps_until: 2,
        }),
        budget: BudgetView {
            attempts: 12,
            attempts_limit: 60,
            cost_usd: 3.5,
            cost_usd_limit: 25.0,
            unknown_cost: 0,
            wall_ms: Span::minutes(75),
            wall_ms_limit: Span::hours(8),
        },
        next: vec![NextCommand { command: "windlass resume".to_owned(), does: "go on".to_owned() }],
    }
}

fn steps() -> Vec<StepView> {
    vec![
        step("plan", "Planning", StepStatus::Done),
        step("build", "Building", StepStatus::Running),
        step("build/api", "The interface", StepStatus::Running),
        step("build/ui", "Screens", StepStatus::Running),
        step("review", "Review", StepStatus::Pending),
    ]
}

fn seen(view: StatusView) -> Seen {
    let targets = ["plan", "build"].map(|step| RollbackTarget {
        step: step.into(),
        title: step.to_owned(),
        suggested: step == "build",
    });
    Seen {
        view,
        driver: Driven::By { pid: 42 },
        live: Vec::new(),
        targets: targets.to_vec(),
        trouble: None,
    }
}

fn at_gate(number: u32) -> Seen {
    let mut view = view(RunStatus::AwaitingApproval, steps());
    view.gate = Some(GateView {
        id: GateId(number),
        step: "build".into(),
        title: "Building".to_owned(),
        kind: "approval",
        code: String::new(),
        papers: String::new(),
        protected: Vec::new(),
        skips: Vec::new(),
        route: None,
        stories: Vec::new(),
        assumed: Vec::new(),
    });
    seen(view)
}

/// Two attempts at once, as a team has them.
fn running() -> Seen {
    let mut view = view(RunStatus::Active, steps());
    let attempt = |step: &str| RunningView {
        step: step.into(),
        title: step.to_owned(),
        attempt: format!("{step}#1").parse().ok(),
        doing: Doing::Running,
        since: START.to_string(),
        since_moment: START,
        timeout: Span::minutes(30),
        idle_timeout: Span::minutes(10),
    };
    view.running = vec![attempt("build/api"), attempt("build/ui")];
    let live = |step: &str, last: Timestamp| Live {
        attempt: format!("{step}#1").parse().ok(),
        activity: Activity {
            processes: 3,
            cpu_ms: 12_340,
            io_bytes: 4_100_000,
            output_bytes: 100,
            output_at_ms: Some(last.0 - 2_000),
        },
        first: START,
        last_sign: Some(last),
        tail: (1..=60).map(|n| format!("{step}: line {n}")).collect(),
    };
    let quiet = Timestamp(NOW.0 - 90_000);
    Seen { live: vec![live("build/api", NOW), live("build/ui", quiet)], ..seen(view) }
}

/// A screen that somebody has looked at for a while.
fn screen(seen: Seen) -> Screen {
    let mut screen = Screen::new((80, 24), Timestamp(NOW.0 - 1000));
    update(&mut screen, Message::Seen(Arc::new(seen)));
    update(&mut screen, drawn_at(Timestamp(NOW.0 - 1000)));
    update(&mut screen, tick(NOW));
    screen
}

/// Lets what there is be drawn, and time pass.
fn look(screen: &mut Screen) {
    let now = screen.now;
    update(screen, drawn_at(now));
    update(screen, tick(now.plus(SETTLE)));
}

/// Presses keys as somebody does who looks at the screen before each of them.
fn press(screen: &mut Screen, keys: &str) -> Vec<Action> {
    let mut actions = Vec::new();
    for c in keys.chars() {
        look(screen);
        actions.extend(press_at_once(screen, &c.to_string()));
    }
    look(screen);
    actions
}

/// Presses keys without a look.
fn press_at_once(screen: &mut Screen, keys: &str) -> Vec<Action> {
    let mut actions = Vec::new();
    for c in keys.chars() {
        let code = match c {
            '\n' => KeyCode::Enter,
            '\u{1b}' => KeyCode::Esc,
            '↑' => KeyCode::Up,
            '↓' => KeyCode::Down,
            c => KeyCode::Char(c),
        };
        let key = KeyEvent::new(code, KeyModifiers::NONE);
        actions.extend(update(screen, Message::Key(key)));
    }
    actions
}

/// The wall clock says the same as the one that nobody sets.
fn tick(now: Timestamp) -> Message {
    Message::Tick(now, Span(u64::try_from(now.0).unwrap()))
}

fn drawn_at(now: Timestamp) -> Message {
    Message::Drawn(Span(u64::try_from(now.0).unwrap()))
}

fn drawn(screen: &Screen, (width, height): (u16, u16)) -> String {
    let mut screen = screen.clone();
    update(&mut screen, Message::Resized(width, height));
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| draw(frame, &screen, Look::new(true))).unwrap();
    terminal.backend().to_string()
}

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (50, 15)];

#[test]
fn two_attempts_at_once_share_the_screen() {
    for (width, height) in SIZES {
        let name = format!("running_{width}x{height}");
        insta::assert_snapshot!(name, drawn(&screen(running()), (width, height)));
    }
}

#[test]
fn a_gate_shows_its_question_proofs_and_diff() {
    let mut screen = screen(at_gate(1));
    let lines = [
        (LineKind::Good, "holds  run `make test` exited with 0 (observed, on c0ffee, 1.2s)"),
        (LineKind::Heading, "Changed code: 1 file, +1 −0"),
        (LineKind::Added, "+a line"),
    ];
    let lines = lines.map(|(kind, text)| PageLine::new(kind, text)).to_vec();
    let page = Page {
        subject: Subject::Gate("build".into()),
        title: String::new(),
        lines: Arc::new(lines),
        attempt: None,
        grows: false,
    };
    update(&mut screen, Message::Page(page));
    for (width, height) in SIZES {
        let name = format!("gate_{width}x{height}");
        insta::assert_snapshot!(name, drawn(&screen, (width, height)));
    }
    press(&mut screen, "r");
    insta::assert_snapshot!("rollback_80x24", drawn(&screen, (80, 24)));
}

#[test]
fn every_size_can_be_drawn_with_everything_open() {
    for opened in ["", "a", "am", "f", "r", "r\n", "s", "?", "e", "l/"] {
        for seen in [running(), at_gate(1)] {
            let mut screen = screen(seen);
            press(&mut screen, opened);
            for (width, height) in
                [(1, 1), (3, 2), (40, 10), (41, 10), (40, 11), (79, 23), (300, 90)]
            {
                drawn(&screen, (width, height));
            }
        }
    }
}

#[test]
fn a_new_gate_is_asked_about_once() {
    let mut screen = Screen::new((80, 24), NOW);
    let ask = [Action::Ask(Subject::Gate("build".into()))];
    assert_eq!(update(&mut screen, Message::Seen(Arc::new(at_gate(1)))), ask);
    assert_eq!(update(&mut screen, Message::Seen(Arc::new(at_gate(1)))), []);
    assert_eq!(update(&mut screen, Message::Seen(Arc::new(at_gate(2)))), ask);
}

#[test]
fn an_approval_names_the_gate_that_was_shown() {
    let mut screen = screen(at_gate(7));
    let request = Request::Approve { gate: GateId(7), message: None };
    let said = "`build` is approved".to_owned();
    assert_eq!(press(&mut screen, "ay"), [Action::Decide(request, said)]);
    assert!(screen.deciding && screen.dialog.is_none());
    // A second answer waits for the first.
    assert_eq!(press(&mut screen, "ay"), []);
    let notice = Notice { text: "refused: it changed".to_owned(), bad: true };
    update(&mut screen, Message::Answered(notice.clone()));
    assert_eq!(screen.notice, Some(notice));
    assert!(!screen.deciding);
}

#[test]
fn an_answer_to_a_gate_that_is_gone_is_not_sent() {
    let mut screen = screen(at_gate(1));
    press(&mut screen, "a");
    update(&mut screen, Message::Seen(Arc::new(at_gate(2))));
    assert_eq!(screen.dialog, None);
    assert_eq!(press(&mut screen, "y"), []);
    assert_eq!(press(&mut screen, "n"), []);
}

#[test]
fn silence_and_noise_decide_nothing() {
    let mut screen = screen(at_gate(1));
    for noise in
        ["y", "a\n", "\n", " ", "ax", "n", "f\n", "\u{1b}", "r\u{1b}", "r\n\n\u{1b}", "s\n", "n"]
    {
        let actions = press(&mut screen, noise);
        let decided = actions.iter().any(|action| matches!(action, Action::Decide(..)));
        assert!(!decided, "{noise:?}: {actions:?}");
    }
    let alt = KeyEvent::new(KeyCode::Char('y'), KeyModifiers::ALT);
    press(&mut screen, "\u{1b}\u{1b}a");
    assert_eq!(update(&mut screen, Message::Key(alt)), []);
    assert_eq!(screen.dialog, None);
    press(&mut screen, "f");
    assert_eq!(update(&mut screen, Message::Key(alt)), []);
    assert!(matches!(screen.dialog, Some(Dialog::Feedback { .. })));
}

#[test]
fn keys_that_were_on_their_way_when_the_gate_appeared_decide_nothing() {
    let mut screen = screen(running());
    update(&mut screen, Message::Seen(Arc::new(at_gate(1))));
    // Before it was drawn, and at once after.
    assert_eq!(press_at_once(&mut screen, "ay"), []);
    let now = screen.now;
    update(&mut screen, drawn_at(now));
    assert_eq!(press_at_once(&mut screen, "ayayfr"), []);
    assert_eq!(screen.dialog, None);
    // Who goes on typing goes on not being heard.
    update(&mut screen, tick(now.plus(Span(SETTLE.0 - 1))));
    assert_eq!(press_at_once(&mut screen, "ay"), []);
    update(&mut screen, tick(now.plus(Span(SETTLE.0 + 1))));
    assert_eq!(press_at_once(&mut screen, "ay"), []);
    assert_eq!(screen.dialog, None);
    assert!(drawn(&screen, (80, 24)).contains("keys count in a moment"));
    look(&mut screen);
    assert!(drawn(&screen, (80, 24)).contains("a approve"));
    assert_eq!(press(&mut screen, "ay").len(), 1);
}

#[test]
fn a_clock_that_is_set_makes_no_key_count_and_keeps_none_from_it() {
    let mut screen = screen(at_gate(1));
    screen.forget_shown();
    let (now, moment) = (screen.now, screen.moment);
    update(&mut screen, Message::Drawn(moment));
    update(&mut screen, Message::Tick(now.plus(Span::minutes(60)), moment));
    assert_eq!(press_at_once(&mut screen, "a"), []);
    assert_eq!(screen.dialog, None, "nobody has looked for an hour");
    update(&mut screen, Message::Tick(Timestamp(now.0 - 3_600_000), Span(moment.0 + SETTLE.0)));
    press_at_once(&mut screen, "a");
    assert!(screen.dialog.is_some());
}

#[test]
fn several_keys_at_once_are_no_answer_to_a_question_between_them() {
    for keys in ["ay", "amx\n", "fno\n", "r\nwhy\n", "sy", "sx"] {
        let mut screen = screen(at_gate(1));
        assert_eq!(press_at_once(&mut screen, keys), [], "{keys:?}");
        assert!(screen.dialog.is_some(), "{keys:?}");
        // Drawn, and still too early.
        let now = screen.now;
        update(&mut screen, drawn_at(now));
        assert_eq!(press_at_once(&mut screen, &keys[keys.len() - 1..]), [], "{keys:?}");
        assert!(!drawn(&screen, (80, 24)).contains("y yes"), "{keys:?}");
    }
}

#[test]
fn a_gate_was_shown_since_it_was_drawn() {
    let mut screen = screen(at_gate(1));
    assert_eq!(screen.gate_shown_for(), Some(Span::seconds(1)));
    update(&mut screen, Message::Seen(Arc::new(at_gate(2))));
    assert_eq!(screen.gate_shown_for(), None);
    // Another program had the terminal.
    look(&mut screen);
    screen.forget_shown();
    assert_eq!(press_at_once(&mut screen, "a"), []);
    assert_eq!((screen.dialog.is_none(), screen.gate_shown_for()), (true, None));
}

#[test]
fn pasted_text_never_presses_keys() {
    let mut screen = screen(at_gate(1));
    update(&mut screen, Message::Pasted("ay\nq".to_owned()));
    assert_eq!(screen.dialog, None);
    press(&mut screen, "f");
    update(&mut screen, Message::Pasted("two\nlines".to_owned()));
    let request = Request::Feedback { message: "two lines".to_owned(), gate: Some(GateId(1)) };
    let actions = press(&mut screen, "\n");
    assert!(matches!(&actions[..], [Action::Decide(sent, _)] if *sent == request), "{actions:?}");
}

#[test]
fn a_rollback_starts_at_the_suggested_step_and_needs_a_reason() {
    let mut screen = screen(at_gate(1));
    assert_eq!(press(&mut screen, "r\n\n"), []);
    let actions = press(&mut screen, "why\n");
    let request = |step: &str, reset_code| Request::Rollback {
        step: step.into(),
        message: "why".to_owned(),
        reset_code,
        checkpoint: None,
    };
    assert!(matches!(&actions[..], [Action::Decide(sent, _)] if *sent == request("build", false)));
    screen.deciding = false;
    let actions = press(&mut screen, "r↑c\nwhy\n");
    assert!(matches!(&actions[..], [Action::Decide(sent, _)] if *sent == request("plan", true)));
}

#[test]
fn a_chosen_step_stays_chosen_while_the_list_grows() {
    let mut screen = screen(running());
    assert_eq!(screen.selected_step().unwrap().id.as_str(), "build/api");
    press(&mut screen, "↓↓");
    assert_eq!(screen.selected_step().unwrap().id.as_str(), "review");
    let mut grown = running();
    grown.view.steps.insert(4, step("build/docs", "Docs", StepStatus::Pending));
    update(&mut screen, Message::Seen(Arc::new(grown)));
    assert_eq!(screen.selected_step().unwrap().id.as_str(), "review");
    press(&mut screen, "\u{1b}");
    assert_eq!(screen.selected_step().unwrap().id.as_str(), "build/api");
}

#[test]
fn pages_open_and_close_and_late_ones_are_dropped() {
    let mut screen = screen(running());
    let asked = press(&mut screen, "d");
    assert_eq!(asked, [Action::Ask(Subject::Diff("build/api".into(), None))]);
    let late = Page {
        subject: Subject::Log,
        title: "log".to_owned(),
        lines: Arc::default(),
        attempt: None,
        grows: true,
    };
    update(&mut screen, Message::Page(late));
    assert!(!screen.pager.as_ref().unwrap().loaded);
    assert_eq!(press(&mut screen, "q"), [Action::StopAsking]);
    assert_eq!(press(&mut screen, "q"), [Action::Leave]);
}

#[test]
fn another_attempt_is_one_key_away_and_the_ends_hold() {
    let mut screen = screen(running());
    press(&mut screen, "o");
    let page = |number, count| Page {
        subject: Subject::Output("build/api".into(), None),
        title: String::new(),
        lines: Arc::default(),
        attempt: Some((number, count)),
        grows: true,
    };
    update(&mut screen, Message::Page(page(2, 2)));
    assert_eq!(press(&mut screen, "]"), []);
    let before = Action::Ask(Subject::Output("build/api".into(), Some(1)));
    assert_eq!(press(&mut screen, "["), [before]);
}

#[test]
fn nobody_driving_is_said_only_where_somebody_should() {
    let mut dead = running();
    dead.driver = Driven::Nobody { since: START };
    assert!(drawn(&screen(dead), (80, 24)).contains("nobody drives this run since 2m10s"));
    let mut gate = at_gate(1);
    gate.driver = Driven::Nobody { since: START };
    assert!(!drawn(&screen(gate), (80, 24)).contains("nobody"));
}

#[test]
fn good_news_goes_away_and_refusals_stay_until_a_key() {
    for (bad, stays) in [(false, false), (true, true)] {
        let mut screen = screen(running());
        screen.say("news", bad);
        update(&mut screen, tick(Timestamp(NOW.0 + 60_000)));
        assert_eq!(screen.notice.is_some(), stays);
        press(&mut screen, "x");
        assert_eq!(screen.notice, None);
    }
}

#[test]
fn a_run_that_has_ended_is_neither_paused_nor_resumed() {
    let mut screen = screen(seen(view(RunStatus::Completed, steps())));
    press(&mut screen, "s");
    assert_eq!(screen.dialog, None);
    assert_eq!(screen.notice.as_ref().unwrap().text, "the run has ended");
}

#[test]
fn the_line_of_keys_offers_what_can_be_done() {
    for (status, offered) in [
        (RunStatus::Active, "s pause"),
        (RunStatus::Paused, "s resume"),
        (RunStatus::Completed, "l log  ? help"),
    ] {
        let mut view = view(status, steps());
        view.next_gate = None;
        let drawn = drawn(&screen(seen(view)), (80, 24));
        assert!(drawn.contains(offered), "{drawn}");
    }
}
