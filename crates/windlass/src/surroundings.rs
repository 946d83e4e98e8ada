//! Where the command was started, and what belongs to it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use windlass_core::bytes::ByteSize;
use windlass_core::config::{Confinement, PassEnv, Sandbox, Setting, Settings, Unheeded};
use windlass_core::guard::PublishRules;
use windlass_core::reach::{below_home, check_exposed};
use windlass_engine::agent::without_proxy_passwords;
use windlass_engine::dispatch::Site;
use windlass_engine::git::UserRepository;
use windlass_engine::home::Home;
use windlass_engine::journal::{Loaded, load};
use windlass_engine::machine::{HouseRules, Machine};
use windlass_engine::process_table::ancestry;
use windlass_engine::store::{Life, OpenError, Store, StoredRun};

use crate::cli::{Cli, DriveArguments};
use crate::config;
use crate::error::CommandError;
use crate::output::{Output, note};

/// The repository around the command, and windlass's folders for it.
pub(crate) struct Surroundings {
    pub(crate) site: Arc<Site>,
    wanted: Option<String>,
}

impl Surroundings {
    /// Finds the repository, for commands that read and decide.
    pub(crate) fn find(cli: &Cli) -> Result<Self, CommandError> {
        let user = UserRepository::locate(&folder(cli)?)?;
        Self::with(user, &home()?, &[], cli.run.clone())
    }

    /// Finds the repository and looks at its files, for commands that drive a run.
    pub(crate) fn find_to_drive(cli: &Cli, allow_write: &[PathBuf]) -> Result<Self, CommandError> {
        Self::at(&folder(cli)?, home()?, allow_write, cli.run.clone())
    }

    /// Looks at the repository in `folder`, with windlass's folders elsewhere than usual.
    pub(crate) fn at(
        folder: &Path,
        home: Home,
        allow_write: &[PathBuf],
        wanted: Option<String>,
    ) -> Result<Self, CommandError> {
        Self::with(UserRepository::discover(folder)?, &home, allow_write, wanted)
    }

    fn with(
        user: UserRepository,
        home: &Home,
        allow_write: &[PathBuf],
        wanted: Option<String>,
    ) -> Result<Self, CommandError> {
        let exe = std::env::current_exe().map_err(CommandError::failure)?;
        let mut writable = Vec::new();
        for path in allow_write {
            writable.push(std::path::absolute(path).map_err(CommandError::failure)?);
        }
        let house = HouseRules::new(config::files(&user.top_level));
        let site = Site {
            exe,
            home: home.repository(&user.key),
            state_root: home.protected(),
            user,
            env: environment(),
            allow_write: writable,
            pass_env: Vec::new(),
            sandbox: Sandbox::default(),
            expose: Vec::new(),
            copy_limit: Confinement::COPY_LIMIT,
            disk_limit: Confinement::DISK_LIMIT,
            registries: Vec::new(),
            publishing: PublishRules::default(),
            machine: Machine::new(&home.state, note),
            house,
        };
        Ok(Self { site: Arc::new(site), wanted })
    }

    /// Lets attempts have what the user's configuration and the flag name of the environment.
    pub(crate) fn pass_env(
        &mut self,
        settings: &Settings,
        flags: &[String],
        output: &Output,
    ) -> Result<(), CommandError> {
        if let Some(file) = &settings.pass_env_unheeded {
            output.remark(&format!(
                "`pass_env` in {file} is ignored: only you say what leaves your environment; \
                 put it into your own configuration, or pass `--pass-env NAME`"
            ));
        }
        let mut passed = settings.pass_env.clone();
        for written in flags {
            passed.push(
                PassEnv::parse(written)
                    .map_err(|error| CommandError::usage(error.to_string()).hint(error.help()))?,
            );
        }
        let lost = without_proxy_passwords(&mut self.site.env.clone(), &passed);
        if let Some(name) = lost.first() {
            output.remark(&format!(
                "agents do not get the password in `{}`; if a step with `network: on` has no other \
                 way out, pass `--pass-env {name}`",
                lost.join("`, `")
            ));
        }
        Arc::make_mut(&mut self.site).pass_env = passed;
        Ok(())
    }

    /// Confines attempts and checks as the configuration and the flags say.
    pub(crate) fn confine(
        &mut self,
        confinement: &Confinement,
        arguments: &DriveArguments,
        output: &Output,
    ) -> Result<(), CommandError> {
        for Unheeded { key, file } in &confinement.unheeded {
            output.remark(&format!(
                "`{key}` in {file} is ignored: only you say what attempts and checks reach; put it \
                 into your own configuration"
            ));
        }
        self.confine_as_set(confinement)?;
        let site = Arc::make_mut(&mut self.site);
        if let Some(word) = arguments.sandbox {
            site.sandbox = word.into();
        }
        for path in &arguments.expose {
            site.expose.push(exposed_by_flag(path)?);
        }
        Ok(())
    }

    /// Confines attempts and checks as the configuration says.
    pub(crate) fn confine_as_set(&mut self, confinement: &Confinement) -> Result<(), CommandError> {
        let site = Arc::make_mut(&mut self.site);
        let home = site.env.iter().find(|(name, _)| name == "HOME").map(|(_, home)| home.as_str());
        let home = home.filter(|home| !home.is_empty()).map(PathBuf::from);
        site.expose = confinement
            .expose
            .iter()
            .map(|written| match &home {
                Some(home) => Ok(below_home(written, home)),
                None if written.starts_with('/') => Ok(PathBuf::from(written)),
                None => Err(CommandError::usage(format!(
                    "`{written}` in your configuration cannot be found: HOME is not set"
                ))
                .hint("set HOME, or write the path from the root")),
            })
            .collect::<Result<_, _>>()?;
        let of = |set: &Option<Setting<ByteSize>>| set.as_ref().map(|set| set.value);
        site.sandbox = confinement.sandbox.as_ref().map(|set| set.value).unwrap_or_default();
        site.copy_limit = of(&confinement.copy_limit).unwrap_or(Confinement::COPY_LIMIT);
        site.disk_limit = of(&confinement.disk_limit).unwrap_or(Confinement::DISK_LIMIT);
        site.registries.clone_from(&confinement.registries);
        site.publishing.clone_from(&confinement.publishing);
        Ok(())
    }

    /// Refuses to drive a run on behalf of an agent, which would be its own judge.
    pub(crate) fn refuse_agents(&self) -> Result<(), CommandError> {
        self.refuse_agents_to("drive a run")
    }

    /// Refuses to do for an agent or a check what only people do.
    pub(crate) fn refuse_agents_to(&self, act: &str) -> Result<(), CommandError> {
        let me = i32::try_from(std::process::id()).unwrap_or(-1);
        let below = ancestry::is_below_launcher(me, &self.site.home.registry())
            .map_err(CommandError::failure)?;
        // In a box nobody is above init, and there is no store to decide anything in: the variable
        // serves only to say so.
        if below || std::env::var_os("WINDLASS_ATTEMPT").is_some() {
            return Err(CommandError::usage(format!("an agent or a check cannot {act}"))
                .hint("only a person can do that, in a terminal of their own"));
        }
        crate::hook::below_host(&self.site.home, act)
    }

    /// Opens the store to look into it; none when there never was a run here.
    pub(crate) fn store(&self) -> Result<Option<Store>, CommandError> {
        match Store::open_read_only(&self.site.home.state) {
            Ok(store) => Ok(Some(store)),
            Err(OpenError::NoStore { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the runs of the repository, newest first.
    pub(crate) fn runs(&self) -> Result<Vec<StoredRun>, CommandError> {
        match self.store()? {
            Some(store) => store.runs().map_err(CommandError::failure),
            None => Ok(Vec::new()),
        }
    }

    /// Returns the run that is meant.
    pub(crate) fn run(&self) -> Result<StoredRun, CommandError> {
        let runs = self.runs()?;
        if let Some(wanted) = &self.wanted {
            return pick(&runs, wanted);
        }
        let unfinished: Vec<&StoredRun> =
            runs.iter().filter(|run| run.life == Life::Unfinished).collect();
        match (unfinished.as_slice(), runs.first()) {
            ([only], _) => Ok((*only).clone()),
            ([newest, ..], _) => Ok((*newest).clone()),
            ([], Some(newest)) => Ok(newest.clone()),
            ([], None) => Err(no_run()),
        }
    }

    /// Returns whether somebody said which run is meant.
    pub(crate) fn is_named(&self) -> bool {
        self.wanted.is_some()
    }

    /// Returns the names of the runs that are unfinished.
    pub(crate) fn unfinished(&self) -> Result<Vec<String>, CommandError> {
        let runs = self.runs()?;
        let unfinished = runs.iter().filter(|run| run.life == Life::Unfinished);
        Ok(unfinished.map(|run| run.id.to_string()).collect())
    }

    /// Returns the run that a decision is about: it must be clear which one.
    pub(crate) fn run_to_decide(&self) -> Result<StoredRun, CommandError> {
        if self.wanted.is_none() {
            let unfinished = self.unfinished()?;
            if unfinished.len() > 1 {
                let list = unfinished.join(", ");
                return Err(CommandError::usage(format!("several runs are unfinished: {list}"))
                    .hint("say which one with `--run NAME`; `windlass status --all` lists them"));
            }
        }
        self.run()
    }

    /// Reads the run that is meant.
    pub(crate) fn loaded(&self) -> Result<(StoredRun, Loaded, Store), CommandError> {
        let run = self.run()?;
        let Some(store) = self.store()? else {
            return Err(no_run());
        };
        let loaded = load(&store, &run.id)?;
        Ok((run, loaded, store))
    }
}

/// Returns a path that a flag exposes: it is relative to where the command was started.
fn exposed_by_flag(path: &Path) -> Result<PathBuf, CommandError> {
    let absolute = std::path::absolute(path).map_err(CommandError::failure)?;
    check_exposed(&absolute.to_string_lossy()).map_err(|bad| {
        CommandError::usage(format!("`--expose {}`: {bad}", path.display())).hint(bad.help())
    })?;
    Ok(absolute)
}

/// Returns the folder that the command is about.
pub(crate) fn folder(cli: &Cli) -> Result<PathBuf, CommandError> {
    match &cli.directory {
        Some(folder) => Ok(folder.clone()),
        None => std::env::current_dir().map_err(|error| {
            CommandError::usage(format!("the current folder cannot be found: {error}"))
                .hint("change into a repository, or name one with -C")
        }),
    }
}

fn pick(runs: &[StoredRun], wanted: &str) -> Result<StoredRun, CommandError> {
    let matching: Vec<&StoredRun> =
        runs.iter().filter(|run| run.id.as_str().starts_with(wanted)).collect();
    match matching.as_slice() {
        [only] => Ok((*only).clone()),
        [] => {
            let known: Vec<String> = runs.iter().take(5).map(|run| run.id.to_string()).collect();
            let error =
                CommandError::usage(format!("there is no run `{wanted}` in this repository"));
            Err(if known.is_empty() {
                error
            } else {
                error.hint(format!("newest runs: {}", known.join(", ")))
            })
        }
        _ => Err(CommandError::usage(format!("`{wanted}` could be several runs"))
            .hint("write more letters of its name")),
    }
}

/// Returns windlass's folders, by `$WINDLASS_HOME` and the XDG base directories.
pub(crate) fn home() -> Result<Home, CommandError> {
    let set =
        |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let user = set("HOME");
    let below = |name: &str, default: &str| {
        let xdg = set(name).filter(|path| path.is_absolute());
        let base = xdg.or_else(|| user.as_ref().map(|home| home.join(default)));
        base.map(|base| base.join("windlass")).ok_or_else(|| {
            CommandError::usage("neither HOME nor the XDG folders are set")
                .hint("set HOME, or WINDLASS_HOME, XDG_CACHE_HOME and XDG_DATA_HOME")
        })
    };
    let state = match set("WINDLASS_HOME") {
        Some(state) => std::path::absolute(state).map_err(CommandError::failure)?,
        None => below("XDG_STATE_HOME", ".local/state")?,
    };
    let home = Home {
        state,
        cache: below("XDG_CACHE_HOME", ".cache")?,
        data: below("XDG_DATA_HOME", ".local/share")?,
    };
    for folder in [&home.cache, &home.data] {
        let protected = home.protected();
        if folder.starts_with(&protected) {
            let (inner, state) = (folder.display(), protected.display());
            return Err(CommandError::usage(format!("`{inner}` lies inside `{state}`")).hint(
                "agents and checks may not write windlass's state: set WINDLASS_HOME, \
                       XDG_CACHE_HOME and XDG_DATA_HOME to folders beside each other",
            ));
        }
    }
    Ok(home)
}

/// The user's environment, as far as it is text.
pub(crate) fn environment() -> Vec<(String, String)> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

/// The longest name of a person that is recorded.
const MAX_PERSON: usize = 100;

/// Names who decides at this terminal: git's name of the user, else the account.
///
/// The name is a label in the journal, in reports and in pull requests. It gives nobody authority.
pub(crate) fn person(site: &Site) -> String {
    let set = std::env::var("WINDLASS_PERSON").ok().and_then(|name| plain_name(&name));
    // A git that cannot say it is no reason to refuse a decision.
    let git = || site.user.user_name().ok().flatten().and_then(|name| plain_name(&name));
    set.or_else(git).unwrap_or_else(account)
}

/// Names the account that this process runs as.
pub(crate) fn account() -> String {
    ["WINDLASS_PERSON", "USER", "LOGNAME"]
        .iter()
        .filter_map(|name| std::env::var(name).ok())
        .find_map(|name| plain_name(&name))
        .unwrap_or_else(|| format!("uid-{}", rustix::process::getuid().as_raw()))
}

/// Returns the name on one line; `None` if nothing of it is left.
fn plain_name(name: &str) -> Option<String> {
    let visible = |c: char| if c.is_control() { ' ' } else { c };
    let words: String = name.chars().map(visible).take(MAX_PERSON).collect();
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    (!words.is_empty()).then_some(words)
}

/// Names a step of the run, or says which one was meant.
pub(crate) fn step(
    state: &windlass_core::run::RunState,
    name: &str,
) -> Result<windlass_core::id::StepId, CommandError> {
    let id = windlass_core::id::StepId::from(name);
    if state.plan.find(&id).is_some() {
        return Ok(id);
    }
    let names: Vec<&str> = state.plan.steps.iter().map(|step| step.id.as_str()).collect();
    let error =
        CommandError::usage(format!("there is no step `{name}` in run `{}`", state.facts.run));
    Err(match windlass_core::workflow::nearest(name, names.iter().copied()) {
        Some(nearest) => error.hint(format!("did you mean `{nearest}`?")),
        None => error.hint(format!("the steps are: {}", names.join(", "))),
    })
}

/// Says that there is no run to do something with. An attempt in a box finds no store, whatever it asks
/// for: it is told what that means.
pub(crate) fn no_run() -> CommandError {
    if std::env::var_os("WINDLASS_ATTEMPT").is_some() {
        return CommandError::usage("an agent or a check cannot decide about the run")
            .hint("only a person can do that, in a terminal of their own");
    }
    CommandError::usage("there is no run in this repository yet")
        .hint("start one with `windlass run GOAL` or `windlass run --issue N`")
}
