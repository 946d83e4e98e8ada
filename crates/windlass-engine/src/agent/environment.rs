//! What agents and checks find in their environment.

use std::path::{Component, Path};

/// Variables that would hand over keys, or bend git, shells or the loader.
const WITHHELD: &[&str] = &[
    "BASH_ENV",
    "BITBUCKET_TOKEN",
    "ENV",
    "GH_ENTERPRISE_TOKEN",
    "GH_TOKEN",
    "GITEA_TOKEN",
    "GITHUB_ENTERPRISE_TOKEN",
    "GITHUB_TOKEN",
    "GITLAB_ACCESS_TOKEN",
    "GITLAB_TOKEN",
    "GPG_AGENT_INFO",
    "LD_AUDIT",
    "LD_PRELOAD",
    "OLDPWD",
    "PWD",
    "SHLVL",
    "SSH_AGENT_PID",
    "SSH_ASKPASS",
    "SSH_AUTH_SOCK",
    "_",
];

/// Returns what an agent gets of the user's environment.
pub fn agent_environment(user: &[(String, String)]) -> Vec<(String, String)> {
    user.iter().filter(|(name, _)| !is_withheld(name)).cloned().collect()
}

/// Returns what a check gets of the user's environment.
///
/// `PATH` loses every entry that is relative or lies in the place, because an agent can put a
/// program of any name there.
pub fn check_environment(user: &[(String, String)], place: &Path) -> Vec<(String, String)> {
    let mut env = agent_environment(user);
    for (name, value) in &mut env {
        if name == "PATH" {
            *value = judged_path(value, place);
        }
    }
    env
}

fn is_withheld(name: &str) -> bool {
    name.starts_with("GIT_") || name.starts_with("WINDLASS_") || WITHHELD.contains(&name)
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
    fn keys_and_what_bends_git_stay_with_the_user() {
        let user = env(&[
            ("PATH", "/bin"),
            ("GH_TOKEN", "x"),
            ("SSH_AUTH_SOCK", "/s"),
            ("GIT_DIR", "/elsewhere"),
            ("WINDLASS_HOME", "/h"),
            ("LD_PRELOAD", "evil.so"),
            ("LANG", "C"),
        ]);
        assert_eq!(agent_environment(&user), env(&[("PATH", "/bin"), ("LANG", "C")]));
    }

    #[test]
    fn a_check_never_finds_a_program_that_an_agent_could_have_put_there() {
        let user = env(&[("PATH", "/srv/place/bin:.::bin:/usr/bin:/usr/../srv/place/x:/bin")]);
        let checked = check_environment(&user, Path::new("/srv/place"));
        assert_eq!(checked, env(&[("PATH", "/usr/bin:/bin")]));
    }
}
