//! The platforms that there are here, and which of them the repository is built with.
//!
//! For each name the first counts: the repository's, then the user's own, then built in. A file that
//! cannot be used still holds its name, and stops whoever wants to know the platform: it may have been
//! the one that matches.

use std::collections::BTreeSet;
use std::path::Path;

use windlass_core::platform::{
    CommandName, Detection, Listing, MAX_PACK_BYTES, Pack, PinnedPlatform, Undecided, Wanted,
    detect, programs_wanted, texts_wanted,
};
use windlass_core::workflow::{Diagnostic, nearest};
use windlass_engine::git::tracked_files;

use crate::builtin;
use crate::commands::render_diagnostic;
use crate::config;
use crate::error::CommandError;
use crate::output::note;
use crate::own_file::{self, Unusable};
use crate::programs;

/// Where a team keeps its platforms.
pub(crate) const FOLDER: &str = ".windlass/platforms";

/// What a platform's file is called.
pub(crate) const FILE: &str = "platform.json";

/// More folders than anybody keeps platforms in.
const MAX_FOLDERS: usize = 200;

/// The largest file that is looked into.
const MAX_TEXT_BYTES: u64 = 256 << 10;

/// One platform, or a file that should be one.
#[derive(Debug)]
pub(crate) struct Found {
    /// The name, which is that of its folder.
    pub(crate) name: String,
    /// Whose it is: `repository`, `user` or `built-in`.
    pub(crate) from: &'static str,
    /// The file; none for a built-in platform.
    pub(crate) file: Option<String>,
    /// What the file holds, as far as it was read.
    pub(crate) source: Vec<u8>,
    pub(crate) read: Result<Pack, Unusable>,
    /// What of the file is not used.
    pub(crate) warnings: Vec<Diagnostic>,
    /// Whose of the same name comes first.
    pub(crate) hidden_by: Option<&'static str>,
}

/// Every platform that there is, the first of each name before those that it hides.
#[derive(Debug)]
pub(crate) struct Platforms {
    all: Vec<Found>,
}

/// Reads every platform that the repository at `top_level` has.
pub(crate) fn load(top_level: &Path) -> Result<Platforms, CommandError> {
    let mut platforms = Platforms { all: Vec::new() };
    for name in names(&top_level.join(FOLDER), FOLDER)? {
        let file = format!("{FOLDER}/{name}/{FILE}");
        let bytes = own_file::read_inside(top_level, &file, MAX_PACK_BYTES);
        platforms.add(name, "repository", file, bytes);
    }
    if let Some(folder) = config::user_folder().map(|folder| folder.join("platforms")) {
        let shown = folder.display().to_string();
        for name in names(&folder, &shown)? {
            let path = folder.join(&name).join(FILE);
            let file = path.display().to_string();
            let bytes = own_file::read(&path, &file, MAX_PACK_BYTES);
            platforms.add(name, "user", file, bytes);
        }
    }
    for builtin in &builtin::PLATFORMS {
        let source = builtin.source.as_bytes();
        let read = Pack::parse(source, &format!("{} (built-in)", builtin.name));
        platforms.push(Found {
            name: builtin.name.to_owned(),
            from: "built-in",
            file: None,
            source: source.to_vec(),
            read: read.map(Pack::shipped).map_err(Unusable::Wrong),
            warnings: Vec::new(),
            hidden_by: None,
        });
    }
    Ok(platforms)
}

/// Returns the folders that hold a platform, in order.
fn names(folder: &Path, shown: &str) -> Result<Vec<String>, CommandError> {
    let unreadable = |error: std::io::Error| {
        CommandError::usage(format!("the platforms in `{shown}` cannot be read: {error}"))
            .hint("make it a folder that you may read, or move it away")
    };
    let entries = match fs_err::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(unreadable)?,
    };
    let entries = entries.collect::<Result<Vec<_>, _>>().map_err(unreadable)?;
    let mut names: Vec<String> = entries
        .into_iter()
        .filter(|entry| entry.path().join(FILE).symlink_metadata().is_ok())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    if names.len() > MAX_FOLDERS {
        let message = format!("`{shown}` has {} platforms, more than {MAX_FOLDERS}", names.len());
        return Err(CommandError::usage(message).hint("move those away that nobody uses"));
    }
    names.sort();
    Ok(names)
}

impl Platforms {
    fn add(
        &mut self,
        name: String,
        from: &'static str,
        file: String,
        bytes: Result<Vec<u8>, Unusable>,
    ) {
        let mut found = Found::read_from(name.clone(), from, file.clone(), bytes);
        found.read = found.read.and_then(|pack| match pack.name == name {
            true => Ok(pack),
            false => Err(Unusable::Refused {
                why: format!("`{file}` is called `{}` inside", pack.name),
                hint: "give the folder and the platform the same name",
            }),
        });
        self.push(found);
    }

    fn push(&mut self, mut found: Found) {
        found.hidden_by = self.get(&found.name).map(|first| first.from);
        self.all.push(found);
    }

    /// Returns all of them, those that others hide included.
    pub(crate) fn all(&self) -> &[Found] {
        &self.all
    }

    /// Returns the one that counts for a name.
    pub(crate) fn get(&self, name: &str) -> Option<&Found> {
        self.all.iter().find(|found| found.name == name)
    }

    /// Returns every name, each once.
    pub(crate) fn names(&self) -> Vec<&str> {
        let names: BTreeSet<&str> = self.all.iter().map(|found| found.name.as_str()).collect();
        names.into_iter().collect()
    }

    /// Returns the platforms that count; one that cannot be used stops here.
    pub(crate) fn usable(&self) -> Result<Vec<Pack>, CommandError> {
        let mut packs = Vec::new();
        for found in self.all.iter().filter(|found| found.hidden_by.is_none()) {
            match &found.read {
                Ok(pack) => packs.push(pack.clone()),
                Err(unusable) => return Err(found.refused(unusable)),
            }
        }
        Ok(packs)
    }

    /// Says that there is no platform of this name.
    pub(crate) fn unknown(&self, name: &str) -> CommandError {
        let error = CommandError::usage(format!("there is no platform `{name}`"));
        match nearest(name, self.names().into_iter()) {
            Some(near) => error.hint(format!("did you mean `{near}`?")),
            None => error.hint(format!("known platforms: {}", self.names().join(", "))),
        }
    }
}

impl Found {
    /// Reads a file, or keeps why it cannot be read.
    pub(crate) fn read_from(
        name: String,
        from: &'static str,
        file: String,
        bytes: Result<Vec<u8>, Unusable>,
    ) -> Self {
        let (source, read) = match bytes {
            Ok(source) => {
                let read = Pack::parse_with_warnings(&source, &file).map_err(Unusable::Wrong);
                (source, read)
            }
            Err(refused) => (Vec::new(), Err(refused)),
        };
        let (read, warnings) = match read {
            Ok((pack, warnings)) => (Ok(pack), warnings),
            Err(unusable) => (Err(unusable), Vec::new()),
        };
        Self { name, from, file: Some(file), source, read, warnings, hidden_by: None }
    }

    /// Prints everything that is wrong with the file, and returns what stops the command.
    pub(crate) fn refused(&self, unusable: &Unusable) -> CommandError {
        match unusable {
            Unusable::Refused { why, hint } => CommandError::usage(why.clone()).hint(*hint),
            Unusable::Wrong(diagnostics) => {
                for diagnostic in diagnostics {
                    note(render_diagnostic(diagnostic, &self.source).trim_end());
                }
                let file = self.file.as_deref().unwrap_or("built-in");
                CommandError::usage(format!("`{file}` is not a platform that can be used"))
            }
        }
    }
}

/// A repository, ready to be looked at.
#[derive(Debug)]
pub(crate) struct Look {
    pub(crate) platforms: Platforms,
    pub(crate) packs: Vec<Pack>,
    pub(crate) listing: Listing,
}

/// Lists what git tracks, and reads the few files whose text decides something.
pub(crate) fn look(top_level: &Path) -> Result<Look, CommandError> {
    let platforms = load(top_level)?;
    let packs = platforms.usable()?;
    for found in platforms.all().iter().filter(|found| !found.warnings.is_empty()) {
        let file = found.file.as_deref().unwrap_or_default();
        let count = found.warnings.len();
        note(&format!("`{file}` is used with {count} warnings: `windlass platform check {file}`"));
    }
    let files = tracked_files(top_level).map_err(CommandError::failure)?;
    let mut listing = Listing::new(files);
    for file in texts_wanted(&packs, &listing) {
        let path = top_level.join(&file);
        // A link may lead anywhere, and what is gone or too large says nothing.
        let is_small = |data: std::fs::Metadata| data.is_file() && data.len() <= MAX_TEXT_BYTES;
        if path.symlink_metadata().is_ok_and(is_small)
            && let Ok(bytes) = fs_err::read(&path)
        {
            listing.add_text(file, String::from_utf8_lossy(&bytes).into_owned());
        }
    }
    for program in programs_wanted(&packs) {
        if programs::is_there(&program) {
            listing.add_program(program);
        }
    }
    Ok(Look { platforms, packs, listing })
}

impl Look {
    /// Says which platform is at home where.
    pub(crate) fn detect(&self, wanted: &Wanted) -> Result<Detection, CommandError> {
        let known = |name: &&str| self.packs.iter().any(|pack| pack.name == **name);
        match wanted.names().find(|name| !known(name)) {
            Some(unknown) => Err(self.platforms.unknown(unknown)),
            None => Ok(detect(&self.packs, &self.listing, wanted)),
        }
    }

    /// Says why a platform does not have a command in its folder, where one thing is missing.
    pub(crate) fn missing(&self, platform: &PinnedPlatform, name: CommandName) -> Option<String> {
        let pack = self.packs.iter().find(|pack| pack.name == platform.pack.name)?;
        pack.missing(name, &platform.root, &self.listing)
    }

    /// Pins what was found.
    pub(crate) fn pin(&self, detection: &Detection) -> Result<Vec<PinnedPlatform>, Undecided> {
        detection.pin(&self.packs, &self.listing)
    }
}

/// Says what to do where the platform is not clear.
pub(crate) fn undecided(undecided: &Undecided) -> CommandError {
    let error = CommandError::usage(undecided.to_string());
    let configured = format!("`platform` in {}", config::REPOSITORY_FILE);
    match undecided {
        Undecided::NoMatch => error
            .hint("only files that git tracks count: `windlass platform list` shows the markers")
            .hint(format!("name one with `--platform NAME`, or with {configured}")),
        Undecided::Tie { folder, packs } => {
            let first = packs.first().map_or("NAME", String::as_str);
            let flag = if folder == "." { first.to_owned() } else { format!("{folder}={first}") };
            error.hint(format!("say which with `--platform {flag}`, or with {configured}"))
        }
        Undecided::Unknown { .. } => error.hint("`windlass platform list` shows all of them"),
        Undecided::TooMany { .. } => {
            error.hint(format!("leave folders out with {configured}: `{{FOLDER: none}}`"))
        }
    }
}
