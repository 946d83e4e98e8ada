//! The kinds of failure.

use serde::{Deserialize, Serialize};

/// What kind of failure it was; it decides what happens next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// The work is not right.
    Code,
    /// A command that judges the work failed.
    Test,
    /// It does not compile, or does not load.
    Compile,
    /// A type checker refused it.
    Type,
    /// A linter or formatter refused it.
    Lint,
    /// A scanner found a vulnerability.
    Security,
    /// The same files passed before.
    Flaky,
    /// The surroundings failed.
    Infra,
    /// The network failed, or a host that is needed.
    Network,
    /// The disk is full.
    Disk,
    /// A program, a key or a dependency is missing.
    Environment,
    /// Time ran out.
    Timeout,
    /// A provider's limit.
    Limit,
    /// The machine or the engine died.
    Lost,
    /// Only a person can help.
    External,
}

impl Category {
    /// Every category, in the order of the documentation.
    pub const ALL: [Self; 15] = [
        Self::Code,
        Self::Test,
        Self::Compile,
        Self::Type,
        Self::Lint,
        Self::Security,
        Self::Flaky,
        Self::Infra,
        Self::Network,
        Self::Disk,
        Self::Environment,
        Self::Timeout,
        Self::Limit,
        Self::Lost,
        Self::External,
    ];

    /// Returns whether the next attempt waits for the surroundings to recover.
    pub fn backs_off(self) -> bool {
        match self {
            Self::Infra | Self::Network | Self::Disk | Self::Timeout => true,
            Self::Code
            | Self::Test
            | Self::Compile
            | Self::Type
            | Self::Lint
            | Self::Security
            | Self::Flaky
            | Self::Environment
            | Self::Limit
            | Self::Lost
            | Self::External => false,
        }
    }

    /// Returns whether the surroundings may be at fault: trying the same again can help, and changing
    /// the work cannot.
    pub fn is_of_surroundings(self) -> bool {
        matches!(self, Self::Infra | Self::Network | Self::Disk | Self::Environment)
    }

    /// Returns whether the work has to change.
    pub fn is_of_work(self) -> bool {
        match self {
            Self::Code
            | Self::Test
            | Self::Compile
            | Self::Type
            | Self::Lint
            | Self::Security
            | Self::Flaky => true,
            Self::Infra
            | Self::Network
            | Self::Disk
            | Self::Environment
            | Self::Timeout
            | Self::Limit
            | Self::Lost
            | Self::External => false,
        }
    }
}

impl std::fmt::Display for Category {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Code => "code",
            Self::Test => "test",
            Self::Compile => "compile",
            Self::Type => "type",
            Self::Lint => "lint",
            Self::Security => "security",
            Self::Flaky => "flaky",
            Self::Infra => "infra",
            Self::Network => "network",
            Self::Disk => "disk",
            Self::Environment => "environment",
            Self::Timeout => "timeout",
            Self::Limit => "limit",
            Self::Lost => "lost",
            Self::External => "external",
        })
    }
}
