//! Whole documents with hostile text in every place where others write: a pull request, a report, a
//! draft's beginning, a progress report and the page.

use std::collections::BTreeSet;

use proptest::prelude::*;
use windlass_core::judgement::{CriterionResult, CriterionVerdict, Level, Remark};
use windlass_core::measure::TestsChanged;
use windlass_core::plan::Holds;
use windlass_core::view::{
    self, Changes, Difference, EntryChange, EntryKind, FileChange, ReportFacts, ReportView, Side,
    Trees,
};

use crate::literal::hostile;
use crate::rendered::{acted_on, rendered};
use crate::story::{Story, holds};
use crate::story_report::{WORKFLOW, add, build, facts, said, skip};

/// What windlass itself writes. Without emphasis of others, and without a link or HTML of anybody.
const OWN: [&str; 15] = [
    "document",
    "paragraph",
    "heading",
    "text",
    "code",
    "strong",
    "emph",
    "list",
    "item",
    "taskitem",
    "table",
    "table_row",
    "table_cell",
    "softbreak",
    "block_quote",
];

/// A run whose goal, issue, titles, criteria, tests, remarks, reasons, files and proofs say `text`.
fn told_by(text: &str) -> Story {
    let mut story = Story::with(text, WORKFLOW);
    // Titles with control characters are refused before they get here.
    let title: String = text.chars().filter(|sign| !sign.is_control()).take(150).collect();
    let title = if title.trim().is_empty() { "x".to_owned() } else { title };
    for id in ["S1", "S2", "S3"] {
        add(&mut story, id, &title, facts(&[], text, 2));
    }
    story.attempt("c1");
    story.verified(holds());
    let criteria = || -> Vec<CriterionResult> {
        let verdicts = [CriterionVerdict::Pass, CriterionVerdict::ManualVerificationRequired];
        let ids = ["AC1", "AC2"].iter();
        ids.zip(verdicts).map(|(id, verdict)| said(id, verdict, text)).collect()
    };
    let remark =
        |level| Remark { level, text: text.to_owned(), file: Some(text.to_owned()), line: Some(7) };
    build(&mut story, "S1", criteria(), vec![remark(Level::Suggestion), remark(Level::Info)]);
    skip(&mut story, "S3", &title);
    build(&mut story, "S2", criteria(), Vec::new());
    story.proved_cold(Holds::No, text);
    story
}

/// Trees in which everything says the same.
struct Everywhere<'t>(&'t str);

impl Trees for Everywhere<'_> {
    fn read(&self, _side: Side, _path: &[u8]) -> Option<Vec<u8>> {
        Some(self.0.as_bytes().to_vec())
    }

    fn kind(&self, _path: &[u8]) -> Option<EntryKind> {
        Some(EntryKind::Link)
    }
}

fn report(story: &Story, text: &str) -> ReportView {
    let file = FileChange {
        path: format!("{text}/{text}"),
        status: Difference::Added,
        added: Some(1),
        deleted: None,
    };
    let link = EntryChange {
        path: text.as_bytes().to_vec(),
        old: None,
        new: Some((EntryKind::Link, "0123".to_owned())),
    };
    // As they are made, and as they would be if whoever makes them forgot its quotes.
    let mut notes = view::clone_notes(&[link], &Everywhere(text));
    notes.push(text.to_owned());
    let changes = Some(Changes { code: vec![file], notes, ..Changes::default() });
    let facts = ReportFacts { head: "0123abcd".to_owned(), changes, ..ReportFacts::default() };
    let mut view = view::report_view(story.state(), &story.history, &facts);
    let titled = |words: &mut String| text.clone_into(words);
    for proof in &mut view.proofs {
        titled(&mut proof.summary);
    }
    for step in &mut view.steps {
        titled(&mut step.title);
        step.set_aside = Some(text.to_owned());
    }
    for entry in &mut view.decisions {
        titled(&mut entry.who);
        titled(&mut entry.what);
    }
    view.unchecked = vec![text.to_owned()];
    // A step always has a name.
    view.unprotected = vec![if text.is_empty() { "x" } else { text }.to_owned()];
    view.tests = Some(TestsChanged {
        whole: true,
        before: 2,
        after: 1,
        removed_count: 1,
        removed: vec![text.to_owned()],
        ..TestsChanged::default()
    });
    view.before = Some(text.to_owned());
    view.branch = format!("windlass/{text}");
    view.workflow = text.to_owned();
    view
}

fn documents(text: &str) -> Vec<String> {
    let story = told_by(text);
    let view = report(&story, text);
    let mut without_stories = view.clone();
    without_stories.stories.clear();
    vec![
        view::pull_request_body(&view),
        view::pull_request_body(&without_stories),
        view::markdown(&view),
    ]
}

/// A pull request without the marks of its fold, which windlass writes once.
fn without_fold(document: &str) -> String {
    let begin = "\n<details>\n<summary>Evidence, decisions, steps and cost</summary>\n";
    let Some((before, inside)) = document.split_once(begin) else { return document.to_owned() };
    let inside = inside.strip_suffix("\n</details>\n").expect("the fold ends with the text");
    format!("{before}{inside}")
}

/// What is in a document that windlass does not write itself.
fn of_others(document: &str) -> Vec<&'static str> {
    let found = rendered(&without_fold(document));
    // Windlass's own reference to the issue of the run, whose number nothing hostile here has, and its
    // own times, which forges show as they are.
    let texts = found.texts.iter().map(|text| text.replace("#42", ""));
    let mut acting: Vec<_> = texts.flat_map(|text| acted_on(&text)).collect();
    acting.retain(|pattern| !pattern.starts_with(":["));
    acting.extend(found.elements.difference(&OWN.into_iter().collect()));
    acting
}

/// The tags of a page, without those that quotes of others make.
fn tags(page: &str) -> Vec<&str> {
    let tags =
        page.split('<').skip(1).map(|rest| rest.split_once('>').map_or(rest, |(tag, _)| tag));
    tags.filter(|tag| !matches!(*tag, "code" | "/code")).collect()
}

proptest! {
    // Each case plays a whole run.
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn no_document_has_anything_but_windlass_own_marks(text in hostile()) {
        let headings = |document: &str| -> BTreeSet<String> {
            let lines = document.lines().filter(|line| line.starts_with("## "));
            lines.map(str::to_owned).collect()
        };
        for (document, plain) in documents(&text).iter().zip(documents("plain words")) {
            prop_assert_eq!(of_others(document), Vec::<&str>::new(), "{}", document);
            prop_assert_eq!(headings(document), headings(&plain));
        }
    }

    #[test]
    fn a_page_has_the_same_tags_whatever_others_wrote(text in hostile()) {
        let page = |text: &str| {
            let story = told_by(text);
            view::html(&report(&story, text))
        };
        let (hostile, plain) = (page(&text), page("plain words"));
        prop_assert_eq!(tags(&hostile), tags(&plain));
    }
}
