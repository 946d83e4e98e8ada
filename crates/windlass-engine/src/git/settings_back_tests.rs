use std::os::unix::fs::symlink;
use std::process::Command;

use super::super::engine_repository::EngineRepository;
use super::super::place::PlaceRequest;
use super::super::user::UserRepository;
use super::*;

const BRANCH: &str = "windlass/run";

/// A user's repository and a private clone of it.
struct World {
    dir: tempfile::TempDir,
    user: UserRepository,
    place: Place,
}

impl World {
    fn new() -> Self {
        Self::with(|_| {})
    }

    fn with(prepare: impl FnOnce(&Path)) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let user = dir.path().join("user");
        fs_err::create_dir_all(&user).unwrap();
        git(&user, &["init", "-q", "-b", "main"]);
        fs_err::write(user.join("file"), "one\n").unwrap();
        prepare(&user);
        git(&user, &["add", "-A"]);
        git(&user, &["commit", "-qm", "first"]);
        git(&user, &["tag", "-a", "v1", "-m", "v1"]);
        git(&user, &["branch", "other"]);
        let user = UserRepository::discover(&user).unwrap();
        let engine = dir.path().join("state/engine.git");
        let engine = EngineRepository::open_or_create(&engine, &user).unwrap();
        let request = PlaceRequest {
            dir: dir.path().join("data/place"),
            run_dir: dir.path().join("state/run"),
            branch: BRANCH.to_owned(),
            base: user.commit.clone(),
            lfs_filter: None,
            base_stores: Some(dir.path().join("state/base")),
        };
        let place = Place::create_clone(&engine, &user, &request).unwrap();
        Self { dir, user, place }
    }

    fn root(&self) -> &Path {
        self.place.root()
    }

    fn at(&self, name: &str) -> PathBuf {
        self.root().join(".git").join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let at = self.at(name);
        fs_err::create_dir_all(at.parent().unwrap()).unwrap();
        fs_err::write(at, text).unwrap();
    }

    fn git(&self, arguments: &[&str]) -> String {
        git(self.root(), arguments)
    }

    fn refs(&self) -> String {
        self.git(&["for-each-ref", "--format=%(objectname) %(refname)"])
    }

    fn restore(&mut self) {
        let stores = self.dir.path().join("state/base");
        let (user, commit) = (&self.user, &self.user.commit);
        self.place.restore_git_directory(user, commit, Some(&stores)).unwrap();
    }

    /// Puts the settings back and returns what was displaced, by name.
    fn put_back(&self) -> Vec<String> {
        let displaced = self.place.put_settings_back(&self.user.commit).unwrap();
        displaced.into_iter().map(|each| each.path.to_string_lossy().into_owned()).collect()
    }

    /// A repository whose git runs a program that leaves a trace.
    fn monitored(&self, at: &Path) {
        git(self.root(), &["init", "-q", at.to_str().unwrap()]);
        fs_err::write(at.join("x"), "x").unwrap();
        git(at, &["add", "-A"]);
        git(at, &["commit", "-qm", "nested"]);
        let run = format!("touch {}; false", self.trace().display());
        git(at, &["config", "core.fsmonitor", &run]);
    }

    fn trace(&self) -> PathBuf {
        self.dir.path().join("trace")
    }
}

fn git(dir: &Path, arguments: &[&str]) -> String {
    let person = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
    let output = Command::new("git")
        .current_dir(dir)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", "/nonexistent")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .args(person)
        .args(["-c", "protocol.file.allow=always"])
        .args(arguments)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {arguments:?}: {said}");
    String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
}

#[test]
fn a_place_that_nobody_touched_stays_as_it_is() {
    let world = World::new();
    let before = world.refs();
    assert_eq!(world.put_back(), [""; 0]);
    assert_eq!(world.refs(), before);
    world.git(&["pack-refs", "--all"]);
    assert_eq!(world.put_back(), [""; 0], "packing changes nothing");
    assert_eq!(world.refs(), before);
}

#[test]
fn a_git_directory_that_is_a_file_or_a_link_is_none_and_is_made_anew() {
    let mut world = World::new();
    let elsewhere = world.dir.path().join("elsewhere");
    fs_err::rename(world.at(""), &elsewhere).unwrap();
    fs_err::create_dir_all(elsewhere.join("modules/kept")).unwrap();
    for replace in [0, 1, 2] {
        let _ = fs_err::remove_dir_all(world.at(""));
        match replace {
            0 => {}
            1 => fs_err::write(world.root().join(".git"), "gitdir: ../../elsewhere\n").unwrap(),
            _ => symlink(&elsewhere, world.root().join(".git")).unwrap(),
        }
        assert!(!world.place.has_git_directory());
        assert_eq!(world.put_back(), [""; 0]);
        world.restore();
        assert!(world.place.has_git_directory());
        assert_eq!(world.git(&["log", "--format=%s"]), "first");
        assert!(!world.at("modules").exists(), "nothing of the old one is taken over");
        assert!(elsewhere.join("modules/kept").is_dir(), "nothing is taken from where a link led");
    }
}

#[test]
fn branches_of_the_user_are_put_back_however_they_were_moved() {
    let world = World::new();
    let before = world.refs();
    let moved = world.git(&["commit-tree", "HEAD^{tree}", "-m", "moved"]);
    world.git(&["branch", "-f", "main", &moved]);
    world.git(&["tag", "-d", "v1"]);
    assert_eq!(world.put_back(), ["refs/heads/main", "refs/tags/v1"]);
    assert_eq!(world.refs(), before);
    // More than is ever read of a branch, and a link.
    world.write("refs/heads/main", &format!("{moved}\n{}", "\n".repeat(100 << 10)));
    let target = world.dir.path().join("target");
    fs_err::write(&target, format!("{moved}\n")).unwrap();
    symlink(&target, world.at("refs/heads/other")).unwrap();
    world.put_back();
    assert_eq!(world.refs(), before);
    assert_eq!(fs_err::read_to_string(target).unwrap(), format!("{moved}\n"));
    // Where a peeled tag leads is said in the same file.
    let packed = fs_err::read_to_string(world.at("packed-refs")).unwrap();
    let forged: Vec<String> = packed
        .lines()
        .map(|line| if line.starts_with('^') { format!("^{moved}") } else { line.to_owned() })
        .collect();
    world.write("packed-refs", &(forged.join("\n") + "\n"));
    world.put_back();
    assert_eq!(fs_err::read_to_string(world.at("packed-refs")).unwrap(), packed);
}

#[test]
fn other_branches_and_replaced_objects_go_and_the_runs_own_stays() {
    let world = World::new();
    let before = world.refs();
    let old = world.git(&["hash-object", "-w", "file"]);
    fs_err::write(world.root().join("nice"), "nice\n").unwrap();
    let new = world.git(&["hash-object", "-w", "nice"]);
    world.git(&["replace", &old, &new]);
    world.git(&["branch", "mine"]);
    assert_eq!(world.git(&["show", "HEAD:file"]), "nice");
    assert_eq!(world.put_back(), ["refs"]);
    assert_eq!(world.git(&["show", "HEAD:file"]), "one");
    assert_eq!(world.refs(), before);
    // The run's own branch may have moved, also into the list, and so may commits that were kept.
    world.git(&["commit", "-q", "--allow-empty", "-m", "own"]);
    let tip = world.git(&["rev-parse", "HEAD"]);
    let kept = format!("refs/windlass/agent/{tip}");
    world.git(&["update-ref", &kept, &tip]);
    world.git(&["update-ref", "refs/windlass/agent/other", &tip]);
    world.git(&["replace", &old, &new]);
    world.git(&["pack-refs", "--all"]);
    assert_eq!(world.put_back(), ["refs"]);
    assert_eq!(world.git(&["rev-parse", "HEAD", &kept]), format!("{tip}\n{tip}"));
    assert_eq!(world.refs().lines().count(), before.lines().count() + 1);
}

#[test]
fn more_branches_than_can_be_looked_at_go_at_once() {
    let world = World::new();
    let before = world.refs();
    let tip = world.git(&["rev-parse", "HEAD"]);
    for number in 0..=MAX_LOOSE_REFS {
        fs_err::write(world.at(&format!("refs/heads/x{number}")), format!("{tip}\n")).unwrap();
    }
    let mut list = fs_err::read_to_string(world.at("packed-refs")).unwrap();
    list.extend((0..30_000).map(|number| format!("{tip} refs/heads/y{number}\n")));
    world.write("packed-refs", &list);
    let told = world.put_back();
    assert_eq!(told.last().map(String::as_str), Some("refs"), "{told:?}");
    assert_eq!(world.refs(), before);
    // A link in the stead of the folder.
    fs_err::remove_dir_all(world.at("refs")).unwrap();
    symlink(world.user.common_dir.join("refs"), world.at("refs")).unwrap();
    world.put_back();
    assert!(!world.at("refs").is_symlink() && world.user.common_dir.join("refs/heads").is_dir());
}

#[test]
fn an_index_that_hides_changes_is_replaced_and_so_is_what_was_begun() {
    for bit in ["--assume-unchanged", "--skip-worktree"] {
        let world = World::new();
        let tracked = world.git(&["ls-files"]).lines().next().expect("a file").to_owned();
        world.git(&["update-index", bit, &tracked]);
        fs_err::write(world.root().join(&tracked), "evil\n").unwrap();
        assert_eq!(world.put_back(), ["index"], "{bit}");
        assert!(world.git(&["status", "--porcelain"]).contains(&tracked), "{bit}");
    }
    let world = World::new();
    fs_err::create_dir_all(world.at("rebase-merge")).unwrap();
    world.write("rebase-merge/git-rebase-todo", "exec touch /tmp/ran\n");
    assert_eq!(world.put_back(), ["rebase-merge"]);
    assert!(!world.git(&["status"]).contains("rebase"));
}

#[test]
fn an_index_that_leads_into_a_repository_of_the_agents_is_replaced() {
    for split in [false, true] {
        let world = World::new();
        let nested = world.root().join("nested");
        world.monitored(&nested);
        world.git(&["add", "nested"]);
        if split {
            world.git(&["update-index", "--split-index"]);
        }
        assert_eq!(world.put_back(), ["index", "nested/.git/config", "nested/.git/hooks"]);
        let _ = fs_err::remove_file(world.trace());
        assert_eq!(world.git(&["status", "--porcelain"]), "?? nested/");
        assert!(!world.trace().exists());
        // What was added besides stays.
        fs_err::remove_dir_all(&nested).unwrap();
        fs_err::write(world.root().join("new"), "new").unwrap();
        world.git(&["add", "new"]);
        assert_eq!(world.put_back(), [""; 0]);
        assert_eq!(world.git(&["status", "--porcelain"]), "A  new");
    }
}

#[test]
fn settings_and_hooks_of_submodules_are_put_back() {
    let library = tempfile::tempdir().unwrap();
    let library = library.path();
    git(library, &["init", "-q", "-b", "main"]);
    fs_err::write(library.join("a"), "a").unwrap();
    git(library, &["add", "-A"]);
    git(library, &["commit", "-qm", "library"]);
    let world = World::with(|user| {
        git(user, &["submodule", "--quiet", "add", library.to_str().unwrap(), "libs/one"]);
    });
    assert_eq!(world.put_back(), [""; 0]);
    let module = "modules/libs/one";
    let run = format!("touch {}; false", world.trace().display());
    let put_back = |displaced: &[&str]| {
        assert_eq!(world.put_back(), displaced);
        let _ = fs_err::remove_file(world.trace());
        assert_eq!(world.git(&["status", "--porcelain"]), "");
        assert!(!world.trace().exists());
    };
    git(&world.at(module), &["config", "core.fsmonitor", &run]);
    world.write(&format!("{module}/hooks/post-checkout"), "#!/bin/sh\n");
    put_back(&["modules/libs/one/config", "modules/libs/one/hooks"]);
    // The whole directory, and those of others beside it.
    fs_err::remove_dir_all(world.at(module)).unwrap();
    symlink(library.join(".git"), world.at(module)).unwrap();
    world.write("modules/other/config", "x");
    world.write("modules/libs/two/config", "x");
    let mut displaced = world.put_back();
    displaced.sort();
    assert_eq!(
        displaced,
        ["modules/libs/one", "modules/libs/one", "modules/libs/two", "modules/other"]
    );
    assert!(library.join(".git/HEAD").is_file(), "nothing behind the link went");
    assert!(!world.at("modules/other").exists() && !world.at("modules/libs/two").exists());
    assert_eq!(world.git(&["-C", "libs/one", "log", "--format=%s"]), "library");
    put_back(&[]);
    // A file that leads to a repository of the agent's.
    let mine = world.dir.path().join("mine");
    world.monitored(&mine);
    let folder = world.root().join("libs/one");
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs_err::set_permissions(&folder, open).unwrap();
    fs_err::remove_file(folder.join(".git")).unwrap();
    fs_err::write(folder.join(".git"), format!("gitdir: {}/.git\n", mine.display())).unwrap();
    put_back(&["modules/libs/one/gitdir"]);
    // An index that leads into one.
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs_err::set_permissions(&folder, open).unwrap();
    let inner = folder.join("inner");
    world.monitored(&inner);
    let made = git(&inner, &["rev-parse", "HEAD"]);
    git(&folder, &["update-index", "--add", "--cacheinfo", &format!("160000,{made},inner")]);
    assert!(world.put_back().contains(&"modules/libs/one/index".to_owned()));
    let _ = fs_err::remove_file(world.trace());
    world.git(&["status"]);
    assert!(!world.trace().exists());
}

#[test]
fn files_that_windlass_never_makes_go_and_nothing_behind_a_link_does() {
    let world = World::new();
    let elsewhere = world.dir.path().join("elsewhere");
    fs_err::create_dir_all(&elsewhere).unwrap();
    fs_err::write(elsewhere.join("attributes"), "* filter=x\n").unwrap();
    fs_err::remove_dir_all(world.at("info")).unwrap();
    symlink(&elsewhere, world.at("info")).unwrap();
    world.write("commondir", "../../../elsewhere\n");
    world.write("hooks/pre-commit", "#!/bin/sh\n");
    world.write("objects/info/alternates", "/\n");
    let displaced = world.put_back();
    for name in ["info/exclude", "commondir", "hooks", "objects/info/alternates"] {
        assert!(displaced.iter().any(|each| each == name), "{name}: {displaced:?}");
    }
    assert!(elsewhere.join("attributes").is_file() && !elsewhere.join("exclude").exists());
    assert!(!world.at("info").is_symlink() && world.at("info/exclude").is_file());
    assert_eq!(world.put_back(), [""; 0]);
}

/// What a bare repository has, in a folder of the work.
fn bare(at: &Path, config: &str) {
    for folder in ["objects", "refs"] {
        fs_err::create_dir_all(at.join(folder)).unwrap();
        fs_err::write(at.join(folder).join(".keep"), "").unwrap();
    }
    fs_err::write(at.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    fs_err::write(at.join("config"), config).unwrap();
}

#[test]
fn no_repository_in_the_place_runs_anything_for_whoever_looks_there() {
    let world = World::with(|user| fs_err::write(user.join(".gitignore"), "build/\n").unwrap());
    let monitor = format!(
        "[core]\n\trepositoryformatversion = 0\n\tworktree = .\n\tfsmonitor = \"touch {}; false\"\n",
        world.trace().display()
    );
    let (nested, ignored) = (world.root().join("lib"), world.root().join("build/deep"));
    let folder = world.root().join("bare");
    for at in [&nested, &ignored] {
        fs_err::create_dir_all(at).unwrap();
        world.monitored(at);
        fs_err::create_dir_all(at.join(".git/hooks")).unwrap();
        fs_err::write(at.join(".git/hooks/post-index-change"), "#!/bin/sh\n").unwrap();
    }
    bare(&folder, &monitor);
    let displaced = world.put_back();
    for name in
        ["lib/.git/config", "build/deep/.git/config", "build/deep/.git/hooks", "bare/config"]
    {
        assert!(displaced.iter().any(|each| each == name), "{name}: {displaced:?}");
    }
    for at in [&nested, &ignored] {
        git(at, &["status"]);
    }
    let looked = Command::new("git").current_dir(&folder).arg("status").output().unwrap();
    assert!(!world.trace().exists(), "{looked:?}");
    assert_eq!(git(&ignored, &["log", "--format=%s"]), "nested", "its commits stay");
    assert_eq!(world.put_back(), [""; 0], "once is enough");
}

#[test]
fn a_settings_file_that_leads_elsewhere_goes() {
    let world = World::new();
    let (folder, common) = (world.root().join("a"), world.root().join("b"));
    fs_err::create_dir_all(&folder).unwrap();
    fs_err::write(folder.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    fs_err::write(folder.join("commondir"), "../b\n").unwrap();
    bare(&common, "[core]\n\tfsmonitor = false\n");
    fs_err::remove_file(common.join("HEAD")).unwrap();
    assert_eq!(world.put_back(), ["a/commondir"]);
}

#[test]
fn repositories_of_the_base_and_files_that_only_have_such_names_stay() {
    let config = "[core]\n\tbare = true\n[user]\n\tname = fixture\n";
    let world = World::with(|user| bare(&user.join("fixture.git"), config));
    let other = world.root().join("docs");
    bare(&other, "title = manual\n");
    fs_err::write(other.join("HEAD"), "The first chapter\n").unwrap();
    assert_eq!(world.put_back(), [""; 0]);
    fs_err::write(world.root().join("fixture.git/config"), "[core]\n\tpager = x\n").unwrap();
    assert_eq!(world.put_back(), ["fixture.git/config"]);
}

#[test]
fn an_index_that_hides_a_change_behind_the_times_of_a_file_hides_nothing() {
    let world = World::new();
    let file = world.root().join("file");
    let long_ago = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000);
    let touch = |text: &str| {
        fs_err::write(&file, text).unwrap();
        std::fs::File::options().write(true).open(&file).unwrap().set_modified(long_ago).unwrap();
    };
    touch("one\n");
    world.git(&["update-index", "--refresh"]);
    touch("two\n");
    world.git(&["config", "core.trustctime", "false"]);
    assert_eq!(world.git(&["status", "--porcelain"]), "", "git believes the times");
    world.put_back();
    assert_eq!(world.git(&["status", "--porcelain"]), " M file");
}
