//! Whether sessions can host runs here, and what that weakens.

use windlass_engine::home::Home;
use windlass_engine::plugin::{Host, Record};

use super::Finding;

pub(super) fn look(home: &Home) -> Vec<Finding> {
    let record = match Record::load(home) {
        Ok(record) => record,
        Err(error) => {
            let fix = "windlass plugin install";
            return vec![Finding::warning("plugin", error.to_string(), fix)];
        }
    };
    if record.is_empty() {
        let says = "not installed: runs are driven by `windlass run`, not from within a session \
                    (`windlass plugin install` changes that)";
        return vec![Finding::ok("plugin", says)];
    }
    let hosts: Vec<&str> = record.installations.iter().map(|each| name(each.host)).collect();
    let mut hosts = hosts;
    hosts.dedup();
    let mut findings = vec![
        Finding::ok(
            "plugin",
            format!("installed for {} (`windlass plugin validate` looks closer)", hosts.join(", ")),
        ),
        Finding::open(
            "hosted runs",
            "a session works in your checkout, with your rights and no confinement: guards look at its \
             calls, its shell is barred from pushing, and every proof is made outside it all the same",
        ),
    ];
    if record.installations.iter().any(|each| each.host == Host::Codex) {
        findings.push(Finding::open(
            "codex hooks",
            "who calls a hook of Codex cannot be told for sure: gates of its sessions are answered in a \
             terminal",
        ));
    }
    findings
}

fn name(host: Host) -> &'static str {
    match host {
        Host::Claude => "Claude Code",
        Host::Codex => "Codex",
    }
}
