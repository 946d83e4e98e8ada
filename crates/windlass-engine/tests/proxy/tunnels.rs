//! Tunnels: CONNECT, and listeners that lead to a forward without a word.

use std::io::{Read, Write};
use std::net::Shutdown;

use crate::support::{Fixture, client, echo_server, exactly, forward_to, head, rest, server};

#[test]
fn a_tunnel_leads_to_the_forwarded_port() {
    let fixture = Fixture::in_front_of(echo_server());
    for target in ["127.0.0.1:7", "box.test:7", "BOX.test.:7"] {
        let mut tunnel = fixture.tunnel(target);
        tunnel.write_all(b"hello").unwrap();
        assert_eq!(&exactly::<5>(&mut tunnel), b"hello", "{target}");
    }
    assert_eq!(fixture.failures(), []);
}

#[test]
fn what_is_said_together_with_the_request_is_passed_on() {
    let fixture = Fixture::in_front_of(echo_server());
    let mut client = fixture.connect();
    client.write_all(b"CONNECT box.test:7 HTTP/1.1\r\n\r\nearly").unwrap();
    head(&mut client);
    assert_eq!(&exactly::<5>(&mut client), b"early");
}

#[test]
fn the_end_of_one_direction_is_passed_on_and_the_other_goes_on() {
    // A server that answers only after its client has ended.
    let counting = server(|mut client| {
        let heard = rest(&mut client);
        write!(client, "{} bytes", heard.len()).unwrap();
    });
    let fixture = Fixture::in_front_of(counting);
    let mut tunnel = fixture.tunnel("box.test:7");
    tunnel.write_all(b"hello").unwrap();
    tunnel.shutdown(Shutdown::Write).unwrap();
    assert_eq!(rest(&mut tunnel), "5 bytes");

    // And a server that ends first, and then hears what its client has to say.
    let (heard, hears) = std::sync::mpsc::channel();
    let ending = server(move |mut client| {
        client.shutdown(Shutdown::Write).unwrap();
        heard.send(rest(&mut client)).unwrap();
    });
    let fixture = Fixture::in_front_of(ending);
    let mut tunnel = fixture.tunnel("box.test:7");
    assert_eq!(rest(&mut tunnel), "");
    tunnel.write_all(b"still here").unwrap();
    drop(tunnel);
    assert_eq!(hears.recv().unwrap(), "still here");
}

#[test]
fn much_goes_through_in_both_directions_at_once() {
    const BYTES: usize = 8 * 1024 * 1024;
    let fixture = Fixture::in_front_of(echo_server());
    let mut tunnel = fixture.tunnel("box.test:7");
    let mut writer = tunnel.try_clone().unwrap();
    let writing = std::thread::spawn(move || {
        let block: Vec<u8> = (0..=u8::MAX).cycle().take(BYTES).collect();
        writer.write_all(&block).unwrap();
        writer.shutdown(Shutdown::Write).unwrap();
        block
    });
    let mut back = Vec::new();
    tunnel.read_to_end(&mut back).unwrap();
    assert!(back == writing.join().unwrap(), "{} bytes came back, or others", back.len());
}

#[test]
fn a_silent_tunnel_is_closed() {
    let echo = echo_server();
    let fixture = Fixture::start(|policy| {
        forward_to(policy, echo);
        policy.bounds.idle_ms = 100;
    });
    let mut tunnel = fixture.tunnel("box.test:7");
    assert_eq!(rest(&mut tunnel), "");
}

#[test]
fn a_listener_of_a_forward_leads_there_without_a_word() {
    let fixture = Fixture::in_front_of(echo_server());
    let mut direct = client(fixture.forwarded.unwrap());
    direct.write_all(b"CONNECT evil.example:443 HTTP/1.1\r\n\r\n").unwrap();
    direct.shutdown(Shutdown::Write).unwrap();
    assert_eq!(rest(&mut direct), "CONNECT evil.example:443 HTTP/1.1\r\n\r\n");
}
