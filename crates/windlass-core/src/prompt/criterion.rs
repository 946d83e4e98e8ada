//! A criterion in words.

use std::fmt::Write as _;

use super::text::one_line;
use crate::plan::{CheckKind, Criterion, template};

/// Writes one line per check, indented by depth.
pub(super) fn describe_criterion(
    criterion: &Criterion,
    context: &serde_json::Value,
    depth: usize,
    into: &mut String,
) {
    let indent = "  ".repeat(depth.min(8));
    let mut group = |words: &str, parts: &[Criterion]| {
        if depth > 0 || words != "all of:" {
            let _ = writeln!(into, "{indent}- {words}");
        }
        let deeper = if depth == 0 && words == "all of:" { 0 } else { depth + 1 };
        for part in parts {
            describe_criterion(part, context, deeper, into);
        }
    };
    match criterion {
        Criterion::All(parts) => group("all of:", parts),
        Criterion::Any(parts) => group("any of:", parts),
        Criterion::Not(part) => group("not:", std::slice::from_ref(part)),
        Criterion::Check(check) => {
            let words = describe_check(&check.kind, context);
            let _ = writeln!(into, "{indent}- {}", one_line(&words, 240));
        }
    }
}

fn describe_check(check: &CheckKind, context: &serde_json::Value) -> String {
    match check {
        CheckKind::File { glob, stale_ok, min_bytes, contains } => {
            let glob = template::fill_context(glob, context).unwrap_or_else(|_| glob.clone());
            let mut words = format!("the file `{glob}` is there");
            if !stale_ok {
                words.push_str(" and its content is new or changed in this step");
            }
            if let Some(bytes) = min_bytes {
                let _ = write!(words, ", at least {bytes} bytes");
            }
            if let Some(contains) = contains {
                let _ = write!(words, ", containing `{contains}`");
            }
            words
        }
        CheckKind::Run { command, folder, .. } => match folder {
            Some(folder) => format!("`{command}` exits with 0 in `{folder}` of a clean checkout"),
            None => format!("`{command}` exits with 0 in a clean checkout"),
        },
        CheckKind::Diff { only, never, max_lines } => {
            let mut words = "something changed".to_owned();
            if !only.is_empty() {
                let _ = write!(words, ", only inside {}", only.join(", "));
            }
            if !never.is_empty() {
                let _ = write!(words, ", nothing of {}", never.join(", "));
            }
            if let Some(lines) = max_lines {
                let _ = write!(words, ", at most {lines} lines");
            }
            words
        }
        CheckKind::State { expr } => format!("`{expr}` is true"),
        CheckKind::Verdict { expr, accept, .. } => {
            format!("the verdict `{expr}` is {}", accept.join(" or "))
        }
    }
}
