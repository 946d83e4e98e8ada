//! Large files: git holds a pointer, the content lies beside it.
//!
//! Paths that the *base commit* gives to `filter=lfs` go through a filter of windlass's own: our
//! executable, started by git with the names of the stores. It does what git-lfs does with files on
//! this machine and never uses the network. Content that is nowhere on this machine stays a
//! pointer, in the place and in the verifier's tree, and a pointer passes through unchanged.
//!
//! New content goes into the run's own store first and is copied to the user's when a step is
//! published. What an agent writes into `.gitattributes` later has no effect.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::io::{self, Read, Seek as _, Write};
use std::path::{Path, PathBuf};

use sha2::Digest as _;

use super::git_error::GitError;
use super::process::path_from_bytes;
use super::run_dir::RunDir;
use super::user::UserRepository;

/// The hidden command that turns content into a pointer; its argument is the run's store.
pub const CLEAN_COMMAND: &str = "__lfs-clean";

/// The hidden command that turns a pointer into content; its arguments are stores to look in.
pub const SMUDGE_COMMAND: &str = "__lfs-smudge";

/// The first line of every pointer.
const VERSION_LINE: &str = "version https://git-lfs.github.com/spec/v1";

/// The specification's bound: a pointer is shorter than this.
pub(crate) const MAX_POINTER_BYTES: u64 = 1024;

/// Performs one of the two hidden commands, for `main` of our executable.
///
/// Returns `None` when `command` is neither of them.
pub fn run_filter(
    command: &OsStr,
    stores: &[OsString],
    input: impl Read,
    output: impl Write,
) -> Option<io::Result<()>> {
    match (command.to_str()?, stores) {
        (CLEAN_COMMAND, [store]) => Some(clean(Path::new(store), input, output)),
        (SMUDGE_COMMAND, stores) => Some(smudge(stores, input, output)),
        _ => None,
    }
}

/// Stores what `input` holds and writes its pointer.
fn clean(store: &Path, mut input: impl Read, mut output: impl Write) -> io::Result<()> {
    let mut start = Vec::new();
    input.by_ref().take(MAX_POINTER_BYTES).read_to_end(&mut start)?;
    // An empty file is its own pointer, by the specification.
    if start.is_empty() || Pointer::parse(&start).is_some() {
        return output.write_all(&start);
    }
    fs_err::create_dir_all(store)?;
    let mut file = tempfile::NamedTempFile::new_in(store)?;
    let (mut hash, mut size) = (sha2::Sha256::new(), 0_u64);
    let mut input = io::Cursor::new(start).chain(input);
    let mut chunk = vec![0; 256 * 1024];
    loop {
        let count = input.read(&mut chunk)?;
        if count == 0 {
            break;
        }
        hash.update(&chunk[..count]);
        size += count as u64;
        file.write_all(&chunk[..count])?;
    }
    let pointer = Pointer { oid: in_hex(&hash.finalize()), size };
    let target = store.join(pointer.path());
    if !target.exists() {
        fs_err::create_dir_all(target.parent().unwrap_or(store))?;
        file.as_file().sync_data()?;
        file.persist(&target).map_err(|failed| failed.error)?;
    }
    write!(output, "{VERSION_LINE}\noid sha256:{}\nsize {}\n", pointer.oid, pointer.size)
}

/// Writes the content that the pointer in `input` names, or the pointer itself.
fn smudge(stores: &[OsString], mut input: impl Read, mut output: impl Write) -> io::Result<()> {
    let mut start = Vec::new();
    input.by_ref().take(MAX_POINTER_BYTES).read_to_end(&mut start)?;
    if let Some(pointer) = Pointer::parse(&start) {
        for store in stores {
            // A store may lie in a checkout that an agent can write, so nothing is written before all
            // of it was read.
            if let Some(mut file) = content_of(&pointer, Path::new(store)) {
                file.seek(io::SeekFrom::Start(0))?;
                return io::copy(&mut file.take(pointer.size), &mut output).map(drop);
            }
        }
    }
    output.write_all(&start)?;
    io::copy(&mut input, &mut output).map(drop)
}

/// Opens the content that a pointer names, if the store has it and not something else in its stead.
fn content_of(pointer: &Pointer, store: &Path) -> Option<std::fs::File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
    let open = std::fs::OpenOptions::new().read(true).custom_flags(flags).clone();
    let mut file = open.open(store.join(pointer.path())).ok()?;
    let metadata = file.metadata().ok()?;
    if !metadata.is_file() || metadata.len() != pointer.size {
        return None;
    }
    let (mut hash, mut chunk) = (sha2::Sha256::new(), vec![0; 256 * 1024]);
    loop {
        match file.read(&mut chunk).ok()? {
            0 => break,
            count => hash.update(&chunk[..count]),
        }
    }
    (in_hex(&hash.finalize()) == pointer.oid).then_some(file)
}

fn in_hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// What git holds in the place of a large file.
pub(crate) struct Pointer {
    pub(crate) oid: String,
    size: u64,
}

impl Pointer {
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?;
        let mut lines = text.lines();
        if lines.next()? != VERSION_LINE {
            return None;
        }
        let (mut oid, mut size) = (None, None);
        for line in lines {
            match line.split_once(' ')? {
                ("oid", value) => oid = value.strip_prefix("sha256:"),
                ("size", value) => size = value.parse().ok(),
                _ => {}
            }
        }
        let oid =
            oid.filter(|oid| oid.len() == 64 && oid.bytes().all(|b| b.is_ascii_hexdigit()))?;
        Some(Self { oid: oid.to_ascii_lowercase(), size: size? })
    }

    /// Where the content lies in a store: `aa/bb/aabb…`.
    pub(crate) fn path(&self) -> PathBuf {
        Path::new(&self.oid[..2]).join(&self.oid[2..4]).join(&self.oid)
    }
}

/// Writes the run's attributes and filter for the large files of the tree in the run's index.
///
/// Returns the lines to be added to `info/attributes`; none when the base has no large files.
pub(super) fn configure(
    run_dir: &RunDir,
    user: &UserRepository,
    program: &Path,
) -> Result<String, ConfigureError> {
    let listed = run_dir
        .git(&user.top_level, &run_dir.index())
        .args(["ls-files", "-z", "--", ":(glob)**/.gitattributes"])
        .run()?;
    let mut lines = String::new();
    for path in listed.stdout.split(|&byte| byte == 0).filter(|path| !path.is_empty()) {
        let mut name = OsString::from(":");
        name.push(path_from_bytes(path));
        let text = run_dir
            .git(&user.top_level, &run_dir.index())
            .args([OsStr::new("cat-file"), OsStr::new("blob"), &name])
            .run()?
            .stdout;
        let folder = path.strip_suffix(b".gitattributes").unwrap_or_default();
        // An odd folder name would need quoting; its large files stay plain files.
        if let (Ok(folder), Ok(text)) = (std::str::from_utf8(folder), std::str::from_utf8(&text)) {
            lines.extend(patterns(folder, text).map(|pattern| format!("{pattern} filter=lfs\n")));
        }
    }
    if lines.is_empty() {
        return Ok(lines);
    }
    let store = store(run_dir);
    fs_err::create_dir_all(&store)?;
    let mut configuration = fs_err::read_to_string(run_dir.path("config"))?;
    configuration.push_str(&filter(program, &store, &[&store, &users_store(user)])?);
    fs_err::write(run_dir.path("config"), configuration)?;
    Ok(lines)
}

/// Returns the filter for the agent's own git in the private clone at `root`.
///
/// With it the agent's `git status` shows large files clean and its commits have pointers. New
/// content goes into the clone's own store, where git-lfs would put it; the engine does not use
/// what lies there.
pub(super) fn filter_for_clone(
    run_dir: &RunDir,
    user: &UserRepository,
    program: &Path,
    root: &Path,
) -> io::Result<String> {
    let own = root.join(".git/lfs/objects");
    filter(program, &own, &[&own, &store(run_dir), &users_store(user)])
}

/// Returns the filter for checkouts of a run: it reads the stores of the run and of the user, and
/// writes none.
pub(super) fn filter_for_room(
    user: &UserRepository,
    program: &Path,
    store: &Path,
) -> io::Result<String> {
    filter(program, store, &[store, &users_store(user)])
}

fn filter(program: &Path, written: &Path, read: &[&Path]) -> io::Result<String> {
    let program = program.as_os_str();
    let mut smudge = vec![program, OsStr::new(SMUDGE_COMMAND)];
    smudge.extend(read.iter().map(|store| store.as_os_str()));
    Ok(format!(
        "[filter \"lfs\"]\n\tclean = {}\n\tsmudge = {}\n\trequired = true\n",
        command(&[program, OsStr::new(CLEAN_COMMAND), written.as_os_str()])?,
        command(&smudge)?,
    ))
}

/// Why large files could not be set up.
#[derive(Debug, thiserror::Error)]
pub(super) enum ConfigureError {
    #[error(transparent)]
    Git(#[from] GitError),
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Lists the patterns with `filter=lfs` in a `.gitattributes` of `folder`, seen from the top.
fn patterns<'a>(folder: &'a str, text: &'a str) -> impl Iterator<Item = String> + 'a {
    text.lines().filter_map(move |line| {
        let mut words = line.split_ascii_whitespace();
        let pattern = words.next()?;
        let plain = !pattern.starts_with(['#', '"', '[', '!']);
        if !plain || folder.contains(|c: char| c.is_whitespace() || "*?[\\\"".contains(c)) {
            return None;
        }
        words.any(|word| word == "filter=lfs").then(|| match pattern.strip_prefix('/') {
            Some(rooted) => format!("/{folder}{rooted}"),
            None if pattern.contains('/') => format!("/{folder}{pattern}"),
            None if folder.is_empty() => pattern.to_owned(),
            None => format!("/{folder}**/{pattern}"),
        })
    })
}

/// Writes a command line as a value of a configuration file: quoted for the shell, then for git.
fn command(words: &[&OsStr]) -> io::Result<String> {
    let mut line = String::new();
    for word in words {
        let word = word.to_str().ok_or_else(|| io::Error::other("a path is not UTF-8"))?;
        let quoted = shlex::try_quote(word).map_err(io::Error::other)?;
        line.push_str(&quoted);
        line.push(' ');
    }
    let escaped = line.trim_end().replace('\\', "\\\\").replace('"', "\\\"");
    Ok(format!("\"{escaped}\""))
}

fn store(run_dir: &RunDir) -> PathBuf {
    run_dir.path("lfs")
}

fn users_store(user: &UserRepository) -> PathBuf {
    store_in(&user.common_dir)
}

/// Where git-lfs keeps the content of large files.
pub(crate) fn store_in(common_dir: &Path) -> PathBuf {
    common_dir.join("lfs/objects")
}

/// Copies the content that this run stored into the user's store, where it is not yet.
pub(super) fn publish(run_dir: &RunDir, user: &UserRepository) -> io::Result<()> {
    let store = store(run_dir);
    let mut folders = vec![store.clone()];
    while let Some(folder) = folders.pop() {
        let entries = match fs_err::read_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            other => other?,
        };
        for entry in entries {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                folders.push(entry.path());
                continue;
            }
            let path = entry.path();
            let Ok(relative) = path.strip_prefix(&store) else { continue };
            // What lies at the top is a file that a killed filter left half written.
            let target = users_store(user).join(relative);
            if relative.components().count() != 3 || target.exists() {
                continue;
            }
            let parent = target.parent().unwrap_or(&target);
            fs_err::create_dir_all(parent)?;
            let copy = tempfile::NamedTempFile::new_in(parent)?;
            fs_err::copy(&path, copy.path())?;
            copy.persist(&target).map_err(|failed| failed.error)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_seen_from_the_top() {
        let text = "*.psd filter=lfs diff=lfs\n/a.bin filter=lfs\nx/*.y filter=lfs\n*.txt text\n";
        let found: Vec<_> = patterns("art/", text).collect();
        assert_eq!(found, ["/art/**/*.psd", "/art/a.bin", "/art/x/*.y"]);
        assert_eq!(patterns("", text).next().as_deref(), Some("*.psd"));
    }

    #[test]
    fn a_pointer_passes_both_ways_when_its_content_is_nowhere() {
        let pointer = format!("{VERSION_LINE}\noid sha256:{}\nsize 3\n", "a".repeat(64));
        let store = tempfile::tempdir().unwrap();
        let (mut cleaned, mut smudged) = (Vec::new(), Vec::new());
        clean(store.path(), pointer.as_bytes(), &mut cleaned).unwrap();
        smudge(&[store.path().into()], pointer.as_bytes(), &mut smudged).unwrap();
        assert_eq!((cleaned, smudged), (pointer.clone().into_bytes(), pointer.into_bytes()));
    }

    #[test]
    fn content_that_is_not_what_the_pointer_names_is_looked_for_in_the_next_store() {
        let stores = [(); 3].map(|()| tempfile::tempdir().unwrap());
        let mut cleaned = Vec::new();
        clean(stores[2].path(), &b"right"[..], &mut cleaned).unwrap();
        let pointer = Pointer::parse(&cleaned).unwrap();
        let at = |store: usize| stores[store].path().join(pointer.path());
        for store in [0, 1] {
            fs_err::create_dir_all(at(store).parent().unwrap()).unwrap();
        }
        fs_err::write(at(0), "wrong").unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, at(1), 0o600.into()).unwrap();
        let names = || stores.iter().map(|store| store.path().into());
        let mut smudged = Vec::new();
        smudge(&names().collect::<Vec<_>>(), &cleaned[..], &mut smudged).unwrap();
        assert_eq!(smudged, b"right");
        let mut smudged = Vec::new();
        smudge(&names().take(2).collect::<Vec<_>>(), &cleaned[..], &mut smudged).unwrap();
        assert_eq!(smudged, cleaned, "the pointer stays");
    }
}
