//! What can be said about requirements without a model: unit tests for what is asked for, not for what was built.
//!
//! Each finding has its line and one of the five dimensions that checklists have. Code and comments are left alone.
//! Nothing here is a mistake of the file's form: a document with findings can still be read and changed.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Dialect;
use super::document::marks;
use super::{labelled, requirement_name};
use crate::markdown::Outline;

/// What a question about requirements is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Dimension {
    /// Whether everything is there.
    Completeness,
    /// Whether it can be understood in one way only.
    Clarity,
    /// Whether its parts agree.
    Consistency,
    /// Whether it can be tested.
    Measurability,
    /// Whether every case is thought of.
    Coverage,
}

/// The rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RequirementRule {
    /// A word such as "fast" in a sentence without a number.
    VagueWord,
    /// A requirement has no scenario.
    NoScenario,
    /// A scenario has no WHEN.
    NoWhen,
    /// A scenario has no THEN.
    NoThen,
    /// An id is given twice.
    DuplicateId,
    /// An id is named and given nowhere.
    DanglingId,
    /// Somebody still has to answer.
    NeedsClarification,
}

impl RequirementRule {
    /// Returns what the rule is about.
    pub fn dimension(self) -> Dimension {
        match self {
            Self::VagueWord => Dimension::Measurability,
            Self::NoScenario => Dimension::Coverage,
            Self::NoWhen | Self::NoThen => Dimension::Completeness,
            Self::DuplicateId | Self::DanglingId => Dimension::Consistency,
            Self::NeedsClarification => Dimension::Clarity,
        }
    }
}

/// What a rule found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RuleFinding {
    /// The rule.
    pub rule: RequirementRule,
    /// The line, from 1.
    pub line: u32,
    /// What it is about there: a word, a name, an id.
    pub about: String,
}

/// Words that everybody understands differently. A number beside them says what is meant.
const VAGUE: [&str; 30] = [
    "fast",
    "faster",
    "slow",
    "quick",
    "quickly",
    "soon",
    "easy",
    "easily",
    "simple",
    "user-friendly",
    "intuitive",
    "robust",
    "scalable",
    "efficient",
    "efficiently",
    "flexible",
    "seamless",
    "seamlessly",
    "appropriate",
    "appropriately",
    "adequate",
    "reasonable",
    "sufficient",
    "many",
    "several",
    "few",
    "etc",
    "modern",
    "responsive",
    "securely",
];

/// Returns what the rules find in a document with requirements, in the order of its lines.
pub fn requirement_findings(text: &str) -> Vec<RuleFinding> {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let front = crate::markdown::front_matter::end(text).unwrap_or(text.len() - body.len());
    let outline = Outline::from(text, front);
    let mut found = blocks(text, &outline);
    found.extend(lines(text, front, &outline));
    found.sort_by_key(|finding| (finding.line, finding.rule));
    found
}

/// Looks at requirements and their scenarios.
fn blocks(text: &str, outline: &Outline) -> Vec<RuleFinding> {
    let marks = marks(text, outline, Dialect::Windlass);
    let mut found = Vec::new();
    for (index, mark) in marks.iter().enumerate() {
        let rest = &marks[index + 1..];
        let (level, name) = (mark.level, requirement_name(&mark.title));
        if let (3, Some(name)) = (level, name) {
            let mut below = rest.iter().take_while(|next| next.level > 3);
            if !below.any(|next| next.level == 4) {
                found.push(finding(RequirementRule::NoScenario, mark.line, name));
            }
        }
        if let (4, Some(name)) = (level, labelled(&mark.title, "scenario:")) {
            let end =
                rest.iter().find(|next| next.level <= 4).map_or(text.len(), |next| next.start);
            let steps = &text[mark.end..end];
            for (word, rule) in
                [("WHEN", RequirementRule::NoWhen), ("THEN", RequirementRule::NoThen)]
            {
                if !begins_a_line(steps, word) {
                    found.push(finding(rule, mark.line, name));
                }
            }
        }
    }
    found
}

fn begins_a_line(text: &str, word: &str) -> bool {
    let marks = ['-', '*', '+', '_', ' ', '\t', '`'];
    text.lines().any(|line| {
        let rest = line.trim_start_matches(marks).strip_prefix(word);
        rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
    })
}

/// Looks at words and ids.
fn lines(text: &str, front: usize, outline: &Outline) -> Vec<RuleFinding> {
    let mut found = Vec::new();
    let mut given: BTreeMap<&str, u32> = BTreeMap::new();
    let mut named: Vec<(&str, u32)> = Vec::new();
    let mut start = front;
    for line in text[front..].split_inclusive('\n') {
        let (at, number) = (start, outline.line_of(start));
        start += line.len();
        if outline.is_opaque(at) {
            continue;
        }
        if line.to_uppercase().contains("[NEEDS CLARIFICATION") {
            found.push(finding(RequirementRule::NeedsClarification, number, line.trim()));
        }
        if !line.chars().any(|c| c.is_ascii_digit()) {
            let words = line.split(|c: char| !c.is_alphanumeric() && c != '-');
            let vague = words.map(str::to_lowercase).find(|word| VAGUE.contains(&word.as_str()));
            found.extend(vague.map(|word| finding(RequirementRule::VagueWord, number, &word)));
        }
        let own = own_id(line);
        if let Some(id) = own
            && given.insert(id, number).is_some()
        {
            found.push(finding(RequirementRule::DuplicateId, number, id));
        }
        named.extend(ids(line).filter(|id| Some(*id) != own).map(|id| (id, number)));
    }
    // `UTF-8` and `RFC-2119` look like ids: only those count whose kind the document gives.
    let kind = |id: &'_ str| id.rsplit_once('-').map(|(kind, _)| kind.to_owned());
    let kinds: Vec<Option<String>> = given.keys().map(|id| kind(id)).collect();
    let dangling =
        named.into_iter().filter(|(id, _)| !given.contains_key(id) && kinds.contains(&kind(id)));
    found.extend(dangling.map(|(id, line)| finding(RequirementRule::DanglingId, line, id)));
    found
}

/// Returns the id that a list entry or a heading gives to what it says: `- **FR-001**: …`.
fn own_id(line: &str) -> Option<&str> {
    let bare = line.trim_start();
    let entry = bare.trim_start_matches(['-', '*', '+', '#', '_', '`', ' ']);
    if entry.len() == bare.len() {
        return None;
    }
    let id = ids(entry).next()?;
    let after = entry.strip_prefix(id)?;
    after.trim_start_matches(['*', '_', '`']).starts_with([':', ' ']).then_some(id)
}

/// Returns words such as `FR-001`.
fn ids(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    words.filter(|word| {
        word.rsplit_once('-').is_some_and(|(kind, number)| {
            (2..=8).contains(&kind.len())
                && kind.bytes().all(|letter| letter.is_ascii_uppercase())
                && (1..=6).contains(&number.len())
                && number.bytes().all(|digit| digit.is_ascii_digit())
        })
    })
}

fn finding(rule: RequirementRule, line: u32, about: &str) -> RuleFinding {
    RuleFinding { rule, line, about: about.chars().take(200).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(RequirementRule, u32, String)> {
        requirement_findings(text).into_iter().map(|f| (f.rule, f.line, f.about)).collect()
    }

    #[test]
    fn each_rule_finds_its_line() {
        let text = "---\ntitle: fast\n---\n# PRD\n\n### Requirement: A\nThe page SHALL be fast.\nIt SHALL answer fast, in 200 ms.\n\n\
                    ### Requirement: B\nIt SHALL work. [NEEDS CLARIFICATION: how?]\n\n#### Scenario: One\n- **WHEN** asked\n- THENCE\n\n\
                    #### Scenario: Two\n- **THEN** so\n";
        use RequirementRule::{NeedsClarification, NoScenario, NoThen, NoWhen, VagueWord};
        assert_eq!(
            found(text),
            [
                (NoScenario, 6, "A".to_owned()),
                (VagueWord, 7, "fast".to_owned()),
                (NeedsClarification, 11, "It SHALL work. [NEEDS CLARIFICATION: how?]".to_owned()),
                (NoThen, 13, "One".to_owned()),
                (NoWhen, 17, "Two".to_owned()),
            ]
        );
    }

    #[test]
    fn ids_are_given_once_and_named_where_they_are_given() {
        let text = "- **FR-001**: it works\n- **FR-002**: as in FR-001 and FR-003, with UTF-8\n- FR-001: again\n";
        use RequirementRule::{DanglingId, DuplicateId};
        assert_eq!(
            found(text),
            [(DanglingId, 2, "FR-003".to_owned()), (DuplicateId, 3, "FR-001".to_owned())]
        );
    }

    #[test]
    fn code_and_comments_are_left_alone() {
        let text = "```\nfast [NEEDS CLARIFICATION]\n```\n\n<!--\n### Requirement: A\neasy\n-->\n\nBreakfast is served.\n";
        assert_eq!(found(text), []);
        assert_eq!(RequirementRule::VagueWord.dimension(), Dimension::Measurability);
    }
}
