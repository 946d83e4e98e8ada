//! The user's own checkout as a place (`--here`).
//!
//! The run's branch is made at the commit that is checked out, so switching to it changes no file
//! and takes no checkout.
//!
//! The user's git may have converted files when it checked them out. A clean checkout must
//! snapshot to exactly the tree of its commit, or every converted file would look changed. So the
//! attributes that the base commit gives those files are pinned in the run's own git directory,
//! for the snapshots and for the verifier's trees; what an agent writes into `.gitattributes` later
//! still has no effect.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use windlass_core::id::ObjectId;

use super::base_store::{BaseStoreError, BaseStores};
use super::diff::TreePath;
use super::engine_repository::EngineRepository;
use super::git_error::GitError;
use super::place::{
    EXCLUDE_LINE, Place, PlaceError, PlaceKind, PlaceRecord, PlaceRequest, create_folders,
    prepare_attributes, refuse_taken_branch,
};
use super::place_files;
use super::process::Git;
use super::run_dir::RunDir;
use super::submodule;
use super::user::{Status, UserRepository};

/// How many paths an error lists.
const MAX_LISTED: usize = 20;

/// The largest ignore file of a repository that is taken over.
const MAX_EXCLUDE_BYTES: u64 = 1024 * 1024;

/// Says that this run is about to make the branch, in case it is killed halfway.
const INTENT_FILE: &str = "here.intent";

/// What of the user's git directories an attempt must leave as it is.
const GIT_NOTE_FILE: &str = "here-git.json";

/// Leads git to the directory that it takes settings, hooks and objects from.
const COMMONDIR: &str = "commondir";

/// What a `commondir` of an agent's is renamed to; git knows no such name.
const COMMONDIR_ASIDE: &str = "commondir.set-aside-by-windlass";

/// Names in a git directory that lead git elsewhere, or to programs.
const LEADING: [&str; 4] = [COMMONDIR, "config.worktree", "hooks", "info/attributes"];

/// What stood in the user's git directories when an attempt began.
#[derive(Debug, Serialize, Deserialize)]
struct GitNote {
    /// The directories, by device and number.
    stand: Vec<(PathBuf, Option<(u64, u64)>)>,
    /// What was not there.
    missing: Vec<PathBuf>,
}

/// The attributes that change bytes between a checkout and its commit.
const CONVERTING: [&str; 6] = ["text", "eol", "crlf", "ident", "filter", "working-tree-encoding"];

impl Place {
    /// Makes the user's checkout the place of a run, or opens it where that was done before.
    pub fn here(
        engine: &EngineRepository,
        user: &UserRepository,
        request: &PlaceRequest,
    ) -> Result<Self, PlaceError> {
        if let Some(place) = Self::open_complete(engine, &request.run_dir)? {
            return Ok(place);
        }
        let mut dirty = Status::read(&user.top_level)?.dirty;
        dirty.retain(|path| !path.starts_with(b".windlass/run/"));
        if !dirty.is_empty() {
            return Err(PlaceError::Dirty { paths: listed(&dirty) });
        }
        let intent = request.run_dir.join(INTENT_FILE);
        if !fs_err::read_to_string(&intent).is_ok_and(|branch| branch == request.branch) {
            refuse_taken_branch(user, &request.branch)?;
        }
        engine.ensure_has(user, &request.base)?;
        // From now on an agent can write the objects that the engine's were linked from.
        engine.unshare_objects()?;
        if let Some(stores) = &request.base_stores {
            BaseStores::at(stores).unshare().map_err(BaseStoreError::Io)?;
        }
        let run_dir = RunDir::create(&request.run_dir, engine)?;
        let exclude = Path::new("info/exclude");
        let users = place_files::read_file_bounded(&user.common_dir, exclude, MAX_EXCLUDE_BYTES)
            .unwrap_or_default();
        // The user's own rules hold, too, as they are now: git shows the checkout clean by them.
        let mut rules = user
            .excludes_file
            .as_ref()
            .and_then(|file| fs_err::read(file).ok())
            .unwrap_or_default();
        rules.push(b'\n');
        rules.extend_from_slice(&users);
        rules.extend_from_slice(format!("\n{}\n", place_files::TEMPORARIES).as_bytes());
        fs_err::write(run_dir.path("info/exclude"), rules)?;
        let attributes = prepare_attributes(&run_dir, user, request)?;
        let mut submodules = submodule::list(&run_dir, &user.top_level, user)?;
        for known in &mut submodules {
            let folder = user.top_level.join(super::process::path_from_bytes(&known.path));
            known.fingerprint = Some(submodule::fingerprint(&folder)?);
        }
        let record = PlaceRecord {
            kind: PlaceKind::Here,
            root: user.top_level.clone(),
            git_dir: user.git_dir.clone(),
            common_dir: user.common_dir.clone(),
            branch: request.branch.clone(),
            base: request.base.clone(),
            submodules,
            borrows: None,
        };
        let place = Self::with(record, engine, run_dir);
        place.pin_attributes(user, attributes)?;
        fs_err::write(&intent, &request.branch)?;
        switch_branch(user, request)?;
        if !users.split(|&byte| byte == b'\n').any(|line| line == EXCLUDE_LINE.as_bytes()) {
            let mut text = users;
            if !text.is_empty() && !text.ends_with(b"\n") {
                text.push(b'\n');
            }
            text.extend_from_slice(EXCLUDE_LINE.as_bytes());
            text.push(b'\n');
            place_files::write_file(&user.common_dir, exclude, &text)?;
        }
        create_folders(&user.top_level)?;
        place.write_record()?;
        Ok(place)
    }

    /// Notes what of the user's git directories an attempt must leave as it is; a note of an attempt
    /// whose driver died stays.
    pub fn note_git_directory(&self) -> io::Result<()> {
        let note = self.run_dir.path(GIT_NOTE_FILE);
        if self.record.kind != PlaceKind::Here || note.exists() {
            return Ok(());
        }
        // Git makes both itself. A box shows them so that they can only be read, and what is not there
        // could be made.
        for folder in ["hooks", "info"] {
            place_files::create_dir(&self.record.common_dir, Path::new(folder))
                .map_err(io::Error::other)?;
        }
        let bytes = serde_json::to_vec(&self.git_note())?;
        let folder = self.run_dir.path("");
        place_files::write_file(&folder, Path::new(GIT_NOTE_FILE), &bytes).map_err(io::Error::other)
    }

    /// Returns what changed since [`note_git_directory`](Self::note_git_directory), for people; nothing
    /// if there is no note. The note goes with a look that found nothing.
    ///
    /// A `commondir` that was made is renamed: every git of the user would follow it, and no person makes
    /// one. All else is left to a person, who may have made it.
    pub fn changed_git_directory(&self) -> io::Result<Vec<String>> {
        let file = self.run_dir.path(GIT_NOTE_FILE);
        let noted = match fs_err::read(&file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            read => read?,
        };
        let noted: GitNote = serde_json::from_slice(&noted)
            .map_err(|error| io::Error::other(format!("{}: {error}", file.display())))?;
        let now = self.git_note();
        let mut changed = Vec::new();
        for (path, before) in &noted.stand {
            if now.stand.iter().any(|(other, now)| other == path && now != before) {
                changed.push(format!("`{}` was replaced", path.display()));
            }
        }
        for path in noted.missing.iter().filter(|path| !now.missing.contains(path)) {
            let made = format!("`{}` was made", path.display());
            if path.ends_with(COMMONDIR) {
                let aside = path.with_file_name(COMMONDIR_ASIDE);
                fs_err::rename(path, &aside)?;
                changed.push(format!("{made}, and is now `{}`", aside.display()));
            } else {
                changed.push(made);
            }
        }
        if changed.is_empty() {
            fs_err::remove_file(&file)?;
        }
        Ok(changed)
    }

    fn git_note(&self) -> GitNote {
        use std::os::unix::fs::MetadataExt as _;
        let PlaceRecord { root, git_dir, common_dir, .. } = &self.record;
        let mut stand = Vec::new();
        for path in [&root.join(".git"), git_dir, common_dir] {
            let found = path.symlink_metadata().ok();
            let found = found.map(|found| (found.dev(), found.ino()));
            if !stand.iter().any(|(other, _)| other == path) {
                stand.push((path.clone(), found));
            }
        }
        let names = [git_dir, common_dir].into_iter();
        let names = names.flat_map(|folder| LEADING.map(|name| folder.join(name)));
        let mut missing: Vec<PathBuf> =
            names.filter(|path| path.symlink_metadata().is_err()).collect();
        missing.sort();
        missing.dedup();
        GitNote { stand, missing }
    }

    /// Pins attributes until the clean checkout has exactly the tree of its commit.
    fn pin_attributes(&self, user: &UserRepository, mut lines: String) -> Result<(), PlaceError> {
        let base = self.engine.tree_of(&self.record.base)?;
        let differing = self.differing(&base)?;
        if differing.is_empty() {
            return Ok(());
        }
        self.read_base()?;
        lines.push_str(&self.attributes_of(user, &differing)?);
        self.write_attributes(&lines)?;
        let differing = self.differing(&base)?;
        if differing.is_empty() {
            return Ok(());
        }
        // No attribute explains these, so it was the user's `core.autocrlf`.
        self.read_base()?;
        for path in &differing {
            lines.push_str(&format!("{} text eol=crlf\n", pattern(path)));
        }
        self.write_attributes(&lines)?;
        let differing: Vec<_> =
            self.differing(&base)?.iter().map(|path| path.as_bytes().to_vec()).collect();
        if differing.is_empty() {
            return Ok(());
        }
        Err(PlaceError::Filtered { paths: listed(&differing) })
    }

    fn differing(&self, base: &ObjectId) -> Result<Vec<TreePath>, PlaceError> {
        self.add(&[]).run()?;
        let tree = self.write_tree(&self.run_dir.index())?;
        Ok(self.engine.diff(base, &tree)?.into_iter().map(|change| change.path).collect())
    }

    /// Puts the base commit back into the index, without stat data: files are read again.
    fn read_base(&self) -> Result<(), GitError> {
        self.run_dir
            .git(&self.record.root, &self.run_dir.index())
            .args(["read-tree", "--empty"])
            .run()?;
        self.run_dir
            .git(&self.record.root, &self.run_dir.index())
            .args(["read-tree", "--reset", self.record.base.as_str()])
            .run()
            .map(drop)
    }

    fn write_attributes(&self, lines: &str) -> io::Result<()> {
        fs_err::write(self.run_dir.path("info/attributes"), lines)
    }

    /// Asks git which converting attributes the base commit gives to `paths`.
    fn attributes_of(
        &self,
        user: &UserRepository,
        paths: &[TreePath],
    ) -> Result<String, PlaceError> {
        let stdin: Vec<u8> =
            paths.iter().flat_map(|path| path.as_bytes().iter().copied().chain([0])).collect();
        // In the user's git directory, because its `info/attributes` shaped the checkout, too.
        let answer = Git::at(&user.git_dir)
            .work_tree(&user.top_level)
            .index(&self.run_dir.index())
            .args(["check-attr", "--cached", "-z", "--stdin"])
            .args(CONVERTING)
            .stdin(stdin)
            .run()?;
        let mut fields = answer.stdout.split(|&byte| byte == 0);
        let (mut lines, mut filtered) = (String::new(), Vec::new());
        for path in paths {
            lines.push_str(&pattern(path));
            for name in CONVERTING {
                let (Some(_), Some(_), Some(value)) = (fields.next(), fields.next(), fields.next())
                else {
                    return Err(answer.unexpected().into());
                };
                let value = String::from_utf8_lossy(value);
                match &*value {
                    "unspecified" => lines.push_str(&format!(" !{name}")),
                    "unset" => lines.push_str(&format!(" -{name}")),
                    "set" => lines.push_str(&format!(" {name}")),
                    value => {
                        if name == "filter" {
                            filtered.push(path.as_bytes().to_vec());
                        }
                        lines.push_str(&format!(" {name}={value}"));
                    }
                }
            }
            lines.push('\n');
        }
        if filtered.is_empty() {
            return Ok(lines);
        }
        Err(PlaceError::Filtered { paths: listed(&filtered) })
    }
}

/// Makes the run's branch and puts HEAD on it; both again is harmless.
fn switch_branch(user: &UserRepository, request: &PlaceRequest) -> Result<(), GitError> {
    let reference = format!("refs/heads/{}", request.branch);
    let git = || {
        Git::at(&user.git_dir)
            .setting("user.name=windlass")
            .setting("user.email=windlass@localhost")
    };
    git()
        .args(["update-ref", "-m", "windlass: run started", &reference])
        .arg(request.base.as_str())
        .run()?;
    git().args(["symbolic-ref", "-m", "windlass: run started", "HEAD", &reference]).run()?;
    Ok(())
}

/// Writes a path as a quoted pattern that matches nothing but that path.
fn pattern(path: &TreePath) -> String {
    let mut text = String::from("\"/");
    for &byte in path.as_bytes() {
        match byte {
            // Escaped for the pattern, and the escape escaped for the quotes.
            b'*' | b'?' | b'[' => text.push_str(&format!("\\\\{}", char::from(byte))),
            b'\\' => text.push_str("\\\\\\\\"),
            b'"' => text.push_str("\\\""),
            0x20..=0x7e => text.push(char::from(byte)),
            byte => text.push_str(&format!("\\{byte:03o}")),
        }
    }
    text.push('"');
    text
}

fn listed(paths: &[Vec<u8>]) -> Vec<String> {
    let mut shown: Vec<String> = paths
        .iter()
        .take(MAX_LISTED)
        .map(|path| String::from_utf8_lossy(path).into_owned())
        .collect();
    if paths.len() > MAX_LISTED {
        shown.push(format!("and {} more", paths.len() - MAX_LISTED));
    }
    shown
}
