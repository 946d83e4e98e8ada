//! SOCKS 5 (RFC 1928): no authentication, outgoing connections only, names and addresses.

use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, TcpStream};

use super::head::{HeadError, HeadReader};
use super::record::FailureKind;
use super::target::{Host, Target};

/// The first byte of every message; no HTTP request begins so.
pub(super) const VERSION: u8 = 5;

const NO_AUTHENTICATION: u8 = 0;
const NO_METHOD: u8 = 0xff;
const CONNECT: u8 = 1;

/// What an answer says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Reply {
    Succeeded = 0,
    GeneralFailure = 1,
    NotAllowed = 2,
    HostUnreachable = 4,
    ConnectionRefused = 5,
    CommandNotSupported = 7,
    AddressNotSupported = 8,
}

impl From<FailureKind> for Reply {
    fn from(kind: FailureKind) -> Self {
        match kind {
            FailureKind::Refused | FailureKind::Private => Self::NotAllowed,
            FailureKind::Unresolvable => Self::HostUnreachable,
            FailureKind::Failed => Self::ConnectionRefused,
        }
    }
}

/// Why nothing can be done for a client.
#[derive(Debug)]
pub(super) enum SocksError {
    /// The client is told so.
    Answer(Reply),
    /// Nobody is there to be told, or no answer was agreed on.
    Closed,
}

impl From<HeadError> for SocksError {
    fn from(_: HeadError) -> Self {
        Self::Closed
    }
}

impl From<io::Error> for SocksError {
    fn from(_: io::Error) -> Self {
        Self::Closed
    }
}

/// Greets the client and reads what it asks for.
pub(super) fn negotiate(
    reader: &mut HeadReader<'_>,
    mut stream: &TcpStream,
) -> Result<Target, SocksError> {
    let count = match reader.take(2)? {
        [VERSION, count] => usize::from(*count),
        _ => return Err(SocksError::Closed),
    };
    let offered = reader.take(count)?.contains(&NO_AUTHENTICATION);
    let method = if offered { NO_AUTHENTICATION } else { NO_METHOD };
    stream.write_all(&[VERSION, method])?;
    if !offered {
        return Err(SocksError::Closed);
    }
    read_request(reader)
}

fn read_request(reader: &mut HeadReader<'_>) -> Result<Target, SocksError> {
    let (command, kind) = match reader.take(4)? {
        [VERSION, command, 0, kind] => (*command, *kind),
        _ => return Err(SocksError::Answer(Reply::GeneralFailure)),
    };
    if command != CONNECT {
        return Err(SocksError::Answer(Reply::CommandNotSupported));
    }
    let unusable = SocksError::Answer(Reply::AddressNotSupported);
    let host = match kind {
        1 => {
            let octets = <[u8; 4]>::try_from(reader.take(4)?).unwrap_or_default();
            Host::Address(IpAddr::from(Ipv4Addr::from(octets)))
        }
        3 => {
            let length = usize::from(reader.take(1)?[0]);
            let name = std::str::from_utf8(reader.take(length)?).ok();
            match name.map(Host::parse_bare) {
                Some(Ok(host)) => host,
                Some(Err(_)) | None => return Err(unusable),
            }
        }
        4 => {
            let octets = <[u8; 16]>::try_from(reader.take(16)?).unwrap_or_default();
            Host::Address(IpAddr::from(Ipv6Addr::from(octets)))
        }
        _ => return Err(unusable),
    };
    let port = u16::from_be_bytes(<[u8; 2]>::try_from(reader.take(2)?).unwrap_or_default());
    if port == 0 { Err(unusable) } else { Ok(Target { host, port }) }
}

/// Answers a request. The address of the connection is not told: it is the host's.
pub(super) fn answer(mut stream: &TcpStream, reply: Reply) -> io::Result<()> {
    stream.write_all(&[VERSION, reply as u8, 0, 1, 0, 0, 0, 0, 0, 0])
}
