//! Whatever a legacy file holds, it gives a workflow that can run or problems with their lines.

use proptest::prelude::*;
use windlass_core::import::{Became, phases};
use windlass_core::workflow::Workflow;

fn check(source: &[u8]) -> Result<Option<usize>, TestCaseError> {
    let lines = source.iter().filter(|byte| **byte == b'\n').count() + 1;
    match phases(source, "w") {
        Ok(import) => {
            let workflow = Workflow::parse(&import.workflow, "w");
            prop_assert!(workflow.is_ok(), "{:?}\n{}", workflow.err(), import.workflow);
            let mut accounted = 0;
            for line in &import.lines {
                prop_assert!((1..=lines).contains(&(line.line as usize)), "{:?}", line);
                accounted += usize::from(line.became != Became::Nothing);
                if let Became::Step(id) = &line.became {
                    let written = format!("  - id: {id}\n");
                    prop_assert!(import.workflow.contains(&written), "{}", written);
                }
            }
            Ok(Some(accounted))
        }
        Err(problems) => {
            prop_assert!(!problems.is_empty());
            for problem in problems {
                prop_assert!((1..=lines).contains(&(problem.line as usize)), "{:?}", problem);
                prop_assert!(!problem.message.is_empty());
            }
            Ok(None)
        }
    }
}

fn part() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{1,8}(/[a-z*]{1,6}){0,2}\\.md",
        "GLOB:[a-z]{1,6}/\\$\\{?[A-Z_]{1,8}\\}?-\\{[a-z,]{1,6}\\}\\.md",
        "STATE:\\.?[a-z]{1,5}(\\.[a-zA-Z]{1,5}){0,2}( ?(==|=|!=|>) ?(true|3|[A-Z]{1,4}|\"[^\"\\\\\\p{C}]{0,4}\"))?",
        "VERIFY:[a-z]{1,6} (\\|{1,2} )?[a-z$+ \"'{}-]{0,12}",
        Just("PHASE_STATUS".to_owned()),
        "\\PC{0,20}",
    ]
}

/// Lines that mostly are phases, with numbers of their own.
fn entries() -> impl Strategy<Value = Vec<String>> {
    let agent =
        prop_oneof![4 => "[a-z-]{1,10}", 1 => "\\PC{0,12}", 1 => Just("ORCHESTRATOR".to_owned())];
    let mode =
        prop_oneof![6 => Just("AUTO"), 3 => Just("APPROVAL"), 3 => Just("SKIP"), 1 => Just("?")];
    let entry = (agent, mode, proptest::collection::vec(part(), 1..4));
    proptest::collection::vec(entry, 1..8).prop_map(|entries| {
        let numbered = entries.into_iter().enumerate();
        numbered
            .map(|(number, (agent, mode, parts))| {
                format!("{number}|{}|{mode}|{}", agent.replace('|', ""), parts.join("+"))
            })
            .collect()
    })
}

/// Entries that can surely be imported.
fn good_entries() -> impl Strategy<Value = Vec<String>> {
    let part = prop_oneof![
        "[a-z]{1,8}(/[a-z]{1,6}){0,2}\\.md",
        "GLOB:[a-z]{1,6}/\\$\\{[A-Z_]{1,8}\\}-\\*\\.md",
        "STATE:\\.?k[a-z]{1,5}(\\.k[a-zA-Z]{1,5}){0,2}( == (true|3|\"[a-z ]{0,4}\"))?",
        "VERIFY:make [a-z]{1,6}( \\| cat)?",
        Just("PHASE_STATUS".to_owned()),
    ];
    let mode = prop_oneof![Just("AUTO"), Just("APPROVAL"), Just("SKIP")];
    let agent = prop_oneof![9 => "[a-z-]{1,10}", 1 => Just("ORCHESTRATOR".to_owned())];
    let entry = (agent, mode, proptest::collection::vec(part, 1..4));
    proptest::collection::vec(entry, 1..8).prop_map(|entries| {
        let mut lines = vec!["0|first|AUTO|a.md".to_owned()];
        for (number, (agent, mode, parts)) in entries.into_iter().enumerate() {
            lines.push(format!("{}|{agent}|{mode}|{}", number + 1, parts.join("+")));
        }
        lines
    })
}

proptest! {
    #[test]
    fn no_bytes_make_an_import_panic(source in proptest::collection::vec(any::<u8>(), 0..300)) {
        check(&source)?;
    }

    #[test]
    fn no_text_makes_an_import_panic(source in "\\PC{0,200}") {
        check(source.as_bytes())?;
    }

    #[test]
    fn no_shell_like_text_makes_an_import_panic(
        source in "(PHASES[+]?=[(])?([0-9a-zA-Z|:+$`(){}'\"\\\\.#*/ \r\t-]{0,30}\n){0,6}[)]?"
    ) {
        check(source.as_bytes())?;
    }

    #[test]
    fn entries_give_a_workflow_or_problems_with_their_lines(entries in entries()) {
        let array: Vec<String> = entries.iter().map(|entry| format!("'{}'", entry.replace('\'', "'\\''"))).collect();
        for source in [entries.join("\n"), format!("PHASES=(\n{}\n)\n", array.join("\n"))] {
            check(source.as_bytes())?;
        }
    }

    #[test]
    fn good_entries_are_all_accounted_for(entries in good_entries(), crlf in any::<bool>()) {
        let end = if crlf { "\r\n" } else { "\n" };
        let source = format!("# head{end}{end}{}{end}", entries.join(&format!("{end}# between{end}")));
        prop_assert_eq!(check(source.as_bytes())?, Some(entries.len()), "{}", source);
        let quoted: Vec<String> = entries.iter().map(|entry| format!("  '{entry}'")).collect();
        let array = format!("PHASES=({end}{}{end}){end}", quoted.join(end));
        prop_assert_eq!(check(array.as_bytes())?, Some(entries.len()), "{}", array);
    }
}
