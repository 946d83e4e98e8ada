//! From a goal to a pull request, story by story: the shipped `autonomous`, played by the real Claude
//! Code in a project that node builds and tests.

mod ended;
mod team;

use windlass_testkit::{Finished, Gh, Remote};

use crate::support::{Agent, World};
use team::{GOAL, lane};

/// A repository with a remote and a forge.
struct Autonomous {
    world: World,
    gh: Gh,
    remote: Remote,
}

impl Autonomous {
    fn new() -> Option<Self> {
        let world = World::new(Agent::Claude, team::script())?;
        team::lay_out(&world.env);
        let (gh, remote) = (Gh::new(&world.env), Remote::bare(&world.env));
        Some(Self { world, gh, remote })
    }

    fn run(&self, arguments: &[&str]) -> Finished {
        let mut variables = self.world.agent.variables(&self.world.env, &self.world.server);
        for (name, value) in &mut variables {
            if name == "PATH" {
                *value = format!("{}:{value}", self.gh.bin().display());
            }
        }
        let forge = self.gh.variables(&self.world.env).pop().expect("the forge's folder");
        let mut command = self.world.env.windlass_command(arguments);
        command.env_clear().envs(variables).envs([forge]);
        self.world.env.finish(command)
    }

    fn prompt(&self, attempt: &str) -> String {
        self.world.server.requests_of(&lane(attempt))[0].user_texts().join("\n")
    }
}

#[test]
fn a_goal_becomes_two_proven_stories_and_a_pull_request() {
    let Some(autonomous) = Autonomous::new() else { return };
    let run = ["run", GOAL, "--workflow", "autonomous", "--agent", "claude"];
    autonomous.run(&[&run[..], &["--input", "clarify=true", "--yes"]].concat()).assert_code(0);

    let journal = autonomous.world.env.log_json();
    autonomous.attempts_were_played(&journal);
    autonomous.questions_were_assumed(&journal);
    autonomous.the_lie_was_caught(&journal);
    autonomous.stories_are_completed();
    autonomous.the_trace_is_there(&journal);
    autonomous.the_pull_request_is_open(&journal);
    autonomous.world.assert_clean();
}
