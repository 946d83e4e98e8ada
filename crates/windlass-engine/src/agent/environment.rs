//! What agents and checks find in their environment.
//!
//! An attempt gets what is listed here, and what the user names: a variable that nobody thought of
//! stays with the user. A check runs the user's own commands, which may need any variable, so a
//! check gets all but keys of forges and what bends git, shells or the loader.

use std::path::{Component, Path};

use windlass_core::config::{PassEnv, is_never_passed, looks_like_key};

/// Variables that attempts get, in order.
///
/// Those that name folders which tools *write* are left out (`CARGO_HOME`, `GOPATH`, `GOCACHE`,
/// `GRADLE_USER_HOME`, `npm_config_cache`, …): an attempt cannot write the user's, some hold keys
/// beside the cache, and each tool finds its folder below the attempt's own home. `NODE_OPTIONS` is
/// left out because editors put loaders of their own into it.
const LISTED: &[&str] = &[
    "ANDROID_HOME",
    "ANDROID_SDK_ROOT",
    "AR",
    "ASDF_DATA_DIR",
    "ASDF_DIR",
    "CC",
    "CFLAGS",
    "CI",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "CMAKE_PREFIX_PATH",
    "COLORTERM",
    "CONDA_DEFAULT_ENV",
    "CONDA_PREFIX",
    "CPATH",
    "CURL_CA_BUNDLE",
    "CXX",
    "CXXFLAGS",
    "DOTNET_ROOT",
    "FORCE_COLOR",
    "GOFLAGS",
    "GONOPROXY",
    "GONOSUMDB",
    "GOPRIVATE",
    "GOPROXY",
    "GOROOT",
    "GOSUMDB",
    "GOTOOLCHAIN",
    "GRADLE_HOME",
    "JAVA_HOME",
    "LANG",
    "LANGUAGE",
    "LDFLAGS",
    "LD_LIBRARY_PATH",
    "LD_RUN_PATH",
    "LIBRARY_PATH",
    "LOGNAME",
    "M2_HOME",
    "MAKEFLAGS",
    "MAVEN_ARGS",
    "MAVEN_HOME",
    "MAVEN_OPTS",
    "MISE_DATA_DIR",
    "NIX_PATH",
    "NIX_PROFILES",
    "NODE_ENV",
    "NODE_EXTRA_CA_CERTS",
    "NO_COLOR",
    "NVM_BIN",
    "NVM_DIR",
    "PATH",
    "PKG_CONFIG_PATH",
    "PYENV_ROOT",
    "RBENV_ROOT",
    "REQUESTS_CA_BUNDLE",
    "RUSTC",
    "RUSTDOCFLAGS",
    "RUSTFLAGS",
    "RUSTUP_DIST_SERVER",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "RUSTUP_UPDATE_ROOT",
    "RUST_BACKTRACE",
    "RUST_LOG",
    "SDKMAN_DIR",
    "SHELL",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "TERM",
    "TZ",
    "TZDIR",
    "USER",
    "VIRTUAL_ENV",
    "VOLTA_HOME",
];

/// The same, by how they begin.
const LISTED_BEGINNINGS: &[&str] =
    &["CARGO_", "DOTNET_", "LC_", "NIX_SSL_", "PIP_", "PYTHON", "UV_", "npm_config_"];

/// Folders that tools write, among the variables that begin like listed ones.
const WRITTEN_BY_TOOLS: &[&str] = &[
    "CARGO_HOME",
    "CARGO_INSTALL_ROOT",
    "CARGO_TARGET_DIR",
    "CARGO_BUILD_TARGET_DIR",
    "DOTNET_CLI_HOME",
    "PIP_CACHE_DIR",
    "PIP_CONFIG_FILE",
    "PYTHONUSERBASE",
    "UV_CACHE_DIR",
    "UV_CONFIG_FILE",
    "npm_config_cache",
    "npm_config_globalconfig",
    "npm_config_prefix",
    "npm_config_userconfig",
];

/// Where to reach the network. A password in one stays with the user.
const PROXIES: &[&str] = &[
    "ALL_PROXY",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NO_PROXY",
    "all_proxy",
    "http_proxy",
    "https_proxy",
    "no_proxy",
];

/// Returns what an attempt gets of the user's environment.
pub fn agent_environment(user: &[(String, String)], passed: &[PassEnv]) -> Vec<(String, String)> {
    let gets = |name: &str, value: &str| {
        is_listed(name, value) || passed.iter().any(|pass| pass.lets(name))
    };
    user.iter().filter(|(name, value)| gets(name, value)).cloned().collect()
}

/// Takes user names and passwords out of the addresses of proxies, unless the user lets the variable
/// through by its own name; returns the variables that lost one.
pub fn without_proxy_passwords(env: &mut [(String, String)], passed: &[PassEnv]) -> Vec<String> {
    let mut lost = Vec::new();
    for (name, value) in env {
        let wished =
            passed.iter().any(|pass| matches!(pass, PassEnv::Name(other) if other == name));
        if !PROXIES.contains(&name.as_str()) || wished {
            continue;
        }
        let start = value.find("://").map_or(0, |at| at + 3);
        // A password may hold any sign: what counts as the host is behind the last `@`.
        if let Some(at) = value.rfind('@').filter(|at| *at >= start) {
            value.replace_range(start..=at, "");
            lost.push(name.clone());
        }
    }
    lost
}

/// Returns what a check gets of the user's environment.
///
/// `PATH` loses every entry that is relative or lies in the place, because an agent can put a
/// program of any name there.
pub fn check_environment(user: &[(String, String)], place: &Path) -> Vec<(String, String)> {
    let kept = user.iter().filter(|(name, _)| !is_withheld_from_checks(name));
    let mut env: Vec<_> = kept.cloned().collect();
    for (name, value) in &mut env {
        if name == "PATH" {
            *value = judged_path(value, place);
        }
    }
    env
}

fn is_listed(name: &str, value: &str) -> bool {
    if PROXIES.contains(&name) {
        return true;
    }
    let listed =
        LISTED.contains(&name) || LISTED_BEGINNINGS.iter().any(|start| name.starts_with(start));
    listed
        && !WRITTEN_BY_TOOLS.contains(&name)
        && !is_never_passed(name)
        && !looks_like_key(name)
        && !holds_address_with_password(value)
}

/// Says whether a value holds something like `https://name:password@host`.
fn holds_address_with_password(value: &str) -> bool {
    value.split("://").skip(1).any(|rest| {
        let end = rest.find(['/', ' ', ',', '|', '?']).unwrap_or(rest.len());
        rest[..end].contains('@')
    })
}

/// Checks have a home at the same path, with what tools keep in the user's; keys of forges they need
/// not.
fn is_withheld_from_checks(name: &str) -> bool {
    // Sockets and terminals of the user, and folders that a room does not have.
    const OF_THE_SESSION: &[&str] = &[
        "COLORTERM_BCE",
        "DISPLAY",
        "DOCKER_HOST",
        "INVOCATION_ID",
        "JOURNAL_STREAM",
        "LISTEN_FDS",
        "LISTEN_PID",
        "NOTIFY_SOCKET",
        "OLDPWD",
        "PWD",
        "SHLVL",
        "SSH_CLIENT",
        "SSH_CONNECTION",
        "SSH_TTY",
        "STY",
        "TERM_SESSION_ID",
        "TMUX",
        "TMUX_PANE",
        "WAYLAND_DISPLAY",
        "WINDOWID",
        "XAUTHORITY",
        "_",
    ];
    (is_never_passed(name) && name != "HOME") || OF_THE_SESSION.contains(&name)
}

fn judged_path(path: &str, place: &Path) -> String {
    let kept = path.split(':').filter(|entry| {
        let entry = Path::new(entry);
        entry.is_absolute()
            && !entry.components().any(|part| part == Component::ParentDir)
            && !crate::home::canonical(entry).starts_with(place)
    });
    kept.collect::<Vec<_>>().join(":")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn an_attempt_gets_what_builds_need_and_nothing_else() {
        let needed = env(&[
            ("PATH", "/bin"),
            ("LANG", "C"),
            ("LC_TIME", "C"),
            ("JAVA_HOME", "/java"),
            ("CARGO_NET_OFFLINE", "true"),
            ("npm_config_registry", "https://example.org/npm"),
            ("https_proxy", "http://me:mine@proxy:1"),
        ]);
        let mut user = needed.clone();
        user.extend(env(&[
            ("HOME", "/home/ada"),
            ("XDG_CONFIG_HOME", "/home/ada/.config"),
            ("GH_TOKEN", "x"),
            ("SSH_AUTH_SOCK", "/s"),
            ("DBUS_SESSION_BUS_ADDRESS", "unix:path=/bus"),
            ("GIT_DIR", "/elsewhere"),
            ("WINDLASS_HOME", "/h"),
            ("LD_PRELOAD", "evil.so"),
            ("DISPLAY", ":0"),
            ("NODE_OPTIONS", "--require x"),
            ("CARGO_HOME", "/home/ada/.cargo"),
            ("CARGO_REGISTRY_TOKEN", "x"),
            ("npm_config__authToken", "x"),
            ("PIP_INDEX_URL", "https://me:secret@example.org/simple"),
            ("GOPROXY", "https://a.example.org,https://token@b.example.org"),
            ("SOMETHING_ELSE", "x"),
        ]));
        assert_eq!(agent_environment(&user, &[]), needed);
    }

    #[test]
    fn a_password_of_a_proxy_stays_with_the_user() {
        let mut attempt = env(&[
            ("HTTP_PROXY", "http://me:mine@proxy:1"),
            ("https_proxy", "me:mi/n@e@proxy:1"),
            ("ALL_PROXY", "socks5h://me@proxy:1/"),
            ("NO_PROXY", "localhost"),
            ("HTTPS_PROXY", "http://me:mine@proxy:1"),
        ]);
        // A beginning lets no password through: nobody thought of one when writing it.
        let passed = ["HTTPS_PROXY", "HTTP_*"].map(|name| PassEnv::parse(name).unwrap());
        let lost = without_proxy_passwords(&mut attempt, &passed);
        assert_eq!(lost, ["HTTP_PROXY", "https_proxy", "ALL_PROXY"]);
        let values: Vec<&str> = attempt.iter().map(|(_, value)| value.as_str()).collect();
        let (bare, kept) = ("http://proxy:1", "http://me:mine@proxy:1");
        assert_eq!(values, [bare, "proxy:1", "socks5h://proxy:1/", "localhost", kept]);
        assert!(without_proxy_passwords(&mut attempt, &passed).is_empty(), "nothing is left");
    }

    #[test]
    fn a_user_lets_more_through_by_name() {
        let user = env(&[("MODEL_API_KEY", "x"), ("MODEL_URL", "u"), ("OTHER", "y")]);
        let passed = [PassEnv::parse("MODEL_*").unwrap()];
        assert_eq!(agent_environment(&user, &passed), env(&[("MODEL_URL", "u")]));
        let passed = [PassEnv::parse("MODEL_API_KEY").unwrap()];
        assert_eq!(agent_environment(&user, &passed), env(&[("MODEL_API_KEY", "x")]));
    }

    #[test]
    fn a_check_gets_all_but_keys_of_forges_and_what_bends_git() {
        let kept = env(&[("PATH", "/bin"), ("HOME", "/home/ada"), ("DATABASE_PASSWORD", "x")]);
        let mut user = kept.clone();
        user.extend(env(&[
            ("GH_TOKEN", "x"),
            ("FORGEJO_TOKEN", "x"),
            ("SSH_AUTH_SOCK", "/s"),
            ("GIT_DIR", "/elsewhere"),
            ("WINDLASS_HOME", "/h"),
            ("LD_PRELOAD", "evil.so"),
        ]));
        assert_eq!(check_environment(&user, Path::new("/srv/place")), kept);
    }

    #[test]
    fn a_check_never_finds_a_program_that_an_agent_could_have_put_there() {
        let user = env(&[("PATH", "/srv/place/bin:.::bin:/usr/bin:/usr/../srv/place/x:/bin")]);
        let checked = check_environment(&user, Path::new("/srv/place"));
        assert_eq!(checked, env(&[("PATH", "/usr/bin:/bin")]));
    }
}
