//! What every program needs to run at all: the system's own folders, read-only.

use std::path::{Path, PathBuf};

use super::{Exposed, How};
use crate::launcher::view::Mount;

/// Folders of the system. Some are links on many machines, and stay links.
const FOLDERS: &[&str] = &[
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix", "/gnu",
    "/snap", "/sys",
];

/// Parts of `/var` that programs read and that hold nobody's data.
const PARTS_OF_VAR: &[&str] = &[
    "/var/lib/ca-certificates-java",
    "/var/lib/dpkg",
    "/var/lib/gems",
    "/var/lib/ghc",
    "/var/lib/python",
    "/var/lib/texmf",
    "/var/cache/fontconfig",
];

/// Keys among the system's settings, which root could read.
const KEYS: &[&str] = &[
    "/etc/NetworkManager/system-connections",
    "/etc/docker/key.json",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/krb5.keytab",
    "/etc/kubernetes",
    "/etc/openvpn",
    "/etc/ppp",
    "/etc/rancher",
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/ssl/private",
    "/etc/sudoers",
    "/etc/sudoers.d",
    "/etc/wireguard",
    "/sys/fs/cgroup",
    "/sys/kernel/debug",
    "/sys/kernel/security",
    "/sys/kernel/tracing",
];

/// Where host keys lie.
const HOST_KEYS: &str = "/etc/ssh";

pub(super) fn look(exposed: &mut Exposed) {
    for folder in FOLDERS.iter().chain(PARTS_OF_VAR).map(Path::new) {
        match folder.read_link() {
            Ok(target) => exposed.links.push((folder.to_owned(), target)),
            Err(_) => exposed.show(folder, How::System, &[]),
        }
    }
    // Many machines keep the file that names their name servers in `/run`.
    exposed.show(Path::new("/etc/resolv.conf"), How::System, &[]);
    exposed.links.retain(|(link, _)| link != Path::new("/etc/resolv.conf"));
}

/// Folders that are the view's own, and links of the usual layout.
pub(super) fn mounts() -> Vec<Mount> {
    let temp = ["/tmp", "/var/tmp"].map(|path| Mount::Shared { to: path.into() });
    let own = [
        Mount::Folder { to: "/run".into() },
        Mount::Link { to: "/var/run".into(), target: "/run".into() },
    ];
    temp.into_iter().chain(own).collect()
}

/// Puts nothing where keys are.
pub(super) fn masks() -> Vec<Mount> {
    let entries = fs_err::read_dir(HOST_KEYS).into_iter().flatten().flatten();
    let host_keys = entries.map(|entry| entry.path()).filter(|path| is_host_key(path));
    let keys = KEYS.iter().map(PathBuf::from).chain(host_keys);
    keys.filter(|path| path.exists()).map(|to| Mount::Mask { to }).collect()
}

fn is_host_key(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.starts_with("ssh_host_") && !name.ends_with(".pub")
}
