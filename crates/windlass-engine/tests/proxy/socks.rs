//! SOCKS 5 on the same port.

use std::io::{Read, Write};
use std::net::TcpStream;

use windlass_engine::proxy::{Forward, Host};

use crate::support::{Fixture, echo_server, exactly, forward_to};

const GREETING: [u8; 3] = [5, 1, 0];

/// Asks for a connection and returns what the proxy replied.
fn ask(fixture: &Fixture, command: u8, address: &[u8], port: u16) -> (u8, TcpStream) {
    let mut client = fixture.connect();
    client.write_all(&GREETING).unwrap();
    assert_eq!(exactly(&mut client), [5, 0]);
    let mut request = vec![5, command, 0];
    request.extend_from_slice(address);
    request.extend_from_slice(&port.to_be_bytes());
    client.write_all(&request).unwrap();
    let reply: [u8; 10] = exactly(&mut client);
    assert_eq!((reply[0], &reply[2..]), (5, &[0, 1, 0, 0, 0, 0, 0, 0][..]));
    (reply[1], client)
}

fn name(text: &str) -> Vec<u8> {
    let length = u8::try_from(text.len()).unwrap();
    [&[3, length], text.as_bytes()].concat()
}

#[test]
fn names_and_addresses_lead_to_the_forwarded_port() {
    let echo = echo_server();
    let fixture = Fixture::start(|policy| {
        forward_to(policy, echo);
        let host = Host::parse("[2001:db8::1]").unwrap();
        policy.forward.push(Forward { host, port: 7, to: echo.port() });
    });
    let v6 = [&[4, 0x20, 1, 0x0d, 0xb8][..], &[0; 11], &[1]].concat();
    let forms =
        [name("box.test"), name("127.0.0.1"), name("2001:db8::1"), vec![1, 127, 0, 0, 1], v6];
    for form in forms {
        let (reply, mut client) = ask(&fixture, 1, &form, 7);
        assert_eq!(reply, 0, "{form:?}");
        client.write_all(b"hello").unwrap();
        assert_eq!(&exactly::<5>(&mut client), b"hello", "{form:?}");
    }
}

#[test]
fn what_is_not_listed_or_not_understood_is_refused() {
    let echo = echo_server();
    let fixture = Fixture::start(|policy| {
        forward_to(policy, echo);
        policy.allow.push("localhost".parse().unwrap());
    });
    assert_eq!(ask(&fixture, 1, &name("evil.example"), 443).0, 2);
    assert_eq!(ask(&fixture, 1, &name("localhost"), 443).0, 2, "private");
    assert_eq!(ask(&fixture, 1, &[1, 127, 0, 0, 1], 8).0, 2);
    assert_eq!(ask(&fixture, 1, &[1, 169, 254, 169, 254], 80).0, 2);
    let mapped = [&[4][..], &[0; 10], &[0xff, 0xff, 127, 0, 0, 1]].concat();
    assert_eq!(ask(&fixture, 1, &mapped, 7).0, 2, "mapped");
    assert_eq!(ask(&fixture, 2, &name("box.test"), 7).0, 7, "BIND");
    assert_eq!(ask(&fixture, 3, &name("box.test"), 7).0, 7, "UDP");
    assert_eq!(ask(&fixture, 1, &name("a b"), 7).0, 8, "no name");
    assert_eq!(ask(&fixture, 1, &name("bücher.example"), 7).0, 8, "not ASCII");
    let refused: Vec<String> = fixture.failures().into_iter().map(|failure| failure.host).collect();
    let expected =
        ["evil.example", "localhost", "127.0.0.1", "169.254.169.254", "[::ffff:127.0.0.1]"];
    assert_eq!(refused, expected);
}

#[test]
fn a_client_that_wants_to_sign_in_is_turned_away() {
    let fixture = Fixture::start(|_| {});
    let mut client = fixture.connect();
    client.write_all(&[5, 1, 2]).unwrap();
    assert_eq!(exactly(&mut client), [5, 0xff]);
    assert_eq!(client.read(&mut [0]).unwrap(), 0);
}
