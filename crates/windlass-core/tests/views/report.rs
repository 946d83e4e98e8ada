//! The report: one projection, nothing in it but what happened, and nothing of it obeyed.

use std::collections::BTreeMap;

use windlass_core::id::ContentHash;
use windlass_core::measure::TestsChanged;
use windlass_core::run::{DecidedFrom, Presence};
use windlass_core::time::Span;
use windlass_core::view::{
    Changes, Difference, FileChange, KeptFiles, ReportAudit, ReportFacts, ReportView, html,
    markdown, pull_request_body, report_view,
};

use super::story::{Story, fails, holds};
use super::why::long_story;

const NASTY: &str =
    "<script>alert(1)</script> & \"quoted\" \x1b[31mred\u{202e} `<b>` | [x](http://evil.example)";

fn view(story: &Story, output: &str) -> ReportView {
    let kept = KeptFiles::of(&story.trail).unwrap();
    let file = |path: &str, added, status| FileChange {
        path: path.to_owned(),
        status,
        added,
        deleted: added,
    };
    let changes = Changes {
        code: vec![
            file("src/sum.rs", Some(10), Difference::Modified),
            file("<img src=x onerror=alert(1)>\n.png", None, Difference::Added),
        ],
        papers: vec![file(".windlass/run/specs/plan.md", Some(3), Difference::Added)],
        notes: vec![
            "`x` links to `/etc/passwd`, outside the repository".to_owned(),
            format!("{NASTY} is new and executable"),
        ],
    };
    let facts = ReportFacts {
        head: "0123abcd".to_owned(),
        audit: Some(ReportAudit { ok: true, records: 60, decisions: 30, problems: Vec::new() }),
        step_changes: BTreeMap::from([("implement".into(), changes.clone())]),
        changes: Some(changes),
        tests: Some(TestsChanged {
            whole: true,
            before: 41,
            after: 39,
            removed_count: 2,
            removed: vec!["test_a".to_owned(), "<b>@org closes #5".to_owned()],
            switched_off: 1,
            ..TestsChanged::default()
        }),
        outputs: BTreeMap::from([(ContentHash::of(b"FAIL sum"), output.to_owned())]),
        fates: kept.list.iter().map(|kept| (kept.name.clone(), kept.fate)).collect(),
        version: "0.0.0".to_owned(),
    };
    report_view(story.state(), &story.history, &facts)
}

#[test]
fn markdown_tells_the_whole_run() {
    insta::assert_snapshot!(markdown(&view(&long_story(), "FAIL sum")));
}

#[test]
fn a_pull_request_says_what_a_fresh_clone_gets_besides_lines() {
    let body = pull_request_body(&view(&long_story(), ""));
    let told =
        "## What a fresh clone gets\n\n- `x` links to `/etc/passwd`, outside the repository\n";
    assert!(body.contains(told), "{body}");
}

#[test]
fn html_tells_the_same_run() {
    let view = view(&long_story(), "FAIL sum: expected 4");
    let page = html(&view);
    let body = page.split_once("</style>").unwrap().1;
    insta::assert_snapshot!(body.replace("><", ">\n<"));
    let written = markdown(&view);
    for step in &view.steps {
        assert!(page.contains(step.id.as_str()) && written.contains(step.id.as_str()));
    }
    for decision in &view.decisions {
        assert!(page.contains(&decision.time) && written.contains(&decision.time));
    }
    for attempt in &view.attempts {
        assert!(page.contains(&attempt.id) && written.contains(&attempt.id));
    }
    assert!(page.contains("FAIL sum: expected 4"));
}

#[test]
fn nothing_that_others_wrote_is_obeyed() {
    let mut story = Story::with(NASTY, super::story::WORKFLOW);
    story.attempt("c1");
    story.verified(fails(NASTY, NASTY));
    story.attempt("c2");
    story.verified(holds());
    story.committed();
    story.feedback(NASTY, "c2");
    let mut view = view(&story, NASTY);
    for proof in &mut view.proofs {
        proof.output = Some(NASTY.to_owned());
    }
    for attempt in &mut view.attempts {
        attempt.output = Some(NASTY.to_owned());
        attempt.ended = NASTY.to_owned();
        attempt.confinement = Some(NASTY.to_owned());
    }
    let page = html(&view);
    assert_eq!(page.matches("<script").count(), 0);
    assert_eq!(page.matches("<img").count(), 0);
    assert!(!page.contains("<b>"));
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    for text in [page, markdown(&view)] {
        assert!(!text.contains('\x1b') && !text.contains('\u{202e}'), "{text}");
        assert!(text.contains("\\x1b"));
    }
    let written = markdown(&view);
    assert!(!written.contains("<script") && !written.contains("<img"), "{written}");
    assert!(!written.contains("[x](http"), "{written}");
    // Only the table's own bars: a bar of others would move its cells.
    for row in written.lines().filter(|line| line.starts_with("| ")) {
        let bars = row.replace("\\|", "").matches('|').count();
        assert!([5, 7, 9].contains(&bars), "{row}");
    }
}

#[test]
fn a_page_asks_for_nothing_from_elsewhere() {
    let page = html(&view(&long_story(), "see https://example.org/x.js"));
    assert!(page.contains("content=\"default-src 'none'; style-src 'unsafe-inline'\""));
    // An attribute has quotes around its value, and quotes of others are escaped.
    for word in [" src=\"", " href=\"", "url(", "@import", "<link", "<iframe", "<script"] {
        assert!(!page.contains(word), "{word}");
    }
}

#[test]
fn an_approval_is_told_with_its_terminal_and_how_long_the_gate_was_shown() {
    let mut story = Story::with("Do it", super::story::WORKFLOW);
    story.attempt("c1");
    story.verified(holds());
    story.committed();
    let from = DecidedFrom::Terminal("/dev/pts/3".to_owned());
    story.approve_from(Presence { from, shown: Some(Span::seconds(41)), open: None }, "c1");
    let view = view(&story, "");
    let words = "approved by ann on pts/3, 41s after it was shown: looks right";
    assert_eq!(view.decisions.len(), 1);
    assert!(view.decisions[0].what.ends_with(words), "{:?}", view.decisions);
    for text in [markdown(&view), html(&view), pull_request_body(&view)] {
        assert!(text.contains(words), "{text}");
    }
}
