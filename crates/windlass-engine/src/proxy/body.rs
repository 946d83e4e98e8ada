//! Where the body of a request ends.
//!
//! One request goes to a server per connection. Bytes behind it are not passed on: they could be a
//! second request, with a `Host` of its own that nobody looked at.

use thiserror::Error;

/// What of a client's bytes belongs to its request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Body {
    /// Everything: a tunnel.
    Endless,
    /// So many bytes more.
    Length(u64),
    /// Chunks until the empty one.
    Chunked(Chunks),
}

/// Where in a chunked body the next byte is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Chunks {
    /// In the line that says how long the next chunk is, with what was read of the number.
    Size { value: u64, digits: u8 },
    /// Behind the number, in what may follow it.
    Extension { value: u64 },
    /// At the line feed of that line.
    SizeEnd { value: u64 },
    /// In a chunk, with what is left of it.
    Data(u64),
    /// At the end of a chunk's line.
    DataEnd,
    /// At the line feed of that.
    DataLineFeed,
    /// In the lines behind the last chunk, at the beginning of one or not.
    Trailer { at_start: bool },
    /// At the line feed of such a line, of the empty one or not.
    TrailerEnd { last: bool },
    /// Behind it all.
    Over,
}

/// The bytes are no chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the chunks of the body are malformed")]
pub(super) struct ChunkError;

impl Body {
    /// Says whether all of it has been taken.
    pub(super) fn is_over(&self) -> bool {
        matches!(self, Self::Length(0) | Self::Chunked(Chunks::Over))
    }

    /// Returns how many of these next bytes belong to it.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Result<usize, ChunkError> {
        match self {
            Self::Endless => Ok(bytes.len()),
            Self::Length(left) => {
                let taken = bytes.len().min(usize::try_from(*left).unwrap_or(usize::MAX));
                *left -= taken as u64;
                Ok(taken)
            }
            Self::Chunked(chunks) => chunks.take(bytes),
        }
    }
}

impl Chunks {
    /// The beginning of a chunked body.
    pub(super) fn new() -> Self {
        Self::Size { value: 0, digits: 0 }
    }

    fn take(&mut self, bytes: &[u8]) -> Result<usize, ChunkError> {
        let mut taken = 0;
        while taken < bytes.len() && *self != Self::Over {
            if let Self::Data(left) = self {
                let part = (bytes.len() - taken).min(usize::try_from(*left).unwrap_or(usize::MAX));
                *left -= part as u64;
                taken += part;
                if *left == 0 {
                    *self = Self::DataEnd;
                }
            } else {
                *self = self.after(bytes[taken])?;
                taken += 1;
            }
        }
        Ok(taken)
    }

    /// Returns where the byte behind this one is.
    fn after(&self, byte: u8) -> Result<Self, ChunkError> {
        match (self, byte) {
            (Self::Size { value, digits: 1.. }, b'\r') => Ok(Self::SizeEnd { value: *value }),
            (Self::Size { value, digits: 1.. }, b';' | b' ' | b'\t') => {
                Ok(Self::Extension { value: *value })
            }
            // Fifteen digits are more than anybody sends, and no number overflows.
            (Self::Size { value, digits: digits @ ..15 }, _) => {
                let digit = char::from(byte).to_digit(16).ok_or(ChunkError)?;
                Ok(Self::Size { value: value * 16 + u64::from(digit), digits: digits + 1 })
            }
            (Self::Extension { value }, b'\r') => Ok(Self::SizeEnd { value: *value }),
            (Self::Extension { value }, b' '..=b'~' | b'\t') => {
                Ok(Self::Extension { value: *value })
            }
            (Self::SizeEnd { value: 0 }, b'\n') => Ok(Self::Trailer { at_start: true }),
            (Self::SizeEnd { value }, b'\n') => Ok(Self::Data(*value)),
            (Self::DataEnd, b'\r') => Ok(Self::DataLineFeed),
            (Self::DataLineFeed, b'\n') => Ok(Self::new()),
            (Self::Trailer { at_start }, b'\r') => Ok(Self::TrailerEnd { last: *at_start }),
            (Self::Trailer { .. }, b'\n') => Err(ChunkError),
            (Self::Trailer { .. }, _) => Ok(Self::Trailer { at_start: false }),
            (Self::TrailerEnd { last: true }, b'\n') => Ok(Self::Over),
            (Self::TrailerEnd { last: false }, b'\n') => Ok(Self::Trailer { at_start: true }),
            _ => Err(ChunkError),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes the bytes in pieces of this size.
    fn taken(mut body: Body, bytes: &[u8], piece: usize) -> Result<usize, ChunkError> {
        let mut sum = 0;
        for piece in bytes.chunks(piece) {
            sum += body.take(piece)?;
            if body.is_over() {
                break;
            }
        }
        Ok(sum)
    }

    #[test]
    fn what_stands_behind_a_body_is_not_taken() {
        let chunked = "4\r\nabcd\r\n3;x=y\r\nxyz\r\n0\r\nA: b\r\n\r\n";
        for piece in 1..40 {
            let behind = format!("{chunked}GET / HTTP/1.1\r\n\r\n");
            let end = taken(Body::Chunked(Chunks::new()), behind.as_bytes(), piece);
            assert_eq!(end, Ok(chunked.len()), "in pieces of {piece}");
            assert_eq!(taken(Body::Length(5), b"12345GET /", piece), Ok(5));
        }
        assert!(Body::Length(0).is_over());
        assert_eq!(Body::Endless.take(b"abc"), Ok(3));
    }

    #[test]
    fn chunks_that_could_be_read_in_two_ways_are_refused() {
        let wrong = [
            "\r\n",
            "x\r\n",
            "+4\r\n",
            "0x4\r\n",
            "4\nabcd",
            "4\r\nabcdX",
            "4\r\nabcd\n",
            "1111111111111111\r\n",
            "0\r\nA: b\n\r\n",
            "4;\0\r\n",
            "-1\r\n",
            " 4\r\n",
        ];
        for text in wrong {
            let end = taken(Body::Chunked(Chunks::new()), text.as_bytes(), 3);
            assert_eq!(end, Err(ChunkError), "{text:?}");
        }
    }
}
