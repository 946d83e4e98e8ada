//! What git tracks in a checkout.

use std::path::Path;

use super::git_error::GitError;
use super::process::Git;

/// Returns the paths that git tracks in the checkout at `top_level`, relative to it. A path that is no
/// text is left out: nothing that looks for files by name can mean it.
pub fn tracked_files(top_level: &Path) -> Result<Vec<String>, GitError> {
    let listed = Git::discovering(top_level).args(["ls-files", "-z"]).run()?;
    let paths = listed.stdout.split(|&byte| byte == 0).filter(|path| !path.is_empty());
    Ok(paths.filter_map(|path| String::from_utf8(path.to_vec()).ok()).collect())
}
