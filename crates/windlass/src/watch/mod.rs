//! The live view of a run.
//!
//! ```text
//!  terminal ─► keys ──┐                      ┌─► draw (pure)
//!  clock ────► ticks ─┼─► update (pure) ─────┤
//!  journal, /proc ────┘        ▲             └─► actions: ask the source, decide, leave
//!     (source)                 └── pages, answers ◄───────────────┘
//! ```
//!
//! [`Screen`] is all that is known, `update` changes it and says what is to be done, `draw` shows
//! it. Neither touches a clock, a file or a terminal. The source only reads; decisions take the same
//! way as those of the other commands. Leaving the view never stops the run.

mod below;
mod compact;
mod decide;
mod draw;
mod keys;
mod live;
mod look;
mod pager;
mod pages;
mod run;
mod screen;
mod shown;
mod source;
mod terminal;
mod text_input;
mod update;
#[cfg(test)]
mod update_tests;

pub(crate) use below::{Below, LastLine};
pub(crate) use run::watch;
