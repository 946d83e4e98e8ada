//! `windlass resume`: go on with a run.

use std::process::ExitCode;

use windlass_core::config::{Notify, Setting};
use windlass_core::id::RunId;
use windlass_core::run::{Control, Phase, PlayedBy, Raise, RunStatus};
use windlass_core::time::Span;
use windlass_engine::dispatch::{Request, send};
use windlass_engine::journal::load;
use windlass_engine::store::{Life, StoredRun};

use crate::backend;
use crate::cli::{Cli, DriveArguments, ResumeArguments};
use crate::commands::decide;
use crate::config;
use crate::drive::{DriveHow, drive, exit_code};
use crate::error::CommandError;
use crate::hook;
use crate::output::{Output, note};
use crate::surroundings::{Surroundings, person};

pub(crate) fn resume(
    cli: &Cli,
    arguments: &ResumeArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let ready = Ready::find(cli, &arguments.drive, output)?;
    let raise = raise(&arguments.more)?;
    let surroundings = &ready.surroundings;
    let run = surroundings.run_to_decide()?;
    if run.life == Life::Finished {
        note(&format!("run `{}` has ended: {}", run.id, run.status));
        let (_, loaded, _) = surroundings.loaded()?;
        return Ok(exit_code(loaded.state.status()));
    }
    let Some(store) = surroundings.store()? else {
        return Err(crate::surroundings::no_run());
    };
    let state = load(&store, &run.id)?.state;
    drop(store);
    let stopped = matches!(state.control, Control::Paused { .. } | Control::Obstructed { .. });
    if let Some(played_by) = another_agent(arguments, surroundings, output)? {
        let said = format!("agents are played by {} from the next attempt on", played_by.words());
        let request = Request::PlayBy { played_by };
        let sent = send(&surroundings.site, &run.id, &person(&surroundings.site), &request)?;
        decide::answered(&sent.answer)?;
        note(&said);
        if sent.driven && !stopped {
            return Ok(ExitCode::SUCCESS);
        }
    }
    if let Some(reason) = &arguments.no_cold {
        let request = Request::WaiveCold { reason: reason.clone() };
        let sent = send(&surroundings.site, &run.id, &person(&surroundings.site), &request)?;
        decide::answered(&sent.answer)?;
        if sent.driven && !stopped {
            note(&format!(
                "run `{}` ends without that proof; another windlass drives it already",
                run.id
            ));
            return Ok(ExitCode::SUCCESS);
        }
    }
    // What a limit keeps waiting asks again: there may be more money, or another account.
    let limited = state
        .in_hand()
        .any(|index| matches!(state.step(index).phase, Phase::Waiting { limit: true, .. }));
    if stopped || (limited && raise == Raise::default()) {
        let sent = send(
            &surroundings.site,
            &run.id,
            &person(&surroundings.site),
            &Request::Resume { raise },
        )?;
        decide::answered(&sent.answer)?;
        if sent.driven {
            note(&format!("run `{}` goes on; another windlass drives it already", run.id));
            return Ok(ExitCode::SUCCESS);
        }
    } else if raise != Raise::default() {
        return Err(CommandError::usage(
            "the run is not paused, so nothing can be added to its budget",
        )
        .hint("pause it first with `windlass pause`"));
    } else if state.status() == RunStatus::AwaitingApproval {
        output.remark("a gate is open; answer it with `windlass approve` or `windlass feedback`");
    }
    ready.drive(&run.id, output)
}

/// Who is to play the agents instead, if the command line says so.
fn another_agent(
    arguments: &ResumeArguments,
    surroundings: &Surroundings,
    output: &Output,
) -> Result<Option<PlayedBy>, CommandError> {
    let ResumeArguments { agent_command, agent, .. } = arguments;
    let env = &surroundings.site.env;
    let chosen = backend::by_flags(agent_command.as_deref(), agent.as_deref(), env, output)?;
    Ok(chosen.map(|chosen| PlayedBy { backend: chosen.name, command: chosen.command }))
}

/// Everything that is needed to go on with a run.
pub(super) struct Ready {
    pub(super) surroundings: Surroundings,
    no_wait: bool,
    notify: Option<Setting<Notify>>,
}

/// What became of a decision after which the run is to go on.
pub(super) enum Went {
    /// Somebody drives it already.
    Driven(StoredRun),
    /// It was driven here, until now.
    Here(ExitCode),
}

impl Ready {
    pub(super) fn find(
        cli: &Cli,
        arguments: &DriveArguments,
        output: &mut Output,
    ) -> Result<Self, CommandError> {
        let mut surroundings = Surroundings::find_to_drive(cli, &arguments.allow_write)?;
        surroundings.refuse_agents()?;
        let settings = config::load(&surroundings.site.user.top_level)?;
        surroundings.pass_env(&settings, &arguments.pass_env, output)?;
        surroundings.confine(&settings.confinement, arguments, output)?;
        let notify = arguments.notify.as_deref().map(Notify::of);
        let notify = Setting::or_flag(notify, settings.notify);
        Ok(Self { surroundings, no_wait: arguments.no_wait, notify })
    }

    /// Decides something, and goes on with the run unless somebody drives it.
    pub(super) fn decide_and_drive(
        self,
        request: &Request,
        output: &mut Output,
    ) -> Result<Went, CommandError> {
        let run = self.surroundings.run_to_decide()?;
        let site = &self.surroundings.site;
        let sent = send(site, &run.id, &person(site), request)?;
        decide::answered(&sent.answer)?;
        if sent.driven || hook::is_hosted(&site.home, &run.id) {
            return Ok(Went::Driven(run));
        }
        Ok(Went::Here(self.drive(&run.id, output)?))
    }

    fn drive(self, run: &RunId, output: &mut Output) -> Result<ExitCode, CommandError> {
        let how = DriveHow { no_wait: self.no_wait, notify: self.notify };
        drive(&self.surroundings, run, how, output)
    }
}

fn raise(more: &[String]) -> Result<Raise, CommandError> {
    let mut raise = Raise::default();
    for pair in more.iter().flat_map(|list| list.split(',')) {
        let wrong = || {
            CommandError::usage(format!("`--more {pair}` is not understood"))
                .hint("write `attempts=20`, `cost=10` or `wall=2h`")
        };
        let (name, value) = pair.split_once('=').ok_or_else(wrong)?;
        match name.trim() {
            "attempts" => raise.attempts = value.trim().parse().map_err(|_| wrong())?,
            "cost" => {
                let cost: f64 = value.trim().parse().map_err(|_| wrong())?;
                if !cost.is_finite() || cost < 0.0 {
                    return Err(wrong());
                }
                raise.cost_usd = cost;
            }
            "wall" => raise.wall = Span::parse(value).ok_or_else(wrong)?,
            _ => return Err(wrong()),
        }
    }
    Ok(raise)
}
