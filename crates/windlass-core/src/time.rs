//! Moments and spans as plain numbers; where they come from is the edge's business.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A moment, in milliseconds since 1970 UTC.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// Returns the moment `span` later.
    #[must_use]
    pub fn plus(self, span: Span) -> Self {
        Self(self.0.saturating_add(i64::try_from(span.0).unwrap_or(i64::MAX)))
    }

    /// Returns how long ago `earlier` was, zero when the clock went backwards.
    pub fn since(self, earlier: Self) -> Span {
        Span(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_millisecond(self.0) {
            Ok(moment) => write!(f, "{moment:.3}"),
            Err(_) => write!(f, "{} ms", self.0),
        }
    }
}

/// A length of time, in milliseconds.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Span(pub u64);

impl Span {
    /// Returns a span of whole seconds.
    pub const fn seconds(seconds: u64) -> Self {
        Self(seconds * 1000)
    }

    /// Returns a span of whole minutes.
    pub const fn minutes(minutes: u64) -> Self {
        Self::seconds(minutes * 60)
    }

    /// Returns a span of whole hours.
    pub const fn hours(hours: u64) -> Self {
        Self::minutes(hours * 60)
    }

    /// Returns the span in the standard library's type.
    pub fn to_duration(self) -> Duration {
        Duration::from_millis(self.0)
    }

    /// Returns the sum, held at the largest span there is.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// Reads `90s`, `30m`, `8h`, `2d`, `500ms` and sums such as `1h30m`.
    pub fn parse(text: &str) -> Option<Self> {
        let mut total = 0u64;
        let mut rest = text.trim();
        if rest.is_empty() {
            return None;
        }
        while !rest.is_empty() {
            let digits = rest.find(|c: char| !c.is_ascii_digit())?;
            let number: u64 = rest[..digits].parse().ok()?;
            let after = &rest[digits..];
            let unit_end = after.find(|c: char| c.is_ascii_digit()).unwrap_or(after.len());
            let scale = match &after[..unit_end] {
                "ms" => 1,
                "s" => 1000,
                "m" => 60_000,
                "h" => 3_600_000,
                "d" => 86_400_000,
                _ => return None,
            };
            total = total.checked_add(number.checked_mul(scale)?)?;
            rest = &after[unit_end..];
        }
        Some(Self(total))
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0 / 1000;
        match (seconds / 3600, seconds % 3600 / 60, seconds % 60) {
            (0, 0, s) if s < 10 => write!(f, "{s}.{}s", self.0 % 1000 / 100),
            (0, 0, s) => write!(f, "{s}s"),
            (0, m, s) => write!(f, "{m}m{s:02}s"),
            (h, m, _) => write!(f, "{h}h{m:02}m"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_read_as_people_write_them() {
        assert_eq!(Span::parse("30m"), Some(Span::minutes(30)));
        assert_eq!(Span::parse("1h30m"), Some(Span::minutes(90)));
        assert_eq!(Span::parse("250ms"), Some(Span(250)));
        for bad in ["", "30", "m", "1x", "-1s", "99999999999999999999h", "1.5h"] {
            assert_eq!(Span::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn spans_are_shown_briefly() {
        assert_eq!(Span(1234).to_string(), "1.2s");
        assert_eq!(Span::seconds(75).to_string(), "1m15s");
        assert_eq!(Span::minutes(125).to_string(), "2h05m");
    }

    #[test]
    fn a_clock_that_goes_backwards_gives_no_negative_span() {
        assert_eq!(Timestamp(5).since(Timestamp(9)), Span(0));
    }
}
