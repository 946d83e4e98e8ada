//! Who is calling a hook.
//!
//! The model's shell can call `windlass hook …` as well as the host can, with the same environment and
//! the same ancestors. What it cannot fake is standard input. Claude Code gives a hook one end of an
//! unnamed pair of sockets: the kernel says whose the other end is, and that is the very process that
//! started the hook. A shell's input is a file, a pipe, or a socket of somebody else; one that it
//! connects to a socket that the host listens on has a name, and is told by it.
//!
//! Codex gives its hooks a pipe, which says nothing. Its parent can be told as long as its shell is in a
//! sandbox of its own; so a call of Codex may drive a run, and never decides for a person.

use std::os::fd::AsFd as _;
use std::path::Path;

use rustix::net::SocketAddrUnix;
use windlass_core::run::{HostKind, HostProcess};

use crate::process_table::ancestry::{self, AncestryError};
use crate::process_table::kernel_file;

/// Programs that are agents themselves: a host below one of them is no person's.
pub const AGENTS: [&str; 6] = ["claude", "codex", "gemini", "opencode", "qwen", "aider"];

/// Variables that an agent's program gives to what it starts.
pub const MARKS: [&str; 5] = [
    "CLAUDECODE",
    "CLAUDE_CODE_CHILD_SESSION",
    "CODEX_THREAD_ID",
    "CODEX_SANDBOX",
    "WINDLASS_ATTEMPT",
];

/// How sure it is who calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is the host: what its person says counts.
    Host,
    /// It is most likely the host: it may report, and nobody decides through it.
    Likely,
}

/// A caller that was established.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The host's process.
    pub process: HostProcess,
    /// How sure that is.
    pub standing: Standing,
    /// Whether the host has a terminal.
    pub terminal: bool,
}

/// Why it is not known who calls.
#[derive(Debug, thiserror::Error)]
pub enum Unknown {
    /// Standard input is not what a host gives.
    #[error("standard input is not the host's ({0})")]
    Input(&'static str),
    /// The host's end belongs to another process than the one that called.
    #[error("the other end of standard input is not the process that called")]
    NotTheParent,
    /// An agent, a launcher or a check is above the caller.
    #[error("the call comes from below an agent, an attempt or a check")]
    BelowAgent,
    /// The ancestors cannot be read.
    #[error("the caller's ancestors cannot be told")]
    Ancestry(#[from] AncestryError),
    /// A process cannot be read.
    #[error("the calling process cannot be read")]
    Process(#[source] std::io::Error),
}

/// Finds out who calls.
///
/// # Errors
/// It cannot be established; then nothing may be decided.
pub fn caller(host: HostKind, registry: &Path) -> Result<Caller, Unknown> {
    let parent = rustix::process::getppid().ok_or(Unknown::Input("no parent"))?;
    let parent = parent.as_raw_nonzero().get();
    let standing = match host {
        HostKind::Claude => {
            let peer = peer_of_stdin()?;
            if peer != parent {
                return Err(Unknown::NotTheParent);
            }
            Standing::Host
        }
        HostKind::Codex => {
            let name = program_of(parent).map_err(Unknown::Process)?;
            if name != "codex" {
                return Err(Unknown::NotTheParent);
            }
            Standing::Likely
        }
    };
    let me = i32::try_from(std::process::id()).unwrap_or(-1);
    if ancestry::is_below_launcher(me, registry)? || is_below_agent(parent)? {
        return Err(Unknown::BelowAgent);
    }
    let start = ancestry::start_time(parent).map_err(Unknown::Process)?;
    let terminal = has_terminal(parent).map_err(Unknown::Process)?;
    Ok(Caller { process: HostProcess { pid: parent, start }, standing, terminal })
}

/// Returns whether this process bears the marks of an agent's program, or has no terminal. A process
/// that left the session's ancestors behind is like that, unless it goes to some lengths.
pub fn is_nobodys() -> bool {
    let marked = MARKS.iter().any(|mark| std::env::var_os(mark).is_some());
    marked || std::fs::File::open("/dev/tty").is_err()
}

/// Returns the device of this process's controlling terminal. Standard input may be something else.
pub fn terminal() -> Option<String> {
    device_of(terminal_number(i32::try_from(std::process::id()).ok()?).ok()??)
}

/// Names the device of a terminal by its number. Minor numbers lie around the major one, as the kernel
/// has it in `/proc/PID/stat`.
fn device_of(number: u32) -> Option<String> {
    /// Major numbers of the kernel: consoles and serial lines share one, pseudo terminals have eight.
    const CONSOLES: u32 = 4;
    const PSEUDO: std::ops::RangeInclusive<u32> = 136..=143;
    const FIRST_SERIAL: u32 = 64;
    let (major, minor) = ((number >> 8) & 0xff, (number & 0xff) | ((number >> 12) & 0xfff00));
    Some(match major {
        major if PSEUDO.contains(&major) => {
            format!("/dev/pts/{}", (major - PSEUDO.start()) * 256 + minor)
        }
        CONSOLES if minor < FIRST_SERIAL => format!("/dev/tty{minor}"),
        CONSOLES => format!("/dev/ttyS{}", minor - FIRST_SERIAL),
        _ => format!("/dev/char/{major}:{minor}"),
    })
}

/// Returns the process at the other end of standard input, if that is an unnamed socket.
fn peer_of_stdin() -> Result<i32, Unknown> {
    let stdin = std::io::stdin();
    let fd = stdin.as_fd();
    let address = rustix::net::getpeername(fd).map_err(|_| Unknown::Input("no socket"))?;
    let address = address.ok_or(Unknown::Input("a socket without a peer"))?;
    let unix = SocketAddrUnix::try_from(address).map_err(|_| Unknown::Input("no unix socket"))?;
    let named = |name: Option<&[u8]>| name.is_some_and(|name| !name.is_empty());
    if named(unix.path_bytes()) || named(unix.abstract_name()) {
        return Err(Unknown::Input("a socket with a name"));
    }
    let credentials = rustix::net::sockopt::socket_peercred(fd)
        .map_err(|_| Unknown::Input("a socket without credentials"))?;
    Ok(credentials.pid.as_raw_nonzero().get())
}

/// Whether a host was started by another agent, by its ancestors or by what it was given.
fn is_below_agent(host: i32) -> Result<bool, Unknown> {
    for process in ancestry::above(host)? {
        // A process that is gone or hides its name is no proof of anything.
        if program_of(process).is_ok_and(|name| AGENTS.contains(&name.as_str())) {
            return Ok(true);
        }
    }
    let environment =
        kernel_file::read(&format!("/proc/{host}/environ")).map_err(Unknown::Process)?;
    let marked = environment.split(|byte| *byte == 0).any(|entry| {
        let name = entry.split(|byte| *byte == b'=').next().unwrap_or_default();
        MARKS.iter().any(|mark| mark.as_bytes() == name)
    });
    Ok(marked)
}

/// Whether a process has a controlling terminal.
fn has_terminal(pid: i32) -> std::io::Result<bool> {
    Ok(terminal_number(pid)?.is_some())
}

/// Returns the number of a process's controlling terminal.
fn terminal_number(pid: i32) -> std::io::Result<Option<u32>> {
    let stat = kernel_file::read(&format!("/proc/{pid}/stat"))?;
    let stat = String::from_utf8_lossy(&stat);
    // After the name, which may hold anything: state, parent, group, session, terminal.
    let rest = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let number = rest.split_whitespace().nth(4).and_then(|number| number.parse::<i32>().ok());
    Ok(number.map(i32::cast_unsigned).filter(|number| *number != 0))
}

/// Returns the name of a process's program.
fn program_of(pid: i32) -> std::io::Result<String> {
    let exe = fs_err::read_link(format!("/proc/{pid}/exe"))?;
    let name = exe.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Ok(name.trim_end_matches(" (deleted)").trim_end_matches(".exe").to_owned())
}

#[cfg(test)]
mod tests {
    use super::device_of;

    #[test]
    fn terminals_are_named_as_people_know_them() {
        assert_eq!(device_of(0x8803).unwrap(), "/dev/pts/3");
        assert_eq!(device_of(0x0010_8807).unwrap(), "/dev/pts/263");
        assert_eq!(device_of(0x0401).unwrap(), "/dev/tty1");
        assert_eq!(device_of(0x0441).unwrap(), "/dev/ttyS1");
        assert_eq!(device_of(0x0500).unwrap(), "/dev/char/5:0");
    }
}
