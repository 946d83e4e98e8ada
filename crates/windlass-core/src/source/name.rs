//! What can be a name.

/// Returns whether `text` can be an input's name or one part of a context key.
pub(crate) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Returns whether `name` can be the name of a role: a plain word, which is safe in a path, in an
/// argument and in a prompt.
pub fn is_role_name(name: &str) -> bool {
    const LONGEST: usize = 64;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    name.len() <= LONGEST
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(plain)
}
