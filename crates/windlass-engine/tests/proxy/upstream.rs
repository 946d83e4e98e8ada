//! Through the user's own proxy.

use std::io::Write;
use std::net::SocketAddr;
use std::sync::mpsc::{Receiver, channel};

use windlass_engine::proxy::{FailureKind, NoProxy, ProxyPolicy};

use crate::support::{Fixture, echo_server, exactly, forward_to, head, rest, server};

/// A proxy that gives every request the same answer, and then sends back what it gets.
fn scripted_upstream(answer: &'static str) -> (SocketAddr, Receiver<String>) {
    let (asked, asks) = channel();
    let address = server(move |mut client| {
        asked.send(head(&mut client)).unwrap();
        client.write_all(answer.as_bytes()).unwrap();
        let mut copy = client.try_clone().unwrap();
        let _ = std::io::copy(&mut client, &mut copy);
        let _ = copy.shutdown(std::net::Shutdown::Write);
    });
    (address, asks)
}

fn through(upstream: SocketAddr) -> impl FnOnce(&mut ProxyPolicy) {
    move |policy| {
        policy.upstream = Some(format!("http://me:my%20word@{upstream}").parse().unwrap());
        policy.provider.push("model.example".parse().unwrap());
    }
}

#[test]
fn a_tunnel_goes_through_the_upstream_with_the_users_name() {
    let (upstream, asked) = scripted_upstream("HTTP/1.1 200 OK\r\nVia: x\r\n\r\nfirst");
    let fixture = Fixture::start(through(upstream));
    let mut tunnel = fixture.tunnel("model.example:443");
    assert_eq!(&exactly::<5>(&mut tunnel), b"first", "what came with the answer is passed on");
    tunnel.write_all(b"hello").unwrap();
    assert_eq!(&exactly::<5>(&mut tunnel), b"hello");
    assert_eq!(
        asked.recv().unwrap(),
        "CONNECT model.example:443 HTTP/1.1\r\nHost: model.example:443\r\n\
         Proxy-Authorization: Basic bWU6bXkgd29yZA==\r\n\r\n"
    );
}

#[test]
fn plain_http_goes_through_a_tunnel_as_well() {
    let (upstream, asked) = scripted_upstream("HTTP/1.1 200 OK\r\n\r\n");
    let fixture = Fixture::start(through(upstream));
    let mut client = fixture.connect();
    client.write_all(b"GET http://model.example/a HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    assert!(asked.recv().unwrap().starts_with("CONNECT model.example:80 HTTP/1.1\r\n"));
    let expected = "GET /a HTTP/1.1\r\nHost: model.example\r\nConnection: close\r\n\r\n";
    assert_eq!(head(&mut client), expected);
}

#[test]
fn hosts_that_are_not_listed_never_reach_the_upstream() {
    let (upstream, asked) = scripted_upstream("HTTP/1.1 200 OK\r\n\r\n");
    let fixture = Fixture::start(through(upstream));
    for target in ["evil.example:443", "127.0.0.1:80", "model.example:22"] {
        assert!(fixture.refused(target).starts_with("HTTP/1.1 403 "), "{target}");
    }
    fixture.tunnel("model.example:443");
    assert!(asked.recv().unwrap().starts_with("CONNECT model.example:443 "));
    assert!(asked.try_recv().is_err());
}

#[test]
fn forwards_do_not_go_through_the_upstream() {
    let (upstream, asked) = scripted_upstream("HTTP/1.1 200 OK\r\n\r\n");
    let echo = echo_server();
    let fixture = Fixture::start(|policy| {
        through(upstream)(policy);
        forward_to(policy, echo);
    });
    let mut tunnel = fixture.tunnel("127.0.0.1:7");
    tunnel.write_all(b"hello").unwrap();
    tunnel.shutdown(std::net::Shutdown::Write).unwrap();
    assert_eq!(rest(&mut tunnel), "hello");
    assert!(asked.try_recv().is_err());
}

#[test]
fn hosts_of_no_proxy_are_reached_without_the_upstream_and_looked_at() {
    let (upstream, asked) = scripted_upstream("HTTP/1.1 200 OK\r\n\r\n");
    let fixture = Fixture::start(|policy| {
        through(upstream)(policy);
        policy.allow.push("localhost".parse().unwrap());
        policy.no_proxy = NoProxy::parse("localhost");
    });
    assert!(fixture.refused("localhost:443").contains("it leads to a private address"));
    assert!(asked.try_recv().is_err());
}

#[test]
fn an_upstream_that_refuses_is_a_failure() {
    let (upstream, _asked) = scripted_upstream("HTTP/1.1 407 Who are you\r\n\r\n");
    let fixture = Fixture::start(through(upstream));
    assert!(fixture.refused("model.example:443").starts_with("HTTP/1.1 502 "));
    let failures = fixture.failures();
    assert_eq!(failures.len(), 1);
    assert_eq!((failures[0].kind, failures[0].provider), (FailureKind::Failed, true));
}
