//! `windlass notify test`: whether you would be told.

use std::process::ExitCode;

use windlass_core::config::{Notify, Setting};
use windlass_core::view::{Lines, printable};

use crate::cli::{Cli, NotifyArguments, NotifyCommand};
use crate::config;
use crate::error::CommandError;
use crate::notify::Way;
use crate::output::Output;
use crate::surroundings::Surroundings;

pub(crate) fn notify(
    cli: &Cli,
    arguments: &NotifyArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let NotifyCommand::Test { notify } = &arguments.command;
    let surroundings = Surroundings::find(cli)?;
    surroundings.refuse_agents()?;
    let site = &surroundings.site;
    let settings = config::load(&site.user.top_level)?;
    let how = Setting::or_flag(notify.as_deref().map(Notify::of), settings.notify);
    let file = how.as_ref().and_then(|how| how.origin.file()).map(str::to_owned);
    let way = Way::of(how);
    let told = match &way {
        Way::Off => "no notification: `notify` is `off`".to_owned(),
        Way::Bell => "the bell of your terminal was rung".to_owned(),
        Way::Command { command, .. } => {
            format!("`{}` has told you", printable(command, Lines::One))
        }
    };
    way.tell(site, variables()).map_err(|error| {
        CommandError::failure(format!("the notification failed: {error}"))
            .hint("`notify` takes `bell`, `desktop` (by `notify-send`), `off` or a command")
    })?;
    if output.is_json() {
        let (by, command) = match &way {
            Way::Off => ("off", None),
            Way::Bell => ("bell", None),
            Way::Command { command, .. } => ("command", Some(command)),
        };
        output.json(&serde_json::json!({"by": by, "command": command, "set_in": file}));
        return Ok(ExitCode::SUCCESS);
    }
    let from = file.map(|file| format!(" (`notify` in {file})")).unwrap_or_default();
    output.screen(&format!("{told}{from}"));
    Ok(ExitCode::SUCCESS)
}

/// What a command finds in its environment at a gate, with nothing behind it.
fn variables() -> Vec<(String, String)> {
    [
        ("WINDLASS_EVENT", "gate"),
        ("WINDLASS_RUN", "test"),
        ("WINDLASS_STEP", "test"),
        ("WINDLASS_STATUS", "awaiting_approval"),
        ("WINDLASS_MESSAGE", "this is only a test: a gate would look like this"),
        ("WINDLASS_GOAL", "try the notification"),
        ("WINDLASS_PLACE", ""),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .to_vec()
}
