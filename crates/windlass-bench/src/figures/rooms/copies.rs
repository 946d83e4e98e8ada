//! Copying ignored folders when a run begins, and removing what a command wrote.

use std::path::Path;

use windlass_core::config::Confinement;
use windlass_engine::room::{Below, wait_until_swept};

use super::in_room;
use super::project::Project;
use crate::measure::{median, milliseconds, run, time};
use crate::scratch::Windlass;
use crate::table::{Figure, Unit};
use crate::{BenchResult, Effort};

/// How many small files an ignored folder has.
const FILES: usize = 10_000;

pub(super) fn measure(windlass: &Windlass, effort: Effort) -> BenchResult<Vec<Figure>> {
    let copied = beginning("build", "-a", windlass, effort)?;
    let linked = beginning("node_modules", "-al", windlass, effort)?;
    let mut figures = Vec::new();
    for (what, (ours, by_cp), with) in
        [("copied", copied, "`cp -a`"), ("hard-linked", linked, "`cp -al`")]
    {
        let name = format!("copies: {FILES} ignored files, {what}");
        figures.push(Figure::new(name, Unit::Milliseconds, ours).beside(with, by_cp));
    }
    figures.extend(swept(windlass, effort)?);
    Ok(figures)
}

fn fill(folder: &Path) -> BenchResult<()> {
    for number in 0..FILES {
        let inside = folder.join(format!("part{}", number % 100));
        fs_err::create_dir_all(&inside)?;
        fs_err::write(inside.join(format!("{number}.o")), number.to_string().repeat(200))?;
    }
    Ok(())
}

/// The layers of a run with one ignored folder, less those of a run without; and `cp` of the folder.
fn beginning(
    name: &str,
    flags: &str,
    windlass: &Windlass,
    effort: Effort,
) -> BenchResult<(f64, f64)> {
    let ignore =
        |folder: &Path| Ok(fs_err::write(folder.join(".gitignore"), format!("{name}/\n"))?);
    let (mut with, mut without, mut by_cp) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..effort.pick(1, 5) {
        let bare = Project::new(windlass, ignore)?;
        without.push(time(1, || bare.begin(0))?);
        let full = Project::new(windlass, ignore)?;
        fill(&full.scratch.path("repository").join(name))?;
        with.push(time(1, || full.begin(Confinement::COPY_LIMIT.0))?);
        let mut cp = full.scratch.command("cp");
        cp.arg(flags).args([name, "../copy"]);
        by_cp.push(time(1, || run(&mut cp, 0))?);
    }
    Ok((median(with) - median(without), median(by_cp)))
}

/// What the answer waits for when a room with many files goes, and how long removing them takes.
fn swept(windlass: &Windlass, effort: Effort) -> BenchResult<[Figure; 2]> {
    let project =
        Project::new(windlass, |folder| Ok(fs_err::write(folder.join("file.txt"), "one\n")?))?;
    project.begin(0)?;
    let script = format!(
        "mkdir d && cd d && i=0; while [ $i -lt {FILES} ]; do echo $i > $i; i=$((i+1)); done"
    );
    let (mut answer, mut gone, mut by_rm) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..effort.pick(1, 5) {
        let room = project.rooms.open(&project.base, &Below { warm: true, ..Below::default() })?;
        in_room(&project, &room, &["/bin/sh", "-c", &script])?;
        let begun = std::time::Instant::now();
        drop(room);
        answer.push(milliseconds(begun.elapsed()));
        gone.push(time(1, || {
            wait_until_swept();
            Ok(())
        })?);
        let mut make = project.scratch.command("sh");
        run(make.current_dir(project.scratch.path("tmp")).args(["-c", &script]), 0)?;
        let mut rm = project.scratch.command("rm");
        rm.arg("-r").arg(project.scratch.path("tmp/d"));
        by_rm.push(time(1, || run(&mut rm, 0))?);
    }
    let by_rm = median(by_rm);
    let name = |what: &str| format!("sweeper: {FILES} written files, {what}");
    Ok([
        Figure::new(name("before the answer"), Unit::Milliseconds, median(answer))
            .beside("`rm -r`", by_rm),
        Figure::new(name("after it"), Unit::Milliseconds, median(gone)).beside("`rm -r`", by_rm),
    ])
}
