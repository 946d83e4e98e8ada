//! The time at which a limit ends, as providers write it.

use jiff::tz::TimeZone;

use crate::time::{Span, Timestamp};

/// No provider's limit lasts longer: the longest ones are weekly. A time beyond it was misread.
const LONGEST: Span = Span::hours(8 * 24);

/// A limit that is over already is asked about again after this, not at once and for ever.
const SHORTEST: Span = Span::seconds(1);

/// Reads a moment: a timestamp, seconds or milliseconds since 1970, a time from now (`90`, `90s`,
/// `1h 30m`, `5 minutes`), or the next such time of day (`17:30`, `5:30pm`, `3 PM`).
pub(super) fn moment(text: &str, now: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    let text = text.trim();
    let read = absolute(text)
        .or_else(|| seconds(text, now))
        .or_else(|| from_now(text).map(|span| now.plus(span)))
        .or_else(|| time_of_day(text, now, zone))?;
    (read <= now.plus(LONGEST)).then(|| read.max(now.plus(SHORTEST)))
}

fn absolute(text: &str) -> Option<Timestamp> {
    let moment = text.parse::<jiff::Timestamp>().ok()?;
    Some(Timestamp(moment.as_millisecond()))
}

/// A bare number: how large it is tells what it counts.
fn seconds(text: &str, now: Timestamp) -> Option<Timestamp> {
    let number: f64 = text.parse().ok().filter(|number: &f64| number.is_finite())?;
    if !(0.0..1e14).contains(&number) {
        return None;
    }
    // The bounds above and below fit.
    #[expect(clippy::cast_possible_truncation, reason = "below 1e14")]
    let whole = |number: f64| number.round() as i64;
    Some(match number {
        n if n >= 1e11 => Timestamp(whole(n)),
        n if n >= 1e9 => Timestamp(whole(n * 1000.0)),
        n => Timestamp(now.0.saturating_add(whole(n * 1000.0))),
    })
}

/// Sums such as `1h 30m` or `2 hours and 5 minutes`.
fn from_now(text: &str) -> Option<Span> {
    let lower = text.to_lowercase();
    let mut rest = lower.trim_start_matches("in ").trim();
    let mut total = Span(0);
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let number: u64 = rest[..digits].parse().ok()?;
        let after = rest[digits..].trim_start();
        let letters = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
        let scale = match &after[..letters] {
            "ms" | "millisecond" | "milliseconds" => 1,
            "s" | "sec" | "secs" | "second" | "seconds" => 1000,
            "m" | "min" | "mins" | "minute" | "minutes" => 60_000,
            "h" | "hr" | "hrs" | "hour" | "hours" => 3_600_000,
            "d" | "day" | "days" => 86_400_000,
            _ => return None,
        };
        total = total.plus(Span(number.checked_mul(scale)?));
        rest = after[letters..].trim_start_matches([',', ' ']);
        rest = rest.strip_prefix("and ").unwrap_or(rest).trim_start();
    }
    (total.0 > 0).then_some(total)
}

/// The next time that the clock of `zone` shows this.
fn time_of_day(text: &str, now: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    let lower = text.to_lowercase();
    let (clock, noon) = match (lower.strip_suffix("am"), lower.strip_suffix("pm")) {
        (Some(clock), _) => (clock, Some(false)),
        (_, Some(clock)) => (clock, Some(true)),
        (None, None) => (lower.as_str(), None),
    };
    let (hour, minute) = match clock.trim().split_once(':') {
        Some((hour, minute)) => (hour.parse::<i8>().ok()?, minute.parse::<i8>().ok()?),
        None if noon.is_some() => (clock.trim().parse::<i8>().ok()?, 0),
        None => return None,
    };
    let hour = match (noon, hour) {
        (None, hour) => hour,
        (Some(false), 12) => 0,
        (Some(true), 12) => 12,
        (Some(false), hour @ 1..=11) => hour,
        (Some(true), hour @ 1..=11) => hour + 12,
        (Some(_), _) => return None,
    };
    let time = jiff::civil::Time::new(hour, minute, 0, 0).ok()?;
    let today = jiff::Timestamp::from_millisecond(now.0).ok()?.to_zoned(zone.clone()).date();
    [Some(today), today.tomorrow().ok()].into_iter().flatten().find_map(|date| {
        let zoned = date.to_datetime(time).to_zoned(zone.clone()).ok()?;
        let moment = Timestamp(zoned.timestamp().as_millisecond());
        (moment > now).then_some(moment)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2027-01-15T08:00:00Z.
    const NOW: Timestamp = Timestamp(1_800_000_000_000);

    fn read(text: &str) -> Option<String> {
        moment(text, NOW, &TimeZone::UTC).map(|moment| moment.to_string())
    }

    #[test]
    fn times_are_read_as_providers_write_them() {
        for (text, end) in [
            ("2027-01-15T09:30:00Z", "2027-01-15T09:30:00.000Z"),
            ("2027-01-15T10:30:00+01:00", "2027-01-15T09:30:00.000Z"),
            ("1800005400", "2027-01-15T09:30:00.000Z"),
            ("1800005400000", "2027-01-15T09:30:00.000Z"),
            ("5400", "2027-01-15T09:30:00.000Z"),
            ("90.5", "2027-01-15T08:01:30.500Z"),
            ("1h30m", "2027-01-15T09:30:00.000Z"),
            ("in 1 hour and 30 minutes", "2027-01-15T09:30:00.000Z"),
            ("9:30", "2027-01-15T09:30:00.000Z"),
            ("9:30 AM", "2027-01-15T09:30:00.000Z"),
            ("3pm", "2027-01-15T15:00:00.000Z"),
            ("12am", "2027-01-16T00:00:00.000Z"),
            ("07:59", "2027-01-16T07:59:00.000Z"),
        ] {
            assert_eq!(read(text).as_deref(), Some(end), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_the_end_of_a_limit_is_none() {
        for text in [
            "",
            "soon",
            "99:00",
            "13pm",
            "5 parsecs",
            "-3",
            "NaN",
            "1e400",
            "2035-01-01T00:00:00Z",
            "30 days",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn an_end_in_the_past_is_a_moment_from_now() {
        assert_eq!(read("2027-01-15T07:00:00Z").as_deref(), Some("2027-01-15T08:00:01.000Z"));
        assert_eq!(read("0").as_deref(), Some("2027-01-15T08:00:01.000Z"));
    }
}
