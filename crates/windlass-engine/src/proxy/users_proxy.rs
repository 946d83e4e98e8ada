//! The user's own proxy, as the user's variables name it.

use serde::{Deserialize, Serialize};

use super::target::{Host, Target, split_port};
use super::upstream::{Upstream, UpstreamError};

/// Where the address stands, the first counts: most connections are TLS, and curl prefers lower case.
const PROXIES: [&str; 6] =
    ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "http_proxy", "HTTP_PROXY"];

/// Where the hosts stand that are reached without it.
const DIRECT: [&str; 2] = ["no_proxy", "NO_PROXY"];

/// Returns the user's own proxy, and which hosts are reached without it.
pub fn users_proxy(
    environment: &[(String, String)],
) -> Result<(Option<Upstream>, NoProxy), UpstreamError> {
    let value = |names: &[&str]| {
        names.iter().find_map(|name| {
            let variable = environment.iter().find(|(other, _)| other == name);
            variable.map(|(_, value)| value.trim()).filter(|value| !value.is_empty())
        })
    };
    let upstream = value(&PROXIES).map(str::parse).transpose()?;
    Ok((upstream, value(&DIRECT).map(NoProxy::parse).unwrap_or_default()))
}

/// Hosts that are reached without the user's proxy, as in `NO_PROXY`.
///
/// An entry is a host or a domain with all below it, with a port or without; `*` is everything.
/// Ranges of addresses mean nothing here: names are not resolved to see whether they are in one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NoProxy {
    entries: Vec<String>,
}

impl NoProxy {
    /// Reads entries between commas or spaces.
    pub fn parse(text: &str) -> Self {
        let entries = text.split([',', ' ']).filter(|entry| !entry.is_empty());
        Self { entries: entries.map(str::to_ascii_lowercase).collect() }
    }

    pub(super) fn is_for(&self, target: &Target) -> bool {
        self.entries.iter().any(|entry| entry == "*" || names(entry, target))
    }
}

fn names(entry: &str, target: &Target) -> bool {
    // An address of IPv6 may stand there without brackets, and then has no port.
    if let Ok(host @ Host::Address(_)) = Host::parse_bare(entry) {
        return host == target.host;
    }
    let (host, port) = split_port(entry);
    let same_port = port.is_none_or(|port| port == target.port.to_string());
    let domain = host.trim_start_matches('*').trim_start_matches('.');
    same_port
        && match (Host::parse(domain), &target.host) {
            (Ok(Host::Name(domain)), Host::Name(name)) => name
                .strip_suffix(domain.as_str())
                .is_some_and(|before| before.is_empty() || before.ends_with('.')),
            (Ok(entry), asked) => entry == *asked,
            (Err(_), _) => false,
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_direct(entries: &str, target: &str) -> bool {
        NoProxy::parse(entries).is_for(&Target::parse(target, None).unwrap())
    }

    #[test]
    fn hosts_and_domains_are_reached_without_the_proxy() {
        for entry in ["corp.example", ".corp.example", "*.corp.example", "CORP.example:8443", "*"] {
            assert!(is_direct(&format!("localhost, {entry}"), "a.corp.example:8443"), "{entry}");
        }
        assert!(is_direct("10.0.0.5,::1", "10.0.0.5:80"));
        assert!(is_direct("10.0.0.5,::1", "[::1]:80"));
        for entry in ["corp.example:443", "xcorp.example", "a.corp", "", ",", "10.0.0.0/8", "."] {
            assert!(!is_direct(entry, "a.corp.example:8443"), "{entry}");
        }
    }

    #[test]
    fn the_first_variable_that_is_set_names_the_proxy() {
        let env = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
        };
        let set = env(&[("HTTP_PROXY", "http://b:1"), ("https_proxy", ""), ("HTTPS_PROXY", "a:2")]);
        let (upstream, direct) = users_proxy(&set).unwrap();
        assert_eq!(upstream.unwrap().target().to_string(), "a:2");
        assert_eq!(direct, NoProxy::default());
        assert_eq!(users_proxy(&[]).unwrap(), (None, NoProxy::default()));
        assert!(users_proxy(&env(&[("ALL_PROXY", "socks5://a:1")])).is_err());
    }
}
