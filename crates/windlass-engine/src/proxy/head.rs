//! Reading the beginning of a connection, within a time and a size.

use std::io::{self, Read};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use thiserror::Error;

/// Why a beginning was not read to its end.
#[derive(Debug, Error)]
pub(super) enum HeadError {
    /// The other side closed, or the connection broke.
    #[error("the connection ended before the request did")]
    Closed,
    /// It took too long.
    #[error("the request took too long to arrive")]
    TimedOut,
    /// It is too large.
    #[error("the head of the request is too large")]
    TooLong,
}

/// Reads a connection's first bytes. What was read too much is kept for whoever comes next.
pub(super) struct HeadReader<'stream> {
    stream: &'stream TcpStream,
    deadline: Instant,
    most: usize,
    buffer: Vec<u8>,
    taken: usize,
}

impl<'stream> HeadReader<'stream> {
    pub(super) fn new(stream: &'stream TcpStream, time: Duration, most: usize) -> Self {
        let deadline = Instant::now() + time;
        Self { stream, deadline, most, buffer: Vec::new(), taken: 0 }
    }

    /// Returns the first byte and leaves it there.
    pub(super) fn peek(&mut self) -> Result<u8, HeadError> {
        while self.buffer.len() == self.taken {
            self.fill()?;
        }
        Ok(self.buffer[self.taken])
    }

    /// Takes as many bytes.
    pub(super) fn take(&mut self, count: usize) -> Result<&[u8], HeadError> {
        while self.buffer.len() < self.taken + count {
            self.fill()?;
        }
        let from = self.taken;
        self.taken += count;
        Ok(&self.buffer[from..self.taken])
    }

    /// Takes everything up to and with the first empty line.
    pub(super) fn take_head(&mut self) -> Result<&[u8], HeadError> {
        const END: &[u8] = b"\r\n\r\n";
        let mut searched = self.taken;
        loop {
            let found = self.buffer[searched..].windows(END.len()).position(|part| part == END);
            if let Some(at) = found {
                let from = self.taken;
                self.taken = searched + at + END.len();
                return Ok(&self.buffer[from..self.taken]);
            }
            // The end may lie across two reads.
            searched = self.buffer.len().saturating_sub(END.len() - 1).max(self.taken);
            self.fill()?;
        }
    }

    /// Returns what was read and not taken.
    pub(super) fn into_rest(mut self) -> Vec<u8> {
        self.buffer.split_off(self.taken)
    }

    fn fill(&mut self) -> Result<(), HeadError> {
        if self.buffer.len() >= self.most {
            return Err(HeadError::TooLong);
        }
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(HeadError::TimedOut);
        }
        let mut bytes = [0; 4096];
        let room = bytes.len().min(self.most - self.buffer.len());
        let read = self.stream.set_read_timeout(Some(left)).and_then(|()| {
            let mut stream = self.stream;
            stream.read(&mut bytes[..room])
        });
        match read {
            Ok(0) => Err(HeadError::Closed),
            Ok(count) => {
                self.buffer.extend_from_slice(&bytes[..count]);
                Ok(())
            }
            Err(error) => match error.kind() {
                io::ErrorKind::Interrupted => Ok(()),
                io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Err(HeadError::TimedOut),
                _ => Err(HeadError::Closed),
            },
        }
    }
}
