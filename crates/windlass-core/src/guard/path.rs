//! Which files an agent does not write.

use std::path::{Component, Path, PathBuf};

use super::{Found, Grounds};

/// What windlass keeps in a place for agents to read, below `.windlass/run`.
const WRITTEN_BY_WINDLASS: [&str; 3] = ["state.json", "log", "evidence"];

/// Devices that commands write as a matter of course.
const DEVICES: [&str; 6] =
    ["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero", "/dev/full"];

/// Looks at a file that is about to be written. Links are not followed: nothing here reads a disk,
/// and the kernel's confinement knows them.
pub(super) fn look(file: &str, folder: &Path, grounds: &Grounds) -> Found {
    if DEVICES.contains(&file) || file.starts_with("/dev/fd/") {
        return Found::Nothing;
    }
    let path = if file == "~" || file.starts_with("~/") {
        // Wherever the home is, it is not the place.
        PathBuf::from("/~")
    } else {
        plain(&folder.join(file))
    };
    if let Ok(inside) = path.strip_prefix(&grounds.place) {
        return inside_place(inside);
    }
    if grounds.temporary.iter().any(|temporary| path.starts_with(temporary)) {
        return Found::Nothing;
    }
    Found::Forbidden(format!(
        "`{file}` lies outside the place. Work only below `{}`",
        grounds.place.display()
    ))
}

fn inside_place(inside: &Path) -> Found {
    if inside.components().any(|part| part == Component::Normal(".git".as_ref())) {
        return Found::Forbidden(
            "an agent does not write in `.git`: windlass commits what is proven. Leave your work in \
             the files"
                .to_owned(),
        );
    }
    let own = |name: &str| inside.starts_with(Path::new(".windlass/run").join(name));
    if let Some(name) = WRITTEN_BY_WINDLASS.into_iter().find(|name| own(name)) {
        return Found::Forbidden(format!(
            "`.windlass/run/{name}` is written by windlass and only read by agents. To publish a \
             fact use `windlass context set KEY=VALUE`"
        ));
    }
    Found::Nothing
}

/// Takes `.` and `..` out of an absolute path.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            Component::RootDir | Component::Prefix(_) | Component::Normal(_) => plain.push(part),
        }
    }
    plain
}
