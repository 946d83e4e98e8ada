//! The baseline: every check once on the base commit, before the first attempt.
//!
//! What it builds is the warm layer of all later checks, and what it says is knowledge: which tests
//! fail already, and what a command reaches for that its room does not have.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;

use regex::bytes::Regex;
use windlass_core::id::ObjectId;
use windlass_core::measure::TestResult;
use windlass_core::plan::{BaselinePolicy, CheckCommand, CheckKind, Criterion, Plan};
use windlass_core::run::{BaseOutcome, BaseRecord, BaseResult, MAX_FAILING_NAMES};
use windlass_core::time::Span;

use super::cancel::Cancel;
use super::commands::{CommandRequest, Ran, end};
use super::prepared::Warmth;
use super::report_files;
use super::suites::read_tests;
use super::verifier::{Broken, Verifier};
use crate::exposed::Exposed;
use crate::git::{EngineRepository, Place};
use crate::launcher::view::ViewNetwork;
use crate::room::Rooms;

/// How much of the end of an output is kept.
const MAX_SAID_BYTES: usize = 1500;

/// How much of an output is searched for what a command reached for.
const MAX_SEARCHED: usize = 256 << 10;

/// What happens during a baseline, for people who wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BaseProgress {
    /// A command begins: its words, its number from 1, and how many there are.
    Begins(String, usize, usize),
    /// It ended.
    Ended(BaseResult),
}

/// A command that can run on the base.
struct OnBase<'p> {
    step: String,
    command: CheckCommand<'p>,
    /// The reports of tests that it writes.
    report: Option<&'p str>,
    /// All reports that it writes.
    writes: Option<&'p str>,
}

/// Runs every check of the plan that can run on the base commit, in order, in one room.
///
/// # Errors
/// The room cannot be made; what a command says is no error.
pub fn run_baseline(
    verifier: &Verifier,
    place: &Place,
    engine: &EngineRepository,
    plan: &Plan,
    base_tree: &ObjectId,
    progress: &mut dyn FnMut(BaseProgress),
) -> Result<BaseRecord, Broken> {
    let commands = commands_of(plan);
    if plan.baseline == BaselinePolicy::Off || commands.is_empty() {
        let left_out = (plan.baseline == BaselinePolicy::Off).then(|| "switched off".to_owned());
        return Ok(BaseRecord { left_out, ..BaseRecord::default() });
    }
    let cancel = Cancel::default();
    verifier.ensure_layers(place)?;
    let prepared = verifier.prepared(engine, plan, base_tree, Warmth::Warm, &cancel)?;
    let Ok(below) = prepared else {
        let left_out = Some("`prepare` fails on the base commit".to_owned());
        return Ok(BaseRecord { left_out, ..BaseRecord::default() });
    };
    let room = verifier.rooms.open(base_tree, &below)?;
    let (mut record, count) = (BaseRecord::default(), commands.len());
    let writes: Vec<String> =
        commands.iter().filter_map(|on_base| on_base.writes.map(str::to_owned)).collect();
    for (number, on_base) in commands.into_iter().enumerate() {
        let words = on_base.command.command.to_owned();
        progress(BaseProgress::Begins(words, number + 1, count));
        let began = Instant::now();
        let request = CommandRequest {
            command: on_base.command.command,
            folder: on_base.command.folder,
            timeout: on_base.command.timeout,
            env: Vec::new(),
            network: match on_base.command.room.network {
                windlass_core::plan::RoomNetwork::None => ViewNetwork::Own,
                windlass_core::plan::RoomNetwork::Host => ViewNetwork::Host,
            },
            proxy: None,
            expose: verifier.below_home(&on_base.command.room.expose),
        };
        room.make_mountable_again()?;
        let (report, output) = verifier.run_only(&room, &request, &cancel)?;
        let tests = on_base.report.map(|glob| read_tests(&room, glob));
        let failing = tests.as_ref().map(|tests| tests.that(TestResult::Failed));
        let ran = Ran { report, evidence: None, excerpt: String::new() };
        let outcome = outcome_of(&ran);
        let hints = match outcome {
            BaseOutcome::Passed => Vec::new(),
            BaseOutcome::Failed | BaseOutcome::NoAnswer => {
                hints(&output, verifier.rooms.exposed(), &verifier.rooms.root)
            }
        };
        let result = BaseResult {
            step: on_base.step,
            command: on_base.command.command.to_owned(),
            folder: on_base.command.folder.map(str::to_owned),
            outcome,
            words: ran.words(on_base.command.timeout),
            ran: tests.as_ref().and_then(super::suites::Tests::ran),
            failing: failing
                .unwrap_or_default()
                .into_iter()
                .take(MAX_FAILING_NAMES)
                .cloned()
                .collect(),
            said: match outcome {
                BaseOutcome::Passed => String::new(),
                BaseOutcome::Failed | BaseOutcome::NoAnswer => end(&output, MAX_SAID_BYTES),
            },
            hints,
            took: Span(u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX)),
        };
        progress(BaseProgress::Ended(result.clone()));
        record.commands.push(result);
        crate::fault::point("base-command-ran");
    }
    room.open_up();
    // A report of the base must not be found by anybody who looks for one of the work.
    for glob in &writes {
        report_files::forget(room.written(), glob)?;
    }
    record.notes = notes(plan, &verifier.rooms);
    verifier.rooms.keep_warm(room, &|path| verifier.ignored.is_ignored(path))?;
    crate::fault::point("baseline-warm");
    Ok(record)
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
            let (report, writes) = match &check.kind {
                CheckKind::Junit { glob, .. } => (Some(glob.as_str()), Some(glob.as_str())),
                CheckKind::Coverage { glob, .. } => (None, Some(glob.as_str())),
                CheckKind::Green(suite) => (suite.report.as_deref(), suite.report.as_deref()),
                CheckKind::Red(_) => return,
                _ => (None, None),
            };
            let Some(command) = check.kind.command() else { return };
            if command.room.variables.is_empty() {
                found.push(OnBase { step: step.to_owned(), command, report, writes });
            }
        }
    }
}

/// What the last proof will lack: it runs on a fresh clone, without the folders of the checkout.
fn notes(plan: &Plan, rooms: &Rooms) -> Vec<String> {
    let copied = rooms.copied().folders;
    if !plan.cold || !plan.prepare.is_empty() || copied.is_empty() {
        return Vec::new();
    }
    vec![format!(
        "{} come{} from your checkout, and the last proof runs on a fresh clone without: if checks need \
         that, say how it is made (`prepare: [{{run: …, lock: …}}]`), or do without that proof \
         (`cold: false`)",
        copied.join(", "),
        if copied.len() == 1 { "s" } else { "" }
    )]
}

/// What a failing command seems to have reached for outside its room, with the line that shows it.
fn hints(output: &[u8], exposed: &Exposed, root: &Path) -> Vec<String> {
    let text = &output[output.len().saturating_sub(MAX_SEARCHED)..];
    let mut hints = BTreeSet::new();
    let refused = Regex::new(r"(?i)(refused|ECONNREFUSED|could not connect|failed to connect)");
    let address = Regex::new(r#"(?:127\.0\.0\.1|localhost|::1)[\])"':\s,]+(?:port )?(\d{2,5})"#);
    if let (Ok(refused), Ok(address)) = (refused, address)
        && refused.is_match(text)
    {
        for port in address.captures_iter(text).take(3) {
            let port = String::from_utf8_lossy(&port[1]).into_owned();
            hints.insert(format!(
                "it looked for a service on port {port}, which is outside the room: `network: host` \
                 on the check lets it through"
            ));
        }
    }
    let lookup = Regex::new(
        r"(?i)(could not resolve host|name or service not known|temporary failure in name resolution|EAI_AGAIN|ENOTFOUND)",
    );
    if lookup.is_ok_and(|lookup| lookup.is_match(text)) {
        hints.insert(
            "it looked for a host of the network, and checks have none: let `prepare` fetch what is \
             needed, or put `network: host` on the check"
                .to_owned(),
        );
    }
    let path = Regex::new(r#"(/(?:home|root|opt|srv|data|mnt|var|usr/local)/[^\s'":,;()<>]+)"#);
    if let Ok(path) = path {
        for found in path.captures_iter(text).take(200) {
            let found = String::from_utf8_lossy(&found[1]).into_owned();
            let file = Path::new(&found);
            if file.exists() && !file.starts_with(root) && !exposed.covers(file) && hints.len() < 6
            {
                hints.insert(format!(
                    "it looked for `{found}`, which is outside the room: `room: {{expose: [{found}]}}` \
                     on the check shows it"
                ));
            }
        }
    }
    hints.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_service_and_a_hidden_file_are_told_with_the_line_that_helps() {
        let exposed = Exposed::default();
        let output =
            b"psql: error: connection to server at \"localhost\" (127.0.0.1), port 5432 failed: \
                       Connection refused\n";
        let found = hints(output, &exposed, Path::new("/work"));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("5432") && found[0].contains("network: host"));
        assert!(hints(b"assertion failed: 1 == 2", &exposed, Path::new("/work")).is_empty());
    }
}
