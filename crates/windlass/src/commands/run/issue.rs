//! What a run is for: the goal in the user's words, and the issue in the words of others.
//!
//! The text of an issue is data. It is bounded and made harmless to look at here, and from here on
//! it only ever stands in a prompt, between marks.

use std::io::Read as _;

use windlass_core::plan::Issue;
use windlass_core::view::{Lines, beginning, printable};
use windlass_engine::forge::{ForgeError, Gh, GhState, IssueText, Remote};
use windlass_engine::git::UserRepository;

use crate::cli::RunArguments;
use crate::error::CommandError;
use crate::output::Output;

/// The longest description that is kept; GitHub takes no longer one.
const MAX_BODY_BYTES: usize = 64 * 1024;

/// GitHub's longest title has 256 characters.
const MAX_TITLE_CHARACTERS: usize = 256;

const MAX_LABELS: usize = 20;
const MAX_LABEL_CHARACTERS: usize = 50;
const MAX_URL_BYTES: usize = 500;

/// The largest file that is read as the text of an issue.
const MAX_FILE_BYTES: u64 = 1024 * 1024;

/// What a run is for.
pub(super) struct Purpose {
    pub(super) goal: String,
    pub(super) issue: Option<Issue>,
}

/// Finds out what the run is for: from the command line, a file, or the tracker.
pub(super) fn purpose(
    arguments: &RunArguments,
    user: &UserRepository,
    output: &Output,
) -> Result<Purpose, CommandError> {
    if arguments.goal.as_ref().is_some_and(|goal| goal.trim().is_empty()) {
        return Err(CommandError::usage("the goal is empty").hint("say what the run is for"));
    }
    let goal = arguments.goal.clone();
    let given = given(arguments)?;
    let Some(number) = arguments.issue else {
        let goal = match given {
            Some(text) => whole_goal(goal, &text),
            None => goal.ok_or_else(nothing_to_do)?,
        };
        return Ok(Purpose { goal, issue: None });
    };
    let text = match given {
        Some(text) => IssueText { number, ..text },
        None => read(number, user, goal.as_deref(), output)?,
    };
    let issue = kept(&text);
    Ok(Purpose { goal: goal.unwrap_or_else(|| issue.goal()), issue: Some(issue) })
}

fn nothing_to_do() -> CommandError {
    CommandError::usage("the run has no goal")
        .hint("say what it is for: `windlass run GOAL`, `--issue N`, or `--file FILE`")
}

/// The text that stands on the command line or in a file; none when neither does.
fn given(arguments: &RunArguments) -> Result<Option<IssueText>, CommandError> {
    if arguments.title.is_none() && arguments.body.is_none() && arguments.file.is_none() {
        return Ok(None);
    }
    let mut text = IssueText {
        title: arguments.title.clone().unwrap_or_default(),
        body: arguments.body.clone().unwrap_or_default(),
        ..IssueText::default()
    };
    if let Some(file) = &arguments.file {
        text.body = read_file(file)?;
    }
    if text.title.trim().is_empty() && arguments.goal.is_none() {
        // As in a commit: the first line says it in short.
        let body = text.body.trim_start().to_owned();
        let (first, rest) = body.split_once('\n').unwrap_or((&body, ""));
        text.title = first.trim_start_matches('#').trim().to_owned();
        text.body = rest.trim_start_matches(['\r', '\n']).to_owned();
    }
    if text.title.trim().is_empty() && text.body.trim().is_empty() && arguments.goal.is_none() {
        return Err(CommandError::usage("the text of the issue is empty")
            .hint("give it a `--title`, or say what the run is for: `windlass run GOAL`"));
    }
    Ok(Some(text))
}

/// Without a number there is no issue: what was given is what the user wants.
fn whole_goal(goal: Option<String>, text: &IssueText) -> String {
    let kept = kept(text);
    let parts = [goal.unwrap_or_default(), kept.title, kept.body];
    let parts: Vec<&str> = parts.iter().map(|part| part.trim()).filter(|p| !p.is_empty()).collect();
    parts.join("\n\n")
}

fn read_file(file: &str) -> Result<String, CommandError> {
    let failed = |error: std::io::Error| CommandError::usage(format!("`--file {file}`: {error}"));
    let mut bytes = Vec::new();
    if file == "-" {
        std::io::stdin().take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    } else {
        let opened = fs_err::File::open(file).map_err(failed)?;
        opened.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    }
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(CommandError::usage(format!(
            "`--file {file}` has more than {MAX_FILE_BYTES} bytes"
        )));
    }
    String::from_utf8(bytes)
        .map_err(|_| CommandError::usage(format!("`--file {file}` is not UTF-8 text")))
}

/// Reads the issue through `gh`. With a goal in the user's own words the run can do without.
fn read(
    number: u64,
    user: &UserRepository,
    goal: Option<&str>,
    output: &Output,
) -> Result<IssueText, CommandError> {
    let remote = Remote::of(user, None).ok();
    let gh = Gh::of(user, remote.as_ref());
    let error = match gh.state()? {
        GhState::Ready { .. } => match gh.issue(number) {
            Ok(text) => {
                if text.state == "CLOSED" {
                    output.remark(&format!("issue {number} is closed in the tracker"));
                }
                return Ok(text);
            }
            Err(error) => error,
        },
        GhState::Absent => ForgeError::NoGh,
        GhState::NotSignedIn { hint } => ForgeError::NotSignedIn { said: hint },
    };
    let without = matches!(
        error,
        ForgeError::NoGh | ForgeError::NotSignedIn { .. } | ForgeError::NoRepository { .. }
    );
    if goal.is_none() || !without {
        let by_hand = !matches!(
            error,
            ForgeError::NoGh | ForgeError::NotSignedIn { .. } | ForgeError::UnknownIssue { .. }
        );
        let error = CommandError::from(error);
        return Err(if by_hand {
            error.hint("the run can do without `gh`: give the text with `--title` and `--file`")
        } else {
            error
        });
    }
    output.remark(&format!("the text of issue {number} is not read: {error}"));
    Ok(IssueText { number, ..IssueText::default() })
}

/// Bounds the text and takes out of it what a terminal or a reader's eye would obey.
fn kept(text: &IssueText) -> Issue {
    let body = printable(&text.body.replace("\r\n", "\n"), Lines::Many);
    let body = match beginning(body.trim_end(), MAX_BODY_BYTES) {
        (whole, 0) => whole.to_owned(),
        (start, left_out) => format!("{start}\n\n[{left_out} more bytes are left out here.]"),
    };
    let web = |url: &&String| {
        (url.starts_with("https://") || url.starts_with("http://"))
            && url.len() <= MAX_URL_BYTES
            && url.chars().all(|c| c.is_ascii_graphic() && !"<>\"'`".contains(c))
    };
    let labels = text.labels.iter().take(MAX_LABELS);
    Issue {
        number: text.number,
        title: title(&text.title),
        url: Some(&text.url).filter(web).cloned(),
        body,
        labels: labels.map(|label| one_line(label, MAX_LABEL_CHARACTERS)).collect(),
    }
}

fn title(text: &str) -> String {
    one_line(text, MAX_TITLE_CHARACTERS)
}

fn one_line(text: &str, max: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = printable(&line, Lines::One);
    match line.char_indices().nth(max) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_others_is_bounded_and_harmless_to_look_at() {
        let issue = kept(&IssueText {
            number: 42,
            title: format!("a\n\u{1b}[31m\u{202e}{}", "x".repeat(10_000)),
            body: format!("b\r\n\u{7}{}", "ä".repeat(100_000)),
            url: "javascript:alert(1)".to_owned(),
            labels: vec!["l\n".repeat(500); 100],
            state: "OPEN".to_owned(),
        });
        assert!(issue.title.starts_with("a \\x1b[31m\\u{202e}x"), "{}", issue.title);
        assert_eq!(issue.title.chars().count(), MAX_TITLE_CHARACTERS + 1);
        assert!(issue.body.starts_with("b\n\\x07ä") && issue.body.len() < MAX_BODY_BYTES + 60);
        assert!(issue.body.ends_with("more bytes are left out here.]"));
        assert_eq!((issue.url, issue.labels.len()), (None, MAX_LABELS));
    }
}
