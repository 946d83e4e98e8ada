//! Measures windlass against the bounds of its design.
//!
//! One command prints every figure beside a baseline that was measured in the same run on the same
//! machine, because a number without its machine says nothing. What can be counted is counted
//! (processes, syncs); only the rest is timed. Nothing here is a test: tests are never timed.
//!
//! - `figures`: one module per group of figures.
//! - [`scratch`]: a repository, a home and the real binary for them.
//! - [`edge`]: answers effects in place of agents and checks, where only the machine is measured.
//! - [`measure`]: medians, counters, peak memory.
//! - [`table`]: what is printed.
#![expect(clippy::print_stdout, reason = "printing figures is what this program is for")]

mod edge;
mod figures;
mod host;
mod measure;
mod scratch;
mod table;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

use crate::figures::Group;
use crate::scratch::Windlass;
use crate::table::{Figure, Report};

/// Failures end the bench; nobody distinguishes them.
type BenchResult<T> = Result<T, Box<dyn std::error::Error>>;

/// Measures windlass against the bounds of its design.
#[derive(Debug, Parser)]
#[command(name = "windlass-bench", max_term_width = 100)]
struct Arguments {
    /// Print one JSON object instead of the table
    #[arg(long)]
    json: bool,
    /// Measure only this group; may be given several times
    #[arg(long, value_name = "NAME")]
    only: Vec<Group>,
    /// A folder of public repositories, bare or not, whose last commits `alarms` replays as steps
    #[arg(long, value_name = "DIR")]
    repos: Option<PathBuf>,
    /// Fewer repetitions and a smaller journal: to see that it works, not to quote
    #[arg(long)]
    quick: bool,
}

/// How much is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effort {
    Quick,
    Full,
}

impl Effort {
    /// Picks a number of repetitions or a size.
    fn pick<T>(self, quick: T, full: T) -> T {
        match self {
            Self::Quick => quick,
            Self::Full => full,
        }
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            measure::say(&format!("error: {error}"));
            let mut cause = error.source();
            while let Some(source) = cause {
                measure::say(&format!("because: {source}"));
                cause = source.source();
            }
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> BenchResult<()> {
    let effort = if arguments.quick { Effort::Quick } else { Effort::Full };
    let windlass = Windlass::beside_this_program()?;
    let mut figures: Vec<Figure> = Vec::new();
    for group in Group::ALL {
        // Nothing is replayed unless somebody says what.
        let all =
            arguments.only.is_empty() && (group != Group::Alarms || arguments.repos.is_some());
        if all || arguments.only.contains(&group) {
            measure::say(&format!("measuring: {group}"));
            figures.extend(group.measure(&windlass, effort, arguments.repos.as_deref())?);
        }
    }
    let report = Report { host: host::Host::look()?, quick: arguments.quick, figures };
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        print!("{report}");
    }
    Ok(())
}
