//! The hidden commands: this program re-executed around attempts, checks and expressions.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use windlass_engine::{agent, expr, git, launcher, proxy};

/// Performs a hidden command, if that is what was asked for.
///
/// It looks at the arguments itself, because a launcher has to be quick and single-threaded.
pub(crate) fn dispatch() -> Option<ExitCode> {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let command = arguments.first()?.to_str().filter(|word| word.starts_with("__"))?;
    match (command, &arguments[1..]) {
        ("__launch", _) => Some(launcher::main_launch()),
        ("__eval", _) => Some(expr::main_eval()),
        (proxy::PROXY_ARGUMENT, _) => Some(proxy::main_proxy()),
        ("__claude", [prompt, program, arguments @ ..]) => {
            Some(agent::main_claude(Path::new(prompt), program, arguments))
        }
        ("__rehearse", [script]) => Some(agent::main_rehearse(Path::new(script))),
        ("__acp", [job]) => Some(agent::main_acp(Path::new(job))),
        (filter, stores) => {
            let (input, output) = (std::io::stdin().lock(), std::io::stdout().lock());
            let filtered = git::lfs::run_filter(filter.as_ref(), stores, input, output)?;
            Some(if filtered.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
    }
}
