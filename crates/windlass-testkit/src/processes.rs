//! What is still running.

use std::path::Path;

/// Returns the processes whose arguments, environment or folder name `root`, the caller excepted.
pub fn left_behind(root: &Path) -> Vec<String> {
    let needle = root.as_os_str().as_encoded_bytes();
    let me = std::process::id().to_string();
    let mut found = Vec::new();
    let Ok(entries) = std::fs::read_dir("/proc") else { return found };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(pid) = name.to_str().filter(|name| name.bytes().all(|b| b.is_ascii_digit()))
        else {
            continue;
        };
        if pid == me {
            continue;
        }
        let proc = entry.path();
        // A process that ends while it is looked at is not left behind.
        let arguments = fs_err::read(proc.join("cmdline")).unwrap_or_default();
        let environment = fs_err::read(proc.join("environ")).unwrap_or_default();
        let folder = std::fs::read_link(proc.join("cwd")).unwrap_or_default();
        if contains(&arguments, needle)
            || contains(&environment, needle)
            || folder.starts_with(root)
        {
            let words = String::from_utf8_lossy(&arguments).replace('\0', " ");
            found.push(format!("{pid}: {words}"));
        }
    }
    found
}

fn contains(bytes: &[u8], needle: &[u8]) -> bool {
    bytes.windows(needle.len()).any(|window| window == needle)
}
