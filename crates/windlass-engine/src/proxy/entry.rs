//! The proxy's `main`: take the policy, serve, and end with the launcher.

use std::io::{self, Read};
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::sync::Arc;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use signal_hook::consts::SIGTERM;

use super::control::{self, Word};
use super::policy::ProxyPolicy;
use super::record::Recorder;
use super::serve::{Entrance, Proxy};

/// Runs as a proxy: standard input is the launcher's socket.
///
/// The binary calls it first thing in `main` for the argument `__proxy`. It returns when the launcher
/// is gone or a TERM comes; the connections end with the process.
pub fn main_proxy() -> ExitCode {
    // Nobody hears of an error in words: the launcher sees that no ready proxy is there.
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn run() -> io::Result<()> {
    let control = UnixStream::from(rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?);
    let (terminate, announced) = UnixStream::pair()?;
    signal_hook::low_level::pipe::register(SIGTERM, announced)?;
    let (listeners, policy) = control::take_over(&control)?;
    let entrances = entrances(listeners, &policy)?;
    use_all_descriptors()?;
    let recorder = Recorder::open(&policy, control.try_clone()?)?;
    let proxy = Arc::new(Proxy::new(policy, recorder));
    for (listener, entrance) in entrances {
        proxy.listen(listener, entrance)?;
    }
    control::tell(&control, &Word::Ready)?;
    wait_for_end(&control, &terminate)
}

/// Pairs the listeners with what they are for: the first is the proxy's, the others the forwards'.
fn entrances(
    listeners: Vec<OwnedFd>,
    policy: &ProxyPolicy,
) -> io::Result<Vec<(TcpListener, Entrance)>> {
    let doors = policy.doors();
    if listeners.is_empty() || listeners.len() > doors.len() + 1 {
        return Err(io::Error::other("there is not one listener for the proxy and each forward"));
    }
    let targets = doors.into_iter().map(|(_, target)| Entrance::Forward(target));
    let entrances = std::iter::once(Entrance::Proxy).chain(targets);
    Ok(listeners.into_iter().map(TcpListener::from).zip(entrances).collect())
}

/// Each connection takes two descriptors, and some users' soft limits are low.
fn use_all_descriptors() -> io::Result<()> {
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum })?;
    Ok(())
}

/// Waits until the launcher's end of the socket is closed, or a TERM comes.
fn wait_for_end(mut control: &UnixStream, terminate: &UnixStream) -> io::Result<()> {
    loop {
        let mut fds = [PollFd::new(control, PollFlags::IN), PollFd::new(terminate, PollFlags::IN)];
        match poll(&mut fds, None) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let [from_launcher, terminated] = fds.map(|fd| !fd.revents().is_empty());
        // The launcher has nothing more to say, so that bytes mean nothing and an end means the end.
        if terminated || (from_launcher && matches!(control.read(&mut [0; 64]), Ok(0) | Err(_))) {
            return Ok(());
        }
    }
}
