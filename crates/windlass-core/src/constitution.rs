//! `constitution.md`: articles that hold for the whole repository, and the rules of those that a program can check.
//!
//! ````markdown
//! ## Article I: No secrets
//! Keys never enter the repository.
//!
//! ```rule
//! never: "AKIA[0-9A-Z]{16}"
//! in: "**/*.ts"
//! ```
//! ````
//!
//! An article is a heading of level 2 whose title begins with `Article`; a rule is a fenced block with the word
//! `rule`. An article without a rule is for people. Reading files and running commands is the edge's business: here
//! rules are read, and one file's text is judged by [`Rule::broken_by`]. No command runs them yet.

use regex::Regex;

use crate::glob;
use crate::markdown::{Fence, Outline};
use crate::source::diagnostic::Findings;
use crate::source::fields::{self, Fields};
use crate::source::key::{Key, Mapping, Rule as KeyRule, Takes};
use crate::source::yaml;
use crate::source::{At, Diagnostic};

/// The largest pattern, compiled: a rule is a line, not a program.
const MAX_PATTERN_BYTES: usize = 1 << 20;

/// One article.
#[derive(Clone, Debug)]
pub struct Article {
    /// Its title.
    pub title: String,
    /// Its line, from 1.
    pub line: u32,
    /// What a program can check; none where it is for people.
    pub rules: Vec<Rule>,
}

/// Something that a program can check.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Its line, from 1.
    pub line: u32,
    /// What it asks for.
    pub kind: RuleKind,
    /// The files that it is about; all where none is named.
    pub files: Vec<String>,
}

/// What a rule asks for.
#[derive(Clone, Debug)]
pub enum RuleKind {
    /// The pattern occurs in each of the files.
    Must(Regex),
    /// The pattern occurs in none of the files.
    Never(Regex),
    /// These files are there.
    Exists(Vec<String>),
    /// This command passes.
    Run(String),
    /// Each of the files has at most so many lines.
    MaxLines(u32),
}

static KEYS: Mapping = Mapping {
    name: "rule",
    of: "a rule",
    doc: "Something that a program can check.",
    keys: &[
        Key::new("must", Takes::Text, "A pattern that occurs in each of the files."),
        Key::new("never", Takes::Text, "A pattern that occurs in none of the files."),
        Key::new("exists", Takes::Text, "Files that are there."),
        Key::new("run", Takes::Text, "A command that passes."),
        Key::new("max_lines", Takes::Text, "How many lines a file has at most."),
        Key::new("in", Takes::Text, "The files that it is about, as globs."),
    ],
    not_yet: &[],
    rule: KeyRule::None,
};

/// Reads the articles of a constitution; `file` is what findings call it.
///
/// # Errors
/// Everything that is wrong with its rules, in the order of the file.
pub fn constitution(text: &str, file: &str) -> Result<Vec<Article>, Vec<Diagnostic>> {
    let outline = Outline::of(text);
    let mut findings = Findings::new(file);
    let mut articles: Vec<(usize, Article)> = Vec::new();
    for heading in outline.headings.iter().filter(|heading| heading.level == 2) {
        let is_article =
            heading.title.get(..7).is_some_and(|word| word.eq_ignore_ascii_case("article"));
        if is_article {
            let article =
                Article { title: heading.title.clone(), line: heading.line, rules: Vec::new() };
            articles.push((heading.range.start, article));
        }
    }
    for fence in outline.fences.iter().filter(|fence| fence.info.trim() == "rule") {
        let before = articles.partition_point(|(start, _)| *start < fence.range.start);
        let rule = read(fence, &mut findings);
        match (before.checked_sub(1), rule) {
            (Some(at), Some(rule)) => articles[at].1.rules.push(rule),
            (None, _) => findings.error_with_help(
                At { line: fence.line, ..At::START },
                "this rule belongs to no article",
                "put it below a heading such as `## Article I: …`",
            ),
            (Some(_), None) => {}
        }
    }
    match findings.has_errors() {
        true => Err(findings.into_sorted()),
        false => Ok(articles.into_iter().map(|(_, article)| article).collect()),
    }
}

fn read(fence: &Fence, findings: &mut Findings) -> Option<Rule> {
    // Empty lines in front make the lines of findings those of the whole file.
    let padding = "\n".repeat(usize::try_from(fence.line).unwrap_or_default());
    let root = yaml::parse(&format!("{padding}{}", fence.content), findings)?;
    let of = Fields::read(&root, &KEYS, findings)?;
    let asked: Vec<&str> = ["must", "never", "exists", "run", "max_lines"]
        .into_iter()
        .filter(|key| of.get(key).is_some())
        .collect();
    let [asked] = asked.as_slice() else {
        // A key that is not known was meant to be one of them.
        if !findings.has_errors() {
            findings.error_with_help(
                At { line: fence.line, ..At::START },
                "a rule asks for one thing",
                "write one of `must`, `never`, `exists`, `run` and `max_lines`",
            );
        }
        return None;
    };
    let node = of.get(asked)?;
    let pattern = |findings: &mut Findings| {
        let text = fields::filled_text(node, findings)?;
        match regex::RegexBuilder::new(&text.value)
            .size_limit(MAX_PATTERN_BYTES)
            .multi_line(true)
            .build()
        {
            Ok(pattern) => Some(pattern),
            Err(_) => {
                findings.error_with_help(
                    text.at,
                    "this is no regular expression",
                    "escape what is meant as it is with `\\`",
                );
                None
            }
        }
    };
    let kind = match *asked {
        "must" => RuleKind::Must(pattern(findings)?),
        "never" => RuleKind::Never(pattern(findings)?),
        "exists" => RuleKind::Exists(paths(&of, "exists", findings)),
        "run" => RuleKind::Run(fields::filled_text(node, findings)?.value),
        _ => RuleKind::MaxLines(fields::small_count(node, 1, findings)?),
    };
    Some(Rule { line: fence.line, kind, files: paths(&of, "in", findings) })
}

fn paths(of: &Fields<'_>, key: &str, findings: &mut Findings) -> Vec<String> {
    let Some(node) = of.get(key) else { return Vec::new() };
    let mut paths = Vec::new();
    for node in fields::one_or_more(node) {
        let Some(text) = fields::filled_text(node, findings) else { continue };
        match glob::stays_inside(&text.value) {
            Ok(()) => paths.push(text.value),
            Err(bad) => findings.error_with_help(
                text.at,
                bad.to_string(),
                "name files from the top of the repository",
            ),
        }
    }
    paths
}

impl Rule {
    /// Returns the line where a file breaks the rule, `Some(1)` where it is about the whole file.
    pub fn broken_by(&self, text: &str) -> Option<u32> {
        let line =
            |at: usize| u32::try_from(text[..at].matches('\n').count() + 1).unwrap_or(u32::MAX);
        match &self.kind {
            RuleKind::Must(pattern) => (!pattern.is_match(text)).then_some(1),
            RuleKind::Never(pattern) => pattern.find(text).map(|found| line(found.start())),
            RuleKind::MaxLines(most) => {
                let most = usize::try_from(*most).unwrap_or(usize::MAX);
                (text.lines().count() > most)
                    .then(|| u32::try_from(most).unwrap_or(u32::MAX).saturating_add(1))
            }
            RuleKind::Exists(_) | RuleKind::Run(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# Constitution\n\n## Article I: No secrets\n\n```rule\nnever: \"AKIA[0-9A-Z]{4}\"\nin: \"**/*.ts\"\n```\n\n\
        ```rule\nexists: [README.md, LICENSE]\n```\n\n## Article II: Be kind\nWords.\n\n## Article III: Small files\n\n```rule\nmax_lines: 2\n```\n\n```rule\nrun: make lint\n```\n\n```rule\nmust: ^# License\n```\n";

    #[test]
    fn articles_have_rules_or_are_for_people() {
        let articles = constitution(TEXT, "constitution.md").unwrap();
        let seen: Vec<_> =
            articles.iter().map(|a| (a.title.as_str(), a.line, a.rules.len())).collect();
        assert_eq!(
            seen,
            [
                ("Article I: No secrets", 3, 2),
                ("Article II: Be kind", 14, 0),
                ("Article III: Small files", 17, 3)
            ]
        );
        assert_eq!(articles[0].rules[0].files, ["**/*.ts"]);
        assert!(matches!(&articles[0].rules[1].kind, RuleKind::Exists(files) if files.len() == 2));
        assert!(
            matches!(&articles[2].rules[1].kind, RuleKind::Run(command) if command == "make lint")
        );
    }

    #[test]
    fn a_file_breaks_a_rule_in_a_line() {
        let articles = constitution(TEXT, "constitution.md").unwrap();
        let (secrets, small, licence) =
            (&articles[0].rules[0], &articles[2].rules[0], &articles[2].rules[2]);
        assert_eq!(secrets.broken_by("a\nkey AKIA1234\n"), Some(2));
        assert_eq!(secrets.broken_by("a\n"), None);
        assert_eq!((small.broken_by("a\nb\n"), small.broken_by("a\nb\nc\n")), (None, Some(3)));
        assert_eq!(
            (licence.broken_by("x\n# License\n"), licence.broken_by("x\n")),
            (None, Some(1))
        );
    }

    #[test]
    fn mistakes_have_their_line() {
        let rule = |rule: &str| format!("## Article I: A\n\n```rule\n{rule}\n```\n");
        for (text, place) in [
            ("```rule\nrun: a\n```\n".to_owned(), "c.md:1:1: this rule belongs to no article"),
            (rule("never: \"(\""), "c.md:4:8: this is no regular expression"),
            (rule("never: a\nmust: b"), "c.md:3:1: a rule asks for one thing"),
            (rule("nevr: a"), "c.md:4:1: unknown key of a rule: `nevr`"),
            (rule("exists: ../x"), "c.md:4:9:"),
            (rule("max_lines: 0"), "c.md:4:12:"),
        ] {
            let found = constitution(&text, "c.md").unwrap_err();
            assert!(found[0].to_string().starts_with(place), "{text}: {}", found[0]);
        }
    }
}
