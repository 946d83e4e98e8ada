//! A warm check of an incremental Rust project: in a room, beside the same command in a checkout.
//!
//! In processor time, because a machine that does something else meanwhile stretches the clock.

use std::path::Path;
use std::process::{Command, Stdio};

use windlass_core::config::Confinement;
use windlass_engine::room::{Below, wait_until_swept};

use super::in_room;
use super::project::Project;
use crate::measure::{median, run};
use crate::scratch::Windlass;
use crate::table::{Figure, Unit};
use crate::{BenchResult, Effort};

/// How much processor time a check in a room may take, in times of the checkout's.
const BOUND: f64 = 1.2;

/// How many modules the project has.
const MODULES: usize = 150;

/// What Linux counts processor time in, in milliseconds, whatever the kernel's own clock is.
const TICK: f64 = 10.0;

const TEST: [&str; 5] = ["cargo", "test", "--quiet", "--offline", "--lib"];

pub(super) fn measure(windlass: &Windlass, effort: Effort) -> BenchResult<Vec<Figure>> {
    let name = "room: warm `cargo test` of a changed project, CPU time";
    let there = Command::new("cargo").arg("--version").stdout(Stdio::null()).status();
    if !there.is_ok_and(|status| status.success()) {
        return Ok(vec![Figure::not_counted(name)]);
    }
    let project = Project::new(windlass, write_project)?;
    run(&mut in_checkout(&project), 0)?;
    project.begin(Confinement::COPY_LIMIT.0)?;
    let below = Below { warm: true, ..Below::default() };
    let room = project.rooms.open(&project.base, &below)?;
    in_room(&project, &room, &TEST)?;
    project.rooms.keep_warm(room, &|path| path.starts_with("target"))?;
    let (mut rooms, mut checkout) = (Vec::new(), Vec::new());
    for number in 0..effort.pick(2, 9) {
        write_module(&project.scratch.path("repository"), 0, number + 1)?;
        let code = project.commit()?;
        checkout.push(cpu_time(|| run(&mut in_checkout(&project), 0))?);
        rooms.push(cpu_time(|| {
            let room = project.rooms.open(&code, &below)?;
            in_room(&project, &room, &TEST)
        })?);
        wait_until_swept();
    }
    let checkout = median(checkout);
    Ok(vec![
        Figure::new(name, Unit::Milliseconds, median(rooms))
            .beside("in the checkout", checkout)
            .at_most(BOUND * checkout),
    ])
}

/// The command in the checkout, with the environment that checks have.
fn in_checkout(project: &Project) -> Command {
    let mut command = Command::new(TEST[0]);
    command.env_clear().envs(project.site.env.iter().cloned());
    command.args(&TEST[1..]).current_dir(project.scratch.path("repository"));
    command
}

/// Returns the processor time of all processes that `act` starts and of this one, in milliseconds.
fn cpu_time(act: impl FnOnce() -> BenchResult<()>) -> BenchResult<f64> {
    let before = used()?;
    act()?;
    Ok(used()? - before)
}

/// User and system time of this process and of all that it waited for.
fn used() -> BenchResult<f64> {
    let stat = fs_err::read_to_string("/proc/self/stat")?;
    let (_, rest) = stat.rsplit_once(')').ok_or("/proc/self/stat is unreadable")?;
    let ticks: u64 = rest
        .split_whitespace()
        .skip(11)
        .take(4)
        .map(|number| number.parse::<u64>().unwrap_or(0))
        .sum();
    Ok(f64::from(u32::try_from(ticks)?) * TICK)
}

fn write_project(folder: &Path) -> BenchResult<()> {
    fs_err::write(
        folder.join("Cargo.toml"),
        "[package]\nname = \"measured\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    )?;
    fs_err::write(
        folder.join("Cargo.lock"),
        "version = 3\n\n[[package]]\nname = \"measured\"\nversion = \"0.1.0\"\n",
    )?;
    fs_err::write(folder.join(".gitignore"), "target/\n")?;
    fs_err::create_dir(folder.join("src"))?;
    let modules: String = (0..MODULES).map(|number| format!("pub mod m{number};\n")).collect();
    fs_err::write(folder.join("src/lib.rs"), modules)?;
    (0..MODULES).try_for_each(|number| write_module(folder, number, 0))
}

fn write_module(folder: &Path, number: usize, version: usize) -> BenchResult<()> {
    let mut text = String::new();
    for function in 0..20 {
        text.push_str(&format!(
            "pub fn f{function}(words: &[String]) -> usize {{\n    \
             words.iter().map(|word| word.len() + {version} + {function}).sum()\n}}\n"
        ));
    }
    text.push_str(
        "#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds() {\n        \
                   assert_eq!(super::f0(&[]), 0);\n    }\n}\n",
    );
    Ok(fs_err::write(folder.join(format!("src/m{number}.rs")), text)?)
}
