//! No request, however it is written, reaches a host that is not listed.

use std::path::PathBuf;
use std::sync::LazyLock;

use proptest::prelude::*;
use regex::Regex;
use windlass_engine::proxy::{Access, ProxyPolicy, Request, access};

/// A second reading of the hosts that may be reached, and of nothing else.
static LISTED: LazyLock<Regex> = LazyLock::new(|| {
    let host = r"(good\.example|([a-z0-9_-]+\.)+wild\.example)\.?";
    let connect = format!(r"CONNECT (?i:{host}):(80|443)");
    let plain =
        format!(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+ (?i:http://{host})(:0*(80|443))?([/?][!-~]*)?");
    Regex::new(&format!(r"^({connect}|{plain}) HTTP/1\.[01]$")).unwrap()
});

fn policy() -> ProxyPolicy {
    let mut policy = ProxyPolicy::new(PathBuf::from("/record"));
    policy.allow.push("good.example".parse().unwrap());
    policy.provider.push("*.wild.example".parse().unwrap());
    policy
}

/// Parts of which tricks are made.
fn part() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "good.example",
        "GOOD.example",
        "a.wild.example",
        "wild.example",
        "evil.example",
        "127.0.0.1",
        "[::1]",
        "0x7f.1",
        "localhost",
        "http://",
        "https://",
        "HTTP://",
        "CONNECT ",
        "GET ",
        " HTTP/1.1",
        " HTTP/1.0",
        "\r\n",
        "\r",
        "\n",
        "\0",
        " ",
        "\t",
        ":443",
        ":80",
        ":",
        ":22",
        "@",
        "#",
        "?",
        "/",
        "\\",
        "%2e",
        "%00",
        ".",
        "..",
        "*",
        "Host: evil.example",
        "é",
        "X: y",
        "Content-Length: 3",
        "Transfer-Encoding: chunked",
        "Connection: Host",
    ])
}

/// Heads that are nearly right.
fn nearly() -> impl Strategy<Value = Vec<u8>> {
    let parts = || prop::collection::vec(part(), 0..4).prop_map(|parts| parts.concat());
    let shape = prop::sample::select(vec![
        "CONNECT {}good.example{}:443{} HTTP/1.1\r\n\r\n",
        "GET http://{}good.example{}/{} HTTP/1.1\r\n\r\n",
        "GET http://{}a.wild.example{}/ HTTP/1.1\r\nA: b{}\r\n\r\n",
        "{}{}{}\r\n\r\n",
    ]);
    (shape, [parts(), parts(), parts()]).prop_map(|(shape, parts)| {
        let filled = parts.iter().fold(shape.to_owned(), |text, part| text.replacen("{}", part, 1));
        filled.into_bytes()
    })
}

/// Says what is wrong with how a head was read.
fn judge(head: &[u8]) -> Result<(), TestCaseError> {
    let policy = policy();
    let Ok(request) = Request::parse(head) else { return Ok(()) };
    if access(&policy, &request.target) == Access::Refused {
        return Ok(());
    }
    let first = String::from_utf8_lossy(head);
    let first = first.split("\r\n").next().unwrap_or_default();
    prop_assert!(LISTED.is_match(first), "{first:?} was let through to {}", request.target);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_head_made_of_tricks_reaches_a_host_that_is_not_listed(head in nearly()) {
        judge(&head)?;
    }

    #[test]
    fn no_bytes_break_the_reader(mut head in prop::collection::vec(any::<u8>(), 0..200)) {
        judge(&head)?;
        head.extend_from_slice(b"\r\n\r\n");
        judge(&head)?;
    }

    #[test]
    fn a_changed_byte_lets_nobody_else_through(at in 0..60_usize, byte in any::<u8>()) {
        let mut head = b"GET http://good.example:80/path?query HTTP/1.1\r\nHost: x\r\n\r\n".to_vec();
        let at = at.min(head.len() - 1);
        head[at] = byte;
        judge(&head)?;
    }
}

#[test]
fn the_second_reading_knows_what_is_let_through() {
    for (head, listed) in [
        ("CONNECT Good.example:443 HTTP/1.1", true),
        ("GET http://a.b.wild.example./x HTTP/1.0", true),
        ("GET http://good.example@evil.example/ HTTP/1.1", false),
        ("CONNECT wild.example:443 HTTP/1.1", false),
    ] {
        assert_eq!(LISTED.is_match(head), listed, "{head}");
        let request = Request::parse(format!("{head}\r\n\r\n").as_bytes());
        let reached =
            request.is_ok_and(|request| access(&policy(), &request.target) == Access::Public);
        assert_eq!(reached, listed, "{head}");
    }
}
