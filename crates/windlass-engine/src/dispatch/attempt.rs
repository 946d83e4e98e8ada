//! One attempt: prompt, launcher, output, files.

use std::path::{Path, PathBuf};

use windlass_core::guard::PublishRules;
use windlass_core::id::{AttemptId, ObjectId, StepId};
use windlass_core::plan::{PlanStep, StepKind};
use windlass_core::prompt::prompt;
use windlass_core::proof::{AttemptReport, Blob, Outcome, Trouble, Usage};
use windlass_core::run::{Category, InputKind, RunState};
use windlass_core::snapshot::Snapshot;
use windlass_core::time::{Span, Timestamp};
use windlass_core::view::escalation;

use super::held::tail;
use super::mirror;
use super::servers::servers;
use super::site::mode_of;
use super::socket::Badge;
use super::worker::{Worker, WorkerError, jitter};
use crate::agent::{
    AgentResult, AttemptRequest, Backend, CommandBackend, MAY_WRITE, PUBLISHING, Printed, SignIn,
    agent_environment, final_words, home_variables, make_folder, make_home,
    without_proxy_passwords,
};
use crate::fault;
use crate::git::{Committed, Displaced, PlaceKind, place_files, remove_whole};
use crate::home::canonical;
use crate::launcher::{Confinement, DiskLimit, LaunchPolicy, LaunchReport, Limits};
use crate::level::Level;
use crate::network::{give_proxy, here_network, refused_in_words, view_network};
use crate::process::{self, LauncherCommand};
use crate::process_table::ancestry;
use crate::room::spread;
use crate::verify::Cancel;

/// How much of an agent's output is kept: its beginning and its end.
pub(super) const MAX_OUTPUT_BYTES: u64 = 4 << 20;

/// The largest file that an attempt writes.
const MAX_FILE_BYTES: u64 = 2 << 30;

/// The most files that one process of an attempt has open.
const MAX_OPEN_FILES: u64 = 1 << 16;

/// What an agent printed, in the folder of its attempt.
pub(super) const OUTPUT: &str = "output";

/// What it printed on standard error, where that is apart.
pub(super) const ERRORS: &str = "errors";

/// What keeps a session's subagent in its bounds.
const HOSTED: &str = "none: it was a subagent of the hosting session, which runs in your checkout with \
                      your rights; guards looked at its calls";

/// Who plays the agent, what the launcher is told, and the sign-in that is held for the user.
type Startable = (std::sync::Arc<dyn Backend>, LaunchPolicy, Option<SignIn>);

/// The command that is this try at a step, instead of an agent.
pub(super) fn fix_of<'s>(state: &'s RunState, step: &StepId) -> Option<&'s str> {
    state.fix(state.plan.find(step)?)
}

impl Worker {
    pub(super) fn attempt(
        &mut self,
        state: &RunState,
        attempt: &AttemptId,
        cancel: &Cancel,
    ) -> Result<InputKind, WorkerError> {
        let _span = tracing::info_span!("attempt", %attempt).entered();
        self.make_ready(state, attempt)?;
        self.place.note_git_directory()?;
        let scratch = self.new_scratch(attempt)?;
        let (result, launch) = match self.startable(state, attempt, scratch.path())? {
            Ok((backend, policy, sign_in)) => {
                let launched = self.launch(attempt, &policy, cancel);
                if let Some(sign_in) = sign_in {
                    sign_in.give_back()?;
                }
                let mut report = launched?;
                if let Some(how) = report.lost.take() {
                    // Somebody ended the process that holds the attempt: nothing that it left counts.
                    let message = format!("the attempt's launcher was lost: {how}");
                    report.outcome = Outcome::AgentFailed { category: Category::External, message };
                }
                let result = printed(&*backend, report.outcome.clone(), scratch.path());
                let (name, exited) = (backend.name(), &report.outcome);
                let mut result = self.by_rules(state, name, exited, scratch.path(), result)?;
                if fix_of(state, &attempt.step).is_some() {
                    // No model was asked.
                    result.usage.cost_usd = Some(0.0);
                }
                (result, Some(report))
            }
            Err(outcome) => {
                // Nothing was started, so nothing was used.
                let usage = Usage { cost_usd: Some(0.0), ..Usage::default() };
                (AgentResult { outcome, usage, result: None }, None)
            }
        };
        self.known = None;
        fault::point("attempt-exited");
        self.refuse_changed_git()?;
        self.put_settings_back(state, attempt)?;
        let (snapshot, trouble) = self.files_left(state)?;
        self.put_git_directory_back(state, attempt)?;
        self.moved_by_agent = trouble.iter().any(|t| matches!(t, Trouble::HeadMoved { .. }));
        fault::point("attempt-observed");
        let outcome = match &launch {
            Some(launch) => {
                let wall = launch.wall_ms;
                self.unless_at_once(
                    state,
                    attempt,
                    result.outcome,
                    wall,
                    &snapshot,
                    scratch.path(),
                )?
            }
            None => result.outcome,
        };
        let report = AttemptReport {
            outcome,
            usage: result.usage,
            result: result.result,
            output: self.keep_output(scratch.path())?,
            left_behind: launch.as_ref().map_or(0, |launch| launch.left_behind),
            trouble,
            confinement: launch
                .map(|launch| {
                    let more = self.not_copied_in_words() + &refused_in_words(scratch.path());
                    launch.confinement + &more
                })
                .unwrap_or_default(),
            escalation: self.escalation(state, attempt, scratch.path())?,
        };
        let (attempt, report) = (attempt.clone(), Box::new(report));
        Ok(InputKind::AttemptEnded { attempt, report, snapshot, jitter: jitter() })
    }

    /// Puts the settings of the place's git directory back; what the agent made of them stays where
    /// people find it.
    fn put_settings_back(&self, state: &RunState, attempt: &AttemptId) -> Result<(), WorkerError> {
        let displaced = self.place.put_settings_back(&state.head)?;
        let name = attempt.to_string().replace('/', ".");
        let folder = Path::new(".windlass/run/aside").join(format!("git-{name}"));
        for Displaced { path, content } in displaced {
            let kept = folder.join(path.to_string_lossy().replace('/', "."));
            // A place whose papers cannot be written is told about when they are looked at.
            let _ = place_files::create_dir(self.place.root(), &folder)
                .and_then(|()| place_files::write_file(self.place.root(), &kept, &content));
        }
        Ok(())
    }

    /// Stops where an attempt in the user's checkout changed what leads the user's own git: only a person
    /// can tell what belongs there.
    fn refuse_changed_git(&self) -> Result<(), WorkerError> {
        let changed = self.place.changed_git_directory()?;
        if changed.is_empty() { Ok(()) } else { Err(WorkerError::GitChanged { changed }) }
    }

    /// Gives the place a new git directory where an agent put a file or a link in its stead, or nothing:
    /// whoever looks at the place next would be led to settings of the agent's. That is done after the
    /// trouble was seen.
    fn put_git_directory_back(
        &mut self,
        state: &RunState,
        attempt: &AttemptId,
    ) -> Result<(), WorkerError> {
        if self.place.kind() == PlaceKind::Here || self.place.has_git_directory() {
            return Ok(());
        }
        self.restore_git_directory(&state.head)?;
        self.put_settings_back(state, attempt)
    }

    /// Gives the place a new git directory, which borrows its objects where that is possible.
    pub(super) fn restore_git_directory(&mut self, last: &ObjectId) -> Result<(), WorkerError> {
        let stores = self.site.lenders(&self.run)?;
        Ok(self.place.restore_git_directory(&self.site.user, last, stores.as_deref())?)
    }

    /// Returns why the agent's last words ask for a person. A command that is a first try has none.
    fn escalation(
        &self,
        state: &RunState,
        attempt: &AttemptId,
        scratch: &Path,
    ) -> Result<Option<String>, WorkerError> {
        if fix_of(state, &attempt.step).is_some() {
            return Ok(None);
        }
        Ok(escalation(&final_words(&tail(scratch, OUTPUT)?)))
    }

    /// Puts the place in order for an attempt, and what the agent reads into it.
    fn make_ready(&mut self, state: &RunState, attempt: &AttemptId) -> Result<(), WorkerError> {
        self.refuse_changed_git()?;
        if self.unsettled && self.place.root().is_dir() {
            // A driver that died may have left what its last attempt made of them.
            self.put_git_directory_back(state, attempt)?;
            self.put_settings_back(state, attempt)?;
        }
        if state.facts.here {
            // The checkout is the user's: HEAD is put back by whoever moved it, never by windlass.
            self.refuse_moved_head(state)?;
        }
        let borrowed = self.place.borrowed();
        let is_gone = borrowed.iter().any(|objects| !objects.is_dir());
        if is_gone || (!self.is_boxed() && !borrowed.is_empty()) {
            // What it borrows was removed by somebody, or it was made where there were boxes: here an
            // attempt could write it.
            self.restore_git_directory(&state.head)?;
            self.unsettled = true;
        }
        if self.unsettled {
            let at = Committed { commit: state.head.clone(), tree: state.head_code.clone() };
            if let Err(broken) = self.place.settle(&at) {
                // An agent removed or broke the git directory of its place. Its files are kept, and
                // the next attempt must not suffer for it.
                if self.place.kind() == PlaceKind::Here {
                    return Err(broken.into());
                }
                self.restore_git_directory(&at.commit)?;
                self.place.settle(&at)?;
            }
            self.unsettled = false;
            self.moved_by_agent = false;
        }
        mirror::write(state, state.plan.find(&attempt.step), self.place.root(), &self.blobs)?;
        fault::point("place-settled");
        Ok(())
    }

    /// A session starts a subagent for the attempt: all that windlass does is make ready for it.
    pub(super) fn taken(
        &mut self,
        state: &RunState,
        attempt: &AttemptId,
        call: &str,
    ) -> Result<InputKind, WorkerError> {
        if let Some(held) = self.held(state, attempt) {
            // Nothing was started, so nothing was used.
            let usage = Usage { cost_usd: Some(0.0), ..Usage::default() };
            return self.over(state, attempt, held, usage);
        }
        self.make_ready(state, attempt)?;
        Ok(InputKind::OfferTaken { attempt: attempt.clone(), call: call.to_owned() })
    }

    /// The session's subagent stopped: its files are what there is.
    pub(super) fn rested(
        &mut self,
        state: &RunState,
        attempt: &AttemptId,
    ) -> Result<InputKind, WorkerError> {
        self.over(state, attempt, Outcome::Exited { code: 0 }, Usage::default())
    }

    /// Reports the end of an attempt that a session had, or was to have.
    fn over(
        &mut self,
        state: &RunState,
        attempt: &AttemptId,
        outcome: Outcome,
        usage: Usage,
    ) -> Result<InputKind, WorkerError> {
        let (snapshot, trouble) = self.files_left(state)?;
        let report = AttemptReport {
            outcome,
            usage,
            result: None,
            output: None,
            left_behind: 0,
            trouble,
            confinement: HOSTED.to_owned(),
            escalation: None,
        };
        let (attempt, report) = (attempt.clone(), Box::new(report));
        Ok(InputKind::AttemptEnded { attempt, report, snapshot, jitter: jitter() })
    }

    /// Reports an attempt whose driver died: its files, and what its output tells so far.
    pub(super) fn lost(
        &mut self,
        state: &RunState,
        attempt: &AttemptId,
    ) -> Result<InputKind, WorkerError> {
        self.refuse_changed_git()?;
        self.put_settings_back(state, attempt)?;
        let (snapshot, trouble) = self.files_left(state)?;
        self.put_git_directory_back(state, attempt)?;
        let scratch = self.scratch_of(attempt);
        let last_seen = last_written(&scratch.join(OUTPUT));
        let step = state.plan.find(&attempt.step).map(|index| state.plan.step(index));
        let backend = step.and_then(|step| self.backend_of(state, step).ok());
        if let (Some(backend), Some(step)) = (&backend, step) {
            self.give_back_left(&**backend, step)?;
        }
        let usage = backend.map(|backend| printed(&*backend, Outcome::Cancelled, &scratch).usage);
        let usage = usage.unwrap_or_default();
        // The folder of its box is made before the program starts; an attempt that never began did
        // nothing. With nothing confined at all, an agent could make that folder, as it could rewrite
        // the journal.
        let boxed = scratch.is_dir().then(|| scratch.join("box").is_dir());
        let attempt = attempt.clone();
        Ok(InputKind::AttemptLost { attempt, snapshot, trouble, usage, last_seen, boxed })
    }

    /// Gives back the sign-in that an attempt held whose driver died.
    fn give_back_left(&self, backend: &dyn Backend, step: &PlanStep) -> Result<(), WorkerError> {
        let StepKind::Agent { agent, .. } = &step.kind else { return Ok(()) };
        let left = backend.left_sign_in(&self.site.env, &self.kept_for(step, agent));
        Ok(left.map_or(Ok(()), |left| left.give_back())?)
    }

    /// The folder of an attempt: whoever comes after a driver that died finds it by its name.
    fn scratch_of(&self, attempt: &AttemptId) -> PathBuf {
        let name = attempt.to_string().replace('/', ".");
        self.run.scratch.join(format!("attempt-{name}"))
    }

    /// Makes the folder that is kept for a step and its role, and returns its path without links.
    /// Without a box, attempts can write beside it, so none on the way to it is followed.
    fn new_kept(&self, step: &PlanStep, agent: &str) -> Result<PathBuf, WorkerError> {
        make_home(&self.run.attempts)?;
        let kept = self.kept_for(step, agent);
        make_folder(&self.run.attempts, Path::new(kept.file_name().unwrap_or_default()))?;
        Ok(canonical(&kept))
    }

    fn new_scratch(&self, attempt: &AttemptId) -> Result<Scratch, WorkerError> {
        Ok(Scratch::new(self.scratch_of(attempt))?)
    }

    fn backend_of(
        &self,
        state: &RunState,
        step: &PlanStep,
    ) -> Result<std::sync::Arc<dyn Backend>, String> {
        if let Some(fix) = fix_of(state, &step.id) {
            return Ok(std::sync::Arc::new(CommandBackend::new(fix.to_owned())));
        }
        match &step.kind {
            StepKind::Agent { backend, .. } => self.site.backend(&state.facts, backend.as_deref()),
            StepKind::Group | StepKind::Foreach(_) | StepKind::PullRequest(_) => {
                Err(format!("no agent works on `{}`", step.id))
            }
        }
    }

    fn launch(
        &self,
        attempt: &AttemptId,
        policy: &LaunchPolicy,
        cancel: &Cancel,
    ) -> Result<LaunchReport, WorkerError> {
        let _span = tracing::info_span!("agent").entered();
        let mut unit = process::spawn(&LauncherCommand::new(&self.site.exe), policy)?;
        cancel.running(Some(unit.stop_handle()));
        let launcher = i32::try_from(unit.launcher_pid()).unwrap_or(-1);
        let token = policy.env.iter().find(|(name, _)| name == "WINDLASS_TOKEN");
        if let (Some((_, token)), Ok(start)) = (token, ancestry::start_time(launcher)) {
            let badge = Badge {
                token: token.clone(),
                attempt: attempt.clone(),
                launcher,
                launcher_start: start,
            };
            self.badges().push(badge);
        }
        unit.started();
        fault::point("attempt-running");
        let report = unit.wait();
        self.badges().retain(|badge| badge.attempt != *attempt);
        cancel.running(None);
        Ok(report)
    }

    fn badges(&self) -> std::sync::MutexGuard<'_, Vec<Badge>> {
        self.badges.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// What the launcher is told; or why nothing is started.
    fn startable(
        &self,
        state: &RunState,
        attempt: &AttemptId,
        scratch: &Path,
    ) -> Result<Result<Startable, Outcome>, WorkerError> {
        if let Some(held) = self.held(state, attempt) {
            return Ok(Err(held));
        }
        let failed = |message| Outcome::AgentFailed { category: Category::External, message };
        Ok(self.policy(state, attempt, scratch)?.map_err(failed))
    }

    /// What the launcher is told; or why the agent cannot be started at all.
    fn policy(
        &self,
        state: &RunState,
        attempt: &AttemptId,
        scratch: &Path,
    ) -> Result<Result<Startable, String>, WorkerError> {
        let Some(index) = state.plan.find(&attempt.step) else {
            return Ok(Err(format!("there is no step `{}`", attempt.step)));
        };
        let plan = state.plan.step(index);
        let backend = match self.backend_of(state, plan) {
            Ok(backend) => backend,
            Err(message) => return Ok(Err(message)),
        };
        let StepKind::Agent { agent, .. } = &plan.kind else {
            return Ok(Err(format!("nobody works on `{}`", plan.id)));
        };
        let prompt_file = scratch.join("prompt.md");
        fs_err::write(&prompt_file, prompt(state, index, attempt))?;
        let temp = scratch.join("tmp");
        fs_err::create_dir_all(&temp)?;
        let role = state.plan.role_of(plan);
        let own = self.is_boxed().then(|| self.new_kept(plan, agent)).transpose()?;
        let mcp = match servers(&state.plan, plan, &self.site.env) {
            Ok(servers) => servers,
            Err(message) => return Ok(Err(message)),
        };
        let request = AttemptRequest {
            run: &state.facts.run,
            attempt,
            agent,
            role_text: role.map(|role| role.body.as_str()),
            tools: role.and_then(|role| role.tools.as_deref()),
            model: state.plan.model_of(plan),
            mcp: &mcp,
            prompt_file: &prompt_file,
            place: self.place.root(),
            works_in: self.works_in(),
            own: own.as_deref(),
            scratch,
            env: &self.site.env,
            budget_usd: Some((state.limits().cost_usd - state.spent.cost_usd).max(0.0)),
            resumes: state.step(index).resumed.as_deref(),
            // Where windlass confines nothing, an agent's own sandbox stays on.
            confined: !matches!(self.verifier.rooms.level(), Level::None { .. }),
        };
        let mut command = match backend.command(&request) {
            Ok(command) => command,
            Err(error) => return Ok(Err(error.to_string())),
        };
        let theirs = state.facts.command_from_repository && backend.name() == state.facts.backend;
        if theirs || fix_of(state, &attempt.step).is_some() {
            // Words of the repository open nothing of the machine.
            command.programs.clear();
        }
        let works_in = self.works_in().to_owned();
        let mut policy = LaunchPolicy::new(self.argv_of(&command), works_in, scratch.join(OUTPUT));
        policy.stderr = command.errors_apart.then(|| scratch.join(ERRORS));
        policy.env = self.environment(state, attempt, agent, &prompt_file, scratch)?;
        policy.env.extend(command.env.clone());
        // A proxy of windlass's own that stands between uses the user's password itself.
        without_proxy_passwords(&mut policy.env, &self.site.pass_env);
        policy.stdin.clone_from(&command.stdin);
        policy.max_output_bytes = MAX_OUTPUT_BYTES;
        let left = Span(state.limits().wall.0.saturating_sub(state.spent.wall.0));
        policy.timeout = Some(plan.timeout.min(left));
        policy.idle_timeout = Some(plan.idle_timeout);
        policy.limits = attempt_limits();
        policy.disk = Some(self.disk_limit(scratch));
        policy.hold_lock = Some(self.run.launchers_lock());
        policy.registry = Some(self.site.home.registry());
        let mut within = vec![canonical(&temp), canonical(&self.run.attempts)];
        if self.place.kind() == PlaceKind::PrivateClone {
            // It lies among the places of other spokes and runs, which stay out of reach.
            within.push(self.place.root().to_owned());
        }
        if self.is_boxed() {
            let path = policy.env.iter().find(|(name, _)| name == "PATH");
            let path = path.map_or("", |(_, path)| path.as_str());
            policy.view = Some(self.box_of(scratch, &command, path, view_network(plan))?);
            policy.confinement.mode = mode_of(self.site.sandbox);
            let (env, registries) = (&self.site.env, &self.site.registries);
            let given = give_proxy(plan, backend.name(), env, registries, scratch, &mut policy);
            if let Err(message) = given {
                return Ok(Err(message));
            }
        } else {
            policy.confinement = Confinement {
                mode: mode_of(self.site.sandbox),
                write: self.writable(command.write),
                never: self.site.out_of_reach(state.facts.here),
                within,
                read: Some(self.readable(scratch, command.programs)),
                network: here_network(plan),
            };
        }
        Ok(Ok((backend, policy, command.sign_in)))
    }

    /// What the place, the attempt's own folder and its home may hold together. The user's checkout is
    /// not counted: nobody knows how much of it was there before.
    fn disk_limit(&self, scratch: &Path) -> DiskLimit {
        let mut folders = vec![canonical(scratch), canonical(&self.run.attempts)];
        if self.place.kind() == PlaceKind::PrivateClone {
            folders.push(self.place.root().to_owned());
        }
        DiskLimit { folders, bytes: self.site.disk_limit.0 }
    }

    /// What an attempt may read without a box, besides what it may write: its tools, what windlass wrote
    /// for it, and in a checkout of the user's that.
    fn readable(&self, scratch: &Path, programs: Vec<PathBuf>) -> Vec<PathBuf> {
        let mut read = self.verifier.rooms.exposed().readable();
        read.extend([scratch.to_owned(), self.run.bin(), self.site.exe.clone()]);
        read.extend(self.run.socket().parent().map(Path::to_owned));
        let hidden = self.site.hidden();
        let is_hidden = |path: &Path| hidden.iter().any(|hidden| path.starts_with(hidden));
        read.extend(programs.into_iter().filter(|program| !is_hidden(&canonical(program))));
        if self.place.kind() == PlaceKind::Here {
            read.extend([self.site.user.top_level.clone(), self.site.user.common_dir.clone()]);
        }
        read
    }

    fn writable(&self, backend: Vec<PathBuf>) -> Vec<PathBuf> {
        let mut write = vec![canonical(&std::env::temp_dir())];
        if self.place.kind() == PlaceKind::Here {
            write.push(self.place.root().to_owned());
        }
        write.extend(backend);
        write.extend(self.site.allow_write.iter().map(|path| canonical(path)));
        write.retain(|path| path.exists());
        write
    }

    fn environment(
        &self,
        state: &RunState,
        attempt: &AttemptId,
        agent: &str,
        prompt_file: &Path,
        scratch: &Path,
    ) -> Result<Vec<(String, String)>, WorkerError> {
        let bin = self.own_command()?;
        let mut env = agent_environment(&self.site.env, &self.site.pass_env);
        for (name, value) in self.instead_of_keys(scratch, &env)? {
            env.retain(|(has, _)| *has != name);
            env.push((name, value));
        }
        let path = env.iter().find(|(name, _)| name == "PATH").map(|(_, path)| path.clone());
        env.retain(|(name, _)| name != "PATH" && name != "TMPDIR");
        let mut set = |name: &str, value: String| env.push((name.to_owned(), value));
        set("PATH", format!("{}:{}", bin.display(), path.unwrap_or_default()));
        let temp = match self.is_boxed() {
            true => "/tmp".to_owned(),
            false => scratch.join("tmp").to_string_lossy().into_owned(),
        };
        set("TMPDIR", temp);
        set("WINDLASS_RUN", state.facts.run.to_string());
        set("WINDLASS_STEP", attempt.step.to_string());
        set("WINDLASS_ATTEMPT", attempt.to_string());
        set("WINDLASS_AGENT", agent.to_owned());
        let index = state.plan.find(&attempt.step);
        if let Some(item) = index.and_then(|index| state.item_of(index)) {
            set("WINDLASS_ITEM_ID", item.item.id.to_string());
            set("WINDLASS_ITEM_TITLE", item.item.title.clone());
        }
        if let Ok(paths) = std::env::join_paths(&self.site.allow_write) {
            set(MAY_WRITE, paths.to_string_lossy().into_owned());
        }
        if self.site.publishing != PublishRules::default() {
            let rules =
                serde_json::to_string(&self.site.publishing).map_err(std::io::Error::other)?;
            set(PUBLISHING, rules);
        }
        set("WINDLASS_TOKEN", uuid::Uuid::new_v4().simple().to_string());
        set("WINDLASS_PROMPT_FILE", prompt_file.to_string_lossy().into_owned());
        set("WINDLASS_SOCKET", self.run.socket().to_string_lossy().into_owned());
        Ok(env)
    }

    /// What an attempt has in place of the user's home and git settings.
    fn instead_of_keys(
        &self,
        scratch: &Path,
        has: &[(String, String)],
    ) -> Result<Vec<(String, String)>, WorkerError> {
        make_home(&self.run.attempts)?;
        let users = self.site.variable("HOME").map(Path::new);
        let home = match self.is_boxed() {
            true => self.home_in_box().to_owned(),
            false => canonical(&self.run.attempts),
        };
        let mut env = home_variables(&home, users, has);
        let system = self.site.system_git_configuration();
        let person = self.site.user.person.clone().unwrap_or_default();
        let file = scratch.join("gitconfig");
        env.extend(self.place.bar_push(&file, system.as_deref(), &person)?);
        Ok(env)
    }

    /// A folder in which an agent finds this very windlass, whatever else is installed.
    fn own_command(&self) -> Result<PathBuf, WorkerError> {
        if self.is_boxed() {
            return Ok(self.box_bin()?);
        }
        let bin = self.run.bin();
        fs_err::create_dir_all(&bin)?;
        let link = bin.join("windlass");
        if !link.exists() {
            match std::os::unix::fs::symlink(&self.site.exe, &link) {
                Ok(()) => {}
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(bin)
    }

    /// Keeps the files of the attempt. A place that cannot be read fails the attempt, with the last
    /// files that could.
    pub(super) fn files_left(
        &mut self,
        state: &RunState,
    ) -> Result<(Snapshot, Vec<windlass_core::proof::Trouble>), WorkerError> {
        match self.observe(state) {
            Ok(seen) => Ok(seen),
            Err(WorkerError::Snapshot(error)) if self.place.root().is_dir() => {
                let Some(latest) = self.last_seen(state) else { return Err(error.into()) };
                let message = with_causes(&error);
                self.unsettled = true;
                Ok((latest, vec![windlass_core::proof::Trouble::Unreadable { message }]))
            }
            Err(error) => Err(error),
        }
    }

    fn keep_output(&self, scratch: &Path) -> Result<Option<Blob>, WorkerError> {
        let mut kept = Vec::new();
        for name in [OUTPUT, ERRORS] {
            // Never through a link and never from a pipe, which an unconfined agent could put there.
            let most = 2 * MAX_OUTPUT_BYTES;
            match place_files::read_file_bounded(scratch, Path::new(name), most) {
                Ok(bytes) => kept.extend(bytes),
                Err(error) if error.is_missing() => {}
                Err(error) => return Err(error.into()),
            }
        }
        if kept.is_empty() { Ok(None) } else { Ok(Some(self.blobs.put(&kept)?)) }
    }
}

/// A folder that goes with what it was made for, whatever lies in it: overlayfs leaves one that its
/// owner cannot open.
pub(super) struct Scratch(PathBuf);

impl Scratch {
    /// Makes the folder; what a process that was killed left there goes.
    pub(super) fn new(path: PathBuf) -> std::io::Result<Self> {
        remove_whole(&path)?;
        let all = path.parent().unwrap_or(Path::new("/"));
        if !all.is_dir() {
            fs_err::create_dir_all(all)?;
            spread(all);
        }
        let scratch = Self(path);
        rustix::fs::mkdir(scratch.path(), rustix::fs::Mode::RWXU)?;
        Ok(scratch)
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is left is removed with the run.
        let _ = remove_whole(&self.0);
    }
}

/// Asks a backend what an attempt printed.
fn printed(backend: &dyn Backend, outcome: Outcome, scratch: &Path) -> AgentResult {
    let (output, errors) = (scratch.join(OUTPUT), scratch.join(ERRORS));
    backend.result(outcome, Printed { output: &output, errors: &errors })
}

/// When a file was last written; it may be gone.
fn last_written(path: &Path) -> Option<Timestamp> {
    let modified = fs_err::symlink_metadata(path).ok()?.modified().ok()?;
    let since = modified.duration_since(std::time::UNIX_EPOCH).ok()?;
    i64::try_from(since.as_millis()).ok().map(Timestamp)
}

/// What an attempt may use, for an ordinary user as for root. A file of more than this is no work, and
/// a snapshot of it would take minutes; memory is bounded so that the machine stays usable.
fn attempt_limits() -> Limits {
    let memory = rustix::system::sysinfo();
    let total = memory.totalram.saturating_mul(u64::from(memory.mem_unit));
    Limits {
        file_size_bytes: Some(MAX_FILE_BYTES),
        open_files: Some(MAX_OPEN_FILES),
        memory_bytes: Some(total / 10 * 9),
        ..Limits::default()
    }
}

pub(super) fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(source) = cause {
        text.push_str(": ");
        text.push_str(&source.to_string());
        cause = source.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_folder_that_its_owner_cannot_open_goes_with_the_attempt() {
        let root = tempfile::tempdir().unwrap();
        let at = root.path().join("scratch/attempt-a#1");
        let closed = |path: &Path| {
            fs_err::create_dir_all(path.join("box/root/w/work/deep")).unwrap();
            let mode = std::fs::Permissions::from_mode(0o000);
            fs_err::set_permissions(path.join("box/root/w/work"), mode).unwrap();
        };
        closed(&at);
        let scratch = Scratch::new(at.clone()).unwrap();
        assert!(!at.join("box").exists(), "what a killed driver left is gone");
        closed(&at);
        drop(scratch);
        assert!(!at.exists());
    }
}
