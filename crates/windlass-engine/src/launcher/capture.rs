//! A program's output, kept within a bound: the head as it comes, the tail at the end.
//!
//! A program may print for hours. The beginning says what it set out to do and the end says how it
//! went, so those are kept. The head goes to the file at once, where others can follow it; the tail
//! lives in a ring of fixed size until the program has ended. The pipe is always read, whatever
//! happens to the file: a full disk must not block the program, which would look like idleness.

use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

/// How much is read from a pipe before other events get their turn.
///
/// A pipe holds 64 KiB, so a fast writer is emptied sixteen times between two looks at the control
/// socket, and a stop request still waits for less than a millisecond.
const TURN_BYTES: usize = 1024 * 1024;

/// One stream of output on its way to its file.
pub(super) struct Capture {
    /// The reading end, none once the last writer has closed.
    pipe: Option<fs_err::File>,
    kept: HeadAndTail<fs_err::File>,
    buffer: Vec<u8>,
}

impl Capture {
    /// Makes the file and a pipe, and returns the end to write to.
    pub(super) fn create(path: &Path, max_bytes: u64) -> io::Result<(Self, OwnedFd)> {
        let file = fs_err::File::create(path)?;
        let (read, write) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
        rustix::io::ioctl_fionbio(&read, true)?;
        let pipe = fs_err::File::from_parts(std::fs::File::from(read), path);
        let capture = Self {
            pipe: Some(pipe),
            kept: HeadAndTail::new(file, max_bytes),
            buffer: vec![0; 64 * 1024],
        };
        Ok((capture, write))
    }

    /// Returns the descriptor to wait on, none when all was read.
    pub(super) fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().map(AsFd::as_fd)
    }

    /// Takes in what is there, at most one turn's worth; says how much it was.
    pub(super) fn drain(&mut self) -> usize {
        let mut drained = 0;
        while drained < TURN_BYTES {
            let Some(pipe) = &mut self.pipe else { break };
            match pipe.read(&mut self.buffer) {
                Ok(0) => self.pipe = None,
                Ok(count) => {
                    self.kept.push(&self.buffer[..count]);
                    drained += count;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(_) => self.pipe = None,
            }
        }
        drained
    }

    /// Takes in the rest, closes the file, and says how many bytes there were in all.
    ///
    /// Called when every process is dead. It does not wait for the pipe's end: somebody outside may
    /// hold a copy of it (sent over a socket), and a pipe holds no more than its buffer.
    pub(super) fn finish(mut self) -> u64 {
        while self.drain() > 0 {}
        self.kept.finish()
    }
}

/// Keeps the first and the last half of `max` bytes.
struct HeadAndTail<W: Write> {
    /// None after a failed write: the rest is only counted.
    file: Option<W>,
    head_left: u64,
    ring: Ring,
    total: u64,
    head: u64,
}

impl<W: Write> HeadAndTail<W> {
    fn new(file: W, max: u64) -> Self {
        let tail = usize::try_from(max / 2).unwrap_or(usize::MAX);
        Self {
            file: Some(file),
            head_left: max - max / 2,
            ring: Ring::new(tail),
            total: 0,
            head: 0,
        }
    }

    fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let split = usize::try_from(self.head_left).unwrap_or(usize::MAX).min(bytes.len());
        let (head, tail) = bytes.split_at(split);
        self.head_left -= split as u64;
        self.head += split as u64;
        self.write(head);
        self.ring.push(tail);
    }

    fn write(&mut self, bytes: &[u8]) {
        if self.file.as_mut().is_some_and(|file| file.write_all(bytes).is_err()) {
            self.file = None;
        }
    }

    fn finish(mut self) -> u64 {
        let ring = std::mem::take(&mut self.ring).into_bytes();
        let left_out = self.total - self.head - ring.len() as u64;
        if left_out > 0 {
            self.write(format!("\n[windlass: {left_out} bytes left out]\n").as_bytes());
        }
        self.write(&ring);
        if let Some(mut file) = self.file.take() {
            let _ = file.flush();
        }
        self.total
    }
}

/// The last bytes of a stream. It grows with what it holds, up to its size and no further.
#[derive(Default)]
struct Ring {
    size: usize,
    bytes: Vec<u8>,
    /// Where the oldest byte is, once it is full.
    start: usize,
}

impl Ring {
    fn new(size: usize) -> Self {
        Self { size, bytes: Vec::new(), start: 0 }
    }

    fn push(&mut self, bytes: &[u8]) {
        // Of more than a ring-full, only the end can stay.
        let bytes = &bytes[bytes.len().saturating_sub(self.size)..];
        let grow = (self.size - self.bytes.len()).min(bytes.len());
        let (first, rest) = bytes.split_at(grow);
        self.bytes.extend_from_slice(first);
        let to_end = (self.bytes.len() - self.start).min(rest.len());
        let (upper, lower) = rest.split_at(to_end);
        self.bytes[self.start..self.start + upper.len()].copy_from_slice(upper);
        self.bytes[..lower.len()].copy_from_slice(lower);
        if self.size > 0 {
            self.start = (self.start + rest.len()) % self.size;
        }
    }

    fn into_bytes(mut self) -> Vec<u8> {
        self.bytes.rotate_left(self.start);
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn keep(max: u64, chunks: &[Vec<u8>]) -> (Vec<u8>, u64) {
        let mut file = Vec::new();
        let mut kept = HeadAndTail::new(&mut file, max);
        for chunk in chunks {
            kept.push(chunk);
        }
        let total = kept.finish();
        (file, total)
    }

    #[test]
    fn what_fits_is_kept_byte_for_byte_and_without_a_note() {
        assert_eq!(keep(10, &[b"01234".to_vec(), b"56789".to_vec()]), (b"0123456789".to_vec(), 10));
    }

    #[test]
    fn of_too_much_the_first_and_the_last_half_are_kept_and_the_gap_is_named() {
        let (file, total) = keep(8, &[b"abcdefgh".to_vec(), b"ijklmnop".to_vec()]);
        assert_eq!(total, 16);
        assert_eq!(String::from_utf8(file).unwrap(), "abcd\n[windlass: 8 bytes left out]\nmnop");
    }

    proptest! {
        #[test]
        fn head_and_tail_do_not_depend_on_how_the_bytes_arrive(
            max in 0_u64..64,
            chunks in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..12),
        ) {
            let whole: Vec<u8> = chunks.concat();
            let (tail, head) = ((max / 2) as usize, (max - max / 2) as usize);
            let expected = if whole.len() <= head + tail {
                whole.clone()
            } else {
                let left_out = whole.len() - head - tail;
                let note = format!("\n[windlass: {left_out} bytes left out]\n");
                [&whole[..head], note.as_bytes(), &whole[whole.len() - tail..]].concat()
            };
            prop_assert_eq!(keep(max, &chunks), (expected, whole.len() as u64));
        }
    }
}
