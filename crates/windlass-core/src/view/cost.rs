//! What attempts used, added up.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::proof::Usage;
use crate::time::Timestamp;

/// What one attempt used.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Spend {
    /// The key of the repository.
    pub repository: String,
    /// The run.
    pub run: String,
    /// The attempt, which is named once in a run.
    pub attempt: String,
    /// The day on which it ended, by the clock of the machine.
    pub day: String,
    /// The step.
    pub step: String,
    /// The role.
    pub agent: String,
    /// The backend.
    pub backend: String,
    /// What it used. Unknown is unknown, never zero.
    pub usage: Usage,
    /// How it ended, in a word.
    pub outcome: String,
    /// When.
    pub at: Timestamp,
}

/// What is added up by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum CostBy {
    Step,
    Agent,
    Model,
    Day,
    Run,
}

impl CostBy {
    /// Returns what it is called.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Step => "step",
            Self::Agent => "agent",
            Self::Model => "model",
            Self::Day => "day",
            Self::Run => "run",
        }
    }

    fn key(self, spend: &Spend) -> String {
        match self {
            Self::Step => spend.step.clone(),
            Self::Agent => spend.agent.clone(),
            Self::Model => {
                let model = spend.usage.model.as_deref().unwrap_or("model unknown");
                format!("{model} ({})", spend.backend)
            }
            Self::Day => spend.day.clone(),
            Self::Run => spend.run.clone(),
        }
    }
}

/// A sum over attempts. What is unknown is counted as unknown, never as zero.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CostSum {
    /// How many attempts there were.
    pub attempts: u64,
    /// What those cost that said so, in US dollars.
    pub cost_usd: f64,
    /// How many did not say what they cost.
    pub unknown_cost: u64,
    /// Tokens read, as far as somebody said.
    pub input_tokens: Option<u64>,
    /// Tokens written, as far as somebody said.
    pub output_tokens: Option<u64>,
    /// How many attempts did not say how many tokens they used.
    pub unknown_tokens: u64,
    /// Turns, as far as somebody said.
    pub turns: Option<u64>,
}

impl CostSum {
    fn add(&mut self, usage: &Usage) {
        self.attempts += 1;
        match usage.cost_usd {
            Some(cost) => self.cost_usd += cost,
            None => self.unknown_cost += 1,
        }
        let known = usage.input_tokens.is_some() || usage.output_tokens.is_some();
        self.unknown_tokens += u64::from(!known);
        for (sum, known) in [
            (&mut self.input_tokens, usage.input_tokens),
            (&mut self.output_tokens, usage.output_tokens),
            (&mut self.turns, usage.turns),
        ] {
            if let Some(known) = known {
                *sum = Some(sum.unwrap_or(0).saturating_add(known));
            }
        }
    }

    /// The cost in words: `1.23 USD + 4 attempts of unknown cost`.
    pub fn cost_words(&self) -> String {
        let money = match self.cost_usd {
            cost if cost > 0.0 && cost < 0.01 => format!("{cost:.4} USD"),
            cost => format!("{cost:.2} USD"),
        };
        let unknown = match self.unknown_cost {
            1 => "1 attempt of unknown cost".to_owned(),
            unknown => format!("{unknown} attempts of unknown cost"),
        };
        match self.unknown_cost {
            0 => money,
            all if all == self.attempts => unknown,
            _ => format!("{money} + {unknown}"),
        }
    }
}

/// Sums by one thing.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CostGroup {
    /// By what.
    pub by: CostBy,
    /// Each with its sum, in the order of their names.
    pub rows: Vec<CostRow>,
}

/// One sum with what it is the sum of.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CostRow {
    /// The step, agent, model, day or run.
    pub key: String,
    /// Its sum.
    #[serde(flatten)]
    pub sum: CostSum,
}

/// What attempts used, added up.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CostView {
    /// All of it.
    pub total: CostSum,
    /// By what was asked for.
    pub groups: Vec<CostGroup>,
}

/// Adds up what attempts used.
pub fn cost_view(spend: &[Spend], by: &[CostBy]) -> CostView {
    let mut total = CostSum::default();
    for one in spend {
        total.add(&one.usage);
    }
    let group = |by: &CostBy| {
        let mut sums: BTreeMap<String, CostSum> = BTreeMap::new();
        for one in spend {
            sums.entry(by.key(one)).or_default().add(&one.usage);
        }
        let rows = sums.into_iter().map(|(key, sum)| CostRow { key, sum }).collect();
        CostGroup { by: *by, rows }
    };
    CostView { total, groups: by.iter().map(group).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spend(step: &str, cost_usd: Option<f64>, tokens: Option<u64>) -> Spend {
        let usage =
            Usage { cost_usd, input_tokens: tokens, output_tokens: tokens, ..Usage::default() };
        Spend {
            repository: "r".to_owned(),
            run: "k3".to_owned(),
            attempt: format!("{step}#1"),
            day: "2026-03-10".to_owned(),
            step: step.to_owned(),
            agent: "developer".to_owned(),
            backend: "claude".to_owned(),
            usage,
            outcome: "exited".to_owned(),
            at: Timestamp(0),
        }
    }

    #[test]
    fn what_is_unknown_is_counted_and_never_zero() {
        let rows = [
            spend("plan", Some(1.0), Some(10)),
            spend("build", Some(0.234), None),
            spend("build", None, None),
        ];
        let view = cost_view(&rows, &[CostBy::Step]);
        assert_eq!(view.total.cost_words(), "1.23 USD + 1 attempt of unknown cost");
        assert_eq!((view.total.input_tokens, view.total.unknown_tokens), (Some(10), 2));
        let words: Vec<_> = view.groups[0]
            .rows
            .iter()
            .map(|row| (row.key.as_str(), row.sum.cost_words()))
            .collect();
        assert_eq!(
            words,
            [
                ("build", "0.23 USD + 1 attempt of unknown cost".to_owned()),
                ("plan", "1.00 USD".to_owned())
            ]
        );
        assert_eq!(view.groups[0].rows[0].sum.input_tokens, None);
    }

    #[test]
    fn where_nothing_is_known_no_money_is_named() {
        let view = cost_view(&[spend("a", None, None), spend("b", None, None)], &[]);
        assert_eq!(view.total.cost_words(), "2 attempts of unknown cost");
        assert_eq!(
            cost_view(&[spend("a", Some(0.002), None)], &[]).total.cost_words(),
            "0.0020 USD"
        );
        assert_eq!(cost_view(&[], &[CostBy::Day]).total.cost_words(), "0.00 USD");
    }
}
