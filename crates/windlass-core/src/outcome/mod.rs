//! How a process ended, and what kind of failure that is.

mod category;

pub use category::Category;

use serde::{Deserialize, Serialize};

use crate::time::Timestamp;

/// How an attempt's process ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "how")]
pub enum Outcome {
    /// The process could not be started.
    CouldNotStart {
        /// Why.
        message: String,
    },
    /// The process exited by itself.
    Exited {
        /// With this code.
        code: i32,
    },
    /// A signal that windlass did not send ended it.
    Signalled {
        /// The signal.
        signal: i32,
    },
    /// It took longer than its timeout.
    TimedOut,
    /// It showed no sign of life for its idle timeout.
    Idle,
    /// It went past a limit on processes, output or memory.
    OverLimit {
        /// Which one.
        what: String,
    },
    /// Windlass was told to stop it.
    Cancelled,
    /// A provider's rate or usage limit stopped it.
    ProviderLimit {
        /// When the provider said that the limit ends.
        resets_at: Option<Timestamp>,
        /// What it said.
        message: String,
    },
    /// Nothing was started: the account is at its limit, or the hours are quiet.
    Held {
        /// Until when.
        until: Timestamp,
        /// Why.
        why: String,
    },
    /// The agent's program ended before its turn was over; the conversation can go on.
    Interrupted {
        /// What it said last.
        message: String,
    },
    /// The agent could not work, and its program says why.
    AgentFailed {
        /// What kind of failure it is.
        category: Category,
        /// What it said.
        message: String,
    },
    /// The money that was left for the attempt is used up.
    OverBudget {
        /// What the agent said.
        message: String,
    },
}

impl Outcome {
    /// Returns whether something else than the agent ended the attempt, or its program failed. What it
    /// left may satisfy every check and still be half of what it was about to do.
    pub fn was_cut_off(&self) -> bool {
        match self {
            Self::Exited { .. } | Self::CouldNotStart { .. } | Self::Held { .. } => false,
            Self::Signalled { .. }
            | Self::TimedOut
            | Self::Idle
            | Self::OverLimit { .. }
            | Self::Cancelled
            | Self::ProviderLimit { .. }
            | Self::Interrupted { .. }
            | Self::AgentFailed { .. }
            | Self::OverBudget { .. } => true,
        }
    }

    /// Returns whether the same conversation can go on in the next attempt: the agent was stopped
    /// by something that says nothing about its work.
    pub fn goes_on(&self) -> bool {
        match self {
            Self::ProviderLimit { .. } | Self::Interrupted { .. } => true,
            Self::AgentFailed { category, .. } => {
                matches!(category, Category::Limit | Category::Lost)
            }
            Self::CouldNotStart { .. }
            | Self::Exited { .. }
            | Self::Signalled { .. }
            | Self::TimedOut
            | Self::Idle
            | Self::OverLimit { .. }
            | Self::Cancelled
            | Self::Held { .. }
            | Self::OverBudget { .. } => false,
        }
    }
}
