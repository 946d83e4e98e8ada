//! `windlass platform`: what the repository is built with, and how it is built, tested and checked.

mod ask;
mod report;

use std::path::Path;
use std::process::ExitCode;

use serde_json::json;
use windlass_core::config::Settings;
use windlass_core::platform::{CommandName, DETECT, MAX_PACK_BYTES, PinnedPlatform, Wanted};
use windlass_core::workflow::{Workflow, nearest};
use windlass_engine::git::UserRepository;

use crate::builtin;
use crate::cli::{Cli, PlatformArguments, PlatformCommand, WantedArguments};
use crate::commands::{init, render_diagnostic, workflow_file};
use crate::config;
use crate::error::CommandError;
use crate::output::{Output, note};
use crate::own_file;
use crate::platforms::{self, FILE, FOLDER, Found, Look};
use crate::surroundings;

pub(crate) fn platform(
    cli: &Cli,
    arguments: &PlatformArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    match &arguments.command {
        PlatformCommand::Detect { wanted } => detect(cli, wanted, output)?,
        PlatformCommand::List => list(cli, output)?,
        PlatformCommand::Show { platform } => show(cli, platform, output)?,
        PlatformCommand::GetCommand { name, root, wanted } => {
            get_command(cli, name, root.as_deref(), wanted, output)?;
        }
        PlatformCommand::Eject { platforms } => eject(cli, platforms, output)?,
        PlatformCommand::Check { file } => check(file, output)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns what the flags say, else what is configured.
fn wanted(flags: &WantedArguments, settings: &Settings) -> Result<Wanted, CommandError> {
    let mut wanted = Wanted::default();
    for said in &flags.platforms {
        wanted.add(said).map_err(|error| {
            CommandError::usage(format!("`--platform {said}`: {error}"))
                .hint("write `--platform NAME` or `--platform FOLDER=NAME`")
        })?;
    }
    if wanted != Wanted::default() {
        return Ok(wanted);
    }
    Ok(settings.platform.as_ref().map(|set| set.value.clone()).unwrap_or_default())
}

fn look(cli: &Cli, flags: &WantedArguments) -> Result<(Look, Wanted), CommandError> {
    let top_level = UserRepository::top_level_of(&surroundings::folder(cli)?)?;
    let wanted = wanted(flags, &config::load(&top_level)?)?;
    Ok((platforms::look(&top_level)?, wanted))
}

fn detect(cli: &Cli, flags: &WantedArguments, output: &mut Output) -> Result<(), CommandError> {
    let (look, wanted) = look(cli, flags)?;
    let detection = look.detect(&wanted)?;
    let pinned = look.pin(&detection);
    if output.is_json() {
        output.json(&report::json(&look, &detection, pinned.as_deref().unwrap_or_default()));
    } else {
        let text = report::text(&look, &detection, pinned.as_deref().unwrap_or_default());
        output.data(text.trim_end());
    }
    pinned.map(|_| ()).map_err(|why| platforms::undecided(&why))
}

fn list(cli: &Cli, output: &mut Output) -> Result<(), CommandError> {
    let platforms = platforms::load(&workflow_file::top_level(cli))?;
    if output.is_json() {
        for found in platforms.all() {
            output.json(&report::found_json(found));
        }
        return Ok(());
    }
    output.data(report::table(&platforms).trim_end());
    Ok(())
}

fn show(cli: &Cli, name: &str, output: &mut Output) -> Result<(), CommandError> {
    let platforms = platforms::load(&workflow_file::top_level(cli))?;
    let Some(found) = platforms.get(name) else { return Err(platforms.unknown(name)) };
    let unusable = found.read.as_ref().err();
    if output.is_json() {
        if let Some(unusable) = unusable {
            return Err(found.refused(unusable));
        }
        let mut value = report::found_json(found);
        value["pack"] = json!(found.read.as_ref().ok());
        output.json(&value);
        return Ok(());
    }
    if unusable.is_none() || !found.source.is_empty() {
        let source = String::from_utf8_lossy(&found.source).into_owned();
        output.data(output.foreign(source.trim_end()).into_owned().as_str());
        output.remark(&format!("from: {}", found.file.as_deref().unwrap_or("built-in")));
    }
    unusable.map_or(Ok(()), |unusable| Err(found.refused(unusable)))
}

fn get_command(
    cli: &Cli,
    name: &str,
    root: Option<&str>,
    flags: &WantedArguments,
    output: &mut Output,
) -> Result<(), CommandError> {
    let Some(command) = CommandName::parse(name) else {
        let known = CommandName::ALL.map(CommandName::as_str);
        let error = CommandError::usage(format!("a platform has no command `{name}`"));
        return Err(match nearest(name, known.into_iter()) {
            Some(near) => error.hint(format!("did you mean `{near}`?")),
            None => error.hint(format!("commands: {}", known.join(", "))),
        });
    };
    let (look, wanted) = look(cli, flags)?;
    let pinned = look.pin(&look.detect(&wanted)?).map_err(|why| platforms::undecided(&why))?;
    let platform = of_root(&pinned, root)?;
    let Some(way) = platform.pack.command(command) else {
        let has: Vec<&str> = platform.pack.commands.keys().map(|name| name.as_str()).collect();
        return Err(CommandError::usage(format!("{} has no `{name}` command", platform.called()))
            .hint(format!("it has here: {}", has.join(", ")))
            .hint(format!(
                "`windlass platform eject {}` makes a copy to add one to",
                platform.pack.name
            )));
    };
    if output.is_json() {
        output.json(&json!({
            "root": platform.root,
            "platform": platform.pack.name,
            "command": name,
            "run": way.run,
            "report": way.report,
            "lock": way.lock,
        }));
    } else {
        output.data(output.foreign(&way.run).into_owned().as_str());
    }
    Ok(())
}

/// Picks the platform of a folder; without a folder the repository's own, or the only one.
fn of_root<'p>(
    pinned: &'p [PinnedPlatform],
    root: Option<&str>,
) -> Result<&'p PinnedPlatform, CommandError> {
    let roots: Vec<&str> = pinned.iter().map(|platform| platform.root.as_str()).collect();
    let wanted = match (root, pinned) {
        (Some(root), _) => Wanted::folder(root)
            .map_err(|error| CommandError::usage(format!("`--root {root}`: {error}")))?,
        (None, [one]) => one.root.clone(),
        (None, _) => windlass_core::platform::TOP.to_owned(),
    };
    pinned.iter().find(|platform| platform.root == wanted).ok_or_else(|| {
        let error = match root {
            Some(root) => CommandError::usage(format!("no platform has its root in `{root}`")),
            None => CommandError::usage("the repository has several platforms"),
        };
        error.hint(format!("say which with `--root`: {}", roots.join(", ")))
    })
}

fn eject(cli: &Cli, names: &[String], output: &mut Output) -> Result<(), CommandError> {
    let top_level = UserRepository::top_level_of(&surroundings::folder(cli)?)?;
    let mut wanted = Vec::new();
    for name in names {
        let Some(platform) = builtin::find_platform(name) else {
            let known: Vec<&str> = builtin::PLATFORMS.iter().map(|one| one.name).collect();
            let error = CommandError::usage(format!("there is no built-in platform `{name}`"));
            return Err(match nearest(name, known.iter().copied()) {
                Some(near) => error.hint(format!("did you mean `{near}`?")),
                None => error.hint(format!("built-in platforms: {}", known.join(", "))),
            });
        };
        let file = top_level.join(FOLDER).join(name).join(FILE);
        // Nothing is written unless everything can be: half of a list is nobody's wish.
        if file.symlink_metadata().is_ok() {
            return Err(CommandError::usage(format!("`{}` is there already", file.display()))
                .hint("move it away to eject the built-in one again"));
        }
        wanted.push((platform, file));
    }
    for (platform, file) in wanted {
        init::write_new(&file, platform.source)?;
        if output.is_json() {
            output.json(&json!({"platform": platform.name, "file": file}));
        } else {
            output.data(&file.display().to_string());
        }
    }
    output.remark("runs use these files from the next start on: windlass platform list");
    Ok(())
}

fn check(file: &Path, output: &mut Output) -> Result<(), CommandError> {
    let shown = file.display().to_string();
    let source = own_file::read(file, &shown, MAX_PACK_BYTES);
    let found = Found::read_from(String::new(), "file", shown.clone(), source);
    match &found.read {
        Err(unusable) => Err(found.refused(unusable)),
        Ok(pack) if output.is_json() => {
            let warnings: Vec<String> = found.warnings.iter().map(ToString::to_string).collect();
            output.json(
                &json!({"ok": true, "platform": pack.name, "warnings": warnings, "pack": pack}),
            );
            Ok(())
        }
        Ok(pack) => {
            for warning in &found.warnings {
                note(render_diagnostic(warning, &found.source).trim_end());
            }
            output.data(&format!("{shown}: ok, platform `{}`", pack.name));
            Ok(())
        }
    }
}

/// Pins the platforms that a run of a workflow works with; none for a workflow that asks for none.
///
/// A flag comes before the name that the workflow has, and that before the configuration. Where the
/// files leave it open, a person at a terminal is asked.
pub(super) fn for_run(
    workflow: &Workflow,
    flags: &WantedArguments,
    settings: &Settings,
    top_level: &Path,
    can_ask: bool,
    output: &Output,
) -> Result<Vec<PinnedPlatform>, CommandError> {
    let Some(asked) = workflow.platform() else {
        if flags.platforms.is_empty() {
            return Ok(Vec::new());
        }
        return Err(CommandError::usage(format!(
            "`--platform` has no effect on the workflow `{}`: it works without a platform",
            workflow.name()
        ))
        .hint("leave it out, or add `platform: detect` to the workflow"));
    };
    let look = platforms::look(top_level)?;
    let mut wanted = wanted(flags, settings)?;
    if asked != DETECT && flags.platforms.is_empty() {
        wanted.prefer = Some(asked.to_owned());
    }
    loop {
        let detection = look.detect(&wanted)?;
        match look.pin(&detection) {
            Ok(pinned) => {
                let names: Vec<String> = pinned.iter().map(PinnedPlatform::called).collect();
                output.remark(&format!(
                    "platform: {} (`windlass platform detect` says why)",
                    names.join(", ")
                ));
                return Ok(pinned);
            }
            Err(why) if can_ask => ask::settle(&why, &look, &mut wanted)?,
            Err(why) => return Err(platforms::undecided(&why)),
        }
    }
}

/// Pins the platforms for a look at a workflow; where they are not clear, a stand-in is said and used.
pub(super) fn for_show(workflow: &Workflow, top_level: &Path) -> Vec<PinnedPlatform> {
    let Some(asked) = workflow.platform() else { return Vec::new() };
    let found = || -> Result<Vec<PinnedPlatform>, CommandError> {
        let look = platforms::look(top_level)?;
        let mut wanted = wanted(&WantedArguments::default(), &config::load(top_level)?)?;
        if asked != DETECT {
            wanted.prefer = Some(asked.to_owned());
        }
        look.pin(&look.detect(&wanted)?).map_err(|why| platforms::undecided(&why))
    };
    found().unwrap_or_else(|error| {
        note(&format!("note: {}; its commands are not filled in here", error.error));
        vec![PinnedPlatform::stand_in()]
    })
}
