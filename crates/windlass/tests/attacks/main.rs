//! Attacks on windlass, as an ordinary user and as root, at every level that it can enforce; and the
//! table of `docs/security.md`, which is made from what came of them.
//!
//! - [`probes`]: what is tried within an attempt and a check, and seen at once.
//! - [`cheats`]: whole runs that want `completed` without the work.
//! - `WINDLASS_UPDATE_DOCS=1` writes the table anew, as far as it was played; `WINDLASS_ATTACK=NAME,…` plays
//!   some cheats only (`cheats` all of them, `probes` all probes), `WINDLASS_ATTACK_LEVEL=hosted` at one level, and
//!   `WINDLASS_SHOW_ATTACKS=1` shows what was said. `WINDLASS_KEEP_WORLDS=1` leaves the folders for a
//!   look.
//!
//! Nothing here attacks what the test did not start: devices and settings of the kernel are opened and
//! closed, keys are made up.

mod cheating;
mod cheats;
mod document;
mod hosted;
mod probe;
mod probes;
mod probing;
mod session;
mod table;
mod world;

use std::sync::{Mutex, PoisonError};

use windlass_testkit::in_parallel;

use cheats::Cheat;
use probe::Probe;
use table::{Cell, Cells, Row};
use world::{Level, Who, World};

/// Says something where the test runs.
#[expect(clippy::print_stderr, reason = "what was found is seen where the test runs")]
pub(crate) fn tell(what: &str) {
    eprintln!("{what}");
}

/// One thing to do; each takes seconds.
enum Job {
    Probes(Level, Who),
    Cheat(Cheat, Level, Who),
}

fn rows(probes: &[Probe], cheats: &[Cheat]) -> Vec<Row> {
    let probes = probes.iter().map(|probe| Row {
        name: probe.name,
        group: probe.group,
        tries: probe.tries,
        open: probe.open,
    });
    let cheats = cheats.iter().map(|cheat| Row {
        name: cheat.name,
        group: match cheat.typed.is_empty() {
            true if cheats::judges::has(cheat.name) => probe::Group::Judges,
            true => probe::Group::Proofs,
            false => probe::Group::Deciding,
        },
        tries: cheat.tries,
        open: cheat.open,
    });
    probes.chain(cheats).collect()
}

/// The levels that this machine has for a user; what cannot be played is told.
fn levels_for(who: Who) -> Vec<Level> {
    let boxes = World::new(who, Level::Box).is_possible();
    if !boxes {
        windlass_testkit::skip(&format!("no boxes for {who:?} on this machine"));
    }
    let weaker = |level: &Level| matches!(level, Level::None | Level::Landlock);
    Level::ALL.into_iter().filter(|level| boxes || weaker(level)).collect()
}

/// Whether somebody wants this attack, by its name or as one of `all`; without a wish every one is wanted.
fn wanted(name: &str, all: &str) -> bool {
    std::env::var("WINDLASS_ATTACK")
        .map_or(true, |only| only.split(',').any(|only| only == name || only == all))
}

/// Does everything that this process may, and returns what came of it.
fn attack(probes: &[Probe], cheats: &[Cheat]) -> Cells {
    let at = std::env::var("WINDLASS_ATTACK_LEVEL");
    let mut jobs = Vec::new();
    for who in Who::possible() {
        let mut levels = levels_for(who);
        levels.retain(|level| at.as_ref().map_or(true, |at| at == level.title()));
        if wanted("probes", "probes") {
            jobs.extend(levels.iter().map(|level| Job::Probes(*level, who)));
        }
        for level in levels.into_iter().filter(|level| *level != Level::Provider) {
            let chosen = cheats.iter().filter(|cheat| wanted(cheat.name, "cheats"));
            jobs.extend(chosen.map(|cheat| Job::Cheat(*cheat, level, who)));
        }
    }
    let cells = Mutex::new(Cells::new());
    let add = |name: &str, level: Level, who: Who, cell: Cell| {
        let key = (name.to_owned(), level, who);
        cells.lock().unwrap_or_else(PoisonError::into_inner).insert(key, cell);
    };
    in_parallel(8, jobs, |job| match job {
        Job::Probes(level, who) => {
            for (name, cell) in probing::run(probes, who, level) {
                add(name, level, who, cell);
            }
        }
        Job::Cheat(cheat, level, who) => {
            let cell = cheating::run(&cheat, who, level);
            add(cheat.name, level, who, cell);
            if level == Level::Box {
                // What an agent reaches by its network makes no difference to what is judged.
                add(cheat.name, Level::Provider, who, cell);
            }
        }
    });
    cells.into_inner().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn the_document_tells_what_the_attacks_do() {
    let (probes, cheats) = (probes::all(), cheats::all());
    let rows = rows(&probes, &cheats);
    let cells = attack(&probes, &cheats);
    let part = ["WINDLASS_ATTACK", "WINDLASS_ATTACK_LEVEL"];
    if part.iter().any(|name| std::env::var_os(name).is_some()) {
        if std::env::var_os("WINDLASS_UPDATE_DOCS").is_some() {
            document::compare(&rows, &cells);
        }
        return tell(&format!("{cells:#?}"));
    }
    let mut wrong = Vec::new();
    for probe in &probes {
        // A probe that never gets through may fail for any reason, and would show nothing.
        let gets_through = Who::possible().iter().any(|who| {
            let key = (probe.name.to_owned(), Level::None, *who);
            cells.get(&key) == Some(&Cell::Open)
        });
        let needs_root = Who::possible() == [Who::User];
        let is_shown = gets_through || !needs_root;
        if is_shown && gets_through != probe.always_refused.is_empty() {
            wrong.push(format!(
                "{}: where nothing is confined it is open: {gets_through}",
                probe.name
            ));
        }
    }
    let everything = Who::possible().into_iter().all(|who| levels_for(who) == Level::ALL);
    for row in rows.iter().filter(|_| everything && Who::possible().len() == 2) {
        if table::is_open_in_a_box(&cells, row.name) == row.open.is_empty() {
            wrong.push(format!(
                "{}: open in a box, and a reason for it, have to go together",
                row.name
            ));
        }
    }
    for row in rows.iter().filter(|_| everything && Who::possible().len() == 2) {
        let has_reason = hosted::REASONS.iter().any(|reason| reason.name == row.name);
        if table::is_worse_hosted(&cells, row.name) && !has_reason {
            wrong.push(format!(
                "{}: worse in a session than unconfined, without a reason",
                row.name
            ));
        }
    }
    document::compare(&rows, &cells);
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn honest_agents_complete_where_cheats_do_not() {
    let wrong = Mutex::new(Vec::new());
    let cheats = cheats::all().into_iter();
    let cheats = cheats.filter(|cheat| !cheat.honest.is_empty() && wanted(cheat.name, "cheats"));
    let worlds = Who::possible().into_iter().flat_map(|who| {
        // Of a session, too: what is detected there is not its host's own fault.
        [Level::Box, Level::Hosted].map(|level| (who, level))
    });
    let jobs = cheats.flat_map(|cheat| worlds.clone().map(move |world| (cheat, world)));
    in_parallel(4, jobs.collect(), |(cheat, (who, level))| {
        if let Err(words) = cheating::honest(&cheat, who, level) {
            wrong.lock().unwrap_or_else(PoisonError::into_inner).push(words);
        }
    });
    let wrong = wrong.into_inner().unwrap_or_else(PoisonError::into_inner);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn there_are_enough_attacks_and_each_has_a_name_of_its_own() {
    let rows = rows(&probes::all(), &cheats::all());
    let mut names: Vec<&str> = rows.iter().map(|row| row.name).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count, "a name is there twice");
    assert!(count >= 80, "only {count} attacks");
    for reason in hosted::REASONS.iter().chain(hosted::OTHERWISE) {
        assert!(names.contains(&reason.name), "`{}` has a reason and is no attack", reason.name);
    }
}
