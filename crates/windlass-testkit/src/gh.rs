//! The scripted `gh` in a test: what the forge has, and what was asked of it.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::environment::TestEnv;

/// A `gh` on a search path of its own, and the forge behind it.
#[derive(Debug)]
pub struct Gh {
    folder: PathBuf,
    bin: PathBuf,
}

/// One call of `gh`.
#[derive(Clone, Debug)]
pub struct GhCall {
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Where it was called.
    pub folder: PathBuf,
    /// Whether it was told not to ask and not to colour.
    pub quiet: bool,
}

impl Gh {
    /// Makes a forge without issues and pull requests.
    pub fn new(env: &TestEnv) -> Self {
        let folder = env.root().join("forge");
        let bin = env.root().join("forge-bin");
        for folder in [&folder, &bin] {
            fs_err::create_dir_all(folder).expect("a folder for the forge");
        }
        std::os::unix::fs::symlink(program(), bin.join("gh")).expect("a gh");
        let gh = Self { folder, bin };
        gh.write("issues.json", &json!([]));
        gh.write("prs.json", &json!([]));
        gh.write("failures.json", &json!({}));
        gh
    }

    /// Adds an issue.
    pub fn issue(&self, number: u64, title: &str, body: &str) -> &Self {
        self.issue_with(number, title, body, &[])
    }

    /// Adds an issue with labels.
    pub fn issue_with(&self, number: u64, title: &str, body: &str, labels: &[&str]) -> &Self {
        let labels: Vec<_> = labels.iter().map(|name| json!({ "name": name })).collect();
        self.add(
            "issues.json",
            json!({
                "number": number, "title": title, "body": body, "labels": labels, "state": "OPEN",
                "url": format!("https://forge.example/ada/project/issues/{number}"),
            }),
        );
        self
    }

    /// Adds a pull request of a branch.
    pub fn pull_request(&self, number: u64, head: &str, state: &str) -> &Self {
        self.add(
            "prs.json",
            json!({
                "number": number, "title": "Before", "body": "Before", "state": state,
                "url": format!("https://forge.example/ada/project/pull/{number}"),
                "baseRefName": "main", "headRefName": head, "headRefOid": "",
                "isCrossRepository": false, "isDraft": false,
            }),
        );
        self
    }

    /// Changes the pull request with this number.
    pub fn change(&self, number: u64, field: &str, value: impl Into<Value>) {
        let mut all = self.pull_requests();
        let found = all.iter_mut().find(|pr| pr["number"] == number).expect("a pull request");
        found[field] = value.into();
        self.write("prs.json", &Value::Array(all));
    }

    /// Makes a call (`issue view`, `pr create`, …, `*` for all) fail: `not-signed-in`,
    /// `token-refused`, `no-network`, `garbage`, `refuse`, `hang`, `flood`, `fail-after`.
    pub fn fail(&self, call: &str, how: &str) -> &Self {
        self.write("failures.json", &json!({ call: how }));
        self
    }

    /// Makes every call succeed again.
    pub fn heal(&self) {
        self.write("failures.json", &json!({}));
    }

    /// What was asked so far.
    pub fn calls(&self) -> Vec<GhCall> {
        let text = fs_err::read_to_string(self.folder.join("calls.jsonl")).unwrap_or_default();
        let calls = text.lines().map(|line| {
            let call: Value = serde_json::from_str(line).expect("a call");
            let arguments = call["arguments"].as_array().cloned().unwrap_or_default();
            GhCall {
                arguments: arguments.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
                folder: call["folder"].as_str().map(PathBuf::from).unwrap_or_default(),
                quiet: call["quiet"] == true,
            }
        });
        calls.collect()
    }

    /// How often a call was made: `pr create`.
    pub fn count(&self, call: &str) -> usize {
        let words: Vec<&str> = call.split(' ').collect();
        let calls = self.calls();
        let same = |made: &&GhCall| made.arguments.iter().take(words.len()).eq(words.iter());
        calls.iter().filter(same).count()
    }

    /// The pull requests that the forge has.
    pub fn pull_requests(&self) -> Vec<Value> {
        let bytes = fs_err::read(self.folder.join("prs.json")).expect("pull requests");
        serde_json::from_slice(&bytes).expect("a list")
    }

    /// The variables with which a program finds this `gh`.
    pub fn variables(&self, env: &TestEnv) -> Vec<(String, String)> {
        let mut variables = env.variables();
        for (name, value) in &mut variables {
            if name == "PATH" {
                *value = format!("{}:{value}", self.bin.display());
            }
        }
        variables.push(("WINDLASS_FAKE_GH".to_owned(), self.folder.display().to_string()));
        variables
    }

    /// The folder to put first on a search path.
    pub fn bin(&self) -> &Path {
        &self.bin
    }

    fn add(&self, name: &str, entry: Value) {
        let bytes = fs_err::read(self.folder.join(name)).expect("a list");
        let mut list: Vec<Value> = serde_json::from_slice(&bytes).expect("a list");
        list.push(entry);
        self.write(name, &Value::Array(list));
    }

    fn write(&self, name: &str, value: &Value) {
        fs_err::write(self.folder.join(name), value.to_string()).expect("a file of the forge");
    }
}

/// Returns the scripted `gh`, building it where it is missing or older than its source.
///
/// Cargo builds programs of a crate for that crate's own tests only.
fn program() -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/bin/windlass-fake-gh.rs");
    // Tests lie in `deps`, beside which programs are put.
    let test = std::env::current_exe().expect("this test");
    let profile = test.parent().and_then(Path::parent).expect("the folder of a profile");
    let program = profile.join("windlass-fake-gh");
    let age = |path: &Path| fs_err::metadata(path).and_then(|about| about.modified()).ok();
    if age(&program).is_some_and(|built| age(&source).is_none_or(|written| built > written)) {
        return program;
    }
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--quiet", "--locked", "--package=windlass-testkit"]);
    cargo.args(["--bin=windlass-fake-gh", "--target-dir"]);
    cargo.arg(profile.parent().expect("the folder of all profiles"));
    if profile.file_name().is_some_and(|name| name == "release") {
        cargo.arg("--release");
    }
    let built = cargo.current_dir(env!("CARGO_MANIFEST_DIR")).output().expect("cargo");
    let error = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success() && program.exists(), "{cargo:?}: {error}");
    program
}
