//! The last proof: what has to hold at the end, once more on a fresh clone.
//!
//! No earlier pass counts, and no tree that anything else has used: each command gets the files of the
//! commit, what `prepare` makes of them, and nothing besides.

use std::time::Instant;

use windlass_core::id::ObjectId;
use windlass_core::plan::{Check, CheckId, Holds};
use windlass_core::proof::{Proof, VerifyReport};
use windlass_core::run::{ColdCheck, RunState};
use windlass_core::snapshot::Snapshot;
use windlass_core::view;

use super::cancel::Cancel;
use super::verifier::{Broken, Looking, Verification, Verifier, VerifyRequest};
use crate::fault;
use crate::git::{EngineRepository, Place};

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
        let looking = LookingCold { verifier: self, place, engine, request, cancel };
        if let Err(broken) = looking.look(&mut report) {
            report.broken = Some(broken.to_string());
        }
        Verification { report, passes: Vec::new() }
    }
}

struct LookingCold<'a> {
    verifier: &'a Verifier,
    place: &'a Place,
    engine: &'a EngineRepository,
    request: &'a ColdRequest<'a>,
    cancel: &'a Cancel,
}

impl LookingCold<'_> {
    fn look(&self, report: &mut VerifyReport) -> Result<(), Broken> {
        for (number, check) in (0..).zip(self.request.state.cold_checks()) {
            if self.cancel.is_cancelled() {
                break;
            }
            report.proofs.push(self.look_at(CheckId(number), check)?);
        }
        if report.proofs.iter().any(|proof| proof.holds != Holds::Yes) {
            // Caches go on only from accepted code.
            self.forget_tree()?;
        }
        Ok(())
    }

    fn look_at(&self, id: CheckId, asked: ColdCheck) -> Result<Proof, Broken> {
        let began = Instant::now();
        let ColdRequest { state, code } = self.request;
        let check = Check { id, kind: asked.kind };
        let papers = state.latest.as_ref().map_or(*code, |latest| &latest.papers).clone();
        let request = VerifyRequest {
            plan: &state.plan,
            step: state.plan.step(asked.step),
            baseline: None,
            first_code: None,
            red: None,
            snapshot: &Snapshot { code: (*code).clone(), papers },
            proven_code: code,
            committed_code: code,
            pins: &state.pins,
            context: &state.context_of(asked.step),
            document: &view::document_for(state, asked.step),
        };
        let looking = Looking {
            verifier: self.verifier,
            place: self.place,
            engine: self.engine,
            request: &request,
            cancel: self.cancel,
            passes: Vec::new(),
        };
        self.forget_tree()?;
        fault::point("cold-tree");
        let seen = match looking.clean_tree(code)? {
            Ok(clean) => looking.command(clean, &check.kind)?,
            Err(unprepared) => unprepared,
        };
        Ok(seen.proof(&check, began))
    }

    /// Removes the verifier's tree, and with it what `prepare` made.
    fn forget_tree(&self) -> Result<(), Broken> {
        self.verifier.tree(self.place).discard()?;
        self.verifier.forget_prepared(&self.request.state.plan)?;
        Ok(())
    }
}
