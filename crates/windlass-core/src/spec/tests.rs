//! Deltas in windlass's own dialect.

use serde_json::json;

use super::{
    Applied, Base, Delta, DeltaStatus, Dialect, FrontMatterOf, Refused, Spec, new_delta, overlap,
    with_status,
};

const SPEC: &str = "\
---
req_id: REQ-1
---
# PRD

Intro.

## Requirements

### Requirement: User Login
The system SHALL log in.

#### Scenario: Right password
- WHEN it is right
- THEN in

#### Scenario: Wrong password
- WHEN it is wrong
- THEN out

### Requirement: Legacy Session
The system SHALL keep it.

### Notes

Not a requirement.

## End
";

const HEAD: &str = "---\ndelta_id: \"2026-02-01-x\"\nreq_id: REQ-1\ntitle: X\ncreated_at: \"2026-02-01T10:00:00Z\"\nstatus: draft\n---\n# Delta: X\n";

fn spec(text: &str) -> Spec<'_> {
    Spec::parse(text, "PRD.md", Dialect::Windlass).unwrap()
}

fn delta(body: &str) -> Delta {
    let text = format!("{HEAD}{body}");
    Delta::parse(&text, "delta.md", Dialect::Windlass).unwrap_or_else(|found| {
        panic!("{}", found.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
    })
}

fn refused_delta(body: &str) -> Vec<String> {
    let found = Delta::parse(&format!("{HEAD}{body}"), "delta.md", Dialect::Windlass).unwrap_err();
    found.iter().map(ToString::to_string).collect()
}

fn applied(text: &str, body: &str, base: Option<&str>) -> Result<(String, Applied), String> {
    let mut now = spec(text);
    let base_spec = base.map(spec);
    let base = base_spec.as_ref().map_or(Base::Unchecked, Base::Known);
    match now.apply(&delta(body), base, Dialect::Windlass) {
        Ok(applied) => Ok((now.print(), applied)),
        Err(Refused::Mistakes(found)) => Err(found[0].to_string()),
        Err(Refused::Conflicts(conflicts)) => {
            Err(format!("conflict: {} / {:?}", conflicts[0].requirement, conflicts[0].scenario))
        }
    }
}

const LOGIN: &str = "### Requirement: User Login
The system SHALL log in.

#### Scenario: Right password
- WHEN it is right
- THEN in

#### Scenario: Wrong password
- WHEN it is wrong
- THEN out, with a reason
";

#[test]
fn every_kind_of_change_touches_its_block_alone() {
    let body = format!(
        "## ADDED Requirements\n### Requirement: Two Factors\nThe system SHALL ask.\n#### Scenario: A\n- WHEN a\n- THEN b\n\
         ## MODIFIED Requirements\n{}## REMOVED Requirements\n### Requirement: Legacy Session\n**Reason**: old\n**Migration**: none\n",
        LOGIN.replace(
            "The system SHALL log in.\n",
            "(Previously: it did (once))\nThe system SHALL log in.\n"
        ),
    );
    let (text, done) = applied(SPEC, &body, Some(SPEC)).unwrap();
    assert_eq!(done.counts, [1, 1, 1, 0]);
    let expected = SPEC
        .replace("- THEN out\n", "- THEN out, with a reason\n")
        .replace(
            "### Requirement: Legacy Session\nThe system SHALL keep it.\n",
            "### Requirement: Two Factors\nThe system SHALL ask.\n#### Scenario: A\n- WHEN a\n- THEN b\n",
        );
    assert_eq!(text, expected);
    let crlf = SPEC.replace('\n', "\r\n");
    let (text, _) = applied(&crlf, &body, Some(&crlf)).unwrap();
    assert_eq!(text, expected.replace('\n', "\r\n"), "line ends are those of the spec");
}

#[test]
fn a_rename_changes_one_line_and_the_new_name_can_be_modified() {
    let body = format!(
        "## RENAMED Requirements\n- FROM: `### Requirement: User Login`\n- TO: Sign In\n## MODIFIED Requirements\n{}",
        LOGIN.replace("User Login", "Sign In")
    );
    let (text, done) = applied(SPEC, &body, Some(SPEC)).unwrap();
    assert_eq!(done.counts, [0, 1, 0, 1]);
    assert_eq!(
        text,
        SPEC.replace("User Login", "Sign In")
            .replace("- THEN out\n", "- THEN out, with a reason\n")
    );
}

#[test]
fn blocks_are_told_to_programs() {
    let delta = delta(
        "## MODIFIED Requirements\n### Requirement: A\n(Previously: old\nlines)\n\nNew.\n\
         ## REMOVED Requirements\n### Requirement: B\n**Reason**: gone\nfor good\n**Migration**: use C\n\
         ## RENAMED Requirements\n- FROM: D\n- TO: E\n",
    );
    assert_eq!(
        serde_json::to_value(&delta.blocks).unwrap(),
        json!([
            {"type": "MODIFIED", "name": "A", "content": "New.", "previousContent": "old\nlines", "reason": null, "migration": null, "newName": null},
            {"type": "REMOVED", "name": "B", "content": "**Reason**: gone\nfor good\n**Migration**: use C", "previousContent": null, "reason": "gone for good", "migration": "use C", "newName": null},
            {"type": "RENAMED", "name": "D", "content": "", "previousContent": null, "reason": null, "migration": null, "newName": "E"},
        ])
    );
    assert_eq!(delta.blocks[0].text, "### Requirement: A\nNew.");
}

#[test]
fn scenarios_that_two_sides_changed_apart_are_merged() {
    let theirs = format!("## MODIFIED Requirements\n{LOGIN}");
    let now = SPEC.replace("- THEN in\n", "- THEN in, at once\n");
    let (text, done) = applied(&now, &theirs, Some(SPEC)).unwrap();
    assert_eq!(done.merged, ["User Login"]);
    assert_eq!(text, now.replace("- THEN out\n", "- THEN out, with a reason\n"));
    let same = SPEC.replace("- THEN out\n", "- THEN out, silently\n");
    assert_eq!(
        applied(&same, &theirs, Some(SPEC)).unwrap_err(),
        "conflict: User Login / Some(\"Wrong password\")"
    );
    let gone = SPEC.replace("User Login", "Other");
    assert_eq!(applied(&gone, &theirs, Some(SPEC)).unwrap_err(), "conflict: User Login / None");
    let removal = "## REMOVED Requirements\n### Requirement: User Login\n";
    assert_eq!(applied(&now, removal, Some(SPEC)).unwrap_err(), "conflict: User Login / None");
}

#[test]
fn without_a_base_nothing_is_lost() {
    let short = "## MODIFIED Requirements\n### Requirement: User Login\nNew.\n#### Scenario: Right password\n- WHEN a\n- THEN b\n";
    assert_eq!(
        applied(SPEC, short, None).unwrap_err(),
        "delta.md:10:1: `User Login` would lose scenarios: `Wrong password`"
    );
    let (text, _) = applied(SPEC, short, Some(SPEC)).unwrap();
    assert!(
        !text.contains("Wrong password"),
        "the author of the delta saw the scenario and left it out"
    );
}

#[test]
fn what_cannot_be_done_has_its_line() {
    for (body, expected) in [
        (
            "## REMOVED Requirements\n### Requirement: Nothing\n",
            "delta.md:10:1: REMOVED: there is no requirement `Nothing`",
        ),
        (
            "## MODIFIED Requirements\n### Requirement: user  login\nx\n",
            "delta.md:10:1: MODIFIED: there is no requirement `user  login`",
        ),
        (
            "## ADDED Requirements\n### Requirement: User login\nx\n",
            "delta.md:10:1: ADDED: there is a requirement `User Login` already",
        ),
        (
            "## RENAMED Requirements\n- FROM: User Login\n- TO: Legacy Session\n",
            "delta.md:10:1: RENAMED: there is a requirement `Legacy Session` already",
        ),
        ("no section\n", "delta.md:1:1: the delta changes nothing"),
    ] {
        assert_eq!(applied(SPEC, body, None).unwrap_err(), expected, "{body}");
    }
}

#[test]
fn a_delta_that_contradicts_itself_has_its_line() {
    for (body, expected) in [
        (
            "### Requirement: A\n",
            "delta.md:9:1: the requirement `A` stands in no section of the delta",
        ),
        ("### ADDED Requirements\n", "delta.md:9:1: the section ADDED has a heading of level 3"),
        (
            "## ADDED Requirements\n#### Requirement: A\n",
            "delta.md:10:1: the heading of a requirement has level 4",
        ),
        (
            "## ADDED Requirements\n### Requirement: A\nx\n### Scenario: B\n",
            "delta.md:12:1: the heading of a scenario has level 3",
        ),
        (
            "## ADDED Requirements\n### Requirement:\n",
            "delta.md:10:1: this requirement has no name",
        ),
        (
            "## ADDED Requirements\n### Requirement: A\nx\n### Requirement: a\nx\n",
            "delta.md:12:1: `a` is ADDED here and ADDED in line 10",
        ),
        (
            "## REMOVED Requirements\n### Requirement: A\n## MODIFIED Requirements\n### Requirement: A\nx\n",
            "delta.md:12:1: `A` is MODIFIED here and REMOVED in line 10",
        ),
        (
            "## RENAMED Requirements\n- FROM: A\n- TO: B\n## MODIFIED Requirements\n### Requirement: A\nx\n",
            "delta.md:13:1: `A` is RENAMED in line 10, and MODIFIED under its old name",
        ),
        (
            "## RENAMED Requirements\n- FROM: A\n- FROM: B\n- TO: C\n",
            "delta.md:10:1: FROM: `A` has no partner",
        ),
        ("## RENAMED Requirements\n- TO: C\n", "delta.md:10:1: TO: `C` has no partner"),
        (
            "## RENAMED Requirements\n- FROM: A\n- TO: B\n- FROM: C\n- TO: b\n",
            "delta.md:12:1: TO names `b` a second time",
        ),
        (
            "## MODIFIED Requirements\n### Requirement: A\n(Previously: x\ny\n",
            "delta.md:10:1: `(Previously: …` below this heading has no closing",
        ),
        (
            "## ADDED Requirements\n### Notes\n",
            "delta.md:10:1: `Notes` is no heading of a requirement",
        ),
    ] {
        let found = refused_delta(body);
        assert!(found[0].starts_with(expected), "{body}: {found:?}");
    }
}

#[test]
fn front_matter_is_looked_at() {
    let bad =
        |text: &str| Delta::parse(text, "delta.md", Dialect::Windlass).unwrap_err()[0].to_string();
    assert_eq!(
        bad("# Delta: x\n"),
        "delta.md:1:1: a delta begins with front matter, and this file does not"
    );
    assert_eq!(
        bad(&HEAD.replace("status: draft", "status: done")),
        "delta.md:6:9: `done` is no status"
    );
    assert_eq!(
        bad(&HEAD.replace("title: X\n", "")),
        "delta.md:1:1: the front matter has no `title`"
    );
    assert!(
        bad(&HEAD.replace("status: draft", "base: abc")).contains("is no name of a git object")
    );
    assert!(bad(&HEAD.replace("title: X", "title: [")).starts_with("delta.md:"));
}

#[test]
fn headings_in_code_comments_quotes_and_lists_are_text() {
    let text = SPEC.replace(
        "The system SHALL keep it.\n",
        "The system SHALL keep it.\n\n```md\n### Requirement: In code\n```\n\n<!--\n### Requirement: In a comment\n-->\n\n> ### Requirement: Quoted\n\n- ### Requirement: Listed\n",
    );
    assert_eq!(spec(&text).names(), ["User Login", "Legacy Session"]);
    assert_eq!(spec(&text).print(), text);
    let body = "## ADDED Requirements\n### Requirement: A\nx\n\n```md\n## REMOVED Requirements\n### Requirement: B\n```\n";
    assert_eq!(delta(body).blocks.len(), 1);
    assert!(delta(body).blocks[0].text.ends_with("### Requirement: B\n```"));
}

#[test]
fn a_spec_with_two_of_a_name_is_refused() {
    let text = SPEC.replace("Legacy Session", "USER  login");
    let found = Spec::parse(&text, "PRD.md", Dialect::Windlass).unwrap_err();
    assert_eq!(found[0].to_string(), "PRD.md:21:1: there is a second requirement `USER  login`");
}

#[test]
fn requirements_are_added_where_there_are_none_yet() {
    let body = "## ADDED Requirements\n### Requirement: A\nx\n";
    for (text, expected) in [
        ("", "## Requirements\n\n### Requirement: A\nx\n"),
        ("# T", "# T\n\n## Requirements\n\n### Requirement: A\nx\n"),
        (
            "# T\n\n## Requirements\n\n## End\n",
            "# T\n\n## Requirements\n\n### Requirement: A\nx\n\n## End\n",
        ),
        (
            "\u{feff}# T\r\n",
            "\u{feff}# T\r\n\r\n## Requirements\r\n\r\n### Requirement: A\r\nx\r\n",
        ),
    ] {
        assert_eq!(applied(text, body, None).unwrap().0, expected);
    }
}

#[test]
fn open_deltas_are_compared_with_each_other() {
    let base = spec(SPEC);
    let modified = |text: String| delta(&format!("## MODIFIED Requirements\n{text}"));
    let one = modified(LOGIN.to_owned());
    let other = modified(
        LOGIN.replace("- THEN in\n", "- THEN in, at once\n").replace(", with a reason", ""),
    );
    assert_eq!(overlap(&one, &other, Base::Known(&base)), [], "they change other scenarios");
    assert_eq!(overlap(&one, &other, Base::Unchecked).len(), 1);
    let same = modified(LOGIN.replace("with a reason", "silently"));
    let found = overlap(&one, &same, Base::Known(&base));
    assert_eq!(found[0].scenario.as_deref(), Some("Wrong password"));
    let removed = delta("## REMOVED Requirements\n### Requirement: User Login\n");
    assert_eq!(overlap(&one, &removed, Base::Known(&base)).len(), 1);
    let renamed = delta("## RENAMED Requirements\n- FROM: User Login\n- TO: Sign In\n");
    assert_eq!(overlap(&renamed, &one, Base::Known(&base)).len(), 1);
    let added = delta("## ADDED Requirements\n### Requirement: B\nx\n");
    assert_eq!(overlap(&added, &one, Base::Known(&base)), []);
    assert_eq!(overlap(&added, &added, Base::Known(&base)), []);
}

#[test]
fn a_new_delta_can_be_read_and_its_status_changed() {
    let front = FrontMatterOf {
        delta_id: "2026-02-01-x".to_owned(),
        req_id: "REQ-1".to_owned(),
        title: "Say \"no\": \\ always".to_owned(),
        created_at: "2026-02-01T10:00:00Z".to_owned(),
        status: DeltaStatus::Draft,
        target: Some("specs/modules/a/spec.md".to_owned()),
        base: Some("a".repeat(40)),
    };
    let text = new_delta(&front);
    let read = Delta::parse(&text, "delta.md", Dialect::Windlass).unwrap();
    assert_eq!(read.front, front);
    assert!(read.blocks.is_empty());
    for text in [
        text.clone(),
        text.replace('\n', "\r\n"),
        format!("\u{feff}{text}"),
        text.replace("status: \"draft\"\n", ""),
    ] {
        let approved = with_status(&text, DeltaStatus::Approved).unwrap();
        let read = Delta::parse(&approved, "delta.md", Dialect::Windlass).unwrap();
        assert_eq!(read.front.status, DeltaStatus::Approved);
        let back = approved.replace("status: \"approved\"", "status: \"draft\"");
        assert!(back == text || !text.contains("status"), "{text:?} {back:?}");
    }
    assert_eq!(with_status("# no front matter\n", DeltaStatus::Draft), None);
}

#[test]
fn a_delta_that_was_applied_holds_in_the_spec() {
    let body = format!(
        "## MODIFIED Requirements\n{LOGIN}## REMOVED Requirements\n### Requirement: Legacy Session\n"
    );
    let (text, _) = applied(SPEC, &body, Some(SPEC)).unwrap();
    assert!(delta(&body).holds_in(&spec(&text)));
    assert!(!delta(&body).holds_in(&spec(SPEC)));
}
