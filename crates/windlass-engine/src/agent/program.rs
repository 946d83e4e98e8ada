//! Finding the program behind a backend, and asking it who it is.

use std::path::{Path, PathBuf};
use std::time::Duration;

use windlass_core::view::{Lines, printable};

use super::{Account, Survey};
use crate::process::probe::{Answer, version};

/// How long a program may take to say its version.
const PATIENCE: Duration = Duration::from_secs(10);

/// A program that plays agents.
pub(super) struct Program {
    /// What it is called on `PATH`.
    pub(super) name: &'static str,
    /// The variable that names it where it is elsewhere.
    pub(super) variable: &'static str,
    /// The oldest version whose ways windlass knows.
    pub(super) least: [u32; 3],
    /// How to get it.
    pub(super) install: &'static str,
}

impl Program {
    /// Finds the file: the one that the variable names, else the first on `PATH`.
    pub(super) fn find(&self, env: &[(String, String)]) -> Option<PathBuf> {
        if let Some(named) = value(env, self.variable) {
            // A relative one would mean a program of the place, which agents write.
            let file = Some(PathBuf::from(named)).filter(|file| file.is_absolute());
            return file.filter(|file| is_program(file));
        }
        let path = value(env, "PATH")?;
        // A relative entry means another program in every folder.
        let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
        folders.map(|folder| folder.join(self.name)).find(|file| is_program(file))
    }

    /// Says why there is no program.
    pub(super) fn missing(&self, env: &[(String, String)]) -> String {
        match value(env, self.variable) {
            Some(named) => {
                format!(
                    "`{named}` ({}) is not a program: name one by its whole path",
                    self.variable
                )
            }
            None => format!("`{}` is not on PATH: {}", self.name, self.install),
        }
    }

    /// Looks at what is there of it.
    pub(super) fn survey(&self, env: &[(String, String)], account: Account) -> Survey {
        let Some(file) = self.find(env) else {
            let trouble = Some(self.missing(env));
            return Survey { program: None, version: None, account, trouble };
        };
        let said = version(&file, PATIENCE);
        let (version, trouble) = self.judged(&file, &said);
        Survey { program: Some(file), version, account, trouble }
    }

    fn judged(&self, file: &Path, said: &Answer) -> (Option<String>, Option<String>) {
        let again = format!("try `{} --version`, or install it again", file.display());
        match said {
            Answer::Said(line) => {
                let line = printable(line, Lines::One);
                let Some(numbers) = numbers(&line) else {
                    let trouble =
                        format!("it says that it is `{line}`, which is no version; {again}");
                    return (None, Some(trouble));
                };
                let [major, minor, patch] = numbers;
                let old = (numbers < self.least).then(|| {
                    let [a, b, c] = self.least;
                    let install = self.install;
                    format!("version {major}.{minor}.{patch} is too old, {a}.{b}.{c} is needed: {install}")
                });
                (Some(format!("{major}.{minor}.{patch}")), old)
            }
            Answer::Silent => (None, Some(format!("it does not say its version; {again}"))),
            Answer::TooSlow => {
                let seconds = PATIENCE.as_secs();
                (None, Some(format!("it did not say its version within {seconds} s; {again}")))
            }
            Answer::NotStarted(why) => {
                (None, Some(format!("it cannot be started: {why}; {again}")))
            }
        }
    }
}

/// Returns whether a program of this name can be started with the `PATH` of `env`.
pub(crate) fn is_on_path(command: &str, env: &[(String, String)]) -> bool {
    if command.contains('/') {
        // A relative one would mean a program of the place, which agents write.
        return Path::new(command).is_absolute() && is_program(Path::new(command));
    }
    let folders = value(env, "PATH").into_iter().flat_map(std::env::split_paths);
    folders.filter(|folder| folder.is_absolute()).any(|folder| is_program(&folder.join(command)))
}

/// Returns the files that a command of the user's names by their whole path.
pub(super) fn files_named_in(command: &str) -> Vec<PathBuf> {
    let words = shlex::split(command).unwrap_or_else(|| vec![command.to_owned()]);
    let files = words.into_iter().map(PathBuf::from);
    files.filter(|path| path.is_absolute() && path.is_file()).collect()
}

/// Returns a variable that is set to something.
pub(super) fn value<'a>(env: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let set = env.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    set.filter(|value| !value.is_empty())
}

/// Returns the variables of these names that are set.
pub(super) fn passed(env: &[(String, String)], names: &[&str]) -> Vec<(String, String)> {
    let set = |name: &&str| value(env, name).map(|value| ((*name).to_owned(), value.to_owned()));
    names.iter().filter_map(set).collect()
}

fn is_program(file: &Path) -> bool {
    rustix::fs::access(file, rustix::fs::Access::EXEC_OK).is_ok() && file.is_file()
}

/// Reads the first version in a line: `2.1.325 (Claude Code)`, `codex-cli 0.166.0`.
fn numbers(line: &str) -> Option<[u32; 3]> {
    line.split(|c: char| c.is_whitespace() || "(),v".contains(c)).find_map(|word| {
        let mut parts = word.split(['.', '-', '+']).map(str::parse::<u32>);
        match (parts.next(), parts.next(), parts.next()) {
            (Some(Ok(major)), Some(Ok(minor)), Some(Ok(patch))) => Some([major, minor, patch]),
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: Program = Program {
        name: "odd-agent",
        variable: "WINDLASS_ODD",
        least: [2, 1, 150],
        install: "install it",
    };

    #[test]
    fn versions_are_read_as_programs_say_them() {
        assert_eq!(numbers("2.1.325 (Claude Code)"), Some([2, 1, 325]));
        assert_eq!(numbers("codex-cli 0.166.0"), Some([0, 166, 0]));
        assert_eq!(numbers("tool v1.2.3-beta.1"), Some([1, 2, 3]));
        assert_eq!(numbers("no version 1.2"), None);
    }

    #[test]
    fn an_old_version_is_named_with_what_is_needed() {
        let said = Answer::Said("2.1.99 (Claude Code)".to_owned());
        let (version, trouble) = PROGRAM.judged(Path::new("/p"), &said);
        assert_eq!(version.as_deref(), Some("2.1.99"));
        let words = "version 2.1.99 is too old, 2.1.150 is needed: install it";
        assert_eq!(trouble.as_deref(), Some(words));
        let said = Answer::Said("2.1.150 (Claude Code)".to_owned());
        assert_eq!(PROGRAM.judged(Path::new("/p"), &said), (Some("2.1.150".to_owned()), None));
    }

    #[test]
    fn a_program_is_found_by_its_variable_and_on_absolute_folders_of_the_path() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("odd-agent");
        fs_err::write(&file, "#!/bin/sh\necho 3.0.0\n").unwrap();
        let env = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
            pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
        };
        let path = format!("bin:/nowhere:{}", folder.path().display());
        assert_eq!(PROGRAM.find(&env(&[("PATH", &path)])), None, "it cannot be executed");
        fs_err::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(PROGRAM.find(&env(&[("PATH", &path)])), Some(file.clone()));
        let named = env(&[("PATH", &path), ("WINDLASS_ODD", "/nowhere/else")]);
        assert_eq!(PROGRAM.find(&named), None, "the variable decides");
        let survey = PROGRAM.survey(&env(&[("PATH", &path)]), Account::Unknown);
        assert_eq!(survey.version.as_deref(), Some("3.0.0"));
        assert_eq!(survey.trouble, None);
    }
}
