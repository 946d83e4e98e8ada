//! What a room or a box opens beyond the usual, as people write it: paths of the machine and hosts of
//! the network. Workflows and configurations say both, so both read them here.

mod exposed;
mod host;

pub use exposed::{BadExposed, LONGEST_EXPOSED, below_home, check_exposed};
pub use host::{BadHost, HostRule};
