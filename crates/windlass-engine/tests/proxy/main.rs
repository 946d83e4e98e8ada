//! Real proxies as processes of their own, between clients and servers on loopback.
//!
//! The test binary is its own proxy: `spawn` starts it with the argument `__proxy`, which to the test
//! harness is a part of a test's name, and one test has such a name. In the same way `launcher_entry`
//! plays a launcher that gets killed.
//!
//! No test waits for time: each waits for a fact, with a deadline.
#![expect(clippy::unwrap_used, reason = "a test's support fails the test")]

mod ending;
mod load;
mod plain;
mod properties;
mod refusals;
mod socks;
mod support;
mod tunnels;
mod upstream;

#[test]
#[expect(non_snake_case, reason = "the argument is a part of the name")]
fn entry__proxy() {
    support::act_as_proxy();
}

#[test]
fn launcher_entry() {
    ending::act_as_launcher();
}
