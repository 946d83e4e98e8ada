//! Landlock: a program writes, and where there is a list also reads, what it was allowed to.
//!
//! The ruleset is built in the launcher, where a failure can be told in words, and put in force in
//! the child between fork and exec. From then on no process below can lift it. What is handled:
//!
//! - **every right to change files** that the kernel's ABI knows: create, remove, rename, write,
//!   truncate, device ioctls;
//! - **reading and executing files**, where the policy has a list: those of attempts and checks do.
//!   That a file is there, its size and its times can be seen all the same;
//! - **signals and abstract sockets** to processes outside (ABI 6): an agent can end its own
//!   children but neither the launcher nor the engine. The launcher is outside the domain, so its
//!   own signals go through.
//!
//! What Landlock does not mediate, and this therefore does not stop: `chmod`, `chown`, `utimes` and
//! extended attributes, all network but what a later rule would name, Unix sockets with a path, and
//! a program that asks a service outside to act for it.

use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetError, Scope,
};
use thiserror::Error;

use super::grants::{self, Grants};
use super::os;
use super::policy::{Confinement, HereNetwork};
use super::view::{Rights, View, ViewNetwork};

/// Device files that programs open for writing as a matter of course, and shared memory.
const DEVICES: [&str; 9] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/pts",
    "/dev/shm",
];

/// What this machine can enforce.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConfinementLevel {
    /// Landlock with this ABI.
    Landlock {
        /// 1 files, 2 renames across folders, 3 truncation, 5 device ioctls, 6 signals.
        abi: i32,
    },
    /// Nothing.
    None {
        /// Why.
        reason: String,
    },
}

/// Returns what this machine can enforce.
pub fn level() -> ConfinementLevel {
    match os::landlock_abi() {
        Ok(abi) if abi > 0 => ConfinementLevel::Landlock { abi },
        Ok(_) => ConfinementLevel::None { reason: "landlock has no ABI".to_owned() },
        Err(error) => ConfinementLevel::None { reason: format!("landlock is not there: {error}") },
    }
}

/// Why a program cannot be confined.
#[derive(Debug, Error)]
pub(super) enum ConfineError {
    /// The kernel lacks what it takes.
    #[error("{0}")]
    Unsupported(String),
    /// The kernel refused the ruleset.
    #[error("failed to build the landlock ruleset: {0}")]
    Ruleset(#[from] RulesetError),
}

/// A ruleset that is ready to be put in force, and what it enforces.
pub(super) struct Ready {
    pub(super) ruleset: RulesetCreated,
    pub(super) words: String,
}

/// The least ABI that counts as confined.
///
/// Before 3 a program can empty any file that it may open by path, with `truncate`, and before 2 it
/// cannot rename between its own folders, which breaks honest work.
pub(crate) const LEAST_ABI: i32 = 3;

/// Builds the ruleset for `confinement`.
pub(super) fn prepare(confinement: &Confinement) -> Result<Ready, ConfineError> {
    let abi = match level() {
        ConfinementLevel::Landlock { abi } if abi >= LEAST_ABI => abi,
        ConfinementLevel::Landlock { abi } => {
            let reason = format!("landlock abi {abi} does not cover truncation");
            return Err(ConfineError::Unsupported(reason));
        }
        ConfinementLevel::None { reason } => return Err(ConfineError::Unsupported(reason)),
    };
    // ABI 9 counts connecting to a socket with a path as a write. The driver's own socket is one,
    // and it authenticates its callers, so that right stays out of the ruleset.
    let known = ABI::from(abi.min(8));
    let writing = AccessFs::from_write(known);
    let reading = AccessFs::from_read(known);
    let handled = if confinement.read.is_some() { writing | reading } else { writing };
    let scopes = Scope::from_all(known);

    let mut grants = grants::work_out(&confinement.write, &confinement.never);
    grants.paths.extend(grants::work_out(&confinement.within, &[]).paths);
    let asked = grants.paths.len();
    let devices: Vec<PathBuf> =
        DEVICES.iter().map(PathBuf::from).filter(|path| path.exists()).collect();
    grants.paths.extend(grants::work_out(&devices, &confinement.never).paths);

    // What the kernel said it knows it must also take: best effort was applied by asking for its ABI.
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(handled)?;
    if !scopes.is_empty() {
        ruleset = ruleset.scope(scopes)?;
    }
    let mut ruleset = ruleset.create()?;
    let read = confinement.read.iter().flatten().map(|path| (path, reading));
    for (path, rights) in grants.paths.iter().map(|path| (path, handled)).chain(read) {
        // One that vanished since it was listed needs no rule.
        let Ok(descriptor) = PathFd::new(path) else { continue };
        let rights = if path.is_dir() { rights } else { rights & AccessFs::from_file(known) };
        ruleset = ruleset.add_rule(PathBeneath::new(descriptor, rights))?;
    }
    let words = describe(abi, asked, &grants, !scopes.is_empty(), confinement.network);
    Ok(Ready { ruleset, words })
}

/// The least ABI with scopes: signals and abstract sockets.
const SCOPES_ABI: i32 = 6;

/// Says why a program that has the machine's network reaches the abstract sockets of the machine, those
/// of a desktop and its message bus among them; `Ok` where Landlock keeps it from them.
///
/// # Errors
/// The kernel has no scopes; the text says which Landlock it has.
pub fn scopes() -> Result<(), String> {
    match level() {
        ConfinementLevel::Landlock { abi } if abi >= SCOPES_ABI => Ok(()),
        ConfinementLevel::Landlock { abi } => {
            Err(format!("landlock abi {abi} does not cover abstract sockets"))
        }
        ConfinementLevel::None { reason } => Err(reason),
    }
}

/// Builds the ruleset of a program in a view; none where there is nothing that it would add.
///
/// What a program may write is decided by mounts. In a box every path is granted, so that what is left
/// are the scopes, and that no namespace of its own can mount anything. Suites in rooms may bring
/// sandboxes of their own, which fail where Landlock handles files: there it is the scopes alone, and
/// only where the network is the machine's, because a network of its own has no abstract socket of
/// anybody else.
pub(super) fn inside(view: &View) -> Result<Option<RulesetCreated>, ConfineError> {
    let ConfinementLevel::Landlock { abi } = level() else { return Ok(None) };
    let known = ABI::from(abi.min(8));
    let scopes = Scope::from_all(known);
    let ruleset = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    match (view.rights, view.network) {
        (Rights::None, _) => {
            let rights = AccessFs::from_write(known);
            let mut ruleset = ruleset.handle_access(rights)?;
            if !scopes.is_empty() {
                ruleset = ruleset.scope(scopes)?;
            }
            let root =
                PathFd::new("/").map_err(|error| ConfineError::Unsupported(error.to_string()))?;
            Ok(Some(ruleset.create()?.add_rule(PathBeneath::new(root, rights))?))
        }
        (Rights::Users, ViewNetwork::Host) if !scopes.is_empty() => {
            Ok(Some(ruleset.scope(scopes)?.create()?))
        }
        (Rights::Users, ViewNetwork::Host | ViewNetwork::Own) => Ok(None),
    }
}

/// Says what is enforced, for the attempt's record.
fn describe(abi: i32, asked: usize, grants: &Grants, scoped: bool, network: HereNetwork) -> String {
    let mut words = format!("landlock abi {abi}: writes only to {asked} paths; ");
    words += if scoped {
        "signals and abstract sockets stay inside; "
    } else {
        "signals to other processes open; "
    };
    words += match network {
        HereNetwork::Machine => "network open",
        HereNetwork::None => "no network, not even loopback",
    };
    if !grants.enumerated.is_empty() {
        words += "; entry by entry, no new names directly in: ";
        words += &list(grants.enumerated.iter().map(PathBuf::as_path));
    }
    for (path, reason) in &grants.refused {
        words += &format!("; not granted: {} ({reason})", path.display());
    }
    words
}

fn list<'a>(paths: impl Iterator<Item = &'a Path>) -> String {
    paths.map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}
