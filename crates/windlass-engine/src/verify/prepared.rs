//! What has to be there before a check can run: the layers of the run, and what `prepare` makes.
//!
//! A `prepare` command can be poisoned like any other: with an unchanged lock file, `npm ci` runs the
//! scripts of a changed manifest. So it sees only the files that it lists as inputs, and what it made
//! is used again only for the very same inputs; without a list, only for the very same tree.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use windlass_core::id::ObjectId;
use windlass_core::plan::{Plan, Prepare};
use windlass_core::reach::{HostRule, below_home};

use super::cancel::Cancel;
use super::changes::set;
use super::commands::{Caches, CommandRequest, Ran};
use super::verifier::{Broken, Verifier};
use crate::fault;
use crate::git::{EngineRepository, Place, TreeEntry, TreePath};
use crate::launcher::view::{Rights, ViewNetwork};
use crate::level::Level;
use crate::network::{failures_in_words, registry_proxy};
use crate::proxy::ProxyPolicy;
use crate::room::{Below, InUse, Room};
use crate::store::lock::{ExclusiveLock, WaitError};

/// How many layers of each `prepare` stay: without inputs, every tree makes one.
const KEPT: usize = 4;

/// How often somebody who waits for another's `prepare` looks whether it is still wanted.
const LOOKS_FOR_CANCEL: Duration = Duration::from_millis(500);

/// How much of the user's machine a room may know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Warmth {
    /// The copied folders, what the baseline built, and what `prepare` made before.
    Warm,
    /// Nothing but the commit: `prepare` runs anew.
    Cold,
}

/// Manifests beside lock files: what the commands that take a lock file read.
const MANIFESTS: &[(&[&str], &[&str])] = &[
    (
        &[
            "package-lock.json",
            "npm-shrinkwrap.json",
            "yarn.lock",
            "pnpm-lock.yaml",
            "bun.lock",
            "bun.lockb",
            "package.json",
        ],
        &[
            "**/package.json",
            "**/.npmrc",
            "**/.yarnrc*",
            "**/.yarn/**",
            "**/pnpm-workspace.yaml",
            "**/bunfig.toml",
            "**/patches/**",
        ],
    ),
    (&["Cargo.lock", "Cargo.toml"], &["**/Cargo.toml", "**/.cargo/config*", "**/rust-toolchain*"]),
    (
        &["poetry.lock", "uv.lock", "pdm.lock", "Pipfile.lock"],
        &[
            "**/pyproject.toml",
            "**/uv.toml",
            "**/Pipfile",
            "**/setup.py",
            "**/setup.cfg",
            "**/README*",
        ],
    ),
    (&["composer.lock", "composer.json"], &["**/composer.json", "**/auth.json"]),
    (
        &["Gemfile.lock", "Gemfile"],
        &["**/Gemfile", "**/*.gemspec", "**/.ruby-version", "**/.bundle/config"],
    ),
    (&["go.sum"], &["**/go.mod", "**/go.work*"]),
    (&["mix.lock", "mix.exs"], &["**/mix.exs"]),
    (&["pom.xml"], &["**/pom.xml", "**/.mvn/**", "**/mvnw"]),
    (
        &["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"],
        &[
            "**/*.gradle",
            "**/*.gradle.kts",
            "**/gradle.properties",
            "**/gradle.lockfile",
            "**/gradle/**",
            "**/gradlew",
            "**/buildSrc/**",
            "**/build-logic/**",
        ],
    ),
    (&["build.sbt"], &["**/*.sbt", "project/**"]),
    (&["pubspec.lock"], &["**/pubspec.yaml"]),
    (&["deno.lock", "deno.json"], &["**/deno.json*", "**/package.json"]),
    (&["Package.resolved", "Package.swift"], &["**/Package.swift"]),
];

impl Verifier {
    /// Makes the layers of the run, where they are missing: they lie in a cache, which may be emptied.
    pub(super) fn ensure_layers(&self, place: &Place) -> Result<(), Broken> {
        if self.rooms.has_begun() {
            return Ok(());
        }
        let carried = self.carried_files()?;
        self.rooms.begin(&self.user, place, &carried, self.copying)?;
        Ok(())
    }

    /// Runs each `prepare` whose result is not there yet; returns what is below a room then, or the
    /// command that failed.
    pub(super) fn prepared(
        &self,
        engine: &EngineRepository,
        plan: &Plan,
        code: &ObjectId,
        warmth: Warmth,
        cancel: &Cancel,
    ) -> Result<Result<Below, (String, Ran)>, Broken> {
        let mut below = Below { warm: warmth == Warmth::Warm, ..Below::default() };
        for prepare in &plan.prepare {
            // A clone is prepared as it is: with all of its files.
            let inputs = match warmth {
                Warmth::Warm => self.inputs_of(engine, prepare, code)?,
                Warmth::Cold => None,
            };
            let made = match inputs {
                Some(inputs) => {
                    match self.prepare_from(prepare, &inputs, code, &below, warmth, cancel)? {
                        Ok(made) => Ok(made),
                        Err(ran) if !prepare.inputs.is_empty() => Err(ran),
                        // What was inferred may be too little; the whole tree is never.
                        Err(_) => self.prepare_whole(prepare, code, &below, warmth, cancel)?,
                    }
                }
                None => self.prepare_whole(prepare, code, &below, warmth, cancel)?,
            };
            match made {
                Ok(layer) => below.prepared.insert(0, Arc::new(layer)),
                Err(ran) => return Ok(Err((prepare.run.clone(), ran))),
            }
        }
        if warmth == Warmth::Warm {
            self.rooms.forget_prepared(KEPT * plan.prepare.len())?;
        }
        Ok(Ok(below))
    }

    fn prepare_whole(
        &self,
        prepare: &Prepare,
        code: &ObjectId,
        below: &Below,
        warmth: Warmth,
        cancel: &Cancel,
    ) -> Result<Result<InUse, Ran>, Broken> {
        let whole = Input { path: String::new(), mode: 0, id: code.clone() };
        let key = key_of(prepare, &[whole], below);
        self.prepare_in(prepare, &key, warmth, cancel, || Ok(self.rooms.open(code, below)?))
    }

    fn prepare_from(
        &self,
        prepare: &Prepare,
        inputs: &[Input],
        code: &ObjectId,
        below: &Below,
        warmth: Warmth,
        cancel: &Cancel,
    ) -> Result<Result<InUse, Ran>, Broken> {
        let key = key_of(prepare, inputs, below);
        self.prepare_in(prepare, &key, warmth, cancel, || {
            let whole = self.rooms.open(code, below)?;
            let paths = inputs.iter().map(|input| &input.path);
            Ok(self.rooms.open_on_inputs(&whole.layers(), paths, below)?)
        })
    }

    /// Runs a `prepare` in a room, and keeps what it wrote under its key.
    fn prepare_in(
        &self,
        prepare: &Prepare,
        key: &str,
        warmth: Warmth,
        cancel: &Cancel,
        room: impl FnOnce() -> Result<Room, Broken>,
    ) -> Result<Result<InUse, Ran>, Broken> {
        let all = match warmth {
            Warmth::Warm => self.rooms.prepared_folder(),
            Warmth::Cold => self.rooms.cold_folder(),
        };
        fs_err::create_dir_all(&all)?;
        let folder = all.join(key);
        // Spokes judge side by side: one of them makes it, and the others wait for that.
        let _lock = lock(&folder.with_extension("lock"), cancel)?;
        if warmth == Warmth::Cold {
            crate::git::remove_whole(&folder)?;
        }
        if let Some(layer) = self.rooms.prepared_layer(&folder)? {
            return Ok(Ok(layer));
        }
        let room = room()?;
        let proxy = self.proxy_for_prepare()?;
        let request = CommandRequest {
            command: &prepare.run,
            folder: prepare.folder.as_deref(),
            timeout: prepare.timeout,
            env: Vec::new(),
            network: if proxy.is_some() { ViewNetwork::Own } else { ViewNetwork::Host },
            rights: Rights::Users,
            proxy,
            expose: self.below_home(&prepare.expose),
            caches: Caches::Fill,
        };
        // What an earlier command was refused says nothing about this one.
        let record = request.proxy.as_ref().map(|proxy| proxy.record.clone());
        if let Some(record) = &record
            && let Err(error) = fs_err::remove_file(record)
            && error.kind() != std::io::ErrorKind::NotFound
        {
            return Err(error.into());
        }
        let mut ran = self.run(&room, &request, cancel)?;
        if !ran.succeeded() {
            let refused = record.map(|record| failures_in_words(&record)).unwrap_or_default();
            if !refused.is_empty() {
                ran.excerpt = format!("{}\n{refused} (`registries`)", ran.excerpt);
            }
            return Ok(Err(ran));
        }
        fault::point("prepared");
        let layer = self.rooms.keep_prepared(room, &folder)?;
        Ok(Ok(layer))
    }

    /// The files that a `prepare` sees; none if it sees the whole tree.
    fn inputs_of(
        &self,
        engine: &EngineRepository,
        prepare: &Prepare,
        code: &ObjectId,
    ) -> Result<Option<Vec<Input>>, Broken> {
        let Some(globs) = input_globs(prepare) else { return Ok(None) };
        let files = engine.ls_tree(code, &set(&globs))?;
        let input = |(path, TreeEntry { mode, id }): (TreePath, TreeEntry)| Input {
            path: path.to_string(),
            mode,
            id,
        };
        Ok(Some(files.into_iter().map(input).collect()))
    }

    /// The way to package registries; none where the user lists none, so that `prepare` has the network
    /// of the machine.
    fn proxy_for_prepare(&self) -> Result<Option<ProxyPolicy>, Broken> {
        self.proxy_for(&self.registries, "refused-by-prepare")
            .map_err(|message| Broken::Io(std::io::Error::other(message)))
    }

    /// The way to the hosts that a check names.
    pub(super) fn proxy_for_check(&self, hosts: &[String]) -> Result<Option<ProxyPolicy>, String> {
        let rule = |host: &String| HostRule::parse(host).map_err(|bad| format!("`{host}`: {bad}"));
        let rules = hosts.iter().map(rule).collect::<Result<Vec<_>, String>>()?;
        self.proxy_for(&rules, "refused-by-checks")
    }

    /// The way to hosts by list; none for an empty list, and where no network can be kept apart.
    fn proxy_for(&self, hosts: &[HostRule], record: &str) -> Result<Option<ProxyPolicy>, String> {
        if hosts.is_empty() || *self.rooms.level() != Level::Namespaces {
            return Ok(None);
        }
        registry_proxy(hosts, &self.env, self.scratch.join(record)).map(Some)
    }

    /// Expands `~/` in paths that a workflow names.
    pub(super) fn below_home(&self, paths: &[String]) -> Vec<PathBuf> {
        let home = self.rooms.exposed().home();
        paths.iter().map(|path| below_home(path, home)).collect()
    }

    /// What identifies the tools that a command uses: the same command with another compiler is another
    /// command.
    pub(super) fn tools(&self, command: &str) -> Vec<u8> {
        let variable = |wanted: &str| {
            let found = self.env.iter().find(|(name, _)| name == wanted);
            found.map(|(_, value)| value.as_str())
        };
        let home = self.rooms.exposed().home();
        let rustup = variable("RUSTUP_HOME").map_or_else(|| home.join(".rustup"), PathBuf::from);
        tools_of(variable("PATH").unwrap_or_default(), &rustup, command)
    }
}

/// Programs that others start: what is in `make test` does not say which compiler runs.
const TOOLCHAINS: &[&str] =
    &["cc", "c++", "cargo", "rustc", "node", "npm", "python3", "java", "go", "ruby", "php"];

/// How many words of a command are looked for in `PATH`.
const MAX_WORDS: usize = 64;

/// Names the programs that a command may use by what changes with an update: where they are, which file
/// that is, and when it was written.
///
/// A program that only hands over to another one stays the same when that is updated. Rust's are known
/// by their folder; version managers of other languages are not.
fn tools_of(path: &str, rustup: &Path, command: &str) -> Vec<u8> {
    let mut told = path.as_bytes().to_vec();
    let words = command.split(|c: char| c.is_whitespace() || "'\"`;|&()<>{}$=".contains(c));
    let words = words.filter(|word| !word.is_empty() && !word.contains('/')).take(MAX_WORDS);
    let named: BTreeSet<&str> = words.chain(TOOLCHAINS.iter().copied()).collect();
    let folders: Vec<PathBuf> = std::env::split_paths(path).filter(|f| f.is_absolute()).collect();
    for name in named {
        let found = folders.iter().map(|folder| folder.join(name)).find(|file| file.is_file());
        found.into_iter().for_each(|file| tell(&file, &mut told));
    }
    let toolchains = fs_err::read_dir(rustup.join("toolchains")).into_iter().flatten().flatten();
    let mut compilers: Vec<PathBuf> =
        toolchains.map(|entry| entry.path().join("bin/rustc")).collect();
    compilers.sort();
    compilers.push(rustup.join("settings.toml"));
    compilers.iter().for_each(|file| tell(file, &mut told));
    told
}

/// Adds what tells one version of a file from another; one that is not there adds nothing.
fn tell(file: &Path, told: &mut Vec<u8>) {
    use std::os::unix::fs::MetadataExt as _;
    let Ok(real) = file.canonicalize() else { return };
    let Ok(metadata) = fs_err::metadata(&real) else { return };
    let numbers = [metadata.ino(), metadata.len()];
    let times = [metadata.mtime(), metadata.mtime_nsec()];
    told.extend(format!("\n{} {numbers:?} {times:?}", real.display()).into_bytes());
}

/// The globs of the files that a `prepare` sees, as listed or as its lock file tells.
fn input_globs(prepare: &Prepare) -> Option<Vec<String>> {
    if !prepare.inputs.is_empty() {
        return Some(prepare.inputs.clone());
    }
    let lock = prepare.lock.as_ref()?;
    let name = Path::new(lock).file_name()?.to_str()?;
    let (_, manifests) = MANIFESTS.iter().find(|(locks, _)| locks.contains(&name))?;
    let mut globs = vec![lock.clone()];
    globs.extend(manifests.iter().map(|glob| (*glob).to_owned()));
    Some(globs)
}

/// One file that a `prepare` sees.
struct Input {
    path: String,
    /// Whether it can be run, or is a link.
    mode: u32,
    id: ObjectId,
}

/// Waits until nobody else makes the same; not any more once the work is not wanted.
fn lock(file: &Path, cancel: &Cancel) -> std::io::Result<Option<ExclusiveLock>> {
    while !cancel.is_cancelled() {
        match ExclusiveLock::wait(file, Instant::now() + LOOKS_FOR_CANCEL) {
            Ok(lock) => return Ok(Some(lock)),
            Err(WaitError::Deadline { .. }) => {}
            Err(error) => return Err(std::io::Error::other(error)),
        }
    }
    Ok(None)
}

/// Names what a `prepare` made, by everything that it was made from.
fn key_of(prepare: &Prepare, inputs: &[Input], below: &Below) -> String {
    let mut hasher = blake3::Hasher::new();
    let mut part = |text: &str| {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    };
    part(&prepare.run);
    part(prepare.folder.as_deref().unwrap_or_default());
    for Input { path, mode, id } in inputs {
        part(path);
        part(&format!("{mode:o}"));
        part(id.as_str());
    }
    for earlier in &below.prepared {
        part(&earlier.path().file_name().unwrap_or_default().to_string_lossy());
    }
    hasher.finalize().to_hex()[..32].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_can_be_run_now_is_another_input() {
        let prepare = Prepare {
            run: "./install".to_owned(),
            folder: None,
            lock: None,
            inputs: vec!["install".to_owned()],
            timeout: windlass_core::time::Span::minutes(1),
            expose: Vec::new(),
        };
        let key = |mode| {
            let input = Input { path: "install".to_owned(), mode, id: ObjectId::new("1234") };
            key_of(&prepare, &[input], &Below::default())
        };
        assert_eq!(key(0o100_644), key(0o100_644));
        assert_ne!(key(0o100_644), key(0o100_755));
    }

    #[test]
    fn nobody_makes_the_same_at_once_and_nobody_waits_for_work_that_is_not_wanted() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("key.lock");
        let cancel = Cancel::default();
        let held = lock(&file, &cancel).unwrap();
        assert!(held.is_some());
        cancel.cancel();
        assert!(lock(&file, &cancel).unwrap().is_none());
        drop(held);
        assert!(lock(&file, &Cancel::default()).unwrap().is_some());
    }

    #[test]
    fn another_version_of_a_program_is_another_tool() {
        let dir = tempfile::tempdir().unwrap();
        let (bin, rustup) = (dir.path().join("bin"), dir.path().join("rustup"));
        let rustc = rustup.join("toolchains/stable/bin/rustc");
        for file in [&bin.join("lint"), &bin.join("other"), &bin.join("cc"), &rustc] {
            fs_err::create_dir_all(file.parent().unwrap()).unwrap();
            fs_err::write(file, "1").unwrap();
        }
        let path = bin.to_string_lossy().into_owned();
        let tools = || tools_of(&path, &rustup, "cd web && lint --all");
        let first = tools();
        assert_eq!(tools(), first, "nothing changed");
        fs_err::write(bin.join("other"), "22").unwrap();
        assert_eq!(tools(), first, "the command does not name it");
        // Named by the command, started by nobody knows whom, and behind a program that hands over.
        for file in [bin.join("lint"), bin.join("cc"), rustc] {
            let before = tools();
            fs_err::write(&file, "another version").unwrap();
            assert_ne!(tools(), before, "{}", file.display());
        }
    }
}
