//! The files that the text of a task names.

/// The longest extension that makes a word a file.
const MAX_EXTENSION: usize = 10;

/// Returns the files that a text names, each once, in the order of the text.
///
/// A word is a file if it has a `/` and ends in an extension, or if it stands in backticks and has one of the
/// two, or if it has an extension that no ordinary word has. `and/or`, `Node.js`, `e.g.` and addresses are none.
pub(super) fn files(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let bare = word.trim_matches(['(', ')', ',', ';', ':', '"', '\'', '*', '!', '?']);
        let quoted = bare.trim_end_matches('.').len() > 2
            && bare.starts_with('`')
            && bare.trim_end_matches('.').ends_with('`');
        let bare = bare.trim_end_matches('.').trim_matches('`');
        let path = bare.strip_prefix("./").unwrap_or(bare);
        if is_file(path, quoted) && !found.iter().any(|known| known == path) {
            found.push(path.to_owned());
        }
    }
    found
}

fn is_file(word: &str, quoted: bool) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "._-/@+~[]{}()$*".contains(c);
    if word.is_empty() || word.starts_with('/') || !word.chars().all(plain) {
        return false;
    }
    let (folder, name) = word.rsplit_once('/').unwrap_or(("", word));
    let in_folder = !folder.is_empty();
    match (in_folder, has_extension(name), quoted) {
        (true, true, _) | (true, false, true) | (false, true, true) => true,
        (true, false, false) | (false, false, _) => false,
        // Names of products look like files: `Node.js`, `ASP.NET`.
        (false, true, false) => !name.starts_with(|c: char| c.is_uppercase()) || is_document(name),
    }
}

/// Whether a name that begins with a capital letter is a document all the same: `README.md`.
fn is_document(name: &str) -> bool {
    let extension = name.rsplit('.').next().unwrap_or_default();
    [
        "md", "txt", "toml", "json", "yaml", "yml", "rs", "java", "kt", "cs", "swift", "tsx",
        "jsx", "vue", "go", "py",
    ]
    .contains(&extension)
}

fn has_extension(name: &str) -> bool {
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    // `.env` is a file whose name is all extension; `e.g` and `1.5` are none.
    let stem_counts = match stem.chars().count() {
        0 => extension.len() > 2,
        1 => extension.len() > 1,
        _ => true,
    };
    stem_counts
        && (1..=MAX_EXTENSION).contains(&extension.len())
        && extension.starts_with(|c: char| c.is_ascii_alphabetic())
        && extension.chars().all(|c| c.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::files;

    #[test]
    fn files_are_found_in_ordinary_sentences() {
        for (text, expected) in [
            ("Text with path/of/file.ts", vec!["path/of/file.ts"]),
            (
                "Create `src/models/` and ./src/user.ts, then README.md.",
                vec!["src/models/", "src/user.ts", "README.md"],
            ),
            ("Write tests (tests/login.test.ts): all of them", vec!["tests/login.test.ts"]),
            ("Move src/a.rs to src/a.rs", vec!["src/a.rs"]),
            ("Add `.env` and .gitignore", vec![".env", ".gitignore"]),
            ("Routes in app/[id]/page.tsx", vec!["app/[id]/page.tsx"]),
        ] {
            assert_eq!(files(text), expected, "{text}");
        }
    }

    #[test]
    fn ordinary_words_are_no_files() {
        for text in [
            "read and/or write",
            "use Node.js and ASP.NET",
            "e.g. version 1.5 or v2.0",
            "see https://example.org/a/b.html",
            "GET /api/users.json",
            "100 %. Done.",
            "",
        ] {
            assert!(files(text).is_empty(), "{text}: {:?}", files(text));
        }
    }
}
