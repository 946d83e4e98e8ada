//! How often a step may be tried, all told: one number that a person sets, and what follows from it.

/// Waits and blockers that cost no try, for each of a step's `retries`. With the usual backoff the eight of
/// a single try take minutes, and those of three tries a night.
const FREE_PER_TRY: u32 = 8;

/// Rounds of an attempt in a session, besides one for each of a step's `retries`: going on in the same
/// conversation costs less than a new agent, and so comes first also where there is one try.
const MORE_ROUNDS: u32 = 2;

/// Attempts that may be lost in a row, for each of a step's `retries` and once more. What is lost costs no
/// try, and a machine that is restarted a few times in a night is no fault of the step.
const LOST_PER_TRY: u32 = 5;

/// The bounds of one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepBounds {
    /// Tries: what a person sets.
    pub tries: u32,
    /// Failures of the surroundings that cost no try.
    pub free: u32,
    /// Attempts that are lost in a row before the run pauses.
    pub lost: u32,
    /// Rounds of an attempt in a session: how often its work is judged.
    pub rounds: u32,
}

/// Returns what follows from a step's `retries`.
pub const fn step_bounds(retries: u32) -> StepBounds {
    StepBounds {
        tries: retries,
        free: retries.saturating_mul(FREE_PER_TRY),
        lost: retries.saturating_add(1).saturating_mul(LOST_PER_TRY),
        rounds: retries.saturating_add(MORE_ROUNDS),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_number_bounds_all_that_can_happen_to_a_step() {
        let usual = StepBounds { tries: 3, free: 24, lost: 20, rounds: 5 };
        assert_eq!(step_bounds(3), usual);
        assert_eq!(step_bounds(1), StepBounds { tries: 1, free: 8, lost: 10, rounds: 3 });
        let most = step_bounds(u32::MAX);
        assert_eq!((most.lost, most.rounds), (u32::MAX, u32::MAX), "no number wraps");
    }
}
