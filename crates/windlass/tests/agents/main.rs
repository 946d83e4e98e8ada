//! The real agent CLIs through the whole of windlass, against a scripted model on loopback.

mod autonomous;
mod broken;
mod crashes;
mod feature;
mod guards;
mod hosted;
mod limits;
mod plugin;
mod proving;
mod refused;
mod same;
mod stalled;
mod support;
