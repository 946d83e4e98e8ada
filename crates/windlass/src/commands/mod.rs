//! One file per command.

mod agent;
mod audit;
mod baseline;
mod blocker;
mod check;
mod checkpoint;
mod clarify;
mod compact;
mod completions;
mod context;
mod cost;
mod decide;
mod delta;
mod demo;
mod deps;
mod diff;
mod doctor;
mod failure;
mod graph;
mod import;
mod init;
mod item;
mod log;
mod man;
mod notify;
mod place;
mod platform;
mod plugin;
mod proofs;
mod replay;
mod report;
mod resume;
mod review;
mod run;
mod schema;
mod simulate;
mod speaker;
mod status;
mod story;
mod take;
mod tasks;
mod tdd;
mod trash;
mod watch;
mod workflow;
pub(crate) mod workflow_file;

use std::process::ExitCode;

pub(crate) use agent::backends;
pub(crate) use clarify::{answer_to, recommended as recommended_answer};
pub(crate) use decide::answered as decide_answer;
pub(crate) use proofs::{line as proof_line, newest as newest_proofs};
pub(crate) use report::history;
pub(crate) use run::{inputs_to_ask, prepare_run, start_prepared};
pub(crate) use story::story_alone;
pub(crate) use watch::is_dumb;
pub(crate) use workflow_file::render as render_diagnostic;

use windlass_core::run::HostKind;

use crate::cli::{Cli, Command, HostName};
use crate::error::CommandError;
use crate::output::Output;

/// Performs what was asked for.
pub(crate) fn dispatch(cli: &Cli, output: &mut Output) -> Result<ExitCode, CommandError> {
    match &cli.command {
        None => status::overview(cli, output),
        Some(Command::Demo(arguments)) => demo::demo(arguments, output),
        Some(Command::Init(arguments)) => init::init(cli, arguments, output),
        Some(Command::Run(arguments)) => run::run(cli, arguments, output),
        Some(Command::Resume(arguments)) => resume::resume(cli, arguments, output),
        Some(Command::Status(arguments)) => status::status(cli, arguments, output),
        Some(Command::Watch) => watch::watch(cli, output),
        Some(Command::Log(arguments)) => log::log(cli, arguments, output),
        Some(Command::Replay(arguments)) => replay::replay(cli, arguments, output),
        Some(Command::Diff(arguments)) => diff::diff(cli, arguments, output),
        Some(Command::Take(arguments)) => take::take(cli, arguments, output),
        Some(Command::Trash(arguments)) => trash::trash(cli, arguments, output),
        Some(Command::Report(arguments)) => report::report(cli, arguments, output),
        Some(Command::Cost(arguments)) => cost::cost(cli, arguments, output),
        Some(Command::Proofs(arguments)) => proofs::proofs(cli, arguments, output),
        Some(Command::Audit(arguments)) => audit::audit(cli, arguments, output),
        Some(Command::Approve(arguments)) => decide::approve(cli, arguments, output),
        Some(Command::Feedback(arguments)) => decide::feedback(cli, arguments, output),
        Some(Command::Rollback(arguments)) => decide::rollback(cli, arguments, output),
        Some(Command::Skip(arguments)) => decide::skip(cli, arguments, output),
        Some(Command::Pause(arguments)) => decide::pause(cli, arguments, output),
        Some(Command::RetryReset(arguments)) => decide::retry_reset(cli, arguments, output),
        Some(Command::Abort(arguments)) => decide::abort(cli, arguments, output),
        Some(Command::Block(arguments)) => blocker::block(cli, arguments, output),
        Some(Command::Blocker(arguments)) => blocker::blocker(cli, arguments, output),
        Some(Command::Fixed(arguments)) => blocker::fixed(cli, arguments, output),
        Some(Command::Clarify(arguments)) => clarify::clarify(cli, arguments, output),
        Some(Command::Answer(arguments)) => clarify::answer(cli, arguments, output),
        Some(Command::Checkpoint(arguments)) => checkpoint::checkpoint(cli, arguments, output),
        Some(Command::Publish(arguments)) => checkpoint::publish(cli, arguments, output),
        Some(Command::Propose(arguments)) => decide::propose(cli, arguments, output),
        Some(Command::Notify(arguments)) => notify::notify(cli, arguments, output),
        Some(Command::Check(arguments)) => check::check(cli, arguments, output),
        Some(Command::Agent(arguments)) => agent::agent(cli, arguments, output),
        Some(Command::Workflow(arguments)) => workflow::workflow(cli, arguments, output),
        Some(Command::Platform(arguments)) => platform::platform(cli, arguments, output),
        Some(Command::Import(arguments)) => import::import(cli, arguments, output),
        Some(Command::Simulate(arguments)) => simulate::simulate(cli, arguments, output),
        Some(Command::Schema(arguments)) => schema::schema(arguments, output),
        Some(Command::Graph(arguments)) => graph::graph(cli, arguments, output),
        Some(Command::Doctor(arguments)) => doctor::doctor(cli, arguments, output),
        Some(Command::Completions(arguments)) => completions::completions(arguments, output),
        Some(Command::Man(arguments)) => man::man(arguments, output),
        Some(Command::Place(arguments)) => place::place(cli, arguments, output),
        Some(Command::Deps(arguments)) => deps::deps(cli, arguments, output),
        Some(Command::Tdd(arguments)) => tdd::tdd(cli, arguments, output),
        Some(Command::Compact) => compact::compact(cli, output),
        Some(Command::Failure(arguments)) => failure::failure(cli, arguments, output),
        Some(Command::Hook(arguments)) => {
            let host = match arguments.host {
                HostName::Claude => HostKind::Claude,
                HostName::Codex => HostKind::Codex,
            };
            Ok(crate::hook::run(host, arguments.event))
        }
        Some(Command::Plugin(arguments)) => plugin::plugin(cli, arguments, output),
        Some(Command::Item(arguments)) => item::item(cli, arguments, output),
        Some(Command::Story(arguments)) => story::story(cli, arguments, output),
        Some(Command::Delta(arguments)) => delta::delta(cli, arguments, output),
        Some(Command::Tasks(arguments)) => tasks::tasks(cli, arguments, output),
        Some(Command::Review(arguments)) => review::review(cli, arguments, output),
        Some(Command::Context(arguments)) => context::context(cli, arguments, output),
    }
}
