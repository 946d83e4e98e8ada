//! A simulated path, played by the engine.

use std::collections::BTreeMap;

use serde_json::json;
use windlass_core::run::Event;
use windlass_core::simulate::{Move, Path, Teller};
use windlass_testkit::{Journal, TestEnv};

use super::drawn::{ASKS, Drawn, Items, folder};
use super::order::canonical;
use super::repeated::{FOREACH, ITEMS, TASKS};

/// Says what a failed step is about, then whether it is done.
const JUDGE: &str = "cat \"why-$1\" 2>/dev/null\ntest \"$(cat \"state-$1\" 2>/dev/null)\" = pass\n";

/// What stands in the protected file when nobody touched it.
const RULES: &str = "rules";

/// The repository that all workflows work on.
pub(super) fn prepare(env: &TestEnv) {
    env.repository.write("judge.sh", JUDGE);
    env.repository.write("rules.txt", format!("{RULES}\n"));
    env.repository.commit("a judge and its rules");
}

/// Plays a path and compares the stories.
pub(super) fn play(env: &TestEnv, drawn: &Drawn, path: &Path, number: usize, told: &str) {
    let meeting = env.root().join(format!("tmp/path-{number}"));
    fs_err::create_dir_all(&meeting).expect("a folder to meet in");
    let agent = script(drawn, path, &meeting);
    let inputs: Vec<String> = drawn
        .steps
        .iter()
        .filter(|step| skips(path, &step.id))
        .filter_map(|step| Some(format!("{}=false", step.when.as_ref()?)))
        .collect();
    let more: Vec<&str> = inputs.iter().flat_map(|input| ["--input", input]).collect();
    let mut answers = path.moves.iter().filter(|happened| is_answer(happened));
    let mut finished = env.run(&drawn.yaml, &agent, &more);
    while finished.code == Some(3) {
        if env.json(&["status", "--json"])["gate"]["kind"] == "route" {
            // Told as the route that it takes, not as an answer of its own.
            env.windlass(&["approve"]).assert_code(0);
            finished = env.windlass(&["resume"]);
            continue;
        }
        let Some(answer) = answers.next() else { break };
        let given = match answer {
            Move::Approved { .. } => env.windlass(&["approve"]),
            Move::Feedback { .. } => env.windlass(&["feedback", "once more"]),
            Move::RolledBack { step } => env.windlass(&["rollback", step.as_str(), "once more"]),
            other => panic!("{other:?} is not an answer"),
        };
        assert_eq!(given.code, Some(0), "{answer:?}: {given}\n{told}{:#?}", path.moves);
        if env.status() == "completed" {
            break;
        }
        finished = env.windlass(&["resume"]);
    }
    let real = story(&env.log_json());
    assert!(
        canonical(drawn, &real) == canonical(drawn, &path.moves),
        "{told}simulated {:#?}\nreal {real:#?}\nagent {agent}\n{finished}",
        path.moves
    );
    assert_eq!(answers.next(), None, "{told}");
    if env.status() != "completed" {
        env.windlass(&["abort"]).assert_code(0);
    }
}

fn skips(path: &Path, id: &str) -> bool {
    let is_it = |happened: &Move| matches!(happened, Move::Skipped { step } if step.as_str() == id);
    path.moves.iter().any(is_it)
}

fn is_answer(happened: &Move) -> bool {
    matches!(happened, Move::Approved { .. } | Move::Feedback { .. } | Move::RolledBack { .. })
}

/// The journal's story, told as the simulator tells its own.
fn story(journal: &Journal) -> Vec<Move> {
    let mut teller = Teller::default();
    for line in journal.lines.iter().filter(|line| line["kind"] != "input") {
        let kind = line["kind"].as_str().expect("a kind");
        let event = serde_json::from_value::<Event>(json!({kind: line["payload"]}))
            .or_else(|_| serde_json::from_value(json!(kind)))
            .unwrap_or_else(|error| panic!("{error}: {line}"));
        teller.tell(&event);
    }
    teller.moves()
}

/// Writes the agent that makes a path come true: one case per attempt.
fn script(drawn: &Drawn, path: &Path, meeting: &std::path::Path) -> String {
    let mut acts: BTreeMap<String, String> = BTreeMap::new();
    let mut numbers: BTreeMap<&str, u32> = BTreeMap::new();
    let mut pinned = RULES.to_owned();
    let mut open_change: Option<String> = None;
    for (index, happened) in path.moves.iter().enumerate() {
        let Some(id) = happened.step().map(|step| step.as_str()) else { continue };
        if matches!(happened, Move::Skipped { .. }) && id == FOREACH {
            continue;
        }
        if matches!(happened, Move::Skipped { .. }) && drawn.step(id).when.is_none() {
            // Whoever published last before the skip has asked for it.
            let attempt = format!("{ASKS}#{}", numbers.get(ASKS).copied().unwrap_or(0));
            let ask = format!("windlass context set 'k.skip={{\"{id}\": \"not needed\"}}'\n");
            acts.entry(attempt).or_default().push_str(&ask);
            continue;
        }
        let next = numbers.get(id).copied().unwrap_or(0) + 1;
        let attempt = format!("{id}#{next}");
        match happened {
            Move::ProtectedChanged { .. } => {
                // What is approved passes; what is sent back is tried again with the old rules.
                let approved = matches!(path.moves.get(index + 1), Some(Move::Approved { .. }));
                let rules = format!("rules of {attempt}");
                acts.insert(attempt, does(drawn, id, next, &rules, &Does::Pass));
                open_change = Some(rules.clone());
                if approved {
                    pinned = rules;
                } else {
                    numbers.insert(drawn_id(drawn, id), next);
                    open_change = None;
                }
                continue;
            }
            Move::Passed { attempt: Some(number), .. } => {
                assert_eq!(*number, next, "attempts are counted alike");
                if open_change.take().is_none() {
                    acts.insert(attempt, does(drawn, id, next, &pinned, &Does::Pass));
                }
            }
            Move::Failed { attempt: Some(number), .. } => {
                assert_eq!(*number, next, "attempts are counted alike");
                acts.insert(attempt, does(drawn, id, next, &pinned, &Does::Fail));
            }
            Move::Routed { target, .. } => {
                let route = Does::Say(target.as_str());
                acts.insert(attempt, does(drawn, id, next, &pinned, &route));
            }
            _ => continue,
        }
        numbers.insert(drawn_id(drawn, id), next);
    }
    let mut text = format!("{}{}case $WINDLASS_ATTEMPT in\n", gives(drawn, path), MEET);
    for spoke in drawn.steps.iter().filter(|step| step.spoke) {
        // Nobody stops the run before all others have begun.
        if let Some(act) = acts.get_mut(&format!("{}#1", spoke.id)) {
            let team = spoke.id.rsplit_once('/').map(|(team, _)| team);
            let begins =
                |id: &str| numbers.contains_key(id) && id.rsplit_once('/').map(|it| it.0) == team;
            let others = drawn.steps.iter().filter(|step| step.spoke && begins(&step.id));
            let names: Vec<&str> = others.map(|step| step.name.as_str()).collect();
            act.push_str(&format!(
                "meet '{}' {} {}\n",
                meeting.display(),
                spoke.name,
                names.join(" ")
            ));
        }
    }
    for (attempt, act) in acts {
        text.push_str(&format!("'{attempt}')\n{act};;\n"));
    }
    text.push_str("esac\n");
    text
}

/// Waits in a folder until all others are there as well.
const MEET: &str = "meet() {\ncd \"$1\"; touch \"$2\"; shift 2\nfor other; do until test -e \"$other\"; \
                    do sleep 0.02; done; done\n}\n";

/// Where the items of the path come from.
fn gives(drawn: &Drawn, path: &Path) -> String {
    let is_of = |step: &windlass_core::id::StepId| step.as_str() == FOREACH;
    let none = path.moves.iter().any(|m| matches!(m, Move::Skipped { step } if is_of(step)));
    let bad = path.moves.iter().any(|m| matches!(m, Move::Blocked { step } if is_of(step)));
    let items: &[(&str, &str)] = if none { &[] } else { &ITEMS };
    let act = match drawn.items {
        None => return String::new(),
        Some(Items::Agent) => items
            .iter()
            .map(|(id, title)| format!("windlass item add '{title}' --id {id}\n"))
            .collect::<String>(),
        Some(Items::Tasks) if bad => format!("rm -f {TASKS}\n"),
        Some(Items::Tasks) => {
            let lines = items.iter().map(|(id, title)| format!("echo '- [ ] {id}: {title}'\n"));
            format!("{{ :\n{}}} > {TASKS}\n", lines.collect::<String>())
        }
    };
    format!("case $WINDLASS_ATTEMPT in '{ASKS}#'*)\n{act};; esac\n")
}

fn drawn_id<'d>(drawn: &'d Drawn, id: &str) -> &'d str {
    &drawn.step(id).id
}

enum Does<'p> {
    Pass,
    Fail,
    /// Gives the verdict that leads to this step.
    Say(&'p str),
}

/// What an agent does in one attempt; two failures in a row never look alike.
fn does(drawn: &Drawn, id: &str, number: u32, rules: &str, what: &Does<'_>) -> String {
    let step = drawn.step(id);
    let name = &step.name;
    let words = if number.is_multiple_of(2) { "even" } else { "odd" };
    if step.spoke {
        // It may write nothing else.
        let passes = matches!(what, Does::Pass);
        let write = format!("echo \"$WINDLASS_ATTEMPT\" > out-{name}.txt\n");
        return if passes { write } else { format!(": {words}\n") };
    }
    let mut act = format!("echo \"$WINDLASS_ATTEMPT\" >> log.txt\necho '{rules}' > rules.txt\n");
    let Some(key) = &step.judges else {
        let state = if matches!(what, Does::Pass) { "pass" } else { "fail" };
        act.push_str(&format!("echo {state} > state-{name}\necho {words} > why-{name}\n"));
        return act;
    };
    let (status, files) = match what {
        Does::Pass => ("OK", json!([])),
        Does::Fail => (words, json!([])),
        Does::Say(target) => ("NO", json!([format!("{}/file", folder(target))])),
    };
    let value = json!({"status": status, "files": files});
    act.push_str(&format!("windlass context set '{key}={value}'\n"));
    act
}

/// What kind of move it is, for the count.
pub(super) fn name(happened: &Move) -> &'static str {
    match happened {
        Move::Passed { .. } => "passed",
        Move::Failed { .. } => "failed",
        Move::Skipped { .. } => "skipped",
        Move::Routed { .. } => "routed",
        Move::ProtectedChanged { .. } => "protected",
        Move::Approved { .. } => "approved",
        Move::Feedback { .. } => "feedback",
        Move::RolledBack { .. } => "rolled back",
        Move::Waived { .. } => "waived",
        Move::Blocked { .. } => "blocked",
        Move::Paused { .. } => "paused",
        Move::Completed => "completed",
    }
}

/// Whether it is about a spoke of a team and about a second item, for the count.
pub(super) fn about(drawn: &Drawn, happened: &Move) -> Vec<&'static str> {
    let Some(id) = happened.step().map(|step| step.as_str()) else { return Vec::new() };
    let spoke = drawn.steps.iter().any(|step| step.spoke && step.id == id);
    let second = id.starts_with(&format!("{FOREACH}/{}/", ITEMS[1].0));
    let about = [(spoke, "of a spoke"), (second, "of a second item")];
    about.into_iter().filter(|(is_so, _)| *is_so).map(|(_, name)| name).collect()
}
