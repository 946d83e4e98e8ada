//! Making a commit visible: in the user's repository and in the place.
//!
//! Objects are copied file by file: which ones are new is known from comparing the two trees, and
//! the engine never packs, so they lie loose. One that does not (old content that came back) is
//! unpacked first. In the user's repository the branch moves by `git update-ref` with the expected
//! old value; that is the only git process of publishing.
//!
//! Commits that an agent made itself do not become history: windlass's commit has windlass's last
//! commit as its parent, and the agent's files are in its tree. The agent's own commits stay
//! reachable in the place under `refs/windlass/agent/`.

use std::io;
use std::path::{Path, PathBuf};

use windlass_core::id::ObjectId;

use super::git_error::GitError;
use super::lfs;
use super::object::loose_path;
use super::observe::GitFile;
use super::place::{Place, PlaceError, PlaceKind};
use super::place_files::{self, Durability, PlaceFileError};
use super::process::Git;
use super::user::UserRepository;
use crate::fault;

/// Why a commit could not be published.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    /// Somebody else moved the run's branch.
    #[error("the branch `{branch}` was moved by someone else: it is at {found}, not at {expected}")]
    Moved {
        /// The branch.
        branch: String,
        /// Where windlass left it.
        expected: String,
        /// Where it is.
        found: String,
    },
    /// Moving the branch would leave a checkout of the user behind.
    #[error("the branch `{branch}` is checked out in `{path}`: switch to another one there first")]
    CheckedOut {
        /// The branch.
        branch: String,
        /// The git directory of the checkout.
        path: PathBuf,
    },
    /// Git failed.
    #[error("the commit could not be published")]
    Git(#[from] GitError),
    /// A file of the engine could not be read.
    #[error("the engine's objects could not be read")]
    Io(#[from] io::Error),
    /// A file of a repository could not be written.
    #[error("an object or branch could not be written")]
    File(#[from] PlaceFileError),
    /// The place's index could not be replaced.
    #[error("the place could not be brought to the commit")]
    Place(#[from] PlaceError),
}

/// A commit with its tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Committed {
    /// The commit.
    pub commit: ObjectId,
    /// Its tree.
    pub tree: ObjectId,
}

/// The largest object file that is copied as a whole.
const MAX_OBJECT_BYTES: u64 = 4 * 1024 * 1024 * 1024;

impl Place {
    /// Moves the run's branch from `old` to `new`, in the user's repository and in the place.
    ///
    /// `old` is what was published last, or the base. Doing it twice is harmless.
    pub fn publish(
        &mut self,
        user: &UserRepository,
        old: &Committed,
        new: &Committed,
    ) -> Result<(), PublishError> {
        let reference = format!("refs/heads/{}", self.record.branch);
        self.refuse_checked_out(user, &reference)?;
        let mut objects = self.engine.new_objects(&old.tree, &new.tree)?;
        objects.push(new.commit.clone());
        let loose = self.loose_objects(&objects)?;
        lfs::publish(&self.run_dir, user)?;
        copy_objects(&loose, &user.common_dir, Path::new("objects"))?;
        fault::point("objects-published");
        self.move_users_branch(user, &reference, old, new)?;
        fault::point("branch-moved");
        if self.record.kind == PlaceKind::PrivateClone {
            copy_objects(&loose, &self.record.root, Path::new(".git/objects"))?;
        }
        self.settle_after(Some(&old.commit), new)
    }

    /// Puts the place's HEAD, branch and index on `at`, whatever the agent did to them.
    ///
    /// No file of the work tree changes. `at` is the commit published last, or the base.
    pub fn settle(&mut self, at: &Committed) -> Result<(), PublishError> {
        self.settle_after(None, at)
    }

    fn settle_after(
        &mut self,
        before: Option<&ObjectId>,
        at: &Committed,
    ) -> Result<(), PublishError> {
        let reference = format!("refs/heads/{}", self.record.branch);
        if self.record.kind == PlaceKind::PrivateClone {
            // Without this, a missing `.git` would be made here, file by file, and not work.
            place_files::open_folder(&self.record.root, Path::new(".git"))?;
        }
        // Locks of git processes that were killed with their agent.
        for (which, lock) in [
            (GitFile::Own, "index.lock".to_owned()),
            (GitFile::Own, "HEAD.lock".to_owned()),
            (GitFile::Common, format!("{reference}.lock")),
        ] {
            let (root, path) = self.git_file(which, &lock);
            place_files::remove_file(&root, &path)?;
        }
        let tip = self.branch_tip();
        if tip.as_ref() != Some(&at.commit) {
            let ours = |tip: &ObjectId| before == Some(tip) || *tip == self.record.base;
            if let Some(tip) = tip.as_ref().filter(|tip| !ours(tip)) {
                self.write_git_file(GitFile::Common, &format!("refs/windlass/agent/{tip}"), tip)?;
            }
            self.write_git_file(GitFile::Common, &reference, &at.commit)?;
            self.log_move(&reference, tip.as_ref(), &at.commit)?;
        }
        fault::point("place-branch-moved");
        let head = format!("ref: {reference}\n");
        if !self.read_git_file(GitFile::Own, "HEAD").is_ok_and(|found| found == head.as_bytes()) {
            let (root, path) = self.git_file(GitFile::Own, "HEAD");
            place_files::write_file(&root, &path, head.as_bytes())?;
        }
        if self.indexed.is_none() {
            self.indexed = self.write_tree(&self.run_dir.index()).ok();
        }
        if self.indexed.as_ref() == Some(&at.tree) {
            let (root, path) = self.git_file(GitFile::Own, "index");
            self.copy_index_to(&root, &path)?;
        }
        Ok(())
    }

    fn write_git_file(
        &self,
        which: GitFile,
        name: &str,
        value: &ObjectId,
    ) -> Result<(), PlaceFileError> {
        let (root, path) = self.git_file(which, name);
        place_files::write_file(&root, &path, format!("{value}\n").as_bytes())
    }

    /// Adds a line to the reflog, so that an agent's own commits are found where git looks.
    fn log_move(
        &self,
        reference: &str,
        old: Option<&ObjectId>,
        new: &ObjectId,
    ) -> Result<(), PlaceFileError> {
        let zero = self.engine.format().zero();
        let line = format!(
            "{} {new} windlass <windlass@localhost> 0 +0000\twindlass: step proven\n",
            old.unwrap_or(&zero)
        );
        let (root, path) = self.git_file(GitFile::Common, &format!("logs/{reference}"));
        place_files::append_file(&root, &path, line.as_bytes())
    }

    fn move_users_branch(
        &self,
        user: &UserRepository,
        reference: &str,
        old: &Committed,
        new: &Committed,
    ) -> Result<(), PublishError> {
        let first = self.record.kind == PlaceKind::PrivateClone && old.commit == self.record.base;
        let expected = if first { self.engine.format().zero() } else { old.commit.clone() };
        let moved = Git::at(&user.common_dir)
            .setting("core.logAllRefUpdates=true")
            .setting("user.name=windlass")
            .setting("user.email=windlass@localhost")
            .args(["update-ref", "--no-deref", "-m", "windlass: step proven", reference])
            .args([new.commit.as_str(), expected.as_str()])
            .run_to_end()?;
        if moved.code == 0 {
            return Ok(());
        }
        let found = Git::at(&user.common_dir)
            .args(["rev-parse", "--verify", "--quiet", reference])
            .run_to_end()?
            .line()?;
        if found == new.commit.as_str() {
            // An earlier call got this far before it was cut off.
            return Ok(());
        }
        if found == expected.as_str() || (found.is_empty() && first) {
            // It is where it should be, so the reason is another one, a lock for instance.
            return Err(moved.into_error().into());
        }
        Err(PublishError::Moved {
            branch: self.record.branch.clone(),
            expected: if first { "no commit".to_owned() } else { expected.to_string() },
            found: if found.is_empty() { "no commit".to_owned() } else { found },
        })
    }

    /// Refuses to move a branch under a checkout of the user other than the place itself.
    ///
    /// HEAD files are read directly; a repository with reftables has none that say anything, so
    /// there this check sees nothing.
    fn refuse_checked_out(
        &self,
        user: &UserRepository,
        reference: &str,
    ) -> Result<(), PublishError> {
        let mut checkouts = vec![user.common_dir.clone()];
        if let Ok(worktrees) = fs_err::read_dir(user.common_dir.join("worktrees")) {
            checkouts.extend(worktrees.flatten().map(|entry| entry.path()));
        }
        let own = self.record.git_dir.as_path();
        for path in checkouts.into_iter().filter(|path| path != own) {
            let head = fs_err::read_to_string(path.join("HEAD")).unwrap_or_default();
            if head.trim_end().strip_prefix("ref: ") == Some(reference) {
                return Err(PublishError::CheckedOut { branch: self.record.branch.clone(), path });
            }
        }
        Ok(())
    }

    /// Copies commits into the user's repository.
    pub(super) fn copy_to_user(
        &self,
        user: &UserRepository,
        commits: &[ObjectId],
    ) -> Result<(), PublishError> {
        let loose = self.loose_objects(commits)?;
        copy_objects(&loose, &user.common_dir, Path::new("objects"))
    }

    /// Returns the files of `objects`, unpacking those that lie in a pack.
    fn loose_objects(&self, objects: &[ObjectId]) -> Result<Vec<(PathBuf, PathBuf)>, PublishError> {
        let store = self.engine.objects();
        let mut files = Vec::with_capacity(objects.len());
        let mut packed = Vec::new();
        for id in objects {
            let relative = loose_path(id);
            let file = store.join(&relative);
            if file.is_file() {
                files.push((file, relative));
            } else {
                packed.push(id);
            }
        }
        if packed.is_empty() {
            return Ok(files);
        }
        let unpacked = self.run_dir.path("unpacked");
        fs_err::create_dir_all(&unpacked)?;
        let names: String = packed.iter().map(|id| format!("{id}\n")).collect();
        let pack = self
            .engine
            .git()
            .args(["pack-objects", "--quiet", "--stdout"])
            .stdin(names.into_bytes())
            .run()?
            .stdout;
        self.run_dir
            .git(&self.record.root, &self.run_dir.index())
            .objects(&unpacked)
            .args(["unpack-objects", "-q"])
            .stdin(pack)
            .run()?;
        files.extend(packed.iter().map(|id| (unpacked.join(loose_path(id)), loose_path(id))));
        Ok(files)
    }
}

/// Copies object files into the folder `objects` below `root`, without following links there.
///
/// A file that is there already is left alone: its name says what it holds, and in a place a
/// forged one deceives only the agent who forged it. An empty one is the trace of a power failure.
fn copy_objects(
    files: &[(PathBuf, PathBuf)],
    root: &Path,
    objects: &Path,
) -> Result<(), PublishError> {
    for (file, relative) in files {
        let target = objects.join(relative);
        if place_files::size_of(root, &target)?.is_some_and(|size| size > 0) {
            continue;
        }
        let folder = file.parent().unwrap_or(Path::new("/"));
        let name = PathBuf::from(file.file_name().unwrap_or_default());
        let bytes = place_files::read_file_bounded(folder, &name, MAX_OBJECT_BYTES)?;
        place_files::write_read_only(root, &target, &bytes, Durability::Remakeable)?;
    }
    Ok(())
}
