//! A user's repository, an engine and a place in a temporary folder of their own.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use windlass_core::id::ObjectId;
use windlass_core::proof::Trouble;
use windlass_core::snapshot::Snapshot;
use windlass_core::time::Timestamp;
use windlass_engine::git::{
    Checkout, CommitRequest, Committed, EngineRepository, LayerShape, Person, Place, PlaceError,
    PlaceRequest, UserRepository,
};

pub(crate) const BRANCH: &str = "windlass/abcd1234";

pub(crate) struct World {
    dir: TempDir,
}

impl World {
    /// Makes a repository with one commit of a few files.
    pub(crate) fn new() -> Self {
        let world = Self { dir: TempDir::new().unwrap() };
        fs_err::create_dir_all(world.path("home")).unwrap();
        fs_err::create_dir_all(world.user()).unwrap();
        git(&world.user(), ["init", "-q", "-b", "main"]);
        world.write_user("README", "hello\n");
        world.write_user("src/main.rs", "fn main() {}\n");
        world.write_user(".gitignore", "target/\n");
        world.commit_user("first");
        world
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        fs_err::canonicalize(self.dir.path()).unwrap().join(name)
    }

    pub(crate) fn user(&self) -> PathBuf {
        self.path("user")
    }

    pub(crate) fn write_user(&self, name: &str, text: &str) {
        write(&self.user().join(name), text);
    }

    pub(crate) fn commit_user(&self, message: &str) -> ObjectId {
        git(&self.user(), ["add", "-A"]);
        git(&self.user(), ["commit", "-q", "--allow-empty", "-m", message]);
        ObjectId::new(git(&self.user(), ["rev-parse", "HEAD"]))
    }

    pub(crate) fn discover(&self) -> UserRepository {
        UserRepository::discover(&self.user()).unwrap()
    }

    pub(crate) fn engine(&self, user: &UserRepository) -> EngineRepository {
        EngineRepository::open_or_create(&self.path("state/engine.git"), user).unwrap()
    }

    pub(crate) fn request(&self, user: &UserRepository) -> PlaceRequest {
        PlaceRequest {
            dir: self.path("data/place"),
            run_dir: self.path("state/run"),
            branch: BRANCH.to_owned(),
            base: user.commit.clone(),
            lfs_filter: Some(lfs_filter()),
            base_stores: Some(self.path("state/base")),
        }
    }

    pub(crate) fn start(&self) -> Run {
        self.start_from(self.discover())
    }

    pub(crate) fn start_from(&self, user: UserRepository) -> Run {
        let engine = self.engine(&user);
        let place = Place::create_clone(&engine, &user, &self.request(&user)).unwrap();
        Run::new(user, engine, place)
    }

    pub(crate) fn try_here(&self) -> Result<Run, PlaceError> {
        let user = self.discover();
        let engine = self.engine(&user);
        let place = Place::here(&engine, &user, &self.request(&user))?;
        Ok(Run::new(user, engine, place))
    }

    /// A folder for what a fresh clone would have.
    pub(crate) fn clone_of(&self, run: &Run) -> FreshClone<'_> {
        let git_dir = self.path("cache/git");
        let store = self.path("state/run/lfs");
        let checkout =
            Checkout::open_or_create(&git_dir, &run.engine, &run.user, &lfs_filter(), &store);
        FreshClone { world: self, checkout: checkout.unwrap() }
    }
}

/// What a fresh clone would have, of one tree after the other.
pub(crate) struct FreshClone<'w> {
    world: &'w World,
    checkout: Checkout,
}

impl FreshClone<'_> {
    pub(crate) fn dir(&self) -> PathBuf {
        self.world.path("cache/tree")
    }

    pub(crate) fn checkout(&self, run: &Run, tree: &ObjectId) {
        let (dir, index) = (self.dir(), self.world.path("cache/index"));
        let _ = fs_err::remove_dir_all(&dir);
        let _ = fs_err::remove_file(&index);
        fs_err::create_dir_all(&dir).unwrap();
        self.checkout.whole(tree, &dir, &index).unwrap();
        run.place.fill_submodules_in(&dir, &self.world.path("cache")).unwrap();
    }

    /// Checks out what differs from the base, as a layer of its own.
    pub(crate) fn changes(&self, run: &Run, tree: &ObjectId) -> (PathBuf, LayerShape) {
        let base = run.engine.tree_of(&run.user.commit).unwrap();
        self.checkout(run, &base);
        let (layer, index) = (self.world.path("cache/layer"), self.world.path("cache/index"));
        let _ = fs_err::remove_dir_all(&layer);
        fs_err::create_dir_all(&layer).unwrap();
        let shape = self.checkout.changes((&base, &self.dir()), tree, &layer, &index).unwrap();
        (layer, shape)
    }
}

/// A run in its place.
pub(crate) struct Run {
    pub(crate) user: UserRepository,
    pub(crate) engine: EngineRepository,
    pub(crate) place: Place,
    pub(crate) last: Committed,
}

impl Run {
    fn new(user: UserRepository, engine: EngineRepository, place: Place) -> Self {
        let tree = engine.tree_of(&user.commit).unwrap();
        let last = Committed { commit: user.commit.clone(), tree };
        Self { user, engine, place, last }
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.place.root().to_owned()
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        write(&self.root().join(name), text);
    }

    pub(crate) fn git<const N: usize>(&self, arguments: [&str; N]) -> String {
        git(&self.root(), arguments)
    }

    pub(crate) fn observe(&mut self) -> (Snapshot, Vec<Trouble>) {
        self.place.observe(&self.last.commit).unwrap()
    }

    /// Observes a place in which nothing went wrong.
    pub(crate) fn snapshot(&mut self) -> Snapshot {
        let (snapshot, troubles) = self.observe();
        assert_eq!(troubles, []);
        snapshot
    }

    pub(crate) fn files(&self, tree: &ObjectId) -> Vec<String> {
        self.engine
            .diff(&self.engine.format().empty_tree(), tree)
            .unwrap()
            .iter()
            .map(|change| change.path.to_string())
            .collect()
    }

    pub(crate) fn bytes(&self, tree: &ObjectId, path: impl Into<Vec<u8>>) -> Vec<u8> {
        let path = windlass_engine::git::TreePath::new(path);
        self.engine.read_blob(tree, &path).unwrap().expect("the file is in the tree")
    }

    pub(crate) fn commit(&self, tree: &ObjectId) -> Committed {
        let commit = self
            .engine
            .commit(&CommitRequest {
                parent: self.last.commit.clone(),
                tree: tree.clone(),
                message: "a step\n".to_owned(),
                author: Person::default(),
                committer: Person::default(),
                at: Timestamp(1_700_000_000_123),
            })
            .unwrap();
        Committed { commit, tree: tree.clone() }
    }

    /// Observes, commits and publishes.
    pub(crate) fn publish(&mut self) -> Committed {
        let snapshot = self.snapshot();
        let new = self.commit(&snapshot.code);
        self.place.publish(&self.user, &self.last, &new).unwrap();
        self.last = new.clone();
        new
    }
}

pub(crate) fn write(path: &Path, text: &str) {
    fs_err::create_dir_all(path.parent().unwrap()).unwrap();
    fs_err::write(path, text).unwrap();
}

/// Runs git as a person or an agent would, apart from the machine's own settings.
pub(crate) fn git<A: AsRef<OsStr>>(dir: &Path, arguments: impl IntoIterator<Item = A>) -> String {
    let output = try_git(dir, arguments);
    assert!(output.status.success(), "git: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
}

pub(crate) fn try_git<A: AsRef<OsStr>>(
    dir: &Path,
    arguments: impl IntoIterator<Item = A>,
) -> std::process::Output {
    Command::new("git")
        .current_dir(dir)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", "/nonexistent")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_AUTHOR_NAME", "A")
        .env("GIT_AUTHOR_EMAIL", "a@example.org")
        .env("GIT_COMMITTER_NAME", "A")
        .env("GIT_COMMITTER_EMAIL", "a@example.org")
        .env("GIT_AUTHOR_DATE", "1600000000 +0000")
        .env("GIT_COMMITTER_DATE", "1600000000 +0000")
        .args(["-c", "protocol.file.allow=always"])
        .args(arguments)
        .output()
        .unwrap()
}

/// Finds the example that plays our executable; cargo builds it with the tests.
fn lfs_filter() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    tests.parent().unwrap().with_file_name("examples").join("lfs_filter")
}

/// Makes an executable script.
pub(crate) fn script(path: &Path, text: &str) {
    use std::os::unix::fs::PermissionsExt as _;
    write(path, &format!("#!/bin/sh\n{text}\n"));
    fs_err::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}
