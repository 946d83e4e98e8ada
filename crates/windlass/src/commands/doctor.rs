//! `windlass doctor`: is everything there that runs need, and what is not enforced here.

use std::path::Path;
use std::process::ExitCode;

use serde::Serialize;
use windlass_engine::git::UserRepository;
use windlass_engine::home::Home;
use windlass_engine::launcher::confine::{self, ConfinementLevel};
use windlass_engine::store::{OpenError, Store};

use crate::cli::Cli;
use crate::error::{CommandError, EXIT_FAILURE};
use crate::output::Output;
use crate::render::Paint;
use crate::surroundings::home;

/// Below this, a run may not get far.
const LITTLE_DISK_BYTES: u64 = 1 << 30;

/// One line of the examination.
#[derive(Debug, Serialize)]
struct Finding {
    what: &'static str,
    state: State,
    says: String,
    fix: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    Ok,
    Warning,
    Broken,
}

pub(crate) fn doctor(cli: &Cli, output: &mut Output) -> Result<ExitCode, CommandError> {
    let home = home()?;
    let folder = cli.directory.clone().unwrap_or_else(|| ".".into());
    let user = UserRepository::discover(&folder);
    let mut findings = vec![repository(&user), confinement()];
    findings.extend(folders(&home));
    if let Ok(user) = &user {
        findings.push(store(&home, user));
    }
    let broken = findings.iter().any(|finding| finding.state == State::Broken);
    if output.is_json() {
        output.json(&findings);
    } else {
        let paint = Paint::new(output.has_colour());
        for finding in &findings {
            output.data(&line(finding, paint));
        }
    }
    Ok(if broken { ExitCode::from(EXIT_FAILURE) } else { ExitCode::SUCCESS })
}

fn line(finding: &Finding, paint: Paint) -> String {
    let state = match finding.state {
        State::Ok => paint.good("ok     "),
        State::Warning => paint.busy("warning"),
        State::Broken => paint.bad("broken "),
    };
    let mut text = format!("{state}  {:<12} {}", finding.what, finding.says);
    if let Some(fix) = &finding.fix {
        text.push_str("\n                      fix: ");
        text.push_str(fix);
    }
    text
}

fn repository(user: &Result<UserRepository, windlass_engine::git::DiscoverError>) -> Finding {
    match user {
        Ok(user) => Finding {
            what: "repository",
            state: State::Ok,
            says: format!("{} at {}", user.top_level.display(), user.commit),
            fix: None,
        },
        Err(error) => Finding {
            what: "repository",
            state: State::Broken,
            says: error.to_string(),
            fix: Some("start windlass in a repository that has a commit".to_owned()),
        },
    }
}

fn confinement() -> Finding {
    match confine::level() {
        ConfinementLevel::Landlock { abi } => Finding {
            what: "confinement",
            state: State::Ok,
            says: format!(
                "Landlock {abi}: agents write only their place; reading and the network stay open"
            ),
            fix: None,
        },
        ConfinementLevel::None { reason } => Finding {
            what: "confinement",
            state: State::Warning,
            says: format!("none ({reason}): an agent can write whatever you can"),
            fix: Some("use a kernel with Landlock, version 6.2 or newer".to_owned()),
        },
    }
}

fn folders(home: &Home) -> Vec<Finding> {
    let folders = [("state", &home.state), ("cache", &home.cache), ("data", &home.data)];
    folders.into_iter().map(|(what, folder)| disk(what, folder)).collect()
}

fn disk(what: &'static str, folder: &Path) -> Finding {
    let existing = folder.ancestors().find(|ancestor| ancestor.is_dir());
    let free = existing.and_then(|folder| rustix::fs::statvfs(folder).ok());
    let free = free.map(|disk| disk.f_bavail.saturating_mul(disk.f_frsize));
    let shown = folder.display();
    match free {
        Some(bytes) if bytes < LITTLE_DISK_BYTES => Finding {
            what,
            state: State::Warning,
            says: format!("{shown}: only {} MiB free", bytes >> 20),
            fix: Some(
                "free some room; `windlass place prune` removes places of ended runs".to_owned(),
            ),
        },
        Some(bytes) => Finding {
            what,
            state: State::Ok,
            says: format!("{shown}: {} GiB free", bytes >> 30),
            fix: None,
        },
        None => Finding {
            what,
            state: State::Warning,
            says: format!("{shown}: its free room cannot be found out"),
            fix: None,
        },
    }
}

fn store(home: &Home, user: &UserRepository) -> Finding {
    let folder = home.repository(&user.key).state;
    match Store::open_read_only(&folder) {
        Ok(store) => {
            let fault = store.check_anchor().err().map(|fault| fault.to_string());
            let runs = store.runs().map(|runs| runs.len());
            match (fault, runs) {
                (None, Ok(count)) => Finding {
                    what: "journal",
                    state: State::Ok,
                    says: format!("{count} runs"),
                    fix: None,
                },
                (Some(says), _) => broken_store(says),
                (None, Err(fault)) => broken_store(fault.to_string()),
            }
        }
        Err(OpenError::NoStore { .. }) => Finding {
            what: "journal",
            state: State::Ok,
            says: "no run in this repository yet".to_owned(),
            fix: None,
        },
        Err(error) => {
            let fix = Some(error.hint().to_owned());
            Finding { what: "journal", state: State::Broken, says: error.to_string(), fix }
        }
    }
}

fn broken_store(says: String) -> Finding {
    let fix = Some("`windlass audit` says what is wrong".to_owned());
    Finding { what: "journal", state: State::Broken, says, fix }
}
