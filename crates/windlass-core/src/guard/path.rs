//! Which files may be read and written, by who sits where.

use std::path::{Component, Path, PathBuf};

use super::shell::Walk;
use super::word::is_known;
use super::{Found, Grounds, Seat};
use crate::glob;
use crate::protect::IN_SHORT;

/// What windlass keeps in a place for agents to read, below `.windlass/run`.
const WRITTEN_BY_WINDLASS: [&str; 3] = ["state.json", "log", "evidence"];

/// Where agents of steps leave papers.
const PAPERS: [&str; 2] = [".windlass/run/specs", ".windlass/run/reports"];

/// Devices that commands read and write as a matter of course.
const DEVICES: [&str; 8] = [
    "/dev/null",
    "/dev/stdout",
    "/dev/stderr",
    "/dev/stdin",
    "/dev/tty",
    "/dev/zero",
    "/dev/full",
    "/dev/urandom",
];

/// Files that end like papers and hold what the host runs.
const RUN_BY_HOSTS: [&str; 1] = [".mcp.json"];

/// Where variables lead that name folders of windlass and of the host; nothing here knows the folders.
pub(super) const OWN_FOLDERS: [(&str, &str); 4] = [
    ("WINDLASS_HOME", "/~own/windlass"),
    ("CLAUDE_CONFIG_DIR", "/~own/claude"),
    ("CLAUDE_PLUGIN_ROOT", "/~own/plugin"),
    ("CODEX_HOME", "/~own/codex"),
];

/// What is about to be done with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
    /// A folder is made or removed.
    Folder,
}

impl Walk<'_> {
    /// Looks at a file that a command names.
    pub(super) fn file(&mut self, file: &str, access: Access) {
        if !is_known(file) {
            self.unknown_file(file, access);
            return;
        }
        let Some(folder) =
            self.shell.folder.clone().or_else(|| file.starts_with(['/', '~']).then(PathBuf::new))
        else {
            self.unknown_file(file, access);
            return;
        };
        self.note(look(file, &folder, access, self.grounds, self.real));
    }

    /// Names that cannot be seen are left to what confines the agent; the orchestrator writes none.
    fn unknown_file(&mut self, file: &str, access: Access) {
        let ends_well = access == Access::Read
            && self.grounds.endings.iter().any(|ending| file.ends_with(ending.as_str()));
        // A process substitution is no file.
        let process = file.starts_with(super::word::PROCESS);
        if self.grounds.seat == Seat::Orchestrator && !ends_well && !process {
            self.cannot_tell(
                "which file this reads or writes cannot be seen. Write its name out; code is read and \
                 written by the agent of a step",
            );
        } else if access != Access::Read && speaks_of_git(file) {
            self.cannot_tell(
                "this may write in `.git`, which an agent does not do. Write the path out",
            );
        }
    }
}

fn speaks_of_git(file: &str) -> bool {
    file.split('/').any(|part| part == ".git")
}

/// Looks at a file that is about to be read or written.
pub(super) fn look(
    file: &str,
    folder: &Path,
    access: Access,
    grounds: &Grounds,
    real: &dyn Fn(&Path) -> PathBuf,
) -> Found {
    if DEVICES.contains(&file) || file.starts_with("/dev/fd/") {
        return Found::Nothing;
    }
    let path = if file == "~" || file.starts_with("~/") {
        // Wherever the home is, it is not the place.
        Path::new("/~").join(file.trim_start_matches(['~', '/']))
    } else {
        plain(&folder.join(file))
    };
    let path = real(&path);
    if grounds.seat == Seat::Attempt {
        return match access {
            Access::Write | Access::Folder => attempt_writes(file, &path, grounds),
            Access::Read => Found::Nothing,
        };
    }
    // Whoever removes or moves a folder has all below it, so what lies above counts for writing. This
    // comes before every permission: a home may lie below the system's temporary folder.
    // Within the place it would refuse `cp x .`, and the rules of the place cover what lies there.
    let outside = access == Access::Write && !path.starts_with(&grounds.place);
    let above = |limit: &PathBuf| outside && limit.starts_with(&path);
    let limited = |limit: &PathBuf| path.starts_with(limit) || above(limit);
    if path.starts_with("/~own") || grounds.off_limits.iter().any(limited) {
        return Found::Forbidden(format!(
            "`{file}` belongs to windlass or to the host, and is neither read nor written by agents. Ask \
             `windlass status` for where the run stands"
        ));
    }
    match (access, grounds.seat) {
        (Access::Read, Seat::Orchestrator) => orchestrator_reads(file, &path, grounds),
        (Access::Read, Seat::Subagent | Seat::Attempt) => Found::Nothing,
        (Access::Write | Access::Folder, _) => hosted_writes(file, &path, access, grounds),
    }
}

fn attempt_writes(file: &str, path: &Path, grounds: &Grounds) -> Found {
    if let Ok(inside) = path.strip_prefix(&grounds.place) {
        return inside_place(inside);
    }
    outside(file, path, grounds)
}

fn outside(file: &str, path: &Path, grounds: &Grounds) -> Found {
    if grounds.is_temporary(path) {
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

fn hosted_writes(file: &str, path: &Path, access: Access, grounds: &Grounds) -> Found {
    let Ok(inside) = path.strip_prefix(&grounds.place) else {
        return outside(file, path, grounds).or(|| ending(file, path, access, grounds));
    };
    let found = inside_place(inside);
    if found != Found::Nothing {
        return found;
    }
    let subagent = grounds.seat == Seat::Subagent;
    if subagent && PAPERS.iter().any(|papers| inside.starts_with(papers)) {
        return Found::Nothing;
    }
    if inside.starts_with(".windlass") {
        return Found::Forbidden(format!(
            "`{file}` belongs to windlass. Documents of a step go below `.windlass/run/specs`, written by the \
             step's agent"
        ));
    }
    let settings = inside.strip_prefix(".claude").is_ok_and(|rest| {
        !subagent || rest.to_string_lossy().starts_with("settings") || rest.starts_with("plugins")
    });
    if settings {
        return Found::Forbidden(format!(
            "`{file}` configures the host that windlass relies on. Leave it as it is"
        ));
    }
    if matches_any(&grounds.protected, inside) {
        return Found::Forbidden(format!(
            "`{file}` is protected: it judges the work. If it has to change, say so in your report and \
             leave it. Besides what the workflow names these always are: {IN_SHORT}"
        ));
    }
    if !subagent {
        return run_by_host(file, path).or(|| ending(file, path, access, grounds));
    }
    let holds_allowed = || grounds.may_write.iter().any(|glob| glob_is_below(glob, inside));
    let allowed = grounds.may_write.is_empty()
        || matches_any(&grounds.may_write, inside)
        || (access == Access::Folder && holds_allowed());
    if allowed {
        return Found::Nothing;
    }
    Found::Forbidden(format!(
        "`{file}` is outside of what this step may write ({}). Write only there",
        grounds.may_write.join(", ")
    ))
}

/// What the orchestrator writes there, the host starts in the next session.
fn run_by_host(file: &str, path: &Path) -> Found {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    if !RUN_BY_HOSTS.contains(&name.as_str()) {
        return Found::Nothing;
    }
    Found::Forbidden(format!(
        "the orchestrator does not write `{file}`: the host starts what stands in it. The agent of a step writes \
         it"
    ))
}

/// The orchestrator writes and reads papers and settings, never code.
fn ending(file: &str, path: &Path, access: Access, grounds: &Grounds) -> Found {
    if grounds.seat != Seat::Orchestrator || access == Access::Folder || has_ending(path, grounds) {
        return Found::Nothing;
    }
    Found::Forbidden(format!(
        "the orchestrator does not write `{file}`: it writes only files that end in {}. The agent of a \
         step writes code",
        grounds.endings.join(" ")
    ))
}

fn orchestrator_reads(file: &str, path: &Path, grounds: &Grounds) -> Found {
    if has_ending(path, grounds) {
        return Found::Nothing;
    }
    Found::Forbidden(format!(
        "the orchestrator does not read `{file}`: it reads only files that end in {}. The agent of a step \
         reads code",
        grounds.endings.join(" ")
    ))
}

pub(super) fn has_ending(path: &Path, grounds: &Grounds) -> bool {
    let Some(name) = path.file_name() else { return false };
    let name = name.to_string_lossy().to_lowercase();
    grounds.endings.iter().any(|ending| name.ends_with(ending.as_str()))
}

fn matches_any(globs: &[String], path: &Path) -> bool {
    let matches = |pattern: &String| match glob::compile(pattern) {
        Ok(glob) => glob.compile_matcher().is_match(path),
        // A pattern that cannot be read was refused long before; here it protects what it names.
        Err(_) => path.starts_with(pattern),
    };
    globs.iter().any(matches)
}

/// Whether a glob can match something below a folder.
fn glob_is_below(glob: &str, folder: &Path) -> bool {
    let plain: PathBuf = Path::new(glob)
        .components()
        .take_while(|part| !part.as_os_str().to_string_lossy().contains(['*', '?', '[', '{']))
        .collect();
    plain.starts_with(folder) || folder.starts_with(&plain)
}

/// Takes `.` and `..` out of an absolute path.
pub(super) fn plain(path: &Path) -> PathBuf {
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
