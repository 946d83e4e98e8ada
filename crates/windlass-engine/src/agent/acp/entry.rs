//! The client from its start to the end of the agent's program.

use std::io::{self, Read as _, Write};
use std::path::Path;
use std::process::ExitCode;

use super::client::{Broken, Client};
use super::event::{Event, FailureKind};
use super::job::Job;
use super::process::AgentProcess;

/// The client's `main`: the job is in a file, the prompt on standard input.
pub fn main_acp(job: &Path) -> ExitCode {
    let mut out = io::stdout().lock();
    let ended = read_job(job).and_then(|(job, prompt)| converse(&job, &prompt, &mut out));
    match ended {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            let _ = writeln!(io::stderr().lock(), "windlass __acp: {error}");
            ExitCode::FAILURE
        }
    }
}

fn read_job(path: &Path) -> io::Result<(Job, String)> {
    let mut job: Job = serde_json::from_slice(&fs_err::read(path)?)?;
    job.publishing = crate::agent::publishing()?;
    let mut prompt = Vec::new();
    io::stdin().lock().read_to_end(&mut prompt)?;
    Ok((job, String::from_utf8_lossy(&prompt).into_owned()))
}

/// Has one turn with an agent and prints what happens, one event per line. Says whether the turn
/// came to an end of its own.
///
/// # Errors
/// The events could not be printed.
pub fn converse(job: &Job, prompt: &str, out: &mut dyn Write) -> io::Result<bool> {
    let failure = match AgentProcess::start(job) {
        Ok(mut agent) => {
            let mut client = Client::new(job, &mut agent, out);
            let turn = client.turn(prompt);
            let printed = client.flush();
            let status = agent.end();
            printed?;
            match turn {
                Ok(stop_reason) => {
                    Event::Ended { stop_reason }.print(out)?;
                    return Ok(true);
                }
                Err(Broken::Output(error)) => return Err(error),
                Err(Broken::Turn(mut failure)) => {
                    if failure.kind == FailureKind::Died {
                        let how = status.map_or_else(|e| e.to_string(), |s| s.to_string());
                        failure.message = format!("{} ({how})", failure.message);
                    }
                    failure
                }
            }
        }
        Err(failure) => failure,
    };
    Event::Failed(failure).print(out)?;
    Ok(false)
}
