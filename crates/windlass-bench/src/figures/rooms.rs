//! What a room and a box cost over their command, what a run pays once, and what removing costs.

mod copies;
mod project;
mod rust;

use std::path::Path;
use std::process::{Command, Stdio};

use windlass_engine::launcher::LaunchPolicy;
use windlass_engine::launcher::view::{Mount, Rights, Upper, View, ViewNetwork};
use windlass_engine::process::{LauncherCommand, spawn};
use windlass_engine::room::{Below, Room, spread, wait_until_swept};

use self::project::Project;
use crate::measure::{median, time};
use crate::scratch::Windlass;
use crate::table::{Figure, Unit};
use crate::{BenchResult, Effort};

/// What the design allows over the command itself, in milliseconds.
const ROOM: f64 = 30.0;
const FIRST_CHECK: f64 = 100.0;
const ONCE: f64 = 2000.0;
const BOX: f64 = 25.0;

/// A repository of a usual size.
const TRACKED: usize = 7000;

/// How many files a snapshot changes.
const CHANGED: usize = 10;

pub(super) fn measure(windlass: &Windlass, effort: Effort) -> BenchResult<Vec<Figure>> {
    let project = Project::new(windlass, |folder| many_files(folder, TRACKED))?;
    let mut figures = Vec::new();
    if !project.has_namespaces() {
        crate::measure::say("rooms: no namespaces here, so these are the figures of copies");
    }
    figures.push(once(&project)?);
    figures.extend(commands(&project, windlass, effort)?);
    figures.push(first_checks(&project, effort)?);
    figures.extend(copies::measure(windlass, effort)?);
    figures.extend(rust::measure(windlass, effort)?);
    Ok(figures)
}

fn many_files(folder: &Path, count: usize) -> BenchResult<()> {
    for number in 0..count {
        let inside = folder.join(format!("src/part{}", number % 70));
        fs_err::create_dir_all(&inside)?;
        fs_err::write(inside.join(format!("file{number}.txt")), format!("{number}\n").repeat(40))?;
    }
    Ok(())
}

/// What a run pays once: the base tree as a layer, beside a plain clone of the same commit.
fn once(project: &Project) -> BenchResult<Figure> {
    let ours = time(1, || project.begin(0).map(|_| ()))?;
    let target = project.scratch.path("clone");
    let mut git = project.scratch.command("git");
    git.args(["clone", "-q", "--shared", "."]).arg(&target);
    let clone = time(1, || crate::measure::run(&mut git, 0))?;
    fs_err::remove_dir_all(&target)?;
    let name = format!("room: once per run ({TRACKED} tracked files)");
    Ok(Figure::new(name, Unit::Milliseconds, ours)
        .beside("`git clone --shared`", clone)
        .at_most(ONCE))
}

/// A room and a box around `/bin/true`, in turn with the command alone.
fn commands(project: &Project, windlass: &Windlass, effort: Effort) -> BenchResult<[Figure; 2]> {
    let (mut plain, mut rooms, mut boxes) = (Vec::new(), Vec::new(), Vec::new());
    let below = Below { warm: true, ..Below::default() };
    drop(project.rooms.open(&project.base, &below)?);
    for _ in 0..effort.pick(10, 100) {
        plain.push(time(1, || {
            Command::new("/bin/true").stdin(Stdio::null()).status()?;
            Ok(())
        })?);
        rooms.push(time(1, || {
            let room = project.rooms.open(&project.base, &below)?;
            in_room(project, &room, &["/bin/true"])
        })?);
        boxes.push(in_box(project, windlass)?);
        wait_until_swept();
    }
    let plain = median(plain);
    let over = |name: &str, times: Vec<f64>, bound: f64| {
        Figure::new(name, Unit::Milliseconds, median(times))
            .beside("/bin/true", plain)
            .at_most(plain + bound)
    };
    Ok([
        over("room: /bin/true, from making it to the answer", rooms, ROOM),
        over("box: /bin/true, from making it to the report", boxes, BOX),
    ])
}

/// The first check of each snapshot: its layer is made from what it changes.
fn first_checks(project: &Project, effort: Effort) -> BenchResult<Figure> {
    let (mut first, mut again) = (Vec::new(), Vec::new());
    let below = Below { warm: true, ..Below::default() };
    for number in 0..effort.pick(3, 20) {
        for file in 0..CHANGED {
            let path = format!("src/part{file}/file{file}.txt");
            fs_err::write(project.scratch.path("repository").join(path), format!("{number}\n"))?;
        }
        let code = project.commit()?;
        for times in [&mut first, &mut again] {
            times.push(time(1, || {
                let room = project.rooms.open(&code, &below)?;
                in_room(project, &room, &["/bin/true"])
            })?);
            wait_until_swept();
        }
    }
    let again = median(again);
    let name = format!("room: first check of a snapshot ({CHANGED} changed files)");
    Ok(Figure::new(name, Unit::Milliseconds, median(first))
        .beside("second check of it", again)
        .at_most(FIRST_CHECK))
}

/// Runs a command in a room, as a check does.
fn in_room(project: &Project, room: &Room, argv: &[&str]) -> BenchResult<()> {
    let output = project.scratch.path("tmp/output");
    let argv = argv.iter().map(|word| (*word).to_owned()).collect();
    let mut policy = LaunchPolicy::new(argv, room.root().to_owned(), output);
    policy.env.clone_from(&project.site.env);
    if project.has_namespaces() {
        policy.view = Some(project.rooms.view(room, ViewNetwork::Own, Rights::Users, &[])?);
    }
    launched(project, &policy)
}

fn launched(project: &Project, policy: &LaunchPolicy) -> BenchResult<()> {
    let report = spawn(&LauncherCommand::new(&project.site.exe), policy)?.wait();
    let ended = report.outcome;
    if ended == (windlass_core::proof::Outcome::Exited { code: 0 }) {
        return Ok(());
    }
    let said = fs_err::read_to_string(&policy.stdout).unwrap_or_default();
    Err(format!("{:?} ended with {ended:?}:\n{said}", policy.argv).into())
}

/// A box with all that one has: tools by list, the place at the path of the checkout, no rights.
fn in_box(project: &Project, windlass: &Windlass) -> BenchResult<f64> {
    let attempts = project.scratch.path("tmp/attempts");
    fs_err::create_dir_all(&attempts)?;
    spread(&attempts);
    let folder = tempfile::tempdir_in(attempts)?;
    let (dir, place) = (folder.path().canonicalize()?, project.scratch.path("repository"));
    let mut argv = LaunchPolicy::new(
        vec!["/bin/true".to_owned()],
        place.clone(),
        project.scratch.path("tmp/output"),
    );
    argv.env.clone_from(&project.site.env);
    let took = time(1, || {
        // A driver looks for it once, for its rooms and its boxes.
        let mut mounts = project.rooms.exposed().mounts(&dir.join("home"), &[])?;
        mounts.push(Mount::Writable { from: place.clone(), to: place.clone() });
        let exe = windlass.exe.canonicalize()?;
        mounts.push(Mount::ReadOnly { from: exe, to: "/run/windlass".into() });
        let writes = Upper::below(&dir.join("root"), true);
        writes.make()?;
        fs_err::create_dir_all(dir.join("stage"))?;
        let (stage, network) = (dir.join("stage"), ViewNetwork::Host);
        if project.has_namespaces() {
            argv.view = Some(View { stage, writes, mounts, network, rights: Rights::None });
        }
        launched(project, &argv)
    })?;
    // What overlayfs leaves of its work folders has no rights at all.
    project::make_removable(&dir)?;
    Ok(took)
}
