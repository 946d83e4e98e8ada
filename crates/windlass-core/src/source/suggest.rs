//! The nearest known name, and names made fit to be shown.

/// Names longer than this are nobody's typing mistake.
const LONGEST_TYPO: usize = 64;

/// How many names a help lists when none is near.
const LISTED: usize = 30;

/// Returns the known name that `name` was most likely meant to be.
pub fn nearest<'k>(name: &str, known: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    if name.len() > LONGEST_TYPO {
        return None;
    }
    let name = name.to_lowercase();
    known
        .filter_map(|candidate| Some((distance(&name, candidate)?, candidate)))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Returns how far `name` is from `candidate`, where a suggestion would not mislead.
fn distance(name: &str, candidate: &str) -> Option<usize> {
    let candidate = candidate.to_lowercase();
    // A third of the letters may be wrong.
    let most = candidate.len().max(3) / 3;
    let abbreviated = name.len() >= 3 && candidate.starts_with(name);
    if abbreviated {
        return Some(most + 1);
    }
    if name.len().abs_diff(candidate.len()) > most {
        return None;
    }
    Some(strsim::osa_distance(name, &candidate)).filter(|distance| *distance <= most)
}

/// Returns the known name that `name` is a slip of: one or two letters are wrong.
///
/// For names that people make up themselves [`nearest`] is too free: `architect` is not a slip of
/// `api-architect`, and `developer-2` is meant.
pub(crate) fn slip_of<'k>(name: &str, known: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    const MOST_WRONG: usize = 2;
    if name.len() > LONGEST_TYPO {
        return None;
    }
    known
        .filter(|candidate| !name.starts_with(candidate) && candidate.len() > 2 * MOST_WRONG)
        .map(|candidate| (strsim::osa_distance(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= MOST_WRONG)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Returns a help for an unknown name: the nearest known one, else the list of them.
pub(crate) fn help<'k>(name: &str, known: impl Iterator<Item = &'k str> + Clone) -> Option<String> {
    if let Some(nearest) = nearest(name, known.clone()) {
        return Some(format!("did you mean `{nearest}`?"));
    }
    let listed: Vec<_> = known.take(LISTED + 1).map(|name| format!("`{name}`")).collect();
    match listed.len() {
        0 => None,
        many if many > LISTED => None,
        1.. => Some(format!("known here: {}", listed.join(", "))),
    }
}

/// Returns a name from a file in backticks, bounded and without control characters.
pub(crate) fn shown(name: &str) -> String {
    const LONGEST_SHOWN: usize = 60;
    let mut text: String = name.chars().take(LONGEST_SHOWN).flat_map(char::escape_debug).collect();
    // Quotes need no escape between backticks.
    text = text.replace("\\\"", "\"").replace("\\'", "'");
    if name.chars().count() > LONGEST_SHOWN {
        text.push('…');
    }
    format!("`{text}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_finger_finds_its_name() {
        let known = ["retries", "timeout", "id", "on"];
        assert_eq!(nearest("retires", known.into_iter()), Some("retries"));
        assert_eq!(nearest("Timeout", known.into_iter()), Some("timeout"));
        assert_eq!(nearest("time", known.into_iter()), Some("timeout"));
        assert_eq!(nearest("banana", known.into_iter()), None);
        assert_eq!(nearest(&"x".repeat(1000), known.into_iter()), None);
    }

    #[test]
    fn a_name_of_ones_own_is_no_slip_of_another() {
        let known = ["developer", "api-architect", "tester", "ui"];
        let slip = |name: &str| slip_of(name, known.into_iter());
        assert_eq!(slip("develper"), Some("developer"));
        assert_eq!(slip("api_architect"), Some("api-architect"));
        for own in ["architect", "developer-2", "dev", "a", "ux", "test-writer"] {
            assert_eq!(slip(own), None, "{own}");
        }
    }

    #[test]
    fn shown_names_are_short_and_printable() {
        assert_eq!(shown("a\tb\u{1b}"), "`a\\tb\\u{1b}`");
        assert_eq!(shown("say \"hi\""), "`say \"hi\"`");
        assert!(shown(&"x".repeat(1000)).len() < 80);
    }
}
