//! A proxy in front of scripted servers, and clients of it.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use windlass_engine::proxy::{self, Failure, Forward, Host, ProxyChild, ProxyPolicy};

/// How long a fact may take to become true on a busy machine.
pub(crate) const DEADLINE: Duration = Duration::from_secs(30);

#[expect(clippy::exit, reason = "the process is a proxy here, not a test")]
pub(crate) fn act_as_proxy() {
    if std::env::args().nth(1).as_deref() == Some(proxy::PROXY_ARGUMENT) {
        let code = proxy::main_proxy();
        std::process::exit(i32::from(code != ExitCode::SUCCESS));
    }
}

/// A running proxy; it ends with the fixture.
pub(crate) struct Fixture {
    pub(crate) proxy: ProxyChild,
    pub(crate) address: SocketAddr,
    /// Connections to it lead to the first forward without a word.
    pub(crate) forwarded: Option<SocketAddr>,
    record: PathBuf,
    _folder: tempfile::TempDir,
}

impl Fixture {
    /// Starts a proxy that lets nothing through but what is added to its policy.
    pub(crate) fn start(change: impl FnOnce(&mut ProxyPolicy)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let record = folder.path().join("record.jsonl");
        let mut policy = ProxyPolicy::new(record.clone());
        change(&mut policy);
        let (listener, address) = listener();
        let exe = std::env::current_exe().unwrap();
        let mut forwarded = None;
        let mut proxy = if policy.forward.is_empty() {
            proxy::spawn(&exe, listener, &policy).unwrap()
        } else {
            let (forward, at) = self::listener();
            forwarded = Some(at);
            proxy::spawn_with_forwards(&exe, listener, vec![forward], &policy).unwrap()
        };
        proxy.wait_until_ready().unwrap();
        Self { proxy, address, forwarded, record, _folder: folder }
    }

    /// Starts a proxy that leads `box.test:7` and `127.0.0.1:7` to a server.
    pub(crate) fn in_front_of(server: SocketAddr) -> Self {
        Self::start(|policy| forward_to(policy, server))
    }

    pub(crate) fn connect(&self) -> TcpStream {
        client(self.address)
    }

    /// Sends bytes, and returns all that comes back until the end.
    pub(crate) fn exchange(&self, bytes: impl AsRef<[u8]>) -> String {
        let mut client = self.connect();
        client.write_all(bytes.as_ref()).unwrap();
        rest(&mut client)
    }

    /// Opens a tunnel, which has to succeed.
    pub(crate) fn tunnel(&self, target: &str) -> TcpStream {
        let mut client = self.connect();
        write!(client, "CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n").unwrap();
        let head = head(&mut client);
        assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
        client
    }

    /// The answer to an attempt to open a tunnel, which has to fail.
    pub(crate) fn refused(&self, target: &str) -> String {
        let answer = self.exchange(format!("CONNECT {target} HTTP/1.1\r\n\r\n"));
        assert!(!answer.starts_with("HTTP/1.1 2"), "{target}: {answer}");
        answer
    }

    /// What the record holds.
    pub(crate) fn failures(&self) -> Vec<Failure> {
        let text = fs_err::read_to_string(&self.record).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// Lets `box.test:7`, `127.0.0.1:7` and `[::1]:7` lead to a server.
pub(crate) fn forward_to(policy: &mut ProxyPolicy, server: SocketAddr) {
    for host in ["box.test", "127.0.0.1"] {
        let host = Host::parse(host).unwrap();
        policy.forward.push(Forward { host, port: 7, to: server.port() });
    }
}

fn listener() -> (OwnedFd, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    (OwnedFd::from(listener), address)
}

pub(crate) fn client(address: SocketAddr) -> TcpStream {
    let client = TcpStream::connect(address).unwrap();
    client.set_read_timeout(Some(DEADLINE)).unwrap();
    client.set_write_timeout(Some(DEADLINE)).unwrap();
    client
}

/// Serves each connection in a thread of its own, as long as the test runs.
pub(crate) fn server(serve: impl Fn(TcpStream) + Send + Sync + Clone + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for client in listener.incoming() {
            let client = client.unwrap();
            client.set_read_timeout(Some(DEADLINE)).unwrap();
            let serve = serve.clone();
            std::thread::spawn(move || serve(client));
        }
    });
    address
}

/// A server that sends back what it gets, and ends when its client does.
pub(crate) fn echo_server() -> SocketAddr {
    server(|mut client| {
        let mut copy = client.try_clone().unwrap();
        // A test that ends early breaks the connection.
        let _ = std::io::copy(&mut client, &mut copy);
        let _ = copy.shutdown(Shutdown::Write);
    })
}

/// Reads up to and with an empty line, byte by byte so that nothing behind it is lost.
pub(crate) fn head(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        head.push(byte[0]);
    }
    String::from_utf8(head).unwrap()
}

/// Reads until the end.
pub(crate) fn rest(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

pub(crate) fn exactly<const COUNT: usize>(stream: &mut TcpStream) -> [u8; COUNT] {
    let mut bytes = [0; COUNT];
    stream.read_exact(&mut bytes).unwrap();
    bytes
}

/// Waits until something is true.
#[track_caller]
pub(crate) fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + DEADLINE;
    while !holds() {
        assert!(Instant::now() < deadline, "it never came true that {what}");
        // Other processes' deaths announce themselves nowhere: look again soon.
        std::thread::park_timeout(Duration::from_millis(5));
    }
}
