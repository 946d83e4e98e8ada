//! A proxy does not outlive its launcher, and one that cannot work says so.

use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use windlass_engine::process_table::Process;
use windlass_engine::proxy::{self, ProxyPolicy};

use crate::support::{Fixture, echo_server, eventually, rest};

/// Makes the test binary a launcher that records in this file.
const LAUNCHER_VARIABLE: &str = "WINDLASS_TEST_PROXY_LAUNCHER";

/// Starts a proxy, prints its pid, and waits to be killed.
#[expect(clippy::print_stdout, reason = "the process is a launcher here, and read by a test")]
pub(crate) fn act_as_launcher() {
    let Some(record) = std::env::var_os(LAUNCHER_VARIABLE) else { return };
    let listener = OwnedFd::from(TcpListener::bind("127.0.0.1:0").unwrap());
    let exe = std::env::current_exe().unwrap();
    let mut proxy = proxy::spawn(&exe, listener, &ProxyPolicy::new(record.into())).unwrap();
    proxy.wait_until_ready().unwrap();
    println!("\nproxy {}", proxy.pid().as_raw_nonzero());
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
}

fn is_alive(pid: Pid) -> bool {
    Process::read(pid.as_raw_nonzero().get()).is_ok_and(|process| !process.is_dead())
}

#[test]
fn a_proxy_ends_when_it_is_dropped_and_its_tunnels_with_it() {
    let fixture = Fixture::in_front_of(echo_server());
    let mut tunnel = fixture.tunnel("box.test:7");
    let pid = fixture.proxy.pid();
    assert!(is_alive(pid));
    drop(fixture);
    assert!(!is_alive(pid));
    assert_eq!(rest(&mut tunnel), "");
}

#[test]
fn a_proxy_ends_when_its_launcher_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let mut launcher = Command::new(std::env::current_exe().unwrap())
        .args(["launcher_entry", "--exact", "--nocapture"])
        .env(LAUNCHER_VARIABLE, folder.path().join("record"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(launcher.stdout.take().unwrap()).lines();
    let pid =
        lines.map_while(Result::ok).find_map(|line| line.strip_prefix("proxy ")?.parse().ok());
    let pid = Pid::from_raw(pid.unwrap()).unwrap();
    assert!(is_alive(pid));
    launcher.kill().unwrap();
    launcher.wait().unwrap();
    eventually("the proxy has ended", || !is_alive(pid));
}

#[test]
fn a_proxy_ends_by_a_signal_and_the_launcher_hears_of_it() {
    let mut fixture = Fixture::start(|_| {});
    assert_eq!(fixture.proxy.take_failures().unwrap(), []);
    kill_process(fixture.proxy.pid(), Signal::TERM).unwrap();
    eventually("the socket has ended", || fixture.proxy.take_failures().is_err());
}

#[test]
fn a_proxy_that_cannot_record_is_not_ready() {
    let listener = || OwnedFd::from(TcpListener::bind("127.0.0.1:0").unwrap());
    let folder = tempfile::tempdir().unwrap();
    let policy = ProxyPolicy::new(folder.path().join("missing/record"));
    let exe = std::env::current_exe().unwrap();
    let mut proxy = proxy::spawn(&exe, listener(), &policy).unwrap();
    assert!(proxy.wait_until_ready().is_err());

    // More listeners than forwards.
    let policy = ProxyPolicy::new(folder.path().join("record"));
    let mut proxy =
        proxy::spawn_with_forwards(&exe, listener(), vec![listener()], &policy).unwrap();
    assert!(proxy.wait_until_ready().is_err());
}

#[test]
fn a_proxy_has_no_environment() {
    let fixture = Fixture::start(|_| {});
    let pid = fixture.proxy.pid().as_raw_nonzero();
    assert_eq!(fs_err::read(format!("/proc/{pid}/environ")).unwrap(), b"");
}
