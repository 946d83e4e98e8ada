//! Reading the configuration files: the repository's and the user's.

use std::path::{Path, PathBuf};

use windlass_core::config::{Config, Confinement, Origin, Settings};
use windlass_core::guard::PublishRules;
use windlass_core::workflow::MAX_SOURCE_BYTES;
use windlass_engine::machine::HouseRules;

use crate::commands::render_diagnostic;
use crate::error::CommandError;
use crate::output::note;

/// The repository's configuration, relative to the repository.
pub(crate) const REPOSITORY_FILE: &str = ".windlass/config.yaml";

/// Returns the user's own folder for windlass's configuration and workflows.
pub(crate) fn user_folder() -> Option<PathBuf> {
    let set =
        |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let xdg = set("XDG_CONFIG_HOME").filter(|path| path.is_absolute());
    let base = xdg.or_else(|| set("HOME").map(|home| home.join(".config")))?;
    Some(base.join("windlass"))
}

/// Reads what is set for the repository at `top_level`.
pub(crate) fn load(top_level: &Path) -> Result<Settings, CommandError> {
    let mut configs = Vec::new();
    for (origin, file) in files(top_level) {
        if let Some(config) = read(&file, origin.file().unwrap_or_default())? {
            configs.push((origin, config));
        }
    }
    Ok(Settings::of(configs))
}

/// Returns the folder of requirements in a repository.
pub(crate) fn devflow_folder(top_level: &Path) -> Result<String, CommandError> {
    const USUAL: &str = "devflow";
    Ok(load(top_level)?.devflow.map_or_else(|| USUAL.to_owned(), |set| set.value))
}

/// Reads what confines attempts and checks, in the middle of a run.
///
/// A file of the repository that cannot be read says nothing here: agents may write it, and it could
/// only have asked for more. One of the user's that cannot be read is an error: it may have asked for all.
pub(crate) fn confinement(top_level: &Path) -> Result<Confinement, CommandError> {
    let mut configs = Vec::new();
    for (origin, file) in files(top_level) {
        let shown = origin.file().unwrap_or_default();
        let config = if origin.is_repository() {
            let bytes = bytes_of(&file, shown).ok().flatten();
            bytes.and_then(|bytes| Config::parse(&bytes, shown, &HouseRules::knows_zone).ok())
        } else {
            read(&file, shown)?
        };
        configs.extend(config.map(|config| (origin, config)));
    }
    Ok(Settings::of(configs).confinement)
}

/// Reads which commands publish, for a guard: it is called before every command of a session, so a file
/// without such a key is not read as YAML.
///
/// # Errors
/// The user's own file has the keys and cannot be read. One of the repository's adds nothing then.
pub(crate) fn publishing(top_level: &Path) -> Result<PublishRules, CommandError> {
    let mut configs = Vec::new();
    for (origin, file) in files(top_level) {
        let shown = origin.file().unwrap_or_default().to_owned();
        let speaks = |bytes: &Vec<u8>| bytes.windows(7).any(|part| part == b"publish");
        let bytes = match bytes_of(&file, &shown) {
            Err(_) if origin.is_repository() => continue,
            read => read?.filter(speaks),
        };
        let Some(bytes) = bytes else { continue };
        match Config::parse(&bytes, &shown, &HouseRules::knows_zone) {
            Ok(config) => configs.push((origin, config)),
            Err(_) if origin.is_repository() => {}
            Err(_) => return Err(CommandError::usage(format!("`{shown}` cannot be read"))),
        }
    }
    Ok(Settings::of(configs).confinement.publishing)
}

/// Returns the files that can set something for the repository at `top_level`.
pub(crate) fn files(top_level: &Path) -> Vec<(Origin, PathBuf)> {
    let origin = Origin::Repository(REPOSITORY_FILE.to_owned());
    let mut files = vec![(origin, top_level.join(REPOSITORY_FILE))];
    if let Some(folder) = user_folder() {
        let file = folder.join("config.yaml");
        files.push((Origin::User(file.display().to_string()), file));
    }
    files
}

/// Returns what one file holds; none where there is none.
fn bytes_of(file: &Path, shown: &str) -> Result<Option<Vec<u8>>, CommandError> {
    let unreadable = |error: std::io::Error| {
        CommandError::usage(format!("the configuration cannot be read: {error}"))
            .hint("make it readable, or move it away")
    };
    let data = match fs_err::metadata(file) {
        Ok(data) => data,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(error)),
    };
    if !data.is_file() || data.len() > MAX_SOURCE_BYTES as u64 {
        let most = MAX_SOURCE_BYTES;
        let message =
            format!("`{shown}` is not a configuration: expected a file of at most {most} bytes");
        return Err(CommandError::usage(message).hint("move it away"));
    }
    fs_err::read(file).map(Some).map_err(unreadable)
}

/// Reads one file; none where there is none.
fn read(file: &Path, shown: &str) -> Result<Option<Config>, CommandError> {
    let Some(bytes) = bytes_of(file, shown)? else { return Ok(None) };
    Config::parse(&bytes, shown, &HouseRules::knows_zone).map(Some).map_err(|diagnostics| {
        for diagnostic in &diagnostics {
            note(render_diagnostic(diagnostic, &bytes).trim_end());
        }
        let errors = match diagnostics.len() {
            1 => "1 error".to_owned(),
            count => format!("{count} errors"),
        };
        CommandError::usage(format!("`{shown}` cannot be used: {errors}"))
            .hint("correct it; `windlass init --dry-run` shows what can stand in it")
    })
}
