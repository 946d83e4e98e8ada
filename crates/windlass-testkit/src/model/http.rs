//! As much of HTTP/1.1 as the CLIs use: one request a connection.

use std::io::{self, BufReader, Read as _, Write as _};
use std::net::TcpStream;

/// More than any prompt of a test.
const MOST_BYTES: u64 = 256 * 1024 * 1024;

/// What arrived.
#[derive(Clone, Debug)]
pub(super) struct Arrived {
    pub(super) method: String,
    pub(super) path: String,
    /// Names in lower case.
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl Arrived {
    fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(each, _)| each == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// Reads one request; none when the other side closes without one.
pub(super) fn read(stream: &TcpStream) -> io::Result<Option<Arrived>> {
    let mut reader = BufReader::new(stream.take(MOST_BYTES));
    let first = line(&mut reader)?;
    let mut words = first.split(' ');
    let (Some(method), Some(path)) = (words.next(), words.next()) else { return Ok(None) };
    let mut arrived = Arrived {
        method: method.to_owned(),
        path: path.to_owned(),
        headers: Vec::new(),
        body: Vec::new(),
    };
    loop {
        let header = line(&mut reader)?;
        let Some((name, value)) = header.split_once(':') else { break };
        arrived.headers.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
    }
    if arrived.header("expect").is_some_and(|value| value.eq_ignore_ascii_case("100-continue")) {
        (&mut &*stream).write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    if arrived.header("transfer-encoding").is_some_and(|value| value.contains("chunked")) {
        arrived.body = chunks(&mut reader)?;
    } else if let Some(length) = arrived.header("content-length") {
        let length: usize = length.parse().map_err(io::Error::other)?;
        arrived.body = vec![0; length];
        reader.read_exact(&mut arrived.body)?;
    }
    Ok(Some(arrived))
}

fn line(reader: &mut impl io::BufRead) -> io::Result<String> {
    let mut text = String::new();
    reader.read_line(&mut text)?;
    Ok(text.trim_end_matches(['\r', '\n']).to_owned())
}

fn chunks(reader: &mut impl io::BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let size = line(reader)?;
        let digits = size.split(';').next().unwrap_or_default().trim();
        let size = usize::from_str_radix(digits, 16).map_err(io::Error::other)?;
        let begin = body.len();
        body.resize(begin + size, 0);
        reader.read_exact(&mut body[begin..])?;
        line(reader)?;
        if size == 0 {
            return Ok(body);
        }
    }
}

/// Sends a whole answer.
pub(super) fn answer(
    mut stream: &TcpStream,
    status: u16,
    headers: &[(String, String)],
    body: &str,
) -> io::Result<()> {
    use std::fmt::Write as _;
    let length = body.len();
    let mut head = format!(
        "HTTP/1.1 {status} {}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n",
        reason(status)
    );
    for (name, value) in headers {
        let _ = write!(head, "{name}: {value}\r\n");
    }
    head.push_str("connection: close\r\n\r\n");
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())
}

/// Begins a stream of events.
pub(super) fn begin_stream(mut stream: &TcpStream) -> io::Result<()> {
    stream.write_all(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-cache\r\n\
          transfer-encoding: chunked\r\nconnection: close\r\n\r\n",
    )
}

/// Sends events. Chunks, so that a broken connection is not taken for the end.
pub(super) fn send(mut stream: &TcpStream, frames: &[String]) -> io::Result<()> {
    for frame in frames {
        stream.write_all(format!("{:x}\r\n{frame}\r\n", frame.len()).as_bytes())?;
    }
    Ok(())
}

/// Ends a stream.
pub(super) fn end_stream(mut stream: &TcpStream) -> io::Result<()> {
    stream.write_all(b"0\r\n\r\n")
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        529 => "Overloaded",
        _ => "Scripted",
    }
}
