//! What can go wrong with a git process.

use std::io;

/// What went wrong with a git process.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// There is no `git` in the search path.
    #[error("git is not installed, or not in PATH")]
    Missing,
    /// The process could not be started or spoken to.
    #[error("`{command}` could not be run")]
    Io {
        /// What was run.
        command: String,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// Git said no.
    #[error("`{command}` failed with code {code}: {stderr}")]
    Failed {
        /// What was run.
        command: String,
        /// Its exit code; -1 when a signal ended it.
        code: i32,
        /// What it said, bounded.
        stderr: String,
    },
    /// The deadline passed.
    #[error("`{command}` did not finish in time")]
    TimedOut {
        /// What was run.
        command: String,
    },
    /// It printed more than any sane answer.
    #[error("`{command}` printed too much")]
    TooMuchOutput {
        /// What was run.
        command: String,
    },
    /// Its answer does not have the shape that git documents.
    #[error("`{command}` answered in an unknown shape")]
    Unexpected {
        /// What was run.
        command: String,
    },
}
