//! Words of a shell command, expanded as far as the text alone tells.
//!
//! What cannot be known stands in the result as one of the marks below; they are characters for
//! private use, so a text that brings its own is only less known than it could be.

use brush_parser::word::{
    Parameter, ParameterExpr, ParameterTransformOp, SpecialParameter, SubstringMatchKind,
    TildeExpr, WordPiece, WordPieceWithSource,
};

use super::parse;
use super::shell::Walk;

/// A value that the command itself computes, in a way that is not followed.
pub(super) const COMPUTED: char = '\u{E000}';
/// A variable that the command does not set.
pub(super) const ENVIRONMENT: char = '\u{E001}';
/// What a plain tool prints, or what a file holds.
pub(super) const TOLD: char = '\u{E002}';
/// Before the output of a process substitution, where a shell would give a file.
pub(super) const PROCESS: char = '\u{E003}';

/// At most so many words come from one with braces.
const MAX_BRACES: usize = 64;

/// A longer word is no list of names.
const MAX_BRACED_BYTES: usize = 1024;

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
        self.now.get_or_insert_default().push_str(text);
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
        match parse::word(raw) {
            Ok(pieces) => self.joined(&pieces),
            Err(parse::Unreadable) => {
                self.unreadable(raw);
                COMPUTED.to_string()
            }
        }
    }

    pub(super) fn here_document(&mut self, raw: &str) -> String {
        match parse::here_document(raw) {
            Ok(pieces) => self.joined(&pieces),
            Err(parse::Unreadable) => {
                self.unreadable(raw);
                COMPUTED.to_string()
            }
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
                    // Only for the commands in it.
                    let _ = self.value(&expression.value);
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
            Parameter::Special(SpecialParameter::ShellName) => vec!["bash".to_owned()],
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

fn has_glob(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

fn cut(
    whole: &str,
    pattern: &str,
    strip: impl for<'a> Fn(&'a str, &str) -> Option<&'a str>,
) -> String {
    if !is_known(whole) || !is_known(pattern) || has_glob(pattern) {
        return COMPUTED.to_string();
    }
    strip(whole, pattern).unwrap_or(whole).to_owned()
}

fn replaced(whole: &str, pattern: &str, with: &str, kind: &SubstringMatchKind) -> String {
    if !is_known(whole) || !is_known(pattern) || has_glob(pattern) || pattern.is_empty() {
        return COMPUTED.to_string();
    }
    match kind {
        SubstringMatchKind::FirstOccurrence => whole.replacen(pattern, with, 1),
        SubstringMatchKind::Anywhere => whole.replace(pattern, with),
        SubstringMatchKind::Prefix => match whole.strip_prefix(pattern) {
            Some(rest) => format!("{with}{rest}"),
            None => whole.to_owned(),
        },
        SubstringMatchKind::Suffix => match whole.strip_suffix(pattern) {
            Some(rest) => format!("{rest}{with}"),
            None => whole.to_owned(),
        },
    }
}

fn substring(whole: &str, offset: &str, length: Option<&str>) -> String {
    let number = |text: &str| text.trim().parse::<usize>().ok();
    let computed = || COMPUTED.to_string();
    if !is_known(whole) {
        return computed();
    }
    let Some(offset) = number(offset) else { return computed() };
    let rest = whole.chars().skip(offset);
    match length.map(number) {
        None => rest.collect(),
        Some(Some(length)) => rest.take(length).collect(),
        Some(None) => computed(),
    }
}

/// Reads the escapes of `$'…'`, `echo -e` and `printf`.
pub(super) fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        let Some(kind) = rest.next() else {
            out.push('\\');
            break;
        };
        let mut digits = |radix: u32, most: usize, start: u32| {
            let mut value = start;
            let mut taken = 0;
            while taken < most {
                let Some(digit) = rest.peek().and_then(|c| c.to_digit(radix)) else { break };
                value = value.saturating_mul(radix).saturating_add(digit);
                rest.next();
                taken += 1;
            }
            (taken > 0 || start > 0).then_some(value)
        };
        let code = match kind {
            'x' => digits(16, 2, 0),
            'u' => digits(16, 4, 0),
            'U' => digits(16, 8, 0),
            '0' => Some(digits(8, 3, 0).unwrap_or(0)),
            '1'..='7' => digits(8, 2, kind.to_digit(8).unwrap_or(0)),
            _ => None,
        };
        match (kind, code.and_then(char::from_u32)) {
            (_, Some(c)) => out.push(c),
            ('n', None) => out.push('\n'),
            ('t' | 'v' | 'f' | 'r', None) => out.push(' '),
            ('a' | 'b' | 'e' | 'E' | 'c', None) => {}
            (other, None) => out.push(other),
        }
    }
    out
}

/// Expands `{a,b}` outside of quotes. Sequences (`{1..9}`) stay: they make no word that is guarded.
fn braces(raw: &str) -> Vec<String> {
    if raw.len() > MAX_BRACED_BYTES {
        return vec![raw.to_owned()];
    }
    let mut done = Vec::new();
    let mut waiting = vec![raw.to_owned()];
    while let Some(word) = waiting.pop() {
        match first_list(&word).filter(|_| done.len() + waiting.len() < MAX_BRACES) {
            Some((before, parts, after)) => {
                waiting.extend(parts.iter().rev().map(|part| format!("{before}{part}{after}")));
            }
            None => done.push(word),
        }
    }
    done
}

/// Finds the first list in braces: what stands before it, its parts, what stands after it.
fn first_list(word: &str) -> Option<(&str, Vec<&str>, &str)> {
    let mut from = 0;
    loop {
        let open = from + plain_position(&word[from..], |c| c == '{')?;
        let inside = &word[open + 1..];
        // `${…}` is no list.
        if !word[..open].ends_with('$')
            && let Some((parts, after)) = list(inside)
        {
            return Some((&word[..open], parts, after));
        }
        from = open + 1;
    }
}

fn list(inside: &str) -> Option<(Vec<&str>, &str)> {
    let (mut parts, mut start, mut at, mut depth) = (Vec::new(), 0, 0, 0usize);
    loop {
        at += plain_position(&inside[at..], |c| matches!(c, '{' | '}' | ','))?;
        match inside.as_bytes().get(at)? {
            b'{' => depth += 1,
            b'}' if depth > 0 => depth -= 1,
            b'}' => {
                parts.push(&inside[start..at]);
                return (parts.len() > 1).then_some((parts, &inside[at + 1..]));
            }
            _ if depth == 0 => {
                parts.push(&inside[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
}

/// Where the first wanted character stands that is neither quoted nor in a substitution.
fn plain_position(text: &str, wanted: impl Fn(char) -> bool) -> Option<usize> {
    let (mut quote, mut brackets) = (None, 0usize);
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match (quote, c) {
            (Some('\''), _) => {
                if c == '\'' {
                    quote = None;
                }
            }
            (_, '\\') => {
                chars.next();
            }
            (Some(open), _) => {
                if c == open {
                    quote = None;
                }
            }
            (None, '\'' | '"' | '`') => quote = Some(c),
            (None, '(') => brackets += 1,
            (None, ')') => brackets = brackets.saturating_sub(1),
            (None, _) if brackets == 0 && wanted(c) => return Some(at),
            (None, _) => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_in_braces_become_words() {
        assert_eq!(braces("{git,push}"), ["git", "push"]);
        assert_eq!(braces("a{b,c{d,e}}f"), ["abf", "acdf", "acef"]);
        for same in ["{}", "{a}", "\"{a,b}\"", "'{a,b}'", "${a,b}", "{1..3}", "a{", "\\{a,b}"] {
            assert_eq!(braces(same), [same]);
        }
        assert!(braces(&"{a,b}".repeat(30)).len() <= MAX_BRACES + 1);
    }

    #[test]
    fn escapes_are_read_as_bash_reads_them() {
        assert_eq!(unescaped(r"p\x75sh\n\101\u0067\'\\"), "push\nAg'\\");
        assert_eq!(unescaped("\\"), "\\");
    }
}
