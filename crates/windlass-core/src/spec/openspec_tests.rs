//! Changes in OpenSpec's dialect: what its own `archive` does. The comparison with the real program is a test
//! of the command.

use super::{Base, Delta, Dialect, Refused, Spec, new_openspec};

const SPEC: &str = "# a Specification\n\n## Purpose\nText.\n\n## Requirements\n\n### Requirement: One\nIt SHALL.\n\n#### Scenario: A\n- **WHEN** a\n- **THEN** b\n\n### Requirement: Two\nIt SHALL.\n\n#### Scenario: B\n- **WHEN** a\n- **THEN** b\n";

fn applied(text: &str, change: &str) -> Result<String, String> {
    let mut spec =
        Spec::parse(text, "spec.md", Dialect::OpenSpec).map_err(|found| found[0].to_string())?;
    let delta = Delta::parse(change, "delta.md", Dialect::OpenSpec)
        .map_err(|found| found[0].to_string())?;
    match spec.apply(&delta, Base::Unchecked, Dialect::OpenSpec) {
        Ok(_) => Ok(spec.print()),
        Err(Refused::Mistakes(found)) => Err(found[0].to_string()),
        Err(Refused::Conflicts(_)) => panic!("nothing is known that could conflict"),
    }
}

#[test]
fn a_block_ends_at_the_next_requirement_or_section() {
    let text = SPEC
        .replace("### Requirement: Two", "### Notes\nabsorbed\n\n# Top\n\n### Requirement: Two");
    let removed = applied(&text, "## REMOVED Requirements\n### Requirement: One\n").unwrap();
    assert!(!removed.contains("absorbed") && removed.contains("### Requirement: Two"), "{removed}");
}

#[test]
fn names_are_read_as_openspec_reads_them() {
    let text = SPEC.replace("### Requirement: Two", "###Requirement: Two ##");
    let renamed = applied(
        &text,
        "## RENAMED Requirements\n* FROM: `### Requirement: Two`\n* TO: `### Requirement: Three`\n",
    )
    .unwrap();
    assert_eq!(renamed, SPEC.replace("Two", "Three"));
    let removed = applied(SPEC, "## Removed requirements\n+ `### Requirement: Two`\n").unwrap();
    assert!(!removed.contains("Two"));
    let plain = applied(SPEC, "## RENAMED Requirements\n- FROM: Two\n- TO: Three\n");
    assert_eq!(plain.unwrap_err(), "delta.md:2:1: FROM: names no requirement");
}

#[test]
fn what_was_done_before_is_done_again_without_harm() {
    assert_eq!(applied(SPEC, "## REMOVED Requirements\n### Requirement: Gone\n").unwrap(), SPEC);
    assert_eq!(applied(SPEC, "## RENAMED Requirements\n- FROM: `### Requirement: Old`\n- TO: `### Requirement: One`\n").unwrap(), SPEC);
    let one = "## ADDED Requirements\n### Requirement: One\nIt SHALL.\n\n#### Scenario: A\n- **WHEN** a\n- **THEN** b\n";
    assert_eq!(applied(SPEC, one).unwrap(), SPEC);
    assert!(
        applied(SPEC, "## REMOVED Requirements\n### Requirement: one\n").is_err(),
        "a slip is none"
    );
}

#[test]
fn requirements_outside_of_their_section_stop_it() {
    let text = SPEC.replace("## Purpose\nText.\n", "## Purpose\nText.\n\n### Requirement: Lost\n");
    assert_eq!(
        applied(&text, "## REMOVED Requirements\n### Requirement: One\n").unwrap_err(),
        "spec.md:6:1: the requirement `Lost` stands outside of `## Requirements`"
    );
}

#[test]
fn a_comment_that_openspec_takes_for_a_requirement_is_told() {
    let text = SPEC.replace("Text.\n", "Text.\n\n<!--\n### Requirement: Hidden\n-->\n");
    let spec = Spec::parse(&text, "spec.md", Dialect::OpenSpec).unwrap();
    assert_eq!(spec.warnings[0].line, 7);
    assert_eq!(spec.names(), ["One", "Two"]);
}

#[test]
fn a_new_capability_has_the_purpose_of_its_change() {
    let change = "## Purpose\nWhy it is.\n\n## ADDED Requirements\n### Requirement: A\nIt SHALL.\n";
    let delta = Delta::parse(change, "delta.md", Dialect::OpenSpec).unwrap();
    let text = new_openspec("a", "add-a", delta.purpose.as_deref());
    assert_eq!(
        applied(&text, change).unwrap(),
        "# a Specification\n\n## Purpose\nWhy it is.\n\n## Requirements\n\n### Requirement: A\nIt SHALL.\n"
    );
    assert!(new_openspec("a", "add-a", None).contains("TBD - created by archiving change add-a."));
}
