//! What is refused, how it is told, and what the record says about it.

use std::io::{Read, Write};

use windlass_engine::proxy::{Failure, FailureKind};

use crate::support::{Fixture, echo_server, forward_to, rest};

fn failure(kind: FailureKind, host: &str, port: u16, provider: bool) -> Failure {
    Failure { kind, host: host.to_owned(), port, provider }
}

#[test]
fn a_host_that_is_not_listed_is_refused_with_the_setting_that_allows_it() {
    let fixture = Fixture::start(|policy| policy.allow.push("*.good.example".parse().unwrap()));
    let answer = fixture.refused("evil.example:443");
    assert!(answer.starts_with("HTTP/1.1 403 Forbidden\r\n"), "{answer}");
    assert!(
        answer.ends_with(
            "\r\n\r\nwindlass refused to connect to `evil.example:443`: it is not listed for this \
             step; `hosts: [\"evil.example\"]` in the step allows it.\n"
        ),
        "{answer}"
    );
    assert!(fixture.refused("evil.example:22").contains(r#"`hosts: ["evil.example:22"]`"#));
    // The name itself, a name that only ends alike, and another port.
    fixture.refused("good.example:443");
    fixture.refused("notgood.example:443");
    fixture.refused("a.good.example:22");
    let plain = fixture.exchange("GET http://evil.example/ HTTP/1.1\r\n\r\n");
    assert!(plain.starts_with("HTTP/1.1 403 "), "{plain}");
    let refused = |host, port| failure(FailureKind::Refused, host, port, false);
    let expected = [
        refused("evil.example", 443),
        refused("evil.example", 22),
        refused("good.example", 443),
        refused("notgood.example", 443),
        refused("a.good.example", 22),
        refused("evil.example", 80),
    ];
    assert_eq!(fixture.failures(), expected);
}

#[test]
fn a_listed_name_that_leads_to_this_machine_is_refused() {
    let echo = echo_server();
    let fixture = Fixture::start(|policy| {
        policy.allow.push(format!("localhost:{}", echo.port()).parse().unwrap());
        policy.provider.push("localhost:9".parse().unwrap());
        policy.private.push("localhost:9".parse().unwrap());
    });
    let answer = fixture.refused(&format!("localhost:{}", echo.port()));
    assert!(answer.starts_with("HTTP/1.1 403 "), "{answer}");
    assert!(answer.contains("it leads to a private address"), "{answer}");
    fixture.refused("localhost:9");
    let expected = [
        failure(FailureKind::Private, "localhost", echo.port(), false),
        failure(FailureKind::Private, "localhost", 9, true),
    ];
    assert_eq!(fixture.failures(), expected);
}

#[test]
fn addresses_are_refused_in_every_spelling() {
    let echo = echo_server();
    let port = echo.port();
    let fixture = Fixture::start(|policy| {
        policy.allow.push(format!("127.0.0.1:{port}").parse().unwrap());
        policy.allow.push("good.example".parse().unwrap());
    });
    let spellings = [
        "127.0.0.1",
        "2130706433",
        "0x7f000001",
        "0x7f.0.0.1",
        "017700000001",
        "0177.0.0.1",
        "127.1",
        "0.0.0.0",
        "0",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[64:ff9b::7f00:1]",
        "10.0.0.1",
        "169.254.169.254",
        "[fd00:ec2::254]",
        "192.0.2.1",
    ];
    for host in spellings {
        let answer = fixture.refused(&format!("{host}:{port}"));
        assert!(answer.starts_with("HTTP/1.1 403 "), "{host}: {answer}");
    }
    let kinds: Vec<FailureKind> = fixture.failures().iter().map(|failure| failure.kind).collect();
    // The one that is listed is closed all the same: it is this machine. Two are one address.
    let mut expected = vec![FailureKind::Refused; spellings.len() - 1];
    expected[0] = FailureKind::Private;
    assert_eq!(kinds, expected);
}

#[test]
fn what_could_be_read_in_two_ways_is_no_request() {
    let echo = echo_server();
    let fixture = Fixture::in_front_of(echo);
    let wrong = [
        "CONNECT box.test:7@evil.example:443 HTTP/1.1\r\n\r\n",
        "CONNECT evil.example@box.test:7 HTTP/1.1\r\n\r\n",
        "GET http://box.test:7@evil.example/ HTTP/1.1\r\n\r\n",
        "GET http://box.test:7\\@evil.example/ HTTP/1.1\r\n\r\n",
        "CONNECT box.test:7 HTTP/1.1\nHost: a\n\r\n\r\n",
        "CONNECT box.test:7\r HTTP/1.1\r\n\r\n",
        "GET http://box.test:7/\rX: y HTTP/1.1\r\n\r\n",
        "GET http://box.test:7/ HTTP/1.1\r\nA: b\nHost: evil.example\r\n\r\n",
        "GET http://box.test:7/ HTTP/1.1\r\nA: b\r\n folded\r\n\r\n",
        "POST http://box.test:7/ HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "POST http://box.test:7/ HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "CONNECT b\u{fc}cher.test:7 HTTP/1.1\r\n\r\n",
        "\u{16}\u{3}\u{1}\r\n\r\n",
    ];
    for request in wrong {
        let answer = fixture.exchange(request);
        assert!(answer.starts_with("HTTP/1.1 400 "), "{request:?}: {answer}");
    }
    assert_eq!(fixture.failures(), []);
}

#[test]
fn long_and_slow_heads_are_cut_off() {
    let fixture = Fixture::start(|policy| {
        policy.bounds.header_bytes = 4096;
        policy.bounds.header_ms = 200;
    });
    let long = "a".repeat(8192);
    let answer = fixture.exchange(format!("GET http://a.example/ HTTP/1.1\r\nA: {long}\r\n\r\n"));
    assert!(answer.starts_with("HTTP/1.1 431 "), "{answer}");
    let answer = fixture.exchange("GET http://a.example/ HTTP/1.1\r\nA: ");
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    let answer = fixture.exchange("");
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    let mut silent = fixture.connect();
    silent.write_all(&[5, 1]).unwrap();
    assert_eq!(silent.read(&mut [0]).unwrap(), 0);
}

#[test]
fn a_client_that_sends_a_large_body_reads_why_it_was_refused() {
    let fixture = Fixture::start(|_| {});
    let mut client = fixture.connect();
    write!(client, "POST http://evil.example/ HTTP/1.1\r\nContent-Length: 100000\r\n\r\n").unwrap();
    client.write_all(&[b'x'; 100_000]).unwrap();
    assert!(rest(&mut client).starts_with("HTTP/1.1 403 "));
}

#[test]
fn a_name_without_an_address_and_a_closed_port_are_failures() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut fixture = Fixture::start(|policy| {
        forward_to(policy, closed);
        // RFC 6761 keeps this domain from ever having an address.
        policy.provider.push("nothing.invalid".parse().unwrap());
    });
    let answer = fixture.refused("127.0.0.1:7");
    assert!(answer.starts_with("HTTP/1.1 502 "), "{answer}");
    assert!(answer.contains("failed to connect to `127.0.0.1:7`: it does not answer"), "{answer}");
    let answer = fixture.refused("nothing.invalid:443");
    assert!(answer.starts_with("HTTP/1.1 502 "), "{answer}");
    let expected = [
        failure(FailureKind::Failed, "127.0.0.1", 7, true),
        failure(FailureKind::Unresolvable, "nothing.invalid", 443, true),
    ];
    assert_eq!(fixture.failures(), expected);
    assert_eq!(fixture.proxy.take_failures().unwrap(), expected, "the launcher is told at once");
    assert_eq!(fixture.proxy.take_failures().unwrap(), []);
}

#[test]
fn each_host_is_recorded_once_and_the_record_is_bounded() {
    let mut fixture = Fixture::start(|policy| policy.bounds.record_lines = 3);
    for host in ["a", "a", "b", "a", "b", "c", "d", "e", "a"] {
        fixture.refused(&format!("{host}.example:443"));
    }
    let hosts: Vec<String> = fixture.failures().into_iter().map(|failure| failure.host).collect();
    assert_eq!(hosts, ["a.example", "b.example", "c.example"]);
    assert_eq!(fixture.proxy.take_failures().unwrap(), [], "none of them is the provider's");
}

#[test]
fn a_backend_that_reaches_nothing_is_told_of_once_with_the_host() {
    let mut fixture = Fixture::start(|policy| {
        policy.provider.push("model.example".parse().unwrap());
        policy.bounds.hopeless_ms = 0;
    });
    for _ in 0..4 {
        fixture.refused("own.example:443");
    }
    assert_eq!(fixture.proxy.take_failures().unwrap(), []);
    assert_eq!(fixture.proxy.hopeless(), None, "it may still try another one");
    fixture.refused("own.example:443");
    assert_eq!(fixture.proxy.take_failures().unwrap(), []);
    let last = failure(FailureKind::Refused, "own.example", 443, false);
    assert_eq!(fixture.proxy.hopeless(), Some(&last));
}

#[test]
fn a_backend_that_reached_something_is_left_alone() {
    let server = crate::support::echo_server();
    let mut fixture = Fixture::start(|policy| {
        forward_to(policy, server);
        policy.bounds.hopeless_ms = 0;
    });
    drop(fixture.tunnel("127.0.0.1:7"));
    for _ in 0..9 {
        fixture.refused("own.example:443");
    }
    assert_eq!(fixture.proxy.take_failures().unwrap(), []);
    assert_eq!(fixture.proxy.hopeless(), None);
}
