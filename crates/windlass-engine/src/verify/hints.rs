//! What a failing command reached for outside its room, as far as it is really there.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::os::unix::fs::FileTypeExt as _;
use std::path::Path;
use std::time::Duration;

use windlass_core::hint::{Hint, reach};
use windlass_core::reach::check_exposed;

use super::base_run::MAX_SEARCHED;
use super::verifier::Verifier;
use crate::exposed::Exposed;

/// How many hints one command gets.
const MAX_HINTS: usize = 6;

/// How long a port of this machine may take to answer.
const ANSWERS_WITHIN: Duration = Duration::from_millis(300);

/// Returns what the output of a failing command speaks of that its room does not have.
pub(super) fn hints_of(output: &[u8], verifier: &Verifier) -> Vec<Hint> {
    let around = Around {
        exposed: verifier.rooms.exposed(),
        root: &verifier.rooms.root,
        is_ignored: &|path| verifier.ignored.is_ignored(path),
        listens: &listens,
    };
    around.hints(output)
}

/// What decides whether something that is spoken of is there, and out of sight.
struct Around<'a> {
    exposed: &'a Exposed,
    root: &'a Path,
    is_ignored: &'a dyn Fn(&str) -> bool,
    listens: &'a dyn Fn(u16) -> bool,
}

impl Around<'_> {
    fn hints(&self, output: &[u8]) -> Vec<Hint> {
        let text = String::from_utf8_lossy(&output[output.len().saturating_sub(MAX_SEARCHED)..]);
        let reached = reach(&text);
        let mut hints = BTreeSet::new();
        for port in reached.ports {
            hints.insert(Hint::Service { port, listens: (self.listens)(port) });
        }
        if let Some(name) = reached.host {
            hints.insert(Hint::Host { name });
        }
        let paths = reached.paths.iter();
        hints.extend(paths.filter_map(|path| self.path(Path::new(path))));
        let missing = reached.missing.iter();
        hints.extend(missing.filter_map(|path| self.ignored(Path::new(path))));
        hints.into_iter().take(MAX_HINTS).collect()
    }

    /// A path of the machine: in the checkout it may be a file that git ignores.
    fn path(&self, path: &Path) -> Option<Hint> {
        if let Ok(inside) = path.strip_prefix(self.root) {
            return self.ignored(inside);
        }
        let metadata = path.metadata().ok()?;
        if self.exposed.covers(path) {
            return None;
        }
        let home = self.exposed.home();
        // Everything is below an empty path: without a home nothing is in it.
        let has_home = !home.as_os_str().is_empty();
        let written = match path.strip_prefix(home) {
            Ok(below) if below.as_os_str().is_empty() => return None,
            Ok(below) if has_home => format!("~/{}", below.to_str()?),
            Ok(_) | Err(_) => path.to_str()?.to_owned(),
        };
        // Otherwise the workflow could not be read any more: a path with `..`, say.
        check_exposed(&written).ok()?;
        // What holds the whole home or the checkout is never what was meant.
        if home.starts_with(path) || self.root.starts_with(path) {
            return None;
        }
        Some(Hint::File { path: written, socket: metadata.file_type().is_socket() })
    }

    /// A file of the checkout that no clone has. Folders come by copy or by `prepare`.
    fn ignored(&self, path: &Path) -> Option<Hint> {
        let written = path.to_str()?;
        // Where any other name would be ignored as well, the folder is, and a room has a copy of it.
        let beside = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let beside =
            beside.and_then(|parent| parent.join("any-other-name").to_str().map(str::to_owned));
        if beside.is_some_and(|other| (self.is_ignored)(&other)) {
            return None;
        }
        let is_plain =
            path.components().all(|part| matches!(part, std::path::Component::Normal(_)));
        let is_file = || {
            let metadata = self.root.join(path).symlink_metadata();
            metadata.is_ok_and(|metadata| metadata.is_file())
        };
        (is_plain && is_file() && (self.is_ignored)(written))
            .then(|| Hint::Ignored { path: written.to_owned() })
    }
}

/// Says whether a program of this machine answers on a port of loopback.
fn listens(port: u16) -> bool {
    let addresses: [SocketAddr; 2] =
        [(Ipv4Addr::LOCALHOST, port).into(), (Ipv6Addr::LOCALHOST, port).into()];
    addresses.iter().any(|address| TcpStream::connect_timeout(address, ANSWERS_WITHIN).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_and_out_of_sight_is_told_as_data() {
        let dir = tempfile::Builder::new().tempdir_in("/var/tmp").unwrap();
        let root = dir.path().join("checkout");
        fs_err::create_dir_all(root.join("config")).unwrap();
        for file in ["checkout/config/local.yml", "checkout/config/seen.yml", "words.txt"] {
            fs_err::write(dir.path().join(file), "x").unwrap();
        }
        let exposed = Exposed::default();
        let around = Around {
            exposed: &exposed,
            root: &root,
            is_ignored: &|path| path == "config/local.yml",
            listens: &|port| port == 5432,
        };
        let words = dir.path().join("words.txt").to_string_lossy().into_owned();
        let hints = |said: &str| around.hints(said.as_bytes());
        assert_eq!(
            hints("connect ECONNREFUSED 127.0.0.1:5432"),
            [Hint::Service { port: 5432, listens: true }]
        );
        assert_eq!(
            hints("connect ECONNREFUSED 127.0.0.1:5433"),
            [Hint::Service { port: 5433, listens: false }]
        );
        let file = Hint::File { path: words.clone(), socket: false };
        assert_eq!(hints(&format!("cannot open {words}")), [file]);
        assert_eq!(
            hints("cat: config/local.yml: No such file\ncat: config/seen.yml: No such file"),
            [Hint::Ignored { path: "config/local.yml".to_owned() }]
        );
        let inside = root.join("config/local.yml").to_string_lossy().into_owned();
        assert_eq!(
            hints(&format!("cannot open {inside}")),
            [Hint::Ignored { path: "config/local.yml".to_owned() }]
        );
        assert!(hints(&format!("cannot open {}", root.display())).is_empty());
        assert!(hints("ModuleNotFoundError: x").is_empty());
    }

    #[test]
    fn a_port_that_is_listened_on_is_told_from_one_that_is_not() {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        assert!(listens(port));
        drop(listener);
        assert!(!listens(port));
    }
}
