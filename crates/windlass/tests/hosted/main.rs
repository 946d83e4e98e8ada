//! A session drives a run through its hooks. The host is played by the test; the real one is in
//! `agents::hosted`.

mod gates;
mod life;
mod support;
