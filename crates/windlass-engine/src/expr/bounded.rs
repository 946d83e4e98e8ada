//! Evaluation in a child process with limits.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use rustix::process::{Resource, Rlimit, setrlimit};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::jq::{EvaluateError, evaluate};

/// Expressions take microseconds; whoever needs this long will not end.
const MAX_CPU_SECONDS: u64 = 5;

/// Enough for any document, and too little to hurt the machine.
const MAX_MEMORY_BYTES: u64 = 1 << 30;

/// A document is some kilobytes; this bounds what the child may be sent or send back.
const MAX_MESSAGE_BYTES: u64 = 64 << 20;

#[derive(Serialize, Deserialize)]
struct Question {
    expr: String,
    document: Value,
}

/// Evaluates `expr` over `document` in a child process: `exe`, called with `__eval`.
///
/// # Errors
/// The expression is wrong, failed, or went past its limits.
pub fn evaluate_bounded(
    exe: &Path,
    expr: &str,
    document: &Value,
) -> Result<Vec<Value>, EvaluateError> {
    let question = Question { expr: expr.to_owned(), document: document.clone() };
    let question = serde_json::to_vec(&question).map_err(|error| EvaluateError::Failed {
        expr: expr.to_owned(),
        message: error.to_string(),
    })?;
    let mut child = Command::new(exe)
        .arg("__eval")
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(EvaluateError::Process)?;
    if let Some(mut stdin) = child.stdin.take() {
        // A child that died early shows in its answer.
        let _ = stdin.write_all(&question);
    }
    let mut answer = Vec::new();
    if let Some(stdout) = child.stdout.take() {
        stdout.take(MAX_MESSAGE_BYTES).read_to_end(&mut answer).map_err(EvaluateError::Process)?;
    }
    child.wait().map_err(EvaluateError::Process)?;
    match serde_json::from_slice::<Result<Vec<Value>, String>>(&answer) {
        Ok(Ok(values)) => Ok(values),
        Ok(Err(message)) => Err(EvaluateError::Failed { expr: expr.to_owned(), message }),
        Err(_) => Err(EvaluateError::OverLimit { expr: expr.to_owned() }),
    }
}

/// The child's side of [`evaluate_bounded`].
pub fn main_eval() -> ExitCode {
    let limited = limit(Resource::Cpu, MAX_CPU_SECONDS) && limit(Resource::As, MAX_MEMORY_BYTES);
    let mut question = Vec::new();
    let read = std::io::stdin().take(MAX_MESSAGE_BYTES).read_to_end(&mut question);
    if !limited || read.is_err() {
        return ExitCode::FAILURE;
    }
    let answer = match serde_json::from_slice::<Question>(&question) {
        Ok(Question { expr, document }) => {
            evaluate(&expr, &document).map_err(|error| error.to_string())
        }
        Err(error) => Err(error.to_string()),
    };
    let written = serde_json::to_vec(&answer)
        .map_err(std::io::Error::from)
        .and_then(|answer| std::io::stdout().write_all(&answer));
    if written.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn limit(resource: Resource, to: u64) -> bool {
    setrlimit(resource, Rlimit { current: Some(to), maximum: Some(to) }).is_ok()
}
