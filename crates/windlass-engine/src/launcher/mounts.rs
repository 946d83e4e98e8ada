//! Building the root of a view, in the mount namespace that it is for.
//!
//! Layers are named relative to a staging folder, by one-letter links: overlayfs splits its options
//! at colons and commas, which paths may hold, and what a program reads in `/proc/self/mountinfo`
//! then names nothing of the host.

use std::os::fd::AsFd as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
use rustix::io::Errno;
use rustix::mount::{
    MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, UnmountFlags, mount,
    mount_change, move_mount, open_tree, unmount,
};

use super::mount_points::{MountPoints, SHARED, names};
use super::os;
use super::view::{Mount, Upper, View};

/// Device files that every program expects.
const DEVICES: [&str; 6] = ["null", "zero", "full", "random", "urandom", "tty"];

/// Links that every program expects beside them.
const DEVICE_LINKS: [(&str, &str); 5] = [
    ("ptmx", "pts/ptmx"),
    ("fd", "/proc/self/fd"),
    ("stdin", "/proc/self/fd/0"),
    ("stdout", "/proc/self/fd/1"),
    ("stderr", "/proc/self/fd/2"),
];

/// Parts of `/proc` through which root could change the machine without any capability.
const PROC_READ_ONLY: [&str; 5] = ["sys", "irq", "bus", "fs", "acpi"];

/// Parts of `/proc` that are nobody's business in a box.
const PROC_HIDDEN: [&str; 9] = [
    "sysrq-trigger",
    "kcore",
    "keys",
    "key-users",
    "timer_list",
    "sched_debug",
    "scsi",
    "latency_stats",
    "kmsg",
];

/// A folder in memory: what lies in it is in no process's memory, so no watch over those sees it. By
/// default it would be half of the machine's. Browsers under test need some hundred megabytes.
const MEMORY: &std::ffi::CStr = c"mode=1777,size=1g,nr_inodes=100k";

/// How often a path is looked at that the kernel could not follow undisturbed.
const MAX_TRIES: u32 = 1000;

/// Words for a step that failed, with the reason.
type Step<T> = Result<T, String>;

/// Builds the root of `view` and makes it the root of this process, which is alone in new mount,
/// process and user namespaces.
pub(super) fn enter(view: &View) -> Step<()> {
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    mount_change("/", private).map_err(said("make mounts private"))?;
    let stage = Stage::make(&view.stage)?;
    let root = stage.root.clone();
    stage.lay_out(view);
    stage.overlay(&[&stage.points], Some(&view.writes), &root)?;
    // First, because a checkout may lie in `/dev/shm`.
    stage.devices()?;
    for each in &view.mounts {
        stage.add(each)?;
    }
    stage.proc()?;
    rustix::process::chdir(&root).map_err(said("enter the new root"))?;
    rustix::process::pivot_root(".", ".").map_err(said("change the root"))?;
    unmount(".", UnmountFlags::DETACH).map_err(said("leave the old root"))?;
    rustix::process::chdir("/").map_err(said("enter the new root"))
}

/// A folder in memory with the links that name layers, and the root beside them.
struct Stage {
    links: PathBuf,
    root: PathBuf,
    /// Places to mount on: the lowest layer of the root.
    points: PathBuf,
    /// An empty folder: the lowest layer of everything else.
    nothing: PathBuf,
    /// An empty file.
    empty: PathBuf,
}

impl Stage {
    fn make(at: &Path) -> Step<Self> {
        let flags = MountFlags::NOSUID | MountFlags::NODEV;
        mount("tmpfs", at, "tmpfs", flags, c"mode=755,size=4m").map_err(said("stage the root"))?;
        let stage = Self {
            links: at.join("l"),
            root: at.join("r"),
            points: at.join("p"),
            nothing: at.join("n"),
            empty: at.join("e"),
        };
        for folder in [&stage.links, &stage.root, &stage.points, &stage.nothing] {
            fs_err::create_dir(folder).map_err(|error| error.to_string())?;
        }
        fs_err::write(&stage.empty, "").map_err(|error| error.to_string())?;
        Ok(stage)
    }

    /// Returns where a path of the view is while the root is being built.
    fn inside(&self, to: &Path) -> PathBuf {
        self.root.join(names(to))
    }

    /// Lays out what will be mounted on, in the order in which it is mounted.
    fn lay_out(&self, view: &View) {
        let mut points = MountPoints::new(&self.points);
        let dev = Path::new("/dev");
        let devices = DEVICES.map(|name| dev.join(name)).into_iter();
        devices.filter(|host| host.exists()).for_each(|device| points.file(&device));
        ["shm", "pts"].iter().for_each(|name| points.mounted(&dev.join(name)));
        for (name, target) in DEVICE_LINKS {
            points.link(&dev.join(name), Path::new(target));
        }
        view.mounts.iter().for_each(|mount| points.add(mount));
        points.mounted(Path::new("/proc"));
    }

    fn add(&self, each: &Mount) -> Step<()> {
        let at = self.inside(each.to());
        match each {
            Mount::ReadOnly { from, .. } => {
                self.ready(&at, from.is_dir())?;
                self.bind(from, &at, true)
            }
            Mount::Writable { from, .. } => {
                self.ready(&at, from.is_dir())?;
                self.bind(from, &at, false)
            }
            Mount::Overlay { layers, upper, .. } => {
                self.ready(&at, true)?;
                let layers: Vec<&Path> = layers.iter().map(PathBuf::as_path).collect();
                self.overlay(&layers, upper.as_ref(), &at)
            }
            Mount::Memory { .. } => {
                self.ready(&at, true)?;
                self.memory(&at)
            }
            Mount::Folder { .. } => self.ready(&at, true),
            Mount::Shared { .. } => {
                self.ready(&at, true)?;
                let mode = fs_err::metadata(&at).map(|found| found.permissions().mode() & 0o7777);
                if mode.is_ok_and(|mode| mode == SHARED) {
                    return Ok(());
                }
                rustix::fs::chmod(&at, Mode::from_raw_mode(SHARED)).map_err(said("share a folder"))
            }
            Mount::Link { target, .. } => {
                if at.symlink_metadata().is_ok() {
                    return Ok(());
                }
                self.ready(at.parent().unwrap_or(&self.root), true)?;
                match std::os::unix::fs::symlink(target, &at) {
                    Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
                        Err(format!("failed to link `{}`: {error}", each.to().display()))
                    }
                    Ok(()) | Err(_) => Ok(()),
                }
            }
            Mount::Mask { .. } => self.mask(&at),
        }
    }

    /// Makes sure that there is a folder or a file to mount on.
    fn ready(&self, at: &Path, is_folder: bool) -> Step<()> {
        // A folder of an agent's may be on the way, and its links lead to the host until the root is
        // changed.
        if !self.leads_inside(at).map_err(said("look at what is shown"))? {
            return Err(format!("`{}` leads out of what is shown", at.display()));
        }
        if at.symlink_metadata().is_ok_and(|found| found.is_dir() == is_folder) {
            return Ok(());
        }
        let made = if is_folder {
            fs_err::create_dir_all(at)
        } else {
            let parent = at.parent().unwrap_or(&self.root);
            fs_err::create_dir_all(parent).and_then(|()| fs_err::write(at, ""))
        };
        made.map_err(|error| format!("failed to make a place to mount: {error}"))
    }

    /// Says whether what is there of a path is within the root, wherever its links lead.
    fn leads_inside(&self, at: &Path) -> rustix::io::Result<bool> {
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        let root = rustix::fs::open(&self.root, flags | OFlags::DIRECTORY, Mode::empty())?;
        let Ok(inside) = at.strip_prefix(&self.root) else { return Ok(false) };
        for above in inside.ancestors() {
            let path = if above.as_os_str().is_empty() { Path::new(".") } else { above };
            let mut tries = 0;
            let found = loop {
                match openat2(&root, path, flags, Mode::empty(), ResolveFlags::BENEATH) {
                    // Somebody renamed or mounted something, anywhere, while a link climbed.
                    Err(Errno::AGAIN | Errno::INTR) if tries < MAX_TRIES => tries += 1,
                    found => break found,
                }
            };
            match found {
                Ok(_) => return Ok(true),
                Err(Errno::NOENT | Errno::NOTDIR | Errno::ACCESS) => {}
                Err(Errno::XDEV | Errno::LOOP) => return Ok(false),
                Err(error) => return Err(error),
            }
        }
        Ok(false)
    }

    /// Shows a folder or file of the host, with everything that is mounted below it.
    fn bind(&self, from: &Path, at: &Path, read_only: bool) -> Step<()> {
        let words = || format!("show `{}`", from.display());
        let flags = OpenTreeFlags::OPEN_TREE_CLONE
            | OpenTreeFlags::OPEN_TREE_CLOEXEC
            | OpenTreeFlags::AT_RECURSIVE;
        let tree = open_tree(CWD, from, flags).map_err(said(&words()))?;
        if read_only {
            os::set_mounts_read_only(tree.as_fd()).map_err(said(&words()))?;
        }
        let onto = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH;
        move_mount(&tree, "", CWD, at, onto).map_err(said(&words()))
    }

    fn overlay(&self, layers: &[&Path], upper: Option<&Upper>, at: &Path) -> Step<()> {
        let mut names = 0;
        let mut name = |target: &Path| -> Step<String> {
            let link = format!("{names}");
            names += 1;
            let path = self.links.join(&link);
            let _ = fs_err::remove_file(&path);
            std::os::unix::fs::symlink(target, &path).map_err(|error| error.to_string())?;
            Ok(link)
        };
        let mut lower: Vec<String> = Vec::new();
        for layer in layers {
            lower.push(name(layer)?);
        }
        if upper.is_none() {
            // A lone layer without an upper one is refused.
            lower.push(name(&self.nothing)?);
        }
        let mut options = format!("userxattr,lowerdir={}", lower.join(":"));
        if let Some(upper) = upper {
            options.push_str(&format!(
                ",upperdir={},workdir={}",
                name(&upper.dir)?,
                name(&upper.work)?
            ));
            if upper.volatile {
                options.push_str(",volatile");
            }
        }
        let options = std::ffi::CString::new(options).map_err(|error| error.to_string())?;
        rustix::process::chdir(&self.links).map_err(said("stage layers"))?;
        let flags = MountFlags::NOSUID | MountFlags::NODEV;
        let mounted = mount("overlay", at, "overlay", flags, options.as_c_str());
        mounted.map_err(|error| {
            let bottom = layers.first().unwrap_or(&at);
            format!("failed to mount layers over `{}`: {error}", bottom.display())
        })
    }

    fn memory(&self, at: &Path) -> Step<()> {
        let flags = MountFlags::NOSUID | MountFlags::NODEV;
        mount("tmpfs", at, "tmpfs", flags, MEMORY).map_err(said("mount a folder in memory"))
    }

    /// Puts nothing over something that is there.
    fn mask(&self, at: &Path) -> Step<()> {
        match fs_err::metadata(at) {
            Ok(found) if found.is_dir() => self.bind(&self.nothing, at, true),
            Ok(_) => self.bind(&self.empty, at, true),
            Err(_) => Ok(()),
        }
    }

    /// Mounts the process table of this namespace, without what could change the machine.
    fn proc(&self) -> Step<()> {
        let at = self.root.join("proc");
        self.ready(&at, true)?;
        let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
        mount("proc", &at, "proc", flags, c"").map_err(said("mount proc"))?;
        for name in PROC_READ_ONLY.map(|name| at.join(name)) {
            if name.exists() {
                self.bind(&name, &name, true)?;
            }
        }
        PROC_HIDDEN.iter().try_for_each(|name| self.mask(&at.join(name)))
    }

    /// The few devices that are no way to anybody, and terminals of its own.
    fn devices(&self) -> Step<()> {
        let dev = self.root.join("dev");
        self.ready(&dev, true)?;
        for name in DEVICES {
            let host = Path::new("/dev").join(name);
            if host.exists() {
                self.ready(&dev.join(name), false)?;
                // Read-only is about the node: a device can be written all the same.
                self.bind(&host, &dev.join(name), true)?;
            }
        }
        self.ready(&dev.join("shm"), true)?;
        self.memory(&dev.join("shm"))?;
        self.ready(&dev.join("pts"), true)?;
        let flags = MountFlags::NOSUID | MountFlags::NOEXEC;
        let options = c"newinstance,ptmxmode=0666,mode=620";
        mount("devpts", dev.join("pts"), "devpts", flags, options)
            .map_err(said("mount terminals"))?;
        for (name, target) in DEVICE_LINKS {
            let link = dev.join(name);
            if link.read_link().is_ok_and(|found| found == Path::new(target)) {
                continue;
            }
            std::os::unix::fs::symlink(target, link)
                .map_err(|error| format!("failed to link /dev/{name}: {error}"))?;
        }
        Ok(())
    }
}

/// Says which step failed, and why.
fn said<E: Into<std::io::Error>>(step: &str) -> impl FnOnce(E) -> String + use<'_, E> {
    move |error| format!("failed to {step}: {}", error.into())
}
