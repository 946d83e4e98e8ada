//! Words of others as a part of a name.

/// What stands where nothing of a text can.
const NOTHING: &str = "change";

/// The longest slug; with a prefix and a number it stays below what file systems take.
const MAX_CHARACTERS: usize = 50;

/// Turns any text into lower-case letters, digits and single dashes: never empty, at most fifty
/// characters, with no dash at either end. A branch or a path can hold it, and no program takes it
/// for a flag.
pub fn slug(text: &str) -> String {
    let mut slug = String::new();
    for c in text.chars() {
        if slug.len() >= MAX_CHARACTERS {
            break;
        }
        if c.is_ascii_alphanumeric() {
            slug.push(c.to_ascii_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    match slug.trim_matches('-') {
        "" => NOTHING.to_owned(),
        slug => slug.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_has_only_letters_digits_and_single_dashes() {
        assert_eq!(slug("Sums are off, by one!"), "sums-are-off-by-one");
        assert_eq!(slug("--help"), "help");
        assert_eq!(slug("$(rm -rf /)"), "rm-rf");
        assert_eq!(slug("../../etc/passwd.lock"), "etc-passwd-lock");
        assert_eq!(slug("a\n\u{202e}b"), "a-b");
        for nothing in ["", "  ", "…", "修正", "---"] {
            assert_eq!(slug(nothing), "change");
        }
        assert_eq!(slug(&"x".repeat(10_000)).len(), 50);
        assert_eq!(slug(&"x ".repeat(10_000)).len(), 49);
    }
}
