//! The user's own proxy, where there is no other way to the internet.
//!
//! Every connection goes through it by CONNECT, plain HTTP as well. If requests were handed to it as
//! they are, a box could send a second one behind the first, and the upstream proxy would fetch
//! from any host.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::target::Target;

/// The port of a proxy that names none, as curl has it.
const DEFAULT_PORT: u16 = 1080;

/// The address of a proxy: `http://[user[:password]@]host[:port]`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Upstream {
    text: String,
    target: Target,
    /// The value of `Proxy-Authorization`.
    authorization: Option<String>,
}

/// Why a text is no address of a proxy. The text is left out: it may hold a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the address of the user's proxy is not `http://host:port`")]
pub struct UpstreamError;

impl Upstream {
    /// Where the proxy is.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// The request for a tunnel to a host.
    pub(super) fn connect_request(&self, target: &Target) -> String {
        let authorization = match &self.authorization {
            Some(value) => format!("Proxy-Authorization: {value}\r\n"),
            None => String::new(),
        };
        format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n{authorization}\r\n")
    }
}

/// Says whether an upstream's answer opens the tunnel.
pub(super) fn is_open(answer: &[u8]) -> bool {
    let line = answer.split(|byte| *byte == b'\r').next().unwrap_or_default();
    let mut words = line.split(|byte| *byte == b' ');
    let version = words.next().unwrap_or_default();
    let status = words.next().unwrap_or_default();
    version.starts_with(b"HTTP/1.") && status.len() == 3 && status.starts_with(b"2")
}

impl FromStr for Upstream {
    type Err = UpstreamError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // Users write `host:port` as well, and tools take it for this.
        let rest = match text.split_once("://") {
            Some((scheme, rest)) if scheme.eq_ignore_ascii_case("http") => rest,
            Some(_) => return Err(UpstreamError),
            None => text,
        };
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let (user, authority) = match rest.rsplit_once('@') {
            Some((user, authority)) => (Some(user), authority),
            None => (None, rest),
        };
        let target = Target::parse(authority, Some(DEFAULT_PORT)).map_err(|_| UpstreamError)?;
        let authorization = user.map(authorization).transpose()?;
        Ok(Self { text: text.to_owned(), target, authorization })
    }
}

fn authorization(user: &str) -> Result<String, UpstreamError> {
    let (name, password) = user.split_once(':').unwrap_or((user, ""));
    let mut plain = percent_decoded(name)?;
    plain.push(b':');
    plain.extend(percent_decoded(password)?);
    Ok(format!("Basic {}", base64(&plain)))
}

fn percent_decoded(text: &str) -> Result<Vec<u8>, UpstreamError> {
    let mut bytes = text.bytes();
    let mut plain = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            plain.push(byte);
            continue;
        }
        let mut digit = || char::from(bytes.next()?).to_digit(16);
        let (Some(high), Some(low)) = (digit(), digit()) else { return Err(UpstreamError) };
        plain.push(u8::try_from(high * 16 + low).map_err(|_| UpstreamError)?);
    }
    Ok(plain)
}

/// Encodes as RFC 4648 says. One header needs it, which is no reason for a dependency.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4 {
            if at > chunk.len() {
                text.push('=');
            } else {
                let digit = bits >> (18 - 6 * at) & 63;
                text.push(char::from(DIGITS[digit as usize]));
            }
        }
    }
    text
}

impl TryFrom<String> for Upstream {
    type Error = UpstreamError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Upstream> for String {
    fn from(upstream: Upstream) -> Self {
        upstream.text
    }
}

/// Without user and password.
impl fmt::Debug for Upstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Upstream({})", self.target)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_and_a_password_become_a_header() {
        let upstream: Upstream =
            "http://Aladdin:open%20sesame@proxy.example:3128/".parse().unwrap();
        assert_eq!(upstream.target().to_string(), "proxy.example:3128");
        let target = Target::parse("example.org:443", None).unwrap();
        let request = upstream.connect_request(&target);
        assert!(
            request.starts_with("CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n")
        );
        assert!(
            request.contains("\r\nProxy-Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\n")
        );
        assert_eq!(format!("{upstream:?}"), "Upstream(proxy.example:3128)");
    }

    #[test]
    fn base64_fills_up_to_four_digits() {
        let texts = ["", "f", "fo", "foo", "foob"].map(|text| base64(text.as_bytes()));
        assert_eq!(texts, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg=="]);
    }

    #[test]
    fn other_kinds_of_proxies_are_refused() {
        for text in ["https://proxy.example", "socks5://proxy.example", "http://", "http://a%zz@b"]
        {
            assert!(text.parse::<Upstream>().is_err(), "{text}");
        }
        assert!("proxy.example:3128".parse::<Upstream>().is_ok());
    }

    #[test]
    fn only_an_answer_of_success_opens_a_tunnel() {
        assert!(is_open(b"HTTP/1.1 200 Connection established\r\n\r\n"));
        assert!(is_open(b"HTTP/1.0 200\r\n\r\n"));
        for answer in
            ["HTTP/1.1 407 No\r\n\r\n", "200 HTTP/1.1\r\n\r\n", "HTTP/1.1 2000\r\n\r\n", ""]
        {
            assert!(!is_open(answer.as_bytes()), "{answer}");
        }
    }
}
