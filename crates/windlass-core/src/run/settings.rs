//! What a repository's git settings say about a push, as far as a run has to know it.
//!
//! An agent that can write them could send the work elsewhere. So they are pinned when the run
//! starts and compared before it publishes; other ones are used only after a person who was shown
//! which differ has resumed the run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::id::ContentHash;

/// The keys of the settings, each with a hash of its values: values may hold secrets.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PushSettings(pub BTreeMap<String, ContentHash>);

impl PushSettings {
    /// Says for people which keys differ from those of `pinned`, in their order.
    pub fn differences_from(&self, pinned: &Self) -> Vec<String> {
        let mut words: BTreeMap<&String, &str> = BTreeMap::new();
        for (key, hash) in &self.0 {
            match pinned.0.get(key) {
                None => words.insert(key, "is new"),
                Some(before) if before != hash => words.insert(key, "is changed"),
                Some(_) => None,
            };
        }
        let gone = pinned.0.keys().filter(|key| !self.0.contains_key(*key));
        words.extend(gone.map(|key| (key, "is gone")));
        words.into_iter().map(|(key, what)| format!("`{key}` {what}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(pairs: &[(&str, &str)]) -> PushSettings {
        let pair = |(key, hash): &(&str, &str)| ((*key).to_owned(), ContentHash::from(*hash));
        PushSettings(pairs.iter().map(pair).collect())
    }

    #[test]
    fn every_key_that_differs_is_named_with_how() {
        let pinned = settings(&[("a.url", "1"), ("b.url", "1"), ("c.url", "1")]);
        let now = settings(&[("a.url", "1"), ("b.url", "2"), ("d.url", "1")]);
        let words = now.differences_from(&pinned);
        assert_eq!(words, ["`b.url` is changed", "`c.url` is gone", "`d.url` is new"]);
        assert_eq!(now.differences_from(&now), Vec::<String>::new());
    }
}
