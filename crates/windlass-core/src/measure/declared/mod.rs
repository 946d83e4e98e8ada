//! Tests as their files declare them, counted by their text.
//!
//! No report is needed for it, so that a person at a gate sees that tests went away also where the tests
//! are one command with an exit code. It proves nothing: that tests run is what checks are for.

mod dialects;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::Serialize;

use dialects::{ASSERTIONS, patterns_of};

/// How many names of removed tests are kept.
pub const MAX_REMOVED: usize = 20;

/// What files declare.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declared {
    /// Names of tests and how often each is declared, also of those that are switched off.
    tests: BTreeMap<String, u64>,
    /// Marks that switch tests off.
    off: u64,
    /// What has to be so, in files that declare tests.
    assertions: u64,
    /// Files that are too large to be read.
    unread: u64,
}

impl Declared {
    /// Returns what a file declares. A script that is named like a test is one.
    pub fn in_file(path: &str, text: &str) -> Self {
        let mut found = Self::default();
        if let Some(patterns) = patterns_of(path) {
            for captures in patterns.test.captures_iter(text) {
                let name = captures.iter().skip(1).flatten().next();
                let name = name.map_or("", |name| name.as_str()).trim().trim_matches('`');
                *found.tests.entry(name.to_owned()).or_default() += 1;
            }
            if !found.tests.is_empty() {
                found.off = patterns.off.find_iter(text).count() as u64;
                found.assertions = ASSERTIONS.find_iter(text).count() as u64;
            }
        } else if is_test_script(path) {
            found.tests.insert(path.to_owned(), 1);
        }
        found
    }

    /// A file that nobody reads because of its size.
    pub fn too_large() -> Self {
        Self { unread: 1, ..Self::default() }
    }

    /// Adds what another file declares.
    pub fn add(&mut self, other: Self) {
        for (name, times) in other.tests {
            *self.tests.entry(name).or_default() += times;
        }
        self.off += other.off;
        self.assertions += other.assertions;
        self.unread += other.unread;
    }

    /// How many tests it are.
    pub fn count(&self) -> u64 {
        self.tests.values().sum()
    }
}

/// Returns whether a file can declare tests, by its name alone.
pub fn may_declare_tests(path: &str) -> bool {
    patterns_of(path).is_some() || is_test_script(path)
}

fn is_test_script(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    let script = matches!(extension, "sh" | "bash" | "zsh" | "t" | "pl" | "lua" | "sql");
    let is_test = stem.starts_with("test") || stem.ends_with("test") || stem.ends_with("_spec");
    script && (extension == "t" || is_test)
}

/// How the tests of a repository changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TestsChanged {
    /// Whether the whole repository was counted, or the changed files alone.
    pub whole: bool,
    /// How many there were.
    pub before: u64,
    /// How many there are.
    pub after: u64,
    /// How many went away.
    pub removed_count: u64,
    /// Names of those, at most [`MAX_REMOVED`].
    pub removed: Vec<String>,
    /// How many more marks there are that switch tests off.
    pub switched_off: u64,
    /// How many assertions fewer there are.
    pub fewer_assertions: u64,
    /// Changed files that are too large to be read for this.
    pub unread: u64,
}

impl TestsChanged {
    /// Compares what the changed files declared with what they declare now; `all` is how many tests the
    /// whole repository had, where that is known. A test that only moved is not removed.
    pub fn of(all: Option<u64>, then: &Declared, now: &Declared) -> Self {
        let gone = |(name, times): (&String, &u64)| {
            let left = now.tests.get(name).copied().unwrap_or(0);
            times.checked_sub(left).filter(|gone| *gone > 0).map(|gone| (name.clone(), gone))
        };
        let gone: Vec<(String, u64)> = then.tests.iter().filter_map(gone).collect();
        let before = all.unwrap_or_else(|| then.count());
        Self {
            whole: all.is_some(),
            before,
            after: (before + now.count()).saturating_sub(then.count()),
            removed_count: gone.iter().map(|(_, times)| times).sum(),
            removed: gone.into_iter().map(|(name, _)| name).take(MAX_REMOVED).collect(),
            switched_off: now.off.saturating_sub(then.off),
            fewer_assertions: then.assertions.saturating_sub(now.assertions),
            unread: now.unread.max(then.unread),
        }
    }

    /// Whether a person should look twice.
    pub fn is_less(&self) -> bool {
        self.removed_count + self.switched_off + self.fewer_assertions + self.unread > 0
    }

    /// Says it: `41 → 39, 2 removed: adds, subtracts`.
    pub fn words(&self) -> String {
        let among = if self.whole { "" } else { " in the changed files" };
        let counts = format!("{} → {}{among}", self.before, self.after);
        let less = self.what_is_less();
        if less.is_empty() { counts } else { format!("{counts}, {less}") }
    }

    /// Says what is less than before, if anything is: `2 removed: adds, subtracts`.
    pub fn what_is_less(&self) -> String {
        const NAMED: usize = 5;
        let mut parts = Vec::new();
        if self.removed_count > 0 {
            let named: Vec<&str> = self.removed.iter().take(NAMED).map(String::as_str).collect();
            let more = self.removed_count.saturating_sub(named.len() as u64);
            let more = if more == 0 { String::new() } else { format!(" and {more} more") };
            parts.push(format!("{} removed: {}{more}", self.removed_count, named.join(", ")));
        }
        let also = [
            (self.switched_off, "more switched off", "more switched off"),
            (self.fewer_assertions, "assertion fewer", "assertions fewer"),
            (self.unread, "file too large to count", "files too large to count"),
        ];
        for (count, one, many) in also.into_iter().filter(|(count, ..)| *count > 0) {
            parts.push(format!("{count} {}", if count == 1 { one } else { many }));
        }
        parts.join("; ")
    }
}
