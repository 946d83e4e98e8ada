//! A journal as `windlass log --json` shows it.

use serde_json::Value;

/// The events of a run.
#[derive(Clone, Debug)]
pub struct Journal {
    /// One line per record.
    pub lines: Vec<Value>,
}

impl Journal {
    /// Reads the lines of `log --json`.
    pub fn parse(text: &str) -> Self {
        let lines =
            text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
        Self { lines }
    }

    /// The kinds, in order, without inputs.
    pub fn kinds(&self) -> Vec<&str> {
        self.lines
            .iter()
            .filter_map(|line| line["kind"].as_str())
            .filter(|k| *k != "input")
            .collect()
    }

    /// How often an event happened.
    pub fn count(&self, kind: &str) -> usize {
        self.of(kind).len()
    }

    /// The payloads of all events of a kind.
    pub fn of(&self, kind: &str) -> Vec<&Value> {
        let lines = self.lines.iter().filter(|line| line["kind"] == kind);
        lines.map(|line| &line["payload"]).collect()
    }

    /// The last payload of a kind.
    pub fn last(&self, kind: &str) -> Option<&Value> {
        self.of(kind).pop()
    }

    /// How often an event happened to a step.
    pub fn count_of_step(&self, kind: &str, step: &str) -> usize {
        self.of(kind).iter().filter(|payload| payload["step"] == step).count()
    }

    /// Fails unless each record names the hash of the one before it, and numbers are in order.
    pub fn assert_linked(&self) {
        for pair in self.lines.windows(2) {
            let (Some(first), Some(second)) = (pair[0]["seq"].as_u64(), pair[1]["seq"].as_u64())
            else {
                panic!("a record has no number: {pair:?}");
            };
            assert!(first < second, "{first} comes before {second}");
            if first + 1 == second {
                assert_eq!(pair[0]["hash"], pair[1]["prev"], "record {second} is not linked");
            }
        }
    }
}
