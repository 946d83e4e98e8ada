//! The baseline: every check once on the base commit, before the first attempt.
//!
//! What it builds is the warm layer of all later checks, and what it says is knowledge: which tests
//! fail already, and what a command reaches for that its room does not have.

use std::collections::BTreeSet;
use std::time::Instant;

use regex::bytes::Regex;
use windlass_core::failure_rules::{Cause, CheckEvidence, causes};
use windlass_core::id::ObjectId;
use windlass_core::measure::{TestResult, cause};
use windlass_core::plan::{BaselinePolicy, CheckCommand, CheckKind, Criterion, Plan};
use windlass_core::run::{BaseOutcome, BaseRecord, BaseResult, MAX_FAILING_NAMES};
use windlass_core::time::Span;

use super::cancel::Cancel;
use super::commands::{Caches, CommandRequest, Ran};
use super::hints::hints_of;
use super::prepared::Warmth;
use super::report_files;
use super::suites::read_tests;
use super::verifier::{Broken, Verifier};
use crate::git::{EngineRepository, Place};
use crate::launcher::view::{Rights, ViewNetwork};
use crate::room::copied::is_installed;
use crate::room::{Below, Room, Rooms};

/// How much of the end of an output is kept.
const MAX_SAID_BYTES: usize = 1500;

/// How much of the end of an output is searched.
pub(super) const MAX_SEARCHED: usize = 256 << 10;

/// What happens during a baseline, for people who wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BaseProgress {
    /// What the checks need is being made, by these commands.
    Prepares(Vec<String>),
    /// It is there, after this time.
    Prepared(Span),
    /// A command begins: its words, its number from 1, and how many there are.
    Begins(String, usize, usize),
    /// It ended.
    Ended(Box<BaseResult>),
}

/// A command that can run on the base.
struct OnBase<'p> {
    step: String,
    command: CheckCommand<'p>,
    /// The reports of tests that it writes.
    report: Option<&'p str>,
    /// All reports that it writes.
    writes: Option<&'p str>,
    /// The reports of coverage that it writes, and the files that they are not about.
    coverage: Option<(&'p str, &'p [String])>,
}

/// Runs every check of the plan that can run on the base commit, in order, in one room.
///
/// Where the last proof `goes_cold` and nothing prepares its clone, commands that pass run once more on
/// a fresh one: that they cannot should be known before anything is spent.
///
/// # Errors
/// The room cannot be made; what a command says is no error.
pub fn run_baseline(
    verifier: &Verifier,
    place: &Place,
    engine: &EngineRepository,
    plan: &Plan,
    base_tree: &ObjectId,
    goes_cold: bool,
    progress: &mut dyn FnMut(BaseProgress),
) -> Result<BaseRecord, Broken> {
    let commands = commands_of(plan);
    if plan.baseline == BaselinePolicy::Off || commands.is_empty() {
        let left_out = (plan.baseline == BaselinePolicy::Off).then(|| "switched off".to_owned());
        return Ok(BaseRecord { left_out, ..BaseRecord::default() });
    }
    let cancel = Cancel::default();
    verifier.ensure_layers(place)?;
    let below = match verifier.prepared(engine, plan, base_tree, Warmth::Warm, &cancel)? {
        Ok(below) => below,
        Err((_, ran)) => {
            let left_out = Some("`prepare` fails on the base commit".to_owned());
            let left_out_said = ran.excerpt;
            return Ok(BaseRecord { left_out, left_out_said, ..BaseRecord::default() });
        }
    };
    let room = verifier.rooms.open(base_tree, &below)?;
    let (mut record, count) = (BaseRecord::default(), commands.len());
    let writes: Vec<String> =
        commands.iter().filter_map(|on_base| on_base.writes.map(str::to_owned)).collect();
    for (number, on_base) in commands.iter().enumerate() {
        let words = on_base.command.command.to_owned();
        progress(BaseProgress::Begins(words, number + 1, count));
        room.make_mountable_again()?;
        let result = on_base.run_in(&room, verifier, &cancel)?;
        progress(BaseProgress::Ended(Box::new(result.clone())));
        record.commands.push(result);
        crate::fault::point("base-command-ran");
    }
    room.open_up();
    // A report of the base must not be found by anybody who looks for one of the work.
    for glob in &writes {
        report_files::forget(room.written(), glob)?;
    }
    verifier.rooms.keep_warm(room, &|path| verifier.ignored.is_ignored(path))?;
    crate::fault::point("baseline-warm");
    if goes_cold && plan.prepare.is_empty() {
        let installed = installed(&verifier.rooms);
        if !installed.is_empty() {
            let passed =
                |(_, result): &(&OnBase<'_>, &BaseResult)| result.outcome == BaseOutcome::Passed;
            for (on_base, result) in commands.iter().zip(&record.commands).filter(passed) {
                let words = format!("{} (on a fresh clone)", result.command);
                progress(BaseProgress::Begins(words, count, count));
                let fresh = verifier.rooms.open(base_tree, &Below::default())?;
                let fresh = on_base.run_in(&fresh, verifier, &cancel)?;
                if fresh.outcome != BaseOutcome::Passed {
                    record.only_warm.push(result.command.clone());
                }
            }
            record.notes = notes(&installed, &record.only_warm);
        }
    }
    Ok(record)
}

impl OnBase<'_> {
    /// Runs it in a room, and says how it ended.
    fn run_in(
        &self,
        room: &Room,
        verifier: &Verifier,
        cancel: &Cancel,
    ) -> Result<BaseResult, Broken> {
        let began = Instant::now();
        let request = CommandRequest {
            command: self.command.command,
            folder: self.command.folder,
            timeout: self.command.timeout,
            env: Vec::new(),
            network: match self.command.room.network {
                windlass_core::plan::RoomNetwork::None => ViewNetwork::Own,
                windlass_core::plan::RoomNetwork::Host => ViewNetwork::Host,
            },
            rights: Rights::Users,
            proxy: verifier
                .proxy_for_check(&self.command.room.hosts)
                .map_err(std::io::Error::other)?,
            expose: verifier.below_home(&self.command.room.expose),
            caches: Caches::Fill,
        };
        let (report, output) = verifier.run_only(room, &request, cancel)?;
        let tests = self.report.map(|glob| read_tests(room, glob));
        let failing = tests.as_ref().map(|tests| tests.that(TestResult::Failed));
        let failing = failing.unwrap_or_default();
        let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
        let skipped = tests.as_ref().map(|tests| tests.that(TestResult::Skipped).len());
        let (skipped, failed) = (count(skipped.unwrap_or(0)), count(failing.len()));
        let failing = failing.into_iter().take(MAX_FAILING_NAMES);
        let ran = Ran { report, evidence: None, excerpt: String::new() };
        let outcome = outcome_of(&ran);
        let passed = outcome == BaseOutcome::Passed;
        Ok(BaseResult {
            step: self.step.clone(),
            command: self.command.command.to_owned(),
            folder: self.command.folder.map(str::to_owned),
            outcome,
            words: ran.words(self.command.timeout),
            ran: tests.as_ref().and_then(super::suites::Tests::ran),
            skipped,
            failed,
            failing: failing.cloned().collect(),
            covered: self.coverage.filter(|_| passed).and_then(|(glob, without)| {
                super::reports::covered(room, glob, self.command.folder, without)
            }),
            missing: (outcome == BaseOutcome::NoAnswer).then(|| missing(&output)).flatten(),
            said: if passed {
                String::new()
            } else {
                cause(&String::from_utf8_lossy(&output), MAX_SAID_BYTES)
            },
            hints: if passed { Vec::new() } else { hints_of(&output, verifier) },
            cause: if passed { None } else { self.cause(&ran, &output, verifier) },
            took: Span(u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX)),
        })
    }
}

impl OnBase<'_> {
    /// What of the surroundings kept it from passing, as far as its output tells.
    fn cause(&self, ran: &Ran, output: &[u8], verifier: &Verifier) -> Option<Cause> {
        let evidence = CheckEvidence {
            command: self.command.command,
            outcome: &ran.report.outcome,
            lost: ran.report.lost.is_some(),
            output: &String::from_utf8_lossy(output),
            network: verifier.reaches_out(&self.command),
        };
        causes(&[], &evidence).trouble
    }
}

fn outcome_of(ran: &Ran) -> BaseOutcome {
    match (ran.succeeded(), ran.answered()) {
        (true, _) => BaseOutcome::Passed,
        (false, true) => BaseOutcome::Failed,
        (false, false) => BaseOutcome::NoAnswer,
    }
}

/// The distinct commands that say something about the base: not `red` nor what is below a `not`, whose
/// failing is meant; not what belongs to items or takes variables, which are not there yet.
fn commands_of(plan: &Plan) -> Vec<OnBase<'_>> {
    let mut found: Vec<OnBase<'_>> = Vec::new();
    for step in &plan.steps {
        if let Some(done) = &step.done {
            collect(done, step.id.as_str(), &mut found);
        }
    }
    let of_platform =
        |command: &str| plan.platforms.iter().any(|platform| platform.pack.has_command(command));
    for foreach in plan.foreaches().filter_map(|index| plan.foreach(index)) {
        let mut of_items = Vec::new();
        for step in &foreach.steps {
            if let Some(done) = &step.done {
                collect(done, step.id.as_str(), &mut of_items);
            }
        }
        // A platform's command says the same for every item.
        of_items.retain(|on_base: &OnBase<'_>| of_platform(on_base.command.command));
        found.extend(of_items);
    }
    let mut seen = BTreeSet::new();
    found.retain(|on_base| {
        let CheckCommand { command, folder, .. } = on_base.command;
        seen.insert((command.to_owned(), folder.map(str::to_owned)))
    });
    found
}

fn collect<'p>(criterion: &'p Criterion, step: &str, found: &mut Vec<OnBase<'p>>) {
    match criterion {
        Criterion::All(parts) | Criterion::Any(parts) => {
            parts.iter().for_each(|part| collect(part, step, found));
        }
        Criterion::Not(_) => {}
        Criterion::Check(check) => {
            let mut coverage = None;
            let (report, writes) = match &check.kind {
                CheckKind::Junit { glob, .. } => (Some(glob.as_str()), Some(glob.as_str())),
                CheckKind::Coverage { glob, without, .. } => {
                    coverage = Some((glob.as_str(), without.as_slice()));
                    (None, Some(glob.as_str()))
                }
                CheckKind::Green(suite) => (suite.report.as_deref(), suite.report.as_deref()),
                CheckKind::Red(_) => return,
                _ => (None, None),
            };
            let Some(command) = check.kind.command() else { return };
            if command.room.variables.is_empty() {
                found.push(OnBase { step: step.to_owned(), command, report, writes, coverage });
            }
        }
    }
}

/// The copied folders that no build makes again.
fn installed(rooms: &Rooms) -> Vec<String> {
    rooms.copied().folders.into_iter().filter(|folder| is_installed(folder)).collect()
}

/// What the last proof will lack: it runs on a fresh clone, without the folders of the checkout.
fn notes(installed: &[String], only_warm: &[String]) -> Vec<String> {
    if only_warm.is_empty() {
        return Vec::new();
    }
    vec![format!(
        "`{}` needs {}, which comes from your checkout: a fresh clone does not have it",
        only_warm.join("`, `"),
        installed.join(", "),
    )]
}

/// The program that a shell did not find; none where a file of the work is what is missing, which the
/// work may bring.
fn missing(output: &[u8]) -> Option<String> {
    let not_found =
        Regex::new(r"(?m)(?:^|: )([A-Za-z0-9_][A-Za-z0-9_.+-]*): (?:command )?not found\s*$")
            .ok()?;
    let name = not_found.captures(&output[output.len().saturating_sub(MAX_SEARCHED)..])?;
    Some(String::from_utf8_lossy(&name[1]).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_a_shell_did_not_find_is_named() {
        for said in [
            "sh: 1: npm: not found\n",
            "bash: line 3: npm: command not found\n",
            "/bin/sh: npm: not found",
        ] {
            assert_eq!(missing(said.as_bytes()).as_deref(), Some("npm"), "{said}");
        }
        for said in
            ["sh: 1: ./build.sh: not found\n", "sh: 0: cannot open t.sh\n", "404: not found: x"]
        {
            assert_eq!(missing(said.as_bytes()), None, "{said}");
        }
    }
}
