//! The head of an HTTP request: what is asked for, and the head that the server gets instead.
//!
//! Two forms are a proxy's: `CONNECT host:port`, and `GET http://host/path`. The reader is strict.
//! Whatever a server could read differently (a lone line feed, a folded header, two lengths) is
//! refused instead of repaired.

use std::io::Write as _;

use thiserror::Error;

use super::body::{Body, Chunks};
use super::target::{Target, TargetError};

const HTTP_PORT: u16 = 80;

/// Why a head is not understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum RequestError {
    /// The bytes are no head of HTTP/1.
    #[error("the request is not well-formed HTTP/1.1")]
    Malformed,
    /// A path alone, or another scheme than `http`.
    #[error("this is a proxy: it takes `CONNECT host:port` and `http://` addresses")]
    NotForProxy,
    /// The host or the port is wrong.
    #[error("the address of the request is not usable: {0}")]
    Target(#[from] TargetError),
    /// The length of the body is said twice or in an unknown way.
    #[error("the length of the request's body is not clear")]
    BodyLength,
}

/// A request that was understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Where it is to go.
    pub target: Target,
    /// What is to happen there.
    pub want: Want,
}

/// What a request wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Want {
    /// Bytes in both directions.
    Tunnel,
    /// One answer to one request.
    Answer(Plain),
}

/// A plain request, as the server gets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plain {
    pub(super) head: Vec<u8>,
    pub(super) body: Body,
}

impl Request {
    /// Reads a head, up to and with its empty line.
    pub fn parse(head: &[u8]) -> Result<Self, RequestError> {
        let lines = lines(head)?;
        let (first, headers) = lines.split_first().ok_or(RequestError::Malformed)?;
        let line = RequestLine::parse(first)?;
        let headers: Vec<Header<'_>> =
            headers.iter().map(|line| Header::parse(line)).collect::<Result<_, _>>()?;
        if line.method == "CONNECT" {
            let target = Target::parse(line.target, None)?;
            return Ok(Self { target, want: Want::Tunnel });
        }
        let (target, path) = absolute(line.target)?;
        let body = body(&headers)?;
        let head = head_for_server(line.method, &target, &path, &headers);
        Ok(Self { target, want: Want::Answer(Plain { head, body }) })
    }
}

/// Splits a head into its lines; each ends with CR LF, and neither stands anywhere else.
fn lines(head: &[u8]) -> Result<Vec<&[u8]>, RequestError> {
    let head = head.strip_suffix(b"\r\n\r\n").ok_or(RequestError::Malformed)?;
    let mut lines = Vec::new();
    let mut rest = head;
    while let Some(end) = rest.iter().position(|byte| matches!(byte, b'\r' | b'\n' | 0)) {
        let behind = rest[end..].strip_prefix(b"\r\n").ok_or(RequestError::Malformed)?;
        lines.push(&rest[..end]);
        rest = behind;
    }
    lines.push(rest);
    Ok(lines)
}

struct RequestLine<'head> {
    method: &'head str,
    target: &'head str,
}

impl<'head> RequestLine<'head> {
    fn parse(line: &'head [u8]) -> Result<Self, RequestError> {
        let line = std::str::from_utf8(line).map_err(|_| RequestError::Malformed)?;
        let words: Vec<&str> = line.split(' ').collect();
        let [method, target, "HTTP/1.1" | "HTTP/1.0"] = words[..] else {
            return Err(RequestError::Malformed);
        };
        let fits = is_token(method.as_bytes()) && !target.is_empty();
        if fits && target.bytes().all(|byte| byte.is_ascii_graphic()) {
            Ok(Self { method, target })
        } else {
            Err(RequestError::Malformed)
        }
    }
}

struct Header<'head> {
    name: String,
    value: &'head [u8],
    line: &'head [u8],
}

impl<'head> Header<'head> {
    fn parse(line: &'head [u8]) -> Result<Self, RequestError> {
        let colon = line.iter().position(|byte| *byte == b':').ok_or(RequestError::Malformed)?;
        let (name, value) = (&line[..colon], &line[colon + 1..]);
        let is_text = |byte: &u8| *byte == b'\t' || !byte.is_ascii_control();
        if !is_token(name) || !value.iter().all(is_text) {
            return Err(RequestError::Malformed);
        }
        let name = String::from_utf8_lossy(name).to_ascii_lowercase();
        Ok(Self { name, value: value.trim_ascii(), line })
    }
}

fn is_token(bytes: &[u8]) -> bool {
    let is_token_byte =
        |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte);
    !bytes.is_empty() && bytes.iter().all(is_token_byte)
}

/// Reads `http://host:port/path?query` into where it goes and what is asked for there.
fn absolute(text: &str) -> Result<(Target, String), RequestError> {
    let (scheme, rest) = text.split_once("://").ok_or(RequestError::NotForProxy)?;
    if !scheme.eq_ignore_ascii_case("http") || rest.contains('#') {
        return Err(RequestError::NotForProxy);
    }
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let target = Target::parse(authority, Some(HTTP_PORT))?;
    let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
    Ok((target, path))
}

/// Says how long the body is. Where two readers could come to different ends, there is no answer.
fn body(headers: &[Header<'_>]) -> Result<Body, RequestError> {
    let values = |name| -> Vec<&[u8]> {
        headers.iter().filter(|header| header.name == name).map(|header| header.value).collect()
    };
    let (lengths, encodings) = (values("content-length"), values("transfer-encoding"));
    match (&lengths[..], &encodings[..]) {
        ([], []) => Ok(Body::Length(0)),
        ([], [encoding]) if encoding.eq_ignore_ascii_case(b"chunked") => {
            Ok(Body::Chunked(Chunks::new()))
        }
        ([length], []) if !length.is_empty() && length.iter().all(u8::is_ascii_digit) => {
            let length = std::str::from_utf8(length).ok().and_then(|text| text.parse().ok());
            length.map(Body::Length).ok_or(RequestError::BodyLength)
        }
        _ => Err(RequestError::BodyLength),
    }
}

/// Writes the head for the server: its own form, its own `Host`, nothing meant for a proxy.
fn head_for_server(method: &str, target: &Target, path: &str, headers: &[Header<'_>]) -> Vec<u8> {
    let named: Vec<String> = headers
        .iter()
        .filter(|header| header.name == "connection")
        .flat_map(|header| header.value.split(|byte| *byte == b','))
        .map(|name| String::from_utf8_lossy(name.trim_ascii()).to_ascii_lowercase())
        .collect();
    let mut head = Vec::new();
    let host = match target.port {
        HTTP_PORT => target.host.to_string(),
        _ => target.to_string(),
    };
    // Writing to memory does not fail.
    let _ = write!(head, "{method} {path} HTTP/1.1\r\nHost: {host}\r\n");
    for header in headers.iter().filter(|header| is_for_server(&header.name, &named)) {
        head.extend_from_slice(header.line);
        head.extend_from_slice(b"\r\n");
    }
    head.extend_from_slice(b"Connection: close\r\n\r\n");
    head
}

/// Says whether a header is for the server, or for the proxy alone.
fn is_for_server(name: &str, named_by_connection: &[String]) -> bool {
    match name {
        // Nobody takes these away by naming them: the end of the body would move.
        "content-length" | "transfer-encoding" => true,
        "host" | "connection" | "keep-alive" | "te" | "upgrade" => false,
        _ => !name.starts_with("proxy-") && !named_by_connection.iter().any(|it| it == name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> (String, Body) {
        let request = Request::parse(text.as_bytes()).unwrap();
        let Want::Answer(plain) = request.want else { panic!("a tunnel") };
        (String::from_utf8(plain.head).unwrap(), plain.body)
    }

    #[test]
    fn a_tunnel_is_asked_for_by_host_and_port() {
        let text = "CONNECT Example.org:443 HTTP/1.1\r\nHost: other.example\r\n\r\n";
        let request = Request::parse(text.as_bytes()).unwrap();
        assert_eq!(request.target.to_string(), "example.org:443");
        assert_eq!(request.want, Want::Tunnel);
    }

    #[test]
    fn a_server_gets_its_own_form_and_nothing_meant_for_proxies() {
        let (head, body) = plain(
            "POST http://example.org:8080/a?b=c HTTP/1.1\r\nHost: other.example\r\n\
             Proxy-Authorization: Basic x\r\nProxy-Connection: keep-alive\r\n\
             Connection: keep-alive, X-Hop, Content-Length\r\nX-Hop: 1\r\nTE: trailers\r\n\
             Upgrade: h2c\r\nContent-Length: 3\r\nX-End: 2\r\n\r\n",
        );
        assert_eq!(
            head,
            "POST /a?b=c HTTP/1.1\r\nHost: example.org:8080\r\nContent-Length: 3\r\n\
             X-End: 2\r\nConnection: close\r\n\r\n"
        );
        assert_eq!(body, Body::Length(3));
    }

    #[test]
    fn an_address_without_a_path_asks_for_the_root() {
        let (head, body) = plain("GET HTTP://example.org HTTP/1.0\r\n\r\n");
        assert_eq!(head, "GET / HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\n\r\n");
        assert_eq!(body, Body::Length(0));
        assert!(plain("GET http://example.org?a HTTP/1.1\r\n\r\n").0.starts_with("GET /?a HTTP"));
    }

    #[test]
    fn heads_that_could_be_read_in_two_ways_are_refused() {
        let wrong = [
            "GET http://a.example/ HTTP/1.1\n\n",
            "GET http://a.example/ HTTP/1.1\r\nA: b\nC: d\r\n\r\n",
            "GET http://a.example/ HTTP/1.1\r\nA: b\rC: d\r\n\r\n",
            "GET http://a.example/\r\nHost: b HTTP/1.1\r\n\r\n",
            "GET http://a.example/ HTTP/1.1\r\nA: b\r\n folded\r\n\r\n",
            "GET http://a.example/ HTTP/1.1\r\nA : b\r\n\r\n",
            "GET http://a.example/ HTTP/1.1\r\nA: \0\r\n\r\n",
            "GET http://a.example/ HTTP/1.1\r\nno colon\r\n\r\n",
            "GET  http://a.example/ HTTP/1.1\r\n\r\n",
            "GET http://a.example/ HTTP/2\r\n\r\n",
            "GET http://a.example/ x HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n",
            "GET https://a.example/ HTTP/1.1\r\n\r\n",
            "GET http://b@a.example/ HTTP/1.1\r\n\r\n",
            "GET http://a.example#b HTTP/1.1\r\n\r\n",
            "CONNECT a.example HTTP/1.1\r\n\r\n",
            "CONNECT http://a.example:443 HTTP/1.1\r\n\r\n",
            "POST http://a.example/ HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
            "POST http://a.example/ HTTP/1.1\r\nContent-Length: +1\r\n\r\n",
            "POST http://a.example/ HTTP/1.1\r\nContent-Length:\r\n\r\n",
            "POST http://a.example/ HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
            "POST http://a.example/ HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
            "\r\n\r\n",
            "",
        ];
        for text in wrong {
            assert!(Request::parse(text.as_bytes()).is_err(), "{text:?}");
        }
    }
}
