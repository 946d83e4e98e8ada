//! Offers are repeated word for word, and not for ever.

use serde_json::json;
use windlass_testkit::{Host, test_env};

use crate::support::{TWO_STEPS, count, started, with_workflow};

#[test]
fn an_outstanding_offer_is_repeated_word_for_word_and_costs_no_try() {
    let env = test_env!();
    with_workflow(&env, TWO_STEPS);
    let host = Host::start(&env, "s1");
    started(&host);
    let first = host.stops().sent_on().unwrap().to_owned();
    host.tool("Bash", json!({"command": "ls"}));
    assert_eq!(host.stops().sent_on().unwrap(), first);
    assert_eq!(count(&env, "attempt_started"), 1);
}

#[test]
fn a_session_that_does_nothing_is_let_go_before_its_host_lets_it_go() {
    let env = test_env!();
    with_workflow(&env, TWO_STEPS);
    let host = Host::start(&env, "s1");
    started(&host);
    for _ in 0..7 {
        assert!(host.stops().sent_on().is_some());
    }
    let let_go = host.stops();
    assert!(let_go.message().unwrap().contains("called no tool"), "{let_go:?}");
    assert_eq!(env.status(), "paused");
    let told = host.says("resume");
    assert!(told.context().unwrap().contains("Call the Agent tool"), "{told:?}");
    assert!(host.stops().sent_on().is_some(), "a person's word counts from zero");
}

#[test]
fn a_session_that_does_other_things_is_let_go_after_fifteen() {
    let env = test_env!();
    with_workflow(&env, TWO_STEPS);
    let host = Host::start(&env, "s1");
    started(&host);
    let mut sent_on = 0;
    while host.stops().sent_on().is_some() {
        sent_on += 1;
        host.tool("Bash", json!({"command": "ls"}));
        assert!(sent_on < 50);
    }
    assert_eq!(sent_on, 15);
    assert_eq!(env.status(), "paused");
}

#[test]
fn two_stops_at_once_give_one_decision() {
    let env = test_env!();
    with_workflow(&env, TWO_STEPS);
    let host = Host::start(&env, "s1");
    let first = started(&host);
    host.starts(&first, "a1");
    env.repository.write(".windlass/run/specs/plan.md", "the plan\n");
    // The subagent is gone without a word: both find that out.
    let stop = || Host::silent(&env, "s1").stops();
    let answers = std::thread::scope(|scope| {
        let other = scope.spawn(stop);
        [stop(), other.join().unwrap()]
    });
    assert_eq!(count(&env, "attempt_lost"), 1);
    assert_eq!(count(&env, "attempt_started"), 2, "it may have been half way");
    assert_eq!(count(&env, "step_proven"), 0);
    assert!(answers.iter().all(|answer| answer.sent_on().is_some()), "{answers:?}");
}

#[test]
fn a_background_agent_is_waited_for() {
    let env = test_env!();
    with_workflow(&env, TWO_STEPS);
    let host = Host::start(&env, "s1");
    let first = started(&host);
    host.starts(&first, "a1");
    let running =
        json!({"background_tasks": [{"id": "a1", "type": "subagent", "status": "running"}]});
    assert!(host.call("stop", running).json.is_none());
    assert_eq!(count(&env, "attempt_lost"), 0);
    let gone = host.stops();
    assert_eq!(count(&env, "attempt_lost"), 1);
    assert!(gone.sent_on().unwrap().contains("plan#2"), "{gone:?}");
}

#[test]
fn a_subagent_that_switches_the_branch_does_not_wedge_the_run() {
    let env = test_env!();
    with_workflow(&env, TWO_STEPS);
    let host = Host::start(&env, "s1");
    let first = started(&host);
    host.starts(&first, "a1");
    let ours = env.repository.git(&["branch", "--show-current"]);
    env.repository.git(&["switch", "-q", "-c", "elsewhere"]);
    env.repository.write(".windlass/run/specs/plan.md", "the plan\n");
    host.agent_stops("a1");
    let again = host.stops().sent_on().expect("the next attempt is offered").to_owned();
    assert!(again.contains("plan#2"), "{again}");
    let taken = host.starts(&again, "a2");
    assert!(taken.denial().is_none(), "{taken:?}");
    assert_eq!(env.repository.git(&["branch", "--show-current"]), ours, "it was solved");
    env.repository.write(".windlass/run/specs/plan.md", "the plan, again\n");
    host.agent_stops("a2");
    assert_eq!(count(&env, "step_proven"), 1);
}
