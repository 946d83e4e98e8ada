//! What can go wrong, and whose turn it is.

use std::io;
use std::path::PathBuf;

use windlass_core::plugin::EditError;

/// Why a plugin was not installed, taken back or looked at.
#[derive(Debug, thiserror::Error)]
pub enum PluginError {
    /// A file of another program cannot be edited.
    #[error("`{path}` was left as it is")]
    Edit {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        #[source]
        source: EditError,
    },
    /// A file of another program is no text.
    #[error("`{path}` was left as it is: it is not text in UTF-8")]
    NotText {
        /// The file.
        path: PathBuf,
    },
    /// Nobody says where the host has its settings.
    #[error("the settings of {host} cannot be found: HOME is not set")]
    NoFolder {
        /// The host.
        host: &'static str,
    },
    /// The host did not do what it was asked for.
    #[error("`{command}` failed: {said}")]
    Refused {
        /// The command line.
        command: String,
        /// What it said.
        said: String,
    },
    /// The host was asked, and its settings do not have the entry.
    #[error("`{command}` said that it worked, and `{path}` does not have the plugin")]
    NotThere {
        /// The command line.
        command: String,
        /// The settings.
        path: PathBuf,
    },
    /// The record of what was installed is damaged.
    #[error("`{path}` cannot be read: it is not what windlass writes")]
    Record {
        /// The record.
        path: PathBuf,
        /// Why.
        #[source]
        source: serde_json::Error,
    },
    /// A file or folder could not be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl PluginError {
    /// Returns what a person can do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::Edit { path, .. } | Self::NotText { path } => {
                format!("put `{}` right, or move it away; then try again", path.display())
            }
            Self::NoFolder { .. } => "set HOME".to_owned(),
            Self::Refused { command, .. } | Self::NotThere { command, .. } => {
                format!(
                    "try `{command}` yourself; what was written is taken back by `windlass plugin uninstall`"
                )
            }
            Self::Record { path, .. } => format!(
                "move `{}` away; then `windlass plugin install` begins anew, and what was there before is no longer known",
                path.display()
            ),
            Self::Io(_) => "see that the folder can be written".to_owned(),
        }
    }

    /// Returns whether something of the user's is wrong, and not of the machine.
    pub fn is_usage(&self) -> bool {
        match self {
            Self::Edit { .. } | Self::NotText { .. } | Self::NoFolder { .. } => true,
            Self::Refused { .. } | Self::NotThere { .. } | Self::Record { .. } | Self::Io(_) => {
                false
            }
        }
    }
}
