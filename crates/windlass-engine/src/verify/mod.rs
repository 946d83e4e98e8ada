//! The judge: looks at a snapshot from outside and reports what it saw.
//!
//! It decides nothing: it produces one [`Proof`](windlass_core::proof::Proof) per check, and the
//! core judges the criterion from them. Commands run in a verifier tree that no agent has touched,
//! each below a launcher that lets it write only there. Files are looked at in the place, after
//! everything that the attempt started is dead.

mod base_run;
mod baseline;
mod cancel;
mod causes;
mod changes;
mod checklist;
mod clone_files;
mod cold;
mod commands;
mod files;
mod green;
mod held;
mod hints;
mod nonsense;
mod papers;
mod preflight;
mod prepared;
mod protected;
mod red;
mod report_files;
mod reports;
mod seen;
mod suites;
mod tests_named;
mod verifier;

pub use base_run::{BaseProgress, run_baseline};
pub use baseline::{BaselineFiles, take_baseline_files};
pub use cancel::Cancel;
pub use cold::ColdRequest;
pub(crate) use files::matching_files;
pub use green::RedStep;
pub use preflight::{PreflightError, first_program, is_found, preflight};
pub use protected::{Found, protected_between};
pub use verifier::{Broken, Verification, Verifier, VerifyRequest};
