//! Agents that change where a run is published to, or what runs when it is.
//!
//! With `--here` the repository's git configuration lies in the place, and nothing keeps an agent
//! from writing it.

use windlass_testkit::{Remote, TestEnv};

use crate::support::env;

const WORKFLOW: &str = r#"
workflow: w
defaults: {retries: 1}
steps:
  - id: build
    agent: developer
    task: Write answer.txt.
    done: {run: "grep -qx right answer.txt"}
  - id: publish
    builtin: pull-request
"#;

/// A repository with a remote, and another remote that must stay empty.
struct World {
    env: TestEnv,
    remote: Remote,
    theirs: String,
}

impl World {
    fn new() -> Self {
        // In a box the settings of the checkout can be read only.
        let env = env().without_namespaces();
        let remote = Remote::bare(&env);
        let theirs = env.root().join("theirs.git").display().to_string();
        env.repository.git(&["init", "--quiet", "--bare", &theirs]);
        Self { env, remote, theirs }
    }

    /// Does the work and something besides, in the user's checkout; returns why the run stopped.
    fn stopped(&self, besides: &str) -> String {
        let (theirs, marker) = (&self.theirs, self.marker());
        let agent = format!(
            "THEIRS='{theirs}'; RUN='touch {marker}'\n{besides}\necho right > answer.txt; exit 0"
        );
        self.env.run(WORKFLOW, &agent, &["--here", "--yes"]).assert_code(3);
        assert_eq!(self.env.status(), "awaiting_user", "{besides}");
        self.assert_nothing_left();
        self.env.status_json()["run"]["detail"].as_str().expect("a reason").to_owned()
    }

    /// What a program that an agent named would leave. Agents may write there themselves.
    fn marker(&self) -> String {
        self.env.root().join("tmp/ran").display().to_string()
    }

    fn branch(&self) -> String {
        self.env.status_json()["run"]["branch"].as_str().expect("a branch").to_owned()
    }

    fn assert_nothing_left(&self) {
        let git = &self.env.repository;
        assert_eq!(git.git(&["-C", &self.theirs, "for-each-ref"]), "");
        assert_eq!(self.remote.branch(&self.branch()), None);
        assert!(!std::path::Path::new(&self.marker()).exists(), "a program of the agent ran");
    }
}

/// What an agent may do, and the key that a person is told.
const REDIRECTIONS: &[(&str, &str)] = &[
    ("git config remote.origin.url \"$THEIRS\"", "`remote.origin.url` is changed"),
    ("git config remote.origin.pushurl \"$THEIRS\"", "`remote.origin.pushurl` is new"),
    (
        "git config url.\"$THEIRS\".insteadOf \"$(git config remote.origin.url)\"",
        ".insteadof` is new",
    ),
    ("git config url.\"$THEIRS\".pushInsteadOf /", ".pushinsteadof` is new"),
    ("git config core.sshCommand \"$RUN\"", "`core.sshcommand` is new"),
    ("git config credential.helper \"!$RUN\"", "`credential.helper` is new"),
    ("git config http.https://x.org/.extraheader 'X: secret-value'", ".extraheader` is new"),
    ("git config core.hooksPath .hooks", "`core.hookspath` is new"),
    (
        "git config remote.origin.receivepack \"$RUN; git-receive-pack\"",
        "`remote.origin.receivepack` is new",
    ),
    ("git config core.alternateRefsCommand \"$RUN\"", "`core.alternaterefscommand` is new"),
    ("git config remote.origin.url \"$THEIRS\" --add", "`remote.origin.url` is changed"),
    (
        "git remote rename origin was && git remote add origin \"$THEIRS\"",
        "`remote.origin.url` is changed",
    ),
];

#[test]
fn every_setting_that_sends_the_work_elsewhere_stops_for_a_person() {
    for (besides, told) in REDIRECTIONS {
        let world = World::new();
        let said = world.stopped(besides);
        assert!(said.contains(told), "{besides}: {said}");
        assert!(said.contains("git config --local --edit"), "{besides}: {said}");
        assert!(!said.contains("secret-value"), "{besides}: {said}");
    }
}

#[test]
fn an_included_file_and_the_settings_of_the_worktree_count() {
    let world = World::new();
    let included =
        "git config --file .git/more remote.origin.url \"$THEIRS\"; git config include.path more";
    let said = world.stopped(included);
    assert!(said.contains("`include.path` is new"), "{said}");
    assert!(said.contains("`remote.origin.url` is changed"), "{said}");
    let world = World::new();
    world.env.repository.git(&["config", "extensions.worktreeConfig", "true"]);
    world.env.repository.git(&["config", "--worktree", "core.abbrev", "12"]);
    let said = world.stopped("git config --worktree remote.origin.url \"$THEIRS\"");
    assert!(said.contains("`remote.origin.url` is changed"), "{said}");
    assert!(!said.contains("worktreeconfig"), "{said}");
    let world = World::new();
    // A file that was included all along: its own content counts.
    world.env.repository.git(&["config", "include.path", "more"]);
    let said = world.stopped("git config --file .git/more remote.origin.pushurl \"$THEIRS\"");
    assert!(said.contains("`remote.origin.pushurl` is new"), "{said}");
    assert!(!said.contains("include.path"), "{said}");
}

#[test]
fn a_remote_that_an_agent_adds_is_nobodys() {
    let env = env().without_namespaces();
    let theirs = env.root().join("theirs.git").display().to_string();
    env.repository.git(&["init", "--quiet", "--bare", &theirs]);
    let agent = format!("git remote add origin '{theirs}'; echo right > answer.txt");
    env.run(WORKFLOW, &agent, &["--here", "--yes"]).assert_code(3);
    let said = env.status_json()["run"]["detail"].as_str().unwrap().to_owned();
    assert!(said.contains("`remote.origin.url` is new"), "{said}");
    assert!(said.contains(&format!("a push would go to `{theirs}`")), "{said}");
    assert_eq!(env.repository.git(&["-C", &theirs, "for-each-ref"]), "");
}

#[test]
fn settings_that_are_put_back_are_the_ones_the_run_started_with() {
    let world = World::new();
    world.stopped("git config remote.origin.url \"$THEIRS\"");
    let own = world.remote.root().display().to_string();
    world.env.repository.git(&["config", "remote.origin.url", &own]);
    world.env.windlass_elsewhere(&["resume"]).assert_code(0);
    assert!(world.remote.branch(&world.branch()).is_some());
    assert_eq!(world.env.repository.git(&["-C", &world.theirs, "for-each-ref"]), "");
    world.env.assert_audit();
}

#[test]
fn a_person_who_was_told_can_publish_with_other_settings_and_no_third_ones() {
    let world = World::new();
    let git = &world.env.repository;
    let said = world.stopped("git config remote.origin.url \"$THEIRS\"");
    assert!(said.contains("who resumes accepts what is told here"), "{said}");
    // What was not shown is not accepted, however often the run was resumed.
    git.git(&["config", "remote.origin.pushurl", &world.theirs]);
    world.env.windlass_elsewhere(&["resume"]).assert_code(3);
    world.assert_nothing_left();
    let said = world.env.status_json()["run"]["detail"].as_str().unwrap().to_owned();
    assert!(said.contains("`remote.origin.pushurl` is new"), "{said}");
    world.env.windlass_elsewhere(&["resume"]).assert_code(0);
    assert!(git.git(&["-C", &world.theirs, "for-each-ref"]).contains(&world.branch()));
    let log = world.env.log_json();
    assert_eq!(log.count("push_settings_accepted"), 2, "{:#?}", log.kinds());
    let report = world.env.windlass(&["report"]).stdout;
    assert!(report.contains("git settings as they were shown"), "{report}");
    world.env.assert_audit();
}

#[test]
fn harmless_settings_and_private_clones_are_in_nobodys_way() {
    let world = World::new();
    let agent = "git config user.name Somebody; git config alias.st status; git branch --track mine main; echo right > answer.txt";
    world.env.run(WORKFLOW, agent, &["--here", "--yes"]).assert_code(0);
    assert!(world.remote.branch(&world.branch()).is_some());
    // In a clone of its own an agent changes nobody's settings.
    let world = World::new();
    let agent = format!("git remote add origin '{}'; echo right > answer.txt", world.theirs);
    world.env.run(WORKFLOW, &agent, &["--yes"]).assert_code(0);
    assert!(world.remote.branch(&world.branch()).is_some());
    assert_eq!(world.env.repository.git(&["-C", &world.theirs, "for-each-ref"]), "");
}
