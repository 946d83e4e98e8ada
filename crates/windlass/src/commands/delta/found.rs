//! Where requirements, deltas and specs are, read without ever leaving the checkout.

use std::path::{Path, PathBuf};

use windlass_core::id::ContentHash;
use windlass_core::markdown::MAX_DOCUMENT_BYTES;
use windlass_core::spec::{Delta, DeltaStatus, Dialect, Spec};
use windlass_core::workflow::nearest;
use windlass_engine::git::place_files::{self, PlaceFileError};
use windlass_engine::git::read_blob;
use windlass_engine::shelf::{Interrupted, Record, RecordKind, Shelf, ShelfError};

use crate::cli::Cli;
use crate::config;
use crate::document;
use crate::error::CommandError;
use crate::output::{Output, note};
use crate::surroundings::Surroundings;

/// The checkout with its documents, and what is kept about them.
pub(super) struct Library {
    pub(super) surroundings: Surroundings,
    /// The folder of requirements.
    folder: String,
    shelf: Option<Shelf>,
}

/// A delta of a requirement.
pub(super) struct Found {
    pub(super) id: String,
    /// Its file, relative to the checkout.
    pub(super) file: String,
    pub(super) bytes: Vec<u8>,
    pub(super) delta: Delta,
    /// The spec that it changes, relative to the checkout.
    pub(super) target: String,
}

/// How far a delta has really come.
pub(super) struct Standing {
    pub(super) status: DeltaStatus,
    /// Why that is another status than the file says.
    pub(super) note: Option<String>,
    pub(super) approved_by: Option<String>,
}

impl Library {
    pub(super) fn open(cli: &Cli) -> Result<Self, CommandError> {
        let surroundings = Surroundings::find(cli)?;
        let folder = config::devflow_folder(&surroundings.site.user.top_level)?;
        let mut library = Self { surroundings, folder, shelf: None };
        if Shelf::is_interrupted(&library.surroundings.site.home) {
            library.shelf()?;
        }
        Ok(library)
    }

    pub(super) fn root(&self) -> &Path {
        &self.surroundings.site.user.top_level
    }

    /// Returns the shelf; what a dead process began is finished first.
    pub(super) fn shelf(&mut self) -> Result<&Shelf, CommandError> {
        if self.shelf.is_none() {
            let (shelf, interrupted) = Shelf::open(&self.surroundings.site.home, self.root())?;
            match interrupted {
                None => {}
                Some(Interrupted::Finished(files)) => {
                    note(&format!("finished a change that was cut off: {}", files.join(", ")));
                }
                Some(Interrupted::TakenBack(file)) => note(&format!(
                    "a change was cut off, and `{file}` has changed since: the change was taken back"
                )),
            }
            self.shelf = Some(shelf);
        }
        self.shelf.as_ref().ok_or_else(|| CommandError::failure("the shelf is gone"))
    }

    /// Reads a document of the checkout; none where it is not there.
    pub(super) fn read(&self, path: &str) -> Result<Option<Vec<u8>>, CommandError> {
        let limit = MAX_DOCUMENT_BYTES as u64;
        match place_files::read_file_bounded(self.root(), Path::new(path), limit) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.is_missing() => Ok(None),
            Err(PlaceFileError::TooLarge { .. }) => Err(document::too_large(path)),
            Err(error) => Err(CommandError::usage(format!("{path}:1: {error}"))
                .hint("documents are plain files of the repository; links are not followed")),
        }
    }

    /// Lists the folders in a folder of the checkout, in order; links are no folders.
    pub(super) fn folders(&self, path: &str) -> Result<Vec<String>, CommandError> {
        let whole: PathBuf = self.root().join(path);
        if place_files::open_folder(self.root(), Path::new(path)).is_err() {
            return Ok(Vec::new());
        }
        let mut names = Vec::new();
        for entry in fs_err::read_dir(whole).map_err(CommandError::failure)? {
            let entry = entry.map_err(CommandError::failure)?;
            let kind = entry.file_type().map_err(CommandError::failure)?;
            if let (true, Ok(name)) = (kind.is_dir(), entry.file_name().into_string()) {
                names.push(name);
            }
        }
        names.sort();
        Ok(names)
    }

    /// Returns the folder of a requirement that is there.
    pub(super) fn requirement(&self, req: &str) -> Result<String, CommandError> {
        if !is_requirement(req) {
            return Err(CommandError::usage(format!("`{req}` is no id of a requirement"))
                .hint("an id is capital letters, `-` and a number, such as REQ-123"));
        }
        let all = format!("{}/requirements", self.folder);
        let known = self.folders(&all)?;
        if known.iter().any(|name| name == req) {
            return Ok(format!("{all}/{req}"));
        }
        let error = CommandError::usage(format!("there is no requirement `{req}` in {all}"));
        Err(match nearest(req, known.iter().map(String::as_str)) {
            Some(near) => error.hint(format!("did you mean `{near}`?")),
            None => error.hint(format!("make the folder {all}/{req} with a PRD.md in it")),
        })
    }

    /// Returns the requirements that there are.
    pub(super) fn requirements(&self) -> Result<Vec<String>, CommandError> {
        let mut names = self.folders(&format!("{}/requirements", self.folder))?;
        names.retain(|name| is_requirement(name));
        Ok(names)
    }

    /// Reads the deltas of a requirement, in the order of their ids.
    pub(super) fn deltas(&self, req: &str, output: &Output) -> Result<Vec<Found>, CommandError> {
        let folder = format!("{}/deltas", self.requirement(req)?);
        let ids = self.folders(&folder)?;
        ids.iter().map(|id| self.load(req, &folder, id, output)).collect()
    }

    /// Reads the delta that is meant by its id, or by its name without the date.
    pub(super) fn delta(
        &self,
        req: &str,
        name: &str,
        output: &Output,
    ) -> Result<Found, CommandError> {
        let folder = format!("{}/deltas", self.requirement(req)?);
        let ids = self.folders(&folder)?;
        let meant: Vec<&String> =
            ids.iter().filter(|id| *id == name || undated(id) == Some(name)).collect();
        match meant.as_slice() {
            [id] => self.load(req, &folder, id, output),
            [] => {
                let error = CommandError::usage(format!("`{req}` has no delta `{name}`"));
                let known = ids.iter().map(|id| undated(id).unwrap_or(id));
                Err(match nearest(name, known) {
                    Some(near) => error.hint(format!("did you mean `{near}`?")),
                    None => error.hint(format!("`windlass delta list {req}` shows them")),
                })
            }
            several => {
                let ids: Vec<&str> = several.iter().map(|id| id.as_str()).collect();
                Err(CommandError::usage(format!("`{req}` has several deltas `{name}`"))
                    .hint(format!("name one with its date: {}", ids.join(", "))))
            }
        }
    }

    fn load(
        &self,
        req: &str,
        folder: &str,
        id: &str,
        output: &Output,
    ) -> Result<Found, CommandError> {
        let file = format!("{folder}/{id}/delta.md");
        let bytes = self.read(&file)?.ok_or_else(|| {
            CommandError::usage(format!("{file}:1: there is no such file"))
                .hint("a folder of a delta has a `delta.md`; remove the folder, or write one")
        })?;
        let text = document::text(&bytes, &file)?;
        let delta = Delta::parse(text, &file, Dialect::Windlass)
            .map_err(|findings| document::refused(&file, &bytes, &findings, output))?;
        for (key, said, meant) in
            [("delta_id", &delta.front.delta_id, id), ("req_id", &delta.front.req_id, req)]
        {
            if said != meant {
                let line =
                    text.lines().position(|line| line.starts_with(key)).map_or(1, |at| at + 1);
                return Err(CommandError::usage(format!(
                    "{file}:{line}: `{key}` is `{said}`, and its folder says `{meant}`"
                ))
                .hint("the two have to agree"));
            }
        }
        let target = self.target(req, delta.front.target.as_deref(), &file)?;
        Ok(Found { id: id.to_owned(), file, bytes, delta, target })
    }

    /// Returns the spec that a delta of a requirement changes, relative to the checkout.
    pub(super) fn target(
        &self,
        req: &str,
        written: Option<&str>,
        file: &str,
    ) -> Result<String, CommandError> {
        let written = written.unwrap_or("PRD.md");
        let module =
            written.strip_prefix("specs/modules/").and_then(|rest| rest.strip_suffix("/spec.md"));
        let plain = |name: &str| {
            !name.is_empty()
                && !name.starts_with('.')
                && name.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c))
        };
        match (written, module) {
            ("PRD.md", _) => Ok(format!("{}/requirements/{req}/PRD.md", self.folder)),
            (_, Some(module)) if plain(module) => Ok(format!("{}/{written}", self.folder)),
            _ => Err(CommandError::usage(format!(
                "{file}:1: `{written}` is no spec that a delta can change"
            ))
            .hint("`target` is PRD.md, or specs/modules/<module>/spec.md")),
        }
    }

    /// Returns the text of a spec; an empty one where it is not there yet.
    pub(super) fn spec_text(&self, path: &str) -> Result<(Option<Vec<u8>>, String), CommandError> {
        let bytes = self.read(path)?;
        let text = document::text(bytes.as_deref().unwrap_or_default(), path)?.to_owned();
        Ok((bytes, text))
    }

    /// Returns what a delta was written against: a text, or none where it does not say.
    pub(super) fn base_text(
        &mut self,
        found: &Found,
        now: &str,
    ) -> Result<Option<String>, CommandError> {
        let Some(base) = found.delta.front.base.clone() else { return Ok(None) };
        let format = self.surroundings.site.user.format;
        if format.blob_name(now.as_bytes()).as_str() == base {
            return Ok(Some(now.to_owned()));
        }
        let stored =
            read_blob(&self.surroundings.site.user, &base).map_err(CommandError::failure)?;
        let bytes = match stored {
            Some(bytes) => Some(bytes),
            None if is_attempt() => None,
            None => self.shelf()?.base(&base, format),
        };
        let bytes = bytes.ok_or_else(|| {
            CommandError::usage(format!("{}:1: the spec that it was written against, git blob {base}, is not in this repository", found.file))
                .hint("fetch the commit that has it, or take `base` out of the front matter: then the delta is applied unchecked")
        })?;
        Ok(Some(document::text(&bytes, &found.target)?.to_owned()))
    }

    /// Says how far a delta has come, by what was recorded and not by what its file says.
    pub(super) fn standing(&mut self, found: &Found) -> Result<Standing, CommandError> {
        let said = found.delta.front.status;
        let plain = |status| Standing { status, note: None, approved_by: None };
        if matches!(said, DeltaStatus::Draft | DeltaStatus::Review) {
            return Ok(plain(said));
        }
        if is_attempt() {
            return Ok(Standing {
                note: Some(format!(
                    "the file says {}; an agent cannot see who decided",
                    said.word()
                )),
                ..plain(DeltaStatus::Review)
            });
        }
        let records = self.shelf()?.records()?;
        let hash = ContentHash::of(&found.bytes);
        let approval = records
            .iter()
            .rev()
            .find(|record| is_about(record, RecordKind::Approved, &found.file, Some(&hash)));
        let by = approval.map(|record| record.entry.person.clone());
        if said == DeltaStatus::Approved {
            return Ok(match by {
                Some(by) => Standing { approved_by: Some(by), ..plain(said) },
                None => Standing {
                    note: Some(
                        "the file says approved, but no person approved these bytes".to_owned(),
                    ),
                    ..plain(DeltaStatus::Review)
                },
            });
        }
        if applied_record(&records, &found.file).is_some() {
            return Ok(plain(said));
        }
        let (_, text) = self.spec_text(&found.target)?;
        let holds = Spec::parse(&text, &found.target, Dialect::Windlass)
            .is_ok_and(|spec| !found.delta.blocks.is_empty() && found.delta.holds_in(&spec));
        Ok(match holds {
            true => Standing {
                note: Some("applied elsewhere: the spec is as it says".to_owned()),
                ..plain(said)
            },
            false => Standing {
                note: Some("the file says applied, but its spec says otherwise".to_owned()),
                ..plain(DeltaStatus::Review)
            },
        })
    }
}

/// Whether this process is an agent's: windlass's own folder is out of its reach.
fn is_attempt() -> bool {
    std::env::var_os("WINDLASS_ATTEMPT").is_some()
}

fn is_about(record: &Record, kind: RecordKind, file: &str, hash: Option<&ContentHash>) -> bool {
    let entry = &record.entry;
    let same = |(document, of): (&String, &ContentHash)| {
        document == file && hash.is_none_or(|hash| hash == of)
    };
    entry.kind == kind && entry.documents.iter().zip(&entry.hashes).any(same)
}

/// Returns the record by which a document was applied, unless it was set back since.
pub(super) fn applied_record<'r>(records: &'r [Record], file: &str) -> Option<&'r Record> {
    let about = |record: &&Record| {
        is_about(record, RecordKind::Applied, file, None)
            || is_about(record, RecordKind::Reverted, file, None)
    };
    records.iter().rev().find(about).filter(|record| record.entry.kind == RecordKind::Applied)
}

/// Whether a text can be the id of a requirement.
pub(super) fn is_requirement(text: &str) -> bool {
    let Some((letters, digits)) = text.rsplit_once('-') else { return false };
    letters.starts_with(|c: char| c.is_ascii_uppercase())
        && letters.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit())
        && (1..=9).contains(&digits.len())
        && digits.bytes().all(|digit| digit.is_ascii_digit())
}

/// Returns the name of a delta without the day in front.
pub(super) fn undated(id: &str) -> Option<&str> {
    let (day, name) = (id.get(..10)?, id.get(11..)?);
    let is_day = day.bytes().enumerate().all(|(at, byte)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    (is_day && id.as_bytes()[10] == b'-').then_some(name)
}

impl From<ShelfError> for CommandError {
    fn from(error: ShelfError) -> Self {
        match &error {
            ShelfError::Changed { .. } | ShelfError::File(_) => Self {
                kind: crate::error::Kind::Usage,
                error: error.into(),
                hints: vec!["look at the file, then try again".to_owned()],
            },
            _ => Self::failure(error),
        }
    }
}
