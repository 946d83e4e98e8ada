//! What a person's command asks to start: which workflow, and with what.

use std::path::{Component, Path};

use windlass_core::story::is_story_id;

use crate::error::CommandError;

/// The workflow behind `/windlass:workflow`.
const AUTONOMOUS: &str = "autonomous";

/// The workflow behind `/windlass:implement`.
const STORY: &str = "story";

/// The workflow behind `/windlass:review`, and its input that names the files, one per line.
const REVIEW: &str = "review";
const FILES: &str = "files";

/// A run that a person asks for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Wish {
    /// The workflow by name; none for the default one.
    pub(super) workflow: Option<String>,
    /// The arguments of `windlass run` besides it.
    pub(super) arguments: Vec<String>,
    /// The story that is to be built alone, by its id.
    pub(super) story: Option<String>,
}

/// Reads a command of the plugin that starts something. A name that is none of its own is a workflow.
pub(super) fn wish(command: &str, words: &str, top_level: &Path) -> Result<Wish, CommandError> {
    let of = |workflow: Option<&str>, arguments| Wish {
        workflow: workflow.map(str::to_owned),
        arguments,
        story: None,
    };
    match command {
        "run" => Ok(of(None, as_arguments(command, words)?)),
        "workflow" => Ok(of(Some(AUTONOMOUS), as_arguments(command, words)?)),
        "implement" => Ok(Wish { story: Some(story_id(words)?), ..of(Some(STORY), Vec::new()) }),
        "review" => Ok(of(Some(REVIEW), files_as_arguments(words, top_level)?)),
        workflow => Ok(of(Some(workflow), as_arguments(command, words)?)),
    }
}

/// Reads an issue's number, options, or a goal.
fn as_arguments(command: &str, words: &str) -> Result<Vec<String>, CommandError> {
    let words = words.trim();
    let number = words.strip_prefix('#').unwrap_or(words);
    if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(vec!["--issue".to_owned(), number.to_owned()]);
    }
    if words.starts_with("--") || words.contains(" --") {
        // What follows ` -- ` is the goal, word for word.
        let (options, goal) = match words.split_once(" -- ") {
            Some((options, goal)) => (options, Some(goal.trim().to_owned())),
            None => (words, None),
        };
        let goal = goal.into_iter().flat_map(|goal| ["--".to_owned(), goal]);
        return Ok(split(options)?.into_iter().chain(goal).collect());
    }
    if words.is_empty() {
        return Err(CommandError::usage("a run needs an issue's number or a goal").hint(format!(
            "`/windlass:{command} 42`, or `/windlass:{command} Add a health endpoint`"
        )));
    }
    // As an own argument behind `--`, so that no goal is taken for an option.
    Ok(vec!["--".to_owned(), words.to_owned()])
}

/// Reads the files that are to be reviewed, relative to the repository.
fn files_as_arguments(words: &str, top_level: &Path) -> Result<Vec<String>, CommandError> {
    let files = split(words)?;
    if files.is_empty() {
        return Err(CommandError::usage("a review needs files")
            .hint("`/windlass:review src/login.rs src/session.rs`"));
    }
    for file in &files {
        let path = Path::new(file);
        let inside = path.components().all(|part| matches!(part, Component::Normal(_)));
        // A line break in a name would make two of it.
        if !inside || file.contains(['\n', '\r']) || !top_level.join(path).is_file() {
            return Err(CommandError::usage(format!("`{file}` is not a file of this repository"))
                .hint("name files relative to the repository, in quotes where they have blanks"));
        }
    }
    let goal = format!("Review {}", files.join(", "));
    Ok(["--input".to_owned(), format!("{FILES}={}", files.join("\n")), "--".to_owned(), goal]
        .into())
}

/// Reads the id of the story that is to be built alone.
fn story_id(words: &str) -> Result<String, CommandError> {
    let id = words.trim();
    if is_story_id(id) {
        return Ok(id.to_owned());
    }
    Err(CommandError::usage("a story is named by its id")
        .hint("`/windlass:implement S2`; `windlass story list` shows the stories of a run"))
}

fn split(words: &str) -> Result<Vec<String>, CommandError> {
    shlex::split(words).ok_or_else(|| CommandError::usage(format!("`{words}` is not understood")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(command: &str, words: &str) -> Wish {
        wish(command, words, Path::new("/nowhere")).unwrap()
    }

    #[test]
    fn a_command_names_its_workflow() {
        for (command, workflow) in [
            ("run", None),
            ("workflow", Some("autonomous")),
            ("feature", Some("feature")),
            ("mine", Some("mine")),
        ] {
            assert_eq!(read(command, "Do it").workflow.as_deref(), workflow, "{command}");
        }
    }

    #[test]
    fn a_story_alone_is_named_by_its_id() {
        let given = read("implement", " S2 ");
        assert_eq!(
            (given.workflow.as_deref(), given.story.as_deref()),
            (Some("story"), Some("S2"))
        );
        for wrong in ["", "the login", "S2 S3", "--yes"] {
            assert!(wish("implement", wrong, Path::new("/nowhere")).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_number_is_an_issue_and_anything_else_a_goal() {
        assert_eq!(read("workflow", "#42").arguments, ["--issue", "42"]);
        assert_eq!(read("workflow", "Do -x to 42").arguments, ["--", "Do -x to 42"]);
        let given = read("workflow", "--input clarify=false -- Let --help help").arguments;
        assert_eq!(given, ["--input", "clarify=false", "--", "Let --help help"]);
    }

    #[test]
    fn files_of_a_review_are_there_and_inside() {
        let folder = tempfile::tempdir().unwrap();
        fs_err::write(folder.path().join("a b.rs"), "").unwrap();
        fs_err::write(folder.path().join("c.rs"), "").unwrap();
        let given = wish("review", "'a b.rs' c.rs", folder.path()).unwrap();
        assert_eq!(given.workflow.as_deref(), Some("review"));
        assert_eq!(given.arguments, ["--input", "files=a b.rs\nc.rs", "--", "Review a b.rs, c.rs"]);
        for outside in ["", "gone.rs", "../c.rs", "/etc/passwd", ".", "--yes", "'c.rs"] {
            assert!(wish("review", outside, folder.path()).is_err(), "{outside}");
        }
    }
}
