//! A file name that a glob matches.

use crate::glob;

/// How many names are tried for one glob.
const MOST_NAMES: usize = 64;

/// Returns a file that the pattern at `index` matches and no pattern before it.
pub(super) fn file_for(patterns: &[&str], index: usize) -> Option<String> {
    let matches = |pattern: &str, name: &str| {
        glob::compile(pattern).is_ok_and(|glob| glob.compile_matcher().is_match(name))
    };
    names(patterns[index]).into_iter().find(|name| {
        matches(patterns[index], name)
            && !patterns[..index].iter().any(|earlier| matches(earlier, name))
    })
}

/// Returns names that a glob likely matches: each alternative, with and without folders.
fn names(pattern: &str) -> Vec<String> {
    let mut open = vec![pattern.to_owned()];
    let mut flat = Vec::new();
    while let Some(text) = open.pop() {
        if open.len() + flat.len() > MOST_NAMES {
            break;
        }
        match innermost_braces(&text) {
            Some((start, end)) => {
                let inside = &text[start + 1..end];
                for part in inside.split(',').rev() {
                    open.push(format!("{}{part}{}", &text[..start], &text[end + 1..]));
                }
            }
            None => flat.push(text),
        }
    }
    let mut names = Vec::new();
    for text in flat {
        for (folders, rest) in [("", "file"), ("folder/", "file"), ("a/b/", "a/b/file")] {
            for letter in ["x", "zz", "other_name"] {
                let name = text.replace("**/", folders).replace("**", rest);
                let name = name.replace('*', letter).replace('?', "q");
                names.push(without_classes(&name));
            }
        }
    }
    names
}

fn innermost_braces(text: &str) -> Option<(usize, usize)> {
    let end = text.find('}')?;
    let start = text[..end].rfind('{')?;
    Some((start, end))
}

/// Puts the first letter of each class in its place.
fn without_classes(text: &str) -> String {
    let mut name = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        name.push_str(before);
        let Some((class, behind)) = after.split_once(']') else { return text.to_owned() };
        let negated = class.starts_with(['!', '^']);
        name.push(if negated { '~' } else { class.chars().next().unwrap_or('x') });
        rest = behind;
    }
    name + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_for_globs_as_people_write_them() {
        for pattern in
            ["**/*.sql", "src/**", "**/*.{ts,html,scss}", "a/?.txt", "[ab]*.md", "db", "{a,b}/**/c"]
        {
            assert!(file_for(&[pattern], 0).is_some(), "{pattern}");
        }
    }

    #[test]
    fn a_pattern_behind_one_that_takes_everything_has_no_file() {
        assert_eq!(file_for(&["**", "src/**"], 1), None);
        assert!(file_for(&["src/*", "src/**"], 1).is_some());
        assert!(file_for(&["**/*.ts", "**/*.{ts,js}"], 1).is_some());
    }
}
