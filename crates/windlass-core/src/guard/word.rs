//! Words of a shell command, expanded as far as the text alone tells.
//!
//! What cannot be known stands in the result as one of the marks below; they are characters for
//! private use, so a text that brings its own is only less known than it could be.

use brush_parser::word::{
    Parameter, ParameterExpr, ParameterTransformOp, SpecialParameter, TildeExpr, WordPiece,
    WordPieceWithSource,
};

use super::parse;
use super::shell::{Walk, is_commands};
use super::value::{braces, cut, replaced, substring, unescaped};

/// A value that the command itself computes, in a way that is not followed.
pub(super) const COMPUTED: char = '\u{E000}';
/// A variable that the command does not set.
pub(super) const ENVIRONMENT: char = '\u{E001}';
/// What a plain tool prints, or what a file holds.
pub(super) const TOLD: char = '\u{E002}';
/// Before the output of a process substitution, where a shell would give a file.
pub(super) const PROCESS: char = '\u{E003}';

/// A longer word counts as unknown.
const MAX_FIELD_BYTES: usize = 256 << 10;

pub(super) fn is_known(text: &str) -> bool {
    !text.contains([COMPUTED, ENVIRONMENT, TOLD, PROCESS])
}

/// Fields that a word becomes: quoted parts join, unquoted values split.
#[derive(Default)]
struct Fields {
    done: Vec<String>,
    now: Option<String>,
}

impl Fields {
    fn add(&mut self, text: &str) {
        let now = self.now.get_or_insert_default();
        now.push_str(text);
        // A long value, written many times, would fill the memory.
        if now.len() > MAX_FIELD_BYTES {
            *now = COMPUTED.to_string();
        }
    }

    fn end(&mut self) {
        self.done.extend(self.now.take());
    }

    /// A value without quotes around it.
    fn split(&mut self, value: &str, separates: &dyn Fn(char) -> bool) {
        if value.starts_with(separates) {
            self.end();
        }
        let mut first = true;
        for part in value.split(separates).filter(|part| !part.is_empty()) {
            if !first {
                self.end();
            }
            first = false;
            self.add(part);
        }
        if !first && value.ends_with(separates) {
            self.end();
        }
    }
}

impl Walk<'_> {
    /// Expands a word into the fields that a command would be given.
    pub(super) fn fields(&mut self, raw: &str) -> Vec<String> {
        self.salvage_case(raw);
        let mut fields = Fields::default();
        for word in braces(raw) {
            match parse::word(&word) {
                Ok(pieces) => self.pieces(&pieces, Quoted::No, &mut fields),
                Err(parse::Unreadable) => {
                    self.unreadable(&word);
                    fields.add(&COMPUTED.to_string());
                }
            }
            fields.end();
        }
        fields.done
    }

    /// Expands a word that stays one: an assigned value, a target, a here-string.
    pub(super) fn value(&mut self, raw: &str) -> String {
        self.salvage_case(raw);
        match parse::word(raw) {
            Ok(pieces) => self.joined(&pieces),
            Err(parse::Unreadable) => {
                self.unreadable(raw);
                COMPUTED.to_string()
            }
        }
    }

    pub(super) fn here_document(&mut self, raw: &str) -> String {
        self.salvage_case(raw);
        match parse::here_document(raw) {
            Ok(pieces) => self.joined(&pieces),
            Err(parse::Unreadable) => {
                self.unreadable(raw);
                COMPUTED.to_string()
            }
        }
    }

    /// The parser ends a substitution at the bracket of the first pattern of a `case` in it.
    fn salvage_case(&mut self, raw: &str) {
        if raw.contains("$(") && raw.contains("case") && raw.contains("esac") {
            self.salvage(raw);
        }
    }

    fn joined(&mut self, pieces: &[WordPieceWithSource]) -> String {
        let mut fields = Fields::default();
        self.pieces(pieces, Quoted::Yes, &mut fields);
        fields.end();
        fields.done.join(" ")
    }

    fn pieces(&mut self, pieces: &[WordPieceWithSource], quoted: Quoted, fields: &mut Fields) {
        for piece in pieces {
            match &piece.piece {
                WordPiece::Text(text) => fields.add(&text.replace("\\\n", "")),
                WordPiece::SingleQuotedText(text) => fields.add(text),
                WordPiece::AnsiCQuotedText(text) => fields.add(&unescaped(text)),
                WordPiece::DoubleQuotedSequence(inner)
                | WordPiece::GettextDoubleQuotedSequence(inner) => {
                    fields.add("");
                    self.pieces(inner, Quoted::Yes, fields);
                }
                WordPiece::TildeExpansion(tilde) => fields.add(&self.tilde(tilde)),
                WordPiece::EscapeSequence(text) => fields.add(escaped(text)),
                WordPiece::CommandSubstitution(text)
                | WordPiece::BackquotedCommandSubstitution(text) => {
                    let output = self.substitution(text);
                    fields.put(&[output], quoted, &self.separators());
                }
                WordPiece::ArithmeticExpression(expression) => {
                    if is_commands(&expression.value) {
                        self.substitution(&expression.value);
                    } else {
                        // Only for the commands in it.
                        let _ = self.value(&expression.value);
                    }
                    fields.add("0");
                }
                WordPiece::ParameterExpansion(expression) => {
                    let values = self.parameter(expression);
                    let apart = matches!(
                        expression,
                        ParameterExpr::Parameter {
                            parameter: Parameter::NamedWithAllIndices { concatenate: false, .. }
                                | Parameter::Special(SpecialParameter::AllPositionalParameters {
                                    concatenate: false
                                }),
                            ..
                        }
                    );
                    if apart || quoted == Quoted::No {
                        fields.put(&values, quoted, &self.separators());
                    } else {
                        fields.add(&values.join(" "));
                    }
                }
            }
        }
    }

    /// Where values without quotes fall apart, besides white space.
    fn separators(&self) -> String {
        self.shell.read("IFS").unwrap_or_default().join("")
    }

    fn tilde(&self, tilde: &TildeExpr) -> String {
        match tilde {
            TildeExpr::Home => "~".to_owned(),
            TildeExpr::WorkingDir => self.shell.folder_text(),
            TildeExpr::UserHome(user) => format!("/~{user}"),
            TildeExpr::OldWorkingDir
            | TildeExpr::NthDirFromTopOfDirStack { .. }
            | TildeExpr::NthDirFromBottomOfDirStack { .. } => COMPUTED.to_string(),
        }
    }

    /// The values of a parameter: several for an array or the arguments.
    fn parameter(&mut self, expression: &ParameterExpr) -> Vec<String> {
        use ParameterExpr as E;
        match expression {
            E::Parameter { parameter, indirect }
            | E::IndicateErrorIfNullOrUnset { parameter, indirect, .. } => {
                self.lookup(parameter, *indirect).unwrap_or_else(|| unknown(parameter))
            }
            E::UseDefaultValues { parameter, indirect, default_value, .. }
            | E::AssignDefaultValues { parameter, indirect, default_value, .. } => {
                let default = self.value(default_value.as_deref().unwrap_or_default());
                match self.lookup(parameter, *indirect) {
                    Some(values) if !values.join("").is_empty() => values,
                    Some(_) | None => {
                        if let (E::AssignDefaultValues { .. }, Parameter::Named(name)) =
                            (expression, parameter)
                        {
                            self.shell.assign(name, vec![default.clone()]);
                        }
                        vec![default]
                    }
                }
            }
            E::UseAlternativeValue { parameter, indirect, alternative_value, .. } => {
                let other = self.value(alternative_value.as_deref().unwrap_or_default());
                match self.lookup(parameter, *indirect) {
                    Some(values) if values.join("").is_empty() => Vec::new(),
                    Some(_) | None => vec![other],
                }
            }
            E::ParameterLength { .. } => vec!["0".to_owned()],
            E::Substring { parameter, indirect, offset, length } => {
                let whole = self.scalar(parameter, *indirect);
                let length = length.as_ref().map(|length| self.value(&length.value));
                let offset = self.value(&offset.value);
                vec![substring(&whole, &offset, length.as_deref())]
            }
            E::Transform { parameter, indirect, op } => {
                let whole = self.scalar(parameter, *indirect);
                vec![match op {
                    ParameterTransformOp::ToLowerCase => whole.to_lowercase(),
                    ParameterTransformOp::ToUpperCase => whole.to_uppercase(),
                    ParameterTransformOp::ExpandEscapeSequences => unescaped(&whole),
                    ParameterTransformOp::CapitalizeInitial
                    | ParameterTransformOp::PossiblyQuoteWithArraysExpanded { .. }
                    | ParameterTransformOp::PromptExpand
                    | ParameterTransformOp::Quoted
                    | ParameterTransformOp::ToAssignmentLogic
                    | ParameterTransformOp::ToAttributeFlags => whole,
                }]
            }
            E::LowercaseFirstChar { parameter, indirect, .. }
            | E::LowercasePattern { parameter, indirect, .. } => {
                vec![self.scalar(parameter, *indirect).to_lowercase()]
            }
            E::UppercaseFirstChar { parameter, indirect, .. }
            | E::UppercasePattern { parameter, indirect, .. } => {
                // Programs are found whatever the case of their name, commands of git are not.
                vec![self.scalar(parameter, *indirect).to_uppercase()]
            }
            E::RemoveSmallestSuffixPattern { parameter, indirect, pattern }
            | E::RemoveLargestSuffixPattern { parameter, indirect, pattern } => {
                let (whole, pattern) = (self.scalar(parameter, *indirect), self.pattern(pattern));
                vec![cut(&whole, &pattern, |whole, end| whole.strip_suffix(end))]
            }
            E::RemoveSmallestPrefixPattern { parameter, indirect, pattern }
            | E::RemoveLargestPrefixPattern { parameter, indirect, pattern } => {
                let (whole, pattern) = (self.scalar(parameter, *indirect), self.pattern(pattern));
                vec![cut(&whole, &pattern, |whole, start| whole.strip_prefix(start))]
            }
            E::ReplaceSubstring { parameter, indirect, pattern, replacement, match_kind } => {
                let whole = self.scalar(parameter, *indirect);
                let pattern = self.value(pattern);
                let with = self.value(replacement.as_deref().unwrap_or_default());
                vec![replaced(&whole, &pattern, &with, match_kind)]
            }
            E::VariableNames { .. } | E::MemberKeys { .. } => vec![COMPUTED.to_string()],
        }
    }

    fn pattern(&mut self, pattern: &Option<String>) -> String {
        self.value(pattern.as_deref().unwrap_or_default())
    }

    fn scalar(&mut self, parameter: &Parameter, indirect: bool) -> String {
        self.lookup(parameter, indirect).unwrap_or_else(|| unknown(parameter)).join(" ")
    }

    /// None for what the command does not set.
    fn lookup(&mut self, parameter: &Parameter, indirect: bool) -> Option<Vec<String>> {
        let values = match parameter {
            Parameter::Named(name) => self.shell.read(name)?,
            Parameter::NamedWithAllIndices { name, .. } => self.shell.read_all(name)?,
            Parameter::NamedWithIndex { name, index } => {
                let index = self.value(index).parse::<usize>().ok();
                let all = self.shell.read_all(name)?;
                let one = index.and_then(|index| all.get(index).cloned());
                vec![one.unwrap_or_else(|| COMPUTED.to_string())]
            }
            Parameter::Positional(number) => {
                let arguments = self.shell.arguments.as_ref()?;
                let at = usize::try_from(*number).ok()?.checked_sub(1)?;
                arguments.get(at).cloned().into_iter().collect()
            }
            Parameter::Special(SpecialParameter::AllPositionalParameters { .. }) => {
                self.shell.arguments.clone()?
            }
            Parameter::Special(SpecialParameter::ShellName) => vec![self.shell.name.clone()],
            Parameter::Special(_) => vec!["0".to_owned()],
        };
        if !indirect {
            return Some(values);
        }
        match values.as_slice() {
            [name] if is_known(name) => self.shell.read(name),
            _ => Some(vec![COMPUTED.to_string()]),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Quoted {
    Yes,
    No,
}

impl Fields {
    fn put(&mut self, values: &[String], quoted: Quoted, separators: &str) {
        let separates = |c: char| c.is_whitespace() || separators.contains(c);
        for (at, value) in values.iter().enumerate() {
            if at > 0 {
                self.end();
            }
            match quoted {
                Quoted::Yes => self.add(value),
                Quoted::No => self.split(value, &separates),
            }
        }
    }
}

/// Environment variables are written in capitals; another one that nobody set is a riddle.
fn unknown(parameter: &Parameter) -> Vec<String> {
    let capital = match parameter {
        Parameter::Named(name)
        | Parameter::NamedWithIndex { name, .. }
        | Parameter::NamedWithAllIndices { name, .. } => {
            !name.chars().any(|c| c.is_ascii_lowercase())
        }
        Parameter::Positional(_) | Parameter::Special(_) => false,
    };
    vec![if capital { ENVIRONMENT } else { COMPUTED }.to_string()]
}

fn escaped(text: &str) -> &str {
    let rest = text.strip_prefix('\\').unwrap_or(text);
    if rest == "\n" { "" } else { rest }
}
