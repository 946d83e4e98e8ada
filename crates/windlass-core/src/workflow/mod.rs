//! What the user wrote, parsed and checked.
//!
//! [`Workflow::parse`] turns the text of a workflow file into a [`Workflow`], or into everything
//! that is wrong with it, each finding with its place and a suggestion. [`Workflow::plan`] fills
//! in what a run is for. In flow order:
//!
//! - `yaml` builds a bounded tree of nodes that know their place.
//! - `grammar` has a row for every key; `schema` and `reference` are made of the same rows.
//! - `fields` reads typed values out of nodes; `step`, `team`, `check`, `measured_check`, `paper_check`,
//!   `tdd_check`, `route`,
//!   `input`, `mcp`, `room`, `network` and `settings` read the parts of the grammar, and `unsupported` lists what this version
//!   refuses.
//! - `order` looks up the names and sorts the steps; `route`, `foreach`, `claims` and `placeholder`
//!   check
//!   what needs the whole workflow to be seen.
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
pub(crate) mod diagnostic;
mod expression;
pub(crate) mod fields;
mod foreach;
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
pub(crate) mod quote;
mod reference;
pub(crate) mod room;
mod route;
mod schema;
mod settings;
pub(crate) mod step;
pub(crate) mod suggest;
pub(crate) mod tdd_check;
mod team;
mod unsupported;
pub(crate) mod yaml;

pub use definition::Workflow;
pub use diagnostic::{At, Diagnostic, Severity};
pub use expression::{Expression, ExpressionKind};
pub use input::{Input, InputType};
pub use modeline::modeline;
pub use reference::reference;
pub use schema::{
    SCHEMA_BESIDE_WORKFLOWS, SCHEMA_FILE, questions_schema, schema, schema_modeline, schema_text,
    stories_schema,
};
pub use suggest::nearest;
pub use yaml::MAX_SOURCE_BYTES;

pub(crate) use diagnostic::Located;
