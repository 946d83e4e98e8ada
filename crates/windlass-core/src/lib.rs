//! The pure part of windlass. In flow order:
//!
//! - [`workflow`]: what the user wrote, parsed and checked.
//! - [`role`]: the agents that steps name, and [`mcp`], the servers that agents are offered.
//! - [`plan`]: a workflow with its inputs filled in, frozen into a run's first event.
//! - [`reach`]: paths and hosts that a room or a box opens besides; [`bytes`]: sizes.
//! - [`platform`]: what a repository is built with, and how that is built, tested and judged.
//! - [`markdown`]: documents of people, read with the place of everything; [`tasks`]: TASKS.md and its graph;
//!   [`spec`]: specs of requirement blocks, and deltas that change them; [`quality_gates`]: commands that have to pass;
//!   [`constitution`]: rules of a repository.
//! - [`item`]: what a step repeats over, and task lists read as such.
//! - [`story`]: items with acceptance criteria, and the file of an agent that they are read from;
//!   [`question`]: what an agent wants to know first; [`judgement`]: what a judge's report says;
//!   [`paper`]: what is wrong with such a file.
//! - [`run`]: the machine. `decide` says what follows from an input, `apply` is the only mutator,
//!   `outstanding` says what should be happening now.
//! - [`measure`]: figures from the files that tools wrote: tests, coverage, ticked boxes.
//! - [`simulate`]: the machine walked with stub agents, to see a workflow before it runs.
//! - [`proof`]: what the verifier reports, and how a criterion is judged from it.
//! - [`protect`]: files that judge the work, and what of a change to one counts.
//! - [`deps`]: services outside the repository that a piece of work needs.
//! - [`failure_rules`]: what a user's own rules say about an attempt that failed.
//! - [`prompt`]: what an agent is told; [`commit`]: what the commits of its work say.
//! - [`guard`]: what an agent is about to do, looked at before it does it.
//! - [`config`]: what a team and a user have set, and where each setting comes from.
//! - [`hint`]: what a check reached for outside its room, and what would open it.
//! - [`init`]: what a repository is built with, and workflows filled in for it.
//! - [`import`]: `phases.conf` as a workflow.
//! - [`plugin`]: what a hosting session is given, and how it gets into the host's own files.
//! - [`view`]: projections of a run for people and for jq.
//!
//! Nothing here reads a file, a clock, an environment variable or a random number: whatever a
//! decision needs arrives inside an [`run::Input`], so the same journal always gives the same
//! decisions.

pub mod bytes;
pub mod commit;
pub mod config;
pub mod constitution;
pub mod deps;
pub mod failure_rules;
pub mod glob;
pub mod guard;
pub mod hint;
pub mod hook;
pub mod id;
pub mod import;
pub mod init;
pub mod item;
pub mod judgement;
pub mod judges;
pub mod markdown;
pub mod mcp;
pub mod measure;
pub mod outcome;
pub mod paper;
pub mod plan;
pub mod platform;
pub mod plugin;
pub mod prompt;
pub mod proof;
pub mod protect;
pub mod quality_gates;
pub mod question;
pub mod reach;
pub mod role;
pub mod run;
pub mod simulate;
pub mod snapshot;
pub mod source;
pub mod spec;
pub mod story;
pub mod tasks;
pub mod time;
pub mod view;
pub mod workflow;
