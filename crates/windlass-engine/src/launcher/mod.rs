//! Windlass re-executed around one attempt or check.
//!
//! A launcher confines a program, owns every process below it and ends them all. It is a process of
//! its own, with one thread, so that it survives nothing it should not and outlives nothing either:
//! the engine may be killed at any instant, and the launcher notices because its socket closes.
//!
//! In the order of a launch:
//!
//! - [`policy`]: what it is told and what it answers.
//! - `entry`: its `main`; `registry`: where it says that it is there, and what for.
//! - [`view`]: what the program sees of the machine; `namespace` (outer half), `init` and `mounts`
//!   (inner half) carry it out.
//! - `child`: the program's start; [`confine`] and `grants` (Landlock), `seccomp`, `cgroup`.
//! - `supervise`: the loop; `capture` (output), `life` (signs of life), `disk`, `signals`.
//! - `sweep`: the end of everything below.
//! - `os`: system calls without a safe wrapper.
//!
//! Invariant: when a launcher exits, nothing below it is alive. Design page:
//! `docs/design/launcher.md`. The engine's side is [`crate::process`].

mod capture;
pub(crate) mod cgroup;
mod child;
pub mod confine;
mod disk;
mod entry;
mod grants;
pub(crate) mod init;
mod life;
mod mount_points;
mod mounts;
mod namespace;
mod os;
pub mod policy;
mod registry;
mod rights;
mod seccomp;
mod signals;
pub(crate) mod supervise;
mod sweep;
pub mod view;

pub use cgroup::{Support as CgroupSupport, support as cgroup_support};
pub use entry::main_launch;
pub use policy::{
    CgroupUse, Confinement, ConfinementMode, DiskLimit, HereNetwork, LaunchPolicy, LaunchReport,
    Limits, Started,
};
pub use registry::{Launched, launched};

/// Returns a span in the kernel's type.
pub(crate) fn timespec(span: std::time::Duration) -> rustix::event::Timespec {
    rustix::event::Timespec {
        tv_sec: i64::try_from(span.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(span.subsec_nanos()),
    }
}
