//! The machine that the figures belong to.

use std::fmt;
use std::process::Command;

use serde::Serialize;

use crate::BenchResult;

/// What has to be known to compare figures.
#[derive(Debug, Serialize)]
pub(crate) struct Host {
    cores: usize,
    processor: String,
    kernel: String,
    git: String,
    /// The load average of the last minute: others may be at work.
    load: String,
}

impl Host {
    pub(crate) fn look() -> BenchResult<Self> {
        let processors = fs_err::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let processor = processors
            .lines()
            .find_map(|line| line.strip_prefix("model name")?.split_once(": "))
            .map_or_else(|| std::env::consts::ARCH.to_owned(), |(_, name)| name.trim().to_owned());
        let load = fs_err::read_to_string("/proc/loadavg").unwrap_or_default();
        Ok(Self {
            cores: std::thread::available_parallelism()?.get(),
            processor,
            kernel: rustix::system::uname().release().to_string_lossy().into_owned(),
            git: said("git", "--version")?,
            load: load.split(' ').next().unwrap_or("unknown").to_owned(),
        })
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cores, processor, kernel, git, load } = self;
        write!(f, "{cores} cores ({processor}), Linux {kernel}, {git}, load {load}")
    }
}

fn said(program: &str, argument: &str) -> BenchResult<String> {
    let output = Command::new(program).arg(argument).output()?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
