//! The line of a workflow that opens what a command reached for.

use crate::source::quote::quoted;

/// What a workflow can open for a check.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Opening {
    /// The machine's network.
    HostNetwork,
    /// A path of the machine, absolute or below `~/`.
    Expose {
        /// The path.
        path: String,
        /// Whether a program answers behind it.
        socket: bool,
    },
    /// An ignored file of the checkout.
    Carry {
        /// The path, relative to the repository.
        path: String,
    },
}

/// Words in the names of files that hold keys, or may.
const KEYS: [&str; 19] = [
    ".env",
    ".jks",
    ".key",
    ".keystore",
    ".kube",
    ".netrc",
    ".npmrc",
    ".p12",
    ".pem",
    ".pfx",
    ".pypirc",
    ".ssh",
    "auth",
    "cert",
    "credential",
    "id_",
    "passw",
    "secret",
    "token",
];

/// Folders below which there are settings of the machine and sockets of its daemons.
const OF_THE_MACHINE: [&str; 12] = [
    "/etc/",
    "/run/",
    "/var/run/",
    "/var/lib/",
    "/var/log/",
    "/var/mail/",
    "/var/spool/",
    "/root/",
    "/proc/",
    "/home/",
    "/mnt/",
    "/media/",
];

/// The folder of a home that holds what was downloaded, and no settings.
const CACHE: &str = "~/.cache/";

impl Opening {
    /// Returns the line as it stands in a workflow.
    pub fn line(&self) -> String {
        match self {
            Self::HostNetwork => "network: host".to_owned(),
            Self::Expose { path, .. } => format!("room: {{expose: [{}]}}", plain(path)),
            Self::Carry { path } => format!("carry: [{}]", plain(path)),
        }
    }

    /// Returns what the line does, after it.
    pub(super) fn does(&self) -> &'static str {
        match self {
            Self::HostNetwork => "on the check lets it through",
            Self::Expose { .. } => "on the check shows it",
            Self::Carry { .. } => "in the workflow brings it along",
        }
    }

    /// Returns why nobody but a person should take it; none where it opens nothing that matters.
    pub fn risk(&self) -> Option<&'static str> {
        match self {
            Self::HostNetwork => {
                Some("the check then reaches everything that this machine reaches")
            }
            Self::Expose { socket: true, .. } => {
                Some("the program behind it does for a check what it does for you")
            }
            Self::Expose { path, .. } if may_hold_keys(path) => Some("it may hold keys"),
            Self::Expose { path, .. } => {
                let of_home = path.starts_with("~/") && !path.starts_with(CACHE);
                let of_machine = OF_THE_MACHINE.iter().any(|folder| path.starts_with(folder));
                (of_home || of_machine).then_some("it is a private part of this machine")
            }
            Self::Carry { path } => may_hold_keys(path).then_some("it may hold keys"),
        }
    }
}

fn may_hold_keys(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    KEYS.iter().any(|word| path.contains(word)) || path.ends_with("settings.xml")
}

/// A path without quotation marks where it needs none.
fn plain(path: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-~".contains(c);
    let needs_none = path.chars().all(is_plain) && !path.starts_with(['-', '~']);
    if needs_none || path.starts_with("~/") && path.chars().all(is_plain) {
        path.to_owned()
    } else {
        quoted(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expose(path: &str) -> Opening {
        Opening::Expose { path: path.to_owned(), socket: false }
    }

    fn carry(path: &str) -> Opening {
        Opening::Carry { path: path.to_owned() }
    }

    #[test]
    fn keys_daemons_and_the_network_are_for_a_person_to_open() {
        for asks in [
            Opening::HostNetwork,
            Opening::Expose { path: "/opt/a.sock".to_owned(), socket: true },
            expose("/etc/passwd"),
            expose("/opt/tool/server.pem"),
            expose("~/.config/gh/hosts.yml"),
            expose("~/.m2/settings.xml"),
            expose("/var/run/docker.sock"),
            carry(".env.test"),
            carry("config/secrets.yml"),
            carry("config/master.key"),
        ] {
            assert!(asks.risk().is_some(), "{asks:?}");
        }
        for safe in [
            expose("/opt/sdk"),
            expose("/srv/data/words.txt"),
            expose("~/.cache/browsers"),
            carry("local.properties"),
        ] {
            assert_eq!(safe.risk(), None, "{safe:?}");
        }
    }

    #[test]
    fn a_path_with_odd_signs_stays_one_path() {
        assert_eq!(expose("/opt/a b]").line(), "room: {expose: [\"/opt/a b]\"]}");
        assert_eq!(expose("~/.cache/x").line(), "room: {expose: [~/.cache/x]}");
    }
}
