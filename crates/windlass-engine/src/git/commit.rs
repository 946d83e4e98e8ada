//! Commits, written so that the same request always gives the same object.

use windlass_core::id::ObjectId;
use windlass_core::time::Timestamp;

use super::engine_repository::EngineRepository;
use super::object::{self, Kind};
use super::place_files::PlaceFileError;
use super::user::Person;

/// What a commit says.
#[derive(Clone, Debug)]
pub struct CommitRequest {
    /// The commit before it.
    pub parent: ObjectId,
    /// Its files.
    pub tree: ObjectId,
    /// Its message; it ends in a newline, one is added where it is missing.
    pub message: String,
    /// Who did the work.
    pub author: Person,
    /// Who recorded it.
    pub committer: Person,
    /// The moment of the event that caused it, so that making it twice gives the same object.
    pub at: Timestamp,
}

impl EngineRepository {
    /// Stores a commit. The content alone decides its name: no clock, no configuration.
    pub fn commit(&self, request: &CommitRequest) -> Result<ObjectId, PlaceFileError> {
        let seconds = request.at.0.div_euclid(1000);
        let mut text = format!(
            "tree {}\nparent {}\nauthor {}\ncommitter {}\n\n{}",
            request.tree,
            request.parent,
            signature(&request.author, seconds),
            signature(&request.committer, seconds),
            // A NUL would cut the message off for every reader.
            request.message.replace('\0', "\u{fffd}"),
        );
        if !text.ends_with('\n') {
            text.push('\n');
        }
        object::write(&self.objects(), self.format(), Kind::Commit, text.as_bytes())
    }
}

/// Writes a person the way git does, without the characters that would end the field early.
fn signature(person: &Person, seconds: i64) -> String {
    let clean = |text: &str| -> String {
        let kept: String =
            text.chars().filter(|c| !c.is_control() && !matches!(c, '<' | '>')).collect();
        kept.trim().to_owned()
    };
    format!("{} <{}> {seconds} +0000", clean(&person.name), clean(&person.email))
}
