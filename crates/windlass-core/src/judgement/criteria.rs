//! What a tester says of each acceptance criterion.

use serde::{Deserialize, Serialize};

use super::finding::one_line;
use super::lines::{Line, bare, cells};

/// The most tests that are kept for one criterion.
const MAX_TESTS: usize = 10;

/// What a tester says of a criterion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum CriterionVerdict {
    /// A test shows it.
    Pass,
    /// It does not hold.
    Fail,
    /// No test can show it: a person has to look.
    ManualVerificationRequired,
}

impl CriterionVerdict {
    /// Every verdict.
    pub const ALL: [Self; 3] = [Self::Pass, Self::Fail, Self::ManualVerificationRequired];

    /// Returns the verdict as it stands in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::Fail => "FAIL",
            Self::ManualVerificationRequired => "MANUAL_VERIFICATION_REQUIRED",
        }
    }

    fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| verdict.as_str() == word)
    }
}

/// What a tester says of one criterion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CriterionResult {
    /// The criterion, as the story names it.
    pub id: String,
    /// The verdict.
    pub verdict: CriterionVerdict,
    /// The tests that show it, as the report names them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<String>,
}

/// Reads the results of the criteria `wanted`; the reasons say why they do not pass.
pub(super) fn read(lines: &[Line<'_>], wanted: &[&str]) -> (Vec<String>, Vec<CriterionResult>) {
    let mut reasons = Vec::new();
    if wanted.is_empty() {
        reasons.push("there is no story with acceptance criteria to judge".to_owned());
    }
    let said: Vec<Said<'_>> = lines.iter().filter_map(|line| read_line(line, wanted)).collect();
    for unknown in said.iter().filter(|said| !wanted.contains(&said.id)) {
        let reason = format!("{} is not a criterion of the story", unknown.id);
        if !reasons.contains(&reason) && reasons.len() < MAX_TESTS {
            reasons.push(reason);
        }
    }
    let mut results = Vec::new();
    for id in wanted {
        match result(id, &said) {
            Ok(result) => {
                reasons.extend(problem(&result));
                results.push(result);
            }
            Err(reason) => reasons.push(reason),
        }
    }
    (reasons, results)
}

/// What one line says of one criterion.
struct Said<'t> {
    id: &'t str,
    verdict: CriterionVerdict,
    line: usize,
    rest: String,
}

fn result(id: &str, said: &[Said<'_>]) -> Result<CriterionResult, String> {
    let mut about = said.iter().filter(|said| said.id == id);
    let Some(first) = about.next() else {
        return Err(format!("{id} has no result: no line says `{id}: PASS tests/file::name`"));
    };
    let mut named = tests(&first.rest);
    for other in about {
        if other.verdict != first.verdict {
            return Err(format!(
                "{id} has two results: {} on line {}, {} on line {}",
                first.verdict.as_str(),
                first.line,
                other.verdict.as_str(),
                other.line
            ));
        }
        named.extend(tests(&other.rest));
    }
    named.dedup();
    named.truncate(MAX_TESTS);
    Ok(CriterionResult { id: id.to_owned(), verdict: first.verdict, tests: named })
}

fn problem(result: &CriterionResult) -> Option<String> {
    match result.verdict {
        CriterionVerdict::Pass if result.tests.is_empty() => {
            Some(format!("{} passes without a test", result.id))
        }
        CriterionVerdict::Fail => Some(format!("{} fails", result.id)),
        CriterionVerdict::Pass | CriterionVerdict::ManualVerificationRequired => None,
    }
}

/// Reads `AC1: PASS test` or `| AC1 | PASS | test |`; in a table other cells may stand between.
fn read_line<'t>(line: &Line<'t>, wanted: &[&'t str]) -> Option<Said<'t>> {
    let number = line.number;
    if let Some(cells) = cells(line.text) {
        let (first, others) = cells.split_first()?;
        let id = known_id(bare(first), wanted)?;
        let at = others.iter().position(|cell| CriterionVerdict::of(bare(cell)).is_some())?;
        let verdict = CriterionVerdict::of(bare(others[at]))?;
        let rest = others[at + 1..].first().copied().unwrap_or_default().to_owned();
        return Some(Said { id, verdict, line: number, rest });
    }
    let text = line.text.trim_start_matches(['*', '_', '`']);
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_'))?;
    let id = known_id(text[..end].trim_matches(['-', '_']), wanted)?;
    let rest = text[end..].trim_start_matches(is_separator);
    let end = rest.find(|c: char| !(c.is_ascii_uppercase() || c == '_')).unwrap_or(rest.len());
    let verdict = CriterionVerdict::of(rest[..end].trim_end_matches('_'))?;
    Some(Said { id, verdict, line: number, rest: rest[end..].to_owned() })
}

/// Returns a criterion of the story, however its letters are written, or something like `AC7`.
fn known_id<'t>(id: &'t str, wanted: &[&'t str]) -> Option<&'t str> {
    let known = wanted.iter().copied().find(|known| known.eq_ignore_ascii_case(id));
    let digits = id.get(2..).filter(|_| id.len() <= 8).unwrap_or_default();
    let is_like = id.get(..2).is_some_and(|two| two.eq_ignore_ascii_case("AC"))
        && !digits.is_empty()
        && digits.bytes().all(|digit| digit.is_ascii_digit());
    known.or_else(|| is_like.then_some(id))
}

fn is_separator(c: char) -> bool {
    c.is_whitespace()
        || matches!(c, ':' | '-' | '*' | '_' | '`' | '=' | '|' | '[' | ']' | '(' | ')')
        || (!c.is_ascii() && !c.is_alphanumeric())
}

/// The tests that stand behind a verdict: those in backticks, else those between commas if each is
/// one, else all of it.
fn tests(rest: &str) -> Vec<String> {
    let quoted: Vec<&str> = rest.split('`').skip(1).step_by(2).map(str::trim).collect();
    let closed = rest.matches('`').count().is_multiple_of(2);
    if closed && quoted.iter().any(|test| is_test(test)) {
        return quoted
            .into_iter()
            .filter(|test| is_test(test))
            .take(MAX_TESTS)
            .map(one_line)
            .collect();
    }
    let rest = rest.trim_matches(is_separator).replace('`', "");
    let parts: Vec<&str> = rest.split([',', ';']).map(str::trim).collect();
    let each = parts.iter().all(|part| part.contains("::") || part.contains('/'));
    let parts = if each { parts } else { vec![rest.as_str()] };
    parts.into_iter().filter(|test| is_test(test)).take(MAX_TESTS).map(one_line).collect()
}

/// Whether words name anything at all.
fn is_test(text: &str) -> bool {
    let nothing = ["none", "n/a", "na", "no test", "manual", "manually", "tbd", "todo"];
    let plain = text.trim_end_matches('.').to_ascii_lowercase();
    text.chars().any(char::is_alphanumeric) && !nothing.contains(&plain.as_str())
}
