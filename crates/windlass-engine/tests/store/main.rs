//! The store, from outside: what it promises, and every fault that it has to notice.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::print_stdout, reason = "children report through a pipe")]

mod crash;
mod damage;
mod journal;
mod room;
mod speed;
mod support;
