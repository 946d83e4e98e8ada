//! Making a private clone.
//!
//! Nothing of the user's repository can be changed through it. Its objects are borrowed from a base
//! store (`base_store`), which a box shows to be read only. Where an attempt is in no box they are
//! copies: an agent could make a shared inode writable and change the user's history through it. It
//! has the user's branches and tags to look at, no remotes, no hooks, and a configuration of a few
//! lines. Its files are the exact bytes of the commit, whatever `.gitattributes` says about line ends.

use std::io;
use std::path::Path;

use windlass_core::id::ObjectId;

use super::base_store::{Lender, Lent};
use super::engine_repository::{EngineRepository, configuration_head};
use super::lfs;
use super::object::ObjectFormat;
use super::place::{
    EXCLUDE_LINE, Place, PlaceError, PlaceKind, PlaceRecord, PlaceRequest, create_folders,
    prepare_attributes, refuse_taken_branch,
};
use super::process::Git;
use super::remove::remove_whole;
use super::run_dir::{EXACT_BYTES, RunDir};
use super::settings_back::{PINNED, PINNED_REFS};
use super::submodule;
use super::user::{Person, UserRepository};

/// The filter for large files of the agent's own git, kept for when its directory is made anew.
const CLONE_FILTER_FILE: &str = "clone-filter.gitconfig";

impl Place {
    /// Makes a private clone, or opens it where it was made before.
    pub fn create_clone(
        engine: &EngineRepository,
        user: &UserRepository,
        request: &PlaceRequest,
    ) -> Result<Self, PlaceError> {
        if let Some(place) = Self::open_complete(engine, &request.run_dir)? {
            return Ok(place);
        }
        refuse_taken_branch(user, &request.branch)?;
        engine.ensure_has(user, &request.base)?;
        let run_dir = RunDir::create(&request.run_dir, engine)?;
        let parent = request.dir.parent().unwrap_or(Path::new("."));
        fs_err::create_dir_all(parent)?;
        let parent = fs_err::canonicalize(parent)?;
        let root = parent.join(request.dir.file_name().unwrap_or_default());
        if root.symlink_metadata().is_ok() {
            return Err(PlaceError::Occupied { path: root });
        }
        let temporary = tempfile::Builder::new().prefix(".making-").tempdir_in(&parent)?;
        let made = temporary.path().join("place");
        let git_dir = made.join(".git");
        fs_err::create_dir_all(&made)?;
        let stores = request.base_stores.as_deref();
        let lender = Lender { stores, engine, run_dir: &run_dir.path("") };
        // Stores stay at least until the record names them.
        let lent = make_git_directory(&git_dir, &lender, user, &request.branch, &request.base)?;
        let attributes = prepare_attributes(&run_dir, user, request)?;
        if let Some(program) = request.lfs_filter.as_ref().filter(|_| attributes != EXACT_BYTES) {
            let filter = lfs::filter_for_clone(&run_dir, user, program, &root)?;
            fs_err::write(run_dir.path(CLONE_FILTER_FILE), filter)?;
        }
        add_filter(&run_dir, &git_dir)?;
        fs_err::copy(git_dir.join("config"), run_dir.path(PINNED))?;
        if git_dir.join("packed-refs").is_file() {
            fs_err::copy(git_dir.join("packed-refs"), run_dir.path(PINNED_REFS))?;
        } else {
            fs_err::write(run_dir.path(PINNED_REFS), "")?;
        }
        run_dir
            .git(&made, &run_dir.index())
            .args(["read-tree", "--reset", "-u", request.base.as_str()])
            .run()?;
        let (submodules, _lent) = submodule::fill(&run_dir, user, &made, &lender)?;
        create_folders(&made)?;
        let record = PlaceRecord {
            kind: PlaceKind::PrivateClone,
            git_dir: root.join(".git"),
            common_dir: root.join(".git"),
            root: root.clone(),
            branch: request.branch.clone(),
            base: request.base.clone(),
            submodules,
            borrows: lent.as_ref().map(|lent| lent.objects.clone()),
        };
        let place = Self::with(record, engine, run_dir);
        place.copy_index_to(&made, Path::new(".git/index"))?;
        // The record goes first: a folder without one is never taken for ours.
        place.write_record()?;
        fs_err::rename(&made, &root)?;
        Ok(place)
    }

    /// Gives a private clone a new git directory, when the agent removed or broke the old one.
    ///
    /// The files stay as they are. `last` is the commit published last, or the base. An agent's
    /// own commits go with the old directory; their files are in the snapshots. `stores` is where base
    /// stores are to borrow from, as in [`PlaceRequest::base_stores`].
    pub fn restore_git_directory(
        &mut self,
        user: &UserRepository,
        last: &ObjectId,
        stores: Option<&Path>,
    ) -> Result<(), PlaceError> {
        if self.record.kind == PlaceKind::Here {
            // The user's own git directory is not ours to replace.
            return Err(PlaceError::Occupied { path: self.record.git_dir.clone() });
        }
        let root = self.record.root.clone();
        let parent = root.parent().unwrap_or(Path::new("."));
        let temporary = tempfile::Builder::new().prefix(".making-").tempdir_in(parent)?;
        let made = temporary.path().join("git");
        let lender = Lender { stores, engine: &self.engine, run_dir: &self.run_dir.path("") };
        let lent = make_git_directory(&made, &lender, user, &self.record.branch, last)?;
        add_filter(&self.run_dir, &made)?;
        // The record goes first: what it names stays, and whatever stands in the place is put back to it.
        self.record.borrows = lent.as_ref().map(|lent| lent.objects.clone());
        // What is made anew of submodules has copies.
        self.record.submodules.iter_mut().for_each(|submodule| submodule.borrows = None);
        self.write_record()?;
        let (git_dir, old) = (root.join(".git"), temporary.path().join("old"));
        match fs_err::rename(&git_dir, &old) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
        // Nothing of the old one is taken over: it is the agent's, or a link to anywhere.
        for submodule in &self.record.submodules {
            submodule.restore_module(&self.run_dir, &made.join("modules"))?;
        }
        fs_err::rename(&made, &git_dir)?;
        self.copy_index_to(&root, Path::new(".git/index"))?;
        if old.is_dir() && !old.is_symlink() {
            remove_whole(&old)?;
        }
        Ok(())
    }
}

/// Makes a git directory with the user's objects, branches and tags, on `branch` at `commit`; returns the
/// store that it borrows from.
fn make_git_directory(
    git_dir: &Path,
    lender: &Lender<'_>,
    user: &UserRepository,
    branch: &str,
    commit: &ObjectId,
) -> Result<Option<Lent>, PlaceError> {
    let lent = lender.clone(&user.top_level, &user.common_dir, git_dir, commit)?;
    configure(git_dir, lender.engine.format(), user.person.as_ref())?;
    let reference = format!("refs/heads/{branch}");
    Git::at(git_dir)
        .args(["update-ref", "-m", "windlass: run started", &reference, commit.as_str()])
        .run()?;
    fs_err::write(git_dir.join("HEAD"), format!("ref: {reference}\n"))?;
    Ok(lent)
}

/// Adds the run's filter for large files, if there is one, to a clone's configuration.
fn add_filter(run_dir: &RunDir, git_dir: &Path) -> io::Result<()> {
    let Ok(filter) = fs_err::read_to_string(run_dir.path(CLONE_FILTER_FILE)) else {
        return Ok(());
    };
    let mut configuration = fs_err::read_to_string(git_dir.join("config"))?;
    configuration.push_str(&filter);
    fs_err::write(git_dir.join("config"), configuration)
}

/// Replaces the configuration that cloning wrote, which names the user's repository as a remote.
fn configure(git_dir: &Path, format: ObjectFormat, person: Option<&Person>) -> io::Result<()> {
    let person = person.cloned().unwrap_or_default();
    let configuration = format!(
        "{}\tbare = false\n\tfilemode = true\n\tlogallrefupdates = true\n\
         [user]\n\tname = {}\n\temail = {}\n",
        configuration_head(format),
        quoted(&person.name),
        quoted(&person.email),
    );
    fs_err::write(git_dir.join("config"), configuration)?;
    fs_err::create_dir_all(git_dir.join("info"))?;
    fs_err::write(git_dir.join("info/exclude"), format!("{EXCLUDE_LINE}\n"))
}

/// Quotes a value for a configuration file.
pub(crate) fn quoted(value: &str) -> String {
    let escaped = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', " ");
    format!("\"{escaped}\"")
}
