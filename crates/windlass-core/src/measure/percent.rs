//! Percentages that are compared without rounding.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Digits behind the point that a percentage may have.
const FRACTION_DIGITS: usize = 6;

/// One percent in the unit that [`Percent`] counts in.
const ONE: u64 = 1_000_000;

/// A percentage from 0 to 100, as it was written.
///
/// It is kept as a whole number of millionths: `70.1` means exactly that, and 701 of 1000 reach it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Percent(u64);

/// A text that is no percentage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a number from 0 to 100 with at most {FRACTION_DIGITS} digits behind the point")]
pub struct BadPercent;

impl Percent {
    /// All of it.
    pub const ALL: Self = Self(100 * ONE);

    /// Returns a whole percentage; more than all of it is all of it.
    pub(crate) const fn whole(percent: u8) -> Self {
        if percent > 100 { Self::ALL } else { Self(percent as u64 * ONE) }
    }

    /// Returns whether `part` of `whole` is at least this much.
    pub fn is_reached_by(self, part: u64, whole: u64) -> bool {
        let (part, whole) = (u128::from(part), u128::from(whole));
        part * 100 * u128::from(ONE) >= u128::from(self.0) * whole
    }

    /// Returns `part` of `whole` in words, cut after one digit, never rounded up.
    pub(super) fn of(part: u64, whole: u64) -> String {
        let tenths = u128::from(part) * 1000 / u128::from(whole.max(1));
        format!("{}.{} %", tenths / 10, tenths % 10)
    }
}

impl FromStr for Percent {
    type Err = BadPercent;

    fn from_str(text: &str) -> Result<Self, BadPercent> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        if !digits(whole) || !digits(fraction) || whole.len() > 3 {
            return Err(BadPercent);
        }
        let fraction = fraction.trim_end_matches('0');
        if fraction.len() > FRACTION_DIGITS {
            return Err(BadPercent);
        }
        let whole: u64 = whole.parse().map_err(|_| BadPercent)?;
        let fraction: u64 =
            format!("{fraction:0<FRACTION_DIGITS$}").parse().map_err(|_| BadPercent)?;
        let percent = Self(whole * ONE + fraction);
        if percent <= Self::ALL { Ok(percent) } else { Err(BadPercent) }
    }
}

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, fraction) = (self.0 / ONE, self.0 % ONE);
        if fraction == 0 {
            return write!(f, "{whole}");
        }
        let digits = format!("{fraction:0>FRACTION_DIGITS$}");
        write!(f, "{whole}.{}", digits.trim_end_matches('0'))
    }
}

impl TryFrom<String> for Percent {
    type Error = BadPercent;

    fn try_from(text: String) -> Result<Self, BadPercent> {
        text.parse()
    }
}

impl From<Percent> for String {
    fn from(percent: Percent) -> Self {
        percent.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn percent(text: &str) -> Percent {
        text.parse().unwrap()
    }

    #[test]
    fn percentages_are_compared_without_rounding() {
        assert!(percent("70.1").is_reached_by(701, 1000));
        assert!(!percent("70.1").is_reached_by(700, 1000));
        assert!(!percent("70").is_reached_by(69_999_999, 100_000_000));
        // 0.3 is not a float: 0.1 + 0.2 would miss it.
        assert!(percent("0.3").is_reached_by(3, 1000));
        assert!(percent("33.333333").is_reached_by(1, 3));
        assert!(!percent("33.333334").is_reached_by(1, 3));
        assert!(percent("100").is_reached_by(u64::MAX, u64::MAX));
        assert!(!percent("100").is_reached_by(u64::MAX - 1, u64::MAX));
    }

    #[test]
    fn what_is_shown_is_never_rounded_up() {
        assert_eq!(Percent::of(6999, 10_000), "69.9 %");
        assert_eq!(Percent::of(7, 7), "100.0 %");
        assert_eq!(Percent::of(0, 7), "0.0 %");
    }

    #[test]
    fn only_numbers_from_0_to_100_are_percentages() {
        for (text, shown) in
            [("0", "0"), ("70", "70"), ("70.0", "70"), ("99.50", "99.5"), ("100", "100")]
        {
            assert_eq!(percent(text).to_string(), shown);
            let json = serde_json::to_string(&percent(text)).unwrap();
            assert_eq!(serde_json::from_str::<Percent>(&json).unwrap(), percent(text));
        }
        for text in
            ["", "-1", "+1", "100.000001", "101", "1e1", "70 %", "70.", ".5", "0.1234567", "NaN"]
        {
            assert_eq!(text.parse::<Percent>(), Err(BadPercent), "{text}");
        }
    }
}
