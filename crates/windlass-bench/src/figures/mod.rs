//! The groups of figures, in the order in which they are printed.

mod alarms;
mod documents;
mod hooks;
mod journal;
mod launcher;
mod machine;
mod memory;
mod places;
mod rooms;
mod rounds;
mod steps;

use std::fmt;
use std::path::Path;

use clap::ValueEnum;

use crate::scratch::Windlass;
use crate::table::Figure;
use crate::{BenchResult, Effort};

/// A group of figures that are measured together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Group {
    Machine,
    Journal,
    Steps,
    Memory,
    Launcher,
    Rooms,
    Places,
    Hooks,
    Alarms,
    Documents,
}

impl Group {
    pub(crate) const ALL: [Self; 10] = [
        Self::Machine,
        Self::Journal,
        Self::Steps,
        Self::Memory,
        Self::Launcher,
        Self::Rooms,
        Self::Places,
        Self::Hooks,
        Self::Alarms,
        Self::Documents,
    ];

    /// Measures the group; `repositories` is the folder of those that are replayed.
    pub(crate) fn measure(
        self,
        windlass: &Windlass,
        effort: Effort,
        repositories: Option<&Path>,
    ) -> BenchResult<Vec<Figure>> {
        match self {
            Self::Machine => machine::measure(effort),
            Self::Journal => journal::measure(windlass, effort),
            Self::Steps => steps::measure(windlass, effort),
            Self::Memory => memory::measure(windlass, effort),
            Self::Launcher => launcher::measure(windlass, effort),
            Self::Rooms => rooms::measure(windlass, effort),
            Self::Places => places::measure(windlass, effort),
            Self::Hooks => hooks::measure(windlass, effort),
            Self::Alarms => alarms::measure(windlass, effort, repositories),
            Self::Documents => documents::measure(windlass, effort),
        }
    }
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Machine => "machine",
            Self::Journal => "journal",
            Self::Steps => "steps",
            Self::Memory => "memory",
            Self::Launcher => "launcher",
            Self::Rooms => "rooms",
            Self::Places => "places",
            Self::Hooks => "hooks",
            Self::Alarms => "alarms",
            Self::Documents => "documents",
        })
    }
}
