//! A project, and an agent that lays prepared files over it: one folder per step or attempt.

use std::path::PathBuf;

use windlass_testkit::{Finished, TestEnv};

/// Where papers lie.
pub(crate) const SPECS: &str = ".windlass/run/specs";

/// A repository with a toolchain, and what agents do to it.
pub(crate) struct Project {
    pub(crate) env: TestEnv,
    variables: Vec<(String, String)>,
}

impl Project {
    pub(crate) fn new(env: TestEnv, variables: Vec<(String, String)>) -> Self {
        Self { env, variables }
    }

    /// The step, or the attempt like `stories/S1/red#1`, writes a file of the place.
    pub(crate) fn writes(&self, attempt: &str, path: &str, text: &str) -> &Self {
        let file = self.overlays().join(attempt).join(path);
        fs_err::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        fs_err::write(file, text).expect("a file");
        self
    }

    /// The step, or the attempt, runs a command in the place besides.
    pub(crate) fn does(&self, attempt: &str, command: &str) -> &Self {
        self.writes(attempt, ".do.sh", command)
    }

    /// Nothing is asked, and these stories are the analyst's and, with a design, the architect's.
    pub(crate) fn plans(&self, stories: &str) -> &Self {
        self.writes("analyse", &format!("{SPECS}/stories.yaml"), stories);
        self.writes("design", &format!("{SPECS}/stories.yaml"), stories);
        self
    }

    /// Tester and reviewer are content with a story whose only criterion this test shows.
    pub(crate) fn accepts(&self, story: &str, test: &str) -> &Self {
        let tests = format!("# Tests\n\nAC1: PASS {test}\n\nPASSED\n");
        self.writes(&format!("stories/{story}/verify"), &tests_of(story), &tests);
        let review = "[SUGGESTION] shorter words README.md:1\n\nAPPROVED\n";
        self.writes(&format!("stories/{story}/review"), &review_of(story), review)
    }

    /// Runs the workflow, without questions and without a pull request.
    pub(crate) fn run(&self) -> Finished {
        self.run_with(&["--input", "clarify=false", "--input", "publish=false"])
    }

    /// Runs the workflow with these arguments.
    pub(crate) fn run_with(&self, more: &[&str]) -> Finished {
        let agent = self.env.agent(&format!(
            "set -e\nstep=${{WINDLASS_ATTEMPT%#*}}\nfolder={0}/$step\n\
             [ -d {0}/$WINDLASS_ATTEMPT ] && folder={0}/$WINDLASS_ATTEMPT\n\
             [ -d $folder ] || exit 0\ncp -R $folder/. .\n\
             if [ -f .do.sh ]; then mv .do.sh \"$TMPDIR/do.sh\"; sh \"$TMPDIR/do.sh\"; fi\n",
            self.overlays().display()
        ));
        let mut arguments =
            vec!["run", "--workflow", "autonomous", "More", "--agent-command", &agent];
        arguments.extend(more);
        let run = self.windlass(&arguments);
        if run.code != Some(3) || self.env.status() != "awaiting_approval" {
            return run;
        }
        // The person has seen the stories.
        assert!(
            run.stdout.contains("will be built") || run.stderr.contains("will be built"),
            "{run}"
        );
        self.windlass(&["approve"]).assert_code(0);
        self.windlass(&["resume"])
    }

    /// Calls windlass with the toolchain in reach.
    pub(crate) fn windlass(&self, arguments: &[&str]) -> Finished {
        let variables: Vec<(&str, &str)> =
            self.variables.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        self.env.windlass_with(&variables, arguments)
    }

    /// Returns why the step was not proven, the last time that it was not.
    pub(crate) fn refused(&self, step: &str) -> String {
        let log = self.env.log_json();
        let refusals = log.of("step_not_proven");
        let last = refusals.iter().rev().find(|event| event["step"] == step);
        let failure =
            last.unwrap_or_else(|| panic!("`{step}` was never refused"))["failure"].clone();
        let checks = failure["checks"].as_array().cloned().unwrap_or_default();
        let checks: Vec<String> = checks
            .iter()
            .map(|check| check["summary"].as_str().unwrap_or_default().to_owned())
            .collect();
        format!("{}\n{}", failure["summary"].as_str().unwrap_or_default(), checks.join("\n"))
    }

    fn overlays(&self) -> PathBuf {
        self.env.root().join("tmp/overlays")
    }
}

/// Where the tester's report of a story lies.
pub(crate) fn tests_of(story: &str) -> String {
    format!("{SPECS}/{story}-tests.md")
}

/// Where the reviewer's report of a story lies.
pub(crate) fn review_of(story: &str) -> String {
    format!("{SPECS}/{story}-review.md")
}

/// Returns a stories file with one small story per title and criterion; each depends on the one before.
pub(crate) fn stories(all: &[(&str, &str)]) -> String {
    let mut text = "stories:\n".to_owned();
    for (number, (title, criterion)) in all.iter().enumerate() {
        let needs = if number == 0 { String::new() } else { format!("S{number}") };
        text.push_str(&format!(
            "  - id: S{}\n    title: {title}\n    size: S\n    criteria: [\"{criterion}\"]\n    \
             depends_on: [{needs}]\n    files: [README.md]\n    design: It is a function beside those \
             that are there, and its test is in a file of its own and fails first.\n",
            number + 1
        ));
    }
    text
}
