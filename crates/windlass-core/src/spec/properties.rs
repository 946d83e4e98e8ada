//! What holds for every spec and every delta.

use proptest::prelude::*;

use super::{Base, Delta, Dialect, Refused, Spec};

/// A spec of numbered requirements, with odd line ends, blank lines, code and comments between them.
fn specs() -> impl Strategy<Value = Vec<Vec<u8>>> {
    prop::collection::vec(prop::collection::vec(0_u8..4, 0..4), 0..7)
}

fn printed(requirements: &[Vec<u8>], version: u8) -> String {
    let mut text = "# PRD\n\nIntro.\n\n## Requirements\n\n".to_owned();
    for (number, scenarios) in requirements.iter().enumerate() {
        text.push_str(&block(number, scenarios, version));
        text.push_str(if number % 2 == 0 { "\n\n" } else { "\n\n\n" });
        if number % 3 == 1 {
            text.push_str("<!--\n### Requirement: hidden\n-->\n\n");
        }
    }
    text.push_str("## End\nlast");
    text
}

fn block(number: usize, scenarios: &[u8], version: u8) -> String {
    let mut text = format!("### Requirement: R{number}\nThe system SHALL {number}.\n");
    for (index, scenario) in scenarios.iter().enumerate() {
        text.push_str(&format!(
            "\n#### Scenario: S{index}\n- WHEN {scenario}\n- THEN {scenario} {version}\n"
        ));
    }
    text.trim_end().to_owned()
}

/// What a delta does to each requirement: nothing, modify, remove or rename it; and whether it adds one.
fn changes() -> impl Strategy<Value = (Vec<u8>, bool)> {
    (prop::collection::vec(0_u8..4, 7), any::<bool>())
}

fn delta(requirements: &[Vec<u8>], kinds: &[u8], adds: bool, by: &str) -> Option<Delta> {
    let mut sections = [String::new(), String::new(), String::new()];
    for (number, scenarios) in requirements.iter().enumerate() {
        match kinds.get(number) {
            Some(1) => sections[0].push_str(&format!("{}\n\n", block(number, scenarios, 9))),
            Some(2) => sections[1].push_str(&format!("### Requirement: R{number}\n")),
            Some(3) => sections[2].push_str(&format!("- FROM: R{number}\n- TO: {by}{number}\n")),
            _ => {}
        }
    }
    let added =
        if adds { format!("### Requirement: New {by}\nIt SHALL.\n") } else { String::new() };
    let [modified, removed, renamed] = sections;
    let text = format!(
        "---\ndelta_id: {by}\nreq_id: REQ-1\ntitle: x\ncreated_at: now\n---\n## ADDED Requirements\n{added}\
         ## MODIFIED Requirements\n{modified}## REMOVED Requirements\n{removed}## RENAMED Requirements\n{renamed}"
    );
    let delta = Delta::parse(&text, "delta.md", Dialect::Windlass).unwrap();
    (!delta.blocks.is_empty()).then_some(delta)
}

fn apply(text: &str, base: &str, delta: &Delta) -> Result<String, Refused> {
    let base = Spec::parse(base, "base.md", Dialect::Windlass).unwrap();
    let mut spec = Spec::parse(text, "PRD.md", Dialect::Windlass).unwrap();
    spec.apply(delta, Base::Known(&base), Dialect::Windlass)?;
    Ok(spec.print())
}

proptest! {
    #[test]
    fn parse_and_print_is_the_identity(text in "(#{1,5} ?|- |> |```\n|<!--|-->|Requirement: ?|Scenario: |Requirements|a|B|\r?\n|\t| ){0,60}") {
        for dialect in [Dialect::Windlass, Dialect::OpenSpec] {
            if let Ok(spec) = Spec::parse(&text, "PRD.md", dialect) {
                prop_assert_eq!(spec.print(), text.clone());
            }
            let _ = Delta::parse(&text, "delta.md", dialect);
        }
    }

    #[test]
    fn non_overlapping_deltas_commute(spec in specs(), (kinds, adds) in changes(), cut in 0_usize..8, crlf in any::<bool>()) {
        let text = printed(&spec, 0);
        let text = if crlf { text.replace('\n', "\r\n") } else { text };
        // Each requirement belongs to one of the two; only one adds, since what is added stands in the order
        // in which it was.
        let of = |first: bool| kinds.iter().enumerate().map(|(at, kind)| if (at < cut) == first { *kind } else { 0 }).collect::<Vec<u8>>();
        let (one, two) = (delta(&spec, &of(true), adds, "x"), delta(&spec, &of(false), false, "y"));
        if let (Some(one), Some(two)) = (one, two) {
            prop_assert!(super::overlap(&one, &two, Base::Unchecked).is_empty());
            let forth = apply(&apply(&text, &text, &one).unwrap(), &text, &two).unwrap();
            let back = apply(&apply(&text, &text, &two).unwrap(), &text, &one).unwrap();
            prop_assert_eq!(forth, back);
        }
    }

    #[test]
    fn what_is_not_named_is_not_touched(spec in specs(), (kinds, adds) in changes()) {
        let text = printed(&spec, 0);
        let Some(delta) = delta(&spec, &kinds, adds, "x") else { return Ok(()) };
        let after = apply(&text, &text, &delta).unwrap();
        for (number, scenarios) in spec.iter().enumerate() {
            if kinds[number] == 0 {
                prop_assert!(after.contains(&block(number, scenarios, 0)));
            }
        }
        prop_assert!(after.starts_with("# PRD\n\nIntro.\n\n## Requirements\n\n") && after.ends_with("## End\nlast"));
        // A comment behind a requirement is part of its text, and goes with it.
        let kept = (0..spec.len()).filter(|number| number % 3 == 1 && [0, 3].contains(&kinds[*number])).count();
        prop_assert_eq!(after.matches("### Requirement: hidden").count(), kept);
    }

    #[test]
    fn a_merge_drops_no_line_that_neither_side_touched(
        scenarios in prop::collection::vec(0_u8..4, 1..5),
        ours in prop::collection::vec(any::<bool>(), 5),
        theirs in prop::collection::vec(any::<bool>(), 5),
    ) {
        let side = |touched: &[bool], word: &str| {
            let mut text = block(0, &scenarios, 0);
            for (index, _) in scenarios.iter().enumerate().filter(|(index, _)| touched[*index]) {
                let name = format!("#### Scenario: S{index}\n");
                text = text.replace(&name, &format!("{name}- GIVEN {word}\n"));
            }
            text
        };
        let spec = |block: &str| format!("## Requirements\n\n{block}\n");
        let base = spec(&block(0, &scenarios, 0));
        let change = format!(
            "---\ndelta_id: x\nreq_id: REQ-1\ntitle: x\ncreated_at: now\n---\n## MODIFIED Requirements\n{}\n",
            side(&theirs, "theirs")
        );
        let delta = Delta::parse(&change, "delta.md", Dialect::Windlass).unwrap();
        let clash = (0..scenarios.len()).any(|index| ours[index] && theirs[index]);
        match apply(&spec(&side(&ours, "ours")), &base, &delta) {
            Ok(merged) => {
                prop_assert!(!clash);
                for line in base.lines() {
                    prop_assert!(merged.matches(line).count() >= base.matches(line).count(), "{line}");
                }
                for index in 0..scenarios.len() {
                    let given = |word: &str| merged.contains(&format!("#### Scenario: S{index}\n- GIVEN {word}\n"));
                    prop_assert_eq!(given("ours"), ours[index]);
                    prop_assert_eq!(given("theirs"), theirs[index]);
                }
            }
            Err(Refused::Conflicts(conflicts)) => {
                prop_assert!(clash);
                prop_assert!(conflicts.iter().all(|conflict| conflict.scenario.is_some()));
            }
            Err(Refused::Mistakes(found)) => prop_assert!(false, "{}", found[0]),
        }
    }
}
