use windlass_core::id::{AttemptId, RunId};

use super::super::super::Account;
use super::*;

struct World {
    folder: tempfile::TempDir,
    env: Vec<(String, String)>,
}

impl World {
    /// A home, a scratch folder, and a program of this name on the path.
    fn with(program: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["home", "scratch", "bin", "place"] {
            fs_err::create_dir_all(folder.path().join(name)).unwrap();
        }
        fs_err::write(folder.path().join("bin").join(program), "").unwrap();
        let text = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
        let pairs =
            [("PATH", text("bin")), ("HOME", text("home")), ("GH_TOKEN", "secret".to_owned())];
        let env = pairs.map(|(name, value)| (name.to_owned(), value)).to_vec();
        Self { folder, env }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn set(&mut self, name: &str, value: &str) {
        self.env.push((name.to_owned(), value.to_owned()));
    }

    fn command(&self, backend: &AcpBackend) -> Result<AgentCommand, BackendError> {
        self.command_with(backend, "large")
    }

    fn command_with(
        &self,
        backend: &AcpBackend,
        model: &str,
    ) -> Result<AgentCommand, BackendError> {
        let attempt: AttemptId = "build#1".parse().unwrap();
        backend.command(&AttemptRequest {
            run: &RunId::new("r"),
            attempt: &attempt,
            agent: "developer",
            role_text: Some("Be brief."),
            tools: None,
            model: Some(model),
            mcp: &[],
            prompt_file: &self.path("prompt.md"),
            works_in: Path::new("/place"),
            own: None,
            place: &self.path("place"),
            scratch: &self.path("scratch"),
            env: &self.env,
            budget_usd: None,
            resumes: None,
            confined: true,
        })
    }
}

fn known(name: &str) -> AcpBackend {
    AcpBackend::known(name, PathBuf::from("/bin/windlass")).unwrap()
}

#[test]
fn an_agent_gets_its_own_keys_and_folder_and_nothing_else_of_the_user() {
    let mut world = World::with("gemini");
    world.set("GEMINI_API_KEY", "k");
    world.set("OPENAI_API_KEY", "other");
    let command = world.command(&known("gemini")).unwrap();
    let value = |name: &str| variable(&command.env, name).map(str::to_owned);
    assert_eq!(value("GEMINI_API_KEY").as_deref(), Some("k"));
    assert_eq!(value("GEMINI_CLI_HOME"), world.path("home").to_str().map(str::to_owned));
    assert_eq!((value("GH_TOKEN"), value("OPENAI_API_KEY")), (None, None));
    assert_eq!(command.write, [world.path("home/.gemini")]);
    assert!(command.write[0].is_dir());
    assert!(command.errors_apart);
    let job: Job = serde_json::from_slice(&fs_err::read(&command.argv[2]).unwrap()).unwrap();
    assert_eq!(job.argv, ["gemini", "--acp", "-m", "large"]);
    assert_eq!(job.role.as_deref(), Some("Be brief."));
}

#[test]
fn a_neutral_tier_leaves_the_model_to_the_agent() {
    let world = World::with("gemini");
    for tier in ["fast", "smart"] {
        let command = world.command_with(&known("gemini"), tier).unwrap();
        let job: Job = serde_json::from_slice(&fs_err::read(&command.argv[2]).unwrap()).unwrap();
        assert_eq!((job.argv.len(), job.model), (2, None), "{tier}");
    }
}

#[test]
fn opencode_finds_its_folders_and_not_those_of_other_programs() {
    let world = World::with("opencode");
    fs_err::create_dir_all(world.path("home/.config/gh")).unwrap();
    let command = world.command(&known("opencode")).unwrap();
    let config = PathBuf::from(variable(&command.env, "XDG_CONFIG_HOME").unwrap());
    let names: Vec<_> =
        fs_err::read_dir(&config).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, ["opencode"]);
    let real = config.join("opencode").canonicalize().unwrap();
    assert_eq!(real, world.path("home/.config/opencode").canonicalize().unwrap());
    assert_eq!(command.write.len(), 4);
    // The folder of an attempt that is started again is there already.
    world.command(&known("opencode")).unwrap();
}

#[test]
fn a_program_that_is_missing_is_named_before_anything_is_started() {
    let world = World::with("something-else");
    let error = world.command(&known("qwen")).unwrap_err().to_string();
    assert!(error.contains("`qwen` is not on PATH"), "{error}");
    let survey = known("qwen").survey(&world.env);
    assert!(survey.program.is_none() && survey.trouble.is_some());
}

#[test]
fn an_account_is_seen_by_a_key_or_a_file_and_is_otherwise_unknown() {
    let mut world = World::with("something-else");
    assert_eq!(known("gemini").survey(&world.env).account, Account::Unknown);
    let file = world.path("home/.gemini/oauth_creds.json");
    fs_err::create_dir_all(file.parent().unwrap()).unwrap();
    fs_err::write(&file, "{}").unwrap();
    let by = file.display().to_string();
    assert_eq!(known("gemini").survey(&world.env).account, Account::SignedIn { by });
    world.set("GEMINI_API_KEY", "k");
    let by = "GEMINI_API_KEY".to_owned();
    assert_eq!(known("gemini").survey(&world.env).account, Account::SignedIn { by });
}

#[test]
fn any_command_is_split_as_a_shell_does_and_refused_when_it_cannot_be() {
    let exe = || PathBuf::from("/bin/windlass");
    let backend = AcpBackend::any("my-agent --acp 'two words'", exe()).unwrap();
    assert_eq!(backend.argv, ["my-agent", "--acp", "two words"]);
    assert_eq!(backend.name(), "acp");
    assert!(AcpBackend::any("my-agent 'unfinished", exe()).is_none());
    assert!(AcpBackend::any("  ", exe()).is_none());
}
