//! Listeners, and a thread for each connection of the box.

use std::io;
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::access::is_of_provider;
use super::answer::{self, Answer};
use super::body::Body;
use super::connect::{Connected, connect};
use super::head::HeadReader;
use super::policy::ProxyPolicy;
use super::record::{Failure, FailureKind, Recorder};
use super::relay::Relay;
use super::request::{Request, Want};
use super::socks::{self, Reply, SocksError};
use super::target::Target;

/// Enough for the system's resolver, which keeps answers on the stack.
const STACK_BYTES: usize = 256 * 1024;

/// How long to wait before a listener is tried again that failed: descriptors may have run out.
const AFTER_FAILED_ACCEPT: Duration = Duration::from_millis(50);

/// What a listener's connections are.
#[derive(Clone, Debug)]
pub(super) enum Entrance {
    /// Requests to a proxy.
    Proxy,
    /// Connections that lead to this target without a word.
    Forward(Target),
}

/// A proxy with its policy.
pub(super) struct Proxy {
    policy: ProxyPolicy,
    recorder: Recorder,
    seats: Seats,
}

impl Proxy {
    pub(super) fn new(policy: ProxyPolicy, recorder: Recorder) -> Self {
        let seats = Seats::new(policy.bounds.connections);
        Self { policy, recorder, seats }
    }

    /// Serves a listener for ever, in a thread of its own.
    pub(super) fn listen(
        self: &Arc<Self>,
        listener: TcpListener,
        entrance: Entrance,
    ) -> io::Result<()> {
        let proxy = Arc::clone(self);
        listener.set_nonblocking(false)?;
        thread::Builder::new().stack_size(STACK_BYTES).spawn(move || {
            loop {
                match listener.accept() {
                    Ok((client, _)) => start(Seat::take(&proxy), client, entrance.clone()),
                    Err(_) => thread::park_timeout(AFTER_FAILED_ACCEPT),
                }
            }
        })?;
        Ok(())
    }

    /// Serves one connection to its end. An error means that it broke, which is nobody's business.
    fn serve(&self, client: &TcpStream, entrance: &Entrance) -> io::Result<()> {
        client.set_nonblocking(false)?;
        client.set_nodelay(true)?;
        client.set_write_timeout(Some(self.policy.bounds.header()))?;
        match entrance {
            Entrance::Forward(target) => match self.connect(target)? {
                Ok(connected) => self.tunnel(client, connected, Vec::new()),
                Err(_) => Ok(()),
            },
            Entrance::Proxy => self.serve_request(client),
        }
    }

    fn serve_request(&self, client: &TcpStream) -> io::Result<()> {
        let bounds = &self.policy.bounds;
        let mut reader = HeadReader::new(client, bounds.header(), bounds.header_bytes);
        match reader.peek() {
            Ok(socks::VERSION) => self.serve_socks(client, reader),
            Ok(_) => self.serve_http(client, reader),
            Err(error) => refuse(client, Answer::of_head(&error)),
        }
    }

    fn serve_http(&self, client: &TcpStream, mut reader: HeadReader<'_>) -> io::Result<()> {
        let request = match reader.take_head() {
            Ok(head) => Request::parse(head),
            Err(error) => return refuse(client, Answer::of_head(&error)),
        };
        let request = match request {
            Ok(request) => request,
            Err(error) => return refuse(client, Some(Answer::of_request(error))),
        };
        let connected = match self.connect(&request.target)? {
            Ok(connected) => connected,
            Err(kind) => return refuse(client, Some(Answer::of_failure(kind, &request.target))),
        };
        let rest = reader.into_rest();
        match request.want {
            Want::Tunnel => {
                write(client, b"HTTP/1.1 200 Connection established\r\n\r\n")?;
                self.tunnel(client, connected, rest)
            }
            Want::Answer(plain) => {
                let (mut to_server, mut body) = (plain.head, plain.body);
                let taken = body.take(&rest).map_err(io::Error::other)?;
                to_server.extend_from_slice(&rest[..taken]);
                self.relay(client, connected, to_server, body)?;
                answer::hear_out(client)
            }
        }
    }

    fn serve_socks(&self, client: &TcpStream, mut reader: HeadReader<'_>) -> io::Result<()> {
        let target = match socks::negotiate(&mut reader, client) {
            Ok(target) => target,
            Err(SocksError::Answer(reply)) => return socks::answer(client, reply),
            Err(SocksError::Closed) => return Ok(()),
        };
        match self.connect(&target)? {
            Ok(connected) => {
                socks::answer(client, Reply::Succeeded)?;
                self.tunnel(client, connected, reader.into_rest())
            }
            Err(kind) => {
                socks::answer(client, kind.into())?;
                answer::hear_out(client)
            }
        }
    }

    /// Connects to a target, and writes down that it could not.
    fn connect(&self, target: &Target) -> io::Result<Result<Connected, FailureKind>> {
        let connected = connect(&self.policy, target);
        match &connected {
            Ok(_) => self.recorder.made(),
            Err(kind) => {
                let provider = is_of_provider(&self.policy, target);
                self.recorder.record(Failure::new(*kind, target, provider))?;
            }
        }
        Ok(connected)
    }

    fn tunnel(&self, client: &TcpStream, to: Connected, said: Vec<u8>) -> io::Result<()> {
        self.relay(client, to, said, Body::Endless)
    }

    fn relay(
        &self,
        client: &TcpStream,
        to: Connected,
        to_server: Vec<u8>,
        body: Body,
    ) -> io::Result<()> {
        to.stream.set_nodelay(true)?;
        let idle = self.policy.bounds.idle();
        Relay { client, server: &to.stream, to_server, to_client: to.said, body, idle }.run()
    }
}

/// Serves a connection in a thread of its own; without a thread the client sees it closed.
fn start(seat: Seat, client: TcpStream, entrance: Entrance) {
    let serve = move || {
        // Whatever broke, broke for this client alone, and it sees the end of its connection.
        let _ = seat.0.serve(&client, &entrance);
    };
    let _ = thread::Builder::new().stack_size(STACK_BYTES).spawn(serve);
}

fn refuse(client: &TcpStream, answer: Option<Answer>) -> io::Result<()> {
    answer.map_or(Ok(()), |answer| answer.send(client))
}

fn write(mut client: &TcpStream, bytes: &[u8]) -> io::Result<()> {
    io::Write::write_all(&mut client, bytes)
}

/// How many connections there may be, and are.
struct Seats {
    taken: Mutex<usize>,
    freed: Condvar,
    most: usize,
}

impl Seats {
    fn new(most: usize) -> Self {
        Self { taken: Mutex::new(0), freed: Condvar::new(), most: most.max(1) }
    }
}

/// The right to one connection; given back when it is dropped, however its thread ends.
struct Seat(Arc<Proxy>);

impl Seat {
    /// Waits for a free seat. Whoever connects after this one waits in the listener's queue.
    fn take(proxy: &Arc<Proxy>) -> Self {
        let seats = &proxy.seats;
        let taken = seats.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = seats.freed.wait_while(taken, |taken| *taken >= seats.most);
        *waited.unwrap_or_else(PoisonError::into_inner) += 1;
        Self(Arc::clone(proxy))
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let seats = &self.0.seats;
        *seats.taken.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        seats.freed.notify_one();
    }
}
