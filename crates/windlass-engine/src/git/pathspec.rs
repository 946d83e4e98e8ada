//! What a git command is to leave out.

/// Appends pathspecs, each ended by NUL, that leave out `path` and everything below it.
///
/// A literal pathspec would do, but `git add` then reports an error when an ignore rule covers the
/// path, although nobody asked for it (seen in git 2.47): it compares ignored paths with the part of
/// a pathspec before its first wildcard, left-out ones included. Anybody can write such a rule. One
/// letter as a class of one keeps git from that.
pub(super) fn leave_out(path: &[u8], into: &mut Vec<u8>) {
    let mut pattern = Vec::new();
    let mut in_class = false;
    for &byte in path {
        if byte.is_ascii_alphanumeric() && !in_class {
            pattern.extend([b'[', byte, b']']);
            in_class = true;
        } else {
            if matches!(byte, b'*' | b'?' | b'[' | b'\\') {
                pattern.push(b'\\');
            }
            pattern.push(byte);
        }
    }
    for below in [&b""[..], b"/**"] {
        into.extend_from_slice(b":(exclude,top,glob)");
        into.extend_from_slice(&pattern);
        into.extend_from_slice(below);
        into.push(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_left_out_with_all_below_it() {
        let mut specs = Vec::new();
        leave_out(b".a*b[c\\", &mut specs);
        let specs = String::from_utf8(specs).unwrap();
        let pattern = r".[a]\*b\[c\\";
        assert_eq!(
            specs,
            format!(":(exclude,top,glob){pattern}\0:(exclude,top,glob){pattern}/**\0")
        );
    }
}
