//! What an address of a remote says: host, owner, repository.

use std::fmt::Write as _;

/// Where a repository lies on a forge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Address {
    /// With the port where the address is one of the web.
    pub(super) host: String,
    /// May hold slashes: GitLab has groups in groups.
    pub(super) owner: String,
    pub(super) repository: String,
}

impl Address {
    /// Reads `https://host:port/owner/repo.git/`, `ssh://git@host:22/owner/repo`,
    /// `git@host:owner/repo.git`. A path on this machine is no address of a forge.
    pub(super) fn parse(url: &str) -> Option<Self> {
        let (host, path) = match url.split_once("://") {
            Some((scheme, rest)) => {
                let (authority, path) = rest.split_once('/')?;
                let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
                match scheme {
                    "https" | "http" => (host, path),
                    // The port of ssh says nothing about the web.
                    "ssh" | "git" | "git+ssh" | "ssh+git" => {
                        (host.split_once(':').map_or(host, |(host, _)| host), path)
                    }
                    _ => return None,
                }
            }
            None => {
                let (before, path) = url.split_once(':')?;
                if before.contains('/') {
                    return None;
                }
                (before.rsplit_once('@').map_or(before, |(_, host)| host), path)
            }
        };
        // What the two large forges call their ssh behind firewalls.
        let host = match host {
            "ssh.github.com" => "github.com",
            "altssh.gitlab.com" => "gitlab.com",
            other => other,
        };
        let path = path.trim_matches('/');
        let path = path.strip_suffix(".git").unwrap_or(path).trim_end_matches('/');
        let (owner, repository) = path.rsplit_once('/')?;
        let plain = |text: &str| {
            !text.is_empty()
                && !text.starts_with('-')
                && text.chars().all(|c| c.is_ascii_alphanumeric() || "-._~/:+%".contains(c))
        };
        (plain(host) && plain(owner) && plain(repository)).then(|| Self {
            host: host.to_ascii_lowercase(),
            owner: owner.to_owned(),
            repository: repository.to_owned(),
        })
    }

    /// As `gh --repo` takes it.
    pub(super) fn slug(&self) -> String {
        format!("{}/{}/{}", self.host, self.owner, self.repository)
    }

    /// The page on which a person opens a pull request of `branch` into `base`.
    pub(super) fn compare_url(&self, base: &str, branch: &str) -> String {
        let Self { host, owner, repository } = self;
        let (base, branch) = (encoded(base), encoded(branch));
        let page = format!("https://{host}/{owner}/{repository}");
        if host.contains("gitlab") {
            format!(
                "{page}/-/merge_requests/new?merge_request%5Bsource_branch%5D={branch}\
                 &merge_request%5Btarget_branch%5D={base}"
            )
        } else if ["gitea", "forgejo", "codeberg"].iter().any(|name| host.contains(name)) {
            format!("{page}/compare/{base}...{branch}")
        } else {
            format!("{page}/compare/{base}...{branch}?expand=1")
        }
    }
}

fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slug(url: &str) -> Option<String> {
        Address::parse(url).map(|address| address.slug())
    }

    #[test]
    fn the_usual_forms_name_host_owner_and_repository() {
        for url in [
            "https://github.com/ada/engine.git",
            "https://github.com/ada/engine/",
            "https://ada:token@GitHub.com/ada/engine.git/",
            "ssh://git@github.com/ada/engine.git",
            "ssh://git@github.com:22/ada/engine",
            "ssh://git@ssh.github.com:443/ada/engine.git",
            "git@github.com:ada/engine.git",
            "github.com:/ada/engine/",
        ] {
            assert_eq!(slug(url).as_deref(), Some("github.com/ada/engine"), "{url}");
        }
        let port = slug("https://git.example.org:8443/ada/engine.git");
        assert_eq!(port.as_deref(), Some("git.example.org:8443/ada/engine"));
        let groups = slug("git@gitlab.com:group/sub/engine.git");
        assert_eq!(groups.as_deref(), Some("gitlab.com/group/sub/engine"));
    }

    #[test]
    fn paths_and_oddities_are_no_address_of_a_forge() {
        for url in [
            "/srv/git/engine.git",
            "../engine",
            "./a:b/c",
            "file:///srv/git/a/engine.git",
            "https://github.com/engine",
            "https://github.com/a b/engine",
            "-x@host:--upload-pack=x/y",
            "ext::sh -c 'x'",
            "",
        ] {
            assert_eq!(slug(url), None, "{url}");
        }
    }

    #[test]
    fn each_kind_of_forge_has_its_page_to_compare() {
        let page = |url| Address::parse(url).unwrap().compare_url("main", "feature/issue-1-ä&x");
        assert_eq!(
            page("git@github.com:ada/engine.git"),
            "https://github.com/ada/engine/compare/main...feature/issue-1-%C3%A4%26x?expand=1"
        );
        assert_eq!(
            page("https://gitlab.example.org/ada/engine"),
            "https://gitlab.example.org/ada/engine/-/merge_requests/new?merge_request%5B\
             source_branch%5D=feature/issue-1-%C3%A4%26x&merge_request%5Btarget_branch%5D=main"
        );
        assert_eq!(
            page("https://codeberg.org/ada/engine"),
            "https://codeberg.org/ada/engine/compare/main...feature/issue-1-%C3%A4%26x"
        );
    }
}
