//! What the user wrote, parsed and checked.
//!
//! [`Workflow::parse`] turns the text of a workflow file into a [`Workflow`], or into everything
//! that is wrong with it, each finding with its place and a suggestion. [`Workflow::plan`] fills
//! in what a run is for. In flow order:
//!
//! - `grammar` has a row for every key; `schema` and `reference` are made of the same rows.
//! - [`source`](crate::source) reads nodes and typed values; `templates`, `step`, `team`, `check`, `measured_check`, `paper_check`,
//!   `tdd_check`, `route`,
//!   `input`, `mcp`, `room`, `network` and `settings` read the parts of the grammar, and `unsupported` lists what this version
//!   refuses.
//! - `order` looks up the names and sorts the steps; `route`, `foreach`, `claims` and `placeholder`
//!   check
//!   what needs the whole workflow to be seen.
//! - `freeze` makes a plan of it, with what `freeze_platform` adds.
//!
//! `agents` says which names of agents have no role.
//!
//! jq expressions are only carried along: [`Workflow::expressions`] lists them for the edge, which
//! can compile them.

mod agents;
mod attempts;
mod builtin;
pub(crate) mod check;
pub(crate) mod claims;
mod definition;
mod expression;
mod foreach;
mod freeze;
mod freeze_platform;
pub(crate) mod grammar;
mod input;
pub(crate) mod mcp;
mod measured_check;
mod modeline;
pub(crate) mod network;
mod order;
mod paper_check;
mod placeholder;
pub(crate) mod protect;
mod reference;
pub(crate) mod room;
mod route;
mod schema;
mod settings;
pub(crate) mod step;
pub(crate) mod tdd_check;
mod team;
mod templates;
mod unsupported;

pub use crate::source::{At, Diagnostic, MAX_SOURCE_BYTES, Severity, nearest};
pub use definition::Workflow;
pub use expression::{Expression, ExpressionKind};
pub use input::{Input, InputType};
pub use modeline::modeline;
pub use reference::reference;
pub use schema::{
    SCHEMA_BESIDE_WORKFLOWS, SCHEMA_FILE, questions_schema, schema, schema_modeline, schema_text,
    stories_schema,
};
