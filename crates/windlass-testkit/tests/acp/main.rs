//! The client of the Agent Client Protocol, with real agents that play a script.

mod asking;
mod breaking;
mod speaking;
mod support;
