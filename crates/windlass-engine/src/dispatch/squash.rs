//! Several commits published as one: of a story, or of the run.
//!
//! What was proven is a tree, and the published commit has exactly that tree. The commits are made from
//! those of the run alone, with their dates, so that a publication that was cut off makes the same ones
//! again. The run's own branch keeps every step.

use windlass_core::commit::{self, Squash};
use windlass_core::id::{ItemId, ObjectId, StepId};
use windlass_core::run::RunState;

use super::worker::{Worker, WorkerError};
use crate::git::{CommitRequest, HistoryCommit, Person};

/// What becomes one commit.
#[derive(Debug)]
struct Group<'c> {
    /// The story, where there is one.
    item: Option<ItemId>,
    commits: Vec<&'c HistoryCommit>,
}

impl Worker {
    /// Returns the commit that is published for `head`, made from those of the run.
    ///
    /// # Errors
    /// Git fails, or the commit would not have the files that were proven.
    pub(super) fn squashed(
        &self,
        state: &RunState,
        head: &ObjectId,
    ) -> Result<ObjectId, WorkerError> {
        let squash = state.facts.commits.squash;
        if squash == Squash::None {
            return Ok(head.clone());
        }
        let commits = self.engine.commits_since(&state.facts.base, head)?;
        let mut parent = state.facts.base.clone();
        let mut made = Vec::new();
        for group in groups(state, squash, &commits) {
            let Some(last) = group.commits.last() else { continue };
            parent = match group.commits.as_slice() {
                // Nothing changes for it.
                [only] if only.parent == parent => only.id.clone(),
                _ => self.one_commit(state, &group, last, &parent)?,
            };
            made.push((parent.clone(), last.tree.clone()));
        }
        let proven = commits.last().map(|commit| &commit.tree);
        if made.last().map(|(_, tree)| tree) != proven {
            return Err(WorkerError::OtherFiles { commit: parent });
        }
        let new: Vec<ObjectId> = made.into_iter().map(|(commit, _)| commit).collect();
        self.place.hand_over(&self.site.user, &new)?;
        Ok(parent)
    }

    fn one_commit(
        &self,
        state: &RunState,
        group: &Group<'_>,
        last: &HistoryCommit,
        parent: &ObjectId,
    ) -> Result<ObjectId, WorkerError> {
        let steps: Vec<StepId> = steps_of(&group.commits);
        let link = last.trailers("Windlass-Journal").last().map(str::to_owned);
        Ok(self.engine.commit(&CommitRequest {
            parent: parent.clone(),
            tree: last.tree.clone(),
            message: commit::squashed_message(state, &steps, link.as_ref()),
            author: self.site.user.person.clone().unwrap_or_default(),
            committer: Person::default(),
            at: last.at,
        })?)
    }
}

/// Each step once, in the order in which it was proven first.
fn steps_of(commits: &[&HistoryCommit]) -> Vec<StepId> {
    let mut steps = Vec::new();
    for step in commits.iter().flat_map(|commit| commit.trailers("Windlass-Step")) {
        let step = StepId::from(step);
        if !steps.contains(&step) {
            steps.push(step);
        }
    }
    steps
}

/// Puts commits together. What was published before stays as it was published: its last commit ends a
/// group, and the next publication only adds.
fn groups<'c>(state: &RunState, squash: Squash, commits: &'c [HistoryCommit]) -> Vec<Group<'c>> {
    let mut groups: Vec<Group<'c>> = Vec::new();
    let mut closed = true;
    for commit in commits {
        let step = commit.trailers("Windlass-Step").last().map(StepId::from);
        let index = step.and_then(|step| state.plan.find(&step));
        let item = index.and_then(|index| commit::item_of(state, index));
        let together = match squash {
            Squash::None => false,
            Squash::Run => true,
            Squash::Story => item.is_some() && groups.last().is_some_and(|last| last.item == item),
        };
        match groups.last_mut().filter(|_| together && !closed) {
            Some(group) => group.commits.push(commit),
            None => groups.push(Group { item, commits: vec![commit] }),
        }
        closed = state.intended.contains(&commit.id);
    }
    groups
}
