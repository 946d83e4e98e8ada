//! What windlass keeps for this repository: journal, places, configuration.

use windlass_engine::git::UserRepository;
use windlass_engine::home::{Home, is_of_run};
use windlass_engine::store::{Life, OpenError, Store};

use super::Finding;

/// How many runs' chains are recomputed: `windlass audit` looks at all of one.
const CHECKED_RUNS: usize = 3;

pub(super) fn store(home: &Home, user: &UserRepository) -> Finding {
    let folder = home.repository(&user.key).state;
    match Store::open_read_only(&folder) {
        Ok(store) => examine(&store),
        Err(OpenError::NoStore { .. }) => Finding::ok("journal", "no run in this repository yet"),
        Err(error) => {
            let fix = error.hint();
            Finding::problem("journal", error.to_string(), fix)
        }
    }
}

fn examine(store: &Store) -> Finding {
    let broken = |says: String| Finding::problem("journal", says, "windlass audit");
    if let Err(fault) = store.check_anchor() {
        return broken(fault.to_string());
    }
    let runs = match store.runs() {
        Ok(runs) => runs,
        Err(fault) => return broken(fault.to_string()),
    };
    for run in runs.iter().take(CHECKED_RUNS) {
        match store.verify_chain(&run.id) {
            Ok(chain) if chain.problems.is_empty() => {}
            Ok(chain) => {
                let problems = windlass_core::view::count(chain.problems.len(), "problem");
                return Finding::problem(
                    "journal",
                    format!("the chain of run `{}` has {problems}", run.id),
                    format!("windlass audit --run {}", run.id),
                );
            }
            Err(fault) => return broken(fault.to_string()),
        }
    }
    let bytes = fs_err::metadata(store.path()).map(|file| file.len()).unwrap_or(0);
    let (count, checked) = (runs.len(), runs.len().min(CHECKED_RUNS));
    let noun = if count == 1 { "run" } else { "runs" };
    Finding::ok(
        "journal",
        format!(
            "{count} {noun}, {} KiB; the chains of the newest {checked} hold",
            bytes.div_ceil(1024)
        ),
    )
}

/// Places of ended runs, and places of no run at all.
pub(super) fn places(home: &Home, user: &UserRepository) -> Option<Finding> {
    let folders = home.repository(&user.key);
    let entries = fs_err::read_dir(&folders.data).ok()?;
    let store = Store::open_read_only(&folders.state).ok()?;
    let runs = store.runs().ok()?;
    let (mut ended, mut foreign) = (0_u32, Vec::new());
    for entry in entries.flatten().filter(|entry| entry.path().is_dir()) {
        let name = entry.file_name().to_string_lossy().into_owned();
        match runs.iter().find(|run| is_of_run(&name, &run.id)) {
            Some(run) if run.life == Life::Finished => ended += u32::from(run.id.as_str() == name),
            Some(_) => {}
            None => foreign.push(entry.path()),
        }
    }
    if let Some(first) = foreign.first() {
        let path = first.display();
        return Some(Finding::warning(
            "places",
            format!("{} folders belong to no run of this journal", foreign.len()),
            format!("look at it, then: rm -r '{path}'"),
        ));
    }
    Some(match ended {
        0 => Finding::ok("places", "none is left over"),
        count => Finding::ok(
            "places",
            format!(
                "{count} of ended runs are left; `windlass place prune` removes them, their work stays"
            ),
        ),
    })
}

pub(super) fn config(user: &UserRepository) -> Finding {
    let file = user.top_level.join(".windlass/config.yaml");
    match fs_err::read_to_string(&file) {
        Ok(_) => Finding::ok("config", format!("{}", file.display())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Finding::ok("config", "no .windlass/config.yaml: everything is at its default")
        }
        Err(error) => Finding::problem(
            "config",
            error.to_string(),
            format!("chmod u+r '{}', or put a text file there", file.display()),
        ),
    }
}
