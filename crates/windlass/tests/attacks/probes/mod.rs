//! The probes: what is tried within one attempt and one check, and seen at once.

mod deciding;
mod kernel;
mod network;
mod others;
mod reading;
mod staying;
mod writing;

use crate::probe::Probe;

/// Every probe, in the order of the table.
pub(crate) fn all() -> Vec<Probe> {
    let tables = [
        reading::PROBES,
        writing::PROBES,
        others::PROBES,
        kernel::PROBES,
        deciding::PROBES,
        staying::PROBES,
        network::PROBES,
        network::OFF,
    ];
    tables.concat()
}
