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

/// The README and every page in `docs`, by their paths in the repository.
pub(crate) fn all() -> Vec<String> {
    let mut pages = vec!["README.md".to_owned()];
    for entry in fs_err::read_dir(root().join("docs")).expect("the documentation") {
        let name = entry.expect("an entry").file_name().into_string().expect("a name");
        if Path::new(&name).extension().is_some_and(|extension| extension == "md") {
            pages.push(format!("docs/{name}"));
        }
    }
    pages.sort();
    pages
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
