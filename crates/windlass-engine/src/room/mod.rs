//! Rooms: what a stranger's fresh clone has, mounted where the user's checkout stands.
//!
//! A room is one overlay. From the top: what this one command writes, the snapshot's changes, the
//! base tree, what `prepare` made, what the baseline built, and the folders that were copied when the
//! run began. All but the first are read-only and were made before any agent began, or from the
//! commit alone; the first is thrown away.
//!
//! - [`Rooms`]: the layers of a run, and how rooms are made from them.
//! - [`Room`]: one room; what its command wrote can be looked at until it is dropped.
//! - `layers`: folders on top of each other, looked at without a mount.
//! - [`copied`]: ignored folders of the checkout, as they were when the run began.
//! - `dot_git`: the git directory that a room has.
//! - `in_use`: which folders somebody uses who is alive.
//! - `spread`: where on the disk rooms lie.
//! - `sweep`: removing layers after the answer.
//!
//! Design page: `docs/design/room.md`.

pub mod copied;
mod dot_git;
mod in_use;
pub(crate) mod layers;
mod own_artefacts;
mod prepared_layer;
mod snapshot_layer;
mod spread;
mod sweep;
#[cfg(test)]
mod tests;

pub use in_use::InUse;
pub use spread::spread;
pub(crate) use sweep::leftovers;
pub use sweep::wait_until_swept;

use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::Timespec;
use windlass_core::id::ObjectId;

use crate::exposed::Exposed;
use crate::git::{Checkout, CheckoutError, Person, Place, UserRepository};
use crate::launcher::view::{Mount, Rights, Upper, View, ViewNetwork};
use crate::level::Level;
use copied::{Copied, Copying};
use in_use::Draft;
use layers::Layers;
use snapshot_layer::LayerKind;

/// Where the user's objects are in a room: outside the checkout, so that its `.git` can be removed.
pub(crate) const OBJECTS: &str = "/var/lib/git/objects";

/// Why a room could not be made.
#[derive(Debug, thiserror::Error)]
pub enum RoomError {
    /// Git failed.
    #[error(transparent)]
    Checkout(#[from] CheckoutError),
    /// The layers of the run hold more than they may.
    #[error(
        "the layers of this run hold {} MiB, more than `disk_limit` ({} MiB): raise it, or lower \
         `copy_limit` so that less is copied",
        used >> 20,
        limit >> 20
    )]
    Full {
        /// What they hold, in bytes.
        used: u64,
        /// What they may.
        limit: u64,
    },
    /// A layer is not there, although the run has begun.
    #[error("the layer `{}` is not there any more", layer.display())]
    Missing {
        /// The layer.
        layer: PathBuf,
    },
    /// A layer could not be written.
    #[error("a layer of the room could not be written: {0}")]
    Io(#[from] io::Error),
}

/// What a run began from.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The commit.
    pub commit: ObjectId,
    /// Its tree.
    pub tree: ObjectId,
    /// The branch that the run works on.
    pub branch: String,
    /// Who commits.
    pub person: Person,
}

/// The layers of one run.
#[derive(Clone, Debug)]
pub struct Rooms {
    /// The folder of the layers.
    pub(crate) dir: PathBuf,
    /// Where the user's checkout stands, and so every room.
    pub(crate) root: PathBuf,
    pub(crate) origin: Origin,
    pub(crate) checkout: Checkout,
    /// Folders with the user's objects.
    pub(crate) objects: Vec<PathBuf>,
    pub(crate) exposed: Exposed,
    pub(crate) level: Level,
    /// How much the layers may hold, in bytes.
    pub(crate) disk_limit: u64,
}

/// What is below a room, besides the commit.
#[derive(Clone, Debug, Default)]
pub struct Below {
    /// What `prepare` made, the last first.
    pub prepared: Vec<Arc<InUse>>,
    /// Whether the copied folders and what the baseline built are there.
    pub warm: bool,
    /// The commit whose files it has, where there is one already: it is the last of the room's history then.
    pub commit: Option<ObjectId>,
}

impl Rooms {
    /// Returns what is enforced here.
    pub fn level(&self) -> &Level {
        &self.level
    }

    /// Returns what of the machine is shown.
    pub fn exposed(&self) -> &Exposed {
        &self.exposed
    }

    /// Makes the layers that a run begins with: copied folders, carried files, the base tree.
    ///
    /// What is there already stays, so that it can be called again after a crash; each layer is made
    /// under another name and renamed.
    ///
    /// # Errors
    /// Git fails, or the disk does.
    pub fn begin(
        &self,
        user: &UserRepository,
        place: &Place,
        carried: &[(String, Vec<u8>)],
        copying: Copying,
    ) -> Result<Copied, RoomError> {
        fs_err::create_dir_all(&self.dir)?;
        spread(&self.dir);
        leftovers(&self.dir);
        let copied = self.copy_ignored(user, copying)?;
        self.make("carried", |folder| {
            for (path, bytes) in carried {
                let at = folder.join(path);
                fs_err::create_dir_all(at.parent().unwrap_or(folder))?;
                fs_err::write(at, bytes)?;
            }
            Ok(())
        })?;
        let began = self.began()?;
        self.make("clone", |folder| dot_git::begin(self, user, folder))?;
        let shallow = user.common_dir.join("shallow");
        if shallow.is_file() {
            fs_err::copy(shallow, self.dir.join("shallow"))?;
        }
        self.make("base", |folder| {
            let index = self.dir.join("base.index");
            let _ = fs_err::remove_file(&index);
            self.checkout.whole(&self.origin.tree, folder, &index)?;
            place.fill_submodules_in(folder, &self.dir)?;
            layers::set_times(folder, &mut |_| Some(began))?;
            Ok(self.checkout.refresh(folder, &index)?)
        })?;
        self.check_disk()?;
        Ok(copied)
    }

    /// Returns what was copied when the run began, by name.
    pub(crate) fn copied(&self) -> Copied {
        let bytes = fs_err::read(self.dir.join("copied.json")).unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }

    /// Returns the folders that git reads objects from in rooms: those that a clone would have, where they were
    /// packed when the run began, else the user's.
    pub(crate) fn object_folders(&self) -> Vec<PathBuf> {
        let own = self.dir.join(dot_git::CLONED_OBJECTS);
        if own.is_dir() { vec![own] } else { self.objects.clone() }
    }

    /// Returns the folders that were copied when the run began.
    pub(crate) fn copied_folder(&self) -> PathBuf {
        self.dir.join("copied")
    }

    /// Refuses layers that hold more than they may; asked whenever one that stays was made.
    ///
    /// # Errors
    /// They do, or cannot be read.
    pub(crate) fn check_disk(&self) -> Result<(), RoomError> {
        let mut used = self.measure()?;
        if used > self.disk_limit {
            // What was thrown away may be there still.
            wait_until_swept();
            used = self.measure()?;
        }
        fs_err::write(self.dir.join("holds"), used.to_string())?;
        if used > self.disk_limit {
            return Err(RoomError::Full { used, limit: self.disk_limit });
        }
        Ok(())
    }

    fn measure(&self) -> Result<u64, RoomError> {
        let mut used = 0;
        layers::walk(&self.dir, &mut |_, metadata| {
            used += metadata.blocks() * 512;
            Ok(())
        })?;
        Ok(used)
    }

    /// Refuses a room where the layers held too much when they were last measured, and still do.
    fn refuse_above_limit(&self) -> Result<(), RoomError> {
        let held = fs_err::read_to_string(self.dir.join("holds")).ok();
        match held.and_then(|held| held.parse::<u64>().ok()) {
            Some(held) if held > self.disk_limit => self.check_disk(),
            Some(_) | None => Ok(()),
        }
    }

    /// Says whether the layers that every room needs are there.
    pub fn has_begun(&self) -> bool {
        ["base", "clone"].iter().all(|layer| self.dir.join(layer).is_dir())
            && self.dir.join("began").is_file()
    }

    fn copy_ignored(&self, user: &UserRepository, copying: Copying) -> Result<Copied, RoomError> {
        let record = self.dir.join("copied.json");
        if let Ok(bytes) = fs_err::read(&record)
            && let Ok(copied) = serde_json::from_slice(&bytes)
            && self.dir.join("copied").is_dir()
        {
            return Ok(copied);
        }
        let mut copied = Copied::default();
        let folder = self.dir.join("copied");
        crate::git::remove_whole(&folder)?;
        let ignored = user.ignored_paths().unwrap_or_default();
        self.make("copied", |folder| {
            copied =
                copied::copy_folders(&user.top_level, &ignored, folder, copying, &self.exposed)?;
            Ok(())
        })?;
        let bytes = serde_json::to_vec(&copied).map_err(io::Error::from)?;
        fs_err::write(&record, bytes)?;
        Ok(copied)
    }

    /// Makes a folder whole or not at all.
    fn make(
        &self,
        name: &str,
        fill: impl FnOnce(&Path) -> Result<(), RoomError>,
    ) -> Result<PathBuf, RoomError> {
        let folder = self.dir.join(name);
        if folder.is_dir() {
            return Ok(folder);
        }
        let draft = Draft::make(&self.dir, "making-")?;
        let inside = draft.path().join("layer");
        fs_err::create_dir(&inside)?;
        fill(&inside)?;
        match fs_err::rename(&inside, &folder) {
            // Somebody who looks at a blocker beside the driver was faster.
            Err(_) if folder.is_dir() => {}
            other => other?,
        }
        Ok(folder)
    }

    /// The time of every file of the base: newer than all that was copied, another in each run.
    fn began(&self) -> Result<Timespec, RoomError> {
        let file = self.dir.join("began");
        if let Some(time) = fs_err::read_to_string(&file).ok().and_then(|text| read_time(&text)) {
            return Ok(time);
        }
        let copied = layers::newest(&self.dir.join("copied"))?;
        // A moment later and no more: what the baseline builds now has to be newer than this.
        let time = later(now(), just_after(copied));
        fs_err::write(&file, format!("{} {}", time.tv_sec, time.tv_nsec))?;
        Ok(time)
    }

    /// The time of what differs from the base: newer than all that the baseline built.
    pub(crate) fn time_of_changes(&self) -> Result<Timespec, RoomError> {
        let built = fs_err::read_to_string(self.dir.join("built")).ok();
        let built = built.and_then(|text| read_time(&text)).unwrap_or(self.began()?);
        Ok(later(now(), after(built)))
    }

    /// Keeps what the baseline wrote as a layer: the upper folder of its room, and of caches of the
    /// home. What is tracked in the base is left out by its place below the base tree.
    ///
    /// # Errors
    /// The disk fails.
    pub fn keep_warm(
        &self,
        room: Room,
        is_ignored: &dyn Fn(&str) -> bool,
    ) -> Result<(), RoomError> {
        room.open_up();
        let written = room.written().to_owned();
        only_ignored(&written, &written, is_ignored)?;
        let newest = later(layers::newest(&written)?, self.began()?);
        fs_err::write(self.dir.join("built"), format!("{} {}", newest.tv_sec, newest.tv_nsec))?;
        let warm = self.dir.join("warm");
        crate::git::remove_whole(&warm)?;
        fs_err::create_dir(&warm)?;
        fs_err::rename(&written, warm.join("u"))?;
        fs_err::rename(room.dir().join("home"), warm.join("home"))?;
        drop(room);
        self.check_disk()
    }

    /// Makes a room for a tree, at the path of the checkout; without anything warm it is a whole clone.
    ///
    /// What `prepare` made lies above the tree, and so do carried files: a person prepares a clone after
    /// it was checked out. A file of the work in their stead would decide what is run.
    ///
    /// # Errors
    /// Git fails, or the disk does.
    pub fn open(&self, code: &ObjectId, below: &Below) -> Result<Room, RoomError> {
        self.refuse_above_limit()?;
        let base = self.dir.join("base");
        if !base.is_dir() {
            return Err(RoomError::Missing { layer: base });
        }
        let shape = if below.warm { LayerKind::Changes } else { LayerKind::Clone };
        let layer = Arc::new(self.layer_of(code, shape, below.commit.as_ref())?);
        let prepared = below.prepared.iter().map(|prepared| prepared.path().join("u"));
        let mut lower: Vec<PathBuf> = prepared.collect();
        lower.extend([self.dir.join("carried"), layer.path().to_owned(), base]);
        if below.warm {
            lower.extend([self.dir.join("warm/u"), self.dir.join("copied")]);
        }
        let mut homes = homes_of(below);
        if below.warm {
            homes.push(self.dir.join("warm/home"));
        }
        let names = fs_err::metadata(layer.path())?;
        let time = Timespec { tv_sec: names.mtime(), tv_nsec: names.mtime_nsec() as _ };
        let mut in_use = below.prepared.clone();
        in_use.push(layer);
        self.furnish(self.new_room()?, lower, homes, in_use, time)
    }

    /// Makes a room that has only these files of a tree, and what earlier `prepare` commands made.
    ///
    /// # Errors
    /// The disk fails.
    pub(crate) fn open_on_inputs<'p>(
        &self,
        tree: &Layers,
        paths: impl Iterator<Item = &'p String>,
        below: &Below,
    ) -> Result<Room, RoomError> {
        self.refuse_above_limit()?;
        let folder = self.new_room()?;
        let inputs = folder.path().join("inputs");
        fs_err::create_dir(&inputs)?;
        for path in paths {
            tree.copy_out(Path::new(path), &inputs)?;
        }
        let prepared = below.prepared.iter().map(|prepared| prepared.path().join("u"));
        let lower = prepared.chain([inputs]).collect();
        let in_use = below.prepared.clone();
        self.furnish(folder, lower, homes_of(below), in_use, self.began()?)
    }

    fn new_room(&self) -> Result<Draft, RoomError> {
        let rooms = self.dir.join("rooms");
        if !rooms.is_dir() {
            fs_err::create_dir_all(&rooms)?;
            spread(&rooms);
        }
        Ok(Draft::make(&rooms, "room-")?)
    }

    /// Makes a room of these layers; `time` is that of its top folder.
    fn furnish(
        &self,
        folder: Draft,
        mut lower: Vec<PathBuf>,
        homes: Vec<PathBuf>,
        in_use: Vec<Arc<InUse>>,
        time: Timespec,
    ) -> Result<Room, RoomError> {
        // Not every run has them all.
        lower.retain(|layer| layer.is_dir());
        let dir = folder.path();
        let upper = Upper::below(&dir.join("tree"), true);
        upper.make()?;
        Upper::below(&dir.join("root"), true).make()?;
        for folder in ["stage", "home"] {
            fs_err::create_dir(dir.join(folder))?;
        }
        let (root, lower) = match &self.level {
            Level::Namespaces => (self.root.clone(), lower),
            Level::Landlock { .. } | Level::None { .. } => {
                let merged = upper.dir.clone();
                Layers::new(lower, &self.root).merge_into(&merged)?;
                self.name_real_objects(&merged)?;
                (merged, Vec::new())
            }
        };
        // A folder that was made now would be newer than what the baseline built.
        layers::set_time(&upper.dir, time)?;
        Ok(Room { folder, upper, lower, homes, root, _in_use: in_use })
    }

    /// Names the user's objects where they really are, in a room that nothing is mounted in.
    fn name_real_objects(&self, merged: &Path) -> io::Result<()> {
        let alternates = merged.join(".git/objects/info/alternates");
        match (alternates.is_file(), self.object_folders().first()) {
            (true, Some(objects)) => fs_err::write(alternates, format!("{}\n", objects.display())),
            (true, None) | (false, _) => Ok(()),
        }
    }

    /// Remembers what a check answered about a tree, and says whether it answered otherwise before.
    ///
    /// It is a note for people: where it cannot be kept, nothing is said.
    pub(crate) fn answers_differ(&self, check: &[u8], holds: bool) -> bool {
        let folder = self.dir.join("answers");
        let file = folder.join(blake3::hash(check).to_hex().as_str());
        let (now, before) = (if holds { "yes" } else { "no" }, fs_err::read_to_string(&file).ok());
        let _ = fs_err::create_dir_all(&folder).and_then(|()| fs_err::write(&file, now));
        before.is_some_and(|before| before != now)
    }

    /// Returns the view of a room.
    ///
    /// # Errors
    /// The disk fails.
    pub fn view(
        &self,
        room: &Room,
        network: ViewNetwork,
        rights: Rights,
        expose: &[PathBuf],
    ) -> io::Result<View> {
        let mut mounts = self.exposed.mounts(&room.dir().join("home"), &room.homes)?;
        self.leave_out_own_artefacts(&mounts)?;
        mounts.extend(expose.iter().flat_map(|path| self.exposed.mounts_besides(path)));
        for (number, folder) in self.object_folders().iter().enumerate() {
            let to = match number {
                0 => PathBuf::from(OBJECTS),
                // Borrowed ones are named by their whole path in the ones before.
                _ => folder.clone(),
            };
            // A list of mounts names where a folder comes from, but not the layers of an overlay: what is
            // windlass's own is shown as one, so that nothing in a room names windlass.
            mounts.push(match folder.starts_with(&self.dir) {
                true => Mount::Overlay { layers: vec![folder.clone()], upper: None, to },
                false => Mount::ReadOnly { from: folder.clone(), to },
            });
        }
        mounts.push(Mount::Overlay {
            layers: room.lower.clone(),
            upper: Some(room.upper.clone()),
            to: room.root.clone(),
        });
        let settings = self.write_home(room)?;
        if self.exposed.covers_home() {
            let to = self.exposed.home().join(".gitconfig");
            mounts.push(Mount::ReadOnly { from: settings, to });
        }
        Ok(View {
            stage: room.dir().join("stage"),
            writes: Upper::below(&room.dir().join("root"), true),
            mounts,
            network,
            rights,
        })
    }

    /// Hides what an earlier build of this project left in a cache of the home.
    fn leave_out_own_artefacts(&self, mounts: &[Mount]) -> io::Result<()> {
        for mount in mounts {
            let Mount::Overlay { upper: Some(upper), to, .. } = mount else { continue };
            if to.ends_with(".m2/repository") {
                for folder in own_artefacts::in_maven(&self.dir.join("base")) {
                    layers::hide(&upper.dir, &folder)?;
                }
            }
        }
        Ok(())
    }

    /// Puts the one setting into the home of a room that suites need: who commits.
    fn write_home(&self, room: &Room) -> io::Result<PathBuf> {
        let home = self.exposed.home();
        let inside = home.strip_prefix("/").unwrap_or(home);
        let folder = room.dir().join("root/u").join(inside);
        fs_err::create_dir_all(&folder)?;
        let Person { name, email } = &self.origin.person;
        let text = format!(
            "[user]\n\tname = {}\n\temail = {}\n[init]\n\tdefaultBranch = main\n[safe]\n\tdirectory = *\n",
            crate::git::quoted(name),
            crate::git::quoted(email)
        );
        let file = folder.join(".gitconfig");
        fs_err::write(&file, text)?;
        Ok(file)
    }
}

/// Removes from a layer what is not ignored: it was made from the base, not from the commit that is
/// judged.
fn only_ignored(
    root: &Path,
    folder: &Path,
    is_ignored: &dyn Fn(&str) -> bool,
) -> Result<(), RoomError> {
    for entry in fs_err::read_dir(folder)? {
        let path = entry?.path();
        let metadata = fs_err::symlink_metadata(&path)?;
        let inside = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
        let kept = is_ignored(&inside) && inside != ".git";
        if kept {
            continue;
        }
        if metadata.is_dir() && inside != ".git" {
            only_ignored(root, &path, is_ignored)?;
            if fs_err::read_dir(&path)?.next().is_none() {
                fs_err::remove_dir(&path)?;
            }
        } else if metadata.is_dir() {
            crate::git::remove_whole(&path)?;
        } else {
            fs_err::remove_file(&path)?;
        }
    }
    Ok(())
}

/// One room. Dropping it throws away what was written in it, with its folder.
#[derive(Debug)]
pub struct Room {
    folder: Draft,
    upper: Upper,
    lower: Vec<PathBuf>,
    homes: Vec<PathBuf>,
    /// Where it stands.
    root: PathBuf,
    /// Layers below it that others may want to remove.
    _in_use: Vec<Arc<InUse>>,
}

impl Room {
    fn dir(&self) -> &Path {
        self.folder.path()
    }

    /// Returns where commands find it.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the folder with what was written in it, or with everything where nothing can be
    /// mounted.
    pub(crate) fn written(&self) -> &Path {
        &self.upper.dir
    }

    /// Returns the layers below what is written.
    pub(crate) fn lower(&self) -> &[PathBuf] {
        &self.lower
    }

    /// Returns everything that a command in it sees of the checkout.
    pub(crate) fn layers(&self) -> Layers {
        let all = std::iter::once(&self.upper.dir).chain(&self.lower);
        Layers::new(all.cloned().collect(), &self.root)
    }

    /// Takes a path away, for this room alone.
    pub(crate) fn hide(&self, path: &Path) -> io::Result<()> {
        if !self.lower.is_empty() {
            return layers::hide(&self.upper.dir, path);
        }
        layers::remove(&self.upper.dir, path)
    }

    /// Lets its owner into every folder that was written: a suite may leave some that nobody may open.
    pub(crate) fn open_up(&self) {
        open_up(&self.upper.dir);
    }

    /// Makes it ready for another mount: an overlay that could be lost says so in its work folder. What
    /// was written outside the tree goes: the next root is put together anew.
    pub(crate) fn make_mountable_again(&self) -> io::Result<()> {
        crate::git::remove_whole(&self.upper.work)?;
        fs_err::create_dir_all(&self.upper.work)?;
        crate::git::remove_whole(&self.dir().join("root"))?;
        Upper::below(&self.dir().join("root"), true).make()?;
        let Ok(homes) = fs_err::read_dir(self.dir().join("home")) else { return Ok(()) };
        for home in homes.flatten() {
            let work = home.path().join("w");
            crate::git::remove_whole(&work)?;
            fs_err::create_dir_all(&work)?;
        }
        Ok(())
    }

    /// Keeps what was written, and what was written to caches of the home, in a folder.
    pub(crate) fn keep_in(self, folder: &Path) -> io::Result<()> {
        fs_err::create_dir_all(folder)?;
        // A folder that cannot be written cannot be moved.
        let_owner_in(&self.upper.dir);
        fs_err::rename(&self.upper.dir, folder.join("u"))?;
        fs_err::rename(self.dir().join("home"), folder.join("home"))
    }
}

/// Gives the owner of a folder and of those below it all rights on them, as far as that is possible;
/// what stays closed is told by whoever looks at it.
fn open_up(folder: &Path) {
    let_owner_in(folder);
    let Ok(entries) = fs_err::read_dir(folder) else { return };
    let folders =
        entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    folders.for_each(|entry| open_up(&entry.path()));
}

fn let_owner_in(folder: &Path) {
    let Ok(metadata) = folder.symlink_metadata() else { return };
    let mode = metadata.permissions().mode() & 0o7777;
    if metadata.is_dir() && mode & 0o700 != 0o700 {
        let _ = fs_err::set_permissions(folder, std::fs::Permissions::from_mode(mode | 0o700));
    }
}

/// What `prepare` wrote to caches of the home.
fn homes_of(below: &Below) -> Vec<PathBuf> {
    below.prepared.iter().map(|prepared| prepared.path().join("home")).collect()
}

fn now() -> Timespec {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    Timespec { tv_sec: since.as_secs().cast_signed(), tv_nsec: since.subsec_nanos() as _ }
}

fn after(time: Timespec) -> Timespec {
    Timespec { tv_sec: time.tv_sec + 1, tv_nsec: time.tv_nsec }
}

fn just_after(time: Timespec) -> Timespec {
    match time.tv_nsec + 1_000_000 {
        over if over >= 1_000_000_000 => {
            Timespec { tv_sec: time.tv_sec + 1, tv_nsec: over - 1_000_000_000 }
        }
        within => Timespec { tv_sec: time.tv_sec, tv_nsec: within },
    }
}

fn later(one: Timespec, other: Timespec) -> Timespec {
    if (one.tv_sec, one.tv_nsec) >= (other.tv_sec, other.tv_nsec) { one } else { other }
}

fn read_time(text: &str) -> Option<Timespec> {
    let (seconds, nanos) = text.split_once(' ')?;
    Some(Timespec { tv_sec: seconds.parse().ok()?, tv_nsec: nanos.trim().parse().ok()? })
}
