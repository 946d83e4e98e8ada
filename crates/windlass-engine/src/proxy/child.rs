//! The launcher's side of a proxy: start it, hear of it, end it.
//!
//! Nothing here needs code between fork and exec, so a caller may have any number of threads.

use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, pidfd_open, pidfd_send_signal, waitid,
};

use super::control::{self, Word};
use super::policy::ProxyPolicy;
use super::record::Failure;

/// The argument that makes windlass a proxy.
pub const PROXY_ARGUMENT: &str = "__proxy";

/// How long a proxy may take to say that it is ready.
const READY_WITHIN: Duration = Duration::from_secs(20);

/// How long a proxy may take to end; it has nothing to put away.
const END_WITHIN: Timespec = Timespec { tv_sec: 5, tv_nsec: 0 };

/// Starts a proxy in the caller's network for a listener, which may be in another one.
///
/// It returns at once. Connections wait in the listener's queue until the proxy is there;
/// [`ProxyChild::wait_until_ready`] says whether it is.
pub fn spawn(exe: &Path, listener: OwnedFd, policy: &ProxyPolicy) -> io::Result<ProxyChild> {
    spawn_with_forwards(exe, listener, Vec::new(), policy)
}

/// Starts a proxy that also has a listener for each address of the policy's forwards, in their order.
///
/// A connection to such a listener goes to the forward's port with no word of a proxy's: clients do
/// not ask a proxy for loopback addresses, which `NO_PROXY` names.
pub fn spawn_with_forwards(
    exe: &Path,
    listener: OwnedFd,
    forwards: Vec<OwnedFd>,
    policy: &ProxyPolicy,
) -> io::Result<ProxyChild> {
    let (ours, theirs) = UnixStream::pair()?;
    let mut command = Command::new(exe);
    command
        .arg(PROXY_ARGUMENT)
        .env_clear()
        .current_dir("/")
        .stdin(OwnedFd::from(theirs))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // A Ctrl-C at the terminal is not for the proxy: agents end before their network does.
        .process_group(0);
    let mut started = command.spawn()?;
    // The command holds the proxy's end of the socket, whose last copy has to be the proxy's own.
    drop(command);
    let (pid, process) = match named(&started) {
        Ok(named) => named,
        Err(error) => {
            drop(ours);
            started.wait()?;
            return Err(error);
        }
    };
    let proxy = ProxyChild { control: ours, process, pid, heard: Vec::new(), hopeless: None };
    let listeners: Vec<OwnedFd> = std::iter::once(listener).chain(forwards).collect();
    control::hand_over(&proxy.control, &listeners, policy)?;
    Ok(proxy)
}

/// Returns a child's pid and a descriptor of it.
fn named(child: &Child) -> io::Result<(Pid, OwnedFd)> {
    let pid = Pid::from_child(child);
    Ok((pid, pidfd_open(pid, PidfdFlags::empty())?))
}

/// A proxy that was started. Dropping it ends it and waits for its end.
///
/// It is named by a descriptor and never by its pid: a launcher waits for all its children, and the
/// pid of one that it has waited for may be somebody else's.
#[derive(Debug)]
pub struct ProxyChild {
    control: UnixStream,
    process: OwnedFd,
    pid: Pid,
    heard: Vec<u8>,
    hopeless: Option<Failure>,
}

impl ProxyChild {
    /// Returns its pid.
    pub fn pid(&self) -> Pid {
        self.pid
    }

    /// Waits until the proxy accepts connections; an error means that it will not.
    pub fn wait_until_ready(&mut self) -> io::Result<()> {
        self.control.set_nonblocking(false)?;
        self.control.set_read_timeout(Some(READY_WITHIN))?;
        loop {
            match self.next_word()? {
                Some(Word::Ready) => return Ok(()),
                Some(Word::ProviderFailed(_) | Word::Hopeless(_)) => {
                    return Err(io::ErrorKind::InvalidData.into());
                }
                None => self.hear()?,
            }
        }
    }

    /// Returns what a backend tried last that has reached nothing at all, once there is no chance left.
    /// It is known after [`Self::take_failures`].
    pub fn hopeless(&self) -> Option<&Failure> {
        self.hopeless.as_ref()
    }

    /// Returns the hosts of the provider that could not be reached, each once, without waiting.
    ///
    /// An error means that the proxy is gone. The descriptor is readable when there is something to
    /// be had.
    pub fn take_failures(&mut self) -> io::Result<Vec<Failure>> {
        self.control.set_nonblocking(true)?;
        let mut failures = Vec::new();
        loop {
            while let Some(word) = self.next_word()? {
                match word {
                    Word::Ready => {}
                    Word::ProviderFailed(failure) => failures.push(failure),
                    Word::Hopeless(failure) => self.hopeless = Some(failure),
                }
            }
            match self.hear() {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(failures),
                // What was said before the end counts; the end is still there the next time.
                Err(_) if !failures.is_empty() => return Ok(failures),
                Err(error) => return Err(error),
            }
        }
    }

    fn hear(&mut self) -> io::Result<()> {
        let mut bytes = [0; 1024];
        match self.control.read(&mut bytes) {
            Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => {
                self.heard.extend_from_slice(&bytes[..count]);
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn next_word(&mut self) -> io::Result<Option<Word>> {
        let Some(end) = self.heard.iter().position(|byte| *byte == b'\n') else { return Ok(None) };
        let line: Vec<u8> = self.heard.drain(..=end).collect();
        Ok(Some(serde_json::from_slice(&line)?))
    }
}

/// Readable when the proxy has said something or is gone.
impl AsFd for ProxyChild {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.control.as_fd()
    }
}

impl Drop for ProxyChild {
    fn drop(&mut self) {
        // Closed for all copies, should there be any. That it is closed already is the aim.
        let _ = self.control.shutdown(std::net::Shutdown::Both);
        let mut ended = [PollFd::new(&self.process, PollFlags::IN)];
        if !matches!(poll(&mut ended, Some(&END_WITHIN)), Ok(1..)) {
            // It has ended meanwhile, or ends now.
            let _ = pidfd_send_signal(&self.process, Signal::KILL);
        }
        // A launcher that waits for all its children may have waited for this one.
        let _ = waitid(WaitId::PidFd(self.process.as_fd()), WaitIdOptions::EXITED);
    }
}
