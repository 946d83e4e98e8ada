//! A server on loopback that answers requests with JSON: what is behind the real `gh` and `git-lfs`.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

use serde_json::Value;

/// One request.
pub(crate) struct Asked {
    pub(crate) method: String,
    /// The path, or the whole address where the server is a proxy.
    pub(crate) target: String,
    pub(crate) body: Vec<u8>,
}

/// Serves for as long as the test runs; returns the port.
pub(crate) fn serve(answer: impl Fn(&Asked) -> Value + Send + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // A client that goes away is no failure of the server.
            let _ = respond(stream, &answer);
        }
    });
    port
}

fn respond(stream: TcpStream, answer: &dyn Fn(&Asked) -> Value) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let mut words = line.split_whitespace().map(str::to_owned);
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let mut length = 0;
    loop {
        let mut header = String::new();
        if reader.read_line(&mut header)? == 0 || header.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = header.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let text = answer(&Asked { method, target, body }).to_string();
    let mut stream = stream;
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: application/vnd.git-lfs+json\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{text}",
        text.len()
    )
}

/// Says whether a program of Debian is there. Where `.ci/test` could have installed it, it has to be.
pub(crate) fn is_there(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    if std::env::split_paths(&path).any(|folder| folder.join(program).is_file()) {
        return true;
    }
    let in_ci = std::env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false");
    let can_install = rustix::process::geteuid().is_root()
        && std::env::split_paths(&path).any(|folder| folder.join("apt-get").is_file());
    assert!(!(in_ci && can_install), "`{program}` is not installed, and this is CI: see .ci/test");
    windlass_testkit::skip(&format!("`{program}` is not installed"));
    false
}
