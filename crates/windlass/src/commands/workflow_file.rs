//! Finding, reading and checking a workflow file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use miette::{LabeledSpan, MietteDiagnostic, NamedSource, Report};
use windlass_core::config::{Origin, Setting};
use windlass_core::plan::{Plan, PlanError, PlanRequest};
use windlass_core::role::Role;
use windlass_core::workflow::{Diagnostic, MAX_SOURCE_BYTES, Severity, Workflow};
use windlass_engine::expr;
use windlass_engine::git::UserRepository;

use crate::builtin::{self, BuiltIn};
use crate::cli::Cli;
use crate::config;
use crate::error::CommandError;
use crate::output::{Output, note};
use crate::roles;

/// Where a team keeps its workflows.
pub(crate) const FOLDER: &str = ".windlass/workflows";

/// What a workflow comes from.
#[derive(Clone, Debug)]
pub(crate) enum Found {
    File(PathBuf),
    BuiltIn(&'static BuiltIn),
}

impl Found {
    /// Returns its name for messages.
    pub(crate) fn display(&self) -> String {
        match self {
            Self::File(path) => path.display().to_string(),
            Self::BuiltIn(builtin) => format!("{} (built-in)", builtin.name),
        }
    }

    /// Reads its source.
    pub(crate) fn source(&self) -> Result<Vec<u8>, CommandError> {
        match self {
            Self::File(path) => read_bounded(path),
            Self::BuiltIn(builtin) => Ok(builtin.source.as_bytes().to_vec()),
        }
    }
}

/// Returns the repository around the command, or the folder where there is none.
pub(crate) fn top_level(cli: &Cli) -> PathBuf {
    let folder = cli.directory.clone().unwrap_or_else(|| ".".into());
    UserRepository::top_level_of(&folder).unwrap_or(folder)
}

/// Where workflows with a name are looked for, the first that has one counts.
pub(crate) fn folders(top_level: &Path) -> Vec<PathBuf> {
    let user = config::user_folder().map(|folder| folder.join("workflows"));
    std::iter::once(top_level.join(FOLDER)).chain(user).collect()
}

/// Finds the workflow behind what the user wrote: a path, or a name.
pub(crate) fn find(name: &str, top_level: &Path) -> Result<Found, CommandError> {
    let path = PathBuf::from(name);
    if path.is_file() || name.contains('/') || name.ends_with(".yaml") || name.ends_with(".yml") {
        return Ok(Found::File(path));
    }
    let folders = folders(top_level);
    for (folder, ending) in folders.iter().flat_map(|folder| [(folder, "yaml"), (folder, "yml")]) {
        let candidate = folder.join(format!("{name}.{ending}"));
        if candidate.is_file() {
            return Ok(Found::File(candidate));
        }
    }
    if let Some(builtin) = builtin::find(name) {
        return Ok(Found::BuiltIn(builtin));
    }
    let known = all_known(top_level);
    let error = CommandError::usage(format!(
        "there is no workflow `{name}`, neither in `{FOLDER}` nor built in"
    ));
    Err(match windlass_core::workflow::nearest(name, known.iter().map(String::as_str)) {
        Some(nearest) => error.hint(format!("did you mean `{nearest}`?")),
        None => error.hint(format!("known workflows: {}", known.join(", "))),
    })
}

/// Finds the workflow that is set, and says where where that is a file.
pub(crate) fn set(
    setting: &Setting<String>,
    top_level: &Path,
    output: &Output,
) -> Result<Found, CommandError> {
    let Some(file) = setting.origin.file() else { return find(&setting.value, top_level) };
    output.remark(&format!("workflow `{}` (`workflow` in {file})", setting.value));
    // A path in a configuration is meant from where the configuration is for.
    let base = match &setting.origin {
        Origin::User(_) => config::user_folder().unwrap_or_default(),
        Origin::Repository(_) | Origin::Flag => top_level.to_owned(),
    };
    if setting.value.contains('/') {
        return find(&base.join(&setting.value).to_string_lossy(), top_level);
    }
    find(&setting.value, top_level)
}

/// Returns the names of all workflows that have one.
pub(crate) fn all_known(top_level: &Path) -> Vec<String> {
    let folders = folders(top_level);
    let mut known: Vec<String> = folders.iter().flat_map(|folder| known(folder)).collect();
    known.extend(builtin::all().map(|builtin| builtin.name.to_owned()));
    known.sort();
    known.dedup();
    known
}

/// Returns the names of the workflows in a folder.
pub(crate) fn known(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs_err::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<String> = entries
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|e| e == "yaml" || e == "yml"))
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .collect();
    names.sort();
    names.dedup();
    names
}

/// Reads and checks a workflow; warnings are printed, errors are returned.
pub(crate) fn read(found: &Found) -> Result<Workflow, CommandError> {
    let bytes = found.source()?;
    let shown = found.display();
    let workflow = parse(&bytes, &shown).map_err(|found| refused(&shown, &bytes, &found))?;
    // What is odd about a built-in one is meant: the items of `story` come with the command.
    for warning in workflow.warnings().iter().filter(|_| matches!(found, Found::File(_))) {
        note(render(warning, &bytes).trim_end());
    }
    Ok(workflow)
}

/// Checks a workflow, its expressions included.
pub(crate) fn parse(bytes: &[u8], shown: &str) -> Result<Workflow, Vec<Diagnostic>> {
    let workflow = Workflow::parse_bytes(bytes, shown)?;
    let mut wrong = Vec::new();
    for expression in workflow.expressions() {
        if let Err(error) = expr::check(&expression.text) {
            wrong.push(workflow.bad_expression(&expression, &error.to_string()));
        }
    }
    if wrong.is_empty() { Ok(workflow) } else { Err(wrong) }
}

/// Reads the roles that a run of a workflow can use, and says what a slip could be. That an agent has
/// no role is only `windlass check`'s to say: a run is no place for news.
pub(crate) fn roles(
    found: &Found,
    workflow: &Workflow,
    top_level: &Path,
) -> Result<BTreeMap<String, Role>, CommandError> {
    let roles = roles::load(top_level)?;
    let usable = roles.for_workflow(workflow)?;
    let slips = workflow.unknown_agents(roles.names());
    for slip in slips.iter().filter(|slip| slip.severity == Severity::Warning) {
        note(render(slip, &found.source()?).trim_end());
    }
    Ok(usable)
}

/// Reads inputs as they stand on the command line.
pub(crate) fn inputs(pairs: &[String]) -> Result<BTreeMap<String, String>, CommandError> {
    let mut inputs = BTreeMap::new();
    for pair in pairs {
        let Some((name, value)) = pair.split_once('=') else {
            return Err(CommandError::usage(format!("`--input {pair}` has no value"))
                .hint("write `--input NAME=VALUE`"));
        };
        inputs.insert(name.to_owned(), value.to_owned());
    }
    Ok(inputs)
}

/// Fills a workflow in.
pub(crate) fn plan(workflow: &Workflow, request: PlanRequest) -> Result<Plan, CommandError> {
    workflow.plan(request).map_err(|errors| {
        let words: Vec<String> = errors.iter().map(ToString::to_string).collect();
        let error = CommandError::usage(words.join("; "));
        errors.iter().filter_map(PlanError::help).fold(error, CommandError::hint)
    })
}

fn read_bounded(path: &Path) -> Result<Vec<u8>, CommandError> {
    let fault = |error: std::io::Error| {
        CommandError::usage(format!("the workflow cannot be read: {error}"))
            .hint("name an existing file, or a workflow in `.windlass/workflows`")
    };
    let data = match fs_err::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(CommandError::usage(format!("there is no file `{}`", path.display()))
                .hint("`windlass workflow list` shows the workflows that have a name"));
        }
        data => data.map_err(fault)?,
    };
    if data.is_dir() {
        return Err(CommandError::usage(format!(
            "`{}` is a folder, not a workflow file",
            path.display()
        )));
    }
    if data.len() > MAX_SOURCE_BYTES as u64 {
        return Err(CommandError::usage(format!(
            "`{}` has {} bytes; a workflow file has at most {MAX_SOURCE_BYTES}",
            path.display(),
            data.len()
        )));
    }
    fs_err::read(path).map_err(fault)
}

fn refused(file: &str, source: &[u8], diagnostics: &[Diagnostic]) -> CommandError {
    for diagnostic in diagnostics {
        note(render(diagnostic, source).trim_end());
    }
    let count = diagnostics.iter().filter(|d| d.severity == Severity::Error).count();
    let errors = if count == 1 { "1 error".to_owned() } else { format!("{count} errors") };
    CommandError::usage(format!("`{file}` is not a workflow that can run: {errors}"))
}

/// One line that names the place, then the source with the spot marked.
pub(crate) fn render(diagnostic: &Diagnostic, source: &[u8]) -> String {
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let mut text = format!("{severity}: {diagnostic}");
    if let Ok(source) = std::str::from_utf8(source)
        && diagnostic.offset + diagnostic.len <= source.len()
        && !source.is_empty()
    {
        let span = LabeledSpan::new(None, diagnostic.offset, diagnostic.len);
        let snippet = MietteDiagnostic::new("").with_label(span);
        let report = Report::new(snippet)
            .with_source_code(NamedSource::new(&diagnostic.file, source.to_owned()));
        let mut drawn = String::new();
        let handler =
            miette::GraphicalReportHandler::new_themed(miette::GraphicalTheme::unicode_nocolor())
                .with_context_lines(1);
        if handler.render_report(&mut drawn, report.as_ref()).is_ok() {
            let snippet: Vec<&str> = drawn.lines().skip_while(|line| !line.contains('╭')).collect();
            if !snippet.is_empty() {
                text.push('\n');
                text.push_str(&snippet.join("\n"));
            }
        }
    }
    if let Some(help) = &diagnostic.help {
        text.push_str("\n  help: ");
        text.push_str(help);
    }
    text.push('\n');
    text
}
