//! Times as people read them: by the clock of this machine, and how long ago.
//!
//! The core writes exact times in UTC, and so does `--json`. What is printed for people goes through here.

use std::borrow::Cow;
use std::sync::LazyLock;

use jiff::tz::TimeZone;
use regex::Regex;
use windlass_core::time::{Span, Timestamp};
use windlass_engine::dispatch::now;

/// A moment in the form in which the core writes it.
static EXACT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z").expect("the pattern is tested")
});

/// How people of one place read times.
pub(crate) struct Clock {
    zone: TimeZone,
    now: Timestamp,
}

impl Clock {
    /// The clock of this machine, or of `TZ`.
    pub(crate) fn here() -> Self {
        Self { zone: TimeZone::system(), now: now() }
    }

    /// Writes a moment to the minute: `14:03` today, `Nov 16 14:03` this year, else with the year.
    pub(crate) fn short(&self, at: Timestamp) -> String {
        self.write(at, "%H:%M", "%b %-d %H:%M", "%Y-%m-%d %H:%M")
    }

    /// Writes a moment to the second; otherwise as [`Self::short`].
    pub(crate) fn to_the_second(&self, at: Timestamp) -> String {
        self.write(at, "%H:%M:%S", "%b %-d %H:%M:%S", "%Y-%m-%d %H:%M:%S")
    }

    /// Writes how long ago a moment was.
    pub(crate) fn ago(&self, at: Timestamp) -> String {
        let Span(milliseconds) = self.now.since(at);
        let minutes = milliseconds / 60_000;
        let (count, unit) = match (minutes / (24 * 60), minutes / 60, minutes) {
            (0, 0, 0) => return "just now".to_owned(),
            (0, 0, minutes) => (minutes, "minute"),
            (0, hours, _) => (hours, "hour"),
            (days, _, _) => (days, "day"),
        };
        let s = if count == 1 { "" } else { "s" };
        format!("{count} {unit}{s} ago")
    }

    /// Replaces the exact times in a text that windlass wrote by local ones.
    pub(crate) fn localised<'t>(&self, text: &'t str) -> Cow<'t, str> {
        EXACT.replace_all(text, |found: &regex::Captures<'_>| {
            match found[0].parse::<jiff::Timestamp>() {
                Ok(moment) => self.short(Timestamp(moment.as_millisecond())),
                Err(_) => found[0].to_owned(),
            }
        })
    }

    fn write(&self, at: Timestamp, today: &str, this_year: &str, else_so: &str) -> String {
        let zoned = |at: Timestamp| {
            let moment = jiff::Timestamp::from_millisecond(at.0).ok()?;
            Some(moment.to_zoned(self.zone.clone()))
        };
        // A moment that the calendar does not have is shown as the journal has it.
        let (Some(moment), Some(now)) = (zoned(at), zoned(self.now)) else { return at.to_string() };
        let format = if moment.date() == now.date() {
            today
        } else if moment.year() == now.year() {
            this_year
        } else {
            else_so
        };
        moment.strftime(format).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(zone: &str) -> Clock {
        Clock { zone: TimeZone::posix(zone).unwrap(), now: moment("2026-11-18T09:30:00Z") }
    }

    fn moment(text: &str) -> Timestamp {
        Timestamp(text.parse::<jiff::Timestamp>().unwrap().as_millisecond())
    }

    #[test]
    fn a_time_is_the_clock_on_the_wall_and_the_day_where_it_is_another() {
        let berlin = clock("CET-1");
        assert_eq!(berlin.short(moment("2026-11-18T08:03:09Z")), "09:03");
        assert_eq!(berlin.to_the_second(moment("2026-11-18T08:03:09Z")), "09:03:09");
        // Late in the evening in UTC is the same day in Berlin only after midnight there.
        assert_eq!(berlin.short(moment("2026-11-17T23:30:00Z")), "00:30");
        assert_eq!(berlin.short(moment("2026-11-17T22:30:00Z")), "Nov 17 23:30");
        assert_eq!(berlin.short(moment("2025-12-31T22:30:00Z")), "2025-12-31 23:30");
    }

    #[test]
    fn what_was_long_ago_is_said_roughly() {
        let clock = clock("UTC0");
        for (at, words) in [
            ("2026-11-18T09:29:30Z", "just now"),
            ("2026-11-18T09:29:00Z", "1 minute ago"),
            ("2026-11-18T08:31:00Z", "59 minutes ago"),
            ("2026-11-18T07:20:00Z", "2 hours ago"),
            ("2026-11-16T09:00:00Z", "2 days ago"),
            // A clock that was set back gives no negative time.
            ("2026-11-18T10:00:00Z", "just now"),
        ] {
            assert_eq!(clock.ago(moment(at)), words, "{at}");
        }
    }

    #[test]
    fn exact_times_in_a_text_become_local_ones() {
        let berlin = clock("CET-1");
        let text = "`a` waits until 2026-11-18T12:00:00.250Z; then 2026-11-19T12:00:00Z";
        assert_eq!(berlin.localised(text), "`a` waits until 13:00; then Nov 19 13:00");
        assert_eq!(
            berlin.localised("no 2026-99-99T12:00:00Z here"),
            "no 2026-99-99T12:00:00Z here"
        );
    }
}
