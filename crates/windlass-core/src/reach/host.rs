//! Hosts that a proxy lets through.

use std::fmt;

/// The longest name of a host, and the longest part of one between dots.
const LONGEST_NAME: usize = 253;
const LONGEST_LABEL: usize = 63;

/// Names that are allowed, as `HOST`, `HOST:PORT`, `*.DOMAIN` or `*.DOMAIN:PORT`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HostRule {
    /// The name in lower case; without the `*.` where all below it are meant.
    pub name: String,
    /// Whether every name below it is meant, and not the name itself.
    pub below: bool,
    /// The port; without one the usual port of the protocol.
    pub port: Option<u16>,
}

/// Why a text names no host.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadHost {
    /// It is an address with more in it than a host, such as a URL.
    #[error("this is more than a host")]
    Address {
        /// The host in it.
        host: Option<String>,
    },
    /// The `*` stands for too much, or stands elsewhere than in front.
    #[error("`*` stands only in front of a domain")]
    Star,
    /// It is no port.
    #[error("a port is a number from 1 to 65535")]
    Port,
    /// It is not the name of a host.
    #[error("this is not the name of a host")]
    Name,
}

impl BadHost {
    /// Returns what to write instead.
    pub fn help(&self) -> String {
        match self {
            Self::Address { host: Some(host) } => format!("write the host alone: `{host}`"),
            Self::Star => "name the domain, such as `*.example.org`".to_owned(),
            Self::Address { host: None } | Self::Port | Self::Name => {
                "write `HOST` or `HOST:PORT`, such as `packages.example.org:8443`".to_owned()
            }
        }
    }
}

impl HostRule {
    /// Reads a rule.
    ///
    /// # Errors
    /// It names no host, or too many.
    pub fn parse(written: &str) -> Result<Self, BadHost> {
        if written.contains(['/', '@', '?', '#']) {
            return Err(BadHost::Address { host: host_of(written) });
        }
        let (name, port) = match written.split_once(':') {
            Some((name, port)) => (name, Some(parse_port(port)?)),
            None => (written, None),
        };
        let (name, below) = match name.strip_prefix("*.") {
            Some(domain) => (domain, true),
            None => (name, false),
        };
        // `*.org` is half of the world.
        if name.contains('*') || (below && !name.contains('.')) {
            return Err(BadHost::Star);
        }
        if name.len() > LONGEST_NAME || !name.split('.').all(is_label) {
            return Err(BadHost::Name);
        }
        Ok(Self { name: name.to_ascii_lowercase(), below, port })
    }

    /// Returns whether the rule is about this name, in whatever case; a dot at its end says nothing.
    pub fn names(&self, host: &str) -> bool {
        let host = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
        match host.strip_suffix(self.name.as_str()) {
            Some("") => !self.below,
            Some(before) => self.below && before.ends_with('.') && before.len() > 1,
            None => false,
        }
    }
}

impl fmt::Display for HostRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let star = if self.below { "*." } else { "" };
        write!(f, "{star}{}", self.name)?;
        match self.port {
            Some(port) => write!(f, ":{port}"),
            None => Ok(()),
        }
    }
}

fn parse_port(text: &str) -> Result<u16, BadHost> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match text.parse() {
        Ok(port) if digits && port > 0 => Ok(port),
        Ok(_) | Err(_) => Err(BadHost::Port),
    }
}

fn is_label(label: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '-';
    !label.is_empty()
        && label.len() <= LONGEST_LABEL
        && label.chars().all(fits)
        && !label.starts_with('-')
        && !label.ends_with('-')
}

/// Returns the host of what looks like a URL.
fn host_of(address: &str) -> Option<String> {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    HostRule::parse(host).ok().map(|rule| rule.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_ports_and_domains_are_read() {
        for (written, shown) in [
            ("example.org", "example.org"),
            ("Packages.Example.ORG:8443", "packages.example.org:8443"),
            ("*.example.org", "*.example.org"),
            ("localhost:5432", "localhost:5432"),
            ("192.0.2.7", "192.0.2.7"),
        ] {
            assert_eq!(HostRule::parse(written).unwrap().to_string(), shown);
        }
    }

    #[test]
    fn what_names_no_host_or_too_many_is_refused_with_what_to_write() {
        let help = |written: &str| HostRule::parse(written).unwrap_err().help();
        assert_eq!(help("https://example.org/a"), "write the host alone: `example.org`");
        assert_eq!(help("http://me:x@example.org:80"), "write the host alone: `example.org:80`");
        assert_eq!(HostRule::parse("/"), Err(BadHost::Address { host: None }));
        for star in ["*", "*.org", "a.*.org", "*example.org", "*.*.example.org"] {
            assert_eq!(HostRule::parse(star), Err(BadHost::Star), "{star}");
        }
        for port in ["a.b:", "a.b:0", "a.b:70000", "a.b:+1", "a.b:1:2"] {
            assert_eq!(HostRule::parse(port), Err(BadHost::Port), "{port}");
        }
        for name in ["", "a..b", ".a", "a.", "-a.b", "a-.b", "a b", "ä.org"] {
            assert_eq!(HostRule::parse(name), Err(BadHost::Name), "{name}");
        }
        assert_eq!(HostRule::parse(&"a".repeat(64)), Err(BadHost::Name));
    }

    #[test]
    fn a_star_is_about_names_below_and_a_name_about_itself() {
        let (one, below) =
            (HostRule::parse("example.org").unwrap(), HostRule::parse("*.example.org").unwrap());
        assert!(one.names("Example.org") && one.names("example.org."));
        assert!(!one.names("a.example.org") && !one.names("badexample.org"));
        assert!(below.names("a.example.org") && below.names("b.a.example.org"));
        assert!(!below.names("example.org") && !below.names("badexample.org"));
        assert!(!below.names(".example.org"));
    }
}
