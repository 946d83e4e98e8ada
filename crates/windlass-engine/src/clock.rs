//! The clock, read in one place.

use windlass_core::time::Timestamp;

/// Returns the moment it is.
pub fn now() -> Timestamp {
    Timestamp(jiff::Timestamp::now().as_millisecond())
}
