//! One verification.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::time::Instant;

use windlass_core::failure_rules::{Cause, FailureRule};
use windlass_core::glob;
use windlass_core::id::{ContentHash, ObjectId};
use windlass_core::plan::{
    Check, CheckCommand, CheckId, CheckKind, Criterion, Holds, Plan, PlanStep, Rollback,
    RoomNetwork, Sign, negated_command, template,
};
use windlass_core::proof::{Finding, MAX_LISTED_PATHS, Proof, VerifyReport};
use windlass_core::run::{BaseRecord, Category};
use windlass_core::snapshot::{Baseline, Snapshot};
use windlass_core::time::Span;

use super::baseline::BaselineFiles;
use super::cancel::Cancel;
use super::changes::Changes;
use super::commands::{Caches, CommandRequest, could_not_look};
use super::files;
use super::green::RedStep;
use super::papers::{self, Fresh};
use super::prepared::Warmth;
use super::reports::Wanted;
use super::seen::Seen;
use crate::expr;
use crate::fault;
use crate::git::{
    EngineRepository, IgnoreRules, PAPERS, Place, TreePath, UserRepository, place_files,
};
use crate::launcher::ConfinementMode;
use crate::launcher::view::{Rights, ViewNetwork};
use crate::level::Level;
use crate::room::copied::Copying;
use crate::room::{Room, Rooms};
use crate::store::blobs::{Blobs, GetError};
use crate::store::{NewPass, PassKey, Store};

/// The largest list of baseline files that is read back.
const MAX_BASELINE_BYTES: u64 = 64 << 20;

/// Changes whenever a pass under older rules may no longer be trusted.
pub(super) const PASS_FORMAT: &[u8] = b"pass 5";

/// Changes whenever a pass of any kind may no longer be trusted.
const KEY_FORMAT: &[u8] = b"key 3";

/// How much of a file is searched for the text that it must contain.
const MAX_SEARCHED_BYTES: u64 = 64 << 20;

/// The longest context value that becomes a variable; the kernel refuses 128 KiB.
const MAX_VARIABLE_BYTES: usize = 32 << 10;

/// What verifications of a run have in common.
pub struct Verifier {
    /// The windlass executable, for launchers and expressions.
    pub exe: PathBuf,
    /// The environment of checks.
    pub env: Vec<(String, String)>,
    /// Evidence.
    pub blobs: Blobs,
    /// Earlier passes, read only.
    pub passes: Store,
    /// The layers that rooms are made from.
    pub rooms: Rooms,
    /// The user's repository, for layers that have to be made anew.
    pub user: UserRepository,
    /// Package registries that `prepare` may reach; empty means the whole network.
    pub registries: Vec<windlass_core::reach::HostRule>,
    /// What of the user's checkout is copied, should the layers have to be made now.
    pub copying: Copying,
    /// What happens where commands cannot be confined.
    pub mode: ConfinementMode,
    /// Room for output that is not yet kept.
    pub scratch: PathBuf,
    /// What launchers lock together.
    pub launchers_lock: PathBuf,
    /// Where launchers register.
    pub registry: PathBuf,
    /// Paths that no check may write, where it has no view of its own.
    pub never: Vec<PathBuf>,
    /// Pinned ignored files, and their blobs.
    pub carried: Vec<(String, ContentHash)>,
    /// What the base commit ignores.
    pub ignored: IgnoreRules,
}

/// What is to be verified.
pub struct VerifyRequest<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The step whose criterion is looked at.
    pub step: &'a PlanStep,
    /// The files that the step began from.
    pub baseline: Option<&'a Baseline>,
    /// The code that the step first began from, where it has a `red` check.
    pub first_code: Option<&'a ObjectId>,
    /// The step before that has a `red` check.
    pub red: Option<RedStep<'a>>,
    /// Steps whose failing tests are held: whoever changes one asks a person.
    pub held: Vec<RedStep<'a>>,
    /// What failed before the run, where only new failures count.
    pub known_failures: Option<&'a BaseRecord>,
    /// What the checks said about the base commit.
    pub base_record: Option<&'a BaseRecord>,
    /// The user's own rules about failures.
    pub rules: &'a [FailureRule],
    /// The snapshot that is looked at.
    pub snapshot: &'a Snapshot,
    /// The last proven code: whatever differs from it is this step's work.
    pub proven_code: &'a ObjectId,
    /// The code that the run began from.
    pub base_code: &'a ObjectId,
    /// The last committed code: protected files are compared with it.
    pub committed_code: &'a ObjectId,
    /// Protected files that a person pinned anew.
    pub pins: &'a BTreeMap<String, Option<ObjectId>>,
    /// The same for files of which only some keys count.
    pub pinned_values: &'a BTreeMap<String, ContentHash>,
    /// Whether changes of protected files wait that nobody has seen: then those that are asked about later
    /// are compared with what the run began from.
    pub has_unseen: bool,
    /// What steps published.
    pub context: &'a serde_json::Value,
    /// The run's document, for expressions.
    pub document: &'a serde_json::Value,
}

/// What a verification saw, and the passes that others may use.
pub struct Verification {
    /// For the core.
    pub report: VerifyReport,
    /// For the store.
    pub passes: Vec<NewPass>,
}

impl Verification {
    /// Returns a verification that saw nothing.
    pub(crate) fn nothing() -> Self {
        Self { report: VerifyReport::empty(), passes: Vec::new() }
    }
}

/// Why the verifier could not do its work.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum Broken {
    #[error("git failed: {0}")]
    Git(#[from] crate::git::GitError),
    #[error("{0}")]
    Room(#[from] crate::room::RoomError),
    #[error("{0}")]
    Io(#[from] std::io::Error),
    #[error("the evidence could not be kept: {0}")]
    Put(#[from] crate::store::blobs::PutError),
    #[error("earlier evidence cannot be read: {0}")]
    Get(#[from] crate::store::blobs::GetError),
    #[error("the baseline of the step cannot be read: {0}")]
    Baseline(serde_json::Error),
    #[error("the names of failing tests cannot be read: {0}")]
    Names(serde_json::Error),
    #[error("the store failed: {0}")]
    Store(#[from] crate::store::Fault),
}

impl Verifier {
    /// Looks at a snapshot. Trouble of the verifier itself is part of the report.
    pub fn verify(
        &self,
        place: &Place,
        engine: &EngineRepository,
        request: &VerifyRequest<'_>,
        cancel: &Cancel,
    ) -> Verification {
        let mut looking =
            Looking { verifier: self, place, engine, request, cancel, passes: Vec::new() };
        let mut report = VerifyReport::empty();
        if let Err(broken) = looking.look(&mut report) {
            report.broken = Some(broken.to_string());
        }
        Verification { report, passes: looking.passes }
    }

    /// Returns the pinned ignored files.
    pub(super) fn carried_files(&self) -> Result<Vec<(String, Vec<u8>)>, GetError> {
        let read = |(path, hash): &(String, ContentHash)| {
            Ok((path.clone(), self.blobs.get(hash, MAX_BASELINE_BYTES)?))
        };
        self.carried.iter().map(read).collect()
    }
}

pub(super) struct Looking<'a> {
    pub(super) verifier: &'a Verifier,
    pub(super) place: &'a Place,
    pub(super) engine: &'a EngineRepository,
    pub(super) request: &'a VerifyRequest<'a>,
    pub(super) cancel: &'a Cancel,
    pub(super) passes: Vec<NewPass>,
}

impl Looking<'_> {
    fn look(&mut self, report: &mut VerifyReport) -> Result<(), Broken> {
        let request = self.request;
        // Not the files that this life of the step began from: feedback and rollback begin a new
        // one, and what an earlier one left outside its bounds would be out of sight. A group's work
        // is proven already; it looks back to where its first step began.
        // A spoke's place is made from the files that it began from.
        let looks_at_baseline = request.step.kind.is_group() || request.step.is_spoke();
        let base = match request.baseline {
            Some(baseline) if looks_at_baseline => &baseline.snapshot.code,
            Some(_) | None => request.proven_code,
        };
        let changes = if counts_lines(request.step) {
            Changes::with_lines(self.engine, base, &request.snapshot.code)?
        } else {
            Changes::between(self.engine, base, &request.snapshot.code)?
        };
        let paths = changes.paths();
        report.changed_count = paths.len() as u64;
        report.changed = paths.iter().take(MAX_LISTED_PATHS).cloned().collect();
        report.outside_may_write = changes.outside(&request.step.may_write);
        report.outside_may_write.extend(self.links_that_leave(&changes));
        if request.step.is_spoke() {
            report.outside_may_write.extend(self.outside_writes()?);
        } else {
            self.look_at_protected(base, &changes, report)?;
        }
        report.outside_may_write.truncate(MAX_LISTED_PATHS);
        if !report.protected.is_empty() || !report.outside_may_write.is_empty() {
            // Whatever the checks say, this is not accepted; nothing the agent changed is run.
            return Ok(());
        }
        let Some(criterion) = &request.step.done else { return Ok(()) };
        self.look_at_cheap_checks(criterion, &changes, &paths, report)?;
        let hopeless = criterion.judge(&known(report)) == Holds::No;
        let routed = report.verdict.as_ref().is_some_and(|v| request.step.on.contains_key(v));
        if !hopeless || routed {
            self.look_at_commands(criterion, &changes, report)?;
        }
        if report.verdict.is_some() && report.remarks.is_empty() {
            report.remarks = self.remarks_beside(report);
        }
        if let Some(verdict) = &report.verdict
            && let Some(route) = request.step.on.get(verdict)
        {
            self.look_at_findings(&route.rollback, report);
        }
        Ok(())
    }

    /// What a spoke changed besides the files that it is there to write, papers included.
    fn outside_writes(&self) -> Result<Vec<String>, Broken> {
        let Some(baseline) = self.request.baseline else { return Ok(Vec::new()) };
        let mut changed = self.engine.changed_files(&baseline.snapshot, self.request.snapshot)?;
        let writes = &self.request.step.writes;
        changed.retain(|path| !writes.contains(path));
        for path in writes.iter().filter(|path| self.place.root().join(path).is_file()) {
            // What no snapshot has could not be brought over.
            if self.engine.read_file(self.request.snapshot, path)?.is_none() {
                changed.push(format!("{path} (git ignores it, so it is not part of the work)"));
            }
        }
        Ok(changed)
    }

    /// New links that lead out of the place: a check would read what is not part of the work.
    fn links_that_leave(&self, changes: &Changes) -> Vec<String> {
        let root = crate::home::canonical(self.place.root());
        let leaves = |path: &String| match root.join(path).canonicalize() {
            Ok(target) => !target.starts_with(&root),
            // A link to nothing may lead to something later.
            Err(_) => !leads_inside(&root, path),
        };
        let links = changes.links().filter(leaves);
        links.map(|path| format!("{path} (a link that leads out of the place)")).collect()
    }

    /// Everything but commands: files, changes and expressions.
    fn look_at_cheap_checks(
        &self,
        criterion: &Criterion,
        changes: &Changes,
        changed: &BTreeSet<String>,
        report: &mut VerifyReport,
    ) -> Result<(), Broken> {
        let baseline = self.baseline_files()?;
        for check in criterion.checks() {
            let began = Instant::now();
            let seen = match &check.kind {
                CheckKind::File { .. } => {
                    self.file(&check.kind, &baseline, changed, &mut report.papers)?
                }
                CheckKind::Diff { .. } => self.diff(changes, &check.kind),
                CheckKind::Checklist { file, min } => self.checklist(file, *min),
                CheckKind::State { expr } => self.state(expr),
                CheckKind::Verdict { expr, accept, .. } => {
                    let (seen, verdict) = self.verdict(expr, accept);
                    report.verdict = report.verdict.take().or(verdict);
                    seen
                }
                CheckKind::Stories { file, designed } => {
                    self.stories(file, *designed, &mut report.stories)?
                }
                CheckKind::Questions { file, phase } => {
                    self.questions(file, *phase, &mut report.questions)?
                }
                CheckKind::VerdictIn { file, kind, accept, .. } => {
                    let files = Fresh { baseline: &baseline, changed };
                    self.verdict_in(file, *kind, accept, files, report)?
                }
                CheckKind::Run { .. }
                | CheckKind::Junit { .. }
                | CheckKind::Coverage { .. }
                | CheckKind::Red(_)
                | CheckKind::Green(_) => continue,
            };
            report.proofs.push(seen.proof(check, began));
        }
        Ok(())
    }

    fn baseline_files(&self) -> Result<BaselineFiles, Broken> {
        let Some(baseline) = self.request.baseline else { return Ok(BaselineFiles::default()) };
        let bytes = self.verifier.blobs.get(&baseline.files, MAX_BASELINE_BYTES)?;
        serde_json::from_slice(&bytes).map_err(Broken::Baseline)
    }

    pub(super) fn file(
        &self,
        check: &CheckKind,
        baseline: &BaselineFiles,
        changed: &BTreeSet<String>,
        papers: &mut Vec<String>,
    ) -> Result<Seen, Broken> {
        let CheckKind::File { glob: pattern, stale_ok, min_bytes, contains } = check else {
            return Ok(Seen::unanswered("this is not a file check".to_owned()));
        };
        let filled = match template::fill_context(pattern, self.request.context) {
            Ok(filled) => filled,
            Err(missing) => return Ok(Seen::unanswered(format!("file `{pattern}`: {missing}"))),
        };
        if let Err(bad) = glob::stays_inside(&filled) {
            return Ok(Seen::unanswered(format!("file `{filled}`: {bad}")));
        }
        let found = files::find(self.place.root(), std::slice::from_ref(&filled))?;
        if found.files.is_empty() && found.unread.is_none() {
            return Ok(Seen::no(format!("file `{filled}`: no such file")));
        }
        // What nobody could look into: under `not` it must not pass for a file without that.
        let mut unread = found.unread;
        // A glob that was filled in only later has no baseline of its own: what git saw decides.
        let has_baseline = baseline.globs.contains(&filled);
        let mut why_not = "unchanged since the step began";
        for candidate in &found.files {
            let run_folder = Path::new(&candidate.path).starts_with(".windlass/run");
            let is_new = if has_baseline {
                baseline.files.get(&candidate.path) != Some(&candidate.hash)
            } else {
                changed.contains(&candidate.path)
            };
            if !is_new && !stale_ok {
                continue;
            }
            let is_work = changed.contains(&candidate.path) || self.is_in_work(&candidate.path)?;
            // What git ignores is in no clone. Rules that an agent wrote keep a file out of the work, too;
            // those of the base commit count where the workflow does without a last proof.
            let counts_ignored =
                !self.request.plan.cold && self.verifier.ignored.is_ignored(&candidate.path);
            if !is_work && !counts_ignored {
                why_not = "not part of the work: git ignores it, so no clone has it";
                continue;
            }
            if min_bytes.is_some_and(|least| candidate.bytes < least) {
                why_not = "too small";
                continue;
            }
            if let Some(text) = contains {
                match self.contains(&candidate.path, text) {
                    Some(true) => {}
                    Some(false) => {
                        why_not = "does not contain what it should";
                        continue;
                    }
                    None => {
                        unread.get_or_insert_with(|| candidate.path.clone());
                        continue;
                    }
                }
            }
            if run_folder && !papers.contains(&candidate.path) {
                papers.push(candidate.path.clone());
            }
            let which = match candidate.path == filled {
                true => String::new(),
                false => format!("`{}`, ", candidate.path),
            };
            return Ok(Seen::yes(format!("file `{filled}`: {which}{} bytes", candidate.bytes)));
        }
        Ok(match unread {
            Some(path) => Seen::unanswered(format!(
                "file `{filled}`: `{path}` is not a plain file that can be read, or too large"
            )),
            None => Seen::no(format!("file `{filled}`: {why_not}")),
        })
    }

    /// Whether a file of the place is in what would be accepted: the code, the papers, or carried.
    fn is_in_work(&self, path: &str) -> Result<bool, Broken> {
        if let Some(paper) = path.strip_prefix(PAPERS) {
            // A snapshot has every plain file of these folders.
            return Ok(paper.starts_with("specs/") || paper.starts_with("reports/"));
        }
        let is_carried = self.verifier.carried.iter().any(|(carried, _)| carried == path);
        let code = &self.request.snapshot.code;
        Ok(is_carried || self.engine.has_file(code, &TreePath::new(path))?)
    }

    /// Whether a file contains a text; `None` when it is too large to be searched or unreadable.
    fn contains(&self, path: &str, text: &str) -> Option<bool> {
        let root = self.place.root();
        let bytes = place_files::read_file_bounded(root, Path::new(path), MAX_SEARCHED_BYTES);
        let (bytes, text) = (bytes.ok()?, text.as_bytes());
        Some(text.is_empty() || bytes.windows(text.len()).any(|window| window == text))
    }

    fn diff(&self, changes: &Changes, check: &CheckKind) -> Seen {
        let CheckKind::Diff { only, never, max_lines, empty_ok } = check else {
            return Seen::unanswered("this is not a diff check".to_owned());
        };
        if changes.is_empty() {
            return Seen::of(*empty_ok, "diff: nothing changed since the step began".to_owned());
        }
        let outside = changes.outside(only);
        if !outside.is_empty() {
            let bounds = only.join(", ");
            return Seen::no(format!("diff: changed outside {bounds}: {}", few(&outside)));
        }
        let forbidden = changes.inside(never);
        if !forbidden.is_empty() {
            return Seen::no(format!("diff: changed what must stay: {}", few(&forbidden)));
        }
        if let Some(most) = *max_lines
            && self.request.baseline.is_some()
            && let Some(lines) = changes.lines()
            && lines > most
        {
            return Seen::no(format!("diff: {lines} lines changed, at most {most} may"));
        }
        let changed = match changes.paths().len() {
            1 => "1 path".to_owned(),
            count => format!("{count} paths"),
        };
        Seen::yes(format!("diff: {changed} changed, all within bounds"))
    }

    fn state(&self, expression: &str) -> Seen {
        match self.evaluate(expression) {
            Ok(values) => {
                let holds = values.first() == Some(&serde_json::Value::Bool(true));
                let value =
                    values.first().map_or_else(|| "nothing".to_owned(), ToString::to_string);
                Seen::of(holds, format!("state `{expression}` is {}", cut(&value, 120)))
            }
            Err(message) => Seen::unanswered(format!("state: {message}")),
        }
    }

    fn verdict(&self, expression: &str, accept: &[String]) -> (Seen, Option<String>) {
        match self.evaluate(expression) {
            Ok(values) => {
                let value = values.first().filter(|value| !value.is_null()).map(as_text);
                let holds = value.as_ref().is_some_and(|value| accept.contains(value));
                let shown = value.as_deref().unwrap_or("missing");
                (Seen::of(holds, format!("verdict `{expression}` is {}", cut(shown, 120))), value)
            }
            Err(message) => (Seen::unanswered(format!("verdict: {message}")), None),
        }
    }

    /// Lists what the judge found. Files and types belong together only where there is one of each
    /// for everything found; else each counts by itself.
    fn look_at_findings(&self, rollback: &Rollback, report: &mut VerifyReport) {
        let listed = |expression: Option<&String>| -> Vec<Option<String>> {
            let values = expression.map(|text| self.evaluate(text).unwrap_or_default());
            let values = values.unwrap_or_default().into_iter().take(MAX_LISTED_PATHS);
            values.map(|value| value.as_str().map(str::to_owned)).collect()
        };
        let files = match rollback.files.as_deref() {
            None | Some(Rollback::FINDINGS) => papers::blocking_files(report),
            Some(_) => listed(rollback.files.as_ref()),
        };
        let types = listed(rollback.types.as_ref());
        report.route_files = files.iter().flatten().cloned().collect();
        if rollback.types.is_none() {
            return;
        }
        report.route_findings = if files.len() == types.len() {
            let pairs = files.into_iter().zip(types);
            pairs.map(|(file, kind)| Finding { file, kind }).collect()
        } else {
            let files = files.into_iter().map(|file| Finding { file, kind: None });
            files.chain(types.into_iter().map(|kind| Finding { file: None, kind })).collect()
        };
    }

    fn evaluate(&self, expression: &str) -> Result<Vec<serde_json::Value>, String> {
        expr::evaluate_bounded(&self.verifier.exe, expression, self.request.document)
            .map_err(|error| error.to_string())
    }

    /// The commands, in order; the first one that fails ends it.
    fn look_at_commands(
        &mut self,
        criterion: &Criterion,
        changes: &Changes,
        report: &mut VerifyReport,
    ) -> Result<(), Broken> {
        let checks = criterion.checks();
        let commands: Vec<&Check> =
            checks.into_iter().filter(|c| c.kind.command().is_some()).collect();
        let mut reds: Option<BTreeMap<CheckId, Proof>> = None;
        let mut failed = false;
        for check in commands {
            if self.cancel.is_cancelled() {
                break;
            }
            let (proof, hopeless) = if let CheckKind::Red(_) = &check.kind {
                if reds.is_none() {
                    let (proofs, left) = self.look_at_red(criterion, changes)?;
                    (reds, report.red) = (Some(proofs), left);
                }
                let Some(proof) = reds.as_mut().and_then(|reds| reds.remove(&check.id)) else {
                    break;
                };
                (proof, false)
            } else if let CheckKind::Green(suite) = &check.kind {
                (self.look_at_green(check, suite)?, false)
            } else {
                self.look_at_command(check)?
            };
            failed |= proof.holds != Holds::Yes;
            report.proofs.push(self.marked_unstable(self.with_conditions(proof, check), check));
            if hopeless || (failed && criterion.judge(&known(report)) == Holds::No) {
                break;
            }
        }
        Ok(())
    }

    /// Says in a proof what was open while it was made: nobody should take it for more than it is.
    pub(super) fn with_conditions(&self, mut proof: Proof, check: &Check) -> Proof {
        let level = self.verifier.rooms.level();
        if *level != Level::Namespaces {
            proof.summary.push_str(&format!("; level: {}", level.name()));
        }
        let Some(command) = check.kind.command() else { return proof };
        if command.room.network == RoomNetwork::Host {
            proof.summary.push_str("; network: host");
        }
        if !command.room.hosts.is_empty() {
            proof.summary.push_str(&format!("; hosts: {}", command.room.hosts.join(", ")));
        }
        if !command.room.expose.is_empty() {
            proof.summary.push_str(&format!("; shown besides: {}", command.room.expose.join(", ")));
        }
        proof
    }

    /// Says in a proof that the check answered otherwise on the same files before.
    fn marked_unstable(&self, mut proof: Proof, check: &Check) -> Proof {
        let Some(command) = check.kind.command() else { return proof };
        // A command that was stopped, by a person or for lack of time, said nothing about the files.
        if proof.holds == Holds::Unknown || self.cancel.is_cancelled() {
            return proof;
        }
        let code = &self.request.snapshot.code;
        let kind = match (&check.kind, Wanted::of(&check.kind, self.request.known_failures)) {
            (CheckKind::Run { .. }, _) => vec![b"answer".to_vec()],
            (_, Some(wanted)) => wanted.pass_key().to_vec(),
            // What `red` and `green` ask changes with the step that they belong to.
            (_, None) => return proof,
        };
        let uncached = CheckCommand { cache: true, ..command };
        let Some(key) = self.key_of(code, &uncached, &kind).filter(|_| !proof.cached) else {
            return proof;
        };
        if self.verifier.rooms.answers_differ(&key.0, proof.holds == Holds::Yes) {
            proof.summary.push_str("; unstable: it answered otherwise on the same files before");
            let is_work = |cause: &Cause| cause.category.is_of_work();
            if proof.holds == Holds::No && proof.cause.as_ref().is_none_or(is_work) {
                proof.cause = Some(Cause::of(Category::Flaky));
            }
        }
        proof
    }

    /// One command, unless it is known to pass; and whether no other has a chance either.
    fn look_at_command(&mut self, check: &Check) -> Result<(Proof, bool), Broken> {
        let began = Instant::now();
        // What was copied is a part of the key.
        self.verifier.ensure_layers(self.place)?;
        let key = self.pass_key(&check.kind);
        if let Some(key) = key
            && let Some(pass) = self.verifier.passes.pass(key)?
            && let Ok(proof) = serde_json::from_slice::<Proof>(&pass.bytes)
        {
            return Ok((Proof { check: check.id, cached: true, ..proof }, false));
        }
        // A new one for every command: the one before ran the agent's code, which may have written
        // into the very files that this one looks at.
        let room = match self.room(&self.request.snapshot.code)? {
            Ok(room) => room,
            Err(seen) => return Ok((seen.proof(check, began), true)),
        };
        let seen = self.command(&room, &check.kind)?;
        let seen = self.of_sign(self.sign_of(check), &check.kind, seen);
        let proof = self.settled(seen, check)?.proof(check, began);
        if proof.holds == Holds::Yes
            && let Some(key) = key
        {
            let bytes = serde_json::to_vec(&proof).map_err(std::io::Error::from)?;
            self.passes.push(NewPass { key, bytes });
        }
        Ok((proof, false))
    }

    /// What the criterion of the step wants of a check.
    fn sign_of(&self, check: &Check) -> Sign {
        let signed = self.request.step.done.iter().flat_map(Criterion::signed);
        let mut signs = signed.filter(|(_, other)| other.id == check.id).map(|(sign, _)| sign);
        signs.next().unwrap_or(Sign::For)
    }

    /// What was seen, where it matters what was wanted: below a `not`, a search that could not look has no
    /// answer.
    pub(super) fn of_sign(&self, sign: Sign, kind: &CheckKind, seen: Seen) -> Seen {
        let command = kind.command().map_or("", |command| command.command);
        let ended = seen.ended().map(|ended| &ended.outcome);
        match ended.is_some_and(|outcome| could_not_look(command, outcome)) {
            true if sign == Sign::Against && seen.fails() => seen.without_answer(),
            true | false => seen,
        }
    }

    /// A room with exactly this code, prepared; or why it cannot be.
    pub(super) fn room(&self, code: &ObjectId) -> Result<Result<Room, Seen>, Broken> {
        self.verifier.ensure_layers(self.place)?;
        let (verifier, plan) = (self.verifier, self.request.plan);
        let warm = Warmth::Warm;
        Ok(match verifier.prepared(self.engine, plan, code, warm, self.cancel)? {
            Ok(below) => {
                let room = verifier.rooms.open(code, &below)?;
                fault::point("room-made");
                Ok(room)
            }
            Err((command, ran)) => {
                let summary = format!("prepare `{command}` {}", ran.words(Span::minutes(30)));
                let seen = Seen::from_command(false, summary, ran).without_answer();
                Err(self.settled_prepare(seen, &command)?)
            }
        })
    }

    /// What a command is run with; or why a variable that it gets cannot be worked out.
    pub(super) fn command_request<'c>(
        &self,
        command: &CheckCommand<'c>,
    ) -> Result<CommandRequest<'c>, String> {
        Ok(CommandRequest {
            command: command.command,
            folder: command.folder,
            timeout: command.timeout,
            env: self.variables(command)?,
            network: match command.room.network {
                RoomNetwork::None => ViewNetwork::Own,
                RoomNetwork::Host => ViewNetwork::Host,
            },
            rights: if command.room.agents_own { Rights::None } else { Rights::Users },
            proxy: self.verifier.proxy_for_check(&command.room.hosts)?,
            expose: self.verifier.below_home(&command.room.expose),
            caches: Caches::Read,
        })
    }

    /// The variables of a command, under the names that the workflow chose: a text as it is, anything
    /// else as JSON; nothing for `null`.
    fn variables(&self, command: &CheckCommand<'_>) -> Result<Vec<(String, String)>, String> {
        let mut variables = Vec::new();
        for (name, expression) in &command.room.variables {
            let values = self.evaluate(expression).map_err(|why| format!("`{name}`: {why}"))?;
            let Some(value) = values.first().filter(|value| !value.is_null()) else { continue };
            let text = as_text(value);
            if text.contains('\0') || text.len() > MAX_VARIABLE_BYTES {
                return Err(format!("`{name}`: the value does not fit into a variable"));
            }
            variables.push((name.clone(), text));
        }
        Ok(variables)
    }

    pub(super) fn command(&self, room: &Room, check: &CheckKind) -> Result<Seen, Broken> {
        let Some(CheckCommand { command, folder, timeout, .. }) = check.command() else {
            return Ok(Seen::unanswered("this is not a command".to_owned()));
        };
        if let Some(folder) = folder
            && !room.layers().is_folder(folder)
        {
            return Ok(Seen::unanswered(format!(
                "run `{command}`: `{folder}` is not a folder of the work"
            )));
        }
        let Some(asked) = check.command() else {
            return Ok(Seen::unanswered("this is not a command".to_owned()));
        };
        let request = match self.command_request(&asked) {
            Ok(request) => request,
            Err(why) => return Ok(Seen::unanswered(format!("run `{command}`: {why}"))),
        };
        if let Some(wanted) = Wanted::of(check, self.request.known_failures) {
            return self.reports(room, &wanted, &request);
        }
        if let Some(inner) = negated_command(command) {
            // The shell's `!` would make a success of a program that is not there.
            let request = CommandRequest { command: inner, ..request };
            let ran = self.verifier.run(room, &request, self.cancel)?;
            fault::point("evidence-kept");
            let summary = format!("run `{command}`: `{inner}` {}", ran.words(timeout));
            let failed = !ran.succeeded() && ran.answered();
            let failed = failed && !could_not_look(inner, &ran.report.outcome);
            let no_answer = !ran.succeeded() && !failed;
            let seen = Seen::from_command(failed, summary, ran);
            return Ok(if no_answer { seen.without_answer() } else { seen });
        }
        let ran = self.verifier.run(room, &request, self.cancel)?;
        fault::point("evidence-kept");
        let summary = format!("run `{command}` {}", ran.words(timeout));
        Ok(Seen::from_command(ran.succeeded(), summary, ran))
    }

    /// What a pass depends on; none when it may not be used again.
    fn pass_key(&self, check: &CheckKind) -> Option<PassKey> {
        let kind = match Wanted::of(check, self.request.known_failures) {
            // That a command passed says nothing about what it reported.
            Some(wanted) => wanted.pass_key().to_vec(),
            None => vec![PASS_FORMAT.to_vec()],
        };
        let command = check.command().filter(|command| self.may_be_kept(command))?;
        self.key_of(&self.request.snapshot.code, &command, &kind)
    }

    /// Whether a pass may be used again at all. What a command reaches over the network or beside its
    /// room changes without anybody noticing.
    pub(super) fn may_be_kept(&self, asked: &CheckCommand<'_>) -> bool {
        let prepares = &self.request.plan.prepare;
        asked.room.network == RoomNetwork::None
            && asked.room.hosts.is_empty()
            && asked.room.expose.is_empty()
            && prepares.iter().all(|prepare| prepare.expose.is_empty())
    }

    /// What a pass of this command on this code depends on; `kind` is what else was looked at.
    pub(super) fn key_of(
        &self,
        code: &ObjectId,
        asked: &CheckCommand<'_>,
        kind: &[Vec<u8>],
    ) -> Option<PassKey> {
        let CheckCommand { command, folder, cache: true, env, .. } = asked else {
            return None;
        };
        let mut hasher = blake3::Hasher::new();
        let mut part = |bytes: &[u8]| {
            hasher.update(&(bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        };
        part(KEY_FORMAT);
        kind.iter().for_each(|bytes| part(bytes));
        part(code.as_str().as_bytes());
        part(command.as_bytes());
        part(folder.unwrap_or_default().as_bytes());
        for name in *env {
            let value = self.verifier.env.iter().find(|(known, _)| known == name);
            part(name.as_bytes());
            part(value.map_or(&b""[..], |(_, value)| value.as_bytes()));
        }
        for prepare in &self.request.plan.prepare {
            // Its inputs are part of the code; which of them it sees is not.
            part(prepare.run.as_bytes());
            part(prepare.folder.as_deref().unwrap_or_default().as_bytes());
            part(prepare.lock.as_deref().unwrap_or_default().as_bytes());
            part(prepare.inputs.join("\n").as_bytes());
            part(&self.verifier.tools(&prepare.run));
        }
        part(self.verifier.rooms.level().name().as_bytes());
        part(&self.verifier.tools(command));
        part(self.verifier.rooms.copied().holds.as_bytes());
        for (path, hash) in &self.verifier.carried {
            part(path.as_bytes());
            part(hash.as_str().as_bytes());
        }
        for (name, value) in self.variables(asked).ok()? {
            part(name.as_bytes());
            part(value.as_bytes());
        }
        part(format!("{:?}", asked.room.network).as_bytes());
        for path in &asked.room.expose {
            part(path.as_bytes());
        }
        Some(PassKey(*hasher.finalize().as_bytes()))
    }
}

fn known(report: &VerifyReport) -> impl Fn(windlass_core::plan::CheckId) -> Holds {
    let seen: BTreeMap<_, _> =
        report.proofs.iter().map(|proof| (proof.check, proof.holds)).collect();
    move |check| seen.get(&check).copied().unwrap_or(Holds::Unknown)
}

/// Whether a check of the step bounds the number of changed lines.
fn counts_lines(step: &PlanStep) -> bool {
    let checks = step.done.as_ref().map(Criterion::checks).unwrap_or_default();
    checks.iter().any(|check| matches!(check.kind, CheckKind::Diff { max_lines: Some(_), .. }))
}

fn as_text(value: &serde_json::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Whether the words of a link that leads to nothing stay below `root`.
fn leads_inside(root: &Path, link: &str) -> bool {
    let Ok(target) = root.join(link).read_link() else { return false };
    if target.is_absolute() {
        return false;
    }
    let mut depth = Path::new(link).components().count().saturating_sub(1);
    for part in target.components() {
        match part {
            Component::ParentDir if depth == 0 => return false,
            Component::ParentDir => depth -= 1,
            Component::Normal(_) => depth += 1,
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    true
}

pub(super) fn few(paths: &[String]) -> String {
    match paths {
        [first, second, third, rest @ ..] if !rest.is_empty() => {
            format!("{first}, {second}, {third} and {} more", rest.len())
        }
        _ => paths.join(", "),
    }
}

pub(super) fn cut(text: &str, max: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(max) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
