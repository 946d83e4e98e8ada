//! Small workflows whose checks this test can evaluate itself.

use windlass_testkit::{Random, TestEnv};

/// A check that both windlass and this test understand.
#[derive(Clone, Debug)]
pub(super) enum Check {
    /// `file: PATH`.
    File(&'static str),
    /// `run: COMMAND`.
    Run(&'static str),
    /// `diff: {only: [GLOB]}`, with what the glob stands for.
    OnlyBelow(&'static str),
}

/// A workflow of up to three steps.
#[derive(Clone, Debug)]
pub(super) struct Workflow {
    pub(super) steps: Vec<Vec<Check>>,
    pub(super) gate: bool,
    pub(super) waive: bool,
    pub(super) protect: bool,
}

/// Files that judge, and what they judge.
pub(super) fn prepare(env: &TestEnv) {
    env.repository.write("judge.sh", "grep -qx right src/answer.txt\n");
    env.repository.write("src/answer.txt", "unknown\n");
    env.repository.write("notes.md", "old notes\n");
    env.repository.write(".gitignore", "cache/\n");
    env.repository.commit("a judge");
}

/// Draws one.
pub(super) fn any(random: &mut Random) -> Workflow {
    let protect = random.percent(70);
    let checks = [
        Check::File("src/answer.txt"),
        Check::File("notes.md"),
        Check::Run("grep -qx right src/answer.txt"),
        Check::Run("test \"$(cat src/answer.txt)\" = right"),
        Check::Run("sh judge.sh"),
        Check::Run("test ! -e forbidden && grep -q right src/answer.txt"),
        Check::OnlyBelow("src/"),
    ];
    let steps = (0..=random.below(2))
        .map(|_| {
            // At least one check that a lie does not satisfy.
            let mut criterion =
                vec![checks[2 + usize::try_from(random.below(3)).unwrap_or(0)].clone()];
            for _ in 0..random.below(3) {
                criterion.push(random.pick(&checks).clone());
            }
            criterion
        })
        .collect();
    Workflow { steps, gate: random.percent(30), waive: random.percent(10), protect }
}

impl Workflow {
    /// The file.
    pub(super) fn yaml(&self) -> String {
        let protect = if self.protect { "protect: [\"judge.sh\"]\n" } else { "" };
        let mut text = format!(
            "workflow: drawn\ndefaults: {{retries: 2, timeout: 30s, idle_timeout: 500ms, backoff: {{initial: 1ms, max: 5ms}}}}\n{protect}steps:\n"
        );
        for (number, checks) in self.steps.iter().enumerate() {
            let gate = if self.gate { "    gate: approval\n" } else { "" };
            let waive = if self.waive { "    exhausted: waive\n" } else { "" };
            let checks: Vec<String> = checks.iter().map(Check::yaml).collect();
            text.push_str(&format!(
                "  - id: s{number}\n    agent: developer\n    task: Do it.\n    commit: wip\n{gate}{waive}    done: {{all: [{}]}}\n",
                checks.join(", ")
            ));
        }
        text
    }
}

impl Check {
    fn yaml(&self) -> String {
        match self {
            Self::File(path) => format!("{{file: \"{path}\"}}"),
            Self::Run(command) => format!("{{run: '{command}'}}"),
            Self::OnlyBelow(folder) => format!("{{diff: {{only: [\"{folder}**\"]}}}}"),
        }
    }
}
