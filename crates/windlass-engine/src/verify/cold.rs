//! The last proof: what has to hold at the end, once more on a fresh clone.
//!
//! No earlier pass counts, and no tree that anything else has used: each command gets the files of the
//! commit, what `prepare` makes of them, and nothing besides.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::time::Instant;

use windlass_core::id::{ObjectId, StepIndex};
use windlass_core::plan::{Check, CheckId, CheckKind, Suite};
use windlass_core::proof::{Proof, VerifyReport};
use windlass_core::run::{ColdCheck, RunState};
use windlass_core::snapshot::Snapshot;
use windlass_core::time::Span;
use windlass_core::view;

use super::cancel::Cancel;
use super::commands::Ran;
use super::green::RedStep;
use super::prepared::Warmth;
use super::seen::Seen;
use super::suites::SuiteRun;
use super::verifier::{Broken, Looking, Verification, Verifier, VerifyRequest};
use crate::fault;
use crate::git::{EngineRepository, Place};
use crate::room::Below;

/// What is to be proven on a fresh clone: all of [`RunState::cold_checks`].
pub struct ColdRequest<'a> {
    /// The run as it is.
    pub state: &'a RunState,
    /// The code that is cloned.
    pub code: &'a ObjectId,
}

impl Verifier {
    /// Looks at what has to hold at the end, on a fresh clone: one record for each check, which is
    /// numbered by its place in the list. Trouble of the verifier itself is part of the report.
    pub fn verify_cold(
        &self,
        place: &Place,
        engine: &EngineRepository,
        request: &ColdRequest<'_>,
        cancel: &Cancel,
    ) -> Verification {
        let mut report = VerifyReport::empty();
        let (suites, patience) = (BTreeMap::new(), BTreeMap::new());
        let mut looking =
            LookingCold { verifier: self, place, engine, request, cancel, suites, patience };
        if let Err(broken) = looking.look(&mut report) {
            report.broken = Some(broken.to_string());
        }
        self.rooms.forget_cold();
        Verification { report, passes: Vec::new() }
    }
}

struct LookingCold<'a> {
    verifier: &'a Verifier,
    place: &'a Place,
    engine: &'a EngineRepository,
    request: &'a ColdRequest<'a>,
    cancel: &'a Cancel,
    /// Tests that were run for the `green` of one step, which those of others share.
    suites: BTreeMap<String, Result<SuiteRun, Seen>>,
    /// How long those who share a run would wait for it: it gets the longest time.
    patience: BTreeMap<String, Span>,
}

impl LookingCold<'_> {
    fn look(&mut self, report: &mut VerifyReport) -> Result<(), Broken> {
        let checks = self.request.state.cold_checks();
        if checks.is_empty() {
            return Ok(());
        }
        let below = match checks.iter().any(|check| check.kind.command().is_some()) {
            true => Some(self.prepared()?),
            // Files are looked for in the commit itself.
            false => None,
        };
        let below = below.as_ref().map(Result::as_ref);
        for check in &checks {
            if let CheckKind::Green(suite) = &check.kind {
                let longest = self.patience.entry(shared_name(suite, check.step)).or_default();
                *longest = suite.timeout.max(*longest);
            }
        }
        for (number, check) in (0..).zip(checks) {
            if self.cancel.is_cancelled() {
                break;
            }
            report.proofs.push(self.look_at(CheckId(number), check, below)?);
        }
        Ok(())
    }

    fn prepared(&self) -> Result<Result<Below, (String, Ran)>, Broken> {
        self.verifier.ensure_layers(self.place)?;
        let (plan, code) = (&self.request.state.plan, self.request.code);
        let below = self.verifier.prepared(self.engine, plan, code, Warmth::Cold, self.cancel)?;
        fault::point("cold-prepared");
        let state = self.request.state;
        let commit = (state.head_code == *code).then(|| state.head.clone());
        Ok(below.map(|below| Below { commit, ..below }))
    }

    fn look_at(
        &mut self,
        id: CheckId,
        asked: ColdCheck,
        below: Option<Result<&Below, &(String, Ran)>>,
    ) -> Result<Proof, Broken> {
        let began = Instant::now();
        let ColdRequest { state, code } = self.request;
        let wants_failure = asked.wants_failure();
        let (check, sign) = (Check { id, kind: asked.kind }, asked.sign);
        let papers = state.latest.as_ref().map_or(*code, |latest| &latest.papers).clone();
        let request = VerifyRequest {
            plan: &state.plan,
            step: state.plan.step(asked.step),
            baseline: None,
            first_code: None,
            red: state.plan.red_before(asked.step).map(|red| RedStep::of(state, red)),
            held: Vec::new(),
            known_failures: state.known_failures(),
            base_record: state.facts.base_record.as_ref(),
            rules: &state.facts.failure_rules,
            snapshot: &Snapshot { code: (*code).clone(), papers },
            proven_code: code,
            base_code: code,
            committed_code: code,
            pins: &state.pins,
            pinned_values: &state.pinned_values,
            has_unseen: false,
            context: &state.context_of(asked.step),
            document: &view::document_for(state, asked.step),
        };
        let mut looking = Looking {
            verifier: self.verifier,
            place: self.place,
            engine: self.engine,
            request: &request,
            cancel: self.cancel,
            passes: Vec::new(),
        };
        let proof = match (below, &check.kind) {
            (None, _) | (_, CheckKind::File { .. }) => {
                looking.file_of_clone(&check.kind)?.proof(&check, began)
            }
            (Some(Ok(below)), CheckKind::Green(suite)) => {
                let shared = shared_name(suite, asked.step);
                let run = match self.suites.entry(shared) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(first) => {
                        let timeout = self.patience.get(first.key()).copied();
                        let timeout = timeout.unwrap_or(suite.timeout);
                        let room = self.verifier.rooms.open(code, below)?;
                        fault::point("cold-room");
                        let suite = Suite { timeout, ..suite.clone() };
                        first.insert(looking.run_suite_in(&suite, &room)?)
                    }
                };
                match run {
                    Ok(run) => looking.look_at_green_again(&check, suite, run)?,
                    Err(seen) => looking.settled_cold(seen.clone(), &check)?.proof(&check, began),
                }
            }
            (Some(Ok(below)), _) => {
                let room = self.verifier.rooms.open(code, below)?;
                fault::point("cold-room");
                let seen = looking.command(&room, &check.kind)?;
                let mut seen = looking.of_sign(sign, &check.kind, seen);
                drop(room);
                if wants_failure && !self.cancel.is_cancelled() {
                    seen = looking.fails_for_its_reason(&check.kind, seen)?;
                }
                looking.settled_cold(seen, &check)?.proof(&check, began)
            }
            (Some(Err((command, ran))), _) => {
                let how = ran.words(Span::minutes(30));
                Seen::unanswered(format!("prepare `{command}` {how} on a fresh clone"))
                    .explained(ran.excerpt.clone())
                    .proof(&check, began)
            }
        };
        let needs_room = check.kind.command().is_some();
        let mut proof = match needs_room {
            true => looking.with_conditions(proof, &check),
            false => proof,
        };
        if proof.holds != sign.wanted() && needs_room && state.plan.prepare.is_empty() {
            proof.summary.push_str(
                " (a fresh clone has the commit and nothing else: `prepare` in the workflow makes what \
                 checks need, `cold: false` does without this proof)",
            );
        }
        Ok(proof)
    }
}

/// What two suites have in common whose run is one: all but which tests are theirs. One that sees
/// variables of its item is its step's own.
fn shared_name(suite: &Suite, step: StepIndex) -> String {
    let own = if suite.room.variables.is_empty() { None } else { Some(step) };
    let mut shared = suite.clone();
    (shared.tests, shared.timeout) = (Vec::new(), Span(0));
    format!("{shared:?} {own:?}")
}
