//! What a check reaches over the network.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use windlass_testkit::test_env;

const WORKFLOW: &str = r#"
workflow: reaching
steps:
  - id: work
    agent: developer
    task: Work.
    done: {all: [{file: work.md}, {run: bash ask.sh, hosts: listed.example.org}]}
"#;

/// Asks the proxy of its room for two hosts.
const ASK: &str = r#"
port=${https_proxy##*:}; port=${port%%/*}
asks() {
  exec 3<>"/dev/tcp/127.0.0.1/$port"
  printf 'CONNECT %s:443 HTTP/1.1\r\nHost: %s:443\r\n\r\n' "$1" "$1" >&3
  head -n 1 <&3 | tee /dev/stderr | grep -q " $2 "
}
asks listed.example.org 200 && asks other.example.org 403
"#;

/// The user's own proxy, which connects to everything for whoever has the password; no name is looked up
/// here.
fn users_proxy() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for stream in listener.incoming().take(8) {
            let Ok(mut stream) = stream else { return };
            let (mut asked, mut part) = (Vec::new(), [0; 512]);
            while !asked.ends_with(b"\r\n\r\n") {
                match stream.read(&mut part) {
                    Ok(0) | Err(_) => break,
                    Ok(read) => asked.extend_from_slice(&part[..read]),
                }
            }
            let asked = String::from_utf8_lossy(&asked);
            let answer = match asked.contains("Proxy-Authorization: Basic bWU6bWluZQ==") {
                true => "HTTP/1.1 200 Connection established\r\n\r\n",
                false => "HTTP/1.1 407 Proxy Authentication Required\r\n\r\n",
            };
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    format!("http://me:mine@{address}")
}

#[test]
fn a_check_reaches_the_hosts_that_it_names_and_no_others() {
    let env = test_env!();
    env.repository.write("ask.sh", ASK);
    env.repository.commit("ask for two hosts");
    let mut run = env.run_command(WORKFLOW, "echo done > work.md", &[]);
    run.env("https_proxy", users_proxy());
    env.finish(run).assert_code(0);
    let proofs = env.windlass(&["proofs"]).assert_code(0).stdout.clone();
    assert_eq!(proofs.matches("; hosts: listed.example.org").count(), 2, "warm, cold: {proofs}");
    assert!(!proofs.contains("cached"), "{proofs}");
    env.assert_audit();
}

#[test]
fn an_agent_with_a_proxy_of_its_own_needs_no_password() {
    let env = test_env!();
    env.repository.write("ask.sh", ASK);
    env.repository.commit("ask for two hosts");
    let workflow = r"
workflow: reaching
steps:
  - id: work
    agent: developer
    task: Work.
    network: provider
    hosts: listed.example.org
    done: {file: work.md}
";
    let agent = "env | grep -q me:mine && exit 3; bash ask.sh && echo done > work.md";
    let mut run = env.run_command(workflow, agent, &[]);
    run.env("https_proxy", users_proxy());
    env.finish(run).assert_code(0);
}
