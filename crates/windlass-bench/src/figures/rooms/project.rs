//! A repository with the layers of a run, as `windlass run` makes them.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use windlass_core::config::{Confinement, Sandbox};
use windlass_core::guard::PublishRules;
use windlass_core::id::{ObjectId, RunId};
use windlass_engine::dispatch::Site;
use windlass_engine::git::{EngineRepository, Place, PlaceRequest, UserRepository};
use windlass_engine::home::Home;
use windlass_engine::level::Level;
use windlass_engine::machine::{HouseRules, Machine};
use windlass_engine::room::copied::Copying;
use windlass_engine::room::{Origin, Rooms};

use crate::BenchResult;
use crate::measure::run;
use crate::scratch::{Medium, Scratch, Windlass};

pub(super) struct Project {
    pub(super) site: Site,
    pub(super) rooms: Rooms,
    /// The tree of the commit that the run began from.
    pub(super) base: ObjectId,
    place: Place,
    pub(super) scratch: Scratch,
}

impl Project {
    /// Commits what `fill` writes; the layers are not made yet.
    pub(super) fn new(
        windlass: &Windlass,
        fill: impl FnOnce(&Path) -> BenchResult<()>,
    ) -> BenchResult<Self> {
        let scratch = Scratch::new(Medium::Disk)?;
        fill(&scratch.path("repository"))?;
        // So many new objects would have git pack them behind our back, while they are cloned.
        run(scratch.command("git").args(["config", "gc.auto", "0"]), 0)?;
        run(scratch.command("git").args(["config", "maintenance.auto", "false"]), 0)?;
        run(scratch.command("git").args(["add", "-A"]), 0)?;
        run(scratch.command("git").args(["commit", "-q", "-m", "files", "--no-gpg-sign"]), 0)?;
        run(scratch.command("git").args(["repack", "-a", "-d", "-q"]), 0)?;
        let user = UserRepository::discover(&scratch.path("repository"))?;
        let (state, cache, data) =
            (scratch.path("home/state"), scratch.path("home/cache"), scratch.path("home/data"));
        let home = Home { state, cache, data };
        let site = Site {
            exe: windlass.exe.clone(),
            home: home.repository(&user.key),
            state_root: home.protected(),
            user,
            // What is built elsewhere is in no layer.
            env: std::env::vars().filter(|(name, _)| name != "CARGO_TARGET_DIR").collect(),
            allow_write: Vec::new(),
            pass_env: Vec::new(),
            sandbox: Sandbox::Prefer,
            expose: Vec::new(),
            copy_limit: Confinement::COPY_LIMIT,
            disk_limit: Confinement::DISK_LIMIT,
            registries: Vec::new(),
            publishing: PublishRules::default(),
            machine: Machine::new(&home.state, crate::measure::say),
            house: HouseRules::new(Vec::new()),
        };
        let run_home = site.home.run(&RunId::new("measured"));
        fs_err::create_dir_all(&run_home.state)?;
        fs_err::create_dir_all(&site.home.data)?;
        let engine = EngineRepository::open_or_create(&site.home.engine_git(), &site.user)?;
        let request = PlaceRequest {
            dir: run_home.place.clone(),
            run_dir: run_home.git.clone(),
            branch: "measured".to_owned(),
            base: site.user.commit.clone(),
            lfs_filter: None,
            base_stores: None,
        };
        let place = Place::create_clone(&engine, &site.user, &request)?;
        let base = engine.tree_of(&site.user.commit)?;
        let origin = Origin {
            commit: site.user.commit.clone(),
            tree: base.clone(),
            branch: "measured".to_owned(),
            person: site.user.person.clone().unwrap_or_default(),
        };
        let rooms = site.rooms(&run_home, origin, &engine)?;
        Ok(Self { site, rooms, base, place, scratch })
    }

    pub(super) fn has_namespaces(&self) -> bool {
        *self.rooms.level() == Level::Namespaces
    }

    /// Makes the layers that a run begins with.
    pub(super) fn begin(&self, copy_limit: u64) -> BenchResult<()> {
        let copying = Copying::Linking { limit: copy_limit };
        self.rooms.begin(&self.site.user, &self.place, &[], copying)?;
        Ok(())
    }

    /// Commits what changed in the checkout and returns the tree, which the engine then has as well.
    pub(super) fn commit(&self) -> BenchResult<ObjectId> {
        run(
            self.scratch.command("git").args(["commit", "-q", "-a", "-m", "x", "--no-gpg-sign"]),
            0,
        )?;
        let mut fetch = self.scratch.command("git");
        fetch.arg("--git-dir").arg(self.site.home.engine_git());
        run(fetch.args(["fetch", "-q"]).arg(self.scratch.path("repository")).arg("main"), 0)?;
        let output = self.scratch.command("git").args(["rev-parse", "HEAD^{tree}"]).output()?;
        Ok(ObjectId::new(String::from_utf8(output.stdout)?.trim()))
    }
}

/// Gives every folder its rights back, so that it can be removed.
pub(super) fn make_removable(folder: &Path) -> BenchResult<()> {
    fs_err::set_permissions(folder, std::fs::Permissions::from_mode(0o700))?;
    for entry in fs_err::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            make_removable(&entry.path())?;
        }
    }
    Ok(())
}
