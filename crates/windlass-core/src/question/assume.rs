//! Which questions silence never answers.
//!
//! The lists are wide on purpose: a question that waits for a person although it need not costs
//! time, one that silence answers although it must not costs more.

use super::Question;

/// Secrets and credentials.
const SECRETS: [&[&str]; 16] = [
    &["secret"],
    &["credential"],
    &["password"],
    &["passphrase"],
    &["api", "key"],
    &["apikey"],
    &["access", "key"],
    &["secret", "key"],
    &["private", "key"],
    &["ssh", "key"],
    &["api", "token"],
    &["access", "token"],
    &["auth", "token"],
    &["bearer", "token"],
    &["deploy", "token"],
    &["service", "account"],
];

/// Money.
const SPENDING: [&[&str]; 11] = [
    &["spend"],
    &["spending"],
    &["spent"],
    &["cost"],
    &["budget"],
    &["purchase"],
    &["buy"],
    &["paid"],
    &["billing"],
    &["billed"],
    &["money"],
];

/// What leaves the machine for good. `push` and `release` alone are features as often.
const PUBLISHING: [&[&str]; 22] = [
    &["publish"],
    &["published"],
    &["publishing"],
    &["publication"],
    &["deploy"],
    &["deployed"],
    &["deploying"],
    &["deployment"],
    &["release", "to"],
    &["release", "it"],
    &["to", "release"],
    &["released"],
    &["releasing"],
    &["merge"],
    &["merged"],
    &["merging"],
    &["push", "to"],
    &["git", "push"],
    &["force", "push"],
    &["pushed", "to"],
    &["go", "live"],
    &["pull", "request"],
];

/// What people decide, and what judges the work.
const GATES: [&[&str]; 12] = [
    &["gate"],
    &["approve"],
    &["approved"],
    &["approving"],
    &["approval"],
    &["sign", "off"],
    &["signoff"],
    &["protect"],
    &["protected"],
    &["protection"],
    &["protecting"],
    &["github"],
];

/// Returns whether the recommendation may be taken when nobody answers.
///
/// Never when question or options speak of secrets, spending, publishing, gates or protected files.
/// Case does not matter, words count whole, and `api-key`, `API_KEY` and `apiKey` are the same.
pub fn is_assumable(question: &Question) -> bool {
    let options = question.options.iter().map(|option| option.text.as_str());
    let mut texts = std::iter::once(question.question.as_str()).chain(options);
    !texts.any(is_for_people)
}

fn is_for_people(text: &str) -> bool {
    let words = words(text);
    let lists: [&[&[&str]]; 4] = [&SECRETS, &SPENDING, &PUBLISHING, &GATES];
    let stands_at = |at: &[String], phrase: &[&str]| {
        at.iter().zip(phrase).all(|(word, wanted)| is_word(word, wanted))
    };
    let mut phrases = lists.into_iter().flatten();
    phrases.any(|phrase| words.windows(phrase.len()).any(|at| stands_at(at, phrase)))
}

/// Whether a word is the wanted one, also with the ending of a plural.
fn is_word(word: &str, wanted: &str) -> bool {
    word.strip_prefix(wanted).is_some_and(|ending| ["", "s", "es"].contains(&ending))
}

/// Words in lower case; a capital after a small letter begins the next.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before_is_lower = false;
    for letter in text.chars() {
        let begins = letter.is_uppercase() && before_is_lower;
        if begins || !letter.is_alphanumeric() {
            words.push(String::new());
        }
        if let (true, Some(word)) = (letter.is_alphanumeric(), words.last_mut()) {
            word.extend(letter.to_lowercase());
        }
        before_is_lower = letter.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}
