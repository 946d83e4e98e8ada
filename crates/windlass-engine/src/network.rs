//! The network of an attempt: the machine's, none, or hosts by list through the proxy.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use windlass_core::plan::{PlanStep, StepNetwork};
use windlass_core::reach;

use crate::git::place_files;
use crate::launcher::init::PROXY_PORT;
use crate::launcher::view::ViewNetwork;
use crate::launcher::{HereNetwork, LaunchPolicy};
use crate::proxy::{
    Failure, FailureKind, HostRule, ProxyPolicy, provider_hosts, users_proxy, variables,
};

/// The record of hosts that were refused, in the folder of an attempt.
const RECORD: &str = "refused-hosts";

/// How many hosts of each kind are told in words.
const MOST_TOLD: usize = 50;

/// The largest record that is read.
const MAX_RECORD_BYTES: u64 = 4 << 20;

/// Returns the network of a view for a step.
pub(crate) fn view_network(step: &PlanStep) -> ViewNetwork {
    match step.network {
        StepNetwork::On => ViewNetwork::Host,
        StepNetwork::Provider | StepNetwork::Off => ViewNetwork::Own,
    }
}

/// Returns the network of a step whose attempts have no namespaces: what `provider` wants needs one.
pub(super) fn here_network(step: &PlanStep) -> HereNetwork {
    match step.network {
        StepNetwork::Off => HereNetwork::None,
        StepNetwork::On | StepNetwork::Provider => HereNetwork::Machine,
    }
}

/// Gives an attempt its proxy, if its step asks for one.
///
/// # Errors
/// A setting of the user's that names the provider or a proxy cannot be read; the message says which.
pub(crate) fn give_proxy(
    step: &PlanStep,
    backend: &str,
    env: &[(String, String)],
    registries: &[reach::HostRule],
    scratch: &Path,
    policy: &mut LaunchPolicy,
) -> Result<(), String> {
    if step.network != StepNetwork::Provider || policy.view.is_none() {
        return Ok(());
    }
    let hosts = provider_hosts(backend, env).map_err(|error| error.to_string())?;
    let mut proxy = ProxyPolicy::new(scratch.join(RECORD));
    (proxy.provider, proxy.private, proxy.forward) = (hosts.provider, hosts.private, hosts.forward);
    proxy.allow = step.hosts.iter().map(|host| rule(host)).collect::<Result<_, _>>()?;
    proxy.allow.extend(rules(registries)?);
    (proxy.upstream, proxy.no_proxy) = users_proxy(env).map_err(|error| error.to_string())?;
    put_in_force(proxy, policy);
    Ok(())
}

/// Returns a proxy that lets package registries through, and nothing else.
///
/// # Errors
/// As [`give_proxy`].
pub(crate) fn registry_proxy(
    registries: &[reach::HostRule],
    env: &[(String, String)],
    record: PathBuf,
) -> Result<ProxyPolicy, String> {
    let mut proxy = ProxyPolicy::new(record);
    proxy.allow = rules(registries)?;
    (proxy.upstream, proxy.no_proxy) = users_proxy(env).map_err(|error| error.to_string())?;
    Ok(proxy)
}

/// Names the proxy to the program, in place of one of the user's.
pub(crate) fn put_in_force(proxy: ProxyPolicy, policy: &mut LaunchPolicy) {
    let ours = variables(SocketAddr::from((Ipv4Addr::LOCALHOST, PROXY_PORT)));
    policy.env.retain(|(name, _)| !ours.iter().any(|(other, _)| other == name));
    policy.env.extend(ours);
    policy.proxy = Some(proxy);
}

/// Says which hosts an attempt did not get, for its record.
pub(crate) fn refused_in_words(scratch: &Path) -> String {
    match failures_in_words(&scratch.join(RECORD)) {
        words if words.is_empty() => words,
        words => format!("; {words}"),
    }
}

/// Says what a proxy wrote down: which hosts were refused or could not be reached, by what happened.
pub(crate) fn failures_in_words(record: &Path) -> String {
    let (Some(folder), Some(name)) = (record.parent(), record.file_name()) else {
        return String::new();
    };
    // Never through a link and never from a pipe, which an unconfined agent could put there.
    let record = place_files::read_file_bounded(folder, Path::new(name), MAX_RECORD_BYTES);
    let text = String::from_utf8_lossy(&record.unwrap_or_default()).into_owned();
    let failures: Vec<Failure> =
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    in_words(&failures)
}

fn in_words(failures: &[Failure]) -> String {
    let kinds = [
        (FailureKind::Refused, "refused"),
        (FailureKind::Private, "private"),
        (FailureKind::Unresolvable, "unresolvable"),
        (FailureKind::Failed, "failed"),
    ];
    let mut told = Vec::new();
    for (kind, name) in kinds {
        let mut hosts: Vec<String> = failures
            .iter()
            .filter(|failure| failure.kind == kind)
            .map(|failure| format!("{}:{}", failure.host, failure.port))
            .collect();
        let more = hosts.len().saturating_sub(MOST_TOLD);
        hosts.truncate(MOST_TOLD);
        if more > 0 {
            hosts.push(format!("{more} more"));
        }
        if !hosts.is_empty() {
            told.push(format!("hosts {name}: {}", hosts.join(", ")));
        }
    }
    told.join("; ")
}

fn rules(hosts: &[reach::HostRule]) -> Result<Vec<HostRule>, String> {
    hosts.iter().map(|host| rule(&host.to_string())).collect()
}

fn rule(host: &str) -> Result<HostRule, String> {
    host.parse().map_err(|error| format!("`{host}` cannot be let through: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_has_each_host_with_what_happened() {
        let failure = |kind, host: &str| {
            let host = host.to_owned();
            Failure { kind, host, port: 443, provider: false }
        };
        let all = [
            failure(FailureKind::Refused, "a.example"),
            failure(FailureKind::Failed, "down.example"),
            failure(FailureKind::Refused, "b.example"),
            failure(FailureKind::Unresolvable, "typo.example"),
        ];
        assert_eq!(
            in_words(&all),
            "hosts refused: a.example:443, b.example:443; hosts unresolvable: typo.example:443; \
             hosts failed: down.example:443"
        );
        assert_eq!(in_words(&[]), "");
        let many: Vec<Failure> = (0..MOST_TOLD + 2)
            .map(|number| failure(FailureKind::Refused, &format!("h{number}.example")))
            .collect();
        assert!(in_words(&many).ends_with(", 2 more"));
    }
}
