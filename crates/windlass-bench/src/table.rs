//! Figures, and how they are printed.

use std::fmt;

use serde::Serialize;

use crate::host::Host;

/// How a number is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Unit {
    Nanoseconds,
    Milliseconds,
    Mebibytes,
    /// Something that was counted.
    Count,
    /// One number over another.
    Times,
    /// Of a hundred.
    Percent,
}

impl Unit {
    fn show(self, value: f64) -> String {
        match self {
            Self::Nanoseconds => format!("{value:.0} ns"),
            Self::Milliseconds if value < 10.0 => format!("{value:.2} ms"),
            Self::Milliseconds => format!("{value:.1} ms"),
            Self::Mebibytes => format!("{value:.1} MiB"),
            Self::Count => format!("{value:.1}"),
            Self::Times => format!("{value:.2}x"),
            Self::Percent => format!("{value:.1} %"),
        }
    }
}

/// What a figure is held against, measured in the same run.
#[derive(Debug, Serialize)]
pub(crate) struct Baseline {
    what: String,
    value: f64,
}

/// Something that was measured.
#[derive(Debug, Serialize)]
pub(crate) struct Figure {
    name: String,
    unit: Unit,
    /// Nothing when the machine has no means to measure it.
    value: Option<f64>,
    baseline: Option<Baseline>,
    /// What the design allows at most.
    bound: Option<f64>,
}

impl Figure {
    pub(crate) fn new(name: impl Into<String>, unit: Unit, value: f64) -> Self {
        Self { name: name.into(), unit, value: Some(value), baseline: None, bound: None }
    }

    /// A figure that cannot be measured here.
    pub(crate) fn not_counted(name: impl Into<String>) -> Self {
        Self { name: name.into(), unit: Unit::Count, value: None, baseline: None, bound: None }
    }

    pub(crate) fn beside(mut self, what: impl Into<String>, value: f64) -> Self {
        self.baseline = Some(Baseline { what: what.into(), value });
        self
    }

    pub(crate) fn at_most(mut self, bound: f64) -> Self {
        self.bound = Some(bound);
        self
    }

    fn cells(&self) -> [String; 5] {
        let value =
            self.value.map_or_else(|| "not counted".to_owned(), |value| self.unit.show(value));
        let (baseline, ratio) = match (&self.baseline, self.value) {
            (Some(baseline), Some(value)) => (
                format!("{} ({})", self.unit.show(baseline.value), baseline.what),
                Unit::Times.show(value / baseline.value),
            ),
            _ => (String::new(), String::new()),
        };
        let bound = match (self.bound, self.value) {
            (Some(bound), Some(value)) if value > bound => {
                format!("<= {} EXCEEDED", self.unit.show(bound))
            }
            (Some(bound), _) => format!("<= {}", self.unit.show(bound)),
            (None, _) => String::new(),
        };
        [self.name.clone(), value, baseline, ratio, bound]
    }
}

/// Everything that one run of the bench found.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) host: Host,
    pub(crate) quick: bool,
    pub(crate) figures: Vec<Figure>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "machine: {}", self.host)?;
        if self.quick {
            writeln!(f, "quick: few repetitions and a small journal; not to be quoted")?;
        }
        let titles = ["figure", "value", "baseline", "ratio", "bound"].map(str::to_owned);
        let rows: Vec<[String; 5]> = self.figures.iter().map(Figure::cells).collect();
        let mut widths = [0; 5];
        for row in std::iter::once(&titles).chain(&rows) {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = cell.chars().count().max(*width);
            }
        }
        let line = |f: &mut fmt::Formatter<'_>, row: &[String; 5]| {
            let cells = row.iter().zip(widths).map(|(cell, width)| format!(" {cell:<width$} |"));
            writeln!(f, "|{}", cells.collect::<String>())
        };
        writeln!(f)?;
        line(f, &titles)?;
        line(f, &widths.map(|width| "-".repeat(width)))?;
        rows.iter().try_for_each(|row| line(f, row))
    }
}
