//! What windlass itself costs per step, beside a script that does the same by hand.
//!
//! Everything is measured for a run of one step and for one of [`STEPS`] more, and the difference
//! is divided by their number: what a run costs once (its clone, its store) is not part of it.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::measure::{median, run, time};
use crate::scratch::{AGENT, Criterion, Medium, Scratch, Windlass, chain};
use crate::table::{Figure, Unit};
use crate::{BenchResult, Effort};

/// How many steps the cost of one is averaged over.
pub(super) const STEPS: usize = 20;

/// What the design allows per step.
const GIT_PROCESSES: f64 = 6.0;
const SYNCS: f64 = 10.0;

/// The same guarantees, written by hand.
const BY_HAND: &str = include_str!("by_hand.sh");

const SYNC_CALLS: [&str; 5] = ["fsync(", "fdatasync(", "sync_file_range(", "syncfs(", "msync("];

pub(super) fn measure(windlass: &Windlass, effort: Effort) -> BenchResult<Vec<Figure>> {
    let way = Way::Windlass(&windlass.exe, Criterion::Command);
    let [ours, by_hand] = [way, Way::ByHand].map(|way| {
        let git = per_step(|count| count_git(way, count))?;
        let calls = if has_strace() { Some(count_calls(way)?) } else { None };
        BenchResult::Ok((git, calls))
    });
    let thorough = Way::Windlass(&windlass.exe, Criterion::Thorough);
    let git_thorough = per_step(|count| count_git(thorough, count))?;
    let ((git, calls), (git_by_hand, calls_by_hand)) = (ours?, by_hand?);
    let mut figures = vec![
        Figure::new("steps: git processes per step", Unit::Count, git)
            .beside("by hand", git_by_hand)
            .at_most(GIT_PROCESSES),
        Figure::new("steps: the same, with every kind of bound", Unit::Count, git_thorough)
            .at_most(GIT_PROCESSES),
    ];
    let names = ["steps: syncs per step", "steps: programs started per step"];
    match (calls, calls_by_hand) {
        (Some(calls), Some(by_hand)) => {
            let figure = |at: usize| {
                Figure::new(names[at], Unit::Count, calls[at]).beside("by hand", by_hand[at])
            };
            figures.extend([figure(0).at_most(SYNCS), figure(1)]);
        }
        _ => figures.extend(names.map(Figure::not_counted)),
    }
    let (mut ours, mut by_hand) = (Vec::new(), Vec::new());
    for _ in 0..effort.pick(1, 7) {
        ours.push(per_step(|count| wall(way, count))?);
        by_hand.push(per_step(|count| wall(Way::ByHand, count))?);
    }
    let figure = Figure::new("steps: wall time per step", Unit::Milliseconds, median(ours));
    figures.push(figure.beside("by hand", median(by_hand)));
    Ok(figures)
}

/// Who goes through the steps.
#[derive(Clone, Copy, Debug)]
enum Way<'a> {
    Windlass(&'a Path, Criterion),
    ByHand,
}

/// Returns what one more step costs.
fn per_step(mut cost: impl FnMut(usize) -> BenchResult<f64>) -> BenchResult<f64> {
    let (one, all) = (cost(1)?, cost(1 + STEPS)?);
    Ok((all - one) / f64::from(u32::try_from(STEPS)?))
}

/// A fresh repository and what goes through `count` steps in it.
struct Prepared {
    scratch: Scratch,
    program: PathBuf,
    arguments: Vec<String>,
}

impl Prepared {
    fn new(way: Way<'_>, count: usize) -> BenchResult<Self> {
        let scratch = Scratch::new(Medium::Disk)?;
        let (program, arguments) = match way {
            Way::Windlass(exe, criterion) => {
                let workflow = scratch.workflow(&chain(count, criterion, ""))?;
                let workflow = workflow.to_string_lossy().into_owned();
                let words = ["run", "measure", "--workflow", &workflow, "--agent-command", AGENT];
                (exe.to_owned(), words.map(str::to_owned).to_vec())
            }
            Way::ByHand => {
                let script = scratch.path("by_hand.sh");
                fs_err::write(&script, BY_HAND)?;
                let words = [script.to_string_lossy().into_owned(), count.to_string()];
                let words = words.into_iter().chain([AGENT.to_owned()]);
                (PathBuf::from("/bin/sh"), words.collect())
            }
        };
        Ok(Self { scratch, program, arguments })
    }

    fn command(&self) -> Command {
        let mut command = self.scratch.command(&self.program);
        command.args(&self.arguments);
        command
    }
}

fn wall(way: Way<'_>, count: usize) -> BenchResult<f64> {
    let prepared = Prepared::new(way, count)?;
    time(1, || run(&mut prepared.command(), 0))
}

/// Counts git processes with a `git` that notes each call, first in the path.
fn count_git(way: Way<'_>, count: usize) -> BenchResult<f64> {
    let prepared = Prepared::new(way, count)?;
    let (folder, calls) = (prepared.scratch.path("shim"), prepared.scratch.path("calls"));
    let path = std::env::var("PATH")?;
    let real = std::env::split_paths(&path)
        .map(|folder| folder.join("git"))
        .find(|git| git.is_file())
        .ok_or("there is no git")?;
    fs_err::create_dir(&folder)?;
    let shim = format!(
        "#!/bin/sh\necho \"$*\" >> '{}'\nexec '{}' \"$@\"\n",
        calls.display(),
        real.display()
    );
    fs_err::write(folder.join("git"), shim)?;
    fs_err::set_permissions(folder.join("git"), std::fs::Permissions::from_mode(0o755))?;
    let path = format!("{}:{path}", folder.display());
    run(prepared.command().env("PATH", path), 0)?;
    lines(&calls, |_| true)
}

fn has_strace() -> bool {
    Command::new("strace").arg("-V").output().is_ok_and(|output| output.status.success())
}

/// Counts syncs and started programs per step.
fn count_calls(way: Way<'_>) -> BenchResult<[f64; 2]> {
    let mut syncs = Vec::new();
    let mut programs = Vec::new();
    for count in [1, 1 + STEPS] {
        let trace = traced(way, count)?;
        // A call that another one interrupts stands in two lines; the first begins with its name.
        syncs.push(lines(&trace.1, |line| SYNC_CALLS.iter().any(|call| is_call(line, call)))?);
        programs.push(lines(&trace.1, |line| line.contains("execve") && line.ends_with("= 0"))?);
    }
    let steps = f64::from(u32::try_from(STEPS)?);
    Ok([(syncs[1] - syncs[0]) / steps, (programs[1] - programs[0]) / steps])
}

fn is_call(line: &str, call: &str) -> bool {
    line.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start().starts_with(call)
}

/// Runs everything below strace; the trace lives as long as its repository.
fn traced(way: Way<'_>, count: usize) -> BenchResult<(Scratch, PathBuf)> {
    let prepared = Prepared::new(way, count)?;
    let trace = prepared.scratch.path("trace");
    let mut command = prepared.scratch.command("strace");
    let calls = "trace=fsync,fdatasync,sync_file_range,syncfs,msync,sync,execve";
    command.args(["-f", "-qq", "-e", calls, "-o"]).arg(&trace);
    command.arg(&prepared.program).args(&prepared.arguments);
    run(&mut command, 0)?;
    Ok((prepared.scratch, trace))
}

fn lines(file: &Path, counts: impl Fn(&str) -> bool) -> BenchResult<f64> {
    let text = String::from_utf8_lossy(&fs_err::read(file)?).into_owned();
    let count = text.lines().filter(|line| counts(line)).count();
    Ok(f64::from(u32::try_from(count)?))
}
