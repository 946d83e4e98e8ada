//! Lines of bounded length, from a program that may send anything.

use std::io::{self, BufRead};

/// The longest line that is read. Agents send whole files in one.
pub(super) const MAX_LINE_BYTES: usize = 16 << 20;

/// How much is kept of a line that is too long: enough to tell what it was.
const KEPT_BYTES: usize = 512;

/// One line, without its end.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    Whole(Vec<u8>),
    TooLong {
        start: Vec<u8>,
        bytes: u64,
    },
    /// Nothing comes any more.
    End,
}

/// Reads the next line; of one with more than `max` bytes only the start is kept.
pub(super) fn read(reader: &mut impl BufRead, max: usize) -> io::Result<Line> {
    let mut kept = Vec::new();
    let mut bytes: u64 = 0;
    loop {
        let available = match reader.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            other => other?,
        };
        if available.is_empty() {
            return Ok(if bytes == 0 { Line::End } else { finished(kept, bytes, max) });
        }
        let end = available.iter().position(|byte| *byte == b'\n');
        let part = &available[..end.unwrap_or(available.len())];
        bytes += part.len() as u64;
        if bytes <= max as u64 {
            kept.extend_from_slice(part);
        } else if kept.len() > KEPT_BYTES {
            kept.truncate(KEPT_BYTES);
            kept.shrink_to_fit();
        } else {
            let room = (KEPT_BYTES - kept.len()).min(part.len());
            kept.extend_from_slice(&part[..room]);
        }
        let consumed = part.len() + usize::from(end.is_some());
        reader.consume(consumed);
        if end.is_some() {
            return Ok(finished(kept, bytes, max));
        }
    }
}

fn finished(mut kept: Vec<u8>, bytes: u64, max: usize) -> Line {
    if bytes > max as u64 {
        kept.truncate(KEPT_BYTES);
        return Line::TooLong { start: kept, bytes };
    }
    Line::Whole(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &[u8], max: usize) -> Vec<Line> {
        // A small buffer, so that lines come in parts.
        let mut reader = io::BufReader::with_capacity(7, text);
        let mut lines = Vec::new();
        loop {
            match read(&mut reader, max).unwrap() {
                Line::End => return lines,
                line => lines.push(line),
            }
        }
    }

    #[test]
    fn lines_come_whole_also_the_last_one_without_an_end() {
        let whole = |text: &str| Line::Whole(text.as_bytes().to_vec());
        assert_eq!(
            all(b"one and more\n\nlast", 100),
            [whole("one and more"), whole(""), whole("last")]
        );
    }

    #[test]
    fn of_a_line_that_is_too_long_only_the_start_is_kept_and_the_next_one_is_read() {
        let long = "x".repeat(5000);
        let lines = all(format!("{long}\nnext\n").as_bytes(), 1000);
        assert_eq!(lines[0], Line::TooLong { start: vec![b'x'; KEPT_BYTES], bytes: 5000 });
        assert_eq!(lines[1], Line::Whole(b"next".to_vec()));
    }

    #[test]
    fn the_start_of_a_long_line_is_kept_when_the_bound_is_small() {
        let lines = all(b"0123456789", 3);
        assert_eq!(lines, [Line::TooLong { start: b"0123456789".to_vec(), bytes: 10 }]);
    }
}
