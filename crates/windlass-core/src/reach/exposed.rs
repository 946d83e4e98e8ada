//! Paths of the machine that a command may read beside the usual ones.

use std::path::{Component, Path, PathBuf};

/// The longest path; file systems allow no longer names.
pub const LONGEST_EXPOSED: usize = 1000;

/// Why a path cannot be exposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadExposed {
    /// It depends on where one stands, or on who is asked.
    #[error("it is neither absolute nor below `~/`")]
    Relative,
    /// It leads elsewhere than it seems to.
    #[error("it holds `..`")]
    Upwards,
    /// It is all that there is.
    #[error("that is everything")]
    Everything,
    /// No file has such a name.
    #[error("no file has such a name")]
    NoName,
}

impl BadExposed {
    /// Returns what to write instead.
    pub fn help(self) -> &'static str {
        match self {
            Self::Relative => {
                "write it from the root, or from your home: `/opt/data`, `~/.cache/tool`"
            }
            Self::Upwards => "write the path that is meant, without `..`",
            Self::Everything => "name the folder that is needed, such as `~/.cache/tool`",
            Self::NoName => "use a path of at most 1000 bytes without control characters",
        }
    }
}

/// Checks a path as it is written: absolute, or below `~/`.
///
/// # Errors
/// It is no such path, or it is everything.
pub fn check_exposed(written: &str) -> Result<(), BadExposed> {
    if written.len() > LONGEST_EXPOSED || written.chars().any(char::is_control) {
        return Err(BadExposed::NoName);
    }
    if written == "~" {
        return Err(BadExposed::Everything);
    }
    let below = written.strip_prefix("~/").or_else(|| written.strip_prefix('/'));
    let parts: Vec<Component<'_>> =
        Path::new(below.ok_or(BadExposed::Relative)?).components().collect();
    if parts.contains(&Component::ParentDir) {
        return Err(BadExposed::Upwards);
    }
    let names = parts.iter().filter(|part| matches!(part, Component::Normal(_)));
    if names.count() == 0 { Err(BadExposed::Everything) } else { Ok(()) }
}

/// Returns the path that is meant, for whoever has this home.
pub fn below_home(written: &str, home: &Path) -> PathBuf {
    match written.strip_prefix("~/") {
        Some(below) => home.join(below.trim_start_matches('/')),
        None => PathBuf::from(written),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_absolute_or_below_the_home_and_not_everything() {
        for good in ["/opt/data", "~/.cache/tool", "/dev/dri/", "~/a b", "//opt"] {
            assert_eq!(check_exposed(good), Ok(()), "{good}");
        }
        for (bad, why) in [
            ("data", BadExposed::Relative),
            ("./data", BadExposed::Relative),
            ("~ann/data", BadExposed::Relative),
            ("$HOME/data", BadExposed::Relative),
            ("", BadExposed::Relative),
            ("/opt/../etc", BadExposed::Upwards),
            ("~/..", BadExposed::Upwards),
            ("/", BadExposed::Everything),
            ("/./", BadExposed::Everything),
            ("~", BadExposed::Everything),
            ("~/", BadExposed::Everything),
            ("~//", BadExposed::Everything),
            ("/a\0b", BadExposed::NoName),
            ("/a\nb", BadExposed::NoName),
        ] {
            assert_eq!(check_exposed(bad), Err(why), "{bad:?}");
        }
        assert_eq!(check_exposed(&format!("/{}", "a".repeat(1000))), Err(BadExposed::NoName));
    }

    #[test]
    fn the_home_is_that_of_whoever_runs_it() {
        let home = Path::new("/home/ann");
        assert_eq!(below_home("~/.cache/tool", home), Path::new("/home/ann/.cache/tool"));
        assert_eq!(below_home("~//opt", home), Path::new("/home/ann/opt"));
        assert_eq!(below_home("/opt/~/x", home), Path::new("/opt/~/x"));
    }
}
