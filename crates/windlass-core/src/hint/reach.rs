//! What an output says about things outside.

use std::sync::LazyLock;

use regex::Regex;

/// How many names of files in an output are followed.
const MAX_FILES: usize = 200;

/// How many services are told about.
const MAX_PORTS: usize = 3;

/// What an output speaks of; whether it is there is for the edge to see.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reached {
    /// Ports on loopback that refused.
    pub ports: Vec<u16>,
    /// Whether a name could not be resolved, and which.
    pub host: Option<Option<String>>,
    /// Absolute paths.
    pub paths: Vec<String>,
    /// Relative paths in lines that speak of something missing.
    pub missing: Vec<String>,
}

fn regex(pattern: &str) -> Option<Regex> {
    Regex::new(pattern).ok()
}

static REFUSED: LazyLock<Option<Regex>> =
    LazyLock::new(|| regex(r"(?i)refused|could not connect|failed to connect|can't connect"));

static ADDRESS: LazyLock<Option<Regex>> =
    LazyLock::new(|| regex(r#"(?:127\.0\.0\.1|localhost|::1)[\])"':\s,]+(?:port )?(\d{2,5})\b"#));

static LOOKUP: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(
        r"(?i:could not resolve host|name or service not known|temporary failure in name resolution|nodename nor servname|failed to lookup address|no such host|unknown host|network is unreachable|could not reach host|are offline|failed to fetch https?:|could not transfer artifact|failed_connect)|nxdomain|UnknownHostException|\bEAI_AGAIN\b|\bENOTFOUND\b|getaddrinfo",
    )
});

static HOST: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(
        r#"(?i)(?:resolve host(?:name)?:?|getaddrinfo (?:EAI_AGAIN|ENOTFOUND)|UnknownHostException:?|unknown host:?|lookup|resolve)\s+['"`(]*([a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,})"#,
    )
});

static PATH: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(r#"(/(?:home|root|opt|srv|data|mnt|var|run|usr/local)/[^\s'"`:,;()<>\[\]]+)"#)
});

static MISSING: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(
        r"(?i)no such file|not found|ENOENT|cannot open|can't open|does not exist|FileNotFound|NoSuchFile|missing|could not (?:read|open|load|find)|cannot find|unable to (?:read|open|load|find)",
    )
});

static NAME: LazyLock<Option<Regex>> =
    LazyLock::new(|| regex(r"(?:[A-Za-z0-9_.@+-]+/)*[A-Za-z0-9_.@+-]*[A-Za-z0-9_]"));

/// Reads what a failing command says about things that its room does not have.
pub fn reach(output: &str) -> Reached {
    let mut reached = Reached::default();
    if let (Some(refused), Some(address)) = (&*REFUSED, &*ADDRESS)
        && refused.is_match(output)
    {
        let ports = address.captures_iter(output).filter_map(|found| found[1].parse().ok());
        push_new(&mut reached.ports, ports, MAX_PORTS);
    }
    if lacks_network(output) {
        let host = HOST.as_ref().and_then(|host| host.captures(output));
        reached.host = Some(host.map(|found| found[1].trim_end_matches('.').to_owned()));
    }
    if let Some(path) = &*PATH {
        let lines = output.lines().filter(|line| !is_stack_frame(line));
        let paths = lines.flat_map(|line| {
            let found = path.captures_iter(line).filter_map(|found| found.get(1));
            found.filter(|found| !names_a_line(&line[found.end()..]))
        });
        let paths = paths.map(|found| found.as_str().trim_end_matches(['.', '/']).to_owned());
        push_new(&mut reached.paths, paths, MAX_FILES);
    }
    if let (Some(missing), Some(name)) = (&*MISSING, &*NAME) {
        let lines = output.lines().filter(|line| missing.is_match(line));
        let names = lines.flat_map(|line| name.find_iter(line));
        let names = names.map(|found| found.as_str().trim_start_matches("./"));
        // A word of a sentence is rarely the name of a file.
        let names = names.filter(|name| name.contains(['.', '/'])).map(str::to_owned);
        push_new(&mut reached.missing, names, MAX_FILES);
    }
    reached
}

/// Says whether an output speaks of a network that is not there.
pub fn lacks_network(output: &str) -> bool {
    LOOKUP.as_ref().is_some_and(|lookup| lookup.is_match(output))
}

/// A stack frame names code that ran, and so is there.
fn is_stack_frame(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("at ") || line.starts_with("File \"") || line.starts_with("from /")
}

/// So does a path with a number of a line behind it.
fn names_a_line(rest: &str) -> bool {
    rest.strip_prefix(':').is_some_and(|rest| rest.starts_with(|sign: char| sign.is_ascii_digit()))
}

fn push_new<T: PartialEq>(into: &mut Vec<T>, found: impl Iterator<Item = T>, most: usize) {
    for one in found {
        if into.len() == most {
            return;
        }
        if !into.contains(&one) {
            into.push(one);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refused_services_are_found_by_their_port() {
        for said in [
            "psql: error: connection to server at \"localhost\" (127.0.0.1), port 5432 failed: \
             Connection refused",
            "Error: connect ECONNREFUSED 127.0.0.1:5432",
            "dial tcp [::1]:5432: connect: connection refused",
        ] {
            assert_eq!(reach(said).ports, [5432], "{said}");
        }
        assert!(reach("listening on 127.0.0.1:5432").ports.is_empty());
        assert!(reach("assertion failed: 1 == 2") == Reached::default());
    }

    #[test]
    fn a_missing_network_is_told_with_the_name_of_the_host() {
        for (said, host) in [
            ("curl: (6) Could not resolve host: repo.example.org", Some("repo.example.org")),
            ("npm error getaddrinfo EAI_AGAIN registry.example.org", Some("registry.example.org")),
            (
                "java.net.UnknownHostException: repo.example.org: Name or service not known",
                Some("repo.example.org"),
            ),
            ("dial tcp: lookup proxy.example.org: no such host", Some("proxy.example.org")),
            ("Temporary failure in name resolution", None),
            ("Could not reach host index.example.org. Check your network connection", None),
            ("{:failed_connect, [{:to_address, {'repo.example.org', 443}}, :nxdomain]}", None),
            ("wget: Failed to fetch https://repo.example.org/a.zip", None),
            ("[ERROR] Could not transfer artifact a:b:pom:1 from/to central", None),
        ] {
            assert_eq!(reach(said).host, Some(host.map(str::to_owned)), "{said}");
        }
        assert_eq!(reach("ModuleNotFoundError: x").host, None);
    }

    #[test]
    fn missing_files_are_found_by_their_names() {
        let said = "Error: ENOENT: no such file or directory, open '.env.test'\n\
                    all fine in src/a.js\n\
                    cat: ./config/local.yml: No such file or directory\n";
        let missing = reach(said).missing;
        assert!(missing.contains(&".env.test".to_owned()), "{missing:?}");
        assert!(missing.contains(&"config/local.yml".to_owned()), "{missing:?}");
        assert!(!missing.contains(&"src/a.js".to_owned()), "{missing:?}");
        let paths = reach("cannot open '/opt/data/words.txt'.").paths;
        assert_eq!(paths, ["/opt/data/words.txt"]);
    }
}
