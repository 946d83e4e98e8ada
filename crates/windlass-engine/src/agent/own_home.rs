//! The home of an attempt's own, and where tools find what is installed in the user's.
//!
//! The attempts in a place share a home that starts empty: no configuration of git, no keys of
//! ssh, no session of a forge's program. Caches that tools fill stay in it until the run is pruned.

use std::io;
use std::path::Path;

/// Tools that people install into their home, with the variable that says where.
///
/// Only programs lie in these folders. `~/.cargo`, `~/.m2`, `~/.npm` and the like hold keys beside
/// their caches, so those tools start with an empty cache.
const INSTALLED: &[(&str, &str)] = &[
    ("ASDF_DATA_DIR", ".asdf"),
    ("MISE_DATA_DIR", ".local/share/mise"),
    ("NVM_DIR", ".nvm"),
    ("PYENV_ROOT", ".pyenv"),
    ("RBENV_ROOT", ".rbenv"),
    ("RUSTUP_HOME", ".rustup"),
    ("SDKMAN_DIR", ".sdkman"),
    ("VOLTA_HOME", ".volta"),
];

/// Makes the home, if it is not there.
///
/// Where nothing confines, an agent could have put a link in its place; that is not followed.
pub fn make_home(home: &Path) -> io::Result<()> {
    match fs_err::symlink_metadata(home) {
        Ok(found) if found.is_dir() => return Ok(()),
        Ok(_) => fs_err::remove_file(home)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    fs_err::create_dir_all(home)
}

/// Returns the variables that lead to `home`, and to what is installed in the user's.
///
/// `has` are the variables that the attempt has already; what they say about tools holds.
pub fn home_variables(
    home: &Path,
    users: Option<&Path>,
    has: &[(String, String)],
) -> Vec<(String, String)> {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let mut set = vec![("HOME".to_owned(), text(home))];
    for (variable, folder) in INSTALLED {
        let known = has.iter().any(|(name, _)| name == variable);
        if let Some(folder) = users.map(|users| users.join(folder)).filter(|path| path.is_dir())
            && !known
        {
            set.push(((*variable).to_owned(), text(&folder)));
        }
    }
    // Java asks the password file for the home, not `HOME`; without this, Maven would read the
    // user's settings with their keys. Maven splits the variable at blanks.
    let given = has.iter().find(|(name, _)| name == "MAVEN_OPTS").map(|(_, given)| given.as_str());
    let home = text(home);
    if !home.contains(char::is_whitespace) {
        let options = format!("{} -Duser.home={home}", given.unwrap_or_default());
        set.push(("MAVEN_OPTS".to_owned(), options.trim().to_owned()));
    }
    set
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value<'a>(env: &'a [(String, String)], wanted: &str) -> Option<&'a str> {
        env.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str())
    }

    #[test]
    fn tools_in_the_users_home_are_found_and_what_is_set_holds() {
        let root = tempfile::tempdir().unwrap();
        for folder in [".rustup", ".pyenv", ".cargo"] {
            fs_err::create_dir_all(root.path().join(folder)).unwrap();
        }
        let has = [("PYENV_ROOT", "/opt/pyenv"), ("MAVEN_OPTS", "-Xmx1g")];
        let has = has.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let set = home_variables(Path::new("/own"), Some(root.path()), &has);
        assert_eq!(value(&set, "HOME"), Some("/own"));
        assert_eq!(value(&set, "RUSTUP_HOME"), root.path().join(".rustup").to_str());
        assert_eq!(value(&set, "MAVEN_OPTS"), Some("-Xmx1g -Duser.home=/own"));
        for absent in ["PYENV_ROOT", "CARGO_HOME", "NVM_DIR"] {
            assert_eq!(value(&set, absent), None, "{absent}");
        }
    }

    #[test]
    fn a_link_in_the_place_of_the_home_is_not_followed() {
        let root = tempfile::tempdir().unwrap();
        let (home, elsewhere) = (root.path().join("home"), root.path().join("elsewhere"));
        fs_err::create_dir_all(&elsewhere).unwrap();
        fs_err::os::unix::fs::symlink(&elsewhere, &home).unwrap();
        make_home(&home).unwrap();
        assert!(!home.is_symlink() && home.is_dir());
        fs_err::write(home.join("kept"), "").unwrap();
        make_home(&home).unwrap();
        assert!(home.join("kept").exists() && elsewhere.is_dir());
    }
}
