//! The network of an attempt: the machine's, none, or hosts by list through the proxy.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use windlass_core::plan::{PlanStep, StepNetwork};
use windlass_core::reach;

use crate::git::place_files;
use crate::launcher::LaunchPolicy;
use crate::launcher::init::PROXY_PORT;
use crate::launcher::view::ViewNetwork;
use crate::proxy::{Failure, HostRule, ProxyPolicy, provider_hosts, users_proxy, variables};

/// The record of hosts that were refused, in the folder of an attempt.
const RECORD: &str = "refused-hosts";

/// The largest record that is read.
const MAX_RECORD_BYTES: u64 = 4 << 20;

/// How many refused hosts are told in words.
const MOST_TOLD: usize = 8;

/// Returns the network of a view for a step.
pub(super) fn view_network(step: &PlanStep) -> ViewNetwork {
    match step.network {
        StepNetwork::On => ViewNetwork::Host,
        StepNetwork::Provider | StepNetwork::Off => ViewNetwork::Own,
    }
}

/// Gives an attempt its proxy, if its step asks for one.
///
/// # Errors
/// A setting of the user's that names the provider or a proxy cannot be read; the message says which.
pub(super) fn give_proxy(
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

/// Says which hosts were refused or could not be reached, for the record of the attempt.
pub(super) fn refused_in_words(scratch: &Path) -> String {
    // Never through a link and never from a pipe, which an unconfined agent could put there.
    let record = place_files::read_file_bounded(scratch, Path::new(RECORD), MAX_RECORD_BYTES);
    let text = String::from_utf8_lossy(&record.unwrap_or_default()).into_owned();
    let failures = text.lines().filter_map(|line| serde_json::from_str::<Failure>(line).ok());
    let mut told: Vec<String> =
        failures.map(|each| format!("{}:{}", each.host, each.port)).collect();
    if told.is_empty() {
        return String::new();
    }
    let more = told.len().saturating_sub(MOST_TOLD);
    told.truncate(MOST_TOLD);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("; hosts refused or not reached: {}{more}", told.join(", "))
}

fn rules(hosts: &[reach::HostRule]) -> Result<Vec<HostRule>, String> {
    hosts.iter().map(|host| rule(&host.to_string())).collect()
}

fn rule(host: &str) -> Result<HostRule, String> {
    host.parse().map_err(|error| format!("`{host}` cannot be let through: {error}"))
}
