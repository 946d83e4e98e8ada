//! What git and gh said, made fit for people, and read for why they failed.

use windlass_core::view::{Lines, printable};

/// How much of a message is kept: a refusal of a forge with its list of rules fits.
const MAX_SAID_BYTES: usize = 4 * 1024;

/// Returns a message bounded, without control characters, and without credentials in addresses.
pub(super) fn kept(text: &str) -> String {
    let text = without_credentials(&printable(&text.trim().replace('\r', ""), Lines::Many));
    match text.char_indices().find(|(at, _)| *at >= MAX_SAID_BYTES) {
        Some((at, _)) => format!("{} …", &text[..at]),
        None => text,
    }
}

/// Takes `user:password@` out of every address in a text.
pub(super) fn without_credentials(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        clean.push_str(before);
        let end = after
            .find(|c: char| c == '/' || c.is_whitespace() || "'\"<>?#".contains(c))
            .unwrap_or(after.len());
        rest = match after[..end].rfind('@') {
            Some(sign) => &after[sign + 1..],
            None => after,
        };
    }
    clean.push_str(rest);
    clean
}

/// Why a program that speaks to a forge failed, as far as its words tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    Credentials,
    Network,
    Repository,
    Other,
}

/// Reads the words of git, ssh, curl and gh. They speak English here: `LC_ALL` is `C`.
pub(super) fn cause(said: &str) -> Cause {
    let said = said.to_ascii_lowercase();
    let any = |words: &[&str]| words.iter().any(|word| said.contains(word));
    if any(&[
        "authentication failed",
        "permission denied",
        "could not read username",
        "could not read password",
        "terminal prompts disabled",
        "invalid username or",
        "bad credentials",
        "host key verification failed",
        "error: 401",
        "error: 403",
        "http 401",
        "gh auth login",
        "access denied",
    ]) {
        Cause::Credentials
    } else if any(&[
        "could not resolve host",
        "connection refused",
        "connection timed out",
        "connection reset",
        "network is unreachable",
        "no route to host",
        "operation timed out",
        "temporary failure in name resolution",
        "failed to connect",
        "couldn't connect",
        "error connecting to",
        "check your internet connection",
        "no such host",
        "i/o timeout",
        "dial tcp",
        "tls handshake",
        "the requested url returned error: 5",
    ]) {
        Cause::Network
    } else if any(&[
        "repository not found",
        "does not appear to be a git repository",
        "not a git repository",
        "could not resolve to a repository",
        "none of the git remotes configured",
        "no git remotes found",
        "error: 404",
    ]) {
        Cause::Repository
    } else {
        Cause::Other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_taken_out_of_every_address() {
        let text = "fatal: unable to access 'https://ada:s3cret@example.org/a/b.git/': no \
                    (see https://tok@x.org and ssh://git@host:22/a@b)";
        let clean = without_credentials(text);
        assert!(!clean.contains("s3cret") && !clean.contains("tok@"), "{clean}");
        assert!(clean.contains("https://example.org/a/b.git/"), "{clean}");
        assert!(clean.contains("ssh://host:22/a@b"), "{clean}");
    }

    #[test]
    fn a_long_message_is_cut_and_cleaned() {
        let said = kept(&format!("\u{1b}[31mno\u{202e} {}", "ä".repeat(10_000)));
        assert!(said.len() < MAX_SAID_BYTES + 10 && said.ends_with('…'), "{}", said.len());
        assert!(!said.contains('\u{1b}') && !said.contains('\u{202e}'));
    }
}
