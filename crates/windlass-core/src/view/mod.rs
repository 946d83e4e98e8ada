//! Projections of a run for people, for jq and for other programs.
//!
//! One projection each, shared by the command line, the report and whatever comes later, so that
//! two views never disagree.

mod blockers;
mod changes;
mod clone_notes;
mod compact;
mod complete;
mod cost;
mod document;
mod failures;
mod gates;
mod gist;
mod graph;
mod graph_drawing;
mod history;
mod items;
mod kept;
mod left_out;
mod literal;
mod marker;
mod moves;
mod notice;
mod patch;
mod plain;
mod printable;
mod progress;
mod questions;
mod quiet;
mod redact;
mod report;
mod running;
mod status;
mod step_lines;
mod stories;
mod story_detail;
mod trail;
mod why;

pub use blockers::{
    BlockedView, BlockerView, ResolvedView, blocked_views, blocker_instructions, blocker_views,
};
pub use changes::{Changes, Difference, FileChange};
pub use clone_notes::{
    EntryChange, EntryKind, MAX_FOLLOWED, Side, Trees, clone_notes, decides_what_is_cloned,
};
pub use compact::{CompactStory, CompactView, MAX_COMPACT_BYTES, compact_view};
pub use complete::{CompleteView, complete_view};
pub use cost::{CostBy, CostGroup, CostRow, CostSum, CostView, Spend, cost_view};
pub use document::{document, document_for};
pub use failures::{FailureView, Failures};
pub use gates::{QualityGate, QualityGateView, gate_views};
pub use gist::gist;
pub use graph::{GraphFormat, graph};
pub use history::{
    AttemptEntry, ColdEntry, DecisionEntry, History, ProofEntry, StepHistory, describe,
};
pub use items::{ItemView, item_views};
pub use kept::{Fate, Kept, KeptFiles, Work};
pub use left_out::left_out_text;
pub use literal::{cell, prose};
pub use marker::{ESCALATION_REQUIRED, HUMAN_INTERVENTION_NEEDED, escalation, help_block};
pub use notice::{Notice, NoticeKind, notice};
pub use patch::{
    Excerpt, FileLines, LINE_BYTES, LeftOut, Room, binary_part, changed_lines, excerpt, grouped,
    is_shown_as_text, only_added,
};
pub use plain::{plain_line, plain_lines};
pub use printable::{Lines, beginning, printable, printable_bytes, printable_json};
pub use progress::{ProgressCounts, ProgressView, progress_markdown, progress_view};
pub use questions::{AnswerView, ChoiceView, QuestionView, clarifications_text, question_views};
pub use quiet::{SEPARATOR, mentioning_nobody, one_line, pull_request_title, quiet, quiet_except};
pub use redact::Redaction;
pub use report::{
    MAX_PULL_REQUEST_BYTES, ReportAttempt, ReportAudit, ReportCold, ReportCounts, ReportDecision,
    ReportFacts, ReportProof, ReportStep, ReportView, html, markdown, pull_request_body,
    report_view,
};
pub use running::{Doing, GateAhead, RollbackTarget, RunningView, rollback_targets};
pub use status::{
    BudgetView, GateView, NextCommand, RouteView, RunView, SkipView, StatusView, StepView,
    status_view,
};
pub use step_lines::{StepLine, StepLines, Tone, count, failing};
pub use stories::{
    StoryChecks, StoryStatus, StoryView, TddPhase, story_checks, story_status, story_view,
    story_views, tdd_phase,
};
pub use story_detail::{
    CriterionTrace, StoryBlocker, StoryDetail, StoryRemark, StoryStep, TraceProof, story_detail,
};
pub use trail::{Told, TrailError, follow};
pub use why::{Sentence, Why, why};
