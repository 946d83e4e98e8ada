//! Documents of people: read within a bound, refused with file and line.

use std::path::Path;

use windlass_core::markdown::MAX_DOCUMENT_BYTES;
use windlass_core::workflow::{Diagnostic, Severity};

use crate::commands::render_diagnostic;
use crate::error::CommandError;
use crate::output::{Output, note};

/// Reads a document; `shown` is what messages call it.
pub(crate) fn read(path: &Path, shown: &str) -> Result<Vec<u8>, CommandError> {
    let refused = |why: String| {
        CommandError::usage(format!("`{shown}` cannot be read: {why}"))
            .hint("name a Markdown file; nothing was written")
    };
    let data = fs_err::metadata(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => refused("there is no such file".to_owned()),
        _ => refused(error.to_string()),
    })?;
    if !data.is_file() {
        return Err(refused("it is no file".to_owned()));
    }
    if data.len() > MAX_DOCUMENT_BYTES as u64 {
        return Err(too_large(shown));
    }
    fs_err::read(path).map_err(|error| refused(error.to_string()))
}

pub(crate) fn too_large(shown: &str) -> CommandError {
    CommandError::usage(format!("`{shown}` has more than {} MiB", MAX_DOCUMENT_BYTES >> 20))
        .hint("split the document, or take out what a tool wrote into it; nothing was written")
}

/// Returns the text of a document.
pub(crate) fn text<'b>(bytes: &'b [u8], shown: &str) -> Result<&'b str, CommandError> {
    std::str::from_utf8(bytes).map_err(|error| {
        let before = &bytes[..error.valid_up_to()];
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        CommandError::usage(format!(
            "{shown}:{line}: byte {} of the file is not UTF-8",
            error.valid_up_to()
        ))
        .hint("save the file as UTF-8; nothing was written")
    })
}

/// Prints what is wrong with a document, and returns the error that ends the command.
pub(crate) fn refused(
    shown: &str,
    source: &[u8],
    findings: &[Diagnostic],
    output: &Output,
) -> CommandError {
    for finding in findings {
        // Whoever knows only the line has no spot to mark.
        let source = if finding.offset == 0 && finding.line > 1 { &[] } else { source };
        note(render_diagnostic(finding, source).trim_end());
    }
    let errors = findings.iter().filter(|finding| finding.severity == Severity::Error).count();
    let count = match errors {
        1 => "1 mistake".to_owned(),
        count => format!("{count} mistakes"),
    };
    let error = CommandError::usage(format!("`{shown}` has {count}"));
    if output.is_json() {
        // The object of an error has no room for places: hints carry them, one each.
        return findings.iter().fold(error, |error, finding| error.hint(finding.to_string()));
    }
    error
}
