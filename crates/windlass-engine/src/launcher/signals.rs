//! Signals to the launcher, as descriptors that become readable.
//!
//! TERM is a request to stop, as from the engine. INT and HUP are a terminal's affair and mean
//! nothing here; a handler that does nothing is used instead of ignoring them, because what is
//! ignored would be inherited through exec. CHLD wakes the loop.

use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGPIPE, SIGQUIT, SIGTERM};
use signal_hook::{flag, low_level::pipe};

/// The launcher's ears.
pub(super) struct Signals {
    deaths: UnixStream,
    terminate: UnixStream,
}

impl Signals {
    /// Starts to listen.
    pub(super) fn listen() -> io::Result<Self> {
        for signal in [SIGINT, SIGHUP, SIGQUIT, SIGPIPE] {
            flag::register(signal, Arc::new(AtomicBool::new(false)))?;
        }
        Ok(Self { deaths: hear(SIGCHLD)?, terminate: hear(SIGTERM)? })
    }

    pub(super) fn descriptors(&self) -> [BorrowedFd<'_>; 2] {
        [self.deaths.as_fd(), self.terminate.as_fd()]
    }

    /// Forgets the deaths that were announced; called before waiting for children, so that one that
    /// comes after is announced anew.
    pub(super) fn clear_deaths(&self) {
        drain(&self.deaths);
    }

    /// Says whether a TERM has come since it was last asked.
    pub(super) fn take_terminate(&self) -> bool {
        drain(&self.terminate)
    }
}

fn hear(signal: i32) -> io::Result<UnixStream> {
    let (read, write) = UnixStream::pair()?;
    read.set_nonblocking(true)?;
    pipe::register(signal, write)?;
    Ok(read)
}

fn drain(mut stream: &UnixStream) -> bool {
    let mut bytes = [0; 256];
    let mut any = false;
    while stream.read(&mut bytes).is_ok_and(|count| count > 0) {
        any = true;
    }
    any
}
