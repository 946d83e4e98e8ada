//! Plain HTTP: one request, rewritten for its server.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr};
use std::sync::mpsc::{Receiver, channel};

use crate::support::{Fixture, head, rest, server};

/// What a recording server saw of one request.
#[derive(Debug, PartialEq, Eq)]
enum Seen {
    Head(String),
    /// Everything behind the head, until the end.
    Rest(String),
}

/// A server that answers each request after `body_bytes` of its body.
fn recording_server(body_bytes: usize) -> (SocketAddr, Receiver<Seen>) {
    let (saw, sees) = channel();
    let address = server(move |mut client| {
        saw.send(Seen::Head(head(&mut client))).unwrap();
        let mut body = vec![0; body_bytes];
        client.read_exact(&mut body).unwrap();
        client.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").unwrap();
        client.shutdown(Shutdown::Write).unwrap();
        client.read_to_end(&mut body).unwrap();
        saw.send(Seen::Rest(String::from_utf8(body).unwrap())).unwrap();
    });
    (address, sees)
}

#[test]
fn a_server_gets_its_own_form_whatever_the_host_header_said() {
    let (address, got) = recording_server(0);
    let fixture = Fixture::in_front_of(address);
    let answer = fixture.exchange(
        "GET http://box.test:7/a?b HTTP/1.1\r\nHost: evil.example\r\nAccept: x\r\n\
         Proxy-Authorization: Basic secret\r\nConnection: keep-alive\r\n\r\n",
    );
    assert!(answer.ends_with("\r\n\r\nok"), "{answer}");
    let head = "GET /a?b HTTP/1.1\r\nHost: box.test:7\r\nAccept: x\r\nConnection: close\r\n\r\n";
    assert_eq!(got.recv().unwrap(), Seen::Head(head.to_owned()));
    assert_eq!(got.recv().unwrap(), Seen::Rest(String::new()));
}

#[test]
fn a_body_is_passed_on_and_nothing_behind_it() {
    let second = "GET http://box.test:7/2 HTTP/1.1\r\nHost: evil.example\r\n\r\n";
    let bodies =
        [("Content-Length: 5", "hello"), ("Transfer-Encoding: chunked", "3\r\nabc\r\n0\r\n\r\n")];
    for (length, body) in bodies {
        let (address, got) = recording_server(body.len());
        let fixture = Fixture::in_front_of(address);
        let request = format!("POST http://box.test:7/ HTTP/1.1\r\n{length}\r\n\r\n");
        let head =
            format!("POST / HTTP/1.1\r\nHost: box.test:7\r\n{length}\r\nConnection: close\r\n\r\n");

        // In one piece.
        let answer = fixture.exchange(format!("{request}{body}{second}"));
        assert!(answer.ends_with("\r\n\r\nok"), "{answer}");
        assert_eq!(got.recv().unwrap(), Seen::Head(head.clone()));
        assert_eq!(got.recv().unwrap(), Seen::Rest(body.to_owned()));

        // With the body after the head has arrived.
        let mut client = fixture.connect();
        client.write_all(request.as_bytes()).unwrap();
        assert_eq!(got.recv().unwrap(), Seen::Head(head));
        client.write_all(format!("{body}{second}").as_bytes()).unwrap();
        assert!(rest(&mut client).ends_with("\r\n\r\nok"));
        assert_eq!(got.recv().unwrap(), Seen::Rest(body.to_owned()));
    }
}

#[test]
fn what_is_no_request_to_a_proxy_is_told_so() {
    let fixture = Fixture::start(|_| {});
    for request in
        ["GET / HTTP/1.1\r\nHost: box.test\r\n\r\n", "GET https://a.example/ HTTP/1.1\r\n\r\n"]
    {
        let answer = fixture.exchange(request);
        assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
        assert!(answer.contains("this is a proxy"), "{answer}");
    }
}
