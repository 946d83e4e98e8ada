//! When a provider's limit ends, read from what its agent's program said about it.
//!
//! There is no field for it: programs print sentences. Whatever looks like a moment is taken, and
//! only a moment in the near future is believed.

use std::sync::LazyLock;

use jiff::civil::{DateTime, Time};
use jiff::tz::TimeZone;
use regex::{Captures, Regex};
use windlass_core::time::{Span, Timestamp};

/// No limit is longer than a week; a day is for clocks that differ.
const LONGEST: Span = Span::hours(8 * 24);

/// A time of day that has just passed is over, not a day away.
const JUST_PASSED: Span = Span::minutes(10);

/// How long to wait for a limit that is over by what was said.
const A_MOMENT: Span = Span::seconds(30);

/// Returns whether a limit can end at this moment, seen from `now`.
pub(super) fn is_near(at: Timestamp, now: Timestamp) -> bool {
    at > now && at <= now.plus(LONGEST)
}

/// Returns the moment that a text states, seen from `now` in `zone`.
pub(super) fn stated(text: &str, now: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    let ahead = |at: &Timestamp| is_near(*at, now);
    epoch(text)
        .filter(ahead)
        .or_else(|| written_out(text).filter(ahead))
        .or_else(|| span(text).map(|span| now.plus(span)).filter(ahead))
        .or_else(|| on_the_clock(text, now, zone).filter(ahead))
}

/// Seconds or milliseconds since 1970: `usage limit reached|1794730215`.
fn epoch(text: &str) -> Option<Timestamp> {
    static EPOCH: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(?:^|[^0-9.])([0-9]{10}|[0-9]{13})(?:[^0-9]|$)").ok());
    let found = EPOCH.as_ref()?.captures(text)?;
    let number: i64 = found[1].parse().ok()?;
    Some(Timestamp(if found[1].len() == 10 { number * 1000 } else { number }))
}

/// `2026-11-16T03:00:00Z`.
fn written_out(text: &str) -> Option<Timestamp> {
    static WRITTEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.]{5,12}(?:Z|[+-][0-9]{2}:?[0-9]{2})").ok()
    });
    let found = WRITTEN.as_ref()?.find(text)?;
    let moment: jiff::Timestamp = found.as_str().parse().ok()?;
    Some(Timestamp(moment.as_millisecond()))
}

/// `retry after 42 seconds`, `try again in 2 days 3 hours 4 minutes`, `resets in 45m`.
fn span(text: &str) -> Option<Span> {
    static SPAN: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            r"(?ix)\b(?:retry|try\ again|wait|reset\w*|available)\b [^0-9.;]{0,24}
            ((?:[0-9]{1,7}(?:\.[0-9]+)?\s*
                (?:ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)\b
                [\s,]*(?:and\s+)?)+)",
        )
        .ok()
    });
    static PART: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(?i)([0-9]+(?:\.[0-9]+)?)\s*([a-z]+)").ok());
    let found = SPAN.as_ref()?.captures(text)?;
    let mut milliseconds = 0.0;
    for part in PART.as_ref()?.captures_iter(&found[1]) {
        let number: f64 = part[1].parse().ok()?;
        milliseconds += number * unit(&part[2].to_lowercase());
    }
    // Within the bound of the caller in any case.
    let bounded = milliseconds.clamp(0.0, 1e12);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is bounded")]
    Some(Span(bounded as u64))
}

fn unit(name: &str) -> f64 {
    match name {
        "ms" => 1.0,
        name if name.starts_with("milli") => 1.0,
        name if name.starts_with('s') => 1e3,
        name if name.starts_with('m') => 60e3,
        name if name.starts_with('h') => 3600e3,
        name if name.starts_with('d') => 86400e3,
        _ => 0.0,
    }
}

/// `resets 3pm (Europe/Berlin)`, `try again at 10:53 AM`, `resets Nov 17, 9am`.
fn on_the_clock(text: &str, now: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    static CLOCK: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            r"(?ix)\b(?:reset\w*|try\ again|available|until)\b [^0-9;]{0,24}?
            (?:\b(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+
               (?P<day>[0-9]{1,2})(?:st|nd|rd|th)?(?:,?\s+(?P<year>20[0-9]{2}))?[,\s]*(?:at\s+)?)?
            \b(?P<hour>[0-9]{1,2})(?::(?P<minute>[0-9]{2}))?\s*(?P<half>[ap]\.?m\b\.?)?
            (?:\s*\((?P<zone>[A-Za-z0-9_+/-]+)\))?",
        )
        .ok()
    });
    let found = CLOCK.as_ref()?.captures(text)?;
    let time = time_of(&found)?;
    let zone = match found.name("zone") {
        Some(name) => TimeZone::get(name.as_str()).ok()?,
        None => zone.clone(),
    };
    let here = jiff::Timestamp::from_millisecond(now.0).ok()?.to_zoned(zone.clone());
    let at = |moment: DateTime| {
        let moment = zone.to_ambiguous_timestamp(moment).compatible().ok()?;
        Some(Timestamp(moment.as_millisecond()))
    };
    if let Some(month) = found.name("month") {
        let year = found.name("year").and_then(|year| year.as_str().parse().ok());
        let day = found["day"].parse().ok()?;
        let date = |year| jiff::civil::Date::new(year, month_of(month.as_str())?, day).ok();
        let this = at(date(year.unwrap_or(here.year()))?.to_datetime(time))?;
        // A date without a year in January, said in December.
        let past = year.is_none() && this < now;
        return if past { at(date(here.year() + 1)?.to_datetime(time)) } else { Some(this) };
    }
    let today = at(here.date().to_datetime(time))?;
    if today > now {
        return Some(today);
    }
    if now.since(today) < JUST_PASSED {
        return Some(now.plus(A_MOMENT));
    }
    at(here.date().tomorrow().ok()?.to_datetime(time))
}

/// A number alone is no time of day: it has minutes, or a half of the day.
fn time_of(found: &Captures<'_>) -> Option<Time> {
    let hour: i8 = found["hour"].parse().ok()?;
    let minute = found.name("minute").map(|minute| minute.as_str().parse());
    let hour = match found.name("half").map(|half| half.as_str().to_lowercase()) {
        Some(half) if half.starts_with('p') => hour % 12 + 12,
        Some(_) => hour % 12,
        None if minute.is_none() => return None,
        None => hour,
    };
    Time::new(hour, minute.unwrap_or(Ok(0)).ok()?, 0, 0).ok()
}

fn month_of(name: &str) -> Option<i8> {
    let names =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let at = names.iter().position(|month| name.to_lowercase().starts_with(month))?;
    i8::try_from(at + 1).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// 2026-11-15 12:00:00 UTC, a Sunday.
    const NOON: Timestamp = Timestamp(1_794_744_000_000);

    fn after(text: &str) -> Option<u64> {
        stated(text, NOON, &TimeZone::UTC).map(|at| at.since(NOON).0 / 1000)
    }

    #[test]
    fn moments_are_read_as_providers_write_them() {
        let cases: &[(&str, u64)] = &[
            ("Claude AI usage limit reached|1794747600", 3600),
            ("limit reached|1794747600000", 3600),
            ("API Error: 429 · retry after 42 seconds", 42),
            ("Rate limited. Please try again in 1.5s.", 1),
            ("try again in 2 days 3 hours 4 minutes.", 183_840),
            ("You've hit your session limit · resets 3pm (UTC)", 3 * 3600),
            ("5-hour limit reached ∙ resets 3pm (Europe/Berlin)", 2 * 3600),
            ("Your limit will reset at 2:30pm (UTC).", 9000),
            ("weekly limit · resets Nov 17, 9am (UTC)", 45 * 3600),
            ("You've hit your usage limit. Upgrade or try again at 12:53 PM.", 53 * 60),
            ("or try again at Nov 16th, 2026 10:53 AM.", 22 * 3600 + 53 * 60),
            ("resets at 2026-11-15T13:00:00Z", 3600),
            ("resets 11am (UTC)", 23 * 3600),
            ("resets 11:55am (UTC)", 30),
        ];
        for (text, seconds) in cases {
            assert_eq!(after(text), Some(*seconds), "{text}");
        }
    }

    #[test]
    fn what_is_past_or_far_or_no_moment_is_not_believed() {
        for text in [
            "limit reached|1594747600",
            "limit reached|1994747600",
            "request id 1234567890 failed",
            "try again in 40 days",
            "This request would exceed your rate limit",
            "resets soon, see page 3",
            "resets 25:99",
            "resets 3pm (Atlantis/Sunken)",
            "",
        ] {
            assert_eq!(after(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn whatever_is_said_the_moment_is_near(text in "\\PC{0,80}", number in 0_u64..u64::MAX) {
            for text in [text.clone(), format!("retry in {number}s {text}"), format!("resets|{number}")] {
                if let Some(at) = stated(&text, NOON, &TimeZone::UTC) {
                    prop_assert!(at > NOON && at <= NOON.plus(LONGEST));
                }
            }
        }
    }
}
