//! Changes of OpenSpec, beside what its own program makes of them.

use windlass_core::spec::{Dialect, Spec};
use windlass_testkit::cli::RealCli;
use windlass_testkit::{Finished, Random, TestEnv, test_env};

const PROPOSAL: &str = "## Why\nBecause it is needed for this and for that, as everybody can see.\n\n## What Changes\n- Some specs change.\n";

fn command(env: &TestEnv, openspec: &RealCli, arguments: &[&str]) -> Finished {
    let variables: Vec<(String, String)> = [
        ("PATH", std::env::var("PATH").unwrap_or_default()),
        ("HOME", env.home().display().to_string()),
        ("OPENSPEC_TELEMETRY", "0".to_owned()),
        ("DO_NOT_TRACK", "1".to_owned()),
        ("CI", "1".to_owned()),
        ("NO_COLOR", "1".to_owned()),
        // Nothing but loopback is spoken to.
        ("HTTPS_PROXY", "http://127.0.0.1:9".to_owned()),
        ("HTTP_PROXY", "http://127.0.0.1:9".to_owned()),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .to_vec();
    let mut command = openspec.command(env, &variables);
    command.args(arguments);
    env.finish(command)
}

/// A spec and a change of it, of every kind, with text of every kind.
struct Case {
    spec: Option<String>,
    change: String,
}

fn block(random: &mut Random, name: &str, scenarios: &[String], version: u64) -> String {
    let mut text = format!("### Requirement: {name}\n");
    if random.percent(30) {
        text.push('\n');
    }
    text.push_str(&format!("The system SHALL do {version}.\n"));
    if random.percent(25) {
        text.push_str("\n```md\n### Requirement: In code\n\n\n#### Scenario: In code\n```\n");
    }
    if random.percent(20) {
        text.push_str("\n- a list\n  - nested\n\n> quoted\n");
    }
    for scenario in scenarios {
        text.push_str(&format!(
            "\n#### Scenario: {scenario}\n- **WHEN** it is {version}\n- **THEN** so\n"
        ));
        if random.percent(20) {
            text.push_str("  over two lines\n");
        }
    }
    text.push_str(random.pick::<&str>(&["\n", "\n\n", "\n  \n"]));
    text
}

fn case(random: &mut Random, number: usize) -> Case {
    let count = 1 + random.below(5) as usize;
    let names: Vec<String> = (0..count)
        .map(|n| format!("Name {number} {n}{}", random.pick(&["", " of it", ": x", " C#"])))
        .collect();
    let mut spec = format!(
        "# c{number} Specification\n\n## Purpose\nThis is what the capability is for, in enough words for everybody.\n\n## Requirements\n"
    );
    spec.push_str(random.pick::<&str>(&["\n", "\nWords in front.\n\n", ""]));
    let (mut modified, mut removed, mut renamed) = (String::new(), String::new(), String::new());
    let mut left = 0;
    for name in &names {
        let scenarios: Vec<String> = (0..1 + random.below(3)).map(|n| format!("S{n}")).collect();
        spec.push_str(&block(random, name, &scenarios, 1));
        let (kind, mut now) = (random.below(6), name.clone());
        if kind == 1 && left > 0 {
            removed.push_str(&match random.percent(50) {
                true => {
                    format!("### Requirement: {name}\n**Reason**: old\n**Migration**: none\n\n")
                }
                false => format!("- `### Requirement: {name}`\n"),
            });
            continue;
        }
        left += 1;
        if kind == 2 || kind == 3 {
            now = format!("New {name}");
            renamed.push_str(&format!(
                "- FROM: `### Requirement: {name}`\n- TO: `### Requirement: {now}`\n"
            ));
        }
        if kind == 3 || kind == 4 {
            let mut scenarios = scenarios;
            scenarios.extend(random.percent(50).then(|| "More".to_owned()));
            modified.push_str(&block(random, &now, &scenarios, 2));
        }
    }
    spec.push_str(random.pick::<&str>(&["", "\n## Notes\n\nAt the end.\n"]));
    let mut added = String::new();
    for n in 0..random.below(3) {
        added.push_str(&block(random, &format!("Added {number} {n}"), &["A".to_owned()], 3));
    }
    let new = random.percent(10);
    if added.is_empty()
        && (new || (modified.is_empty() && removed.is_empty() && renamed.is_empty()))
    {
        added = block(random, &format!("Added {number}"), &["A".to_owned()], 3);
    }
    let mut change = String::new();
    for (word, text) in
        [("ADDED", &added), ("MODIFIED", &modified), ("REMOVED", &removed), ("RENAMED", &renamed)]
    {
        if !text.is_empty() && (!new || word == "ADDED") {
            change.push_str(&format!("## {word} Requirements\n\n{text}\n"));
        }
    }
    if new {
        change = format!(
            "## Purpose\nWhat this new capability is for, said in enough words.\n\n{change}"
        );
    }
    let crlf = random.percent(20);
    let ended = |text: String| if crlf { text.replace('\n', "\r\n") } else { text };
    Case { spec: (!new).then(|| ended(spec)), change: ended(change) }
}

fn laid_out(env: &TestEnv, cases: &[Case]) {
    env.repository.write("openspec/changes/change/proposal.md", PROPOSAL);
    for (number, case) in cases.iter().enumerate() {
        if let Some(spec) = &case.spec {
            env.repository.write(&format!("openspec/specs/c{number}/spec.md"), spec);
        }
        env.repository
            .write(&format!("openspec/changes/change/specs/c{number}/spec.md"), &case.change);
    }
}

/// What a spec means: its requirements in order, each with its text. Blank lines count where they do in Markdown.
fn meaning(text: &str) -> Vec<(String, String)> {
    let spec = Spec::parse(text, "spec.md", Dialect::OpenSpec)
        .unwrap_or_else(|found| panic!("{}\n{text}", found[0]));
    let plain = |block: &str| {
        let mut lines: Vec<&str> = Vec::new();
        let mut fenced = false;
        for line in block.lines() {
            fenced ^= line.trim_start().starts_with("```");
            // A run of empty lines is one, outside of code.
            if fenced || !line.is_empty() || lines.last().is_some_and(|last| !last.is_empty()) {
                lines.push(line);
            }
        }
        lines.join("\n")
    };
    spec.names()
        .iter()
        .map(|name| ((*name).to_owned(), plain(spec.block(name).expect("a block"))))
        .collect()
}

fn spec(env: &TestEnv, number: usize) -> String {
    fs_err::read_to_string(env.repository.root().join(format!("openspec/specs/c{number}/spec.md")))
        .expect("a spec")
}

#[test]
fn the_specs_mean_what_openspec_makes_of_the_same_change() {
    let Some(openspec) = RealCli::openspec() else { return };
    // Two rounds of many capabilities: a process of its program takes longer than all of ours.
    for seed in 0..2 {
        let cases: Vec<Case> = (0..60)
            .map(|number| case(&mut Random::for_case(seed, number as u64), number))
            .collect();
        let (ours, theirs) = (test_env!(), test_env!());
        laid_out(&ours, &cases);
        laid_out(&theirs, &cases);
        let applied = ours.windlass(&["delta", "apply", "--openspec", "change", "--json"]);
        applied.assert_code(0);
        let archived = command(&theirs, &openspec, &["archive", "change", "--yes"]);
        archived.assert_code(0);
        assert!(archived.stdout.contains("archived as"), "{archived}");
        for (number, case) in cases.iter().enumerate() {
            assert_eq!(
                meaning(&spec(&ours, number)),
                meaning(&spec(&theirs, number)),
                "seed {seed}, case {number}: {}",
                case.change
            );
        }
        let valid =
            command(&ours, &openspec, &["validate", "--specs", "--strict", "--no-interactive"]);
        valid.assert_code(0);
        let before =
            cases.iter().enumerate().filter_map(|(n, case)| Some((n, case.spec.as_ref()?)));
        ours.windlass(&["delta", "revert", "--openspec", "change"]).assert_code(0);
        for (number, text) in before {
            assert_eq!(&spec(&ours, number), text, "the exact bytes are back");
        }
    }
}

const SPEC: &str = "# c0 Specification\n\n## Purpose\nThis is what the capability is for, in enough words for everybody.\n\n## Requirements\n\n### Requirement: One\nThe system SHALL.\n\n#### Scenario: A\n- **WHEN** a\n- **THEN** b\n\n#### Scenario: B\n- **WHEN** a\n- **THEN** b\n";

/// Changes that OpenSpec refuses.
const BAD: [(&str, &str); 7] = [
    (
        "modified is not there",
        "## MODIFIED Requirements\n### Requirement: Two\nThe system SHALL.\n#### Scenario: A\n- **WHEN** a\n- **THEN** b\n",
    ),
    (
        "a scenario would be lost",
        "## MODIFIED Requirements\n### Requirement: One\nThe system SHALL.\n#### Scenario: A\n- **WHEN** a\n- **THEN** b\n",
    ),
    (
        "added is there",
        "## ADDED Requirements\n### Requirement: One\nThe system SHALL do.\n#### Scenario: A\n- **WHEN** a\n- **THEN** b\n",
    ),
    (
        "added differs in case",
        "## ADDED Requirements\n### Requirement: one\nThe system SHALL do.\n#### Scenario: A\n- **WHEN** a\n- **THEN** b\n",
    ),
    ("removed differs in case", "## REMOVED Requirements\n### Requirement: ONE\n"),
    ("renamed without a partner", "## RENAMED Requirements\n- FROM: `### Requirement: One`\n"),
    ("no scenario", "## ADDED Requirements\n### Requirement: Two\nThe system SHALL.\n"),
];

#[test]
fn what_openspec_refuses_is_refused_with_file_and_line() {
    let openspec = RealCli::openspec();
    for (why, change) in BAD {
        let env = test_env!();
        laid_out(&env, &[Case { spec: Some(SPEC.to_owned()), change: change.to_owned() }]);
        let refused = env.windlass(&["delta", "apply", "--openspec", "change"]);
        refused.assert_code(2);
        assert!(
            refused.stderr.contains("openspec/changes/change/specs/c0/spec.md:"),
            "{why}: {refused}"
        );
        assert_eq!(spec(&env, 0), SPEC, "{why}");
        if let Some(openspec) = &openspec {
            let archived = command(&env, openspec, &["archive", "change", "--yes"]);
            assert_eq!(spec(&env, 0), SPEC, "{why}: {archived}");
        }
    }
}

#[test]
fn changes_are_listed_shown_and_compared() {
    let env = test_env!();
    laid_out(
        &env,
        &[Case {
            spec: Some(SPEC.to_owned()),
            change: "## REMOVED Requirements\n### Requirement: One\n".to_owned(),
        }],
    );
    env.repository.write(
        "openspec/changes/other/specs/c0/spec.md",
        "## RENAMED Requirements\n- FROM: `### Requirement: One`\n- TO: `### Requirement: Two`\n",
    );
    env.repository.write("openspec/changes/empty/proposal.md", PROPOSAL);
    let listed = env.json(&["delta", "list", "--openspec", "--json"]);
    let names: Vec<&str> =
        listed.as_array().unwrap().iter().filter_map(|entry| entry["change"].as_str()).collect();
    assert_eq!(names, ["change", "empty", "other"]);
    let shown = env.json(&["delta", "show", "--openspec", "other", "--json"]);
    assert_eq!(shown["specs"][0]["blocks"][0]["newName"], "Two");
    let found = env.json(&["delta", "conflicts", "--openspec", "change", "--json"]);
    assert_eq!(found["hasConflicts"], true);
    let left = env.windlass(&["delta", "apply", "--openspec", "change"]);
    left.assert_code(2);
    assert!(left.stderr.contains("would have no requirement left"), "{left}");
    for name in ["../change", "nothing", ""] {
        env.windlass(&["delta", "apply", "--openspec", name]).assert_code(2);
    }
    assert_eq!(spec(&env, 0), SPEC);
}
