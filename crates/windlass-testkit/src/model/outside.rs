//! The way out: a proxy that refuses and remembers.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A proxy that lets nobody out.
#[derive(Debug)]
pub(super) struct Outside {
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    tried: Mutex<Vec<String>>,
    stopped: AtomicBool,
}

impl Outside {
    pub(super) fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port of loopback");
        let address = listener.local_addr().expect("the port");
        let shared = Arc::new(Shared::default());
        let outside = Self { address, shared: Arc::clone(&shared) };
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if shared.stopped.load(Ordering::SeqCst) {
                    return;
                }
                let shared = Arc::clone(&shared);
                std::thread::spawn(move || shared.refuse(&stream));
            }
        });
        outside
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(super) fn tried(&self) -> Vec<String> {
        self.shared.tried.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Outside {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::SeqCst);
        // Wakes the thread that accepts, so that it sees the flag.
        let _ = TcpStream::connect(self.address);
    }
}

impl Shared {
    fn refuse(&self, mut stream: &TcpStream) {
        // Remembered before it is read: a connection that says nothing is a try as well.
        let index = self.remember("a connection that said nothing".to_owned());
        let mut line = String::new();
        if BufReader::new(stream).read_line(&mut line).is_ok_and(|count| count > 0) {
            let words: Vec<&str> = line.split_whitespace().take(2).collect();
            self.tried.lock().unwrap_or_else(PoisonError::into_inner)[index] = words.join(" ");
        }
        // Whoever it is does not need the answer.
        let _ = stream
            .write_all(b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    }

    fn remember(&self, what: String) -> usize {
        let mut tried = self.tried.lock().unwrap_or_else(PoisonError::into_inner);
        tried.push(what);
        tried.len() - 1
    }
}
