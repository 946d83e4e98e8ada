//! Bytes in both directions, until both sides are done or nothing moves any more.
//!
//! One thread serves both directions, by `poll`. A direction is read only while its buffer is empty,
//! so a slow reader slows the writer down and nothing grows.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::body::Body;

const BUFFER_BYTES: usize = 16 * 1024;

/// One direction.
struct Flow<'stream> {
    from: &'stream TcpStream,
    to: &'stream TcpStream,
    buffer: Vec<u8>,
    written: usize,
    body: Body,
    state: FlowState,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum FlowState {
    Open,
    /// Its source has ended; the end is passed on when the buffer is empty.
    Ending,
    Done,
}

/// What two connected sides have said before, and how it goes on.
pub(super) struct Relay<'stream> {
    pub(super) client: &'stream TcpStream,
    pub(super) server: &'stream TcpStream,
    /// What goes to the server first.
    pub(super) to_server: Vec<u8>,
    /// What goes to the client first.
    pub(super) to_client: Vec<u8>,
    /// What of the client's bytes is passed on.
    pub(super) body: Body,
    /// How long nothing may move.
    pub(super) idle: Duration,
}

impl Relay<'_> {
    /// Passes bytes on until the end. An error is the end of a connection like any other.
    pub(super) fn run(self) -> io::Result<()> {
        self.client.set_nonblocking(true)?;
        self.server.set_nonblocking(true)?;
        // After the answer to one request nothing else is to come; a tunnel has two ends.
        let answer_ends_it = self.body != Body::Endless;
        let mut up = Flow::new(self.client, self.server, self.to_server, self.body);
        let mut down = Flow::new(self.server, self.client, self.to_client, Body::Endless);
        up.stop_if_over();
        while !(down.is_done() && (answer_ends_it || up.is_done())) {
            if !wait(&[&up, &down], self.idle)? {
                return Ok(());
            }
            up.pump()?;
            down.pump()?;
        }
        Ok(())
    }
}

/// Waits until a direction can go on; no after a time of silence.
fn wait(flows: &[&Flow<'_>], idle: Duration) -> io::Result<bool> {
    // Only sockets that something is expected of are waited for: a closed one is always ready.
    let mut fds: Vec<PollFd<'_>> = flows.iter().filter_map(|flow| flow.awaited()).collect();
    let idle = Timespec::try_from(idle).map_err(io::Error::other)?;
    match poll(&mut fds, Some(&idle)) {
        Ok(ready) => Ok(ready > 0),
        Err(rustix::io::Errno::INTR) => Ok(true),
        Err(error) => Err(error.into()),
    }
}

impl<'stream> Flow<'stream> {
    fn new(from: &'stream TcpStream, to: &'stream TcpStream, buffer: Vec<u8>, body: Body) -> Self {
        Self { from, to, buffer, written: 0, body, state: FlowState::Open }
    }

    fn is_done(&self) -> bool {
        self.state == FlowState::Done
    }

    fn is_empty(&self) -> bool {
        self.written == self.buffer.len()
    }

    /// A request that is complete is not followed by anything; its server waits for nothing.
    fn stop_if_over(&mut self) {
        if self.body.is_over() && self.is_empty() {
            self.state = FlowState::Done;
        }
    }

    fn awaited(&self) -> Option<PollFd<'stream>> {
        match self.state {
            FlowState::Done => None,
            _ if !self.is_empty() => Some(PollFd::new(self.to, PollFlags::OUT)),
            FlowState::Open => Some(PollFd::new(self.from, PollFlags::IN)),
            FlowState::Ending => None,
        }
    }

    /// Moves what can be moved without waiting.
    fn pump(&mut self) -> io::Result<()> {
        if self.state == FlowState::Open && self.is_empty() {
            self.read()?;
        }
        self.write()?;
        if self.state == FlowState::Ending && self.is_empty() {
            self.to.shutdown(Shutdown::Write)?;
            self.state = FlowState::Done;
        }
        self.stop_if_over();
        Ok(())
    }

    fn read(&mut self) -> io::Result<()> {
        self.buffer.resize(BUFFER_BYTES, 0);
        self.written = 0;
        let mut from = self.from;
        let count = match from.read(&mut self.buffer) {
            Ok(0) => {
                self.state = FlowState::Ending;
                0
            }
            Ok(count) => self.body.take(&self.buffer[..count]).map_err(io::Error::other)?,
            Err(error) if is_not_now(&error) => 0,
            Err(error) => return Err(error),
        };
        self.buffer.truncate(count);
        Ok(())
    }

    fn write(&mut self) -> io::Result<()> {
        while !self.is_empty() {
            let mut to = self.to;
            match to.write(&self.buffer[self.written..]) {
                Ok(count) => self.written += count,
                Err(error) if is_not_now(&error) => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

fn is_not_now(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}
