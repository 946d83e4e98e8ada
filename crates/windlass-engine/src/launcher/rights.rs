//! Which capabilities a program keeps.

use rustix::thread::{CapabilitySet, CapabilitySets};

use super::view::Rights;

/// Takes every capability away that a program does not keep, for all that comes after.
///
/// Who may not take one out of the bounding set cannot gain it either: nothing below gets new privileges.
pub(super) fn give_up(rights: Rights) -> rustix::io::Result<()> {
    let kept = match rights {
        Rights::None => CapabilitySet::empty(),
        Rights::Users => {
            CapabilitySet::CHOWN
                | CapabilitySet::DAC_OVERRIDE
                | CapabilitySet::FOWNER
                | CapabilitySet::SETGID
                | CapabilitySet::SETUID
        }
    };
    let kept = if rustix::process::geteuid().is_root() { kept } else { CapabilitySet::empty() };
    for capability in CapabilitySet::all().difference(kept).iter() {
        match rustix::thread::remove_capability_from_bounding_set(capability) {
            // An older kernel does not know the newest ones.
            Ok(()) | Err(rustix::io::Errno::INVAL | rustix::io::Errno::PERM) => {}
            Err(error) => return Err(error),
        }
    }
    rustix::thread::clear_ambient_capability_set()?;
    let sets =
        CapabilitySets { effective: kept, permitted: kept, inheritable: CapabilitySet::empty() };
    rustix::thread::set_capabilities(None, sets)
}
