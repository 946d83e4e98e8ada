//! `windlass doctor`: is everything there that runs need, and what is not enforced here.

mod backends;
mod bundle;
mod checks;
mod confined;
mod forge;
mod hosted;
mod kept;
mod keys;
pub(super) mod layers;
mod machine;
mod shown;

use std::process::ExitCode;

use serde::Serialize;
use windlass_engine::git::{DiscoverError, UserRepository};

use crate::cli::{Cli, DoctorArguments};
use crate::config;
use crate::error::{CommandError, EXIT_FAILURE};
use crate::output::Output;
use crate::render::Paint;
use crate::surroundings::{Surroundings, home};

/// One line of the examination.
#[derive(Debug, Serialize)]
struct Finding {
    what: &'static str,
    state: State,
    says: String,
    /// What to do, as a command where there is one.
    fix: Option<String>,
    /// All of what is said in short, for programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<serde_json::Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    Ok,
    /// Nothing is wrong, and this is what windlass does not stop here.
    Open,
    Warning,
    Problem,
}

impl Finding {
    fn ok(what: &'static str, says: impl Into<String>) -> Self {
        Self { what, state: State::Ok, says: says.into(), fix: None, detail: None }
    }

    fn open(what: &'static str, says: impl Into<String>) -> Self {
        Self { what, state: State::Open, says: says.into(), fix: None, detail: None }
    }

    fn warning(what: &'static str, says: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { what, state: State::Warning, says: says.into(), fix: Some(fix.into()), detail: None }
    }

    fn problem(what: &'static str, says: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { what, state: State::Problem, says: says.into(), fix: Some(fix.into()), detail: None }
    }

    fn with(mut self, detail: serde_json::Value) -> Self {
        self.detail = Some(detail);
        self
    }
}

pub(crate) fn doctor(
    cli: &Cli,
    arguments: &DoctorArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    if let Some(workflow) = &arguments.checks {
        return checks::run(cli, arguments, workflow.as_deref(), output);
    }
    let home = home()?;
    // First of all: to try a box makes folders below them.
    let folders = machine::folders(&home);
    let folder = cli.directory.clone().unwrap_or_else(|| ".".into());
    let user = UserRepository::discover(&folder);
    let confined = user.as_ref().ok().and_then(|user| config::confinement(&user.top_level).ok());
    let confined = confined.unwrap_or_default();
    let sandbox = confined.sandbox.as_ref().map(|set| set.value).unwrap_or_default();
    let level = confined::level(&home, sandbox);
    let mut findings =
        vec![Finding::ok("windlass", env!("CARGO_PKG_VERSION")), machine::git(), repository(&user)];
    findings.extend(confined::look(&level, &home, sandbox));
    findings.extend(keys::look(&level, user.as_ref().ok()));
    findings.extend(machine::limits());
    findings.extend(folders);
    if let Ok(user) = &user {
        let mut around = Surroundings::at(&folder, home.clone(), &[], None)?;
        // What the configuration says wrong is told where the configuration is looked at.
        let _ = around.confine_as_set(&confined);
        findings.extend(shown::look(&around.site.exposed()));
        findings.push(layers::look(&home, user, around.site.disk_limit));
        findings.push(kept::store(&home, user));
        findings.extend(kept::places(&home, user));
        findings.push(kept::config(user));
        findings.extend(forge::look(user));
    }
    findings.extend(backends::look());
    findings.extend(hosted::look(&home));
    if let Some(file) = &arguments.bundle {
        return bundle::write(cli, file, &findings, output);
    }
    let problem = findings.iter().any(|finding| finding.state == State::Problem);
    if output.is_json() {
        output.json(&findings);
    } else {
        let paint = Paint::new(output.has_colour());
        for finding in &findings {
            output.data(&line(finding, paint));
        }
    }
    Ok(if problem { ExitCode::from(EXIT_FAILURE) } else { ExitCode::SUCCESS })
}

fn line(finding: &Finding, paint: Paint) -> String {
    let state = match finding.state {
        State::Ok => paint.good("ok     "),
        State::Open => paint.busy("open   "),
        State::Warning => paint.busy("warning"),
        State::Problem => paint.bad("problem"),
    };
    let mut text = format!("{state}  {:<12} {}", finding.what, finding.says);
    if let Some(fix) = &finding.fix {
        text.push_str("\n                      fix: ");
        text.push_str(fix);
    }
    text
}

fn repository(user: &Result<UserRepository, DiscoverError>) -> Finding {
    match user {
        Ok(user) => {
            Finding::ok("repository", format!("{} at {}", user.top_level.display(), user.commit))
        }
        Err(error) => {
            let fix = "cd into a repository that has a commit, or name one with -C";
            Finding::problem("repository", error.to_string(), fix)
        }
    }
}
