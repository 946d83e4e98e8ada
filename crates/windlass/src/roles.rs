//! The roles that a repository has: its own files, then those that come with windlass.
//!
//! For each name the first counts: `.windlass/agents`, then `.claude/agents`, then built in. A file
//! that cannot be used still holds its name, so that a broken role never silently becomes another
//! one: a workflow whose steps name it does not start.

use std::collections::BTreeMap;
use std::path::Path;

use windlass_core::role::{MAX_ROLE_BYTES, Role, RoleSource};
use windlass_core::workflow::{Diagnostic, Workflow};

use crate::builtin;
use crate::commands::render_diagnostic;
use crate::error::CommandError;
use crate::output::{Output, note};
use crate::own_file::{self, Unusable};

/// Where a team keeps its roles.
pub(crate) const FOLDER: &str = ".windlass/agents";

/// Where roles are looked for, the first that has a name counts.
pub(crate) const FOLDERS: [&str; 2] = [FOLDER, ".claude/agents"];

/// More files than anybody keeps; a folder with more is not one of roles.
const MAX_FILES: usize = 500;

/// One role, or a file that should be one.
#[derive(Debug)]
pub(crate) struct Found {
    /// The name; of a broken file the one that it claims, else the file's own.
    pub(crate) name: String,
    /// The file from the repository's root; none for a built-in role.
    pub(crate) file: Option<String>,
    /// What the file holds, as far as it was read.
    pub(crate) source: Vec<u8>,
    pub(crate) read: Result<Role, Unusable>,
    pub(crate) warnings: Vec<Diagnostic>,
    /// What of the same name comes first.
    pub(crate) hidden_by: Option<String>,
}

impl Found {
    /// Says where it comes from.
    pub(crate) fn from(&self) -> &str {
        self.file.as_deref().unwrap_or("built-in")
    }
}

/// Every role that there is, the first of each name before those that it hides.
#[derive(Debug)]
pub(crate) struct Roles {
    all: Vec<Found>,
}

/// Reads every role that the repository at `top_level` has.
pub(crate) fn load(top_level: &Path) -> Result<Roles, CommandError> {
    let mut roles = Roles { all: Vec::new() };
    for folder in FOLDERS {
        for file in files(top_level, folder)? {
            roles.add(from_file(top_level, file));
        }
    }
    for builtin in &builtin::ROLES {
        let source = builtin.source.as_bytes();
        let read = Role::parse(source, &format!("{} (built-in)", builtin.name));
        roles.add(Found {
            name: builtin.name.to_owned(),
            file: None,
            source: source.to_vec(),
            read: read.map(Role::shipped).map_err(Unusable::Wrong),
            warnings: Vec::new(),
            hidden_by: None,
        });
    }
    Ok(roles)
}

/// Returns the Markdown files of a folder, from the repository's root and in order. What explains
/// the folder to people is no role.
fn files(top_level: &Path, folder: &str) -> Result<Vec<String>, CommandError> {
    let unreadable = |error: std::io::Error| {
        CommandError::usage(format!("the roles in `{folder}` cannot be read: {error}"))
            .hint("make it a folder that you may read, or move it away")
    };
    let entries = match fs_err::read_dir(top_level.join(folder)) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(unreadable)?,
    };
    let entries = entries.collect::<Result<Vec<_>, _>>().map_err(unreadable)?;
    let mut names: Vec<String> = entries
        .into_iter()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| Path::new(name).extension().is_some_and(|ending| ending == "md"))
        .filter(|name| !name.eq_ignore_ascii_case("readme.md") && !name.starts_with('.'))
        .collect();
    if names.len() > MAX_FILES {
        let message = format!("`{folder}` has {} roles, more than {MAX_FILES}", names.len());
        return Err(CommandError::usage(message).hint("move those away that no workflow names"));
    }
    names.sort();
    Ok(names.iter().map(|name| format!("{folder}/{name}")).collect())
}

fn from_file(top_level: &Path, file: String) -> Found {
    let stem = Path::new(&file).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let (source, read) = match own_file::read_inside(top_level, &file, MAX_ROLE_BYTES) {
        Ok(source) => {
            let read = Role::parse_with_warnings(&source, &file).map_err(Unusable::Wrong);
            (source, read)
        }
        Err(refused) => (Vec::new(), Err(refused)),
    };
    let (read, warnings) = match read {
        Ok((role, warnings)) => (Ok(role), warnings),
        Err(unusable) => (Err(unusable), Vec::new()),
    };
    let name = match &read {
        Ok(role) => role.name.clone(),
        Err(_) => Role::claimed_name(&source).map_or(stem, ToOwned::to_owned),
    };
    Found { name, file: Some(file), source, read, warnings, hidden_by: None }
}

impl Roles {
    fn add(&mut self, mut found: Found) {
        found.hidden_by = self.get(&found.name).map(|first| first.from().to_owned());
        self.all.push(found);
    }

    /// Returns all of them, those that others hide included.
    pub(crate) fn all(&self) -> &[Found] {
        &self.all
    }

    /// Returns the one that counts for a name.
    pub(crate) fn get(&self, name: &str) -> Option<&Found> {
        self.all.iter().find(|found| found.name == name)
    }

    /// Returns every name, each once.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> + Clone {
        let counting = self.all.iter().filter(|found| found.hidden_by.is_none());
        counting.map(|found| found.name.as_str())
    }

    /// Returns the roles that can be used by a plan of this workflow.
    ///
    /// A file that one of its steps needs and that is no role stops here, with everything that is
    /// wrong in it; one that no step names is only told.
    pub(crate) fn for_workflow(
        &self,
        workflow: &Workflow,
    ) -> Result<BTreeMap<String, Role>, CommandError> {
        let mut usable = BTreeMap::new();
        let mut error = None;
        let agents = workflow.agents();
        for found in self.all.iter().filter(|found| found.hidden_by.is_none()) {
            let is_used = agents.contains(found.name.as_str());
            match &found.read {
                Ok(role) => {
                    let warnings = found.warnings.iter().filter(|_| is_used);
                    for warning in warnings {
                        note(render_diagnostic(warning, &found.source).trim_end());
                    }
                    usable.insert(found.name.clone(), role.clone());
                }
                Err(unusable) if is_used => {
                    error.get_or_insert_with(|| found.refused(unusable));
                }
                Err(unusable) => {
                    note(&format!(
                        "warning: {}; no step of this workflow names it",
                        unusable.first()
                    ));
                }
            }
        }
        error.map_or(Ok(usable), Err)
    }
}

impl Found {
    /// Prints everything that is wrong with the file, and returns what stops the command.
    pub(crate) fn refused(&self, unusable: &Unusable) -> CommandError {
        match unusable {
            Unusable::Refused { why, hint } => CommandError::usage(why.clone()).hint(*hint),
            Unusable::Wrong(diagnostics) => {
                for diagnostic in diagnostics {
                    note(render_diagnostic(diagnostic, &self.source).trim_end());
                }
                CommandError::usage(format!("`{}` is not a role that can be used", self.from()))
            }
        }
    }
}

/// Says which roles of a plan are the repository's own: nobody should wonder whose words an agent got.
pub(crate) fn say_whose(roles: &BTreeMap<String, Role>, output: &Output) {
    let own = roles.values().filter_map(|role| match &role.source {
        RoleSource::File(file) => Some(format!("{} ({file})", role.name)),
        RoleSource::Shipped => None,
    });
    let own: Vec<String> = own.collect();
    if !own.is_empty() {
        output.remark(&format!("roles of this repository: {}", own.join(", ")));
    }
}
