//! A hook that is killed anywhere: the next one goes on, and the run comes to the same end.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use windlass_testkit::{HookAnswer, Host, TestEnv, test_env};

use crate::support::with_workflow;

const STORY: &str = r#"
workflow: two
steps:
  - {id: plan, agent: planner, task: "Plan.", done: {file: "{specs}/plan.md"}, gate: approval}
  - {id: code, agent: coder, task: "Code.", done: {all: [{file: code.txt}, {run: test -s code.txt}]}}
"#;

/// Kills the n-th call of an event at one of its points.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Death {
    call: usize,
    point: String,
}

/// Plays the whole story as a host that goes on whatever becomes of a hook.
struct Play<'e> {
    env: &'e TestEnv,
    host: Host<'e>,
    calls: Vec<String>,
    death: Option<Death>,
    died: bool,
}

impl Play<'_> {
    fn call(&mut self, event: &str, body: Value) -> HookAnswer {
        self.calls.push(event.to_owned());
        let fault = match &self.death {
            Some(death) if death.call == self.calls.len() => death.point.clone(),
            Some(_) => return self.host.call(event, body),
            None => format!(
                "trace:{}",
                self.env.root().join(format!("points-{}", self.calls.len())).display()
            ),
        };
        match self.host.call_with_fault(event, body, &fault) {
            Some(answer) => answer,
            None => {
                self.died = true;
                HookAnswer { json: None, stderr: String::new() }
            }
        }
    }

    /// Goes on until the run is complete, as a session with a person in front of it does.
    fn go_on(&mut self) {
        self.call("session-start", json!({"source": "startup"}));
        let mut agents = 0;
        for _ in 0..40 {
            let stopped = self.call("stop", json!({"background_tasks": []}));
            let told = match (stopped.sent_on(), stopped.message()) {
                (Some(instruction), _) => instruction.to_owned(),
                (None, Some(message)) if message.contains("Answer `approve`") => {
                    let answer = self.call("user-prompt-submit", json!({"prompt": "approve"}));
                    answer.context().unwrap_or_default().to_owned()
                }
                (None, _) if self.is_complete() => return,
                (None, _) => {
                    // A person who is told that a run is unfinished goes on with it.
                    let begin = json!({"prompt": "/windlass:two Do it"});
                    let answer = self.call("user-prompt-submit", begin);
                    let told = answer.context().unwrap_or_default().to_owned();
                    match told.contains("unfinished") {
                        true => {
                            let resume = json!({"prompt": "/windlass:resume"});
                            let answer = self.call("user-prompt-submit", resume);
                            answer.context().unwrap_or_default().to_owned()
                        }
                        false => told,
                    }
                }
            };
            if told.contains("subagent_type:") {
                agents += 1;
                self.work(&told, &format!("a{agents}"));
            }
        }
        panic!("no end: {}", self.env.status());
    }

    fn work(&mut self, told: &str, agent: &str) {
        let field = |name: &str| {
            let line = told.lines().find_map(|line| line.strip_prefix(name));
            line.expect("a field").trim().to_owned()
        };
        let kind = field("subagent_type:");
        let input = json!({"subagent_type": kind, "description": "x", "prompt": field("prompt:")});
        let body =
            json!({"tool_name": "Agent", "tool_input": input, "tool_use_id": format!("t-{agent}")});
        if !self.call("pre-tool-use", body).allows() {
            return;
        }
        self.call("subagent-start", json!({"agent_id": agent, "agent_type": kind}));
        let repository = &self.env.repository;
        match told.contains("step `plan`") {
            true => repository.write(".windlass/run/specs/plan.md", "the plan\n"),
            false => repository.write("code.txt", "code\n"),
        }
        self.call("subagent-stop", json!({"agent_id": agent, "agent_type": kind}));
    }

    fn is_complete(&self) -> bool {
        self.env.state().join("repos").exists() && self.env.status() == "completed"
    }
}

/// Plays the story; says whether a hook died, and which hooks were called.
fn play(env: &TestEnv, death: Option<Death>) -> (bool, Vec<String>) {
    with_workflow(env, STORY);
    let host = Host::silent(env, "s1");
    let mut play = Play { env, host, calls: Vec::new(), death, died: false };
    play.go_on();
    let journal = env.log_json();
    assert_eq!(journal.count("run_started"), 1);
    assert_eq!(journal.count("gate_approved"), 1);
    assert_eq!(journal.count("run_completed"), 1);
    assert_eq!(env.repository.git(&["show", "HEAD:code.txt"]), "code");
    env.assert_audit();
    (play.died, play.calls)
}

/// Returns every point that the hooks of the story pass, once per event: the same point of the same event
/// twice is the same crash.
fn points() -> Vec<Death> {
    let env = test_env!();
    let events = play(&env, None).1;
    let mut deaths = Vec::new();
    let mut known = BTreeSet::new();
    for (call, event) in events.iter().enumerate().map(|(at, event)| (at + 1, event)) {
        let file = env.root().join(format!("points-{call}"));
        let text = fs_err::read_to_string(file).unwrap_or_default();
        for point in text.lines() {
            let name = point.split(':').next().unwrap_or_default().to_owned();
            if known.insert((event.clone(), name)) {
                deaths.push(Death { call, point: point.to_owned() });
            }
        }
    }
    deaths
}

/// Dies at every second point, from the first or the second one on.
fn die_at_half_of_them(first: usize) {
    let deaths: Vec<Death> = points().into_iter().skip(first).step_by(2).collect();
    assert!(deaths.len() > 15, "{}", deaths.len());
    for death in deaths {
        let env = test_env!();
        assert!(play(&env, Some(death.clone())).0, "{death:?} was not deadly");
    }
}

#[test]
fn a_hook_that_is_killed_at_any_point_is_made_up_for_by_the_next() {
    die_at_half_of_them(0);
}

#[test]
fn a_hook_that_is_killed_at_any_other_point_is_made_up_for_as_well() {
    die_at_half_of_them(1);
}
