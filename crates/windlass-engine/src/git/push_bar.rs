//! What keeps git in an attempt from pushing.
//!
//! Git rewrites every address that it pushes to by `url.<base>.pushInsteadOf`, and an empty prefix
//! fits all. The address that comes out has a protocol that is not allowed. Three things would
//! escape, each known by trial with git 2.47:
//!
//! - a `remote.<name>.pushurl` is rewritten by `insteadOf` only, so each one gets such a rule, and
//!   newer git (2.46) also takes an empty value for "forget those before";
//! - a longer prefix wins, and among equal ones the first that git reads. So each prefix that the
//!   repository has is named again, in a file that takes the place of the *system's* configuration,
//!   which git reads first;
//! - `git send-pack` rewrites nothing. It knows files, which confinement bars, and ssh, which gets
//!   a program that fails.
//!
//! This explains to an agent that it may not push. What an agent can do about it (unset variables,
//! `git -c`) it can do; the bar that holds is that it has no keys and writes in its place only.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::git_error::GitError;
use super::place::Place;
use super::private_clone::quoted;
use super::process::Git;
use super::user::{Person, UserRepository};

/// The protocol that no git has, in words that say why.
const BARRED: &str = "windlass-bars-push";

/// What of a configuration matters here.
const PATTERN: &str = r"^(remote\..*\.(url|pushurl)|url\..*\.pushinsteadof|http\..*extraheader)$";

/// An agent can make its configuration include a pipe, which would block git.
const DEADLINE: Duration = Duration::from_secs(10);

/// What a configuration says about where to push.
#[derive(Debug, Default, PartialEq, Eq)]
struct Known {
    remotes: BTreeSet<String>,
    urls: BTreeSet<String>,
    push_urls: BTreeSet<String>,
    prefixes: BTreeSet<String>,
    headers: BTreeSet<String>,
}

impl Known {
    /// Reads what `git config --null` lists: key, line feed, value.
    fn read(&mut self, listed: &[u8]) {
        for entry in listed.split(|&byte| byte == 0).filter(|entry| !entry.is_empty()) {
            let entry = String::from_utf8_lossy(entry);
            let (key, value) = entry.split_once('\n').unwrap_or((&entry, ""));
            let name = key.rsplit_once('.').map_or("", |(rest, _)| rest);
            let value = value.to_owned();
            if key.ends_with(".pushinsteadof") {
                self.prefixes.insert(value);
            } else if key.ends_with("extraheader") {
                self.headers.insert(key.to_owned());
            } else if let Some(remote) = name.strip_prefix("remote.") {
                self.remotes.insert(remote.to_owned());
                if key.ends_with(".pushurl") {
                    self.push_urls.insert(value);
                } else {
                    self.urls.insert(value);
                }
            }
        }
    }
}

impl Place {
    /// Writes the configuration that bars pushing to `file`, and returns the variables that put it
    /// in force. `system` is the machine's own configuration, which goes on to hold.
    pub fn bar_push(
        &self,
        file: &Path,
        system: Option<&Path>,
        person: &Person,
    ) -> std::io::Result<Vec<(String, String)>> {
        let mut known = Known::default();
        let own =
            [self.record.common_dir.join("config"), self.record.git_dir.join("config.worktree")];
        for config in own.iter().map(PathBuf::as_path).chain(system) {
            // A configuration that git cannot read stops the agent's git as well.
            if let Ok(listed) = list(&self.run_dir.path(""), config) {
                known.read(&listed);
            }
        }
        fs_err::write(file, rules(&known, system))?;
        Ok(variables(&known, file, person))
    }
}

impl UserRepository {
    /// Returns the remotes that are folders of this machine, outside the checkout: whoever can
    /// write there can push.
    pub fn local_remotes(&self) -> Vec<PathBuf> {
        let known = self.known();
        let urls = known.urls.iter().chain(&known.push_urls);
        let paths = urls.map(|url| url.strip_prefix("file://").unwrap_or(url));
        let paths = paths.filter(|path| path.starts_with('/') || path.starts_with('.'));
        let paths = paths.filter_map(|path| self.top_level.join(path).canonicalize().ok());
        // One around or inside the checkout would take the checkout itself away from a run in it.
        let top = &self.top_level;
        paths.filter(|path| !top.starts_with(path) && !path.starts_with(top)).collect()
    }

    /// Says whether an address or a header in the repository's own configuration holds a key.
    pub fn has_key_in_settings(&self) -> bool {
        let known = self.known();
        let mut urls = known.urls.iter().chain(&known.push_urls);
        !known.headers.is_empty() || urls.any(|url| holds_password(url))
    }

    fn known(&self) -> Known {
        let mut known = Known::default();
        if let Ok(listed) = list(&self.common_dir, &self.common_dir.join("config")) {
            known.read(&listed);
        }
        known
    }
}

/// Says whether an address is like `https://name:password@host` or `https://token@host`; a name
/// alone is normal for ssh.
fn holds_password(url: &str) -> bool {
    let Some((protocol, rest)) = url.split_once("://") else { return false };
    let host = rest.split('/').next().unwrap_or_default();
    let Some((who, _)) = host.rsplit_once('@') else { return false };
    who.contains(':') || protocol.starts_with("http")
}

/// Lists the settings of a configuration file that decide about a push.
///
/// It is asked before every attempt, so what git said of the very same text is remembered. A text
/// that includes others says nothing about those, and is read anew.
fn list(git_dir: &Path, config: &Path) -> Result<Vec<u8>, GitError> {
    if !config.is_file() {
        return Ok(Vec::new());
    }
    let text = text_without_includes(config);
    if let Some(text) = &text
        && let Some(known) = remembered().get(text)
    {
        return Ok(known.clone());
    }
    let listed = ask(git_dir, config)?;
    if let Some(text) = text {
        let mut remembered = remembered();
        if remembered.len() >= MOST_REMEMBERED {
            remembered.clear();
        }
        remembered.insert(text, listed.clone());
    }
    Ok(listed)
}

/// How many configurations are remembered; a run has three.
const MOST_REMEMBERED: usize = 64;

/// No configuration that people write is larger.
const LARGEST_REMEMBERED: u64 = 64 << 10;

fn remembered() -> MutexGuard<'static, BTreeMap<Vec<u8>, Vec<u8>>> {
    static SAID: Mutex<BTreeMap<Vec<u8>, Vec<u8>>> = Mutex::new(BTreeMap::new());
    SAID.lock().unwrap_or_else(PoisonError::into_inner)
}

fn text_without_includes(config: &Path) -> Option<Vec<u8>> {
    let file = fs_err::File::open(config).ok()?;
    let mut text = Vec::new();
    file.take(LARGEST_REMEMBERED + 1).read_to_end(&mut text).ok()?;
    let whole = text.len() as u64 <= LARGEST_REMEMBERED;
    let includes = text.windows(7).any(|word| word.eq_ignore_ascii_case(b"include"));
    (whole && !includes).then_some(text)
}

fn ask(git_dir: &Path, config: &Path) -> Result<Vec<u8>, GitError> {
    let listed = Git::at(git_dir)
        .deadline(DEADLINE)
        .args(["config", "--null", "--includes", "--file"])
        .arg(config)
        .args(["--get-regexp", PATTERN])
        .run_to_end()?;
    // 1 says that nothing fits.
    if listed.code <= 1 { Ok(listed.stdout) } else { Err(listed.into_error()) }
}

fn rules(known: &Known, system: Option<&Path>) -> String {
    let mut text = format!("[protocol \"{BARRED}\"]\n\tallow = never\n[url \"{BARRED}://\"]\n");
    text.push_str("\tpushInsteadOf = \"\"\n");
    for prefix in &known.prefixes {
        let _ = writeln!(text, "\tpushInsteadOf = {}", quoted(prefix));
    }
    for url in known.push_urls.iter().filter(|url| !url.is_empty()) {
        let _ = writeln!(text, "\tinsteadOf = {}", quoted(url));
    }
    if let Some(system) = system {
        let _ = writeln!(text, "[include]\n\tpath = {}", quoted(&system.to_string_lossy()));
    }
    text
}

fn variables(known: &Known, file: &Path, person: &Person) -> Vec<(String, String)> {
    let mut settings: Vec<(String, String)> = vec![
        ("credential.helper".to_owned(), String::new()),
        ("core.askPass".to_owned(), String::new()),
        ("http.extraHeader".to_owned(), String::new()),
    ];
    settings.extend(known.headers.iter().map(|key| (key.clone(), String::new())));
    for remote in &known.remotes {
        let key = format!("remote.{remote}.pushurl");
        settings.push((key.clone(), String::new()));
        settings.push((key, format!("{BARRED}://{remote}/")));
    }
    let mut env: Vec<(String, String)> = Vec::new();
    let mut set = |name: &str, value: &str| env.push((name.to_owned(), value.to_owned()));
    set("GIT_CONFIG_SYSTEM", &file.to_string_lossy());
    set("GIT_TERMINAL_PROMPT", "0");
    set("GIT_ASKPASS", "false");
    set("SSH_ASKPASS", "false");
    set("SSH_ASKPASS_REQUIRE", "force");
    set("GIT_SSH_COMMAND", "false");
    for who in ["AUTHOR", "COMMITTER"] {
        set(&format!("GIT_{who}_NAME"), &person.name);
        set(&format!("GIT_{who}_EMAIL"), &person.email);
    }
    set("GIT_CONFIG_COUNT", &settings.len().to_string());
    for (index, (key, value)) in settings.iter().enumerate() {
        set(&format!("GIT_CONFIG_KEY_{index}"), key);
        set(&format!("GIT_CONFIG_VALUE_{index}"), value);
    }
    env
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_in_an_address_is_seen() {
        for url in ["https://me:pw@host/x", "https://token@host/x", "ssh://me:pw@host/x"] {
            assert!(holds_password(url), "{url}");
        }
        for url in ["https://host/x@y", "ssh://git@host/x", "git@host:x", "/srv/a@b"] {
            assert!(!holds_password(url), "{url}");
        }
    }

    #[test]
    fn every_way_that_a_configuration_names_to_push_gets_a_rule() {
        let mut known = Known::default();
        known.read(
            b"remote.up.stream.url\nhttps://a/b\0remote.up.stream.pushurl\n/srv/\"x\"\0\
              url.ssh://me@a/.pushinsteadof\nhttps://a/\0http.https://a/.extraheader\nsecret\0",
        );
        let text = rules(&known, Some(Path::new("/etc/gitconfig")));
        let expected = [
            "[protocol \"windlass-bars-push\"]",
            "\tallow = never",
            "[url \"windlass-bars-push://\"]",
            "\tpushInsteadOf = \"\"",
            "\tpushInsteadOf = \"https://a/\"",
            "\tinsteadOf = \"/srv/\\\"x\\\"\"",
            "[include]",
            "\tpath = \"/etc/gitconfig\"",
        ];
        assert_eq!(text.lines().collect::<Vec<_>>(), expected);
        let person = Person::default();
        let env = variables(&known, Path::new("/f"), &person);
        let pairs = |key: &str| {
            let keys = env.iter().filter(|(_, value)| value == key);
            let names = keys.map(|(name, _)| name.replace("KEY", "VALUE"));
            let value = |name: String| env.iter().find(|(n, _)| *n == name).unwrap().1.clone();
            names.map(value).collect::<Vec<_>>()
        };
        assert_eq!(pairs("remote.up.stream.pushurl"), ["", "windlass-bars-push://up.stream/"]);
        assert_eq!(pairs("http.https://a/.extraheader"), [""]);
    }
}
