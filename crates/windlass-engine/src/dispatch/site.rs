//! What a driver needs to know about the world around a run.

use std::path::PathBuf;
use std::sync::Arc;

use windlass_core::bytes::ByteSize;
use windlass_core::config::{PassEnv, Sandbox};
use windlass_core::guard::PublishRules;
use windlass_core::id::StepId;
use windlass_core::plan::StepKind;
use windlass_core::reach::HostRule;
use windlass_core::run::{RunFacts, RunState};

use super::worker::WorkerError;

use crate::agent::{self, Backend, check_environment};
use crate::exposed::{Around, Exposed};
use crate::git::{Checkout, EngineRepository, IgnoreRules, UserRepository};
use crate::home::{RepositoryHome, RunHome, canonical};
use crate::launcher::ConfinementMode;
use crate::level::{self, Level};
use crate::machine::{HouseRules, Machine, account_of};
use crate::room::copied::Copying;
use crate::room::{Origin, Rooms};
use crate::store::blobs::Blobs;
use crate::store::{Life, Store};
use crate::verify::Verifier;

/// The surroundings of the runs of one repository.
#[derive(Clone, Debug)]
pub struct Site {
    /// The windlass executable.
    pub exe: PathBuf,
    /// Where things are kept.
    pub home: RepositoryHome,
    /// Everything windlass keeps as state: no attempt and no check may write it.
    pub state_root: PathBuf,
    /// The user's repository.
    pub user: UserRepository,
    /// The user's environment.
    pub env: Vec<(String, String)>,
    /// Further paths that the user lets agents write.
    pub allow_write: Vec<PathBuf>,
    /// Variables that the user lets attempts have beside the usual ones.
    pub pass_env: Vec<PassEnv>,
    /// Whether attempts and checks are put into boxes and rooms.
    pub sandbox: Sandbox,
    /// Further paths that the user lets attempts and checks read.
    pub expose: Vec<PathBuf>,
    /// How large an ignored folder may be to be copied.
    pub copy_limit: ByteSize,
    /// How much all layers of a run may hold.
    pub disk_limit: ByteSize,
    /// Hosts of package registries that the user lets `prepare` and attempts reach.
    pub registries: Vec<HostRule>,
    /// Commands that publish besides the known ones, and those that agents may run nevertheless.
    pub publishing: PublishRules,
    /// What all runs on this machine share.
    pub machine: Machine,
    /// Quiet hours and the day's budget.
    pub house: HouseRules,
}

/// The user requires boxes, and this machine cannot make them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`sandbox: require` is set, and boxes cannot be made here: {why}")]
pub struct OpenMachine {
    /// Why not.
    pub why: String,
}

/// What the setting means for a program without a view of its own.
pub(super) fn mode_of(sandbox: Sandbox) -> ConfinementMode {
    match sandbox {
        Sandbox::Require => ConfinementMode::Require,
        Sandbox::Prefer => ConfinementMode::Prefer,
        Sandbox::Off => ConfinementMode::Off,
    }
}

impl Site {
    /// Returns the engine's repository.
    pub(super) fn engine(&self) -> Result<EngineRepository, crate::git::EngineRepositoryError> {
        EngineRepository::open_or_create(&self.home.engine_git(), &self.user)
    }

    /// Returns the evidence store.
    pub fn blobs(&self) -> Blobs {
        Blobs::in_store(&self.home.state)
    }

    /// Returns the folders of the run, without links.
    pub(super) fn run_home(&self, state: &RunState) -> RunHome {
        self.home.run(&state.facts.run)
    }

    /// Returns what attempts must not write.
    pub(super) fn out_of_reach(&self, here: bool) -> Vec<PathBuf> {
        let mut never = self.own_folders();
        if !here {
            never.push(canonical(&self.user.top_level));
            never.push(canonical(&self.user.common_dir));
        }
        never.extend(self.users_programs());
        never.extend(self.user.local_remotes());
        never
    }

    /// Returns a variable of the user's environment that is set to something.
    pub(super) fn variable(&self, wanted: &str) -> Option<&str> {
        let found = self.env.iter().find(|(name, _)| name == wanted);
        found.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    /// Writes the git configuration that bars pushing in the shell of a session that drives the run,
    /// and returns the variables that put it in force. Who commits stays as it is.
    ///
    /// # Errors
    /// The file cannot be written, or the place is gone.
    pub fn bar_push_in_session(
        &self,
        state: &RunState,
        file: &std::path::Path,
    ) -> Result<Vec<(String, String)>, WorkerError> {
        let engine = self.engine()?;
        let gone = || WorkerError::PlaceGone { path: state.facts.place.clone() };
        let place = crate::git::Place::open(&engine, &self.run_home(state).git)?;
        let person = self.user.person.clone().unwrap_or_default();
        let system = self.system_git_configuration();
        let mut env = place.ok_or_else(gone)?.bar_push(file, system.as_deref(), &person)?;
        env.retain(|(name, _)| {
            !name.starts_with("GIT_AUTHOR") && !name.starts_with("GIT_COMMITTER")
        });
        Ok(env)
    }

    /// Returns the machine's own git configuration, as the user's git finds it.
    pub(super) fn system_git_configuration(&self) -> Option<PathBuf> {
        if self.variable("GIT_CONFIG_NOSYSTEM").is_some() {
            return None;
        }
        let named = self.variable("GIT_CONFIG_SYSTEM").unwrap_or("/etc/gitconfig");
        Some(PathBuf::from(named)).filter(|file| file.is_file())
    }

    /// Everything of windlass's own, of all runs: attempts and checks get single folders within.
    fn own_folders(&self) -> Vec<PathBuf> {
        let (cache, scratch) = (self.home.cache.parent(), self.home.scratch.parent());
        let own = [Some(self.state_root.as_path()), cache, scratch, self.home.data.parent()];
        let shared = self.machine.files();
        own.into_iter().flatten().map(canonical).chain(shared).collect()
    }

    /// The folders of the user's `PATH` that lie where agents may write temporary files: a program
    /// put there would be run by a check.
    fn users_programs(&self) -> Vec<PathBuf> {
        let temp = canonical(&std::env::temp_dir());
        let path = self.env.iter().find(|(name, _)| name == "PATH").map(|(_, path)| path.as_str());
        let folders = path.unwrap_or_default().split(':').map(PathBuf::from);
        folders
            .filter(|folder| folder.is_absolute())
            .map(|folder| canonical(&folder))
            .filter(|folder| folder.starts_with(&temp) && *folder != temp)
            .filter(|folder| !folder.starts_with(canonical(&self.home.data)))
            .filter(|folder| !folder.starts_with(canonical(&self.user.top_level)))
            .collect()
    }

    /// Returns the verifier of a run.
    pub(super) fn verifier(
        &self,
        run: &RunHome,
        place: &std::path::Path,
        facts: &RunFacts,
        engine: &EngineRepository,
    ) -> Result<Verifier, WorkerError> {
        fs_err::create_dir_all(&run.scratch)?;
        let rooms = self.rooms(run, self.origin(facts), engine)?;
        // Not only at the start of a run: on a machine that it is resumed on, boxes may be gone.
        self.refuse_open_machine(rooms.level())?;
        let mut never = self.own_folders();
        never.push(canonical(&self.user.top_level));
        never.push(canonical(&self.user.common_dir));
        never.push(canonical(place));
        never.extend(self.users_programs());
        let rooms = self.rooms(run, self.origin(facts), engine)?;
        Ok(Verifier {
            exe: self.exe.clone(),
            env: check_environment(&self.env, place),
            blobs: self.blobs(),
            passes: Store::open_read_only(&self.home.state)?,
            copying: if facts.here { Copying::Nothing } else { self.copying(false, rooms.level()) },
            rooms,
            user: self.user.clone(),
            registries: self.registries.clone(),
            mode: match self.sandbox {
                Sandbox::Require => ConfinementMode::Require,
                // Without boxes as well, a check is kept from the checkout where that is possible.
                Sandbox::Prefer | Sandbox::Off => ConfinementMode::Prefer,
            },
            scratch: canonical(&run.scratch),
            launchers_lock: run.launchers_lock(),
            registry: self.home.registry(),
            never,
            carried: facts.carried.clone(),
            ignored: IgnoreRules::of(engine, &facts.base_tree)?,
        })
    }

    /// Refuses a machine without namespaces, where the user requires them.
    pub(super) fn refuse_open_machine(&self, level: &Level) -> Result<(), OpenMachine> {
        match (self.sandbox, level) {
            (Sandbox::Require, Level::Landlock { why } | Level::None { why }) => {
                Err(OpenMachine { why: why.clone() })
            }
            (Sandbox::Require, Level::Namespaces) | (Sandbox::Prefer | Sandbox::Off, _) => Ok(()),
        }
    }

    /// Returns what of the checkout is copied while no agent has been in it.
    pub(super) fn copying(&self, here: bool, level: &Level) -> Copying {
        let limit = self.copy_limit.0;
        match (here, level) {
            (false, Level::Namespaces | Level::Landlock { .. }) => Copying::Linking { limit },
            // Attempts write in it, or nothing keeps them from doing so.
            (true, _) | (false, Level::None { .. }) => Copying::Apart { limit },
        }
    }

    fn origin(&self, facts: &RunFacts) -> Origin {
        Origin {
            commit: facts.base.clone(),
            tree: facts.base_tree.clone(),
            branch: facts.branch.clone(),
            person: self.user.person.clone().unwrap_or_default(),
        }
    }

    /// Returns the layers of a run.
    ///
    /// # Errors
    /// Git fails, or the disk does.
    pub fn rooms(
        &self,
        run: &RunHome,
        origin: Origin,
        engine: &EngineRepository,
    ) -> Result<Rooms, WorkerError> {
        fs_err::create_dir_all(&run.layers)?;
        let dir = canonical(&run.layers);
        let lfs = run.lfs_store();
        let checkout =
            Checkout::open_or_create(&dir.join("git"), engine, &self.user, &self.exe, &lfs)?;
        Ok(Rooms {
            root: self.user.top_level.clone(),
            origin,
            checkout,
            objects: self.user.object_folders(),
            exposed: self.exposed(),
            level: self.level(&dir),
            disk_limit: self.disk_limit.0,
            dir,
        })
    }

    /// Returns whether attempts of a run are in a box here: what is known before the first one starts.
    pub(super) fn boxes(&self, run: &RunHome) -> bool {
        // Without the folder there is no box either.
        let _ = fs_err::create_dir_all(&run.layers);
        self.level(&canonical(&run.layers)) == Level::Namespaces
    }

    /// Returns where a place borrows its objects, if it may: a box shows them to be read only. While an
    /// agent works in the checkout itself, it can write the files that they would be linked from.
    pub(super) fn lenders(&self, run: &RunHome) -> Result<Option<PathBuf>, WorkerError> {
        if !self.boxes(run) {
            return Ok(None);
        }
        let here =
            |place: &str| !std::path::Path::new(place).starts_with(canonical(&self.home.data));
        let runs = Store::open(&self.home.state)?.runs()?;
        let mut unfinished = runs.iter().filter(|run| run.life == Life::Unfinished);
        let open = unfinished.any(|run| run.place.as_deref().is_some_and(here));
        Ok((!open).then(|| self.home.base_stores()))
    }

    /// Returns what can be enforced with layers in `folder`.
    pub fn level(&self, folder: &std::path::Path) -> Level {
        match self.sandbox {
            Sandbox::Off => Level::None { why: "`sandbox: off`".to_owned() },
            Sandbox::Require | Sandbox::Prefer => level::probe(&self.exe, folder),
        }
    }

    /// Returns what boxes and rooms show of the machine.
    pub fn exposed(&self) -> Exposed {
        let hidden = self.hidden();
        Exposed::look(&Around { env: &self.env, hidden: &hidden, added: &self.expose })
    }

    /// Returns what no list may show.
    pub(super) fn hidden(&self) -> Vec<PathBuf> {
        let mut hidden = self.own_folders();
        hidden.push(canonical(&self.user.top_level));
        hidden.push(canonical(&self.user.common_dir));
        hidden
    }

    /// Returns the backend that plays an agent: the one that its step names, else the run's.
    pub(super) fn backend(
        &self,
        facts: &RunFacts,
        wished: Option<&str>,
    ) -> Result<Arc<dyn Backend>, String> {
        let (name, command) = played_by(facts, wished);
        agent::open(name, command, &self.exe)
            .ok_or_else(|| format!("this version of windlass has no backend `{name}`"))
    }

    /// Returns the backend that plays a step and the account that it speaks for; none where nobody
    /// works on it.
    pub(super) fn account(&self, state: &RunState, step: &StepId) -> Option<(String, String)> {
        let index = state.plan.find(step)?;
        if state.fix(index).is_some() {
            // A shell command uses no account of a provider.
            return None;
        }
        let StepKind::Agent { backend, .. } = &state.plan.step(index).kind else { return None };
        let (name, command) = played_by(&state.facts, backend.as_deref());
        Some((name.to_owned(), account_of(name, command, &self.env)))
    }
}

/// The backend, and what stands behind it: the run's command says nothing about another backend.
fn played_by<'a>(facts: &'a RunFacts, wished: Option<&'a str>) -> (&'a str, Option<&'a str>) {
    let name = wished.unwrap_or(&facts.backend);
    (name, facts.command.as_deref().filter(|_| name == facts.backend))
}
