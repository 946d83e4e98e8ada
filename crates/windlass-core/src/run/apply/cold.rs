//! The proof on a fresh clone, from its beginning to its end.

use super::{Applied, expect_next};
use crate::run::Event;
use crate::run::cold::{ColdProof, ColdSubject};
use crate::run::state::RunState;

impl RunState {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "`apply` matches every event and sends only these here"
    )]
    pub(super) fn apply_to_cold(&mut self, event: &Event) -> Applied {
        match event {
            Event::ColdProofBegan { proof, code, checks } => {
                expect_next(event, *proof, self.cold.proofs)?;
                if self.cold.going_on.is_some() {
                    return Err(self.wrong_control(event));
                }
                let subject = ColdSubject { code: code.clone(), checks: checks.clone() };
                let going_on = ColdProof { proof: *proof, subject, since: self.now };
                (self.cold.proofs, self.cold.going_on) = (*proof, Some(going_on));
            }
            Event::ColdProofHeld { proof, .. } => {
                self.cold.held = Some(self.end_cold_proof(*proof, event)?);
            }
            Event::ColdProofFailed { proof, step, .. } => {
                self.index(event, step)?;
                self.end_cold_proof(*proof, event)?;
                self.cold.failures = self.cold.failures.saturating_add(1);
            }
            Event::ColdProofBroken { proof, .. } | Event::ColdProofAbandoned { proof } => {
                self.end_cold_proof(*proof, event)?;
            }
            Event::ColdProofWaived { reason } => self.cold.waived = Some(reason.clone()),
            _ => return Err(self.wrong_control(event)),
        }
        self.since = self.now;
        Ok(())
    }

    fn end_cold_proof(
        &mut self,
        proof: u32,
        event: &Event,
    ) -> Result<ColdProof, super::IllegalEvent> {
        let going_on = self.cold.going_on.take_if(|going_on| going_on.proof == proof);
        let Some(ended) = going_on else { return Err(self.wrong_control(event)) };
        self.spent.wall = self.spent.wall.plus(self.now.since(ended.since));
        Ok(ended)
    }
}
