//! The filter for large files as a program of its own, for the tests of `git`.

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let command = arguments.next().unwrap_or_default();
    let stores: Vec<_> = arguments.collect();
    let (input, output) = (std::io::stdin().lock(), std::io::stdout().lock());
    match windlass_engine::git::lfs::run_filter(&command, &stores, input, output) {
        Some(Ok(())) => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}
