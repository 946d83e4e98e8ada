//! The server: threads, and what they share.

use std::io;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::http::{self, Arrived};
use super::log::Request;
use super::outside::Outside;
use super::play::{self, Counts};
use super::reply::{Protocol, Reply};
use super::script::Script;
use super::turn::{Answer, Cut, Pause, Turn};
use crate::wait;

/// A scripted model on loopback. Plain HTTP/1.1, one request a connection.
#[derive(Debug)]
pub struct ModelServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    outside: Outside,
}

#[derive(Debug)]
struct Shared {
    script: Script,
    log: Mutex<Log>,
    stopped: AtomicBool,
}

#[derive(Debug, Default)]
struct Log {
    requests: Vec<Request>,
    probes: Vec<String>,
    problems: Vec<String>,
    counts: Counts,
}

impl ModelServer {
    /// Binds a free port of 127.0.0.1 and plays the script to whoever asks.
    pub fn start(script: Script) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port of loopback");
        let address = listener.local_addr().expect("the port");
        let shared =
            Arc::new(Shared { script, log: Mutex::default(), stopped: AtomicBool::new(false) });
        let server = Self { address, shared: Arc::clone(&shared), outside: Outside::start() };
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if shared.stopped.load(Ordering::SeqCst) {
                    return;
                }
                let shared = Arc::clone(&shared);
                std::thread::spawn(move || shared.serve(&stream));
            }
        });
        server
    }

    /// `http://127.0.0.1:PORT`, without a path.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// A proxy for everything that is not on loopback. It refuses, and remembers.
    pub fn proxy_url(&self) -> String {
        self.outside.url()
    }

    /// What was tried through the proxy, as `CONNECT example.org:443`.
    pub fn outside(&self) -> Vec<String> {
        self.outside.tried()
    }

    /// Every request to the model so far, in the order they came.
    pub fn requests(&self) -> Vec<Request> {
        self.shared.log().requests.clone()
    }

    /// The requests that a lane answered.
    pub fn requests_of(&self, lane: &str) -> Vec<Request> {
        let mut requests = self.requests();
        requests.retain(|request| request.lane.as_deref() == Some(lane));
        requests
    }

    /// Other things that were asked, as `GET /v1/models`.
    pub fn probes(&self) -> Vec<String> {
        self.shared.log().probes.clone()
    }

    /// The turns that nobody has asked for yet: the lane's name and the turn.
    pub fn unplayed(&self) -> Vec<(String, usize)> {
        self.shared.log().counts.unplayed(&self.shared.script)
    }

    /// Waits until a request has come that this holds for, and returns it.
    pub fn wait_for(&self, what: &str, mut holds: impl FnMut(&Request) -> bool) -> Request {
        let found = wait::until(wait::DEADLINE, || {
            self.shared.log().requests.iter().find(|request| holds(request)).cloned()
        });
        found.unwrap_or_else(|| panic!("no request: {what}; the log: {:#?}", self.summary()))
    }

    /// Takes the departures from the script, for a test that expects them.
    pub fn take_problems(&self) -> Vec<String> {
        std::mem::take(&mut self.shared.log().problems)
    }

    /// Fails if a request departed from the script. Dropping the server does the same.
    pub fn finish(self) {
        drop(self);
    }

    /// One line for each request: what was asked, and which lane and turn answered.
    pub fn summary(&self) -> Vec<String> {
        let line = |request: &Request| {
            let lane = request.lane.as_deref().unwrap_or("no lane");
            format!("{:?} {}: {lane}, turn {}", request.protocol, request.path, request.turn)
        };
        self.requests().iter().map(line).collect()
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::SeqCst);
        // Wakes the thread that accepts, so that it sees the flag.
        let _ = TcpStream::connect(self.address);
        let mut problems = self.take_problems();
        if !self.shared.script.outside_may_be_tried {
            let tried = self.outside.tried();
            problems.extend(tried.iter().map(|what| format!("a way out was tried: {what}")));
        }
        if !problems.is_empty() && !std::thread::panicking() {
            let (problems, summary) = (problems.join("\n"), self.summary().join("\n"));
            panic!("not what the script of the model says:\n{problems}\nall requests:\n{summary}");
        }
    }
}

impl Shared {
    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn serve(&self, stream: &TcpStream) {
        match http::read(stream) {
            // A CLI that is killed, or that looks whether somebody listens, is no departure.
            Ok(None) | Err(_) => {}
            Ok(Some(arrived)) => {
                // So is one that goes away before it has the answer.
                let _ = self.handle(stream, arrived);
            }
        }
        let _ = stream.shutdown(Shutdown::Both);
    }

    fn handle(&self, stream: &TcpStream, arrived: Arrived) -> io::Result<()> {
        let path = arrived.path.split('?').next().unwrap_or_default();
        match (arrived.method.as_str(), path, Protocol::of(&arrived.path)) {
            ("POST", _, Some((protocol, streams))) => {
                self.model(stream, arrived, protocol, streams)
            }
            ("HEAD", ..) => self.probe(stream, &arrived, ""),
            ("GET", "/v1/models" | "/v1beta/models", _) => {
                self.probe(stream, &arrived, r#"{"object":"list","data":[],"models":[]}"#)
            }
            ("POST", "/v1/messages/count_tokens", _) => {
                self.probe(stream, &arrived, r#"{"input_tokens":100}"#)
            }
            ("POST", path, _) if path.ends_with(":countTokens") => {
                self.probe(stream, &arrived, r#"{"totalTokens":100}"#)
            }
            _ => {
                let problem = format!("nothing is at {} {}", arrived.method, arrived.path);
                self.log().problems.push(problem.clone());
                http::answer(stream, 404, &[], &json!({"error": {"message": problem}}).to_string())
            }
        }
    }

    fn probe(&self, stream: &TcpStream, arrived: &Arrived, body: &str) -> io::Result<()> {
        self.log().probes.push(format!("{} {}", arrived.method, arrived.path));
        http::answer(stream, 200, &[], body)
    }

    fn model(
        &self,
        stream: &TcpStream,
        arrived: Arrived,
        protocol: Protocol,
        streams: Option<bool>,
    ) -> io::Result<()> {
        let body: Value = match serde_json::from_slice(&arrived.body) {
            Ok(body) => body,
            Err(error) => return self.depart(stream, protocol, format!("no JSON: {error}")),
        };
        let conversation = protocol.conversation(&arrived.path, &body);
        let streams = streams.unwrap_or(body["stream"] == true);
        let mut request = Request {
            protocol,
            lane: None,
            turn: conversation.turns(),
            path: arrived.path,
            headers: arrived.headers,
            body,
            conversation,
        };
        let (number, chosen) = {
            let log = &mut *self.log();
            let number = log.requests.len();
            let chosen = if number < self.script.most_requests {
                play::choose(&self.script, &request, &mut log.counts)
            } else {
                Err(format!("more than {} requests", self.script.most_requests))
            };
            if let Ok(chosen) = &chosen {
                request.lane = Some(chosen.lane.name.clone());
                request.turn = chosen.number;
            }
            log.requests.push(request.clone());
            (number, chosen)
        };
        let chosen = match chosen {
            Ok(chosen) => chosen,
            Err(problem) => return self.depart(stream, protocol, problem),
        };
        let acts = match &chosen.turn.answer {
            Answer::Acts(acts) => acts.as_slice(),
            _ => &[],
        };
        match play::reply(chosen.lane, chosen.turn, acts, &request, number) {
            Err(problem) => {
                let place = format!("lane `{}`, turn {}", chosen.lane.name, chosen.number);
                self.depart(stream, protocol, format!("{place}: {problem}"))
            }
            Ok(reply) => self.play(stream, chosen.turn, protocol, &reply, streams),
        }
    }

    /// Says what is wrong to the CLI and to the test.
    fn depart(&self, stream: &TcpStream, protocol: Protocol, problem: String) -> io::Result<()> {
        let body = protocol.failure(400, &format!("scripted model: {problem}")).to_string();
        self.log().problems.push(problem);
        http::answer(stream, 400, &[], &body)
    }

    fn play(
        &self,
        stream: &TcpStream,
        turn: &Turn,
        protocol: Protocol,
        reply: &Reply,
        streams: bool,
    ) -> io::Result<()> {
        self.pause(stream, turn.before.as_ref())?;
        let frames = match &turn.answer {
            Answer::Drop => return Ok(()),
            Answer::Status { status, headers, message, body } => {
                let body = body.clone().unwrap_or_else(|| protocol.failure(*status, message));
                return http::answer(stream, *status, headers, &body.to_string());
            }
            Answer::StreamError { kind, message } if streams => {
                protocol.failing_frames(reply, kind, message)
            }
            // A request without a stream cannot have an error in one.
            Answer::StreamError { message, .. } => {
                return http::answer(stream, 500, &[], &protocol.failure(500, message).to_string());
            }
            Answer::Acts(_) if streams => protocol.frames(reply),
            Answer::Acts(_) => {
                self.pause(stream, turn.midway.as_ref())?;
                if turn.cut.is_some() {
                    return Ok(());
                }
                return http::answer(stream, 200, &[], &protocol.whole(reply).to_string());
            }
        };
        let (begin, rest) = frames.split_at(frames.len() / 2);
        http::begin_stream(stream)?;
        http::send(stream, begin)?;
        self.pause(stream, turn.midway.as_ref())?;
        match turn.cut {
            Some(Cut::Broken) => return Ok(()),
            Some(Cut::Short) => {}
            None => http::send(stream, rest)?,
        }
        http::end_stream(stream)
    }

    /// Waits; an error when the CLI or the test has gone.
    fn pause(&self, stream: &TcpStream, pause: Option<&Pause>) -> io::Result<()> {
        let Some(pause) = pause else { return Ok(()) };
        let begun = Instant::now();
        let over = || match pause {
            Pause::For(time) => begun.elapsed() >= *time,
            Pause::UntilFile(path) => path.exists(),
        };
        // `None` is the deadline, `Some(false)` somebody who has gone.
        let ended = wait::until(wait::DEADLINE, || {
            let gone = self.stopped.load(Ordering::SeqCst) || closed(stream);
            if gone { Some(false) } else { over().then_some(true) }
        });
        match ended {
            Some(true) => Ok(()),
            Some(false) => Err(io::ErrorKind::ConnectionAborted.into()),
            None => {
                self.log().problems.push(format!("a turn waited in vain: {pause:?}"));
                Err(io::ErrorKind::TimedOut.into())
            }
        }
    }
}

/// Whether the other side has closed the connection.
fn closed(stream: &TcpStream) -> bool {
    let _ = stream.set_read_timeout(Some(Duration::from_millis(1)));
    match stream.peek(&mut [0]) {
        Ok(count) => count == 0,
        Err(error) => !matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut),
    }
}
