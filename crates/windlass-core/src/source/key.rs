//! What a row of the grammar says.

/// A mapping with a fixed set of keys.
pub(crate) struct Mapping {
    /// Its name in the schema and in links of the reference.
    pub(crate) name: &'static str,
    /// What the mapping is, in the words of a message.
    pub(crate) of: &'static str,
    /// What it is for, in a sentence or two.
    pub(crate) doc: &'static str,
    pub(crate) keys: &'static [Key],
    /// Keys that are known and refused; see `unsupported`.
    pub(crate) not_yet: &'static [&'static str],
    /// What holds between its keys.
    pub(crate) rule: Rule,
}

impl Mapping {
    /// Returns the names of the keys, in the order of the table.
    pub(crate) fn known(&self) -> impl Iterator<Item = &'static str> + Clone {
        self.keys.iter().map(|key| key.name)
    }

    /// Returns whether there is such a key.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.keys.iter().any(|key| key.name == name)
    }
}

/// What holds between the keys of a mapping, beyond what each of them takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// Nothing.
    None,
    /// A step has an agent or a team and a criterion, or nested steps and few other keys.
    AgentOrGroup,
    /// An input's default fits its type, and `values` belongs to one type.
    DefaultOfType,
    /// Paths are only looked up where an expression lists them.
    PathsNeedFiles,
}

/// One key.
pub(crate) struct Key {
    pub(crate) name: &'static str,
    pub(crate) takes: Takes,
    /// What it means, in one sentence.
    pub(crate) doc: &'static str,
    pub(crate) initial: Initial,
    /// A value, as it stands in a file.
    pub(crate) example: Option<&'static str>,
    /// Whether a step with nested steps may have it: nobody works on such a step.
    pub(crate) on_groups: bool,
}

/// What holds when a key is left out.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Initial {
    /// The key cannot be left out.
    Required,
    /// Nothing in particular.
    None,
    /// This value: JSON where it parses as that, else text.
    Value(&'static str),
    /// What these words say.
    Words(&'static str),
}

impl Key {
    /// A key that may be left out.
    pub(crate) const fn new(name: &'static str, takes: Takes, doc: &'static str) -> Self {
        Self { name, takes, doc, initial: Initial::None, example: None, on_groups: false }
    }

    pub(crate) const fn required(self) -> Self {
        Self { initial: Initial::Required, ..self }
    }

    pub(crate) const fn default(self, value: &'static str) -> Self {
        Self { initial: Initial::Value(value), ..self }
    }

    /// The default in words, where it is no fixed value.
    pub(crate) const fn otherwise(self, words: &'static str) -> Self {
        Self { initial: Initial::Words(words), ..self }
    }

    pub(crate) const fn example(self, example: &'static str) -> Self {
        Self { example: Some(example), ..self }
    }

    pub(crate) const fn on_groups(self) -> Self {
        Self { on_groups: true, ..self }
    }

    /// Returns the default as a value, where it is one.
    pub(crate) fn default_value(&self) -> Option<serde_json::Value> {
        match self.initial {
            Initial::Value(text) => Some(value_of(text)),
            Initial::Required | Initial::None | Initial::Words(_) => None,
        }
    }
}

/// JSON where it parses as that, else text.
fn value_of(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap_or_else(|_| text.into())
}

/// What a key takes.
#[derive(Clone, Copy)]
pub(crate) enum Takes {
    /// Text that says something.
    Text,
    /// Any text, also blanks.
    Literal,
    /// Text with placeholders.
    Template,
    /// A name of lower-case letters, digits, `-` and `_`.
    Id,
    /// The name of a step.
    StepName,
    /// The name of an environment variable.
    Variable,
    /// A jq expression.
    Expression,
    /// A shell command.
    Command,
    /// A path below the repository.
    Path,
    /// A glob below the repository.
    Glob,
    /// A path of the machine, absolute or below `~/`.
    MachinePath,
    /// A host, with or without a port, or all below a domain.
    Host,
    /// A length of time.
    Time,
    Boolean,
    /// A whole number.
    Count {
        least: u64,
        most: u64,
    },
    /// A number above zero.
    Amount,
    /// A percentage, or the input that gives it.
    Percent,
    /// A value of the type that stands beside it.
    Value,
    /// One of these words.
    Word(&'static [&'static str]),
    Mapping(&'static Mapping),
    /// A check, a tree of them, or a list that must all hold.
    Criterion,
    /// One of it, or a list.
    OneOrMore {
        of: &'static Takes,
        least: usize,
    },
    List {
        of: &'static Takes,
        least: usize,
        most: Option<usize>,
    },
    /// A mapping with keys of the user's own.
    Named {
        names: Names,
        of: &'static Takes,
    },
    Either(&'static [Takes]),
}

/// What keys of the user's own look like.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Names {
    /// Letters, digits and `_`.
    Inputs,
    /// Such names joined with dots.
    ContextKeys,
    /// Any text.
    Verdicts,
    /// Globs.
    Globs,
    /// Letters, digits, `-` and `_`.
    Servers,
    /// Names of environment variables.
    Variables,
    /// The same, without those that nobody gives to a check.
    CheckVariables,
}

/// A list of any length.
pub(crate) const fn list(of: &'static Takes) -> Takes {
    Takes::List { of, least: 0, most: None }
}

/// One, or a list of any length.
pub(crate) const fn one_or_more(of: &'static Takes) -> Takes {
    Takes::OneOrMore { of, least: 0 }
}

/// A whole number that the plan keeps in 32 bits.
pub(crate) const fn small_count(least: u64) -> Takes {
    Takes::Count { least, most: u32::MAX as u64 }
}

/// A whole number.
pub(crate) const fn count(least: u64) -> Takes {
    Takes::Count { least, most: u64::MAX }
}
