//! What the HTML report says of stories.

use maud::{Markup, html as page};

use super::html::prose;
use super::inline::{cost, short};
use super::projection::ReportView;
use crate::view::gates::QualityGateView;
use crate::view::progress::ProgressView;
use crate::view::quiet::one_line;
use crate::view::stories::StoryStatus;
use crate::view::story_detail::{CriterionTrace, StoryDetail};

/// How many proofs of a gate are listed; the rest is only counted.
const MAX_PROOFS: usize = 20;

/// How far an unfinished run has come.
pub(super) fn progress(view: &ReportView) -> Markup {
    page! {
        @if let Some(progress) = &view.progress { (progress_panel(progress)) }
    }
}

fn progress_panel(progress: &ProgressView) -> Markup {
    page! {
        h2 { "Progress" }
        p { (progress.counts.words()) }
        @if let Some(story) = &progress.current {
            p { "In hand: " strong { (story.id) } " " (one_line(&story.title)) ", " (story.status.as_str()) }
        }
        @if !progress.blockers.is_empty() {
            div.panel { ul { @for blocker in &progress.blockers { li.bad { (prose(blocker)) } } } }
        }
        p.soft {
            (progress.runtime) " since the start, " (progress.budget.wall_ms) " of work; cost: "
            (cost(&progress.budget))
        }
    }
}

/// The stories, what stands behind their criteria, and the gates.
pub(super) fn stories(view: &ReportView) -> Markup {
    page! {
        @if !view.stories.is_empty() {
            h2 { "Stories" }
            @for detail in &view.stories { (story(detail)) }
        }
        @if !view.gates.is_empty() {
            h2 { "Checklist" }
            div.panel { @for gate in &view.gates { (gate_row(gate)) } }
        }
    }
}

fn story(detail: &StoryDetail) -> Markup {
    let view = &detail.story;
    let tone = match view.status {
        StoryStatus::Completed => "good",
        StoryStatus::Blocked => "bad",
        StoryStatus::InProgress | StoryStatus::Testing | StoryStatus::Review => "busy",
        StoryStatus::Pending | StoryStatus::Skipped => "soft",
    };
    page! {
        h3 { (view.id) " " (one_line(&view.title)) }
        div.panel {
            p {
                span class=(tone) { (view.status.as_str()) }
                @if let Some(size) = view.size { span.soft { ", size " (size.as_str()) } }
                span.soft { ", " (view.iterations) " iterations" }
                @if !view.checks.words().is_empty() { ", " (view.checks.words().join(", ")) }
                @if let Some(note) = &detail.note { ": " (prose(note)) }
            }
            ul {
                @for criterion in &detail.criteria { (criterion_row(criterion)) }
                @for remark in &detail.remarks {
                    li { (prose(&remark.remark.words())) " " span.soft.mono { (remark.step) } }
                }
            }
        }
    }
}

fn criterion_row(criterion: &CriterionTrace) -> Markup {
    page! {
        li {
            strong { (criterion.id) } " " (prose(&criterion.text)) " "
            span.soft { (criterion.verdict.map_or("not judged", |verdict| verdict.as_str())) }
            @for test in &criterion.tests { " " code { (one_line(test)) } }
            @if let Some(commit) = &criterion.commit { span.soft { ", commit " code { (short(commit)) } } }
        }
    }
}

fn gate_row(gate: &QualityGateView) -> Markup {
    let more = gate.proofs.len().saturating_sub(MAX_PROOFS);
    page! {
        details {
            summary {
                span class=(if gate.holds { "good" } else { "bad" }) {
                    (if gate.holds { "proven" } else { "not proven" })
                }
                " " (gate.what)
            }
            div.inside { ul {
                @for proof in gate.proofs.iter().rev().take(MAX_PROOFS) {
                    li { (prose(&proof.summary)) " " span.soft.mono { (proof.step) } }
                }
                @if more > 0 { li.soft { (more) " earlier proofs" } }
                @for step in &gate.waived { li.busy { "waived: " code { (step) } } }
                @for step in &gate.missing { li.bad { "not proven: " code { (step) } } }
            } }
        }
    }
}
