//! The user's repository: where a run starts from, and where its branch is shown.
//!
//! It is looked at with hooks and monitors off. What counts as changed and who the user is are
//! asked with the user's own configuration, because only that gives the answer the user sees; all
//! else is asked without.

use std::path::{Path, PathBuf};

use windlass_core::id::ObjectId;

use super::git_error::GitError;
use super::object::ObjectFormat;
use super::process::{Git, path_from_bytes};

/// The oldest git that does what the engine needs, with the reason in the error's text.
const OLDEST_GIT: (u32, u32) = (2, 38);

/// Why a folder cannot be the start of a run.
#[derive(Debug, thiserror::Error)]
pub enum DiscoverError {
    /// The folder is not in a repository.
    #[error("`{path}` is not in a git repository (make one with `git init`)")]
    NotARepository {
        /// The folder.
        path: PathBuf,
    },
    /// The repository has no files checked out.
    #[error("`{path}` is a bare repository: start from a clone or a worktree of it")]
    Bare {
        /// The folder.
        path: PathBuf,
    },
    /// The folder is inside `.git`.
    #[error("`{path}` is inside a git directory: start from the files of the repository")]
    InsideGitDirectory {
        /// The folder.
        path: PathBuf,
    },
    /// There is no commit to start from.
    #[error("`{path}` has no commit yet: make a first one with `git commit`")]
    NoCommit {
        /// The top folder of the repository.
        path: PathBuf,
    },
    /// Some objects are only on the other side of the network.
    #[error("`{path}` is a partial clone: fill it with `git fetch --refetch --no-filter`")]
    Partial {
        /// The top folder of the repository.
        path: PathBuf,
    },
    /// Git is too old.
    #[error("git {found} is too old: windlass needs 2.38 or newer")]
    OldGit {
        /// What is installed.
        found: String,
    },
    /// Git itself failed.
    #[error("the repository cannot be read")]
    Git(#[from] GitError),
    /// A path cannot be made canonical.
    #[error("the repository's folder cannot be found")]
    Io(#[from] std::io::Error),
}

/// Where the user's HEAD is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Head {
    /// On a branch, named without `refs/heads/`.
    Branch(String),
    /// On no branch.
    Detached,
}

/// Who commits.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Person {
    /// The name.
    pub name: String,
    /// The address.
    pub email: String,
}

impl Default for Person {
    fn default() -> Self {
        Self { name: "windlass".to_owned(), email: "windlass@localhost".to_owned() }
    }
}

/// The user's repository as it was when it was looked at.
#[derive(Clone, Debug)]
pub struct UserRepository {
    /// The top folder of the checkout that windlass was started in.
    pub top_level: PathBuf,
    /// The git directory of this checkout; a linked worktree has its own.
    pub git_dir: PathBuf,
    /// The git directory that all checkouts share, made canonical.
    pub common_dir: PathBuf,
    /// Names the repository: the first 16 digits of the hash of `common_dir`.
    pub key: String,
    /// How it names its objects.
    pub format: ObjectFormat,
    /// The commit that is checked out.
    pub commit: ObjectId,
    /// Where HEAD is.
    pub head: Head,
    /// Paths that differ from HEAD, untracked ones included.
    pub dirty: Vec<Vec<u8>>,
    /// Whether its history is cut off.
    pub shallow: bool,
    /// The user's own name and address, where they are set.
    pub person: Option<Person>,
    /// The user's own ignore file for all repositories, where one is set.
    pub(super) excludes_file: Option<PathBuf>,
}

impl UserRepository {
    /// Looks at the repository around `path`, for a run that is to work on it.
    pub fn discover(path: &Path) -> Result<Self, DiscoverError> {
        check_version()?;
        let mut found = Self::locate(path)?;
        let settings = Settings::read(&found.top_level)?;
        if settings.partial {
            return Err(DiscoverError::Partial { path: found.top_level });
        }
        found.dirty = Status::read(&found.top_level)?.dirty;
        found.person = settings.person;
        found.excludes_file = settings.excludes_file;
        Ok(found)
    }

    /// Returns the user's own name as git has it, where one is set.
    ///
    /// A repository that was only located has not read its configuration: git is asked then.
    ///
    /// # Errors
    /// Git could not be run.
    pub fn user_name(&self) -> Result<Option<String>, GitError> {
        if let Some(person) = &self.person {
            return Ok(Some(person.name.clone()));
        }
        let asked = Git::as_the_user(&self.top_level).args(["config", "--get", "user.name"]);
        let answer = asked.run_to_end()?;
        let name = String::from_utf8_lossy(answer.stdout.trim_ascii()).into_owned();
        // Code 1 means that it is not set.
        Ok(Some(name).filter(|name| answer.code == 0 && !name.is_empty()))
    }

    /// Returns the checkout around `path`, which need not have a commit yet.
    pub fn top_level_of(path: &Path) -> Result<PathBuf, DiscoverError> {
        match Self::locate(path) {
            Ok(found) => Ok(found.top_level),
            Err(DiscoverError::NoCommit { .. }) => {
                let answer = Git::discovering(path).args(["rev-parse", "--show-toplevel"]).run()?;
                let text = answer.stdout.strip_suffix(b"\n").unwrap_or(&answer.stdout);
                Ok(path_from_bytes(text).canonicalize()?)
            }
            Err(error) => Err(error),
        }
    }

    /// Finds the repository around `path`, for whoever only reads what windlass keeps about it:
    /// neither files nor configuration are looked at, so it costs the same however large it is.
    pub fn locate(path: &Path) -> Result<Self, DiscoverError> {
        let answer = Git::discovering(path)
            .args(["rev-parse", "--is-bare-repository", "--is-inside-work-tree"])
            .args(["--is-shallow-repository", "--show-object-format"])
            .args(["--path-format=absolute", "--absolute-git-dir", "--git-common-dir"])
            .run_to_end()?;
        if answer.code != 0 {
            return Err(if answer.stderr.contains("not a git repository") {
                DiscoverError::NotARepository { path: path.to_owned() }
            } else {
                answer.into_error().into()
            });
        }
        let lines: Vec<&[u8]> = answer.stdout.trim_ascii_end().split(|&b| b == b'\n').collect();
        let [bare, inside, shallow, format, git_dir, common_dir] = lines[..] else {
            return Err(answer.unexpected().into());
        };
        if bare == b"true" {
            return Err(DiscoverError::Bare { path: path.to_owned() });
        }
        if inside != b"true" {
            return Err(DiscoverError::InsideGitDirectory { path: path.to_owned() });
        }
        let format = match format {
            b"sha1" => ObjectFormat::Sha1,
            b"sha256" => ObjectFormat::Sha256,
            _ => return Err(answer.unexpected().into()),
        };
        let common_dir = path_from_bytes(common_dir).canonicalize()?;
        let head = Git::discovering(path)
            .args(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])
            .run_to_end()?;
        if head.code != 0 {
            return Err(DiscoverError::NoCommit { path: path.to_owned() });
        }
        // The path comes last, because it may hold line breaks.
        let rest = Git::discovering(path)
            .args(["rev-parse", "--symbolic-full-name", "HEAD", "--show-toplevel"])
            .run()?;
        let text = rest.stdout.strip_suffix(b"\n").unwrap_or(&rest.stdout);
        let Some(end) = text.iter().position(|&byte| byte == b'\n') else {
            return Err(rest.unexpected().into());
        };
        let (name, top_level) = (String::from_utf8_lossy(&text[..end]), &text[end + 1..]);
        Ok(Self {
            git_dir: path_from_bytes(git_dir).canonicalize()?,
            key: repository_key(&common_dir),
            top_level: path_from_bytes(top_level).canonicalize()?,
            common_dir,
            format,
            commit: ObjectId::new(head.line()?),
            head: match name.strip_prefix("refs/heads/") {
                Some(branch) => Head::Branch(branch.to_owned()),
                None => Head::Detached,
            },
            dirty: Vec::new(),
            shallow: shallow == b"true",
            person: None,
            excludes_file: None,
        })
    }
}

/// Names a repository by its canonical git directory.
pub fn repository_key(common_dir: &Path) -> String {
    use std::os::unix::ffi::OsStrExt as _;
    blake3::hash(common_dir.as_os_str().as_bytes()).to_hex()[..16].to_owned()
}

/// Returns what git calls its version.
pub fn git_version() -> Result<String, GitError> {
    let answer = Git::anywhere().arg("--version").run()?.line()?;
    Ok(answer.strip_prefix("git version ").unwrap_or(&answer).to_owned())
}

fn check_version() -> Result<(), DiscoverError> {
    let found = git_version()?;
    let mut numbers = found.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    if version < OLDEST_GIT { Err(DiscoverError::OldGit { found }) } else { Ok(()) }
}

struct Settings {
    person: Option<Person>,
    partial: bool,
    excludes_file: Option<PathBuf>,
}

impl Settings {
    fn read(top_level: &Path) -> Result<Self, GitError> {
        let answer = Git::as_the_user(top_level)
            .args(["config", "--type=path", "-z", "--get-regexp"])
            .arg(r"^(user\.(name|email)|extensions\.partialclone|core\.excludesfile)$")
            .run_to_end()?;
        let (mut name, mut email, mut partial, mut excludes_file) = (None, None, false, None);
        // Code 1 means that none of them is set. The last value of a key is the one in force.
        for setting in answer.stdout.split(|&byte| byte == 0) {
            let text = String::from_utf8_lossy(setting);
            match text.split_once('\n') {
                Some(("user.name", value)) => name = Some(value.to_owned()),
                Some(("user.email", value)) => email = Some(value.to_owned()),
                Some(("extensions.partialclone", _)) => partial = true,
                Some(("core.excludesfile", path)) => excludes_file = Some(PathBuf::from(path)),
                _ => {}
            }
        }
        let person = name.zip(email).map(|(name, email)| Person { name, email });
        let excludes_file = excludes_file.or_else(|| {
            let folder = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).or_else(|| {
                std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".config"))
            })?;
            Some(folder.join("git/ignore"))
        });
        Ok(Self { person, partial, excludes_file })
    }
}

/// Returns whether a branch of this name is in the repository.
///
/// # Errors
/// No branch can have this name, or git failed.
pub fn branch_is_there(user: &UserRepository, name: &str) -> Result<bool, GitError> {
    Git::anywhere().args(["check-ref-format", "--branch", name]).run()?;
    let reference = format!("refs/heads/{name}");
    let asked = Git::at(&user.common_dir).args(["show-ref", "--verify", "--quiet", &reference]);
    Ok(asked.run_to_end()?.code == 0)
}

/// Returns the bytes of a file that the repository has under this name; none where it has not.
///
/// # Errors
/// Git failed.
pub fn read_blob(user: &UserRepository, name: &str) -> Result<Option<Vec<u8>>, GitError> {
    let asked = Git::at(&user.common_dir).args(["cat-file", "blob", name]).run_to_end()?;
    Ok((asked.code == 0).then_some(asked.stdout))
}

/// What `git status` says about a checkout.
pub(super) struct Status {
    pub(super) commit: Option<ObjectId>,
    pub(super) head: Head,
    pub(super) dirty: Vec<Vec<u8>>,
}

impl Status {
    pub(super) fn read(top_level: &Path) -> Result<Self, GitError> {
        let answer = Git::as_the_user(top_level)
            .args(["status", "--porcelain=v2", "--branch", "-z", "--untracked-files=all"])
            // A submodule's own state would be asked for by a process in the submodule.
            .args(["--ignore-submodules=dirty", "--no-renames"])
            .run()?;
        let mut status = Self { commit: None, head: Head::Detached, dirty: Vec::new() };
        for record in answer.stdout.split(|&byte| byte == 0).filter(|record| !record.is_empty()) {
            let text = String::from_utf8_lossy(record);
            if let Some(commit) = text.strip_prefix("# branch.oid ") {
                status.commit = (commit != "(initial)").then(|| ObjectId::from(commit));
            } else if let Some(branch) = text.strip_prefix("# branch.head ") {
                if branch != "(detached)" {
                    status.head = Head::Branch(branch.to_owned());
                }
            } else {
                // `1` has eight fields before the path, `u` ten, `?` one.
                let fields = match record[0] {
                    b'1' => 8,
                    b'u' => 10,
                    b'?' => 1,
                    _ => continue,
                };
                let path = record.splitn(fields + 1, |&byte| byte == b' ').last();
                status.dirty.extend(path.map(<[u8]>::to_vec));
            }
        }
        Ok(status)
    }
}
