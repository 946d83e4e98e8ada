//! Points at which tests stop the process as a crash would.
//!
//! `WINDLASS_FAULT=name:N` kills the process with SIGKILL when the point `name` is passed for the
//! N-th time; `WINDLASS_FAULT=trace:FILE` appends the name of every point passed to FILE, so that a
//! test can find all points and then die at each of them. Unset, a point costs one atomic load.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::sync::{Mutex, OnceLock, PoisonError};

enum Fault {
    None,
    Kill { name: String, at: u32, passed: Mutex<u32> },
    Trace { file: String, passed: Mutex<BTreeMap<String, u32>> },
}

/// Marks a point between an append and an effect, or inside one.
pub fn point(name: &str) {
    match FAULT.get_or_init(read) {
        Fault::None => {}
        Fault::Kill { name: deadly, at, passed } => {
            if deadly == name {
                let mut passed = passed.lock().unwrap_or_else(PoisonError::into_inner);
                *passed += 1;
                if *passed == *at {
                    die();
                }
            }
        }
        Fault::Trace { file, passed } => {
            let mut passed = passed.lock().unwrap_or_else(PoisonError::into_inner);
            let times = passed.entry(name.to_owned()).or_default();
            *times += 1;
            let line = format!("{name}:{times}\n");
            let opened = std::fs::OpenOptions::new().create(true).append(true).open(file);
            let written = opened.and_then(|mut file| file.write_all(line.as_bytes()));
            assert!(written.is_ok(), "the fault trace cannot be written");
        }
    }
}

static FAULT: OnceLock<Fault> = OnceLock::new();

fn read() -> Fault {
    let Ok(spec) = std::env::var("WINDLASS_FAULT") else { return Fault::None };
    let Some((name, argument)) = spec.split_once(':') else { return Fault::None };
    if name == "trace" {
        return Fault::Trace { file: argument.to_owned(), passed: Mutex::default() };
    }
    match argument.parse() {
        Ok(at) => Fault::Kill { name: name.to_owned(), at, passed: Mutex::default() },
        Err(_) => Fault::None,
    }
}

/// As a crash would: no destructor runs, nothing is flushed.
fn die() {
    let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
}
