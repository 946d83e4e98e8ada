//! Walks a shell command as a shell would run it, and hands every program call to the rules.
//!
//! Both arms of a condition are walked, loops twice (for what a later round sees), functions where they
//! are defined and where they are called. Assignments in a condition add a possible value and remove
//! none. So what is found may not happen, but what happens and can be read is found.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use brush_parser::ast::{
    AndOr, AndOrList, Assignment, AssignmentName, AssignmentValue, Command,
    CommandPrefixOrSuffixItem, CompoundCommand, CompoundList, ExtendedTestExpr, FunctionBody,
    IoRedirect, Pipeline, Program, SeparatorOperator, SimpleCommand, SubshellCommand,
};

pub(super) use super::variables::Shell;
use super::word::{COMPUTED, PROCESS};
use super::{Found, Grounds, Seat, git, parse};

/// How deep commands may lie in commands.
const MAX_DEPTH: usize = 8;

/// How many programs may start one another (`sudo env nice …`).
const MAX_CALLS: usize = 24;

/// How many commands are walked before the text counts as unreadable.
const MAX_STEPS: usize = 4_000;

/// How many pieces of an unreadable text are looked at.
const MAX_PIECES: usize = 500;

/// Words that make an unreadable command worth refusing.
const GUARDED: [&str; 14] = [
    "push",
    "send-pack",
    "dcommit",
    "gh ",
    "hub ",
    "glab",
    "tea ",
    ".git/",
    "insteadof",
    "alias.",
    "hookspath",
    "sshcommand",
    "pr create",
    "git_config",
];

/// One walk over one command.
pub(super) struct Walk<'a> {
    pub(super) grounds: &'a Grounds,
    /// Takes links out of a path.
    pub(super) real: &'a dyn Fn(&Path) -> PathBuf,
    pub(super) shell: Shell,
    /// Calls of windlass, without its name.
    pub(super) windlass: Vec<Vec<String>>,
    /// Files that the command wrote, with what it wrote.
    pub(super) written: BTreeMap<String, String>,
    found: Found,
    depth: usize,
    calls: usize,
    salvages: bool,
    steps: usize,
}

/// What a command reads from its standard input: none when nobody gave it anything.
pub(super) type Input = Option<String>;

impl<'a> Walk<'a> {
    pub(super) fn new(
        folder: &Path,
        grounds: &'a Grounds,
        real: &'a dyn Fn(&Path) -> PathBuf,
    ) -> Self {
        Self {
            grounds,
            real,
            shell: Shell::new(folder),
            windlass: Vec::new(),
            written: BTreeMap::new(),
            found: Found::Nothing,
            depth: 0,
            calls: 0,
            salvages: false,
            steps: 0,
        }
    }

    /// Counts a program within a program.
    pub(super) fn enter(&mut self) -> bool {
        self.steps += 1;
        if self.calls >= MAX_CALLS || self.steps > MAX_STEPS {
            return false;
        }
        self.calls += 1;
        true
    }

    pub(super) fn leave(&mut self) {
        self.calls -= 1;
    }

    pub(super) fn into_found(self) -> Found {
        self.found
    }

    pub(super) fn note(&mut self, found: Found) {
        let weaker = match (&self.found, &found) {
            (_, Found::Nothing) | (Found::Forbidden(_), _) => true,
            (Found::CannotTell(_), Found::CannotTell(_)) => true,
            (Found::Nothing | Found::CannotTell(_), _) => false,
        };
        if !weaker {
            self.found = found;
        }
    }

    pub(super) fn forbid(&mut self, why: &str) {
        self.note(Found::Forbidden(why.to_owned()));
    }

    pub(super) fn cannot_tell(&mut self, why: &str) {
        self.note(Found::CannotTell(why.to_owned()));
    }

    /// A text that cannot be read matters if it speaks of something guarded. The orchestrator has no
    /// need for such texts.
    pub(super) fn unreadable(&mut self, text: &str) {
        let guarded = speaks_of_guarded(text) || self.grounds.publishing.are_spoken_of(text);
        if self.grounds.seat == Seat::Orchestrator || guarded {
            self.cannot_tell(
                "this command cannot be read to its end, and it may do something that windlass does \
                 itself (pushing, or writing in `.git`). If it does not, write it more plainly",
            );
        }
    }

    /// Walks a text as commands; gives what they print.
    pub(super) fn script(&mut self, text: &str) -> String {
        if self.depth >= MAX_DEPTH || self.steps >= MAX_STEPS {
            self.unreadable(text);
            return COMPUTED.to_string();
        }
        // Most commands are plain words, and the parser is large: a hook is started for each of them.
        if self.depth == 0
            && let Some(commands) = parse::plain_commands(text)
        {
            return self.plain_commands(&commands);
        }
        self.parsed(text)
    }

    fn plain_commands(&mut self, commands: &[(parse::Runs, Vec<String>)]) -> String {
        let mut output = String::new();
        for (runs, words) in commands {
            let input = self.shell.input.clone();
            output += &match runs {
                parse::Runs::Always => self.call(words, input),
                parse::Runs::Perhaps => self.in_branch(|walk| walk.call(words, input)),
            };
        }
        output
    }

    /// Looks at a script by the shell's grammar.
    pub(super) fn parsed(&mut self, text: &str) -> String {
        self.depth += 1;
        let output = match parse::program(text) {
            Ok(program) => self.program(&program),
            Err(parse::Unreadable) => {
                self.unreadable(text);
                self.salvage(text);
                COMPUTED.to_string()
            }
        };
        self.depth -= 1;
        output
    }

    /// Looks at the pieces of a text that is unreadable as a whole. What is found in one may stand in
    /// quotes, so it is never certain.
    pub(super) fn salvage(&mut self, text: &str) {
        if self.salvages || text.len() > parse::MAX_BYTES {
            return;
        }
        self.salvages = true;
        let before = std::mem::replace(&mut self.found, Found::Nothing);
        let pieces = text.split(['\n', ';', '&', '|', '(', ')', '{', '}', '`']);
        for piece in pieces.filter(|piece| !piece.trim().is_empty()).take(MAX_PIECES) {
            if let Ok(program) = parse::program(piece) {
                self.apart(|walk| walk.program(&program));
            }
        }
        self.salvages = false;
        let inside = std::mem::replace(&mut self.found, before);
        if let Found::Forbidden(why) | Found::CannotTell(why) = inside {
            self.cannot_tell(&format!("this command cannot be read to its end; in it, {why}"));
        }
    }

    /// Walks a text that would run in a shell of its own.
    pub(super) fn script_apart(&mut self, text: &str) -> String {
        self.apart(|walk| walk.script(text))
    }

    pub(super) fn substitution(&mut self, text: &str) -> String {
        self.script_apart(text).trim_end_matches('\n').to_owned()
    }

    pub(super) fn apart<T>(&mut self, inside: impl FnOnce(&mut Self) -> T) -> T {
        let shell = self.shell.clone();
        let result = inside(self);
        self.shell = shell;
        result
    }

    fn in_branch<T>(&mut self, inside: impl FnOnce(&mut Self) -> T) -> T {
        self.shell.branches += 1;
        let result = inside(self);
        self.shell.branches = self.shell.branches.saturating_sub(1);
        result
    }

    /// Looks at what is only defined: what is certain counts, what depends on a call does not yet.
    pub(super) fn defined(&mut self, inside: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.found, Found::Nothing);
        self.apart(|walk| {
            walk.shell.arguments = None;
            inside(walk);
        });
        let inside = std::mem::replace(&mut self.found, before);
        if matches!(inside, Found::Forbidden(_)) {
            self.note(inside);
        }
    }

    fn program(&mut self, program: &Program) -> String {
        program.complete_commands.iter().map(|list| self.list(list)).collect()
    }

    fn list(&mut self, list: &CompoundList) -> String {
        let mut output = String::new();
        for item in &list.0 {
            output += &match item.1 {
                SeparatorOperator::Async => self.apart(|walk| walk.and_or(&item.0)),
                SeparatorOperator::Sequence => self.and_or(&item.0),
            };
        }
        output
    }

    fn and_or(&mut self, list: &AndOrList) -> String {
        let mut output = self.pipeline(&list.first);
        for more in &list.additional {
            let (AndOr::And(pipeline) | AndOr::Or(pipeline)) = more;
            // Whether it runs depends on what came before: an assignment there is not certain.
            output += &self.in_branch(|walk| walk.pipeline(pipeline));
        }
        output
    }

    fn pipeline(&mut self, pipeline: &Pipeline) -> String {
        if let [command] = pipeline.seq.as_slice() {
            return self.command(command, None);
        }
        let mut input = None;
        for command in &pipeline.seq {
            input = Some(self.apart(|walk| walk.command(command, input)));
        }
        input.unwrap_or_default()
    }

    fn command(&mut self, command: &Command, input: Input) -> String {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            self.unreadable(&command.to_string());
            return COMPUTED.to_string();
        }
        match command {
            Command::Simple(simple) => self.simple(simple, input),
            Command::Compound(compound, redirects) => {
                let input = self.redirects(redirects.as_ref()).or(input);
                let output = self.compound(compound, input);
                let all: Vec<&IoRedirect> = redirects.iter().flat_map(|list| &list.0).collect();
                self.remember(&all, &output);
                output
            }
            Command::Function(function) => {
                let name = self.value(&function.fname.value);
                let body = Rc::new(function.body.clone());
                self.defined(|walk| {
                    walk.function_body(&body, None);
                });
                self.shell.functions.insert(name, body);
                String::new()
            }
            Command::ExtendedTest(test, redirects) => {
                self.redirects(redirects.as_ref());
                self.test(&test.expr);
                String::new()
            }
        }
    }

    pub(super) fn function_body(&mut self, body: &FunctionBody, input: Input) -> String {
        if self.depth >= MAX_DEPTH {
            // It calls itself; what is in it was walked already.
            return COMPUTED.to_string();
        }
        self.depth += 1;
        let input = self.redirects(body.1.as_ref()).or(input);
        let output = self.compound(&body.0, input);
        self.depth -= 1;
        output
    }

    /// Commands in a group read the group's input; which of them takes it is not known, so all do.
    fn compound(&mut self, compound: &CompoundCommand, input: Input) -> String {
        match compound {
            CompoundCommand::Arithmetic(arithmetic) => {
                let text = &arithmetic.expr.value;
                // The parser takes `( ( git push ) )` for arithmetic.
                if is_commands(text) {
                    return self.script_apart(text);
                }
                let _ = self.value(text);
                String::new()
            }
            CompoundCommand::ArithmeticForClause(clause) => {
                self.twice(|walk| walk.list(&clause.body.list))
            }
            CompoundCommand::BraceGroup(group) => self.group(&group.list, input),
            CompoundCommand::Subshell(subshell) => {
                self.apart(|walk| walk.group(&subshell.list, input))
            }
            CompoundCommand::ForClause(clause) => {
                let values: Vec<String> = match &clause.values {
                    Some(words) => words.iter().flat_map(|word| self.fields(&word.value)).collect(),
                    None => self.shell.arguments.clone().unwrap_or_default(),
                };
                self.in_branch(|walk| {
                    if walk.shell.branches == 1 {
                        walk.shell.branches = 0;
                        walk.shell.assign(
                            &clause.variable_name,
                            values.iter().take(1).cloned().collect(),
                        );
                        walk.shell.branches = 1;
                    }
                    for value in values {
                        walk.shell.assign(&clause.variable_name, vec![value]);
                    }
                });
                self.twice(|walk| walk.list(&clause.body.list))
            }
            CompoundCommand::CaseClause(clause) => {
                let _ = self.value(&clause.value.value);
                let mut output = String::new();
                for case in &clause.cases {
                    for pattern in &case.patterns {
                        let _ = self.value(&pattern.value);
                    }
                    if let Some(list) = &case.cmd {
                        output += &self.in_branch(|walk| walk.list(list));
                    }
                }
                output
            }
            CompoundCommand::IfClause(clause) => {
                let mut output = self.list(&clause.condition);
                output += &self.in_branch(|walk| walk.list(&clause.then));
                for other in clause.elses.iter().flatten() {
                    self.in_branch(|walk| {
                        if let Some(condition) = &other.condition {
                            walk.list(condition);
                        }
                        output += &walk.list(&other.body);
                    });
                }
                output
            }
            CompoundCommand::WhileClause(clause) | CompoundCommand::UntilClause(clause) => self
                .twice(|walk| {
                    walk.in_input(&input, |walk| walk.list(&clause.0)) + &walk.list(&clause.1.list)
                }),
            CompoundCommand::Coprocess(coprocess) => {
                self.apart(|walk| walk.command(&coprocess.body, input))
            }
        }
    }

    fn group(&mut self, list: &CompoundList, input: Input) -> String {
        self.in_input(&input, |walk| walk.list(list))
    }

    /// `read` and shells in a group see what the group is given.
    fn in_input<T>(&mut self, input: &Input, inside: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.shell.input.clone();
        if input.is_some() {
            self.shell.input.clone_from(input);
        }
        let result = inside(self);
        self.shell.input = before;
        result
    }

    /// A later round of a loop sees what an earlier one assigned.
    fn twice(&mut self, body: impl Fn(&mut Self) -> String) -> String {
        let outermost = self.shell.branches == 0;
        self.in_branch(|walk| {
            let output = body(walk);
            if outermost { body(walk) } else { output }
        })
    }

    fn test(&mut self, expression: &ExtendedTestExpr) {
        match expression {
            ExtendedTestExpr::And(one, other) | ExtendedTestExpr::Or(one, other) => {
                self.test(one);
                self.test(other);
            }
            ExtendedTestExpr::Not(inner) | ExtendedTestExpr::Parenthesized(inner) => {
                self.test(inner)
            }
            ExtendedTestExpr::UnaryTest(_, word) => {
                let _ = self.value(&word.value);
            }
            ExtendedTestExpr::BinaryTest(_, one, other) => {
                let _ = self.value(&one.value);
                let _ = self.value(&other.value);
            }
        }
    }

    pub(super) fn subshell(&mut self, subshell: &SubshellCommand) -> String {
        self.apart(|walk| walk.list(&subshell.list))
    }

    /// A plain command. Where variables in it have several possible values, each is tried.
    fn simple(&mut self, command: &SimpleCommand, input: Input) -> String {
        if self.shell.has_choices() {
            let choices = self.shell.choices(&command.to_string());
            if choices.len() > 1 {
                let before = self.shell.clone();
                let mut output = String::new();
                for choice in choices {
                    self.shell = choice;
                    output = self.plain(command, input.clone());
                }
                let folder = std::mem::replace(&mut self.shell, before).folder;
                self.shell.folder = folder;
                return output;
            }
        }
        self.plain(command, input)
    }

    fn plain(&mut self, command: &SimpleCommand, input: Input) -> String {
        let output = self.expanded(command, input);
        let items = command.prefix.iter().flat_map(|prefix| &prefix.0);
        let items = items.chain(command.suffix.iter().flat_map(|suffix| &suffix.0));
        let redirects: Vec<&IoRedirect> = items
            .filter_map(|item| match item {
                CommandPrefixOrSuffixItem::IoRedirect(redirect) => Some(redirect),
                CommandPrefixOrSuffixItem::Word(_)
                | CommandPrefixOrSuffixItem::AssignmentWord(..)
                | CommandPrefixOrSuffixItem::ProcessSubstitution(..) => None,
            })
            .collect();
        self.remember(&redirects, &output);
        output
    }

    fn expanded(&mut self, command: &SimpleCommand, input: Input) -> String {
        let mut words = Vec::new();
        let mut assignments = Vec::new();
        let mut given = None;
        let prefix = command.prefix.iter().flat_map(|prefix| &prefix.0);
        for item in prefix {
            match item {
                CommandPrefixOrSuffixItem::AssignmentWord(assignment, _) => {
                    assignments.push(assignment)
                }
                CommandPrefixOrSuffixItem::IoRedirect(redirect) => {
                    given = self.redirect(redirect).or(given);
                }
                CommandPrefixOrSuffixItem::Word(word) => words.extend(self.fields(&word.value)),
                CommandPrefixOrSuffixItem::ProcessSubstitution(_, subshell) => {
                    words.push(format!("{PROCESS}{}", self.subshell(subshell)));
                }
            }
        }
        if let Some(word) = &command.word_or_name {
            words.extend(self.fields(&word.value));
        }
        let mut declared = Vec::new();
        for item in command.suffix.iter().flat_map(|suffix| &suffix.0) {
            match item {
                CommandPrefixOrSuffixItem::AssignmentWord(assignment, word) => {
                    declared.push(assignment);
                    words.push(self.value(&word.value));
                }
                CommandPrefixOrSuffixItem::IoRedirect(redirect) => {
                    given = self.redirect(redirect).or(given);
                }
                CommandPrefixOrSuffixItem::Word(word) => words.extend(self.fields(&word.value)),
                CommandPrefixOrSuffixItem::ProcessSubstitution(_, subshell) => {
                    words.push(format!("{PROCESS}{}", self.subshell(subshell)));
                }
            }
        }
        // `exec <file` gives the shell itself another input.
        if given.is_some() && matches!(words.as_slice(), [only] if only == "exec") {
            self.shell.input.clone_from(&given);
        }
        let input = given.or(input).or_else(|| self.shell.input.clone());
        if words.is_empty() {
            for assignment in assignments {
                self.assignment(assignment);
            }
            return String::new();
        }
        let declares =
            matches!(words[0].as_str(), "export" | "declare" | "typeset" | "local" | "readonly");
        if declares {
            for assignment in assignments.into_iter().chain(declared) {
                self.assignment(assignment);
            }
            return self.call(&words, input);
        }
        if assignments.is_empty() {
            return self.call(&words, input);
        }
        let variables = self.shell.clone();
        for assignment in assignments {
            self.assignment(assignment);
        }
        let output = self.call(&words, input);
        let folder = std::mem::replace(&mut self.shell, variables).folder;
        self.shell.folder = folder;
        output
    }

    fn assignment(&mut self, assignment: &Assignment) {
        let (values, is_array) = match &assignment.value {
            AssignmentValue::Scalar(word) => (vec![self.value(&word.value)], false),
            AssignmentValue::Array(elements) => {
                let all = elements.iter().flat_map(|(_, word)| self.fields(&word.value));
                (all.collect(), true)
            }
        };
        match &assignment.name {
            AssignmentName::VariableName(name) => {
                git::environment(self, name, &values.join(" "));
                if assignment.append {
                    self.shell.append(name, values, is_array);
                } else {
                    self.shell.assign(name, values);
                }
            }
            AssignmentName::ArrayElementName(name, index) => {
                let index = self.value(index);
                self.shell.set_element(name, &index, values.join(" "));
            }
        }
    }
}

pub(super) fn speaks_of_guarded(text: &str) -> bool {
    let text = text.to_lowercase();
    GUARDED.iter().any(|word| text.contains(word))
}

/// Whether a text in double brackets is commands: arithmetic has an operator between two names.
pub(super) fn is_commands(text: &str) -> bool {
    let names = |c: char| c.is_ascii_alphanumeric() || "_'\"$./".contains(c);
    let words: Vec<&str> = text.split_whitespace().collect();
    let beside =
        words.windows(2).any(|pair| pair[0].ends_with(names) && pair[1].starts_with(names));
    text.contains(';') || beside
}
