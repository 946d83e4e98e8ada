//! What a client is told when it does not get a connection.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use super::head::HeadError;
use super::record::FailureKind;
use super::request::RequestError;
use super::target::Target;

/// How long, and for how many bytes, a client that was refused may go on talking.
const LAST_WORDS: Duration = Duration::from_secs(1);
const LAST_BYTES: usize = 256 * 1024;

/// An answer of the proxy itself.
pub(super) struct Answer {
    status: &'static str,
    sentence: String,
}

impl Answer {
    /// Says why there is no connection to a host, and what would change that.
    pub(super) fn of_failure(kind: FailureKind, target: &Target) -> Self {
        let entry = match target.port {
            80 | 443 => target.host.to_string(),
            _ => target.to_string(),
        };
        let (status, why) = match kind {
            FailureKind::Refused => (
                "403 Forbidden",
                format!(
                    "it is not listed for this step; `hosts: [\"{entry}\"]` in the step allows it"
                ),
            ),
            FailureKind::Private => (
                "403 Forbidden",
                "it leads to a private address, which `hosts:` of the step does not open"
                    .to_owned(),
            ),
            FailureKind::Unresolvable => ("502 Bad Gateway", "its name has no address".to_owned()),
            FailureKind::Failed => ("502 Bad Gateway", "it does not answer".to_owned()),
        };
        let verb = match kind {
            FailureKind::Refused | FailureKind::Private => "refused to connect",
            FailureKind::Unresolvable | FailureKind::Failed => "failed to connect",
        };
        Self { status, sentence: format!("windlass {verb} to `{target}`: {why}.") }
    }

    /// Says what is wrong with a request.
    pub(super) fn of_request(error: RequestError) -> Self {
        Self {
            status: "400 Bad Request",
            sentence: format!("windlass refused a request: {error}."),
        }
    }

    /// Says why a request was not read; nothing where nobody is left to be told.
    pub(super) fn of_head(error: &HeadError) -> Option<Self> {
        let status = match error {
            HeadError::Closed => return None,
            HeadError::TimedOut => "408 Request Timeout",
            HeadError::TooLong => "431 Request Header Fields Too Large",
        };
        Some(Self { status, sentence: format!("windlass refused a request: {error}.") })
    }

    /// Sends the answer and closes.
    pub(super) fn send(&self, mut client: &TcpStream) -> io::Result<()> {
        let Self { status, sentence } = self;
        let length = sentence.len() + 1;
        let text = format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\n\
             Content-Length: {length}\r\nConnection: close\r\n\r\n{sentence}\n"
        );
        client.write_all(text.as_bytes())?;
        hear_out(client)
    }
}

/// Reads what a client still says, for a while.
///
/// Closing with bytes unread resets the connection, and the client may never see its answer.
pub(super) fn hear_out(mut client: &TcpStream) -> io::Result<()> {
    client.shutdown(Shutdown::Write)?;
    client.set_nonblocking(false)?;
    let deadline = Instant::now() + LAST_WORDS;
    let mut bytes = [0; 4096];
    let mut heard = 0;
    while heard < LAST_BYTES {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        client.set_read_timeout(Some(left))?;
        match client.read(&mut bytes)? {
            0 => break,
            count => heard += count,
        }
    }
    Ok(())
}
