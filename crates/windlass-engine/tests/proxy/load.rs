//! Many connections at once.

use std::io::Write;
use std::net::Shutdown;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use windlass_engine::proxy::Bounds;

use crate::support::{Fixture, eventually, exactly, head, rest, server};

const CONNECTIONS: usize = 300;

/// How many connections a server has, and has had at most.
#[derive(Default)]
struct Count {
    now: AtomicUsize,
    most: AtomicUsize,
}

#[test]
fn more_connections_than_there_may_be_wait_for_others_to_end() {
    let bound = Bounds::default().connections;
    assert!(bound < CONNECTIONS);
    let count = Arc::new(Count::default());
    let counted = Arc::clone(&count);
    let server = server(move |mut client| {
        let now = counted.now.fetch_add(1, Ordering::SeqCst) + 1;
        counted.most.fetch_max(now, Ordering::SeqCst);
        let heard: [u8; 1] = exactly(&mut client);
        // Before the answer: the next connection is let in only after this one has ended.
        counted.now.fetch_sub(1, Ordering::SeqCst);
        client.write_all(&heard).unwrap();
    });
    let fixture = Fixture::in_front_of(server);
    let mut clients: Vec<_> = (0..CONNECTIONS)
        .map(|_| {
            let mut client = fixture.connect();
            client.write_all(b"CONNECT box.test:7 HTTP/1.1\r\n\r\n").unwrap();
            client
        })
        .collect();
    eventually("all seats are taken", || count.now.load(Ordering::SeqCst) == bound);
    for client in &mut clients {
        assert!(head(client).starts_with("HTTP/1.1 200 "));
        client.write_all(b"x").unwrap();
        client.shutdown(Shutdown::Write).unwrap();
        assert_eq!(rest(client), "x");
    }
    assert_eq!(count.most.load(Ordering::SeqCst), bound);
}
