//! What a fresh clone of the user's repository would have: branches, tags and objects.
//!
//! The user's own repository has more: branches that were never pushed, stashes, the work of other runs,
//! and objects that nothing names any more. A check that finds one of them judges with what no clone has.

use std::collections::BTreeMap;
use std::path::Path;

use windlass_core::id::ObjectId;

use super::git_error::GitError;
use super::process::Git;
use super::user::{Head, UserRepository};

/// The name that a clone gives to where it came from.
const ORIGIN: &str = "refs/remotes/origin/";

/// Branches of runs, on whichever side.
const OWN_BRANCHES: &str = "windlass/";

/// What a clone's branches and tags are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClonedRefs {
    /// Where each leads, by its whole name.
    pub refs: BTreeMap<String, ObjectId>,
    /// The branch that a clone checks out by itself.
    pub default: Option<String>,
    /// The address of the remote, without anybody's name or password; none where there is no remote.
    pub address: Option<String>,
}

/// The remote that a clone would come from.
#[derive(Debug, Default)]
struct Remote {
    name: String,
    branches: BTreeMap<String, ObjectId>,
    default: Option<String>,
}

/// An address without the name and the password that may stand in it.
fn without_person(address: &str) -> String {
    let Some((scheme, rest)) = address.split_once("://") else { return address.to_owned() };
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    format!("{scheme}://{host}/{path}")
}

impl ClonedRefs {
    /// Returns them as a `packed-refs` file.
    pub fn packed(&self) -> String {
        self.refs.iter().map(|(name, id)| format!("{id} {name}\n")).collect()
    }

    /// Returns what the file `refs/remotes/origin/HEAD` says.
    pub fn origin_head(&self) -> Option<String> {
        self.default.as_ref().map(|default| format!("ref: {ORIGIN}{default}\n"))
    }
}

impl UserRepository {
    /// Returns the branches and tags that a clone has which comes to `base`: those of the remote as they are
    /// known here, and of the tags those that lead into their history.
    ///
    /// # Errors
    /// Git fails.
    pub fn cloned_refs(&self, base: &ObjectId) -> Result<ClonedRefs, GitError> {
        let Remote { name, branches: mut refs, default } = self.remote_branches()?;
        let started = match &self.head {
            Head::Branch(name) if self.commit == *base => Some(name.clone()),
            Head::Branch(_) | Head::Detached => None,
        };
        if let Some(name) = &started {
            refs.entry(format!("{ORIGIN}{name}")).or_insert_with(|| base.clone());
            refs.insert(format!("refs/heads/{name}"), base.clone());
        }
        let known = |name: &String| refs.contains_key(&format!("{ORIGIN}{name}"));
        let usual = ["main", "master"].map(str::to_owned).into_iter();
        let default = default.into_iter().chain(usual).chain(started).find(known);
        if let Some(name) = &default
            && let Some(id) = refs.get(&format!("{ORIGIN}{name}")).cloned()
        {
            refs.entry(format!("refs/heads/{name}")).or_insert(id);
        }
        let mut from: Vec<&ObjectId> = refs.values().collect();
        from.push(base);
        let tags = self.tags_into(&from)?;
        refs.extend(tags);
        let address = self.address_of(&name)?;
        Ok(ClonedRefs { refs, default, address })
    }

    fn address_of(&self, remote: &str) -> Result<Option<String>, GitError> {
        let asked = format!("remote.{remote}.url");
        let answer = Git::at(&self.common_dir).args(["config", "--get", &asked]).run_to_end()?;
        let text = String::from_utf8_lossy(&answer.stdout).trim().to_owned();
        Ok((answer.code == 0 && !text.is_empty()).then(|| without_person(&text)))
    }

    /// The branches of the remote that a clone would come from, and which of them is its default.
    fn remote_branches(&self) -> Result<Remote, GitError> {
        let listed = Git::at(&self.common_dir)
            .args(["for-each-ref", "--format=%(objectname) %(refname) %(symref)", "refs/remotes"])
            .run()?;
        let text = String::from_utf8_lossy(&listed.stdout);
        let mut remotes: BTreeMap<&str, Remote> = BTreeMap::new();
        for line in text.lines() {
            let mut parts = line.split(' ');
            let (Some(id), Some(name)) = (parts.next(), parts.next()) else { continue };
            let inside = name.strip_prefix("refs/remotes/").and_then(|name| name.split_once('/'));
            let Some((remote, branch)) = inside else { continue };
            let known = remotes.entry(remote).or_default();
            if branch == "HEAD" {
                let target = parts.next().and_then(|target| target.strip_prefix("refs/remotes/"));
                let target = target.and_then(|target| target.split_once('/'));
                known.default = target.map(|(_, branch)| branch.to_owned());
            } else if !branch.starts_with(OWN_BRANCHES) {
                known.branches.insert(format!("{ORIGIN}{branch}"), ObjectId::new(id));
            }
        }
        let only = match remotes.len() {
            1 => remotes.pop_first(),
            _ => remotes.remove_entry("origin"),
        };
        let (name, found) = only.unwrap_or(("origin", Remote::default()));
        Ok(Remote { name: name.to_owned(), ..found })
    }

    fn tags_into(&self, commits: &[&ObjectId]) -> Result<Vec<(String, ObjectId)>, GitError> {
        let mut git = Git::at(&self.common_dir).args([
            "for-each-ref",
            "--format=%(objectname) %(refname)",
            "refs/tags",
        ]);
        for commit in commits {
            git = git.arg(format!("--merged={commit}"));
        }
        let listed = git.run()?;
        let text = String::from_utf8_lossy(&listed.stdout);
        let pairs = text.lines().filter_map(|line| line.split_once(' '));
        Ok(pairs.map(|(id, name)| (name.to_owned(), ObjectId::new(id))).collect())
    }

    /// Packs the objects that a clone has into a folder.
    ///
    /// # Errors
    /// Git fails: an object is missing, as in a partial clone.
    pub fn pack_clone(
        &self,
        refs: &ClonedRefs,
        base: &ObjectId,
        objects: &Path,
    ) -> Result<(), GitError> {
        let mut wanted: Vec<String> = refs.refs.values().map(ToString::to_string).collect();
        wanted.push(base.to_string());
        let pack = objects.join("pack/pack");
        Git::at(&self.common_dir)
            // It can be made again, and looking for deltas would be most of the work.
            .setting("core.fsync=none")
            .args(["pack-objects", "--revs", "-q", "--window=0"])
            .arg(pack)
            .stdin((wanted.join("\n") + "\n").into_bytes())
            .run()?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_nobody() {
        for (address, shown) in [
            ("https://ann:secret@example.org/a/b.git", "https://example.org/a/b.git"),
            ("https://example.org/a@b.git", "https://example.org/a@b.git"),
            ("git@example.org:a/b.git", "git@example.org:a/b.git"),
            ("/srv/a.git", "/srv/a.git"),
        ] {
            assert_eq!(without_person(address), shown);
        }
    }
}
