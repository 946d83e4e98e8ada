//! Agents that speak the protocol, as a backend.

use std::path::{Path, PathBuf};

use serde_json::json;
use windlass_core::guard::PublishRules;
use windlass_core::proof::Outcome;

use super::super::{
    AgentCommand, AgentResult, AttemptRequest, Backend, BackendError, Capabilities, McpServer,
    Printed, Survey,
};
use super::job::Job;
use super::known::{self, Folders, Known, NETWORK, Tokens, XDG, variable};
use super::{result, survey};

/// Plays agents by a program that speaks the Agent Client Protocol.
#[derive(Clone, Debug)]
pub struct AcpBackend {
    exe: PathBuf,
    known: &'static Known,
    argv: Vec<String>,
}

impl AcpBackend {
    /// An agent that windlass knows by name: `gemini`, `opencode` or `qwen`.
    pub fn known(name: &str, exe: PathBuf) -> Option<Self> {
        let known = known::find(name).filter(|known| !known.argv.is_empty())?;
        let argv = known.argv.iter().map(|&word| word.to_owned()).collect();
        Some(Self { exe, known, argv })
    }

    /// Any agent, by the command that starts it; none when the command cannot be split into words.
    pub fn any(command: &str, exe: PathBuf) -> Option<Self> {
        let argv = shlex::split(command).filter(|argv| !argv.is_empty())?;
        Some(Self { exe, known: known::find("acp")?, argv })
    }

    fn failed(&self, request: &AttemptRequest<'_>, message: String) -> BackendError {
        let (backend, agent) = (self.known.name.to_owned(), request.agent.to_owned());
        BackendError { backend, agent, message }
    }

    /// The files that the agent's command names; what is found on `PATH` is there in any case.
    fn programs(&self) -> Vec<PathBuf> {
        let named = self.argv.iter().map(PathBuf::from);
        named.filter(|file| file.is_absolute() && file.is_file()).collect()
    }

    fn job(&self, request: &AttemptRequest<'_>, folders: &[PathBuf]) -> Job {
        let mut argv = self.argv.clone();
        // The neutral tiers are left to the user's own choice: no agent has models of these names.
        let model = request.model.filter(|model| !matches!(*model, "fast" | "smart"));
        if let (Some(option), Some(model)) = (self.known.model_option, model) {
            argv.extend([option.to_owned(), model.to_owned()]);
        }
        Job {
            argv,
            place: request.works_in.to_owned(),
            agent: request.agent.to_owned(),
            role: request.role_text.map(str::to_owned),
            model: model.map(str::to_owned),
            model_is_named: self.known.model_option.is_some(),
            mcp: request.mcp.iter().map(server).collect(),
            resumes: request.resumes.map(str::to_owned),
            may_write: folders.to_vec(),
            publishing: PublishRules::default(),
        }
    }

    /// The variables of the agent, with its folders where they are and the home folder is not.
    fn environment(&self, request: &AttemptRequest<'_>) -> std::io::Result<Vec<(String, String)>> {
        let user = request.env;
        let mut env: Vec<(String, String)> = Vec::new();
        for name in NETWORK.iter().chain(self.known.passed) {
            env.extend(variable(user, name).map(|value| ((*name).to_owned(), value.to_owned())));
        }
        for (name, value) in self.known.set {
            let value = variable(user, name).unwrap_or(value);
            env.push(((*name).to_owned(), value.to_owned()));
        }
        let folders = self.known.folders(user);
        for folder in &folders {
            // The agent would make it itself, but may not: only what is there can be made writable.
            fs_err::create_dir_all(folder)?;
        }
        match (self.known.folders, folders.first()) {
            (Folders::One { variable, .. }, Some(folder)) => set(&mut env, variable, folder),
            (Folders::In { variable, .. }, Some(folder)) => {
                set(&mut env, variable, folder.parent().unwrap_or(folder));
            }
            (Folders::Xdg { folder }, Some(_)) => {
                for ((name, base, _), real) in XDG.into_iter().zip(&folders) {
                    let only = request.scratch.join("xdg").join(base);
                    link_alone(&only, folder, real)?;
                    set(&mut env, name, &only);
                }
            }
            (_, None) | (Folders::Unknown, _) => {}
        }
        Ok(env)
    }
}

/// Makes a folder in which there is one agent's folder and nothing else: the real one holds the
/// keys of other programs beside it.
fn link_alone(only: &Path, name: &str, real: &Path) -> std::io::Result<()> {
    fs_err::create_dir_all(only)?;
    match fs_err::os::unix::fs::symlink(real, only.join(name)) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

fn set(env: &mut Vec<(String, String)>, name: &str, path: &Path) {
    env.retain(|(each, _)| each != name);
    env.push((name.to_owned(), path.to_string_lossy().into_owned()));
}

/// A server with further tools, in the protocol's form.
fn server(server: &McpServer) -> serde_json::Value {
    let pair = |(name, value): &(String, String)| json!({"name": name, "value": value});
    let env: Vec<_> = server.env.iter().map(pair).collect();
    json!({"name": server.name, "command": server.command, "args": server.args, "env": env})
}

impl Backend for AcpBackend {
    fn name(&self) -> &str {
        self.known.name
    }

    fn capabilities(&self) -> Capabilities {
        // No guards: an agent asks about what it thinks worth asking.
        Capabilities {
            tokens: self.known.tokens == Tokens::OfTheTurn,
            resume: self.known.resumes,
            mcp: true,
            ..Capabilities::default()
        }
    }

    fn survey(&self, env: &[(String, String)]) -> Survey {
        survey::look(self.known, &self.argv, env)
    }

    fn command(&self, request: &AttemptRequest<'_>) -> Result<AgentCommand, BackendError> {
        let path = variable(request.env, "PATH").unwrap_or_default();
        if let Some(program) =
            self.argv.first().filter(|program| survey::find(program, path).is_none())
        {
            return Err(self.failed(request, survey::not_found(program)));
        }
        let folders = self.known.folders(request.env);
        let env = self.environment(request);
        let env = env.map_err(|error| self.failed(request, error.to_string()))?;
        let file = request.scratch.join("acp.json");
        let job = serde_json::to_vec(&self.job(request, &folders)).map_err(std::io::Error::from);
        job.and_then(|job| fs_err::write(&file, job))
            .map_err(|error| self.failed(request, error.to_string()))?;
        let text = |path: &Path| {
            let text = path.to_str().map(str::to_owned);
            let why = || format!("the path `{}` is not UTF-8", path.display());
            text.ok_or_else(|| self.failed(request, why()))
        };
        Ok(AgentCommand {
            argv: vec![text(&self.exe)?, "__acp".to_owned(), text(&file)?],
            env,
            stdin: Some(request.prompt_file.to_owned()),
            write: folders,
            programs: self.programs(),
            sign_in: None,
            errors_apart: true,
        })
    }

    fn result(&self, outcome: Outcome, printed: Printed<'_>) -> AgentResult {
        result::read(outcome, printed, self.known)
    }
}

#[cfg(test)]
#[path = "backend_tests.rs"]
mod tests;
