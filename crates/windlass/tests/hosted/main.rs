//! A session drives a run through its hooks. The host is played by the test; the real one is in
//! `agents::hosted`.

mod autonomous;
mod callers;
mod crash;
mod gates;
mod guards;
mod in_session;
mod life;
mod loops;
mod owners;
mod questions;
mod starts;
mod support;
mod teams;
