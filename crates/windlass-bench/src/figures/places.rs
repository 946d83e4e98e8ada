//! What a place costs on the disk, and how long a start and a step take, in a repository with many
//! files and a large history.
//!
//! The repository is made here: most of its history is random bytes that no compression makes smaller
//! and that no file of the last commit has.

use std::io::{BufWriter, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Instant, SystemTime};

use crate::measure::{median, milliseconds, run, say};
use crate::scratch::{Criterion, Medium, Scratch, Windlass, chain};
use crate::table::{Figure, Unit};
use crate::{BenchResult, Effort};

/// What the design allows: a place for each file of the tree, and a fifth for all else.
const PLACE_BOUND: f64 = 1.2;

/// By how much a start may be slower than `git worktree add`.
const START_BOUND_MS: f64 = 1000.0;

/// Leaves a file, by whose time it is known when the agent began.
const AGENT: &str = "echo $WINDLASS_RUN > $WINDLASS_STEP.txt";

/// How many steps the cost of one is averaged over.
const STEPS: u32 = 5;

/// Bytes of one file of the tree, and of one of the history.
const FILE_BYTES: usize = 3000;
const ASSET_BYTES: usize = 2 << 20;

/// How much is in the repository.
struct Shape {
    files: usize,
    assets: usize,
}

pub(super) fn measure(windlass: &Windlass, effort: Effort) -> BenchResult<Vec<Figure>> {
    let shape =
        effort.pick(Shape { files: 2_000, assets: 25 }, Shape { files: 20_000, assets: 250 });
    let scratch = Scratch::new(Medium::Disk)?;
    make_repository(&scratch, &shape)?;
    let packs = used(&scratch.path("repository/.git/objects"))?;
    let tree = used(&scratch.path("repository"))? - used(&scratch.path("repository/.git"))?;
    say(&format!("a repository with {} files and {packs:.0} MiB of packs", shape.files));

    // The first run of a repository makes windlass's own one.
    let first = goes_through(&scratch, windlass, 1)?;
    let place = place_of_last_run(&scratch, windlass)?;
    let size = used(&place)?;
    let (mut starts, mut steps, mut worktrees) = (Vec::new(), Vec::new(), Vec::new());
    for number in 0..effort.pick(1, 5) {
        worktrees.push(worktree(&scratch, number)?);
        let short = goes_through(&scratch, windlass, 1)?;
        let long = goes_through(&scratch, windlass, 1 + STEPS)?;
        starts.extend([short.start, long.start]);
        steps.push((long.whole - short.whole) / f64::from(STEPS));
        run(scratch.command(&windlass.exe).args(["place", "prune"]), 0)?;
    }
    let (start, worktree) = (median(starts), median(worktrees));
    let files = shape.files;
    Ok(vec![
        Figure::new(
            format!("places: a place ({files} files, {packs:.0} MiB of history)"),
            Unit::Mebibytes,
            size,
        )
        .beside("working tree", tree)
        .at_most(tree * PLACE_BOUND),
        Figure::new("places: a start", Unit::Milliseconds, start)
            .beside("`git worktree add`", worktree)
            .at_most(worktree + START_BOUND_MS),
        Figure::new("places: the first start in a repository", Unit::Milliseconds, first.start)
            .beside("`git worktree add`", worktree),
        Figure::new("places: wall time per step", Unit::Milliseconds, median(steps)),
    ])
}

/// How long a run took, in milliseconds.
struct Took {
    /// Until its first agent began.
    start: f64,
    whole: f64,
}

/// Takes a run through some steps. What its agents write is different in every run: checks that passed
/// on the same files are not made again.
fn goes_through(scratch: &Scratch, windlass: &Windlass, steps: u32) -> BenchResult<Took> {
    let workflow = scratch.workflow(&chain(usize::try_from(steps)?, Criterion::Command, ""))?;
    let mut command = scratch.command(&windlass.exe);
    command.args(["run", "measure", "--workflow"]).arg(&workflow);
    command.args(["--agent-command", AGENT]);
    let (begun, clock) = (Instant::now(), SystemTime::now());
    run(&mut command, 0)?;
    let whole = milliseconds(begun.elapsed());
    let first = place_of_last_run(scratch, windlass)?.join("s1.txt");
    let start = milliseconds(fs_err::metadata(first)?.modified()?.duration_since(clock)?);
    Ok(Took { start, whole })
}

/// Returns how long git takes to check the same files out a second time.
fn worktree(scratch: &Scratch, number: usize) -> BenchResult<f64> {
    let (name, branch) = (format!("../worktree-{number}"), format!("worktree-{number}"));
    let begun = Instant::now();
    run(scratch.command("git").args(["worktree", "add", "-q", "-b", &branch, &name]), 0)?;
    let took = milliseconds(begun.elapsed());
    run(scratch.command("git").args(["worktree", "remove", "--force", &name]), 0)?;
    Ok(took)
}

fn place_of_last_run(scratch: &Scratch, windlass: &Windlass) -> BenchResult<PathBuf> {
    let output = scratch.command(&windlass.exe).arg("place").output()?;
    Ok(PathBuf::from(String::from_utf8(output.stdout)?.trim_end()))
}

/// Returns what a folder uses on the disk, in MiB.
fn used(folder: &Path) -> BenchResult<f64> {
    let (mut folders, mut blocks) = (vec![folder.to_owned()], 0);
    while let Some(folder) = folders.pop() {
        for entry in fs_err::read_dir(folder)? {
            let entry = entry?;
            let metadata = entry.metadata()?;
            blocks += metadata.blocks();
            if metadata.is_dir() {
                folders.push(entry.path());
            }
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
    let mebibytes = blocks as f64 / 2048.0;
    Ok(mebibytes)
}

/// Fills the repository by one stream of commits.
fn make_repository(scratch: &Scratch, shape: &Shape) -> BenchResult<()> {
    let mut import = scratch
        .command("git")
        .args(["fast-import", "--quiet", "--force", "--depth=0"])
        .stdin(Stdio::piped())
        .spawn()?;
    let mut stream = BufWriter::new(import.stdin.take().ok_or("git takes no input")?);
    let mut noise = Noise(0x9e37_79b9_7f4a_7c15);
    commit(&mut stream, "the files")?;
    for number in 0..shape.files {
        let (folder, name) = (number / 100, number % 100);
        let text = noise.text(FILE_BYTES);
        file(&mut stream, &format!("src/part{folder}/file{name}.txt"), &text)?;
    }
    for number in 0..shape.assets {
        commit(&mut stream, &format!("asset {number}"))?;
        file(&mut stream, "asset.bin", &noise.bytes(ASSET_BYTES))?;
    }
    commit(&mut stream, "no asset any more")?;
    writeln!(stream, "D asset.bin")?;
    stream.flush()?;
    drop(stream);
    if !import.wait()?.success() {
        return Err("git could not import the repository".into());
    }
    run(scratch.command("git").args(["reset", "-q", "--hard"]), 0)
}

fn commit(stream: &mut impl std::io::Write, message: &str) -> BenchResult<()> {
    writeln!(stream, "commit refs/heads/main")?;
    writeln!(stream, "committer Bench <bench@example.org> 1700000000 +0000")?;
    Ok(writeln!(stream, "data {}\n{message}", message.len())?)
}

fn file(stream: &mut impl std::io::Write, path: &str, content: &[u8]) -> BenchResult<()> {
    writeln!(stream, "M 100644 inline {path}\ndata {}", content.len())?;
    stream.write_all(content)?;
    Ok(writeln!(stream)?)
}

/// Bytes that nothing makes smaller, the same in every run.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        let mut bytes: Vec<u8> =
            (0..count.div_ceil(8)).flat_map(|_| self.next().to_le_bytes()).collect();
        bytes.truncate(count);
        bytes
    }

    /// Lines of text, about as large as source files are.
    fn text(&mut self, count: usize) -> Vec<u8> {
        let mut text = String::new();
        while text.len() < count {
            text.push_str(&format!("let value_{:x} = {};\n", self.next() & 0xffff, self.next()));
        }
        text.into_bytes()
    }
}
