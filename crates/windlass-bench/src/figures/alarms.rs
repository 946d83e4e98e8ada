//! How often a gate would open for ordinary work: commits of public repositories, replayed as steps.
//!
//! Each of the last commits of a repository, along its first parents, is taken for a step: the tree of its
//! parent is what the step began with, its own tree what it left. The plan is a real one, for the platforms
//! that are detected in the parent, with what is found by the words of its commands, and the engine's own
//! function says what a person would be asked about. An alarm is a gate of its own: a question that stops the
//! step at once. What waits for the next gate (CI files, settings of linters) opens none and is counted apart.
//! People changed these files for good reasons, so every alarm counts as a false one; that is more than there
//! are, because some commits are about nothing but how the work is judged.
//!
//! Two kinds of commits are no step of an agent, so the bound is for the others: those that a bot made
//! (updates of dependencies and of CI actions), and those that change nothing but CI files. Both figures are
//! printed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use windlass_core::id::ObjectId;
use windlass_core::judges::{Files, MAX_SCRIPT_BYTES, find};
use windlass_core::plan::{Plan, PlanRequest};
use windlass_core::platform::{Listing, Pack, PinnedPlatform, Wanted, detect, texts_wanted};
use windlass_core::protect::{Asked, Protected};
use windlass_core::workflow::Workflow;
use windlass_engine::git::{BaseFiles, Bounds, EngineRepository, TreePath, UserRepository};
use windlass_engine::verify::protected_between;

use crate::measure::{run, say};
use crate::scratch::{Medium, Scratch, Windlass};
use crate::table::{Figure, Unit};
use crate::{BenchResult, Effort};

/// At most one gate in twenty commits, in percent.
const BOUND: f64 = 5.0;

/// A step that its platform proves.
const WORKFLOW: &str = "workflow: replayed\nplatform: detect\nsteps:\n  \
    - {id: work, agent: a, task: Do it., done: [{platform: build}, {platform: test}, {platform: lint}]}\n";

/// The same where no platform is found.
const WITHOUT: &str = "workflow: replayed\nsteps:\n  \
    - {id: work, agent: a, task: Do it., done: {diff: any}}\n";

/// The largest file that is looked into to find a platform.
const MAX_TEXT_BYTES: usize = 256 << 10;

/// What came of one repository.
#[derive(Debug, Default)]
struct Replayed {
    /// The platforms of its newest step.
    platforms: Vec<String>,
    steps: usize,
    /// Commits by bots, and commits of nothing but CI files.
    no_steps: usize,
    alarms: Vec<Alarm>,
    /// Steps of agents, or like them, that ask nothing at once and something at the next gate.
    shown_later: usize,
}

/// Files of continuous integration, and of the bots that update it.
const CI: [&str; 8] = [
    ".github/",
    ".circleci/",
    ".gitlab-ci",
    ".travis.yml",
    ".pre-commit-config.yaml",
    "appveyor.yml",
    ".appveyor.yml",
    "azure-pipelines",
];

/// A step that would have asked a person.
#[derive(Debug)]
struct Alarm {
    commit: ObjectId,
    /// What about.
    about: Vec<String>,
    /// Whether rules of packs ask, and not only those that always hold.
    by_packs: bool,
    /// Whether the commit changes something else as well.
    beside_work: bool,
    /// Whether no agent's step is like it.
    no_step: bool,
}

/// A kind of alarm, and what belongs to it.
type Part = (&'static str, fn(&Alarm) -> bool);

pub(super) fn measure(
    windlass: &Windlass,
    effort: Effort,
    repositories: Option<&Path>,
) -> BenchResult<Vec<Figure>> {
    let folder = repositories.ok_or("alarms needs a folder of repositories: `--repos DIR`")?;
    let (scratch, commits) = (Scratch::new(Medium::Disk)?, effort.pick(10, 100));
    let packs = packs(windlass, &scratch)?;
    let (mut figures, mut steps, mut no_steps, mut alarms) = (Vec::new(), 0, 0, Vec::new());
    let mut shown_later = 0;
    let mut causes: BTreeMap<String, usize> = BTreeMap::new();
    for (name, git) in git_folders(folder)? {
        let replayed = replay(&scratch, &name, &git, &packs, commits)?;
        for alarm in &replayed.alarms {
            let short = alarm.commit.as_str().get(..10).unwrap_or_default();
            let kind = if alarm.no_step { "alarm (bot or CI only)" } else { "alarm" };
            say(&format!("{kind}: {name} {short}: {}", alarm.about.join(", ")));
            for path in alarm.about.iter().filter(|_| !alarm.no_step) {
                *causes.entry(path.clone()).or_default() += 1;
            }
        }
        steps += replayed.steps;
        no_steps += replayed.no_steps;
        let platforms = replayed.platforms.join(", ");
        let (all, own) = (replayed.steps, replayed.steps - replayed.no_steps);
        let own_alarms = replayed.alarms.iter().filter(|alarm| !alarm.no_step).count();
        figures.push(rate(
            format!("{name} ({platforms}): all {all} commits"),
            replayed.alarms.len(),
            all,
        ));
        figures.push(rate(format!("{name}: {own} without bots and CI only"), own_alarms, own));
        shown_later += replayed.shown_later;
        alarms.extend(replayed.alarms);
    }
    let mut causes: Vec<_> = causes.into_iter().collect();
    causes.sort_by_key(|(path, count)| (std::cmp::Reverse(*count), path.clone()));
    for (path, count) in causes {
        say(&format!("cause: {count} x {path}"));
    }
    // Of one repository the rate may be anything: some live from their settings. The bound is for all of
    // them together; the rows below it only say where the alarms come from.
    figures.push(rate(format!("all together: all {steps} commits"), alarms.len(), steps));
    alarms.retain(|alarm| !alarm.no_step);
    steps -= no_steps;
    let title = format!("all together: {steps} without bots and CI only");
    figures.push(rate(title, alarms.len(), steps).at_most(BOUND));
    let title = "no alarm, but something to show at the next gate".to_owned();
    figures.push(rate(title, shown_later, steps));
    let parts: [Part; 4] = [
        ("rules of packs ask", |alarm| alarm.by_packs),
        ("only rules that always hold ask", |alarm| !alarm.by_packs),
        ("the commit changes something else too", |alarm| alarm.beside_work),
        ("both of: packs ask, and something else", |alarm| alarm.by_packs && alarm.beside_work),
    ];
    for (what, belongs) in parts {
        let count = alarms.iter().filter(|alarm| belongs(alarm)).count();
        figures.push(rate(format!("of these: {what}"), count, steps));
    }
    Ok(figures)
}

#[expect(clippy::cast_precision_loss, reason = "there are hundreds")]
fn rate(title: String, alarms: usize, steps: usize) -> Figure {
    Figure::new(title, Unit::Percent, alarms as f64 * 100.0 / (steps.max(1)) as f64)
}

/// Asks the real program for its packs.
fn packs(windlass: &Windlass, scratch: &Scratch) -> BenchResult<Vec<Pack>> {
    let ask = |words: &[&str]| -> BenchResult<String> {
        let output = scratch.command(&windlass.exe).args(words).output()?;
        Ok(String::from_utf8(output.stdout)?)
    };
    let mut packs = Vec::new();
    for line in ask(&["platform", "list", "--json"])?.lines() {
        let listed: serde_json::Value = serde_json::from_str(line)?;
        let name = listed["name"].as_str().ok_or("a platform without a name")?;
        let shown: serde_json::Value =
            serde_json::from_str(&ask(&["platform", "show", name, "--json"])?)?;
        packs.push(serde_json::from_value(shown["pack"].clone())?);
    }
    Ok(packs)
}

/// Finds repositories in a folder: bare ones, checkouts, and folders with a bare one inside.
fn git_folders(folder: &Path) -> BenchResult<Vec<(String, PathBuf)>> {
    let mut found = Vec::new();
    for entry in fs_err::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let inside = [path.clone(), path.join(".git"), path.join("repo")];
        let is_git = |path: &&PathBuf| path.join("HEAD").is_file() && path.join("objects").is_dir();
        found.extend(inside.iter().find(is_git).map(|git| (name, git.clone())));
    }
    found.sort();
    Ok(found)
}

/// Replays the last commits of a repository.
fn replay(
    scratch: &Scratch,
    name: &str,
    git: &Path,
    packs: &[Pack],
    commits: usize,
) -> BenchResult<Replayed> {
    let clone = scratch.path(&format!("clone-{name}"));
    let mut command = scratch.command("git");
    command.args(["clone", "--quiet", "--shared", "--no-checkout"]).arg(git).arg(&clone);
    run(&mut command, 0)?;
    let user = UserRepository::discover(&clone)?;
    let engine = EngineRepository::open_or_create(&scratch.path(&format!("engine-{name}")), &user)?;
    let mut command = scratch.command("git");
    let most = format!("--max-count={}", commits + 1);
    command.arg("-C").arg(&clone).args(["rev-list", "--first-parent", &most, "HEAD"]);
    let listed = String::from_utf8(command.output()?.stdout)?;
    let listed: Vec<ObjectId> = listed.lines().map(ObjectId::new).collect();
    let mut replayed = Replayed::default();
    for pair in listed.windows(2) {
        let [commit, parent] = pair else { continue };
        let platforms = platforms(&engine, packs, parent)?;
        if replayed.steps == 0 {
            replayed.platforms = platforms.iter().map(PinnedPlatform::called).collect();
        }
        let rules = rules(&clone, platforms, packs, parent)?;
        let mut asked = protected_between(&engine, &rules, parent, commit)?;
        let all = asked.len();
        asked.retain(|found| found.asked == Asked::AtOnce);
        replayed.steps += 1;
        let no_step = is_by_bot(scratch, &clone, commit)? || is_ci_only(&engine, parent, commit)?;
        replayed.no_steps += usize::from(no_step);
        replayed.shown_later += usize::from(asked.is_empty() && all > 0 && !no_step);
        if !asked.is_empty() {
            let mut always = protected_between(&engine, &[], parent, commit)?;
            always.retain(|found| found.asked == Asked::AtOnce);
            let always = always.len();
            let (by_packs, changed) = (asked.len() > always, engine.diff(parent, commit)?.len());
            let beside_work = changed > all;
            let about = asked.into_iter().map(|found| found.change.called());
            let (commit, about) = (commit.clone(), about.collect());
            replayed.alarms.push(Alarm { commit, about, by_packs, beside_work, no_step });
        }
    }
    Ok(replayed)
}

/// Finds what a tree is built with; nothing where that is not clear.
fn platforms(
    engine: &EngineRepository,
    packs: &[Pack],
    tree: &ObjectId,
) -> BenchResult<Vec<PinnedPlatform>> {
    let everything = globset::GlobSetBuilder::new().add(globset::Glob::new("**")?).build()?;
    let files = engine.ls_tree(tree, &everything)?;
    let mut listing = Listing::new(files.iter().map(|(path, _)| path.to_string()));
    for file in texts_wanted(packs, &listing) {
        let text = engine.read_blob(tree, &TreePath::new(file.clone().into_bytes()))?;
        if let Some(text) = text.filter(|text| text.len() <= MAX_TEXT_BYTES) {
            listing.add_text(file, String::from_utf8_lossy(&text).into_owned());
        }
    }
    let detection = detect(packs, &listing, &Wanted::default());
    Ok(detection.pin(packs, &listing).unwrap_or_default())
}

fn is_by_bot(scratch: &Scratch, clone: &Path, commit: &ObjectId) -> BenchResult<bool> {
    let mut command = scratch.command("git");
    command.arg("-C").arg(clone).args(["show", "-s", "--format=%an", commit.as_str()]);
    // What a bot wrote and a person merged is one commit more, with the person's name.
    let mut merged = scratch.command("git");
    let second = format!("{commit}^2");
    merged.arg("-C").arg(clone).args(["show", "-s", "--format=%an", &second]);
    let is_bot = |name: &[u8]| String::from_utf8_lossy(name).trim().ends_with("[bot]");
    Ok(is_bot(&command.output()?.stdout) || is_bot(&merged.output()?.stdout))
}

fn is_ci_only(
    engine: &EngineRepository,
    parent: &ObjectId,
    commit: &ObjectId,
) -> BenchResult<bool> {
    let changes = engine.diff(parent, commit)?;
    let is_ci = |path: String| CI.iter().any(|ci| path.starts_with(ci));
    Ok(!changes.is_empty() && changes.iter().all(|change| is_ci(change.path.to_string())))
}

/// Finds in a commit what its commands run, as the program does before a run.
fn found(clone: &Path, commit: &ObjectId, packs: &[Pack], plan: &mut Plan) -> BenchResult<()> {
    let base = BaseFiles::of(clone, commit.as_str())?.ok_or("a commit without files")?;
    let mut files = Files { paths: base.paths(), links: base.links().clone(), ..Files::default() };
    loop {
        let found = find(plan, &files, packs);
        let known =
            |path: &&String| files.texts.contains_key(*path) || files.unread.contains(*path);
        let wanted: Vec<String> = found.wants.iter().filter(|path| !known(path)).cloned().collect();
        if wanted.is_empty() {
            plan.take_found(found);
            return Ok(());
        }
        let bounds = Bounds { files: 2_000, each: MAX_SCRIPT_BYTES, all: 16 << 20 };
        let texts = base.texts(&wanted, bounds)?;
        files.unread.extend(wanted.into_iter().filter(|path| !texts.contains_key(path)));
        files.texts.extend(texts);
    }
}

/// What a plan for these platforms protects.
fn rules(
    clone: &Path,
    platforms: Vec<PinnedPlatform>,
    packs: &[Pack],
    parent: &ObjectId,
) -> BenchResult<Vec<Protected>> {
    let text = if platforms.is_empty() { WITHOUT } else { WORKFLOW };
    let workflow = Workflow::parse(text, "replayed.yaml").map_err(|wrong| format!("{wrong:?}"))?;
    let request = PlanRequest { goal: "Do it".to_owned(), platforms, ..PlanRequest::default() };
    let mut plan = workflow.plan(request).map_err(|wrong| format!("{wrong:?}"))?;
    found(clone, parent, packs, &mut plan)?;
    Ok(plan.protect)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_counts_once_however_much_it_would_ask_about() {
        let scratch = Scratch::new(Medium::Disk).unwrap();
        let repository = scratch.path("repository");
        for (file, more) in
            [("src/a.txt", None), (".github/workflows/ci.yml", Some("AGENTS.md")), ("b.txt", None)]
        {
            for file in [Some(file), more].into_iter().flatten() {
                fs_err::create_dir_all(repository.join(file).parent().unwrap()).unwrap();
                fs_err::write(repository.join(file), "x").unwrap();
            }
            run(scratch.command("git").args(["add", "-A"]), 0).unwrap();
            run(scratch.command("git").args(["commit", "-qm", file, "--no-gpg-sign"]), 0).unwrap();
        }
        let found = git_folders(&scratch.path("")).unwrap();
        assert_eq!(found, [("repository".to_owned(), repository.join(".git"))]);
        let replayed = replay(&scratch, "x", &found[0].1, &[], 100).unwrap();
        assert_eq!((replayed.steps, replayed.alarms.len()), (3, 1), "{replayed:?}");
        let alarm = &replayed.alarms[0];
        assert_eq!(alarm.about, ["AGENTS.md"], "CI files wait for the next gate");
        assert!(!alarm.by_packs && !alarm.beside_work && !alarm.no_step, "{alarm:?}");
        assert_eq!(replayed.no_steps, 0, "{replayed:?}");
        fs_err::write(repository.join(".github/workflows/ci.yml"), "y").unwrap();
        run(scratch.command("git").args(["add", "-A"]), 0).unwrap();
        run(scratch.command("git").args(["commit", "-qm", "ci", "--no-gpg-sign"]), 0).unwrap();
        let replayed = replay(&scratch, "y", &found[0].1, &[], 100).unwrap();
        assert_eq!((replayed.no_steps, replayed.alarms.len()), (1, 1), "CI alone is no step");
        assert_eq!(replayed.shown_later, 0, "{replayed:?}");
        for file in [".github/workflows/ci.yml", "b.txt"] {
            fs_err::write(repository.join(file), "z").unwrap();
        }
        run(scratch.command("git").args(["add", "-A"]), 0).unwrap();
        run(scratch.command("git").args(["commit", "-qm", "both", "--no-gpg-sign"]), 0).unwrap();
        let replayed = replay(&scratch, "z", &found[0].1, &[], 100).unwrap();
        assert_eq!((replayed.shown_later, replayed.alarms.len()), (1, 1), "{replayed:?}");
    }
}
