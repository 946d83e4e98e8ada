//! What a program sees of the machine: the words for a box and for a room.
//!
//! A view is a list of mounts on a new, empty root. What is not listed is not there, so nobody has
//! to think of everything that must be hidden. The launcher carries a view out (`namespace`,
//! `mounts`); what belongs into one is decided by its callers.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// A new root, and what is mounted on it, in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct View {
    /// An empty folder of the host on which the root is put together.
    pub stage: PathBuf,
    /// Where files go that the program writes outside every mount.
    pub writes: Upper,
    /// What is mounted.
    pub mounts: Vec<Mount>,
    /// Which network there is.
    pub network: ViewNetwork,
    /// Which rights a program that runs as root keeps within its namespace.
    pub rights: Rights,
}

/// The writable layer of an overlay. Both folders are on one file system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Upper {
    /// What was written.
    pub dir: PathBuf,
    /// An empty folder that overlayfs needs beside it.
    pub work: PathBuf,
    /// Whether a crash may lose what was written, which makes every `fsync` free.
    pub volatile: bool,
}

impl Upper {
    /// Returns the two folders below `dir`, which the caller makes.
    pub fn below(dir: &Path, volatile: bool) -> Self {
        Self { dir: dir.join("u"), work: dir.join("w"), volatile }
    }

    /// Makes both folders.
    pub fn make(&self) -> std::io::Result<()> {
        fs_err::create_dir_all(&self.dir)?;
        fs_err::create_dir_all(&self.work)
    }
}

/// One mount. `to` is a path in the new root.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Mount {
    /// A folder or file of the host, with all that is mounted below it, that can be read only.
    ReadOnly {
        /// On the host.
        from: PathBuf,
        /// In the view.
        to: PathBuf,
    },
    /// A folder or file of the host that can be written.
    Writable {
        /// On the host.
        from: PathBuf,
        /// In the view.
        to: PathBuf,
    },
    /// Folders of the host on top of each other; without an upper layer it can be read only.
    ///
    /// Unlike a bind, this hides sockets: connecting to one in a lower layer reaches nobody.
    Overlay {
        /// From the top.
        layers: Vec<PathBuf>,
        /// Where it is written to.
        upper: Option<Upper>,
        /// In the view.
        to: PathBuf,
    },
    /// An empty folder in memory.
    Memory {
        /// In the view.
        to: PathBuf,
    },
    /// An empty folder of the root.
    Folder {
        /// In the view.
        to: PathBuf,
    },
    /// An empty folder of the root that every user may write.
    Shared {
        /// In the view.
        to: PathBuf,
    },
    /// A symbolic link of the root.
    Link {
        /// In the view.
        to: PathBuf,
        /// Where it leads.
        target: PathBuf,
    },
    /// Nothing where something was mounted; what is not there needs no mask.
    Mask {
        /// In the view.
        to: PathBuf,
    },
}

impl Mount {
    /// Returns the folders and files of the host that it names.
    pub(crate) fn host_paths(&self) -> Vec<&Path> {
        match self {
            Self::ReadOnly { from, .. } | Self::Writable { from, .. } => vec![from],
            Self::Overlay { layers, upper, .. } => {
                let upper = upper.iter().flat_map(|upper| [&upper.dir, &upper.work]);
                layers.iter().chain(upper).map(PathBuf::as_path).collect()
            }
            Self::Memory { .. }
            | Self::Folder { .. }
            | Self::Shared { .. }
            | Self::Link { .. }
            | Self::Mask { .. } => Vec::new(),
        }
    }

    /// Returns where it is in the view.
    pub fn to(&self) -> &Path {
        match self {
            Self::ReadOnly { to, .. }
            | Self::Writable { to, .. }
            | Self::Overlay { to, .. }
            | Self::Memory { to }
            | Self::Folder { to }
            | Self::Shared { to }
            | Self::Link { to, .. }
            | Self::Mask { to } => to,
        }
    }
}

/// Which network a view has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ViewNetwork {
    /// The machine's.
    Host,
    /// A loopback of its own, and nothing else.
    #[default]
    Own,
}

/// Which rights root keeps within its namespace. An ordinary user has none in any case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rights {
    /// None.
    #[default]
    None,
    /// Owners of files, and other users: suites that drop to another user need them.
    Users,
}
