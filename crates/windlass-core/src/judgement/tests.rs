//! Reports of judges: what they come to, and how they fail to be read.

use proptest::prelude::*;

use super::*;

fn review(text: &str) -> Judgement {
    judge(ReportKind::Review, text.as_bytes(), &[])
}

fn tests(text: &str, criteria: &[&str]) -> Judgement {
    judge(ReportKind::Tests, text.as_bytes(), criteria)
}

fn back(text: &str) -> String {
    let judgement = review(text);
    assert_eq!(judgement.verdict, "CHANGES_REQUESTED", "{text}");
    judgement.reason
}

#[test]
fn a_verdict_is_found_in_what_markdown_puts_around_it() {
    for text in [
        "APPROVED",
        "**APPROVED**",
        "# Review\n\nGood work.\n\n## Verdict\n\n`APPROVED`\n",
        "Verdict: APPROVED",
        "**Verdict:** APPROVED.",
        "**Status**: ✅ **APPROVED**",
        "- Verdict: APPROVED",
        "### Final verdict: APPROVED!",
        "\u{feff}APPROVED\r\n",
        "APPROVED\n\nIn short:\n\nVerdict: APPROVED",
    ] {
        assert_eq!(review(text).verdict, "APPROVED", "{text}: {}", review(text).reason);
    }
    for text in ["CHANGES_REQUESTED", "Verdict: CHANGES REQUESTED", "**CHANGES-REQUESTED**"] {
        assert_eq!(back(text), "CHANGES_REQUESTED");
    }
}

#[test]
fn words_that_only_look_like_a_verdict_are_none() {
    for text in [
        "```\nAPPROVED\n```\n",
        "~~~text\nVerdict: APPROVED\n~~~",
        "    APPROVED\n",
        "```\nunclosed\n\nAPPROVED\n",
        "> APPROVED\n",
        "- > APPROVED\n",
        "<!--\nAPPROVED\n-->\n",
        "<div>\nAPPROVED\n</div>\n",
        "NOT APPROVED",
        "APPROVED?",
        "~~APPROVED~~",
        "\"APPROVED\"",
        "approved",
        "APPROVED with suggestions",
        "Verdict: APPROVED | CHANGES_REQUESTED",
        "It is not: APPROVED",
        "- [ ] CHANGES_REQUESTED or APPROVED",
        "- [ ] APPROVED",
        "1. [ ] APPROVED \u{a0}",
        "* - [ ] **APPROVED** é ",
    ] {
        assert!(back(text).starts_with("has no verdict"), "{text}: {}", back(text));
    }
}

#[test]
fn what_cannot_be_read_sends_the_work_back_and_says_why() {
    let reason = |bytes: &[u8]| {
        let judgement = judge(ReportKind::Review, bytes, &[]);
        assert_eq!(judgement.verdict, "CHANGES_REQUESTED");
        judgement.reason
    };
    assert_eq!(reason(b""), "the report is empty");
    assert_eq!(reason(b" \n\t\n"), "the report is empty");
    assert_eq!(reason(b"APPROVED\xff"), "the report is not UTF-8 text");
    assert_eq!(reason(b"APPROVED\n\0"), "the report is not text");
    assert_eq!(reason(&b"APPROVED\n".repeat(40_000)), "the report has more than 256 KiB");
    assert_eq!(
        back("APPROVED\n\nCHANGES_REQUESTED"),
        "gives two verdicts: APPROVED on line 1, CHANGES_REQUESTED on line 3"
    );
    assert_eq!(
        back("APPROVED\n\n- [CRITICAL] a hole src/a.rs:3"),
        "line 3 has the tag [CRITICAL], which is none of BLOCKING, SUGGESTION, INFO"
    );
}

#[test]
fn a_badly_written_report_is_its_writers_to_mend_and_a_refusal_is_not() {
    for text in ["", "Good work.", "APPROVED\nCHANGES_REQUESTED", "[MINOR] x a.rs:1\n\nAPPROVED"] {
        assert!(review(text).faulty, "{text}");
    }
    for text in ["CHANGES_REQUESTED", "[BLOCKING] x a.rs:1\n\nAPPROVED", "[BLOCKING] x a.rs:1"] {
        assert!(!review(text).faulty, "{text}");
    }
    for text in ["AC1: PASS", "PASSED", "AC1: PASS a::b\nAC2: PASS a::c\nAC9: PASS a::d"] {
        assert!(tests(text, &["AC1", "AC2"]).faulty, "{text}");
    }
    for text in ["AC1: FAIL why", "AC1: PASS a::b\nFAILED"] {
        assert!(!tests(text, &["AC1"]).faulty, "{text}");
    }
    assert!(!review("APPROVED").faulty && !tests("AC1: PASS a::b", &["AC1"]).faulty);
}

#[test]
fn a_box_that_is_ticked_is_the_verdict_and_one_that_is_not_is_none() {
    let judged = |text: &str| judge(ReportKind::Review, text.as_bytes(), &[]).verdict;
    assert_eq!(judged("- [x] APPROVED\n- [ ] CHANGES_REQUESTED\n"), "APPROVED");
    assert_eq!(judged("- [ ] APPROVED\n- [x] CHANGES_REQUESTED\n"), "CHANGES_REQUESTED");
}

#[test]
fn a_blocking_finding_counts_behind_a_number_or_a_path_and_prose_about_findings_does_not() {
    for text in [
        "Finding 1: [BLOCKING] a hole",
        "src/a.rs:3 [BLOCKING] a hole",
        "2) [BLOCKING] a hole",
        "**Security** — **[BLOCKING]** a hole",
    ] {
        let reason = back(&format!("{text}\n\nAPPROVED"));
        assert_eq!(reason, "approves with 1 blocking finding", "{text}");
    }
    let found = judge(ReportKind::Review, b"src/a.rs:3 [BLOCKING] a hole\nAPPROVED", &[]).findings;
    assert_eq!((found[0].file.as_deref(), found[0].line), (Some("src/a.rs"), Some(3)));
    for text in [
        "There are no [BLOCKING] findings.",
        "Findings: [BLOCKING] none",
        "The two [BLOCKING] findings of the last review are gone",
        "Write lines such as: `[BLOCKING] text`",
    ] {
        let judged = judge(ReportKind::Review, format!("{text}\n\nAPPROVED").as_bytes(), &[]);
        assert_eq!(judged.verdict, "APPROVED", "{text}: {}", judged.reason);
    }
}

#[test]
fn an_approval_with_blocking_findings_is_none() {
    assert_eq!(
        back("APPROVED\n\n[BLOCKING] a hole src/a.rs:3"),
        "approves with 1 blocking finding"
    );
    let two = "- **[BLOCKING]** one\n- [blocking]: two\n- [ ] [INFO] three\n\nVerdict: APPROVED";
    assert_eq!(back(two), "approves with 2 blocking findings");
    assert_eq!(
        back("CHANGES_REQUESTED\n[BLOCKING] x y"),
        "CHANGES_REQUESTED; has 1 blocking finding"
    );
    assert_eq!(
        back("APPROVED\n\n<details>\n[BLOCKING] hidden\n</details>"),
        "approves with 1 blocking finding"
    );
    let table = "APPROVED\n\n| # | Level | What | Where |\n|---|---|---|---|\n| 1 | BLOCKING | a hole | src/a.rs:3 |\n";
    assert_eq!(back(table), "approves with 1 blocking finding");
    for none in ["[BLOCKING] none", "[BLOCKING]: None found.", "```\n[BLOCKING] an example\n```"] {
        assert_eq!(review(&format!("APPROVED\n\n{none}\n")).verdict, "APPROVED", "{none}");
    }
}

#[test]
fn findings_have_their_place() {
    for (line, file, number) in [
        ("[INFO] a text src/a.rs:3", Some("src/a.rs"), Some(3)),
        ("[INFO] a text (`src/a.rs:3`)", Some("src/a.rs"), Some(3)),
        ("[INFO] `src/a.rs:3:9` is odd", Some("src/a.rs"), Some(3)),
        ("[INFO] odd in ./src/a.rs:3-7.", Some("src/a.rs"), Some(3)),
        ("[INFO] odd, see [a](src/a.rs#L3)", Some("src/a.rs"), Some(3)),
        ("[INFO] Makefile:3 is odd", Some("Makefile"), Some(3)),
        ("[INFO] src/a.rs is odd", Some("src/a.rs"), None),
        ("[INFO] at 12:30 it broke", None, None),
        ("[INFO] see http://example.com:80/a.html", None, None),
        ("[INFO] /etc/passwd:3", None, None),
        ("[INFO] ../../a.rs:3", None, None),
        ("[INFO] in general", None, None),
    ] {
        let found = review(line).findings;
        assert_eq!(found.len(), 1, "{line}");
        assert_eq!((found[0].file.as_deref(), found[0].line), (file, number), "{line}");
    }
    let found = review("[INFO] a\n[BLOCKING] b\n[SUGGESTION] c").findings;
    let levels: Vec<_> = found.iter().map(|remark| remark.level).collect();
    assert_eq!(levels, Level::ALL);
}

#[test]
fn links_boxes_and_footnotes_are_no_findings() {
    let text = "APPROVED\n\n[README](README.md) is good\n[docs][1]\n[docs]: https://example.com\n\
                - [x] looked at it\n- [ ] not at that\n[1] a note\n[TOC]\n";
    let judgement = review(text);
    assert_eq!((judgement.verdict, judgement.findings), ("APPROVED", Vec::new()));
}

#[test]
fn lists_are_bounded_and_blocking_findings_stay() {
    let text = format!("{}{}", "[INFO] a\n".repeat(150), "[BLOCKING] b\n".repeat(3));
    let judgement = review(&format!("APPROVED\n{text}"));
    assert_eq!(judgement.reason, "approves with 3 blocking findings");
    assert_eq!(judgement.findings.len(), MAX_REMARKS);
    assert_eq!(judgement.findings[2].level, Level::Blocking);
    let long = review(&format!("[INFO] {}", "x".repeat(100_000)));
    assert!(long.findings[0].text.chars().count() < 510);
}

#[test]
fn every_criterion_with_its_test_passes() {
    for text in [
        "AC1: PASS tests/a.rs::one\nAC2: PASS tests/a.rs::two",
        "- **AC1**: PASS — `tests/a.rs::one`\n- ac2 - PASS - `tests/a.rs::two`",
        "| Criterion | What | Result | Test |\n|--|--|--|--|\n| AC1 | it adds | PASS | tests/a.rs::one |\n\
         | **AC2** | x | **PASS** | `tests/a.rs::two` |",
        "### AC1: PASS (tests/a.rs::one)\nWords.\n### AC2: PASS (tests/a.rs::two)\n\nVerdict: PASSED",
    ] {
        let judgement = tests(text, &["AC1", "AC2"]);
        assert_eq!(judgement.verdict, "PASSED", "{text}: {}", judgement.reason);
        let named: Vec<_> = judgement.criteria.iter().flat_map(|c| c.tests.clone()).collect();
        assert_eq!(named, ["tests/a.rs::one", "tests/a.rs::two"], "{text}");
    }
    let manual = tests("AC1: MANUAL_VERIFICATION_REQUIRED needs a printer", &["AC1"]);
    assert_eq!(manual.verdict, "PASSED");
    assert_eq!(manual.criteria[0].verdict, CriterionVerdict::ManualVerificationRequired);
}

#[test]
fn a_tester_is_held_to_every_criterion() {
    for (text, reason) in [
        ("AC1: PASS", "AC1 passes without a test"),
        ("AC1: PASS n/a", "AC1 passes without a test"),
        ("| AC1 | PASS | - |", "AC1 passes without a test"),
        ("AC1: FAIL tests/a.rs::one", "AC1 fails"),
        ("All is well", "AC1 has no result: no line says `AC1: PASS tests/file::name`"),
        ("AC1: SKIPPED", "AC1 has no result: no line says `AC1: PASS tests/file::name`"),
        (
            "AC1: PASSED tests/a.rs::one",
            "AC1 has no result: no line says `AC1: PASS tests/file::name`",
        ),
        (
            "```\nAC1: PASS a.rs::b\n```",
            "AC1 has no result: no line says `AC1: PASS tests/file::name`",
        ),
        ("AC1: PASS a.rs::b\nAC1: FAIL", "AC1 has two results: PASS on line 1, FAIL on line 2"),
        ("AC1: PASS a.rs::b\nAC9: PASS a.rs::c", "AC9 is not a criterion of the story"),
        ("AC1: PASS a.rs::b\n\nVerdict: FAILED", "says FAILED itself on line 3"),
        ("AC1: PASS a.rs::b\n[BLOCKING] it hangs", "passes with 1 blocking finding"),
    ] {
        let judgement = tests(text, &["AC1"]);
        assert_eq!((judgement.verdict, judgement.reason.as_str()), ("FAILED", reason), "{text}");
    }
    let none = tests("AC1: PASS a.rs::b", &[]);
    assert!(
        none.reason.starts_with("there is no story with acceptance criteria"),
        "{}",
        none.reason
    );
}

#[test]
fn several_tests_of_a_criterion_are_told_apart() {
    let named = |text: &str| tests(text, &["AC1"]).criteria[0].tests.clone();
    assert_eq!(named("AC1: PASS a/b.rs::c, a/b.rs::d"), ["a/b.rs::c", "a/b.rs::d"]);
    assert_eq!(named("AC1: PASS `a/b.rs::c` and `d`"), ["a/b.rs::c", "d"]);
    assert_eq!(named("AC1: PASS t.js > adds one, two"), ["t.js > adds one, two"]);
    assert_eq!(named("AC1: PASS a::b\nAC1: PASS c::d"), ["a::b", "c::d"]);
}

#[test]
fn security_is_cleared_only_without_blocking_findings() {
    let security = |text: &str| {
        let judgement = judge(ReportKind::Security, text.as_bytes(), &[]);
        (judgement.verdict, judgement.reason)
    };
    assert_eq!(security("CLEARED\n[INFO] fine").0, "CLEARED");
    let (verdict, reason) = security("CLEARED\n[BLOCKING] injection src/a.rs:9");
    assert_eq!(
        (verdict, reason.as_str()),
        ("REMEDIATION_NEEDED", "clears with 1 blocking finding")
    );
    assert_eq!(security("APPROVED").0, "REMEDIATION_NEEDED");
    assert_eq!(security("REMEDIATION_NEEDED").1, "REMEDIATION_NEEDED");
}

const PIECES: &str = "(APPROVED|CHANGES_REQUESTED|\\[BLOCKING\\]|\\[|\\]|\\||AC1|PASS|FAIL|:|::|>|`|```|~~~|\n|\r|\t| |-|#|\\*|<!--|-->|é|日|🙂|src/a.rs:9|[ -~]|\u{0}){0,60}";

proptest! {
    #[test]
    fn no_bytes_make_reading_fail(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        for kind in ReportKind::ALL {
            let judgement = judge(kind, &bytes, &["AC1"]);
            prop_assert!([kind.accepting(), kind.refusing()].contains(&judgement.verdict));
        }
    }

    #[test]
    fn no_text_makes_reading_fail_and_nothing_hidden_accepts(text in PIECES) {
        for kind in ReportKind::ALL {
            let judgement = judge(kind, text.as_bytes(), &["AC1", "AC2"]);
            prop_assert!(!judgement.reason.is_empty());
            for criterion in &judgement.criteria {
                for test in &criterion.tests {
                    let _ = named_test(test);
                }
            }
            let quoted: String = text.lines().map(|line| format!("> {line}\n")).collect();
            prop_assert_eq!(judge(kind, quoted.as_bytes(), &["AC1"]).verdict, kind.refusing());
        }
        let _ = named_test(&text);
    }
}

#[test]
fn hostile_lengths_take_no_time_that_counts() {
    for piece in ["[", "> ", "- ", "`", "*", "|", "AC1: PASS a::b ", "[BLOCKING] ", "<a "] {
        let text = piece.repeat(MAX_REPORT_BYTES / piece.len());
        for kind in ReportKind::ALL {
            judge(kind, text.as_bytes(), &["AC1"]);
        }
    }
}
