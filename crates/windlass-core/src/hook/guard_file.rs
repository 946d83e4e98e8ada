//! What guards know: one small file per repository, replaced after each decision.

use serde::{Deserialize, Serialize};

use crate::id::{AttemptId, RunId, StepId};
use crate::run::{Phase, RunState, Session};

/// The file is never larger.
pub const MAX_GUARD_BYTES: usize = 4096;

/// The format that this version writes and reads.
const FORMAT: u32 = 1;

/// The runs of a repository that guards watch over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GuardFile {
    /// The format; another one is not read.
    pub format: u32,
    /// One per checkout at most.
    pub runs: Vec<GuardedRun>,
}

/// An unfinished run that a session drives or drove.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GuardedRun {
    /// The run.
    pub run: RunId,
    /// The checkout that it works in.
    pub place: String,
    /// Where it stands.
    pub status: String,
    /// The session that owns it.
    pub session: Session,
    /// Files that judge the work.
    pub protect: Vec<String>,
    /// The subagents that are at work.
    pub agents: Vec<GuardedAgent>,
    /// Whether lists had to be left out for room: then everything that they could forbid is forbidden.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
}

/// A subagent that is at work on an attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GuardedAgent {
    /// The subagent, as the session names it.
    pub id: String,
    /// Its attempt.
    pub attempt: AttemptId,
    /// Where it works, where that is not the run's place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// What it may write, relative to its place; all of it where the list is empty.
    pub may_write: Vec<String>,
}

impl Default for GuardFile {
    fn default() -> Self {
        Self { format: FORMAT, runs: Vec::new() }
    }
}

impl GuardFile {
    /// Reads a file.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok().filter(|file: &Self| file.format == FORMAT)
    }

    /// Returns the file's text, within its bound: lists that do not fit are left out, and the run is
    /// marked.
    pub fn write(&self) -> Vec<u8> {
        let mut file = self.clone();
        loop {
            let bytes = serde_json::to_vec(&file).unwrap_or_default();
            if bytes.len() <= MAX_GUARD_BYTES || !(file.shorten_one() || file.forget_one()) {
                return bytes;
            }
        }
    }

    /// Leaves the lists of a run out; says whether there were any left.
    fn shorten_one(&mut self) -> bool {
        let longest = self.runs.iter_mut().filter(|run| !run.cut).max_by_key(|run| run.weight());
        longest.map(GuardedRun::shorten).is_some()
    }

    /// Forgets the subagents of a run, so that none of them may write; says whether there were any.
    fn forget_one(&mut self) -> bool {
        let most = self.runs.iter_mut().max_by_key(|run| run.agents.len());
        most.is_some_and(|run| !std::mem::take(&mut run.agents).is_empty())
    }

    /// Puts a run's present state into the file, or takes it out.
    pub fn note(&mut self, state: &RunState, place_of: &dyn Fn(&StepId) -> String) {
        self.runs.retain(|run| run.run != state.facts.run);
        self.runs.extend(GuardedRun::of(state, place_of));
    }
}

impl GuardedRun {
    /// Returns what guards know of a run; none for one that they have nothing to do with.
    pub fn of(state: &RunState, place_of: &dyn Fn(&StepId) -> String) -> Option<Self> {
        let session = state.session.clone().filter(|_| !state.is_ended() && state.facts.here)?;
        let agents = state.in_hand().filter_map(|index| {
            let (plan, step) = (state.plan.step(index), state.step(index));
            let Phase::Running { attempt, .. } = step.phase else { return None };
            let id = step.handover.as_ref()?.agent.clone()?;
            let attempt = AttemptId { step: plan.id.clone(), number: attempt };
            let aside = plan.is_spoke();
            let may_write = if aside { &plan.writes } else { &plan.may_write };
            Some(GuardedAgent {
                id,
                attempt,
                place: aside.then(|| place_of(&plan.id)),
                may_write: may_write.clone(),
            })
        });
        Some(Self {
            run: state.facts.run.clone(),
            place: state.facts.place.clone(),
            status: state.status().as_str().to_owned(),
            session,
            // A file of which only a part counts may be written: what it says then is looked at later.
            protect: (state.plan.protect.iter())
                .filter(|rule| rule.keys.is_empty() && rule.only.is_none())
                .map(|rule| rule.file.clone())
                .collect(),
            agents: agents.collect(),
            cut: false,
        })
    }

    fn weight(&self) -> usize {
        let lists = self.agents.iter().flat_map(|agent| &agent.may_write).chain(&self.protect);
        lists.map(String::len).sum()
    }

    /// Leaves the lists out. What they allow is then forbidden; that is safe, and said.
    fn shorten(&mut self) {
        self.cut = true;
        self.protect = vec!["**".to_owned()];
        for agent in &mut self.agents {
            agent.may_write = vec![".windlass/run/**".to_owned()];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{HostKind, HostProcess};

    fn run(agents: usize, globs: usize) -> GuardedRun {
        let list = || (0..globs).map(|number| format!("some/folder/{number}/**")).collect();
        GuardedRun {
            run: RunId::new("abcd1234"),
            place: "/srv/place".to_owned(),
            status: "active".to_owned(),
            session: Session {
                id: "s1".to_owned(),
                host: HostKind::Claude,
                process: HostProcess { pid: 7, start: 11 },
                terminal: true,
            },
            protect: list(),
            agents: (0..agents)
                .map(|number| GuardedAgent {
                    id: format!("agent-{number}"),
                    attempt: AttemptId { step: "code".into(), number: 1 },
                    place: Some("/srv/places/abcd1234.code".to_owned()),
                    may_write: list(),
                })
                .collect(),
            cut: false,
        }
    }

    #[test]
    fn the_file_keeps_its_bound_and_what_it_leaves_out_is_forbidden() {
        for (agents, globs) in [(1, 3), (4, 40), (4, 4000), (400, 3)] {
            let file = GuardFile { runs: vec![run(agents, globs)], ..GuardFile::default() };
            let bytes = file.write();
            assert!(bytes.len() <= MAX_GUARD_BYTES, "{agents} {globs}: {}", bytes.len());
            let read = GuardFile::read(&bytes).unwrap();
            if read != file {
                assert_eq!(read.runs[0].protect, ["**"]);
                assert!(read.runs[0].agents.iter().all(|agent| agent.may_write.len() == 1));
            }
        }
    }

    #[test]
    fn another_format_is_not_read() {
        assert_eq!(GuardFile::read(br#"{"format":2,"runs":[]}"#), None);
        assert_eq!(GuardFile::read(b""), None);
    }
}
