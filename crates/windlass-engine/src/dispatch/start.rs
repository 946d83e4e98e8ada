//! Starting a run: a place, a look at whether it can be verified, and the first decision.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use windlass_core::commit::{CommitStyle, SUBJECTS_LOOKED_AT, is_conventional};
use windlass_core::config::{CommitConfig, Sandbox, Style};
use windlass_core::deps::Service;
use windlass_core::failure_rules::FailureRule;
use windlass_core::id::{ContentHash, ObjectId, RunId};
use windlass_core::plan::{BaselinePolicy, Plan, PlanStep, StepKind, StepNetwork};
use windlass_core::run::{Actor, BaseRecord, BaseResult, Input, InputKind, PushSettings, RunFacts};
use windlass_core::time::Span;

use super::branch;
use super::site::{OpenMachine, Site};
use super::unstarted::{Starting, UnstartedError};
use crate::clock::now;
use crate::fault;
use crate::forge::{ForgeError, push_settings};
use crate::git::{
    EngineRepository, Head, Place, PlaceRequest, UserRepository, place_files, remove_place,
    remove_whole,
};
use crate::journal::{self, DecideError};
use crate::launcher::confine;
use crate::level::Level;
use crate::room::wait_until_swept;
use crate::store::{Life, Store};
use crate::verify::{BaseProgress, PreflightError, matching_files, preflight, run_baseline};

/// The largest ignored file that is carried into the verifier's tree.
const MAX_CARRIED_BYTES: u64 = 16 << 20;

/// What a run is started with.
#[derive(Clone, Debug)]
pub struct StartRequest {
    /// What it executes.
    pub plan: Plan,
    /// Its branch; none for one that is named by its goal.
    pub branch: Option<String>,
    /// Whether it works in the user's checkout.
    pub here: bool,
    /// The person, if all workflow gates are approved in advance.
    pub approved_in_advance: Option<String>,
    /// Who starts it.
    pub person: String,
    /// The backend that plays the agents.
    pub backend: String,
    /// The command or script behind the backend.
    pub command: Option<String>,
    /// Whether the repository chose it.
    pub command_from_repository: bool,
    /// The version of windlass.
    pub version: String,
    /// How attempts that failed are told apart.
    pub failure_rules: Vec<FailureRule>,
    /// How long questions wait for an answer; the usual time when none is given.
    pub questions_wait: Option<Span>,
    /// Why the run may end without a proof on a fresh clone, if its person says so.
    pub no_cold: Option<String>,
    /// Services outside the repository that stories may need, besides those that windlass knows.
    pub services: Vec<Service>,
    /// How its commits are written, as far as somebody says.
    pub commits: CommitConfig,
}

/// Why a run cannot start.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum StartError {
    #[error("run `{run}` is unfinished in this checkout")]
    Unfinished { run: RunId },
    #[error("the store cannot be opened")]
    Open(#[from] crate::store::OpenError),
    #[error("the runs cannot be listed")]
    List(#[from] crate::store::Fault),
    #[error("the engine's repository cannot be made")]
    Engine(#[from] crate::git::EngineRepositoryError),
    #[error("the place of the run cannot be made")]
    Place(#[from] crate::git::PlaceError),
    #[error("the repository's settings cannot be read")]
    Settings(#[from] ForgeError),
    #[error("a git operation of the engine failed")]
    Git(#[from] crate::git::GitError),
    #[error("`{pattern}` is to be carried into the verifier's tree, and no file matches it")]
    NothingToCarry { pattern: String },
    #[error("`{path}` is to be carried into the verifier's tree, and cannot be read")]
    Carry {
        path: String,
        #[source]
        source: place_files::PlaceFileError,
    },
    #[error("the evidence store cannot be written")]
    Put(#[from] crate::store::blobs::PutError),
    #[error("this plan cannot be verified here")]
    Preflight(#[from] PreflightError),
    #[error("the run could not be started")]
    Decide(#[from] DecideError),
    #[error("the start could not be noted")]
    Note(#[from] UnstartedError),
    #[error("a folder could not be made")]
    Io(#[from] std::io::Error),
    #[error(transparent)]
    Sandbox(#[from] super::site::OpenMachine),
    #[error("the baseline could not be run")]
    Baseline(#[from] crate::verify::Broken),
    #[error("you stopped after the baseline; nothing was started")]
    Stopped,
    #[error("`{command}` needs `{program}`, which is not there")]
    MissingProgram { command: String, program: String },
    #[error("`{}` passes with the folders of your checkout, and not on a fresh clone", commands.join("`, `"))]
    OnlyWarm { commands: Vec<String> },
    #[error("the verifier cannot be set up")]
    Verifier(#[from] super::worker::WorkerError),
}

/// Whoever waits for a run to start.
pub trait StartWatcher {
    /// Learns which run it is, before anything is copied.
    fn begins(&mut self, _run: &RunId) {}

    /// Sees what the baseline does.
    fn baseline(&mut self, progress: &BaseProgress);

    /// Says how to go on after it.
    fn choose(&mut self, record: &BaseRecord) -> AfterBaseline;
}

/// How to go on after a baseline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AfterBaseline {
    /// As the workflow says.
    Continue,
    /// Count only tests that did not fail before.
    OnlyNewFailures,
    /// Without a proof on a fresh clone at the end, for this reason.
    WithoutCold(String),
    /// Do not start.
    Stop,
}

/// Nobody waits.
#[derive(Clone, Copy, Debug)]
pub struct Unwatched;

impl StartWatcher for Unwatched {
    fn baseline(&mut self, _progress: &BaseProgress) {}

    fn choose(&mut self, _record: &BaseRecord) -> AfterBaseline {
        AfterBaseline::Continue
    }
}

/// Starts a run; nothing drives it yet.
///
/// # Errors
/// It cannot be verified here, its place cannot be made, or another run has the place. Nothing is
/// left behind then.
pub fn start(
    site: &Arc<Site>,
    request: StartRequest,
    watcher: &mut dyn StartWatcher,
) -> Result<RunId, StartError> {
    let begun = Beginning::make(site, request, watcher)?;
    let run = begun.facts.run.clone();
    begun.finish(|begun| {
        let record = begun.look_at_base(watcher)?;
        refuse_missing(&record)?;
        let choice = watcher.choose(&record);
        if !record.only_warm.is_empty()
            && matches!(choice, AfterBaseline::Continue | AfterBaseline::OnlyNewFailures)
        {
            return Err(StartError::OnlyWarm { commands: record.only_warm });
        }
        match choice {
            AfterBaseline::Continue => {}
            AfterBaseline::OnlyNewFailures => {
                begun.plan.baseline = BaselinePolicy::NoNewFailures;
            }
            AfterBaseline::WithoutCold(reason) => begun.facts.no_cold = Some(reason),
            AfterBaseline::Stop => return Err(StartError::Stopped),
        }
        begun.facts.base_record = Some(record);
        let (plan, facts) = (Box::new(begun.plan.clone()), Box::new(begun.facts.clone()));
        let kind = InputKind::Start { plan, facts };
        let input = Input { at: now(), actor: Actor::person(&begun.person), kind };
        journal::create(&mut begun.store, &input)?;
        Ok(Keep::Run)
    })?;
    fault::point("run-created");
    Ok(run)
}

/// Runs the baseline of a plan and nothing else: nothing is written down, and nothing stays.
///
/// # Errors
/// It cannot be verified here, or something of it cannot be removed.
pub fn baseline_alone(
    site: &Arc<Site>,
    request: StartRequest,
    watcher: &mut dyn StartWatcher,
) -> Result<BaseRecord, StartError> {
    let mut record = BaseRecord::default();
    Beginning::make(site, request, watcher)?.finish(|begun| {
        record = begun.look_at_base(watcher)?;
        Ok(Keep::Nothing)
    })?;
    Ok(record)
}

/// What stays of a beginning.
enum Keep {
    Run,
    Nothing,
}

/// A run with a place that is not in the journal yet.
struct Beginning<'s> {
    site: &'s Arc<Site>,
    store: Store,
    engine: EngineRepository,
    plan: Plan,
    person: String,
    place: Place,
    facts: RunFacts,
    starting: Starting,
}

impl<'s> Beginning<'s> {
    fn make(
        site: &'s Arc<Site>,
        request: StartRequest,
        watcher: &mut dyn StartWatcher,
    ) -> Result<Self, StartError> {
        let store = Store::open(&site.home.state)?;
        if request.here {
            refuse_second_run_here(&store, site)?;
        }
        let run = RunId::new(fresh_id());
        watcher.begins(&run);
        let home = site.home.run(&run);
        refuse_open_machine(site, &request.plan)?;
        fs_err::create_dir_all(&home.state)?;
        fs_err::create_dir_all(&home.scratch)?;
        fs_err::create_dir_all(site.home.registry())?;
        let engine = site.engine()?;
        fault::point("engine-made");
        let base = site.user.commit.clone();
        let base_tree = engine.tree_of(&base)?;
        let place_request = PlaceRequest {
            dir: home.place.clone(),
            run_dir: home.git.clone(),
            branch: request.branch.unwrap_or_else(|| branch::of_goal(&request.plan, &run)),
            base: base.clone(),
            lfs_filter: Some(site.exe.clone()),
            base_stores: match request.here {
                true => Some(site.home.base_stores()),
                false => site.lenders(&home)?,
            },
        };
        let carried = carry(site, &request.plan)?;
        let starting = Starting::begin(site, &run, &place_request.branch, request.here)?;
        fault::point("start-noted");
        if !request.here {
            fs_err::create_dir_all(&site.home.data)?;
        }
        let made = if request.here {
            Place::here(&engine, &site.user, &place_request)
        } else {
            Place::create_clone(&engine, &site.user, &place_request)
        };
        let place = match made {
            Ok(place) => place,
            Err(error) => {
                starting.end()?;
                return Err(error.into());
            }
        };
        fault::point("place-made");
        let push_settings = match pinned_settings(site, &run, &request.plan, request.here) {
            Ok(settings) => settings,
            Err(error) => {
                undo(site, &place, request.here);
                starting.end()?;
                return Err(error.into());
            }
        };
        let commits = commit_style(&site.user, &base, &request.commits);
        let facts = RunFacts {
            run,
            branch: place_request.branch.clone(),
            base_name: match &site.user.head {
                Head::Branch(branch) => branch.clone(),
                Head::Detached => base.to_string(),
            },
            base,
            base_tree,
            place: place.root().to_string_lossy().into_owned(),
            here: request.here,
            approved_in_advance: request.approved_in_advance,
            backend: request.backend,
            command: request.command,
            command_from_repository: request.command_from_repository,
            carried,
            version: request.version,
            failure_rules: request.failure_rules,
            services: request.services,
            push_settings,
            questions_wait: request.questions_wait,
            base_record: None,
            no_cold: request.no_cold,
            commits,
        };
        let (plan, person) = (request.plan, request.person);
        Ok(Self { site, store, engine, plan, person, place, facts, starting })
    }

    /// Looks whether the base can be verified, and at what its checks say.
    fn look_at_base(&self, watcher: &mut dyn StartWatcher) -> Result<BaseRecord, StartError> {
        let home = self.site.home.run(&self.facts.run);
        let mut verifier =
            self.site.verifier(&home, self.place.root(), &self.facts, &self.engine)?;
        // No agent has been near yet.
        verifier.copying = self.site.copying(self.facts.here, verifier.rooms.level());
        let (place, engine, tree) = (&self.place, &self.engine, &self.facts.base_tree);
        let (began, prepare) = (Instant::now(), &self.plan.prepare);
        if !prepare.is_empty() {
            let commands = prepare.iter().map(|prepare| prepare.run.clone()).collect();
            watcher.baseline(&BaseProgress::Prepares(commands));
        }
        preflight(&verifier, place, engine, &self.plan, tree)?;
        if !prepare.is_empty() {
            let took = Span(u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX));
            watcher.baseline(&BaseProgress::Prepared(took));
        }
        fault::point("preflighted");
        let mut told = |progress| watcher.baseline(&progress);
        let goes_cold = self.plan.cold && self.facts.no_cold.is_none();
        Ok(run_baseline(&verifier, place, engine, &self.plan, tree, goes_cold, &mut told)?)
    }

    /// Does the rest of a start, and takes everything back if that says so or fails.
    fn finish(
        mut self,
        rest: impl FnOnce(&mut Self) -> Result<Keep, StartError>,
    ) -> Result<(), StartError> {
        let done = rest(&mut self);
        if matches!(done, Ok(Keep::Run)) {
            self.starting.end()?;
            return Ok(());
        }
        let removed = self.take_back();
        done?;
        removed
    }

    /// Removes everything that was made; the note goes after what it is about.
    fn take_back(self) -> Result<(), StartError> {
        undo(self.site, &self.place, self.facts.here);
        let home = self.site.home.run(&self.facts.run);
        wait_until_swept();
        for folder in [&home.layers, &home.scratch] {
            remove_whole(folder)?;
        }
        self.starting.end()?;
        Ok(remove_whole(&home.state)?)
    }
}

/// Refuses a command that cannot run at all: agents cannot put a program onto the machine.
fn refuse_missing(record: &BaseRecord) -> Result<(), StartError> {
    let lacks = |result: &BaseResult| Some((result.command.clone(), result.missing.clone()?));
    match record.commands.iter().find_map(lacks) {
        Some((command, program)) => Err(StartError::MissingProgram { command, program }),
        None => Ok(()),
    }
}

/// How the commits of a run are written: as it is set, else as the repository's own are. Where those cannot
/// be read, nobody is kept from starting by it.
fn commit_style(user: &UserRepository, base: &ObjectId, set: &CommitConfig) -> CommitStyle {
    let as_in_repository = || {
        let subjects = user.subjects_before(base, SUBJECTS_LOOKED_AT).unwrap_or_default();
        is_conventional(subjects.iter().map(String::as_str))
    };
    CommitStyle {
        conventional: match set.style.unwrap_or_default() {
            Style::Auto => as_in_repository(),
            Style::Conventional => true,
            Style::Plain => false,
        },
        subject: set.subject.clone(),
        squash: set.squash.unwrap_or_default(),
    }
}

/// Pins the settings that decide about a push where agents can write them: in the user's checkout,
/// and everywhere without confinement. Elsewhere only people change them, and may.
fn pinned_settings(
    site: &Site,
    run: &RunId,
    plan: &Plan,
    here: bool,
) -> Result<Option<PushSettings>, ForgeError> {
    let publishes = plan.steps.iter().any(|step| matches!(step.kind, StepKind::PullRequest(_)));
    let out_of_reach = !here && !matches!(site.level(&site.home.cache), Level::None { .. });
    if publishes && !out_of_reach { push_settings(&site.user, run).map(Some) } else { Ok(None) }
}

/// Takes back what was made for a run that does not start.
fn undo(site: &Site, place: &Place, here: bool) {
    if here {
        let _ = place.leave(&site.user);
    } else {
        let _ = remove_place(&site.home.data, place.root());
    }
}

/// Refuses a machine that cannot confine what the user requires to be confined.
fn refuse_open_machine(site: &Site, plan: &Plan) -> Result<(), OpenMachine> {
    if site.sandbox != Sandbox::Require {
        return Ok(());
    }
    site.refuse_open_machine(&site.level(&site.home.cache))?;
    let open = |step: &&PlanStep| {
        matches!(step.kind, StepKind::Agent { .. }) && step.network == StepNetwork::On
    };
    match (plan.steps.iter().find(open), confine::scopes()) {
        (Some(step), Err(why)) => Err(OpenMachine {
            why: format!(
                "with the machine's network, `{}` reaches its abstract sockets ({why}); \
                 `network: provider` keeps it from them",
                step.id
            ),
        }),
        (_, Ok(())) | (None, Err(_)) => Ok(()),
    }
}

fn refuse_second_run_here(store: &Store, site: &Site) -> Result<(), StartError> {
    let here = site.user.top_level.to_string_lossy();
    let unfinished = store
        .runs()?
        .into_iter()
        .find(|run| run.life == Life::Unfinished && run.place.as_deref() == Some(here.as_ref()));
    match unfinished {
        Some(run) => Err(StartError::Unfinished { run: run.id }),
        None => Ok(()),
    }
}

/// Pins the ignored files that checks need.
fn carry(site: &Site, plan: &Plan) -> Result<Vec<(String, ContentHash)>, StartError> {
    let mut carried = Vec::new();
    for pattern in &plan.carry {
        let found = matching_files(&site.user.top_level, pattern)?;
        if found.is_empty() {
            return Err(StartError::NothingToCarry { pattern: pattern.clone() });
        }
        for path in found {
            let (root, file) = (&site.user.top_level, Path::new(&path));
            let bytes = place_files::read_file_bounded(root, file, MAX_CARRIED_BYTES)
                .map_err(|source| StartError::Carry { path: path.clone(), source })?;
            carried.push((path, site.blobs().put(&bytes)?.hash));
        }
    }
    Ok(carried)
}

/// Eight letters and digits that nobody confuses with each other.
fn fresh_id() -> String {
    const LETTERS: &[u8; 32] = b"abcdefghjkmnpqrstuvwxyz023456789";
    let mut bits = uuid::Uuid::new_v4().as_u128();
    let mut id = String::with_capacity(8);
    for _ in 0..8 {
        id.push(char::from(LETTERS[(bits & 31) as usize]));
        bits >>= 5;
    }
    id
}
