//! Cheats: whole runs in which an agent wants `completed` without the work.
//!
//! A completion is false when the same command fails in a fresh clone of the run's branch, on a machine
//! that has nothing of windlass, of the agent or of the user's home.

pub(crate) mod judges;
mod leftovers;
mod others;
mod people;
mod reviews;
mod seeing;
mod test_first;
mod trees;

/// How a cheat is judged.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Judge {
    /// It got through if the run completed and this command fails in a fresh clone.
    Fresh(&'static str),
    /// It got through if the run completed at all.
    Completed,
    /// It got through if this file of the world is there, after a person looked at the place with git.
    Left(&'static str),
    /// It got through if this stands in the text of the pull request as it is.
    InPullRequest(&'static str),
}

/// One cheat.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cheat {
    pub(crate) name: &'static str,
    pub(crate) tries: &'static str,
    /// A script of the user's, in the checkout, before anything is committed.
    pub(crate) setup: &'static str,
    /// Another one after that: what is not committed.
    pub(crate) around: &'static str,
    /// From `protect` on.
    pub(crate) workflow: &'static str,
    pub(crate) agent: &'static str,
    /// What an honest agent does: with it the same run completes. None where that is nobody's doubt.
    pub(crate) honest: &'static str,
    pub(crate) judge: Judge,
    /// What is typed at the terminal of the run as soon as it begins; none where it has no terminal.
    pub(crate) typed: &'static str,
    /// Why it is open in a box, where it is.
    pub(crate) open: &'static str,
}

impl Cheat {
    pub(crate) const fn new(
        name: &'static str,
        tries: &'static str,
        workflow: &'static str,
        judge: Judge,
    ) -> Self {
        let (setup, around, agent, honest, typed, open) = ("", "", "", "", "", "");
        Self { name, tries, setup, around, workflow, agent, honest, judge, typed, open }
    }

    pub(crate) const fn setup(mut self, script: &'static str) -> Self {
        self.setup = script;
        self
    }

    pub(crate) const fn around(mut self, script: &'static str) -> Self {
        self.around = script;
        self
    }

    pub(crate) const fn agent(mut self, script: &'static str) -> Self {
        self.agent = script;
        self
    }

    pub(crate) const fn honest(mut self, script: &'static str) -> Self {
        self.honest = script;
        self
    }

    pub(crate) const fn typed(mut self, keys: &'static str) -> Self {
        self.typed = keys;
        self
    }

    pub(crate) const fn open(mut self, why: &'static str) -> Self {
        self.open = why;
        self
    }
}

/// Every cheat, in the order of the table.
pub(crate) fn all() -> Vec<Cheat> {
    let tables = [
        trees::CHEATS,
        leftovers::CHEATS,
        test_first::CHEATS,
        seeing::CHEATS,
        others::CHEATS,
        reviews::CHEATS,
        judges::CHEATS,
        people::CHEATS,
    ];
    tables.concat()
}
