//! What a run is asked to do, and why that cannot be planned.

use std::collections::BTreeMap;

use super::Issue;
use crate::glob::BadPath;
use crate::item::NewItem;
use crate::platform::{CommandName, PinnedPlatform};
use crate::role::Role;
use crate::source::{At, suggest};

/// What a run is for.
#[derive(Clone, Debug, Default)]
pub struct PlanRequest {
    /// The goal in the user's words.
    pub goal: String,
    /// The issue.
    pub issue: Option<Issue>,
    /// Inputs as the user typed them.
    pub inputs: BTreeMap<String, String>,
    /// Every role that there is, by name; the plan keeps those that its steps name.
    pub roles: BTreeMap<String, Role>,
    /// The platforms that the repository is built with; a workflow that asks for none keeps none.
    pub platforms: Vec<PinnedPlatform>,
    /// What the run is to repeat over from its start.
    pub items: Vec<NewItem>,
}

/// Why a workflow cannot be planned for a request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// The workflow declares no such input.
    #[error("the workflow has no input {}", suggest::shown(name))]
    UnknownInput {
        /// What was given.
        name: String,
        /// The nearest input, or the list of them.
        help: Option<String>,
    },
    /// A value does not fit its input.
    #[error("the input `{name}` takes {expected}, not {}", suggest::shown(value))]
    WrongInput {
        /// The input.
        name: String,
        /// What was given.
        value: String,
        /// What was expected.
        expected: String,
        /// The nearest value.
        help: Option<String>,
    },
    /// An input without a default was not given.
    #[error("the input `{name}` has no value")]
    MissingInput {
        /// The input.
        name: String,
        /// What it takes.
        expected: String,
        /// The question that the workflow asks for it.
        ask: Option<String>,
    },
    /// The workflow speaks of an issue.
    #[error("this workflow needs an issue: pass --issue N")]
    NeedsIssue {
        /// The file that speaks of it.
        file: String,
        /// The first place.
        at: At,
    },
    /// A value has a NUL byte, which no command can hold.
    #[error("a value for the command at {file}:{} contains a NUL byte", at.line)]
    Nul {
        /// The workflow file.
        file: String,
        /// The command.
        at: At,
    },
    /// With its values filled in, a path leaves the repository.
    #[error("{} at {file}:{}: {why}", suggest::shown(path), at.line)]
    BadPath {
        /// The path.
        path: String,
        /// What is wrong with it.
        why: BadPath,
        /// The workflow file.
        file: String,
        /// Where it stands.
        at: At,
    },
    /// With their values filled in, two spokes write one file.
    #[error("the spokes `{one}` and `{other}` both write {}", suggest::shown(path))]
    SharedFile {
        /// The file.
        path: String,
        /// The first spoke.
        one: String,
        /// The second one.
        other: String,
    },
    /// With its values filled in, a glob is none.
    #[error("{} at {file}:{} is not a glob", suggest::shown(pattern), at.line)]
    BadGlob {
        /// The glob.
        pattern: String,
        /// The workflow file.
        file: String,
        /// Where it stands.
        at: At,
    },
    /// With its inputs filled in, a count is none.
    #[error("{} at {file}:{} is not a number from 0 on", suggest::shown(value), at.line)]
    BadCount {
        /// What the inputs give.
        value: String,
        /// The workflow file.
        file: String,
        /// Where it stands.
        at: At,
    },
    /// The workflow speaks of a platform, and none is known.
    #[error("this workflow needs a platform, and none is known (`platform` at {file}:{})", at.line)]
    NoPlatform {
        /// The workflow file.
        file: String,
        /// Where it asks for one.
        at: At,
    },
    /// A platform requires a command, and nothing in the repository says how it goes.
    #[error("{platform} requires `{command}`, and nothing there fits one of the ways it knows")]
    MissingRequired {
        /// The platform, and its folder.
        platform: String,
        /// The command.
        command: CommandName,
    },
    /// Of a step's criterion nothing is left that windlass sees itself.
    #[error("nothing proves step `{step}`: {}", unchecked.join("; "))]
    Unproven {
        /// The step.
        step: String,
        /// What was left out.
        unchecked: Vec<String>,
    },
    /// With its inputs filled in, a percentage is none.
    #[error("{} at {file}:{} is not a percentage from 0 to 100", suggest::shown(value), at.line)]
    BadPercent {
        /// What the inputs give.
        value: String,
        /// The workflow file.
        file: String,
        /// Where it stands.
        at: At,
    },
}

impl PlanError {
    /// Returns what to do about it.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::UnknownInput { help, .. } | Self::WrongInput { help, .. } => help.clone(),
            Self::MissingInput { name, expected, ask } => {
                let ask = ask.as_ref().map(|ask| format!("{ask} ")).unwrap_or_default();
                Some(format!("{ask}Give {expected}: `--input {name}=…`"))
            }
            Self::NeedsIssue { file, at } => {
                Some(format!("the issue is used at {file}:{}:{}", at.line, at.column))
            }
            Self::BadCount { .. } => Some("check the input that gives it".to_owned()),
            Self::NoPlatform { .. } => Some(
                "`windlass platform detect` shows what matches; `--platform NAME` names one".to_owned(),
            ),
            Self::MissingRequired { platform, .. } => {
                let name = platform.split(' ').next().unwrap_or(platform);
                Some(format!(
                    "`windlass platform show {name}` shows the ways; `windlass platform eject {name}` \
                     makes a copy for this repository to change"
                ))
            }
            Self::Unproven { .. } => Some(
                "give the platform that command (`windlass platform eject NAME`), or the step another \
                 check"
                    .to_owned(),
            ),
            Self::BadPercent { .. } => Some("check the input that gives `min`".to_owned()),
            Self::Nul { .. }
            | Self::BadPath { .. }
            | Self::BadGlob { .. }
            | Self::SharedFile { .. } => {
                Some("check the inputs, the goal and the issue's title".to_owned())
            }
        }
    }
}
