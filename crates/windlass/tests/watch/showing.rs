//! What a gate shows before it asks: all of it, or how much it leaves out.

use windlass_testkit::{Terminal, TestEnv, test_env};

/// One test that judges the work, and a gate for whatever is proven.
const WORKFLOW: &str = r#"
workflow: shown
defaults: {retries: 1}
protect: ["tests/**"]
steps:
  - {id: work, agent: coder, task: Work., done: {run: "sh tests/judge.sh"}, gate: approval}
"#;

/// An agent that hides what it does between noise, NUL bytes, carriage returns and odd files.
const HIDING: &str = r"
[work]
run for n in 1 2 3; do i=0; while [ $i -lt 100 ]; do echo line $i; i=$((i+1)); done >noise$n; done
run printf 'x%.0s' $(seq 5000) >one-line; ln -s nothing gone
run chmod +x odd.txt
";

/// The same, and a judge that judges nothing after a NUL byte and hundreds of kilobytes.
const RIGGING: &str = r"
[work]
run printf '# \000\n' >tests/judge.sh; i=0; while [ $i -lt 3000 ]; do printf '# %0100d\n' $i; i=$((i+1)); done >>tests/judge.sh
run printf 'exit 0 # the judge is gone\rexit 1 # nothing to see\n' >>tests/judge.sh
run i=0; while [ $i -lt 100 ]; do echo line $i; i=$((i+1)); done >beside
";

fn arguments(env: &TestEnv, script: &str) -> Vec<String> {
    env.repository.write("tests/judge.sh", "true\n");
    env.repository.write("odd.txt", "odd\n");
    env.repository.commit("a judge");
    let agent = format!("rehearsal:{}", env.file("script", script).display());
    let workflow = env.workflow(WORKFLOW);
    let words = ["run", "Do it", "--workflow", &workflow, "--agent", &agent];
    words.map(str::to_owned).to_vec()
}

fn words(arguments: &[String]) -> Vec<&str> {
    arguments.iter().map(String::as_str).collect()
}

#[test]
fn what_is_cut_is_counted_in_the_question_and_shown_when_asked_for() {
    if !Terminal::is_there() {
        return;
    }
    let env = test_env!();
    let arguments = arguments(&env, HIDING);
    let terminal = Terminal::windlass(&env, (120, 60), &words(&arguments));
    let screen = terminal.wait_for("[e]vidence, [q]uit:");
    assert!(screen.contains("lines not shown: `d` shows all"), "{screen}");
    let all = terminal.with_history();
    assert!(all.contains("`gone` links to `nothing`, which is not there"), "{all}");
    assert!(all.contains("`odd.txt` becomes executable"), "{all}");
    assert!(!all.contains("+line 99"), "{all}");
    terminal.text("d");
    terminal.keys(&["Enter"]);
    terminal.wait_until("the end of the diff", |screen| {
        screen.contains("+xxxx") && screen.contains("[e]vidence, [q]uit:")
    });
    let all = terminal.with_history();
    assert_eq!(all.matches("+line 99\n").count(), 3, "{all}");
    assert_eq!(env.status(), "awaiting_approval");
}

#[test]
fn a_judge_is_shown_whole_at_its_gate_however_much_there_is_before_the_point() {
    if !Terminal::is_there() {
        return;
    }
    let env = test_env!();
    let arguments = arguments(&env, RIGGING);
    let terminal = Terminal::windlass(&env, (120, 30), &words(&arguments));
    let screen = terminal.wait_for("[e]vidence, [q]uit:");
    let line = r"+exit 0 # the judge is gone\x0dexit 1 # nothing to see";
    assert!(screen.contains(line), "{screen}");
    assert!(screen.contains("1 file (`beside`), 100 lines not shown: `d` shows all"), "{screen}");
    terminal.text("q");
    terminal.keys(&["Enter"]);
    terminal.wait_for("[exit 3]");
    let view = Terminal::windlass(&env, (120, 30), &["watch"]);
    view.wait_for("changed files that judge the work");
    view.wait_for("more lines: PgDn");
    view.keys(&["Enter"]);
    // A page that is not there yet has nothing to be found.
    view.wait_for("lines 1 to");
    view.keys(&["/"]);
    view.text("judge is gone");
    view.keys(&["Enter"]);
    view.wait_for(line);
}

#[test]
fn a_view_of_the_gate_counts_what_it_leaves_out() {
    if !Terminal::is_there() {
        return;
    }
    let env = test_env!();
    let script =
        "[work]\nrun i=0; while [ $i -lt 9000 ]; do echo line $i; i=$((i+1)); done >long\n";
    let arguments = arguments(&env, script);
    env.windlass(&words(&arguments)).assert_code(3);
    let view = Terminal::windlass(&env, (120, 40), &["watch"]);
    // Six lines of the room are about the file.
    view.wait_for("1 file (`long`), 7,006 lines not shown: `d` shows all");
    view.keys(&["d"]);
    view.wait_for("of 9007");
    view.keys(&["/"]);
    view.text("line 8999");
    view.keys(&["Enter"]);
    view.wait_for("+line 8999");
}

#[test]
fn a_judge_that_only_grew_is_said_to_have() {
    if !Terminal::is_there() {
        return;
    }
    let env = test_env!();
    let arguments =
        arguments(&env, "[work]\nrun echo true >>tests/judge.sh; echo '# x' >>tests/judge.sh\n");
    let terminal = Terminal::windlass(&env, (120, 30), &words(&arguments));
    let screen = terminal.wait_for("[e]vidence, [q]uit:");
    assert!(screen.contains("`tests/judge.sh` only adds 2 lines"), "{screen}");
    let view = Terminal::windlass(&env, (120, 30), &["watch"]);
    view.wait_for("`tests/judge.sh` only adds 2 lines");
}
