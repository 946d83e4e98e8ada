//! How much disk the layers of runs use.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use windlass_core::bytes::ByteSize;
use windlass_engine::git::UserRepository;
use windlass_engine::home::Home;

use super::Finding;

/// More files than anybody waits for; what is beyond is not counted.
const MAX_COUNTED: u64 = 2_000_000;

/// Counts the layers of each run in this repository, against what one run may use.
pub(super) fn look(home: &Home, user: &UserRepository, limit: ByteSize) -> Finding {
    let folder = home.repository(&user.key).cache;
    let mut runs: Vec<(String, u64)> = fs_err::read_dir(&folder)
        .map(|entries| {
            let runs = entries.flatten().filter(|entry| entry.path().is_dir());
            runs.map(|run| (run.file_name().to_string_lossy().into_owned(), used(&run.path())))
                .collect()
        })
        .unwrap_or_default();
    runs.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
    let all: u64 = runs.iter().map(|(_, bytes)| bytes).sum();
    let detail = serde_json::json!({
        "bytes": all,
        "limit": limit.0,
        "runs": runs.iter().map(|(run, bytes)| serde_json::json!({"run": run, "bytes": bytes}))
            .collect::<Vec<_>>(),
    });
    match runs.first() {
        None => Finding::ok("layers", "no run has any here").with(detail),
        Some((run, bytes)) if *bytes > limit.0 => Finding::warning(
            "layers",
            format!("run `{run}` uses {}, more than `disk_limit` ({limit})", shown(*bytes)),
            "`windlass place prune` removes those of ended runs; or raise `disk_limit`",
        )
        .with(detail),
        Some((run, bytes)) => Finding::ok(
            "layers",
            format!(
                "{} of {}; most of it run `{run}`: {} of {limit} (`disk_limit`)",
                shown(all),
                if runs.len() == 1 { "1 run".to_owned() } else { format!("{} runs", runs.len()) },
                shown(*bytes),
            ),
        )
        .with(detail),
    }
}

pub(super) fn shown(bytes: u64) -> String {
    match bytes {
        0..0x10_0000 => format!("{} KiB", bytes.div_ceil(1 << 10)),
        _ => format!("{} MiB", bytes.div_ceil(1 << 20)),
    }
}

/// What a folder holds on the disk. What cannot be read, or goes away meanwhile, does not count.
pub(in crate::commands) fn used(folder: &Path) -> u64 {
    let (mut bytes, mut count) = (0, 0);
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let Ok(entries) = fs_err::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let Ok(metadata) = entry.metadata() else { continue };
            bytes += metadata.blocks() * 512;
            count += 1;
            if count > MAX_COUNTED {
                return bytes;
            }
            if metadata.is_dir() {
                open.push(entry.path());
            }
        }
    }
    bytes
}
