//! The environment that the user's programs get.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use rustix::fs::Access;

/// The user's environment, without what would make a program ask, page, colour its answer or look
/// at another repository.
#[derive(Clone, Debug)]
pub struct UserEnvironment {
    variables: Vec<(OsString, OsString)>,
}

/// Variables that name a repository: windlass may have been started from a hook or an alias.
const OF_A_REPOSITORY: &[&str] = &[
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
];

/// Variables that change what is printed.
const OF_OUTPUT: &[&str] =
    &["GH_DEBUG", "DEBUG", "GH_FORCE_TTY", "CLICOLOR_FORCE", "LANGUAGE", "LANG", "LC_MESSAGES"];

const ALWAYS: &[(&str, &str)] = &[
    ("LC_ALL", "C"),
    ("NO_COLOR", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_PAGER", "cat"),
    ("GIT_EDITOR", "false"),
    ("GCM_INTERACTIVE", "never"),
    ("GH_PROMPT_DISABLED", "1"),
    ("GH_NO_UPDATE_NOTIFIER", "1"),
    ("GH_SPINNER_DISABLED", "1"),
    ("GH_PAGER", "cat"),
    // Without these, ssh asks for a passphrase at the terminal behind the back of the screen.
    ("SSH_ASKPASS_REQUIRE", "force"),
];

impl UserEnvironment {
    /// The environment that windlass was started with.
    pub fn inherited() -> Self {
        Self::of(std::env::vars_os())
    }

    /// An environment of these variables.
    pub fn of(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let dropped = |name: &OsStr| {
            OF_A_REPOSITORY.iter().chain(OF_OUTPUT).any(|dropped| name == *dropped)
                || name.as_encoded_bytes().starts_with(b"GIT_TRACE")
                || ALWAYS.iter().any(|(always, _)| name == *always)
        };
        let mut variables: Vec<_> =
            variables.into_iter().filter(|(name, _)| !dropped(name)).collect();
        variables.extend(ALWAYS.iter().map(|(name, value)| (name.into(), value.into())));
        if !variables.iter().any(|(name, _)| name == "SSH_ASKPASS") {
            variables.push(("SSH_ASKPASS".into(), "false".into()));
        }
        Self { variables }
    }

    pub(crate) fn variables(&self) -> impl Iterator<Item = (OsString, OsString)> + '_ {
        self.variables.iter().cloned()
    }

    /// Finds a program in the search path. A relative folder in it would be a folder of whatever
    /// checkout windlass stands in, so those do not count.
    pub(crate) fn find(&self, program: &str) -> Option<PathBuf> {
        let (_, path) = self.variables.iter().find(|(name, _)| name == "PATH")?;
        std::env::split_paths(path)
            .filter(|folder| folder.is_absolute())
            .map(|folder| folder.join(program))
            .find(|file| file.is_file() && rustix::fs::access(file, Access::EXEC_OK).is_ok())
    }
}
