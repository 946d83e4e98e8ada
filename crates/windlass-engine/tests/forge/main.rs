//! The forge side against real git, real bare remotes and a scripted `gh`.

#![expect(clippy::unwrap_used, reason = "a test that cannot set its world up has failed")]

mod gh;
mod killed;
mod loopback;
mod publish;
mod push;
mod real_gh;
mod real_lfs;
mod world;
