//! All git of the engine.
//!
//! In the order of a step: a run has a [`Place`] where agents work; what they left is
//! [observed](Place::observe) as a snapshot in the [`EngineRepository`]; snapshots are
//! [compared](EngineRepository::diff) there; checks run on what a fresh
//! clone would have, by a [`Checkout`]; and a proven step becomes a commit that is
//! [published](Place::publish) to the user's repository and to the place.
//!
//! The invariant of this module: **an agent's files are data.** No configuration, hook, filter,
//! attribute, monitor or alias that an agent can write is ever obeyed by a git process of the
//! engine, and nothing is written through a link that an agent made. `process` holds the first
//! half, `place_files` the second. An agent's ignore rules *are* obeyed: what it hides is then
//! missing where checks run as well, so hiding gains nothing.

mod aside;
mod base_files;
mod base_store;
mod blobs;
mod changes;
mod checkout;
mod clone_notes;
mod clone_view;
mod commit;
mod declared_tests;
mod diff;
mod disarm;
mod engine_repository;
mod git_error;
mod here;
mod history;
mod ignore_rules;
mod index;
mod leave;
pub mod lfs;
mod nested;
mod object;
mod object_files;
mod observe;
mod overlay;
mod papers;
mod patch;
mod pathspec;
pub(crate) mod pipes;
mod place;
pub mod place_files;
mod private_clone;
pub(crate) mod process;
mod publish;
mod push_bar;
mod remove;
mod reset;
mod restore;
mod run_dir;
mod settings_back;
mod submodule;
mod take;
mod tracked;
mod user;
mod user_environment;

pub use aside::BringError;
pub use base_files::BaseFiles;
pub use base_store::{BaseStoreError, remove_unused_stores};
pub use blobs::Bounds;
pub use changes::PAPERS;
pub use checkout::{Checkout, CheckoutError, LayerShape};
pub use clone_view::ClonedRefs;
pub use commit::CommitRequest;
pub use diff::{Change, ChangeStatus, LineCount, TreeEntry, TreePath};
pub(crate) use engine_repository::configuration_head;
pub use engine_repository::{EngineRepository, EngineRepositoryError};
pub use git_error::GitError;
pub use history::HistoryCommit;
pub use ignore_rules::IgnoreRules;
pub use leave::give_back;
pub use object::ObjectFormat;
pub use observe::SnapshotError;
pub use place::{Place, PlaceError, PlaceKind, PlaceRequest};
pub(crate) use private_clone::quoted;
pub use process::processes_started;
pub use publish::{Committed, PublishError};
pub(crate) use remove::remove_whole;
pub use remove::{RemoveError, remove_place};
pub use reset::ResetError;
pub use restore::{RestoreError, Restored};
pub use settings_back::Displaced;
pub use submodule::Submodule;
pub use take::{TakeError, Taken, TakenHow, take};
pub use tracked::tracked_files;
pub use user::{
    DiscoverError, Head, Person, UserRepository, branch_is_there, git_version, read_blob,
    repository_key,
};
pub use user_environment::UserEnvironment;
