//! The pages of the documentation, as they are in the repository.

use std::path::{Path, PathBuf};

/// The repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

/// One page, by its path in the repository.
pub(crate) fn read(page: &str) -> String {
    fs_err::read_to_string(root().join(page)).expect("a page")
}

/// The contents of the fenced blocks of one language, in order.
pub(crate) fn blocks(text: &str, language: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut open: Option<(bool, String)> = None;
    for line in text.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(info)) => open = Some((info == language, String::new())),
            (None, None) => {}
            (Some(_), Some(_)) => {
                let (wanted, block) = open.take().expect("an open block");
                if wanted {
                    blocks.push(block);
                }
            }
            (Some((_, block)), None) => {
                block.push_str(line);
                block.push('\n');
            }
        }
    }
    assert!(open.is_none(), "a block is never closed");
    blocks
}
