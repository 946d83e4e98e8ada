//! Texts with placeholders.
//!
//! A placeholder is `{name}`, where the name is one that windlass knows. What a brace means besides
//! depends on what the text is for:
//!
//! - In a task or a path, `{{` and `}}` write a brace, and any other brace is a mistake.
//! - In a glob, braces with a comma are alternatives: `*.{ts,html}`.
//! - In a command, only `{inputs.x}` is filled, quoted for the shell. `${x}`, `{{x}}` and braces
//!   that hold anything but a name are the shell's own.
//!
//! A goal and an issue's title are anybody's words. Outside of tasks they are filled in as a
//! [`slug`]: what others wrote never decides about a path or a setting.
//!
//! Filling is one pass: what a value contains is never read as a placeholder. `{context.…}` is
//! known only while the run continues, so a plan keeps it, and [`fill_context`] fills it before use.
//! So that a goal which happens to contain `{context.x}` stays what it is, a plan's text doubles
//! literal braces that stand before `context.`; every other brace stands for itself.
//!
//! `{item.…}` is known only when an item comes up. The steps that a `foreach` repeats keep it in
//! the same way until then; see [`fill_item`](super::late::fill_item).

use std::collections::BTreeMap;

use super::Issue;
use super::late::{self, CONTEXT, ITEM, Kept};
use super::shell::Shell;
use super::slug::slug;
use crate::source::name::is_name;
use crate::source::suggest;

pub use super::late::{MissingContext, fill_context};

/// Where `{specs}` points, relative to the place.
pub const SPECS_FOLDER: &str = ".windlass/run/specs";

/// Where `{reports}` points, relative to the place.
pub const REPORTS_FOLDER: &str = ".windlass/run/reports";

/// What a text is for, which decides what a brace in it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Words for an agent.
    Task,
    /// A line for people, such as the title of a pull request.
    Line,
    /// A short word, such as a model.
    Setting,
    /// A path that may come from the context.
    Path,
    /// A path that is known before the run starts.
    FixedPath,
    /// A path that a spoke writes: known before the run starts, or when its item comes up.
    Written,
    /// A glob that may come from the context.
    Glob,
    /// A glob that is known before the run starts.
    FixedGlob,
    /// A shell command.
    Command,
}

impl Role {
    /// What stays in a plan's text of this role until it is known.
    fn late(self, in_item: bool) -> &'static [&'static str] {
        match self {
            Self::Task | Self::Path | Self::Glob if in_item => &late::UNTIL_THE_ITEM,
            Self::Task | Self::Path | Self::Glob => &late::UNTIL_USE,
            Self::FixedGlob | Self::Written if in_item => &late::ITEM_ONLY,
            Self::FixedGlob
            | Self::Written
            | Self::FixedPath
            | Self::Line
            | Self::Setting
            | Self::Command => &[],
        }
    }

    pub(crate) fn is_glob(self) -> bool {
        matches!(self, Self::Glob | Self::FixedGlob)
    }

    pub(crate) fn is_path(self) -> bool {
        matches!(self, Self::Path | Self::FixedPath | Self::Written) || self.is_glob()
    }
}

/// A name that is filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Placeholder {
    Specs,
    Reports,
    Goal,
    IssueNumber,
    IssueTitle,
    Input(String),
    Context(String),
    Item(ItemField),
}

/// A part of an item that a text can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ItemField {
    Id,
    Title,
    Body,
}

impl ItemField {
    pub(crate) const ALL: [(&str, Self); 3] =
        [("id", Self::Id), ("title", Self::Title), ("body", Self::Body)];

    pub(crate) fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, field)| *field)
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Id => "id",
            Self::Title => "title",
            Self::Body => "body",
        }
    }
}

/// The placeholders that are not followed by a name of the user's.
const KNOWN: [&str; 5] = ["specs", "reports", "goal", "issue", "issue.title"];

#[derive(Clone, Debug, PartialEq)]
enum Part {
    Literal(String),
    Placeholder(Placeholder),
}

/// A text whose placeholders are known to be ones that windlass can fill.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Template {
    role: Role,
    parts: Vec<Part>,
}

/// Why a text is no template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BadTemplate {
    pub(crate) message: String,
    pub(crate) help: Option<String>,
}

impl BadTemplate {
    pub(super) fn new(message: impl Into<String>, help: &str) -> Self {
        Self { message: message.into(), help: Some(help.to_owned()) }
    }
}

/// Reads a template from left to right, each character once.
struct Parser<'t> {
    text: &'t str,
    role: Role,
    parts: Vec<Part>,
    /// Alternatives of a glob that are open here.
    open: usize,
    shell: Shell,
}

impl Parser<'_> {
    fn literal(&mut self, text: &str) {
        self.shell.read(text);
        if let Some(Part::Literal(last)) = self.parts.last_mut() {
            last.push_str(text);
        } else if !text.is_empty() {
            self.parts.push(Part::Literal(text.to_owned()));
        }
    }

    /// Reads the brace at `at`, with what belongs to it, and returns how many bytes that were.
    fn brace(&mut self, at: usize) -> Result<usize, BadTemplate> {
        let from = &self.text[at..];
        for (escape, plain, in_glob) in [("{{", "{", "[{]"), ("}}", "}", "[}]")] {
            // Two alternatives that end together, `{a,{b,c}}`, are not an escape.
            if from.starts_with(escape) && self.open == 0 {
                self.literal(if self.role.is_glob() { in_glob } else { plain });
                return Ok(2);
            }
        }
        if let Some(name) = placeholder_name(from) {
            let placeholder = self.placeholder(name)?;
            self.parts.push(Part::Placeholder(placeholder));
            return Ok(name.len() + 2);
        }
        if self.role.is_glob() && (self.open > 0 || has_alternatives(from)) {
            self.open = if from.starts_with('{') { self.open + 1 } else { self.open - 1 };
            self.literal(&from[..1]);
            return Ok(1);
        }
        Err(BadTemplate::new(
            "this brace is not part of a placeholder",
            "write `{{` or `}}` for a brace that means itself",
        ))
    }

    /// Like [`Self::brace`], with the shell's own braces left alone.
    fn command_brace(&mut self, at: usize) -> Result<usize, BadTemplate> {
        let (before, from) = self.text.split_at(at);
        let name = placeholder_name(from).filter(|name| {
            let doubled = before.ends_with('{') && from[name.len() + 2..].starts_with('}');
            !before.ends_with('$') && !doubled
        });
        let Some(name) = name else {
            self.literal(&from[..1]);
            return Ok(1);
        };
        let placeholder = self.placeholder(name)?;
        if !self.shell.takes_a_word() {
            return Err(BadTemplate::new(
                format!("`{{{name}}}` stands where it cannot be quoted"),
                "windlass quotes the value itself: put the placeholder outside quotes, comments \
                 and here-documents",
            ));
        }
        self.parts.push(Part::Placeholder(placeholder));
        Ok(name.len() + 2)
    }

    fn placeholder(&self, name: &str) -> Result<Placeholder, BadTemplate> {
        let placeholder = match name.split_once('.') {
            None if name == "specs" => Placeholder::Specs,
            None if name == "reports" => Placeholder::Reports,
            None if name == "goal" => Placeholder::Goal,
            None if name == "issue" => Placeholder::IssueNumber,
            Some(("issue", "title")) => Placeholder::IssueTitle,
            Some(("inputs", input)) if is_name(input) => Placeholder::Input(input.to_owned()),
            Some(("context", path)) if path.split('.').all(is_name) => {
                Placeholder::Context(path.to_owned())
            }
            Some(("item", field)) => self.item_field(name, field)?,
            None | Some(_) => return Err(unknown(name, self.role)),
        };
        let is_context = matches!(placeholder, Placeholder::Context(_));
        if self.role == Role::Command && !matches!(placeholder, Placeholder::Input(_)) {
            let help = if is_context {
                "give it to the command of a check as a variable, such as `env: {REVIEW: .context.review.status}`"
            } else {
                "make it an input, or let the command find it out"
            };
            let message = format!("`{{{name}}}` cannot be part of a command: only inputs can");
            return Err(BadTemplate::new(message, help));
        }
        if is_context && !self.role.late(false).contains(&CONTEXT) {
            return Err(BadTemplate::new(
                format!("`{{{name}}}` is not known before the run starts"),
                "`{context.…}` works in `task`, `reads`, `publishes`, `file` and `checklist`",
            ));
        }
        Ok(placeholder)
    }

    /// Only ids are safe everywhere: titles and bodies are words of agents and people.
    fn item_field(&self, name: &str, field: &str) -> Result<Placeholder, BadTemplate> {
        let Some(known) = ItemField::parse(field) else {
            let fields = ItemField::ALL.iter().map(|(name, _)| *name);
            let help = suggest::nearest(field, fields).map_or_else(
                || "an item has `{item.id}`, `{item.title}` and `{item.body}`".to_owned(),
                |near| format!("did you mean `{{item.{near}}}`?"),
            );
            let message = format!("unknown placeholder `{{{name}}}`");
            return Err(BadTemplate { message, help: Some(help) });
        };
        match self.role {
            Role::Task => Ok(Placeholder::Item(known)),
            Role::Path | Role::Written | Role::Glob | Role::FixedGlob if known == ItemField::Id => {
                Ok(Placeholder::Item(known))
            }
            Role::Path | Role::Written | Role::Glob | Role::FixedGlob => Err(BadTemplate::new(
                format!("`{{{name}}}` cannot be part of a path"),
                "`{item.id}` can: it has only letters, digits, `-` and `_`",
            )),
            Role::Command => Err(BadTemplate::new(
                format!("`{{{name}}}` cannot be part of a command: only inputs can"),
                "give it to the command of a check as a variable: `env: {ITEM: .item.id, TITLE: .item.title}`",
            )),
            Role::Line | Role::Setting | Role::FixedPath => Err(BadTemplate::new(
                format!("`{{{name}}}` is not known before its item comes up"),
                "`{item.…}` works in `task`, `reads`, `publishes`, `may_write`, `writes`, `file` and \
                 `diff`",
            )),
        }
    }
}

impl Template {
    /// Reads `text`; whether its inputs exist is the caller's question.
    pub(crate) fn parse(text: &str, role: Role) -> Result<Self, BadTemplate> {
        let shell = Shell::default();
        let mut parser = Parser { text, role, parts: Vec::new(), open: 0, shell };
        let mut at = 0;
        while let Some(plain) = text[at..].find(['{', '}']) {
            parser.literal(&text[at..at + plain]);
            at += plain;
            at += match role {
                Role::Command => parser.command_brace(at)?,
                Role::Task
                | Role::Line
                | Role::Setting
                | Role::Path
                | Role::FixedPath
                | Role::Written
                | Role::Glob
                | Role::FixedGlob => parser.brace(at)?,
            };
        }
        parser.literal(&text[at..]);
        Ok(Self { role, parts: parser.parts })
    }

    pub(crate) fn role(&self) -> Role {
        self.role
    }

    /// Returns the same path where the context is filled in later: braces that are meant stay.
    pub(crate) fn used_late(&self) -> Self {
        Self { role: Role::Path, parts: self.parts.clone() }
    }

    /// Returns the placeholders in order.
    pub(crate) fn placeholders(&self) -> impl Iterator<Item = &Placeholder> {
        self.parts.iter().filter_map(|part| match part {
            Part::Placeholder(placeholder) => Some(placeholder),
            Part::Literal(_) => None,
        })
    }

    /// Returns the text if it is the same in every run.
    pub(crate) fn fixed(&self) -> Option<String> {
        let is_fixed =
            |place: &Placeholder| matches!(place, Placeholder::Specs | Placeholder::Reports);
        self.placeholders().all(is_fixed).then(|| self.skeleton())
    }

    /// Returns the text with a harmless word for every placeholder, to be checked as a path.
    pub(crate) fn skeleton(&self) -> String {
        self.parts
            .iter()
            .map(|part| match part {
                Part::Literal(text) => text.as_str(),
                Part::Placeholder(Placeholder::Specs) => SPECS_FOLDER,
                Part::Placeholder(Placeholder::Reports) => REPORTS_FOLDER,
                Part::Placeholder(
                    Placeholder::Goal
                    | Placeholder::IssueNumber
                    | Placeholder::IssueTitle
                    | Placeholder::Input(_)
                    | Placeholder::Context(_)
                    | Placeholder::Item(_),
                ) => "x",
            })
            .collect()
    }

    /// Fills in everything but the context and the item.
    pub(crate) fn fill(&self, values: &Values<'_>) -> Result<String, FillError> {
        let mut filled = Kept::new(self.role.late(values.in_item));
        for part in &self.parts {
            match part {
                Part::Literal(text) => filled.literal.push_str(text),
                Part::Placeholder(Placeholder::Context(path)) => filled.keep(CONTEXT, path),
                Part::Placeholder(Placeholder::Item(field)) => filled.keep(ITEM, field.name()),
                Part::Placeholder(placeholder) => {
                    let mut value = values.get(placeholder)?;
                    let of_others =
                        matches!(placeholder, Placeholder::Goal | Placeholder::IssueTitle);
                    let for_readers = matches!(self.role, Role::Task | Role::Line);
                    if of_others && !for_readers {
                        value = slug(&value);
                    } else if self.role == Role::Task && values.is_from_tracker(&value) {
                        value = quoted(&value);
                    }
                    if self.role == Role::Command {
                        let word = shlex::try_quote(&value).map_err(|_| FillError::Nul)?;
                        filled.literal.push_str(&word);
                    } else {
                        filled.literal.push_str(&value);
                    }
                }
            }
        }
        Ok(filled.finish())
    }
}

/// What placeholders are filled with.
pub(crate) struct Values<'r> {
    pub(crate) goal: &'r str,
    pub(crate) issue: Option<&'r Issue>,
    pub(crate) inputs: &'r BTreeMap<String, serde_json::Value>,
    /// Whether the text belongs to a step that is repeated for every item.
    pub(crate) in_item: bool,
}

/// Why a template cannot be filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FillError {
    /// The issue is used, and the run has none.
    NoIssue,
    /// A value with a NUL byte cannot be part of a command.
    Nul,
}

impl Values<'_> {
    /// Whether a text is in the words of whoever wrote the issue, and not in the user's.
    fn is_from_tracker(&self, value: &str) -> bool {
        self.issue.is_some_and(|issue| value == issue.goal() || value == issue.title)
    }

    fn get(&self, placeholder: &Placeholder) -> Result<String, FillError> {
        let issue = || self.issue.ok_or(FillError::NoIssue);
        Ok(match placeholder {
            Placeholder::Specs => SPECS_FOLDER.to_owned(),
            Placeholder::Reports => REPORTS_FOLDER.to_owned(),
            Placeholder::Goal => self.goal.to_owned(),
            Placeholder::IssueNumber => issue()?.number.to_string(),
            // An issue of which only the number is known is what the goal says.
            Placeholder::IssueTitle if issue()?.title.is_empty() => self.goal.to_owned(),
            Placeholder::IssueTitle => issue()?.title.clone(),
            // Names were checked against the declared inputs, and each of those has a value.
            Placeholder::Input(name) => self.inputs.get(name).map(value_text).unwrap_or_default(),
            Placeholder::Context(path) => format!("{{{CONTEXT}{path}}}"),
            Placeholder::Item(field) => format!("{{{ITEM}{}}}", field.name()),
        })
    }
}

/// Marks words of others in a task: they say what is wanted, and instruct nobody.
fn quoted(words: &str) -> String {
    let line = words.split_whitespace().collect::<Vec<_>>().join(" ").replace('"', "'");
    format!("\"{line}\" (a title from the tracker, in the words of others)")
}

/// Returns a value as it stands in a text.
pub(super) fn value_text(value: &serde_json::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn unknown(name: &str, role: Role) -> BadTemplate {
    let help = if role == Role::Command && !name.starts_with("input") {
        "in a command only `{inputs.…}` is filled in; for a brace of the command's own write a blank \
         inside it, as in `{ print }`"
            .to_owned()
    } else if name == "item" {
        "an item has `{item.id}`, `{item.title}` and `{item.body}`".to_owned()
    } else if let Some(input) = name.strip_prefix("input.") {
        format!("did you mean `{{inputs.{input}}}`?")
    } else if let Some(known) = suggest::nearest(name, KNOWN.into_iter()) {
        format!("did you mean `{{{known}}}`?")
    } else {
        "known are `{goal}`, `{issue}`, `{issue.title}`, `{specs}`, `{reports}`, `{inputs.…}`, \
         `{context.…}` and `{item.…}`; write `{{` for a brace"
            .to_owned()
    };
    BadTemplate { message: format!("unknown placeholder `{{{name}}}`"), help: Some(help) }
}

/// Returns the name when `from` begins with `{name}`.
fn placeholder_name(from: &str) -> Option<&str> {
    let inner = from.strip_prefix('{')?;
    let end = inner.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.'))?;
    let name = &inner[..end];
    let fits = name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_');
    (fits && inner[end..].starts_with('}')).then_some(name)
}

/// Returns whether the brace that `from` begins with closes after a comma of its own.
fn has_alternatives(from: &str) -> bool {
    let mut depth = 0usize;
    let mut comma = false;
    for c in from.chars() {
        match c {
            '{' => depth += 1,
            '}' if depth <= 1 => return depth == 1 && comma,
            '}' => depth -= 1,
            ',' if depth == 1 => comma = true,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn filled(text: &str, role: Role) -> String {
        let inputs = BTreeMap::from([
            ("n".to_owned(), json!(70)),
            ("words".to_owned(), json!("it's $(here)")),
            ("tricky".to_owned(), json!("{goal} {{context.a}} {context.a}")),
        ]);
        let issue = Issue { number: 7, title: "Seven\n{goal}".to_owned(), ..Issue::default() };
        let values =
            Values { goal: "a {inputs.n}", issue: Some(&issue), inputs: &inputs, in_item: false };
        Template::parse(text, role).unwrap().fill(&values).unwrap()
    }

    fn refused(text: &str, role: Role) -> String {
        Template::parse(text, role).unwrap_err().message
    }

    #[test]
    fn placeholders_are_filled_in_one_pass() {
        assert_eq!(
            filled("{specs}/issue-{issue}.md", Role::Path),
            ".windlass/run/specs/issue-7.md"
        );
        assert_eq!(filled("{goal}: {inputs.n}", Role::Task), "a {inputs.n}: 70");
        assert_eq!(filled("{issue.title}", Role::Line), "Seven\n{goal}");
        assert_eq!(filled("{{goal}} {{}}", Role::Task), "{goal} {}");
    }

    #[test]
    fn words_of_others_are_marked_in_a_task_and_harmless_elsewhere() {
        let marked = "\"Seven {goal}\" (a title from the tracker, in the words of others)";
        assert_eq!(filled("{issue.title}", Role::Task), marked);
        assert_eq!(filled("{issue.title}", Role::Setting), "seven-goal");
    }

    #[test]
    fn context_is_kept_and_values_that_look_like_it_stay_what_they_are() {
        let context = json!({"a": "A", "b": {"c": 3}});
        for (text, expected) in [
            ("{context.a} {context.b.c}", "A 3"),
            ("{inputs.tricky}", "{goal} {{context.a}} {context.a}"),
            ("{{context.a}}", "{context.a}"),
            ("{{{context.a}}}", "{A}"),
            ("{{{{{context.a}", "{{A"),
            ("{{context. and context.a", "{context. and context.a"),
            ("{inputs.tricky}{context.a}", "{goal} {{context.a}} {context.a}A"),
        ] {
            let planned = filled(text, Role::Task);
            assert_eq!(fill_context(&planned, &context).unwrap(), expected, "{text}: {planned}");
        }
    }

    #[test]
    fn a_key_that_nobody_published_is_named() {
        let error = fill_context("x {context.a.b}", &json!({"a": {}})).unwrap_err();
        assert_eq!(error.path, "a.b");
        assert!(fill_context("{context.a}", &json!({"a": {}})).is_err());
        assert_eq!(fill_context("{context.a.b}", &json!({"a.b": true})).unwrap(), "true");
    }

    #[test]
    fn globs_keep_their_alternatives() {
        for glob in ["**/*.{ts,html}", "{a,{b,c}}/*", "x{,.md}"] {
            assert_eq!(filled(glob, Role::Glob), glob);
        }
        assert_eq!(filled("{a,{inputs.n}}.txt", Role::Glob), "{a,70}.txt");
        assert_eq!(filled("{{a}}", Role::Glob), "[{]a[}]");
        assert_eq!(refused("*.{ts}", Role::Glob), "unknown placeholder `{ts}`");
        assert_eq!(refused("*.{TS}", Role::Glob), "this brace is not part of a placeholder");
        assert_eq!(refused("{a,b", Role::Glob), "this brace is not part of a placeholder");
    }

    #[test]
    fn commands_get_quoted_inputs_and_keep_the_shells_braces() {
        assert_eq!(filled("t {inputs.words}", Role::Command), "t \"it's \"'$(here)'");
        for own in
            ["echo ${x}", "f() { ls; }", "awk '{print $1}'", "x {} \\;", "f '{{x}}'", "{a,b}"]
        {
            assert_eq!(filled(own, Role::Command), own);
        }
    }

    #[test]
    fn commands_refuse_everything_but_inputs() {
        for name in ["goal", "issue", "issue.title", "context.a", "specs"] {
            let message = refused(&format!("echo {{{name}}}"), Role::Command);
            assert_eq!(
                message,
                format!("`{{{name}}}` cannot be part of a command: only inputs can")
            );
        }
        assert_eq!(refused("echo {input.n}", Role::Command), "unknown placeholder `{input.n}`");
    }

    #[test]
    fn a_placeholder_in_a_command_stands_where_it_can_be_quoted() {
        for text in [
            "echo \"{inputs.n}\"",
            "echo '{inputs.n}'",
            "echo `x {inputs.n}`",
            "echo \\{inputs.n}",
            "true # {inputs.n}",
            "cat <<EOF\n{inputs.n}\nEOF",
        ] {
            assert_eq!(
                refused(text, Role::Command),
                "`{inputs.n}` stands where it cannot be quoted"
            );
        }
        assert_eq!(filled("a 'b' \"c\" {inputs.n}", Role::Command), "a 'b' \"c\" 70");
    }
}
