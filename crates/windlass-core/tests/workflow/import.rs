//! `phases.conf` as a workflow: what is mapped to what, and what is refused.

use insta::assert_snapshot;
use windlass_core::import::{Became, Import, RemarkKind, phases};
use windlass_core::workflow::Workflow;

fn imported(source: &str) -> Import {
    phases(source.as_bytes(), "w").unwrap_or_else(|problems| panic!("{problems:#?}"))
}

/// The problems of a file that has to be refused.
fn refused(source: impl AsRef<[u8]>) -> String {
    let problems = phases(source.as_ref(), "w").expect_err("it is refused");
    let lines: Vec<String> = problems
        .iter()
        .map(|problem| {
            let help = problem.help.as_deref().unwrap_or("-");
            format!("{}: {} ({help})", problem.line, problem.message)
        })
        .collect();
    lines.join("\n")
}

/// The steps of a workflow, without the comments and what is the same in each.
fn steps(import: &Import) -> String {
    let said = ["title:", "agent:", "task:"];
    let lines = import.workflow.lines().filter(|line| {
        let words = line.trim_start();
        !words.starts_with('#') && !said.iter().any(|word| words.starts_with(word))
    });
    let text: Vec<&str> = lines.filter(|line| !line.is_empty()).skip(1).collect();
    text.join("\n")
}

/// What is said about one line, of one kind.
fn said(import: &Import, line: u32, kind: RemarkKind) -> Vec<&str> {
    let lines = import.lines.iter().filter(|account| account.line == line);
    let remarks = lines.flat_map(|account| &account.remarks);
    remarks.filter(|remark| remark.kind == kind).map(|remark| remark.text.as_str()).collect()
}

const PLAIN: &str = "\
# A comment, then a blank line

0|architect-planner|APPROVAL|GLOB:specs/issue-{issue}-plan.md
1|db-migrator|SKIP|migrations/*.sql
2|developer|AUTO|GLOB:out/a.md+STATE:.impl.done == true
3|tester|AUTO|STATE:tests.passed + VERIFY:make test
4|reviewer|APPROVAL|STATE:.context.review.status == \"APPROVED\"
5|writer|AUTO|PHASE_STATUS
";

#[test]
fn every_kind_of_criterion_is_mapped() {
    assert_snapshot!(steps(&imported(PLAIN)), @r#"
    steps:
      - id: phase-0
        gate: approval
        done: {file: "specs/issue-{issue}-plan.md"}
      - id: phase-1
        skip: allowed
        done: {file: "migrations/*.sql"}
      - id: phase-2
        publishes:
          impl.done: boolean
        done:
          all:
            - {file: "out/a.md"}
            - {state: ".context.impl.done == true"}
      - id: phase-3
        publishes:
          tests.passed: any
        done:
          all:
            - {state: "(.context.tests.passed | not) | not"}
            - {run: "make test"}
      - id: phase-4
        publishes:
          review.status: string
        gate: approval
        trust: agent # its own claims complete this step; every report shows it
        done: {state: ".context.review.status == \"APPROVED\""}
      - id: phase-5
        publishes:
          phase_5.status: string
        trust: agent # its own claims complete this step; every report shows it
        done: {state: ".context.phase_5.status == \"completed\""}
    "#);
}

#[test]
fn a_criterion_of_claims_alone_gets_a_warning_and_one_with_an_observation_does_not() {
    let import = imported(PLAIN);
    let weak = |line| said(&import, line, RemarkKind::Weaker).join("\n");
    for line in [7, 8] {
        assert!(weak(line).contains("trust: agent"), "{line}: {}", weak(line));
    }
    for line in [3, 4, 5, 6] {
        assert!(!weak(line).contains("trust: agent"), "{line}: {}", weak(line));
    }
    let workflow = Workflow::parse(&import.workflow, "w").unwrap();
    assert_eq!(workflow.warnings().len(), 2, "both are warned about as in any workflow");
}

#[test]
fn the_array_and_the_plain_form_give_the_same_steps() {
    let words: Vec<String> = PLAIN
        .lines()
        .filter(|line| line.contains('|'))
        .map(|line| format!("  '{line}' # a phase"))
        .collect();
    let array = format!("#!/bin/bash\ndeclare -a PHASES=(\n{}\n)\n", words.join("\n"));
    assert_eq!(steps(&imported(&array)), steps(&imported(PLAIN)));
    let one_line = format!("PHASES=({})", words.join("\n").replace(" # a phase", ""));
    assert_eq!(steps(&imported(&one_line)), steps(&imported(PLAIN)));
    let crlf = PLAIN.replace('\n', "\r\n");
    assert_eq!(steps(&imported(&crlf)), steps(&imported(PLAIN)));
    assert_eq!(steps(&imported(&array.replace('\n', "\r\n"))), steps(&imported(PLAIN)));
    let marked = format!("\u{feff}{PLAIN}");
    assert_eq!(steps(&imported(&marked)), steps(&imported(PLAIN)));
}

#[test]
fn every_line_is_accounted_for() {
    let source = "MAX=3\nPHASES=(\n\"1|a|AUTO|x.md\"\n\"2|ORCHESTRATOR|APPROVAL|STATE:publish.prUrl\" )  ; echo\nfor p in x; do :; done\n";
    let import = imported(source);
    let became: Vec<(u32, &Became)> =
        import.lines.iter().map(|line| (line.line, &line.became)).collect();
    let step = Became::Step("phase-1".to_owned());
    let expected = [
        (1, &Became::Nothing),
        (3, &step),
        (4, &Became::Comment),
        (4, &Became::Nothing),
        (5, &Became::Nothing),
    ];
    assert_eq!(became, expected);
}

#[test]
fn an_orchestrators_line_becomes_a_comment_and_its_approval_the_gate_above() {
    let import = imported("1|a|AUTO|x.md\n2|ORCHESTRATOR|APPROVAL|STATE:publish.prUrl\n");
    assert!(import.workflow.contains("# line 2: 2|ORCHESTRATOR|APPROVAL|STATE:publish.prUrl"));
    assert!(import.workflow.contains("`builtin: pull-request`"), "{}", import.workflow);
    assert!(import.workflow.contains("gate: approval"));
    assert!(said(&import, 2, RemarkKind::Weaker)[0].contains("not checked"));
    let first = imported("1|Orchestrator|APPROVAL|\n2|a|AUTO|x.md\n");
    assert!(!first.workflow.contains("gate:"), "{}", first.workflow);
    assert!(said(&first, 1, RemarkKind::Weaker)[0].contains("lost"));
    assert_snapshot!(refused("1|ORCHESTRATOR|AUTO|x\n"), @"1: only the orchestrator works in this file, so no step would be left (name an agent for at least one phase)");
}

#[test]
fn a_bar_belongs_to_the_criterion_and_a_plus_to_a_command() {
    let import = imported("1|a|AUTO|VERIFY:date +%s | grep . +GLOB:a.md+b/\n");
    assert_snapshot!(steps(&import), @r#"
    steps:
      - id: phase-1
        done:
          all:
            - {run: "date +%s | grep ."}
            - {file: "a.md"}
            - {file: "b/**"}
    "#);
    let weak = said(&import, 1, RemarkKind::Weaker).join("\n");
    assert!(weak.contains("last command"), "{weak}");
}

#[test]
fn variables_become_the_issue_or_inputs_and_are_never_evaluated() {
    let source = r#"PHASES=(
  "1|a|AUTO|$PWD/s/issue-$ISSUE_NUMBER-${ISSUE_ID}-{{issue}}-<issue>.md"
  "2|b|AUTO|${SPECS}/x-{name}.{md,txt}"
  '3|c|AUTO|VERIFY:./check {issue} "$HOME"'
)"#;
    let import = imported(source);
    assert_snapshot!(steps(&import), @r#"
    inputs:
      SPECS: {type: string}
      issue: {type: integer}
      name: {type: string}
    steps:
      - id: phase-1
        done: {file: "s/issue-{issue}-{issue}-{issue}-{issue}.md"}
      - id: phase-2
        done: {file: "{inputs.SPECS}/x-{inputs.name}.{md,txt}"}
      - id: phase-3
        done: {run: "./check {inputs.issue} \"$HOME\""}
    "#);
    let changed = said(&import, 3, RemarkKind::Changed).join("\n");
    assert!(changed.contains("`${SPECS}` is not evaluated"), "{changed}");
}

#[test]
fn what_a_shell_would_run_is_refused_in_a_path() {
    assert_snapshot!(refused("1|a|AUTO|$(rm -rf x)/a.md\n2|b|AUTO|`id`.md\n3|c|AUTO|${A:-b}.md\n4|d|AUTO|$1.md\n5|e|AUTO|$HOME/x.md\n"), @r"
    1: `$(rm -rf x)/a.md` holds a command substitution, which is never run or expanded here (write what it stands for)
    2: ``id`.md` holds a command substitution, which is never run or expanded here (write what it stands for)
    3: `${A:-b}.md` holds a shell expansion, which is never run or expanded here (write what it stands for)
    4: `$1.md` holds a `$`, which is never run or expanded here (write what it stands for)
    5: `$HOME/x.md` lies outside the repository (let the step write into the repository)
    ");
}

#[test]
fn what_cannot_be_imported_is_said_all_at_once() {
    let source = "1|a\nx|a|AUTO|a.md\n3||AUTO|a.md\n4|a|ATUO|a.md\n5|a|AUTO|\n6|a|AUTO|a.md++b.md\n7|a|AUTO|/etc/x\n8|a|AUTO|FOO:x\n9|a|AUTO|VERIFY:\n10|a|AUTO|../x\n11|a|AUTO|STATE:\n12|a|AUTO|VERIFY:awk '{print}'\n6|b|AUTO|c.md\n06|b|AUTO|c.md\n";
    assert_snapshot!(refused(source));
}

#[test]
fn odd_numbers_keep_their_order_and_are_said() {
    let import = imported("02|a|AUTO|a.md\n1.5|b|auto|b.md\n1.06|c|Auto|c.md\n2a|d|AUTO|d.md\n");
    let ids: Vec<_> = import.lines.iter().map(|line| line.became.clone()).collect();
    let expected = ["phase-2", "phase-1-5", "phase-2a"].map(|id| Became::Step(id.to_owned()));
    assert_eq!([&ids[0], &ids[1], &ids[3]], [&expected[0], &expected[1], &expected[2]]);
    assert!(said(&import, 1, RemarkKind::Changed)[0].contains("read as 2"));
    assert!(said(&import, 2, RemarkKind::Changed)[0].contains("order of the file"));
}

#[test]
fn names_of_agents_may_be_any_text() {
    let import = imported("1|Prüfer {x} \"q\" 審査|AUTO|a.md\n");
    let workflow = Workflow::parse(&import.workflow, "w").unwrap();
    let plan = workflow.plan(windlass_core::plan::PlanRequest::default()).unwrap();
    let plan = serde_json::to_string(&plan).unwrap();
    assert!(plan.contains(r#"Prüfer {x} \"q\" 審査"#), "{plan}");
}

#[test]
fn files_that_are_none_are_refused() {
    assert_snapshot!(refused(""), @"1: no phase is in this file (a line is `N|agent|APPROVAL, AUTO or SKIP|CRITERION`)");
    assert_snapshot!(refused("# only\n\n"), @"1: no phase is in this file (a line is `N|agent|APPROVAL, AUTO or SKIP|CRITERION`)");
    assert_snapshot!(refused(b"1|a|AUTO|a.md\n\xff"), @"2: byte 14 is not UTF-8 (save the file as UTF-8)");
    assert_snapshot!(refused(b"1|a|AUTO|a\0.md\n"), @"1: a NUL byte: this is not a text file (name another)");
    assert_snapshot!(refused("x".repeat((1 << 20) + 1)), @"1: the file has 1048577 bytes, more than 1048576 (is this the right file?)");
    assert_snapshot!(refused("1|a|AUTO|a.md\n".repeat(501)), @"1: there are 501 phases, more than 500 (is this the right file?)");
    assert_snapshot!(refused("\n\nPHASES=(\n'1|a|AUTO|a.md'\n"), @"3: the array that begins here has no end (close it with `)`)");
    assert_snapshot!(refused("PHASES=(\n'1|a|AUTO|a.md\n)\n"), @"2: a quote that is opened here is never closed (close it on the same line)");
    assert_snapshot!(refused("PHASES=()\n"), @"1: no phase is in this file (a line is `N|agent|APPROVAL, AUTO or SKIP|CRITERION`)");
}

#[test]
fn continued_lines_are_one_entry() {
    let import = imported("1|a|AUTO|\\\n  GLOB:a.md\\\n  +b.md\n2|b|AUTO|c.md\n");
    assert_eq!(import.lines.iter().map(|line| line.line).collect::<Vec<_>>(), [1, 4]);
    let array = imported("PHASES=(\n\"1|a|AUTO|\\\nGLOB:a.md\"\n2\\|b\\|AUTO\\|c.md\n)");
    assert_eq!(array.lines.iter().map(|line| line.line).collect::<Vec<_>>(), [2, 4]);
}
