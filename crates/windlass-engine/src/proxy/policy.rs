//! What the proxy is told: one JSON document from its launcher.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::target::{Host, Target, is_like_number, parse_port, split_port};
pub use super::upstream::{Upstream, UpstreamError};
pub use super::users_proxy::NoProxy;

/// The largest policy that a proxy reads.
pub(super) const MAX_POLICY_BYTES: usize = 1024 * 1024;

/// The ports of a rule that names none: those of the web.
const WEB_PORTS: [u16; 2] = [80, 443];

/// Which connections a box may make, and within which bounds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProxyPolicy {
    /// Hosts that may be reached.
    #[serde(default)]
    pub allow: Vec<HostRule>,
    /// The backend's hosts. They may be reached too; that one cannot be is a reason to end the
    /// attempt, so the record tells them apart.
    #[serde(default)]
    pub provider: Vec<HostRule>,
    /// Hosts among those above whose names may lead into a private network, because the user
    /// named them. Loopback, link-local and metadata addresses stay out of reach.
    #[serde(default)]
    pub private: Vec<HostRule>,
    /// Addresses of the box that lead to the host's loopback.
    #[serde(default)]
    pub forward: Vec<Forward>,
    /// The file to which a line is appended for each host that was refused or failed.
    pub record: PathBuf,
    /// The user's own proxy, for all connections that are not forwarded.
    #[serde(default)]
    pub upstream: Option<Upstream>,
    /// Hosts that are reached without that proxy.
    #[serde(default)]
    pub no_proxy: NoProxy,
    /// Times and sizes.
    #[serde(default)]
    pub bounds: Bounds,
}

impl ProxyPolicy {
    /// Returns a policy that lets nothing through.
    pub fn new(record: PathBuf) -> Self {
        Self {
            allow: Vec::new(),
            provider: Vec::new(),
            private: Vec::new(),
            forward: Vec::new(),
            record,
            upstream: None,
            no_proxy: NoProxy::default(),
            bounds: Bounds::default(),
        }
    }

    /// Where a box listens for its forwards, in order and each address once, and what it leads to.
    pub(crate) fn doors(&self) -> Vec<(SocketAddr, Target)> {
        let mut doors: Vec<(SocketAddr, Target)> = Vec::new();
        for forward in &self.forward {
            let target = Target { host: forward.host.clone(), port: forward.port };
            for address in forward.asked_at() {
                if !doors.iter().any(|(known, _)| *known == address) {
                    doors.push((address, target.clone()));
                }
            }
        }
        doors
    }
}

/// Times and sizes that keep one box from using up the machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Bounds {
    /// How long a request's head may take to arrive.
    pub header_ms: u64,
    /// How long a connection may take to be made, over all addresses of a name.
    pub connect_ms: u64,
    /// How long a tunnel may be silent in both directions.
    pub idle_ms: u64,
    /// The most bytes of a head.
    pub header_bytes: usize,
    /// The most connections at once; more wait until one ends.
    pub connections: usize,
    /// The most lines of the record.
    pub record_lines: usize,
    /// How long a backend may try without having made one connection.
    pub hopeless_ms: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            header_ms: 10_000,
            connect_ms: 15_000,
            idle_ms: 600_000,
            header_bytes: 64 * 1024,
            connections: 256,
            record_lines: 1000,
            hopeless_ms: 10_000,
        }
    }
}

impl Bounds {
    pub(super) fn header(&self) -> Duration {
        Duration::from_millis(self.header_ms)
    }

    pub(super) fn connect(&self) -> Duration {
        Duration::from_millis(self.connect_ms)
    }

    pub(super) fn hopeless(&self) -> Duration {
        Duration::from_millis(self.hopeless_ms)
    }

    pub(super) fn idle(&self) -> Duration {
        Duration::from_millis(self.idle_ms)
    }
}

/// An address that the box uses and that leads to a port of the host's loopback.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Forward {
    /// The host that the box uses: `127.0.0.1`, `[::1]` or a name.
    #[serde(with = "host_text")]
    pub host: Host,
    /// The port that the box uses.
    pub port: u16,
    /// The port on the host's loopback.
    pub to: u16,
}

impl Forward {
    /// Says whether the box asks for this address, to the letter.
    pub(super) fn is_for(&self, target: &Target) -> bool {
        self.host == target.host && self.port == target.port
    }

    /// The addresses of the box at which a program asks for it: its own, both families for a name.
    fn asked_at(&self) -> Vec<SocketAddr> {
        match self.host {
            Host::Address(address) => vec![(address.to_canonical(), self.port).into()],
            Host::Name(_) => loopback(self.port).to_vec(),
        }
    }

    /// The loopback addresses to try: the box's own if it is one, both families for a name.
    pub(super) fn addresses(&self) -> Vec<SocketAddr> {
        match self.host {
            Host::Address(address) if address.is_loopback() => vec![(address, self.to).into()],
            Host::Address(_) | Host::Name(_) => loopback(self.to).to_vec(),
        }
    }
}

/// A port on the loopback of both families.
fn loopback(port: u16) -> [SocketAddr; 2] {
    let both = [IpAddr::from(Ipv4Addr::LOCALHOST), IpAddr::from(Ipv6Addr::LOCALHOST)];
    both.map(|ip| (ip, port).into())
}

/// Hosts as text in JSON.
mod host_text {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use super::Host;

    pub(super) fn serialize<S: Serializer>(host: &Host, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(host)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Host, D::Error> {
        Host::parse(&String::deserialize(from)?).map_err(D::Error::custom)
    }
}

/// Which hosts and ports may be reached: `example.org`, `*.example.org`, `example.org:8443`,
/// `192.0.2.1`, `[2001:db8::1]:8080`. Without a port, 80 and 443.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct HostRule {
    hosts: Hosts,
    port: Option<u16>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Hosts {
    /// This host.
    One(Host),
    /// Every name below this one, at any depth, without the name itself.
    Below(String),
}

/// Why a text is no rule.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{rule}` is not a host: write `example.org`, `*.example.org` or `example.org:8443`")]
pub struct HostRuleError {
    /// The text.
    pub rule: String,
}

impl HostRule {
    /// Returns the rule for one host and one port.
    pub fn exactly(target: &Target) -> Self {
        Self { hosts: Hosts::One(target.host.clone()), port: Some(target.port) }
    }

    /// Says whether the rule is about this host and port.
    pub fn is_for(&self, target: &Target) -> bool {
        let port = match self.port {
            Some(port) => port == target.port,
            None => WEB_PORTS.contains(&target.port),
        };
        port && match (&self.hosts, &target.host) {
            (Hosts::One(host), asked) => host == asked,
            (Hosts::Below(suffix), Host::Name(name)) => name
                .strip_suffix(suffix.as_str())
                .is_some_and(|rest| rest.len() > 1 && rest.ends_with('.')),
            (Hosts::Below(_), Host::Address(_)) => false,
        }
    }
}

impl FromStr for HostRule {
    type Err = HostRuleError;

    fn from_str(rule: &str) -> Result<Self, Self::Err> {
        let wrong = || HostRuleError { rule: rule.to_owned() };
        let (text, port) = split_port(rule);
        let port = port.map(parse_port).transpose().map_err(|_| wrong())?;
        let below = text.strip_prefix("*.");
        let host = Host::parse(below.unwrap_or(text)).map_err(|_| wrong())?;
        let hosts = match (below, host) {
            // A resolver would take it for an address, and the list would not say which.
            (_, Host::Name(name)) if is_like_number(&name) => return Err(wrong()),
            (Some(_), Host::Name(name)) => Hosts::Below(name),
            (Some(_), Host::Address(_)) => return Err(wrong()),
            (None, host) => Hosts::One(host),
        };
        Ok(Self { hosts, port })
    }
}

impl TryFrom<String> for HostRule {
    type Error = HostRuleError;

    fn try_from(rule: String) -> Result<Self, Self::Error> {
        rule.parse()
    }
}

impl From<HostRule> for String {
    fn from(rule: HostRule) -> Self {
        rule.to_string()
    }
}

impl fmt::Display for HostRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.hosts {
            Hosts::One(host) => write!(f, "{host}")?,
            Hosts::Below(suffix) => write!(f, "*.{suffix}")?,
        }
        match self.port {
            Some(port) => write!(f, ":{port}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_for(rule: &str, target: &str) -> bool {
        let rule: HostRule = rule.parse().unwrap();
        rule.is_for(&Target::parse(target, None).unwrap())
    }

    #[test]
    fn a_rule_is_for_its_host_and_the_ports_of_the_web_or_its_own() {
        assert!(is_for("example.org", "example.org:443"));
        assert!(is_for("Example.org.", "EXAMPLE.ORG:80"));
        assert!(!is_for("example.org", "example.org:8443"));
        assert!(is_for("example.org:8443", "example.org:8443"));
        assert!(!is_for("example.org:8443", "example.org:443"));
        assert!(!is_for("example.org", "notexample.org:443"));
        assert!(!is_for("example.org", "a.example.org:443"));
        assert!(is_for("[2001:db8::1]:8080", "[2001:db8:0::1]:8080"));
    }

    #[test]
    fn a_wildcard_is_for_names_below_and_not_for_the_name() {
        assert!(is_for("*.example.org", "a.example.org:443"));
        assert!(is_for("*.example.org", "a.b.example.org:443"));
        assert!(!is_for("*.example.org", "example.org:443"));
        assert!(!is_for("*.example.org", "aexample.org:443"));
        assert!(!is_for("*.example.org", "example.org.evil.example:443"));
    }

    #[test]
    fn an_address_is_not_its_mapped_form() {
        assert!(is_for("127.0.0.1:1", "127.0.0.1:1"));
        assert!(!is_for("127.0.0.1:1", "[::ffff:127.0.0.1]:1"));
    }

    #[test]
    fn texts_that_are_no_hosts_are_refused() {
        let wrong = [
            "*",
            "*.",
            "*example.org",
            "a.*.org",
            "",
            "https://example.org",
            "example.org/x",
            "a@example.org",
            "2130706433",
            "0x7f.1",
            "*.1",
            "*.127.0.0.1",
            "bücher.example",
            "example.org:0",
            "example.org:",
            "::1",
            "127.1",
        ];
        for rule in wrong {
            assert!(rule.parse::<HostRule>().is_err(), "{rule}");
        }
    }

    #[test]
    fn a_box_listens_where_it_is_told_to_ask_and_at_each_address_once() {
        let mut policy = ProxyPolicy::new(PathBuf::from("/record"));
        let doors = |policy: &ProxyPolicy| -> Vec<String> {
            policy.doors().into_iter().map(|(address, _)| address.to_string()).collect()
        };
        for (host, port) in [("[::1]", 1), ("127.1.2.3", 2), ("localhost", 3), ("127.0.0.1", 3)] {
            let host = Host::parse(host).unwrap();
            policy.forward.push(Forward { host, port, to: port });
        }
        assert_eq!(doors(&policy), ["[::1]:1", "127.1.2.3:2", "127.0.0.1:3", "[::1]:3"]);
        let targets = policy.doors().into_iter().map(|(_, target)| target.host.to_string());
        let targets: Vec<String> = targets.collect();
        assert_eq!(targets[2..], ["localhost", "localhost"]);
    }

    #[test]
    fn a_policy_is_read_as_it_was_written_and_refuses_unknown_keys() {
        let mut policy = ProxyPolicy::new(PathBuf::from("/record"));
        policy.allow.push("*.example.org:8443".parse().unwrap());
        policy.forward.push(Forward { host: Host::parse("[::1]").unwrap(), port: 1, to: 2 });
        policy.upstream = Some("http://me:secret@proxy.example:3128".parse().unwrap());
        let text = serde_json::to_string(&policy).unwrap();
        assert_eq!(serde_json::from_str::<ProxyPolicy>(&text).unwrap(), policy);
        assert!(serde_json::from_str::<ProxyPolicy>(r#"{"record":"/r","extra":1}"#).is_err());
        assert!(!format!("{policy:?}").contains("secret"));
    }
}
