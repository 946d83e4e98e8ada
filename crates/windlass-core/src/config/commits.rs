//! How commits are written, as it stands in a configuration.

use crate::commit::{MAX_SUBJECT_CHARACTERS, PLACEHOLDERS, Squash};
use crate::source::diagnostic::Findings;
use crate::source::fields::{self, Fields};
use crate::source::key::{Key, Mapping, Rule, Takes};
use crate::source::yaml::Node;

static KEYS: Mapping = Mapping {
    name: "commits",
    of: "`commits`",
    doc: "How the commits of a run are written.",
    keys: &[
        Key::new("style", Takes::Text, "`auto`, `conventional` or `plain`."),
        Key::new("subject", Takes::Text, "A template for the first line."),
        Key::new("squash", Takes::Text, "What is published as one commit."),
    ],
    not_yet: &[],
    rule: Rule::None,
};

/// How subjects are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// As the repository's own commits are.
    #[default]
    Auto,
    /// `feat: …`.
    Conventional,
    /// Without a type.
    Plain,
}

impl Style {
    const WORDS: [(&str, Self); 3] =
        [("auto", Self::Auto), ("conventional", Self::Conventional), ("plain", Self::Plain)];
}

/// What one file says about commits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommitConfig {
    /// How subjects are written.
    pub style: Option<Style>,
    /// A template for them.
    pub subject: Option<String>,
    /// What is published as one commit.
    pub squash: Option<Squash>,
}

impl CommitConfig {
    /// Takes what another file says where this one says nothing.
    pub(super) fn or(&mut self, other: Self) {
        self.style = self.style.or(other.style);
        self.subject = self.subject.take().or(other.subject);
        self.squash = self.squash.or(other.squash);
    }
}

pub(super) fn read(node: &Node, findings: &mut Findings) -> Option<CommitConfig> {
    let fields = Fields::read(node, &KEYS, findings)?;
    Some(CommitConfig {
        style: fields.get("style").and_then(|node| fields::word(node, &Style::WORDS, findings)),
        subject: fields.get("subject").and_then(|node| subject(node, findings)),
        squash: fields.get("squash").and_then(|node| fields::word(node, &Squash::WORDS, findings)),
    })
}

fn subject(node: &Node, findings: &mut Findings) -> Option<String> {
    let text = fields::filled_text(node, findings)?;
    let known = PLACEHOLDERS.join(", ");
    let mut rest = text.value.clone();
    for placeholder in PLACEHOLDERS {
        rest = rest.replace(placeholder, "");
    }
    let problem = if text.value.chars().any(char::is_control) {
        "a subject is one line".to_owned()
    } else if rest.contains(['{', '}']) {
        format!("`{}` has a placeholder that is not known", text.value)
    } else if rest.chars().count() > MAX_SUBJECT_CHARACTERS / 2 {
        "these words leave no room for what a commit is about".to_owned()
    } else {
        return Some(text.value);
    };
    findings.error_with_help(text.at, problem, format!("write words and {known}"));
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Origin, Settings};

    fn parse(source: &str) -> Result<CommitConfig, String> {
        let read = Config::parse(source.as_bytes(), "c.yaml", &|_| true);
        read.map(|config| config.commits).map_err(|found| {
            found.iter().map(|one| format!("{one}\n")).collect::<Vec<_>>().concat()
        })
    }

    #[test]
    fn every_key_is_read_and_mistakes_are_named() {
        let source = "commits: {style: conventional, subject: '{type}: {what}', squash: story}\n";
        let read = parse(source).unwrap();
        assert_eq!(read.style, Some(Style::Conventional));
        assert_eq!(read.subject.as_deref(), Some("{type}: {what}"));
        assert_eq!(read.squash, Some(Squash::Story));
        let bad = "commits: {style: loud, subject: '{who}', squash: all, colour: red}\n";
        insta::assert_snapshot!(parse(bad).unwrap_err(), @r"
        c.yaml:1:18: expected `auto`, `conventional` or `plain`, found `loud`
        c.yaml:1:33: `{who}` has a placeholder that is not known
        c.yaml:1:50: expected `none`, `story` or `run`, found `all`
        c.yaml:1:55: unknown key of `commits`: `colour`
        ");
    }

    #[test]
    fn the_repository_says_it_before_the_user_key_by_key() {
        let config = |source: &str| Config::parse(source.as_bytes(), "c", &|_| true).unwrap();
        let commits = Settings::of([
            (Origin::User("u".to_owned()), config("commits: {style: plain, squash: run}\n")),
            (Origin::Repository("r".to_owned()), config("commits: {style: conventional}\n")),
        ])
        .commits;
        assert_eq!((commits.style, commits.squash), (Some(Style::Conventional), Some(Squash::Run)));
    }
}
