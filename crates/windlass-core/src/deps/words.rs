//! Finding names in text on word boundaries.
//!
//! Text becomes pieces: runs of letters and digits, cut also where a name has a hump, so that
//! `StripeClient` holds `stripe` and `s3cr3t` does not hold `s3`. A keyword of one word is found as
//! one piece, or as pieces with nothing between them (`PayPal`). A keyword of several words is found
//! with a blank, one sign or nothing between them (`service bus`, `service-bus`, `ServiceBus`).

use std::ops::RangeInclusive;

/// How many pieces away a word is still beside another.
const BESIDE: usize = 8;

/// Text as pieces, in lower case.
#[derive(Debug, Default)]
pub(super) struct Words {
    pieces: Vec<Piece>,
}

#[derive(Debug)]
struct Piece {
    text: String,
    /// What stands between it and the piece before.
    joint: Joint,
    /// Which part of the text it is in; a blank line begins another.
    part: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Joint {
    /// Nothing: a hump of a name.
    Hump,
    /// A blank, or one sign such as `-` or `/`.
    Beside,
    /// More.
    Apart,
}

/// A keyword, word by word.
#[derive(Debug)]
pub(super) struct Pattern(Vec<String>);

impl Pattern {
    /// Makes a pattern; none of a keyword without letters and digits.
    pub(super) fn of(keyword: &str) -> Option<Self> {
        let mut words: Vec<String> = Vec::new();
        for piece in Words::of(keyword).pieces {
            match words.last_mut() {
                Some(word) if piece.joint == Joint::Hump => word.push_str(&piece.text),
                Some(_) | None => words.push(piece.text),
            }
        }
        (!words.is_empty()).then_some(Self(words))
    }
}

impl Words {
    pub(super) fn of(text: &str) -> Self {
        let mut words = Self::default();
        let (mut part, mut between) = (0, String::new());
        let mut run = String::new();
        for sign in text.chars().chain(['\0']) {
            if sign.is_alphanumeric() {
                run.push(sign);
                continue;
            }
            if !run.is_empty() {
                if between.matches('\n').count() > 1 {
                    part += 1;
                }
                words.add(&run, joint(&between), part);
                run.clear();
                between.clear();
            }
            between.push(sign);
        }
        words
    }

    /// Adds a run of letters and digits, hump by hump.
    fn add(&mut self, run: &str, joint: Joint, part: usize) {
        let signs: Vec<char> = run.chars().collect();
        let begins = |at: usize| {
            let (before, here) = (signs[at - 1], signs[at]);
            let after = signs.get(at + 1).copied();
            here.is_uppercase() && (!before.is_uppercase() || after.is_some_and(char::is_lowercase))
        };
        let mut piece = Piece { text: String::new(), joint, part };
        for (at, sign) in signs.iter().enumerate() {
            if at > 0 && begins(at) {
                let next = Piece { text: String::new(), joint: Joint::Hump, part };
                self.pieces.push(std::mem::replace(&mut piece, next));
            }
            piece.text.extend(sign.to_lowercase());
        }
        self.pieces.push(piece);
    }

    /// Returns where patterns are.
    pub(super) fn places<'w>(
        &'w self,
        patterns: &'w [Pattern],
    ) -> impl Iterator<Item = usize> + 'w {
        (0..self.pieces.len())
            .filter(move |&at| patterns.iter().any(|pattern| self.is_at(at, pattern)))
    }

    fn is_at(&self, at: usize, pattern: &Pattern) -> bool {
        let mut next = at;
        for (number, word) in pattern.0.iter().enumerate() {
            let far = self.pieces.get(next).is_none_or(|piece| piece.joint == Joint::Apart);
            if number > 0 && far {
                return false;
            }
            match self.end_of_word(next, word) {
                Some(end) => next = end,
                None => return false,
            }
        }
        true
    }

    /// Returns the piece after those that make the word from `at` on.
    fn end_of_word(&self, at: usize, word: &str) -> Option<usize> {
        let mut rest = word;
        for (number, piece) in self.pieces[at.min(self.pieces.len())..].iter().enumerate() {
            if number > 0 && piece.joint != Joint::Hump {
                return None;
            }
            rest = rest.strip_prefix(piece.text.as_str())?;
            if rest.is_empty() {
                return Some(at + number + 1);
            }
        }
        None
    }

    /// Returns whether one of `words` is beside the piece at `at`, in the same part of the text.
    pub(super) fn is_near(&self, at: usize, words: &[&str]) -> bool {
        let around: RangeInclusive<usize> =
            at.saturating_sub(BESIDE)..=(at + BESIDE).min(self.pieces.len() - 1);
        self.pieces[around]
            .iter()
            .any(|piece| piece.part == self.pieces[at].part && words.contains(&piece.text.as_str()))
    }
}

fn joint(between: &str) -> Joint {
    // A line that is broken is a blank, however far the next one is indented.
    let signs = between.trim();
    let blank = signs.is_empty() && between.matches('\n').count() < 2;
    let sign = signs == between && between.chars().count() == 1;
    if blank || sign { Joint::Beside } else { Joint::Apart }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Vec<String> {
        Words::of(text).pieces.into_iter().map(|piece| piece.text).collect()
    }

    fn holds(text: &str, keyword: &str) -> bool {
        let patterns = [Pattern::of(keyword).unwrap()];
        Words::of(text).places(&patterns).next().is_some()
    }

    #[test]
    fn names_are_cut_at_their_humps_and_never_at_digits() {
        assert_eq!(
            pieces("SMTPClient s3cr3t S3Client"),
            ["smtp", "client", "s3cr3t", "s3", "client"]
        );
        assert_eq!(pieces("OAuth2 ÄrgerÜber"), ["o", "auth2", "ärger", "über"]);
        assert_eq!(pieces(""), [""; 0]);
        assert_eq!(pieces("…!"), [""; 0]);
    }

    #[test]
    fn one_word_is_found_whole_and_several_with_little_between_them() {
        assert!(holds("PayPalClient", "paypal") && holds("paypal_id", "paypal"));
        assert!(!holds("pay pal", "paypal") && !holds("paypals", "paypal"));
        for text in ["Service Bus", "service-bus", "ServiceBus", "service\n  bus", "service_bus"] {
            assert!(holds(text, "service bus"), "{text}");
        }
        for text in ["service. Bus", "service, a bus", "servicebus", "service\n\nbus"] {
            assert!(!holds(text, "service bus"), "{text}");
        }
        assert!(Pattern::of("--").is_none());
    }
}
