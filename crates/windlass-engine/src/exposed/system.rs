//! What every program needs to run at all: the system's own folders, read-only.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::Access;

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

/// Keys among the system's settings, which root could read, and ways to its daemons.
const KEYS: &[&str] = &[
    "/etc/NetworkManager/system-connections",
    "/etc/apt/auth.conf",
    "/etc/apt/auth.conf.d",
    "/etc/docker/key.json",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/ipsec.secrets",
    "/etc/krb5.keytab",
    "/etc/kubernetes",
    "/etc/letsencrypt",
    "/etc/netplan",
    "/etc/openvpn",
    "/etc/pki/tls/private",
    "/etc/ppp",
    "/etc/rancher",
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/ssl/private",
    "/etc/sudoers",
    "/etc/sudoers.d",
    "/etc/wireguard",
    "/nix/var/nix/daemon-socket",
    "/sys/fs/cgroup",
    "/sys/kernel/debug",
    "/sys/kernel/security",
    "/sys/kernel/tracing",
];

/// Where the system's settings lie.
const SETTINGS: &str = "/etc";

/// Settings that every program needs, whoever may read them.
const NEEDED: &[&str] = &[
    "group",
    "hostname",
    "hosts",
    "ld.so.cache",
    "ld.so.conf",
    "localtime",
    "machine-id",
    "nsswitch.conf",
    "passwd",
    "resolv.conf",
];

/// More files than any machine has settings; what is beyond is shown or hidden as its folder is.
const MAX_SETTINGS: usize = 50_000;

pub(super) fn look(exposed: &mut Exposed) {
    for folder in FOLDERS.iter().chain(PARTS_OF_VAR).map(Path::new) {
        match folder.read_link() {
            Ok(target) => exposed.links.push((folder.to_owned(), target)),
            Err(_) => exposed.show_system(folder),
        }
    }
    // Many machines keep the file that names their name servers in `/run`.
    exposed.show(Path::new("/etc/resolv.conf"), How::System, &[]);
    exposed.links.retain(|(link, _)| link != Path::new("/etc/resolv.conf"));
    let keys = KEYS.iter().map(PathBuf::from).filter(|path| path.exists());
    exposed.keys = keys.chain(closed_to_others(Path::new(SETTINGS))).collect();
    exposed.keys.sort();
    exposed.keys.dedup();
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

/// Finds the files and folders that not everybody may read, and that whoever runs windlass may: a
/// machine keeps its keys in many places, and root could read them all.
fn closed_to_others(settings: &Path) -> Vec<PathBuf> {
    let (mut found, mut looked_at) = (Vec::new(), 0);
    let mut folders = vec![settings.to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs_err::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            looked_at += 1;
            if looked_at > MAX_SETTINGS {
                return found;
            }
            let (path, Ok(metadata)) = (entry.path(), entry.metadata()) else { continue };
            let open = if metadata.is_dir() { 0o005 } else { 0o004 };
            let is_needed = folder == settings
                && entry.file_name().to_str().is_some_and(|name| NEEDED.contains(&name));
            if metadata.is_symlink() || is_needed {
                continue;
            }
            if metadata.mode() & open != open {
                found.extend(is_readable(&path).then_some(path));
            } else if metadata.is_dir() {
                folders.push(path);
            }
        }
    }
    found
}

fn is_readable(path: &Path) -> bool {
    rustix::fs::access(path, Access::READ_OK).is_ok()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn settings_that_not_everybody_may_read_are_keys() {
        let dir = tempfile::tempdir().unwrap();
        let etc = dir.path();
        for (path, mode) in [
            ("passwd", 0o600),
            ("vpn/secret.conf", 0o640),
            ("vpn/open.conf", 0o644),
            ("private/key.pem", 0o644),
        ] {
            fs_err::create_dir_all(etc.join(path).parent().unwrap()).unwrap();
            fs_err::write(etc.join(path), "").unwrap();
            let mode = std::fs::Permissions::from_mode(mode);
            fs_err::set_permissions(etc.join(path), mode).unwrap();
        }
        fs_err::set_permissions(etc.join("vpn"), std::fs::Permissions::from_mode(0o755)).unwrap();
        let closed = std::fs::Permissions::from_mode(0o710);
        fs_err::set_permissions(etc.join("private"), closed).unwrap();
        let mut found = closed_to_others(etc);
        found.sort();
        assert_eq!(found, ["private", "vpn/secret.conf"].map(|path| etc.join(path)));
    }
}
