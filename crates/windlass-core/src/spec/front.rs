//! The front matter of a delta.

use serde::Serialize;

use crate::markdown::FrontMatter;
use crate::source::At;
use crate::source::diagnostic::Findings;
use crate::source::suggest::{self, shown};

/// How far a delta has come, as its file says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DeltaStatus {
    /// Somebody writes it.
    #[default]
    Draft,
    /// Somebody is to read it.
    Review,
    /// A person accepted it.
    Approved,
    /// It is part of its spec.
    Applied,
}

impl DeltaStatus {
    /// All of them, in their order.
    pub const ALL: [Self; 4] = [Self::Draft, Self::Review, Self::Approved, Self::Applied];

    /// Returns the word that stands in the file.
    pub fn word(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Review => "review",
            Self::Approved => "approved",
            Self::Applied => "applied",
        }
    }
}

/// What the front matter of a delta says; nothing for OpenSpec.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FrontMatterOf {
    /// The delta.
    pub delta_id: String,
    /// The requirement that it belongs to.
    pub req_id: String,
    /// What it is about.
    pub title: String,
    /// When it was made, as it is written.
    pub created_at: String,
    /// How far it has come, as its file says.
    pub status: DeltaStatus,
    /// The spec that it changes, where it names one.
    pub target: Option<String>,
    /// The git blob of the spec that it was written against.
    pub base: Option<String>,
}

/// Reads the keys that a delta needs; what is missing or wrong is reported.
pub(super) fn read_front(front: &FrontMatter, findings: &mut Findings) -> FrontMatterOf {
    let mut of = FrontMatterOf::default();
    for (key, value) in [
        ("delta_id", &mut of.delta_id),
        ("req_id", &mut of.req_id),
        ("title", &mut of.title),
        ("created_at", &mut of.created_at),
    ] {
        match front.text(key, findings) {
            Some((text, _)) => *value = text,
            None => findings.error_with_help(
                At::START,
                format!("the front matter has no `{key}`"),
                format!("add a line `{key}: \"…\"` between the `---`"),
            ),
        }
    }
    if let Some((word, at)) = front.text("status", findings) {
        match DeltaStatus::ALL.into_iter().find(|status| status.word() == word) {
            Some(status) => of.status = status,
            None => {
                let known = DeltaStatus::ALL.map(DeltaStatus::word);
                let help = suggest::help(&word, known.into_iter()).unwrap_or_default();
                findings.error_with_help(at, format!("{} is no status", shown(&word)), help);
            }
        }
    }
    of.target = front.text("target", findings).map(|(text, _)| text);
    if let Some((base, at)) = front.text("base", findings) {
        let is_name = matches!(base.len(), 40 | 64) && base.bytes().all(|b| b.is_ascii_hexdigit());
        match is_name {
            true => of.base = Some(base),
            false => findings.error_with_help(
                at,
                format!("{} is no name of a git object", shown(&base)),
                "`base` is the whole name of the blob that the delta was written against; without it \
                 the delta is applied unchecked",
            ),
        }
    }
    of
}
