//! Files that an agent wrote and that windlass reads as data: stories, questions, reports of judges.

use std::collections::BTreeSet;
use std::path::Path;

use windlass_core::glob;
use windlass_core::judgement::{
    CriterionVerdict, Judgement, Level, MAX_REMARKS, MAX_REPORT_BYTES, Remark, ReportKind, judge,
    remarks,
};
use windlass_core::paper::{MAX_PAPER_BYTES, Mistake};
use windlass_core::plan::{CheckKind, Publish, template};
use windlass_core::proof::VerifyReport;
use windlass_core::question::{self, Phase, Question};
use windlass_core::story::{self, PlannedStory};

use super::baseline::BaselineFiles;
use super::seen::Seen;
use super::verifier::{Broken, Looking, cut};
use crate::git::place_files;

/// What is longer is also kept whole: a prompt shows little of it.
const LONGEST_EXCERPT: usize = 350;

/// What tells a file that was written in this step from an older one.
#[derive(Clone, Copy)]
pub(super) struct Fresh<'f> {
    pub(super) baseline: &'f BaselineFiles,
    pub(super) changed: &'f BTreeSet<String>,
}

/// Returns the glob that matches this path and no other.
pub(super) fn exactly(path: &str) -> String {
    globset::escape(path)
}

/// Returns the files that a report blocks on, for a route.
pub(super) fn blocking_files(report: &VerifyReport) -> Vec<Option<String>> {
    let blocking = report.remarks.iter().filter(|remark| remark.level == Level::Blocking);
    blocking.filter_map(|remark| remark.file.clone()).map(Some).collect()
}

impl Looking<'_> {
    /// Whether a file holds stories that can be worked with, and built if they have to be designed.
    pub(super) fn stories(
        &self,
        file: &str,
        designed: bool,
        planned: &mut Vec<PlannedStory>,
    ) -> Result<Seen, Broken> {
        let text = match self.paper("stories", file) {
            Ok(text) => text,
            Err(seen) => return Ok(*seen),
        };
        let read = story::parse(&text.content);
        let missing = match &read {
            Ok(stories) => {
                let mut missing = story::unwritten(stories, &self.only_named());
                if designed {
                    missing.extend(story::designed(stories));
                }
                missing
            }
            Err(mistakes) => mistakes.clone(),
        };
        if let Ok(stories) = &read
            && missing.is_empty()
        {
            *planned = story::planned(stories);
        }
        let count = read.map_or(0, |read| read.stories.len());
        let words = match (count, designed) {
            (1, true) => "1 story, designed".to_owned(),
            (1, false) => "1 story".to_owned(),
            (_, true) => format!("{count} stories, all designed"),
            (_, false) => format!("{count} stories"),
        };
        self.judged("stories", &text.path, &words, &missing)
    }

    /// The items that somebody only named, by id and title.
    fn only_named(&self) -> Vec<(String, String)> {
        let items = self.request.document["items"].as_array();
        let named = items.into_iter().flatten().filter(|item| {
            item.get("story").is_none_or(serde_json::Value::is_null) && item["status"] == "pending"
        });
        let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        named.map(|item| (text(&item["id"]), text(&item["title"]))).collect()
    }

    /// Whether a file holds questions that can be asked; they are `asked` when the step is proven.
    pub(super) fn questions(
        &self,
        file: &str,
        phase: Phase,
        asked: &mut Vec<Question>,
    ) -> Result<Seen, Broken> {
        let text = match self.paper("questions", file) {
            Ok(text) => text,
            Err(seen) => return Ok(*seen),
        };
        let (count, mistakes) = match question::parse(&text.content, phase) {
            Ok(questions) => {
                *asked = questions;
                (asked.len(), Vec::new())
            }
            Err(mistakes) => (0, mistakes),
        };
        let words = match count {
            0 => format!("no {phase} question"),
            1 => format!("1 {phase} question"),
            _ => format!("{count} {phase} questions"),
        };
        self.judged("questions", &text.path, &words, &mistakes)
    }

    /// Reads a judge's report that was written in this step, and records what it says.
    pub(super) fn verdict_in(
        &self,
        file: &str,
        kind: ReportKind,
        accept: &[String],
        fresh: Fresh<'_>,
        report: &mut VerifyReport,
    ) -> Result<Seen, Broken> {
        let path = match self.path("verdict_in", file) {
            Ok(path) => path,
            Err(seen) => return Ok(*seen),
        };
        let written = CheckKind::File {
            glob: exactly(&path),
            stale_ok: false,
            min_bytes: None,
            contains: None,
        };
        let seen = self.file(&written, fresh.baseline, fresh.changed, &mut report.papers)?;
        if !seen.holds() {
            // Without a report of this step nobody has said anything: the judge has to try again.
            return Ok(seen.renamed("verdict_in"));
        }
        let limit = MAX_REPORT_BYTES as u64 + 1;
        let judgement =
            match place_files::read_file_bounded(self.place.root(), Path::new(&path), limit) {
                Ok(bytes) => self.judge(kind, &bytes)?,
                Err(error) => Judgement::unreadable(kind, error.to_string()),
            };
        let holds = accept.iter().any(|accepted| accepted == judgement.verdict);
        let reason = match judgement.reason == judgement.verdict {
            true => String::new(),
            false => format!(": {}", cut(&judgement.reason, 300)),
        };
        let excerpt = against(&judgement);
        if judgement.faulty {
            // Nothing is said against the work: who wrote the report writes it again.
            let summary = format!("verdict_in `{path}` is not a verdict{reason}");
            return self.explained(Seen::no(summary), excerpt);
        }
        let summary = format!("verdict_in `{path}` is {}{reason}", judgement.verdict);
        report.verdict = Some(judgement.verdict.to_owned());
        (report.remarks, report.criteria) = (judgement.findings, judgement.criteria);
        let seen = Seen::of(holds, summary);
        Ok(if holds { seen } else { self.explained(seen, excerpt)? })
    }

    /// Returns what a judge wrote down who published its verdict: the documents that it wrote in this
    /// step name what it found. The verdict is not read from them.
    pub(super) fn remarks_beside(&self, report: &VerifyReport) -> Vec<Remark> {
        let step = self.request.step;
        let paths = step.publishes.values().filter_map(|publish| match publish {
            Publish::Path(path) => template::fill_context(path, self.request.context).ok(),
            Publish::Value(_) => None,
        });
        let written = paths.filter(|path| report.papers.contains(path));
        let limit = MAX_REPORT_BYTES as u64 + 1;
        let mut remarks: Vec<Remark> = written
            .filter_map(|path| {
                // What cannot be read names nothing; that it is there is another check's business.
                place_files::read_file_bounded(self.place.root(), Path::new(&path), limit).ok()
            })
            .flat_map(|bytes| remarks(&bytes))
            .collect();
        remarks.truncate(MAX_REMARKS);
        remarks
    }

    /// Reads a report. What a tester names as a test has to be there.
    fn judge(&self, kind: ReportKind, bytes: &[u8]) -> Result<Judgement, Broken> {
        let criteria = self.request.document["item"]["story"]["criteria"].as_array();
        let ids: Vec<&str> = criteria
            .into_iter()
            .flatten()
            .filter_map(|criterion| criterion["id"].as_str())
            .collect();
        let mut judgement = judge(kind, bytes, &ids);
        let mut missing = Vec::new();
        for criterion in &judgement.criteria {
            if criterion.verdict != CriterionVerdict::Pass {
                continue;
            }
            for test in &criterion.tests {
                if !self.test_exists(test)? {
                    missing.push(format!("{} → {}", criterion.id, cut(test, 120)));
                }
            }
        }
        if !missing.is_empty() {
            let named = format!("names no test that exists: {}", missing.join(", "));
            judgement.reason = match judgement.verdict == kind.accepting() {
                true => named,
                false => format!("{}; {named}", judgement.reason),
            };
            // Whoever names a test that is not there mends the report; nobody else can.
            judgement.faulty |= judgement.verdict == kind.accepting();
            judgement.verdict = kind.refusing();
        }
        Ok(judgement)
    }

    /// Makes what was seen of a file out of what is wrong with it.
    fn judged(
        &self,
        check: &str,
        path: &str,
        good: &str,
        mistakes: &[Mistake],
    ) -> Result<Seen, Broken> {
        let Some(first) = mistakes.first() else {
            return Ok(Seen::yes(format!("{check} `{path}`: {good}")));
        };
        let more = match mistakes.len() {
            1 => String::new(),
            count => format!(" (and {} more)", count - 1),
        };
        let summary = format!("{check} `{path}`: {}{more}", cut(&first.to_string(), 250));
        let lines: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
        self.explained(Seen::no(summary), lines.join("\n"))
    }

    /// Adds what explains a failure; what is long is also kept for the agent to read whole.
    fn explained(&self, seen: Seen, excerpt: String) -> Result<Seen, Broken> {
        if excerpt.len() <= LONGEST_EXCERPT {
            return Ok(seen.explained(excerpt));
        }
        let evidence = self.verifier.blobs.put(excerpt.as_bytes())?;
        Ok(seen.explained(excerpt).with_evidence(evidence))
    }

    fn path(&self, check: &str, file: &str) -> Result<String, Box<Seen>> {
        let filled = template::fill_context(file, self.request.context).map_err(|missing| {
            Box::new(Seen::unanswered(format!("{check} `{file}`: {missing}")))
        })?;
        match glob::stays_inside(&filled) {
            Ok(()) => Ok(filled),
            Err(bad) => Err(Box::new(Seen::no(format!("{check} `{filled}`: {bad}")))),
        }
    }

    /// Reads a plain file of the place as text.
    fn paper(&self, check: &str, file: &str) -> Result<Paper, Box<Seen>> {
        let path = self.path(check, file)?;
        let limit = MAX_PAPER_BYTES as u64;
        let read = place_files::read_file_bounded(self.place.root(), Path::new(&path), limit);
        let bytes = match read {
            Ok(bytes) => bytes,
            Err(error) if error.is_missing() => {
                return Err(Box::new(Seen::no(format!("{check} `{path}`: no such file"))));
            }
            Err(error) => {
                return Err(Box::new(Seen::unanswered(format!("{check} `{path}`: {error}"))));
            }
        };
        match String::from_utf8(bytes) {
            Ok(content) => Ok(Paper { path, content }),
            Err(_) => Err(Box::new(Seen::no(format!("{check} `{path}`: is not UTF-8 text")))),
        }
    }
}

/// A file that is text.
struct Paper {
    path: String,
    content: String,
}

/// What a report has against the work, line by line.
fn against(judgement: &Judgement) -> String {
    let mut lines = vec![judgement.reason.clone()];
    let blocking = judgement.findings.iter().filter(|remark| remark.level == Level::Blocking);
    lines.extend(blocking.map(|remark| format!("[BLOCKING] {}", remark.text)));
    lines.join("\n")
}
