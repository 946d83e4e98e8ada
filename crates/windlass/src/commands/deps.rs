//! `windlass deps scan`: the services outside the repository that a story needs.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use windlass_core::deps::{
    Find, STORY, Services, is_example, is_manifest, sorted, with_credentials,
};
use windlass_core::id::ItemId;
use windlass_core::run::{ItemState, RunState};
use windlass_core::workflow::nearest;
use windlass_engine::git::UserRepository;

use crate::cli::{Cli, DepsArguments, DepsCommand, DepsScanArguments};
use crate::config;
use crate::error::CommandError;
use crate::output::Output;
use crate::surroundings::{self, Surroundings};

/// The largest text that is looked into: a story is a page, and a design a few.
const MAX_TEXT_BYTES: u64 = 1 << 20;

/// The largest manifest that is read.
const MAX_MANIFEST_BYTES: u64 = 1 << 20;

/// How many folders of the repository are looked into for manifests.
const MAX_FOLDERS: usize = 5000;

/// Folders that hold what tools have made or fetched.
const NOT_OURS: [&str; 10] = [
    "node_modules",
    "vendor",
    "target",
    "dist",
    "build",
    "venv",
    "__pycache__",
    "third_party",
    "deps",
    "bin",
];

pub(crate) fn deps(
    cli: &Cli,
    arguments: &DepsArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    match &arguments.command {
        DepsCommand::Scan(arguments) => scan(cli, arguments, output),
    }
}

fn scan(
    cli: &Cli,
    arguments: &DepsScanArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let (finds, root, services) = match &arguments.story {
        Some(story) => of_story(cli, story)?,
        None => of_text(cli, arguments)?,
    };
    let mut finds = finds;
    if !arguments.no_manifests {
        finds.extend(of_manifests(&root, &services, output)?);
    }
    let finds = with_credentials(sorted(finds), &examples(&root, output)?);
    show(&finds, output);
    Ok(ExitCode::SUCCESS)
}

/// Looks into the words of a story of the run, with the services that the run was started with.
fn of_story(cli: &Cli, story: &str) -> Result<(Vec<Find>, PathBuf, Services), CommandError> {
    let surroundings = Surroundings::find(cli)?;
    let (_, loaded, _) = surroundings.loaded()?;
    let services = Services::new(&loaded.state.facts.services);
    let finds = services.in_item(&item(&loaded.state, story)?.item);
    let place = PathBuf::from(&loaded.state.facts.place);
    // The place of an ended run may be cleaned up.
    let root = if place.is_dir() { place } else { surroundings.site.user.top_level.clone() };
    Ok((finds, root, services))
}

fn of_text(
    cli: &Cli,
    arguments: &DepsScanArguments,
) -> Result<(Vec<Find>, PathBuf, Services), CommandError> {
    let root = UserRepository::top_level_of(&surroundings::folder(cli)?)?;
    let services = Services::new(&config::load(&root)?.services);
    let text = match (&arguments.text, &arguments.file) {
        (Some(text), _) => text.clone(),
        (None, Some(file)) => read(file)?,
        (None, None) => String::new(),
    };
    Ok((services.in_text(&text, STORY), root, services))
}

fn read(file: &Path) -> Result<String, CommandError> {
    let refused = |why: String| {
        CommandError::usage(format!("`{}` cannot be looked into: {why}", file.display()))
            .hint("name a text file of at most 1 MiB")
    };
    let data = fs_err::metadata(file).map_err(|error| refused(error.to_string()))?;
    if !data.is_file() || data.len() > MAX_TEXT_BYTES {
        return Err(refused("it is no file, or too large".to_owned()));
    }
    let bytes = fs_err::read(file).map_err(|error| refused(error.to_string()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Finds a story of the run, or says which one was meant.
pub(super) fn item<'s>(state: &'s RunState, name: &str) -> Result<&'s ItemState, CommandError> {
    if let Some(item) = state.item(&ItemId::from(name)) {
        return Ok(item);
    }
    let known = state.items.iter().map(|item| item.item.id.as_str());
    let error =
        CommandError::usage(format!("there is no story `{name}` in run `{}`", state.facts.run));
    Err(match nearest(name, known) {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => error.hint("`windlass story list` shows them"),
    })
}

fn of_manifests(
    root: &Path,
    services: &Services,
    output: &Output,
) -> Result<Vec<Find>, CommandError> {
    let mut finds = Vec::new();
    for path in files(root, is_manifest, output)? {
        let shown = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
        let size = fs_err::metadata(&path).map(|data| data.len());
        if size.is_ok_and(|size| size > MAX_MANIFEST_BYTES) {
            output.remark(&format!("`{shown}` is left out: it has more than 1 MiB"));
            continue;
        }
        let read = fs_err::read(&path).map_err(|error| error.to_string()).and_then(|bytes| {
            let text = String::from_utf8_lossy(&bytes);
            services.in_manifest(&shown, &text).map_err(|error| error.to_string())
        });
        match read {
            Ok(found) => finds.extend(found),
            // One broken manifest says nothing about the others.
            Err(why) => output.remark(&format!("left out: {why}")),
        }
    }
    Ok(finds)
}

/// Reads the files of the repository that show which variables it needs; one that cannot be read says
/// nothing.
fn examples(root: &Path, output: &Output) -> Result<Vec<(String, String)>, CommandError> {
    let mut read = Vec::new();
    for path in files(root, is_example, output)? {
        let shown = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
        let small = fs_err::metadata(&path).is_ok_and(|data| data.len() <= MAX_MANIFEST_BYTES);
        if let (true, Ok(bytes)) = (small, fs_err::read(&path)) {
            read.push((shown, String::from_utf8_lossy(&bytes).into_owned()));
        }
    }
    Ok(read)
}

/// Lists the files of the repository with such a name, folder by folder; links are followed nowhere.
fn files(
    root: &Path,
    wanted: fn(&str) -> bool,
    output: &Output,
) -> Result<Vec<PathBuf>, CommandError> {
    let (mut found, mut folders, mut looked) = (Vec::new(), vec![root.to_owned()], 0);
    while let Some(folder) = folders.pop() {
        looked += 1;
        if looked > MAX_FOLDERS {
            output.remark(&format!("only {MAX_FOLDERS} folders were looked into"));
            break;
        }
        let entries = match fs_err::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if folder == root => return Err(CommandError::failure(error)),
            // A folder that cannot be read holds nothing for us.
            Err(_) => continue,
        };
        for entry in entries.flatten() {
            let (Ok(kind), Ok(name)) = (entry.file_type(), entry.file_name().into_string()) else {
                continue;
            };
            if kind.is_dir() && !name.starts_with('.') && !NOT_OURS.contains(&name.as_str()) {
                folders.push(entry.path());
            } else if kind.is_file() && wanted(&name) {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    Ok(found)
}

fn show(finds: &[Find], output: &mut Output) {
    if output.is_json() {
        output.json(&finds);
        return;
    }
    if finds.is_empty() {
        output.data("no service outside the repository is named");
    }
    for find in finds {
        let Find { kind, keyword, source, mock_strategy, .. } = find;
        output.data(&format!("{keyword} ({kind}), in {source}"));
        output.data(&format!("  stand-in: {mock_strategy}"));
        match (find.needs_secrets, find.secrets.as_slice()) {
            (false, _) => output.data("  secrets: none"),
            (true, []) => output.data("  secrets: whatever its provider asks for"),
            (true, secrets) => output.data(&format!("  secrets: {}", secrets.join(", "))),
        }
        if !find.test_credentials.is_empty() {
            let found = find.test_credentials.join(", ");
            let found = output.foreign(&found).to_string();
            output.data(&format!("  test credentials: {found}"));
        }
        if let Some(ask) = &find.ask {
            output.data(&format!("  to ask: {ask}"));
        }
    }
}
