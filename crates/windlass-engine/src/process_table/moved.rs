//! Bytes that a process moved.

/// Bytes that a process and the children it waited for moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Io {
    /// Through read and write calls of any kind.
    pub(crate) calls: u64,
    /// To files of a disk.
    pub(crate) files: u64,
}

/// Returns the bytes that a process and the children it waited for moved; zero when not readable.
pub(crate) fn io(pid: i32) -> Io {
    let text = fs_err::read_to_string(format!("/proc/{pid}/io")).unwrap_or_default();
    let value = |name: &str| {
        text.lines()
            .find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok())
            .unwrap_or(0)
    };
    Io { calls: value("rchar:") + value("wchar:"), files: value("write_bytes:") }
}
