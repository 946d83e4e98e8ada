//! `windlass trash`: every attempt's files, and whatever was sent or rolled back. No work is lost.
//!
//! The snapshots lie in the engine's repository, which is never pruned: `windlass place prune`
//! removes where a run worked, and everything here stays.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use windlass_core::id::RunId;
use windlass_core::run::RunState;
use windlass_core::view::{Fate, Kept, KeptFiles};
use windlass_core::workflow::nearest;
use windlass_engine::git::{CommitRequest, EngineRepository, Person, RestoreError};
use windlass_engine::journal::trail;

use crate::changes::{self, Shown};
use crate::cli::{
    Against, Cli, RestoreArguments, TrashArguments, TrashCommand, TrashShowArguments,
};
use crate::clock::Clock;
use crate::error::{CommandError, Kind};
use crate::output::Output;
use crate::render::Paint;
use crate::surroundings::Surroundings;

/// How many folders with the default name are tried.
const MAX_FOLDERS: u32 = 100;

struct Trash {
    surroundings: Surroundings,
    run: RunId,
    state: RunState,
    kept: KeptFiles,
    engine: EngineRepository,
}

pub(crate) fn trash(
    cli: &Cli,
    arguments: &TrashArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let surroundings = Surroundings::find(cli)?;
    if let TrashCommand::Restore(_) = &arguments.command {
        surroundings.refuse_agents_to("bring kept files back")?;
    }
    let (run, loaded, store) = surroundings.loaded()?;
    let trail = trail(&store, &run.id, loaded.head.seq)?;
    let kept = KeptFiles::of(&trail).map_err(CommandError::failure)?;
    let engine = changes::engine(&surroundings)?;
    let trash = Trash { surroundings, run: run.id, state: loaded.state, kept, engine };
    match &arguments.command {
        TrashCommand::List => list(&trash, output),
        TrashCommand::Show(arguments) => show(&trash, arguments, output),
        TrashCommand::Restore(arguments) => restore(&trash, arguments, output),
    }
}

fn list(trash: &Trash, output: &mut Output) -> Result<ExitCode, CommandError> {
    let mut rows = Vec::new();
    for kept in &trash.kept.list {
        // Objects that are gone are said, and the rest of the list is still worth having.
        let changes = trash.engine.changes(&kept.rests_on, &kept.snapshot).ok();
        rows.push((kept, changes));
    }
    if output.is_json() {
        let rows: Vec<_> = rows
            .iter()
            .map(|(kept, changes)| {
                serde_json::json!({
                    "name": kept.name, "step": kept.step, "fate": kept.fate, "seq": kept.seq,
                    "time": kept.at.to_string(), "code": kept.snapshot.code,
                    "papers": kept.snapshot.papers, "set_aside": kept.set_aside,
                    "files": changes.as_ref().map(|changes| changes.all().count()),
                    "changes": changes,
                })
            })
            .collect();
        output.json(&rows);
        return Ok(ExitCode::SUCCESS);
    }
    if rows.is_empty() {
        output.data("nothing is kept yet: no attempt has ended");
        return Ok(ExitCode::SUCCESS);
    }
    let paint = Paint::new(output.has_colour());
    let width = rows.iter().map(|(kept, _)| kept.name.len()).max().unwrap_or(0);
    let clock = Clock::here();
    for (kept, changes) in &rows {
        let size = changes.as_ref().map_or("its objects are gone".to_owned(), |c| c.sum());
        let code = kept.snapshot.code.as_str();
        let code = code.get(..12).unwrap_or(code);
        let fate = match kept.fate {
            Fate::Proven => paint.good(&format!("{:<19}", kept.fate.as_str())),
            Fate::NotProven | Fate::Lost => paint.bad(&format!("{:<19}", kept.fate.as_str())),
            Fate::Open
            | Fate::Superseded
            | Fate::SentBack
            | Fate::RolledBack
            | Fate::ChangedAtGate => format!("{:<19}", kept.fate.as_str()),
        };
        let at = clock.short(kept.at);
        output.data(&format!("{:width$}  {fate}  {at:<12}  {code}  {size}", kept.name));
        if !kept.set_aside.is_empty() {
            let papers = kept.set_aside.join(", ");
            output.data(&paint.dim(&format!("{:width$}  documents set aside: {papers}", "")));
        }
    }
    output.remark(
        "sizes are against the code proven before; `windlass trash show NAME` looks into one",
    );
    Ok(ExitCode::SUCCESS)
}

fn show(
    trash: &Trash,
    arguments: &TrashShowArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let kept = pick(&trash.kept, trash.run.as_str(), &arguments.name)?;
    let from = match arguments.against {
        Against::Now => trash.state.latest.as_ref().unwrap_or(&kept.from),
        Against::Start => &kept.from,
    };
    let shown = match (arguments.stat, arguments.patch || !arguments.paths.is_empty()) {
        (false, true) => Shown::Patch,
        _ => Shown::Stat,
    };
    if !output.is_json() {
        let against = match arguments.against {
            Against::Now => "what the run has now",
            Against::Start => "what it began from",
        };
        let (name, fate, step) = (&kept.name, kept.fate.as_str(), &kept.step);
        output.remark(&format!("{name} of `{step}` ({fate}), against {against}:"));
        if *from == kept.snapshot {
            output.data("no file differs");
            return Ok(ExitCode::SUCCESS);
        }
    }
    let narrowed = (&*trash.state.plan, &*arguments.paths);
    changes::print(&trash.engine, (from, &kept.snapshot), shown, narrowed, output)?;
    Ok(ExitCode::SUCCESS)
}

fn restore(
    trash: &Trash,
    arguments: &RestoreArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let kept = pick(&trash.kept, trash.run.as_str(), &arguments.name)?;
    let run_git = trash.surroundings.site.home.run(&trash.run).git;
    if let Some(branch) = &arguments.branch {
        return restore_branch(trash, kept, branch, &run_git, output);
    }
    let (folder, restored) = match &arguments.to {
        Some(folder) => {
            let restored = trash.engine.restore(&run_git, &kept.snapshot, &arguments.paths, folder);
            (folder.clone(), restored.map_err(|error| refused(trash, kept, error))?)
        }
        None => into_new_folder(trash, kept, &arguments.paths, &run_git)?,
    };
    let shown = folder.display();
    if output.is_json() {
        output.json(&serde_json::json!({
            "name": kept.name, "folder": folder, "files": restored.files,
            "papers": restored.papers,
        }));
        return Ok(ExitCode::SUCCESS);
    }
    let files = if restored.files == 1 {
        "1 file is".to_owned()
    } else {
        format!("{} files are", restored.files)
    };
    output.data(&format!("{files} in `{shown}`, as {} left them", kept.name));
    if !restored.papers {
        output.remark("its documents are not: the code has something else at `.windlass/run`");
    }
    Ok(ExitCode::SUCCESS)
}

fn into_new_folder(
    trash: &Trash,
    kept: &Kept,
    paths: &[String],
    run_git: &Path,
) -> Result<(PathBuf, windlass_engine::git::Restored), CommandError> {
    let plain: String =
        kept.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    for number in 1..=MAX_FOLDERS {
        let suffix = if number == 1 { String::new() } else { format!("-{number}") };
        let folder = PathBuf::from(format!("windlass-restored-{plain}{suffix}"));
        match trash.engine.restore(run_git, &kept.snapshot, paths, &folder) {
            Ok(restored) => return Ok((folder, restored)),
            Err(RestoreError::Exists { .. }) => {}
            Err(error) => return Err(refused(trash, kept, error)),
        }
    }
    Err(CommandError::usage(format!("there are {MAX_FOLDERS} restored folders of {plain} already"))
        .hint("name a folder with --to"))
}

fn restore_branch(
    trash: &Trash,
    kept: &Kept,
    branch: &str,
    run_git: &Path,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let (name, fate, run) = (&kept.name, kept.fate.as_str(), &trash.run);
    let user = &trash.surroundings.site.user;
    let request = CommitRequest {
        parent: kept.head.clone(),
        tree: kept.snapshot.code.clone(),
        message: format!("{name} of run {run}, restored ({fate})\n"),
        author: Person::default(),
        committer: Person::default(),
        at: kept.at,
    };
    let commit = trash.engine.commit(&request).map_err(CommandError::failure)?;
    trash
        .engine
        .new_branch(run_git, user, branch, &commit)
        .map_err(|error| refused(trash, kept, error))?;
    if output.is_json() {
        output.json(&serde_json::json!({"name": name, "branch": branch, "commit": commit}));
    } else {
        output.data(&format!("the branch `{branch}` has the code of {name}, as {commit}"));
        output.remark(
            "documents are not part of it; `windlass trash restore NAME` writes them to a folder",
        );
    }
    Ok(ExitCode::SUCCESS)
}

fn refused(trash: &Trash, kept: &Kept, error: RestoreError) -> CommandError {
    let hint = match &error {
        RestoreError::Exists { .. } => Some("name a folder that is not there yet".to_owned()),
        RestoreError::BranchExists { .. } => Some("choose another name".to_owned()),
        RestoreError::BadBranch { .. } => {
            Some("`git check-ref-format --help` has the rules".to_owned())
        }
        RestoreError::NoSuchFile { path } => {
            let files = trash.engine.snapshot_files(&kept.snapshot).unwrap_or_default();
            let files: Vec<String> = files.iter().map(ToString::to_string).collect();
            nearest(path, files.iter().map(String::as_str))
                .map(|near| format!("did you mean `{near}`?"))
        }
        RestoreError::Git(_) | RestoreError::Io(_) => None,
    };
    let kind = match &error {
        RestoreError::Git(_) | RestoreError::Io(_) => Kind::Failure,
        _ => Kind::Usage,
    };
    CommandError { kind, error: error.into(), hints: hint.into_iter().collect() }
}

/// Finds kept files by what people call them.
pub(crate) fn pick<'k>(
    kept: &'k KeptFiles,
    run: &str,
    name: &str,
) -> Result<&'k Kept, CommandError> {
    let found = kept.find(name);
    let same = found.windows(2).all(|pair| pair[0].snapshot == pair[1].snapshot);
    match found.as_slice() {
        [first, ..] if same => return Ok(first),
        [] => {}
        _ => {
            let names: Vec<&str> = found.iter().map(|kept| kept.name.as_str()).collect();
            return Err(CommandError::usage(format!("`{name}` could be several"))
                .hint(format!("name one of {}", names.join(", "))));
        }
    }
    let error = CommandError::usage(format!("run `{run}` kept nothing called `{name}`"));
    let names: Vec<&str> = kept.list.iter().map(|kept| kept.name.as_str()).collect();
    Err(match nearest(name, names.iter().copied()) {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None if names.is_empty() => error.hint("no attempt has ended yet"),
        None => error.hint("`windlass trash list` has the names"),
    })
}
