//! Bad conditions.

use rustix::process::{Pid, Signal, kill_process};
use rustix::termios::tcgetwinsize;
use windlass_testkit::{Terminal, test_env, wait};

use crate::support::{at_the_gate, building};

#[test]
fn a_dead_driver_is_noticed_and_said() {
    if !Terminal::is_there() {
        return;
    }
    let (env, mut driver) = building();
    let terminal = Terminal::windlass(&env, (80, 24), &["watch"]);
    terminal.wait_for("1 process, CPU");
    driver.kill();
    let screen = terminal.wait_for("nobody drives this run since");
    assert!(screen.contains("continue with `windlass resume`"), "{screen}");
    terminal.wait_for("nothing of it runs any more");
    // One that is opened now says the same.
    let later = Terminal::windlass(&env, (50, 15), &["watch"]);
    later.wait_for("nobody drives this run since");
}

#[test]
fn a_terminal_that_is_too_small_says_so_and_recovers() {
    if !Terminal::is_there() {
        return;
    }
    let env = at_the_gate();
    let terminal = Terminal::windlass(&env, (80, 24), &["watch"]);
    terminal.wait_for("a approve");
    terminal.resize(30, 5);
    let small = terminal.wait_until("the size", |screen| {
        screen.split_whitespace().collect::<Vec<_>>().join(" ").contains("this is 30x5")
    });
    assert!(small.contains("terminal too small"), "{small}");
    // Every size on the way, questions and pages open or not.
    let opened =
        [("a", "Accept exactly"), ("r", "(suggested)"), ("?", "keys"), ("d", "lines 1 to")];
    for (key, shown) in opened {
        terminal.keys(&[key]);
        for (width, height) in [(1, 1), (2, 2), (39, 9), (40, 10), (41, 11), (200, 60), (80, 24)] {
            terminal.resize(width, height);
        }
        terminal.wait_for(shown);
        terminal.keys(&["Escape"]);
        terminal.wait_until("the overview", |screen| {
            screen.contains("accept it?") && !screen.contains(shown)
        });
    }
    terminal.keys(&["q"]);
    terminal.wait_for("[exit 0]");
}

#[test]
fn a_terminal_that_shrank_and_grew_between_two_drawings_is_drawn_whole() {
    if !Terminal::is_there() {
        return;
    }
    let env = at_the_gate();
    let terminal = Terminal::windlass(&env, (80, 24), &["watch"]);
    let before = terminal.wait_for("accept it?");
    let pid = terminal.process("watch").and_then(Pid::from_raw).expect("the process");
    kill_process(pid, Signal::STOP).expect("stopped");
    // tmux tells the terminal of a new size a moment later.
    let tty = fs_err::File::open(format!("/proc/{}/fd/0", pid.as_raw_nonzero())).expect("a tty");
    for (width, height) in [(10, 4), (80, 24)] {
        terminal.resize(width, height);
        let told = wait::until(wait::DEADLINE, || {
            let size = tcgetwinsize(&tty).expect("a size");
            Some(()).filter(|()| (size.ws_col, size.ws_row) == (width, height))
        });
        told.expect("the new size");
    }
    assert_ne!(terminal.screen(), before, "the terminal forgot some of it");
    kill_process(pid, Signal::CONT).expect("continued");
    let first = |screen: &str| screen.chars().take(20).collect::<String>();
    terminal.wait_until("all of it", |screen| {
        screen.contains("accept it?")
            && screen.contains("a approve")
            && first(screen) == first(&before)
    });
    terminal.keys(&["q"]);
    terminal.wait_for("[exit 0]");
}

#[test]
fn what_is_no_terminal_is_refused_with_a_hint() {
    let env = at_the_gate();
    let refused = env.windlass(&["watch"]);
    refused.assert_code(2);
    assert!(refused.stderr.contains("a live view needs a terminal"), "{refused}");
    assert!(refused.stderr.contains("hint: `windlass status`"), "{refused}");
    env.windlass(&["watch", "--json"]).assert_code(2);
    if Terminal::is_there() {
        let dumb = [("TERM", "dumb")];
        let terminal = Terminal::windlass_with(&env, (80, 24), &dumb, &["watch"]);
        let screen = terminal.wait_for("[exit 2]");
        assert!(screen.contains("windlass log -f"), "{screen}");
    }
}

#[test]
fn a_repository_without_a_run_is_told_before_the_screen_is_taken() {
    if !Terminal::is_there() {
        return;
    }
    let env = test_env!();
    let terminal = Terminal::windlass(&env, (80, 24), &["watch"]);
    let screen = terminal.wait_for("[exit 2]");
    assert!(screen.contains("there is no run in this repository yet"), "{screen}");
}

#[test]
fn the_terminal_is_given_back_however_the_view_ends() {
    if !Terminal::is_there() {
        return;
    }
    let env = at_the_gate();
    for signal in [Signal::TERM, Signal::HUP, Signal::INT] {
        let terminal = Terminal::windlass(&env, (80, 24), &["watch"]);
        terminal.wait_for("accept it?");
        let pid = terminal.process("watch").and_then(Pid::from_raw).expect("the view");
        kill_process(pid, signal).unwrap();
        let screen = terminal.wait_for("icanon");
        assert!(screen.contains("[exit 0]") && !screen.contains("-icanon"), "{screen}");
        assert!(!screen.contains("accept it?"), "{screen}");
    }
    let terminal = Terminal::windlass(&env, (80, 24), &["watch"]);
    terminal.wait_for("accept it?");
    terminal.keys(&["C-c"]);
    let screen = terminal.wait_for("icanon");
    assert!(screen.contains("[exit 0]") && !screen.contains("-icanon"), "{screen}");
    assert_eq!(env.status(), "awaiting_approval");
}

#[test]
fn a_view_that_was_suspended_goes_on() {
    if !Terminal::is_there() {
        return;
    }
    let env = at_the_gate();
    let terminal = Terminal::windlass(&env, (80, 24), &["watch"]);
    terminal.wait_for("accept it?");
    // tmux continues what stops in it.
    terminal.keys(&["C-z"]);
    terminal.wait_for("accept it?");
    terminal.keys(&["?"]);
    terminal.wait_for("the run continues without you");
    terminal.keys(&["C-c"]);
    let screen = terminal.wait_for("icanon");
    assert!(screen.contains("[exit 0]") && !screen.contains("-icanon"), "{screen}");
}

#[test]
fn a_store_that_goes_away_is_said_and_what_was_seen_stays() {
    if !Terminal::is_there() {
        return;
    }
    let env = at_the_gate();
    let terminal = Terminal::windlass(&env, (80, 24), &["watch"]);
    terminal.wait_for("accept it?");
    let (there, away) = (env.state(), env.home().join("away"));
    fs_err::rename(&there, &away).unwrap();
    let screen = terminal.wait_for("what is shown may be old");
    assert!(screen.contains("accept it?"), "{screen}");
    fs_err::rename(&away, &there).unwrap();
    terminal.wait_until("no complaint", |screen| !screen.contains("may be old"));
}

#[test]
fn no_colour_is_used_where_none_is_wanted() {
    if !Terminal::is_there() {
        return;
    }
    let env = at_the_gate();
    let coloured = Terminal::windlass(&env, (80, 24), &["watch"]);
    coloured.wait_for("Changed code");
    assert!(coloured.with_colours().contains(";5;2m"), "{:?}", coloured.with_colours());
    let plain = Terminal::windlass_with(&env, (80, 24), &[("NO_COLOR", "1")], &["watch"]);
    plain.wait_for("Changed code");
    let screen = plain.with_colours();
    assert!(!screen.contains(";5;"), "{screen:?}");
}
