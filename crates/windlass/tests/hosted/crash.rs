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
    calls: usize,
    death: Option<Death>,
    died: bool,
}

impl Play<'_> {
    fn call(&mut self, event: &str, body: Value) -> HookAnswer {
        self.calls += 1;
        let fault = match &self.death {
            Some(death) if death.call == self.calls => death.point.clone(),
            Some(_) => return self.host.call(event, body),
            None => format!(
                "trace:{}",
                self.env.root().join(format!("points-{}", self.calls)).display()
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
    fn to_the_end(&mut self) {
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
                    let begin = json!({"prompt": "/windlass:two Do it"});
                    let answer = self.call("user-prompt-submit", begin);
                    answer.context().unwrap_or_default().to_owned()
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
            told.lines().find_map(|line| line.strip_prefix(name)).unwrap().trim().to_owned()
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

fn play(env: &TestEnv, death: Option<Death>) -> bool {
    with_workflow(env, STORY);
    let host = Host::silent(env, "s1");
    let mut play = Play { env, host, calls: 0, death, died: false };
    play.to_the_end();
    let journal = env.log_json();
    assert_eq!(journal.count("run_started"), 1);
    assert_eq!(journal.count("gate_approved"), 1);
    assert_eq!(journal.count("run_completed"), 1);
    assert_eq!(env.repository.git(&["show", "HEAD:code.txt"]), "code");
    env.assert_audit();
    play.died
}

fn points() -> Vec<Death> {
    let env = test_env!();
    play(&env, None);
    let mut deaths = BTreeSet::new();
    for call in 1..60 {
        let file = env.root().join(format!("points-{call}"));
        let Ok(text) = fs_err::read_to_string(file) else { continue };
        deaths.extend(text.lines().map(|point| Death { call, point: point.to_owned() }));
    }
    deaths.into_iter().collect()
}

#[test]
fn a_hook_that_is_killed_at_any_point_is_made_up_for_by_the_next() {
    let deaths = points();
    assert!(deaths.len() > 60, "{}", deaths.len());
    let mut died = 0;
    for death in &deaths {
        let env = test_env!();
        println!("{death:?}");
        died += usize::from(play(&env, Some(death.clone())));
    }
    assert!(died * 10 >= deaths.len() * 9, "{died} of {} points were deadly", deaths.len());
}
