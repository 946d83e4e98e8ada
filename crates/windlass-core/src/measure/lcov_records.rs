//! lcov: one record per line of text.

use std::sync::Arc;

use lcov::Record;

use super::coverage::{Gathered, ReportedFile, ReportedName, WANTED};
use super::unreadable::Unreadable;
use super::wording::one_line;

/// Reads the files and lines of an lcov file.
pub(super) fn read(text: &str) -> Result<Vec<ReportedFile>, Unreadable> {
    let mut gathered = Gathered::default();
    let mut file: Option<ReportedName> = None;
    let mut known = false;
    for (number, line) in text.lines().enumerate() {
        let line = line.trim_end();
        let broken = |why: String| Unreadable::Record { line: number + 1, why };
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        // Newer tools write kinds of records that the parser does not know. They say nothing about
        // lines, so only what does is parsed; but everything has the form of a record.
        if !is_record(line) {
            let found = one_line(line, 40);
            return Err(match known {
                true => broken(format!("`{found}` is not a record")),
                false => Unreadable::Other { wanted: WANTED, found },
            });
        }
        known = true;
        if !["SF:", "DA:", "end_of_record"].iter().any(|kind| line.starts_with(kind)) {
            continue;
        }
        match line.parse::<Record>().map_err(|error| broken(error.to_string()))? {
            Record::SourceFile { path } => {
                let path = path.to_string_lossy().into_owned();
                file = Some(ReportedName::Path { path, roots: Arc::default() });
            }
            Record::LineData { line, count, .. } => match &file {
                Some(file) => gathered.line(file, line, count > 0),
                None => return Err(broken("`DA` before any `SF`".to_owned())),
            },
            Record::EndOfRecord => file = None,
            Record::TestName { .. }
            | Record::FunctionName { .. }
            | Record::FunctionData { .. }
            | Record::FunctionsFound { .. }
            | Record::FunctionsHit { .. }
            | Record::BranchData { .. }
            | Record::BranchesFound { .. }
            | Record::BranchesHit { .. }
            | Record::LinesFound { .. }
            | Record::LinesHit { .. } => {}
        }
    }
    match file {
        Some(_) => Err(Unreadable::CutOff { inside: "SF".to_owned() }),
        None => Ok(gathered.finish()),
    }
}

/// Whether a line is `KIND:…` or the end of a section.
fn is_record(line: &str) -> bool {
    let kind = line.split(':').next().unwrap_or_default();
    let upper = |kind: &str| kind.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
    line == "end_of_record" || (line.len() > kind.len() && !kind.is_empty() && upper(kind))
}
