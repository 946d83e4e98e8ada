//! The host and port that somebody asks for, read strictly.
//!
//! What is accepted here has one meaning for everybody who reads it: this module, the resolver and
//! the server at the other end. Everything else is an error, because a host that two readers
//! understand differently is how a list of hosts is passed by.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use thiserror::Error;

/// The longest name of the domain name system, in text without its last dot.
const MAX_NAME: usize = 253;
const MAX_LABEL: usize = 63;

/// Why a text is no host and port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum TargetError {
    /// A user name in front of a host is only good for hiding the host.
    #[error("a user name before the host is not allowed")]
    UserInfo,
    /// No name, and no address.
    #[error("the host is not a name in ASCII or an address")]
    Host,
    /// No number from 1 to 65535.
    #[error("the port is missing or is not a number from 1 to 65535")]
    Port,
}

/// A host: a name, or an address in its one usual spelling.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Host {
    /// A name in lower case without its last dot.
    ///
    /// Odd spellings of addresses (`2130706433`, `0x7f.1`) are names as well. No rule has such a
    /// name, see `is_like_number`.
    Name(String),
    /// An address.
    Address(IpAddr),
}

impl Host {
    /// Reads a host as it stands in an address of the web: addresses of IPv6 are in brackets.
    pub fn parse(text: &str) -> Result<Self, TargetError> {
        if let Some(inner) = text.strip_prefix('[') {
            let inner = inner.strip_suffix(']').ok_or(TargetError::Host)?;
            let address: Ipv6Addr = inner.parse().map_err(|_| TargetError::Host)?;
            return Ok(Self::Address(address.into()));
        }
        if let Ok(address) = text.parse::<Ipv4Addr>() {
            return Ok(Self::Address(address.into()));
        }
        let name = text.strip_suffix('.').unwrap_or(text);
        let is_name = name.len() <= MAX_NAME && name.split('.').all(is_label);
        if is_name { Ok(Self::Name(name.to_ascii_lowercase())) } else { Err(TargetError::Host) }
    }

    /// Reads a host as SOCKS has it: addresses of IPv6 may stand without brackets.
    pub(super) fn parse_bare(text: &str) -> Result<Self, TargetError> {
        match text.parse::<Ipv6Addr>() {
            Ok(address) => Ok(Self::Address(address.into())),
            Err(_) => Self::parse(text),
        }
    }
}

fn is_label(label: &str) -> bool {
    let fits = !label.is_empty() && label.len() <= MAX_LABEL;
    fits && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

/// Says whether resolvers may take a name for an address in an odd spelling.
///
/// They do so where the last label is a number in decimal, octal or hexadecimal. No top-level domain
/// is a number.
pub(super) fn is_like_number(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name);
    let hexadecimal = last
        .strip_prefix("0x")
        .is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
    hexadecimal || last.bytes().all(|byte| byte.is_ascii_digit())
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Address(IpAddr::V4(address)) => write!(f, "{address}"),
            Self::Address(IpAddr::V6(address)) => write!(f, "[{address}]"),
        }
    }
}

/// Where a connection is to lead.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Target {
    /// The host.
    pub host: Host,
    /// The port, never 0.
    pub port: u16,
}

impl Target {
    /// Reads `host:port`; without a default the port has to be there.
    pub fn parse(authority: &str, default_port: Option<u16>) -> Result<Self, TargetError> {
        if authority.contains('@') {
            return Err(TargetError::UserInfo);
        }
        let (host, port) = split_port(authority);
        let port = match (port, default_port) {
            (Some(port), _) => parse_port(port)?,
            (None, Some(port)) => port,
            (None, None) => return Err(TargetError::Port),
        };
        Ok(Self { host: Host::parse(host)?, port })
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

/// Splits a port off; colons within brackets belong to the host.
pub(super) fn split_port(authority: &str) -> (&str, Option<&str>) {
    let after_brackets = authority.rfind(']').map_or(0, |end| end + 1);
    match authority[after_brackets..].find(':') {
        Some(colon) => {
            let colon = after_brackets + colon;
            (&authority[..colon], Some(&authority[colon + 1..]))
        }
        None => (authority, None),
    }
}

/// Reads a port: digits alone, because `parse` of the standard library takes `+80` as well.
pub(super) fn parse_port(text: &str) -> Result<u16, TargetError> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(TargetError::Port);
    }
    text.parse().ok().filter(|port| *port > 0).ok_or(TargetError::Port)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_in_lower_case_without_their_last_dot() {
        let target = Target::parse("API.Example.ORG.:443", None).unwrap();
        assert_eq!(target.to_string(), "api.example.org:443");
    }

    #[test]
    fn addresses_are_read_in_their_usual_spelling_only() {
        for text in ["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]"] {
            assert!(matches!(Host::parse(text), Ok(Host::Address(_))), "{text}");
        }
        for text in ["2130706433", "0x7f000001", "0177.0.0.1", "127.1", "0x7f.1", "1.2.3.4.5"] {
            let Ok(Host::Name(name)) = Host::parse(text) else { panic!("{text} is an address") };
            assert!(is_like_number(&name), "{text}");
        }
        for name in ["example.org", "1.example.org", "0x.example", "x1", "1x", "xn--p1ai"] {
            assert!(!is_like_number(name), "{name}");
        }
    }

    #[test]
    fn what_could_be_read_in_two_ways_is_no_target() {
        let wrong = [
            "allowed.example@evil.example:443",
            "allowed.example:443@evil.example:443",
            "evil.example\\.allowed.example:443",
            "evil.example%2eallowed.example:443",
            "evil.example#allowed.example:443",
            "bücher.example:443",
            "a..b:443",
            ".:443",
            ":443",
            "[::1:443",
            "::1:443",
            "[::1%1]:443",
            "[127.0.0.1]:443",
            "[::1]x:443",
            "a b:443",
            "a.example:",
            "a.example:0",
            "a.example:+443",
            "a.example:65536",
            "a.example:443:443",
            "a.example",
            "a.example..:443",
        ];
        for text in wrong {
            assert!(Target::parse(text, None).is_err(), "{text}");
        }
    }

    #[test]
    fn names_have_a_length() {
        let label = "a".repeat(63);
        assert!(Host::parse(&format!("{label}.example")).is_ok());
        assert!(Host::parse(&format!("{label}a.example")).is_err());
        assert!(Host::parse(&[label.as_str(); 4].join(".")).is_err());
    }
}
