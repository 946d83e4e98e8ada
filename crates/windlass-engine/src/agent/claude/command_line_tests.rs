use windlass_core::id::{AttemptId, RunId};

use super::super::super::McpServer;
use super::*;

/// A user with Claude Code, and a place.
struct World {
    home: tempfile::TempDir,
    env: Vec<(String, String)>,
    run: RunId,
    attempt: AttemptId,
    prompt: PathBuf,
    place: PathBuf,
}

impl World {
    fn new() -> Self {
        use std::os::unix::fs::PermissionsExt as _;
        let home = tempfile::tempdir().unwrap();
        let program = home.path().join("claude");
        fs_err::write(&program, "#!/bin/sh\n").unwrap();
        fs_err::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        fs_err::create_dir_all(home.path().join("place")).unwrap();
        let env = [
            ("HOME", home.path().to_str().unwrap()),
            ("PATH", home.path().to_str().unwrap()),
            ("ANTHROPIC_API_KEY", "key"),
            ("GITHUB_TOKEN", "forge"),
            ("EDITOR", "vi"),
        ];
        let env = env.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
        let (prompt, place) = (home.path().join("prompt.md"), home.path().join("place"));
        let (run, attempt) = (RunId::from("r-1"), "build#1".parse().unwrap());
        Self { home, env, run, attempt, prompt, place }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    fn with<'a>(
        &'a self,
        change: impl FnOnce(&mut AttemptRequest<'a>),
    ) -> Result<AgentCommand, String> {
        let mut request = AttemptRequest {
            run: &self.run,
            attempt: &self.attempt,
            agent: "developer",
            role_text: None,
            tools: None,
            model: None,
            mcp: &[],
            prompt_file: &self.prompt,
            works_in: Path::new("/place"),
            own: None,
            place: &self.place,
            scratch: self.home.path(),
            env: &self.env,
            budget_usd: None,
            resumes: None,
            confined: true,
        };
        change(&mut request);
        command(Path::new("/bin/windlass"), &request)
    }
}

fn after<'a>(command: &'a AgentCommand, option: &str) -> Option<&'a str> {
    let at = command.argv.iter().position(|word| word == option)?;
    command.argv.get(at + 1).map(String::as_str)
}

#[test]
fn no_bypass_no_settings_of_the_place_and_no_servers_but_declared_ones() {
    let command = World::new().with(|_| {}).unwrap();
    assert_eq!(command.argv[1], "__claude");
    assert_eq!(after(&command, "--permission-mode"), Some("dontAsk"));
    assert_eq!(after(&command, "--setting-sources"), Some("user"));
    assert_eq!(after(&command, "--settings"), Some(r#"{"sandbox":{"enabled":false}}"#));
    assert!(command.argv.contains(&"--strict-mcp-config".to_owned()));
    assert!(
        !command.argv.iter().any(|word| word.contains("dangerously") || word.contains("bypass"))
    );
    assert!(after(&command, "--allowedTools").unwrap().ends_with("Bash(windlass *)"));
    assert!(command.errors_apart && command.stdin.is_none());
    for absent in ["--model", "--resume", "--mcp-config", "--append-system-prompt"] {
        assert_eq!(after(&command, absent), None, "{absent}");
    }
}

#[test]
fn only_what_it_needs_of_the_environment_is_passed() {
    let world = World::new();
    let command = world.with(|_| {}).unwrap();
    let names: Vec<&str> = command.env.iter().map(|(name, _)| name.as_str()).collect();
    assert!(names.contains(&"ANTHROPIC_API_KEY"));
    assert!(!names.contains(&"GITHUB_TOKEN") && !names.contains(&"EDITOR"));
    let config = world.path(".claude").to_string_lossy().into_owned();
    assert!(command.env.contains(&("CLAUDE_CONFIG_DIR".to_owned(), config)));
}

#[test]
fn its_settings_cannot_be_written_unless_a_sign_in_has_to_be_renewed() {
    let world = World::new();
    let config = world.path(".claude");
    let command = world.with(|_| {}).unwrap();
    assert!(command.write.contains(&config.join("projects")));
    assert!(!command.write.contains(&config));
    fs_err::write(config.join(".credentials.json"), "").unwrap();
    assert_eq!(world.with(|_| {}).unwrap().write, [config]);
}

#[test]
fn a_role_brings_its_text_its_tools_and_its_model() {
    let world = World::new();
    fs_err::write(world.path("place/CLAUDE.md"), "rules").unwrap();
    let tools = ["Read".to_owned(), "Bash(cargo *)".to_owned(), "mcp__lab__say".to_owned()];
    let command = world
        .with(|request| {
            request.role_text = Some("--You plan.\n");
            request.tools = Some(&tools);
            request.model = Some("smart");
            request.budget_usd = Some(0.0);
            request.confined = false;
        })
        .unwrap();
    let told = after(&command, "--append-system-prompt").unwrap();
    assert!(told.starts_with("--You plan.\n\n") && told.contains("`CLAUDE.md`"), "{told}");
    assert_eq!(after(&command, "--tools"), Some("Read,Bash"));
    let allowed = "Read,Bash(cargo *),mcp__lab__say,Bash(windlass *)";
    assert_eq!(after(&command, "--allowedTools"), Some(allowed));
    assert_eq!(after(&command, "--model"), Some("opus"));
    assert_eq!(after(&command, "--max-budget-usd"), Some("0.0100"), "zero would be refused");
    assert!(after(&command, "--settings").unwrap().contains(r#""enabled":true"#));
    let long = "x".repeat(MAX_ROLE_BYTES + 1);
    let refused = world.with(|request| request.role_text = Some(&long)).unwrap_err();
    assert!(refused.contains("shorten its file"), "{refused}");
}

#[test]
fn a_conversation_goes_on_only_where_it_is_kept() {
    let world = World::new();
    let session = "c0ffee00-0000-4000-8000-000000000000";
    fn resumed<'a>(world: &'a World, session: &'a str) -> Option<String> {
        let command = world.with(|request| request.resumes = Some(session)).unwrap();
        after(&command, "--resume").map(str::to_owned)
    }
    assert_eq!(resumed(&world, session), None);
    let folder = world.path(".claude/projects/-srv-place");
    fs_err::create_dir_all(&folder).unwrap();
    fs_err::write(folder.join(format!("{session}.jsonl")), "").unwrap();
    assert_eq!(resumed(&world, session).as_deref(), Some(session));
    for odd in ["", "../../x", "--help"] {
        assert_eq!(resumed(&world, odd), None, "{odd}");
    }
}

#[test]
fn servers_are_written_to_a_file_and_let_through() {
    let world = World::new();
    let servers = [McpServer {
        name: "lab".to_owned(),
        command: "lab-server".to_owned(),
        args: vec!["--stdio".to_owned()],
        env: vec![("LAB".to_owned(), "1".to_owned())],
    }];
    let command = world.with(|request| request.mcp = &servers).unwrap();
    let file = fs_err::read_to_string(after(&command, "--mcp-config").unwrap()).unwrap();
    let read: Value = serde_json::from_str(&file).unwrap();
    assert_eq!(read["mcpServers"]["lab"]["args"][0], "--stdio");
    assert!(after(&command, "--allowedTools").unwrap().ends_with("mcp__lab"));
}

#[test]
fn a_program_that_is_not_there_is_named_with_how_to_get_it() {
    let mut world = World::new();
    world.env.retain(|(name, _)| name != "PATH");
    let refused = world.with(|_| {}).unwrap_err();
    assert!(refused.contains("npm install"), "{refused}");
}

#[test]
fn only_its_program_is_opened_whatever_the_role_names() {
    let world = World::new();
    let key = world.path("id_rsa");
    fs_err::write(&key, "key").unwrap();
    let role = format!("Read {} first.", key.display());
    let command = world.with(|request| request.role_text = Some(&role)).unwrap();
    assert!(after(&command, "--append-system-prompt").unwrap().contains("id_rsa"));
    assert_eq!(command.programs, [world.path("claude")]);
}
