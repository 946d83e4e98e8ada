//! Hours in which nothing is started.

use jiff::ToSpan as _;
use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;

use crate::source::diagnostic::Findings;
use crate::source::fields::{self, Fields};
use crate::source::key::{Key, Mapping, Rule, Takes};
use crate::source::yaml::{Node, Value};
use crate::time::Timestamp;

const MINUTES_OF_A_DAY: u16 = 24 * 60;

/// How many stretches of quiet hours that follow each other are looked at as one.
const MOST_IN_A_ROW: usize = 32;

static KEYS: Mapping = Mapping {
    name: "quiet_hours",
    of: "quiet hours",
    doc: "Hours in which no attempt is started.",
    keys: &[
        Key::new("hours", Takes::Text, "From when until when, such as `22:00-07:00`.").required(),
        Key::new("days", Takes::Text, "The days on which they begin."),
        Key::new("zone", Takes::Text, "The time zone, such as `Europe/Berlin`."),
    ],
    not_yet: &[],
    rule: Rule::None,
};

const DAYS: [(&str, Weekday); 7] = [
    ("mon", Weekday::Monday),
    ("tue", Weekday::Tuesday),
    ("wed", Weekday::Wednesday),
    ("thu", Weekday::Thursday),
    ("fri", Weekday::Friday),
    ("sat", Weekday::Saturday),
    ("sun", Weekday::Sunday),
];

/// One stretch of a day in which nothing is started; it may go over midnight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuietHours {
    /// Minutes after midnight.
    from: u16,
    /// Minutes after midnight; not later than `from` means the day after.
    to: u16,
    /// The days on which it begins; none means every day.
    days: Vec<Weekday>,
    /// The zone that was named, else the machine's own.
    pub zone: Option<String>,
}

impl QuietHours {
    /// Reads `22:00-07:00`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (from, to) = text
            .split_once('-')
            .ok_or_else(|| "expected two times of day with a `-` between them".to_owned())?;
        let (from, to) = (minutes(from)?, minutes(to)?);
        if from == to {
            return Err("these hours have no length; the whole day is `00:00-24:00`".to_owned());
        }
        if from == MINUTES_OF_A_DAY {
            return Err("a day ends at 24:00: begin at `00:00`".to_owned());
        }
        Ok(Self { from, to, days: Vec::new(), zone: None })
    }

    /// Returns when these hours end, if `now` lies within; `zone` is theirs.
    fn until(&self, now: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        let today = jiff::Timestamp::from_millisecond(now.0).ok()?.to_zoned(zone.clone()).date();
        // Hours that began yesterday may still go on.
        let begins = [today.yesterday().ok(), Some(today)];
        begins.into_iter().flatten().filter(|date| self.is_on(*date)).find_map(|date| {
            let end_date = if self.to > self.from { date } else { date.tomorrow().ok()? };
            let (start, end) = (moment(date, self.from, zone)?, moment(end_date, self.to, zone)?);
            (start <= now && now < end).then_some(end)
        })
    }

    fn is_on(&self, date: Date) -> bool {
        self.days.is_empty() || self.days.contains(&date.weekday())
    }
}

/// Returns when the quiet hours end, if they are now. Hours that follow each other are one.
pub fn is_quiet(hours: &[(QuietHours, TimeZone)], now: Timestamp) -> Option<Timestamp> {
    let mut until = None;
    for _ in 0..MOST_IN_A_ROW {
        let at = until.unwrap_or(now);
        match hours.iter().filter_map(|(hours, zone)| hours.until(at, zone)).max() {
            Some(end) => until = Some(end),
            None => break,
        }
    }
    until
}

/// The moment of a time of day; one that a change of clocks leaves out is the next that there is.
fn moment(date: Date, minutes: u16, zone: &TimeZone) -> Option<Timestamp> {
    let (date, minutes) = match minutes {
        MINUTES_OF_A_DAY => (date.checked_add(1.day()).ok()?, 0),
        minutes => (date, minutes),
    };
    let (hour, minute) = (i8::try_from(minutes / 60).ok()?, i8::try_from(minutes % 60).ok()?);
    let zoned = date.at(hour, minute, 0, 0).to_zoned(zone.clone()).ok()?;
    Some(Timestamp(zoned.timestamp().as_millisecond()))
}

fn minutes(text: &str) -> Result<u16, String> {
    let wrong = || format!("`{}` is not a time of day: write it like `07:30`", text.trim());
    let (hours, minutes) = text.trim().split_once(':').ok_or_else(wrong)?;
    let number = |text: &str| {
        let digits = (1..=2).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
        if digits { text.parse::<u16>().ok() } else { None }
    };
    let (hours, minutes) = (number(hours).ok_or_else(wrong)?, number(minutes).ok_or_else(wrong)?);
    let sum = hours * 60 + minutes;
    if minutes > 59 || sum > MINUTES_OF_A_DAY { Err(wrong()) } else { Ok(sum) }
}

/// Reads `quiet_hours`: hours, or a mapping with days and zone, or a list of these.
pub(super) fn read(
    node: &Node,
    knows_zone: &dyn Fn(&str) -> bool,
    findings: &mut Findings,
) -> Vec<QuietHours> {
    let one = |node| read_one(node, knows_zone, findings);
    fields::one_or_more(node).iter().filter_map(one).collect()
}

fn read_one(
    node: &Node,
    knows_zone: &dyn Fn(&str) -> bool,
    findings: &mut Findings,
) -> Option<QuietHours> {
    let Value::Map(_) = node.value else { return hours(node, findings) };
    let fields = Fields::read(node, &KEYS, findings)?;
    let written = fields.required("hours", "this stretch of quiet hours", findings)?;
    let hours = hours(written, findings);
    let days = fields.get("days").map(fields::one_or_more).unwrap_or_default();
    let days: Vec<Weekday> =
        days.iter().filter_map(|day| fields::word(day, &DAYS, findings)).collect();
    let zone = fields.get("zone").and_then(|node| {
        let zone = fields::filled_text(node, findings)?;
        if !knows_zone(&zone.value) {
            findings.error_with_help(
                zone.at,
                format!("there is no time zone `{}` on this machine", zone.value),
                "name one like `Europe/Berlin`, or leave it out for the machine's own",
            );
            return None;
        }
        Some(zone.value)
    });
    Some(QuietHours { days, zone, ..hours? })
}

fn hours(node: &Node, findings: &mut Findings) -> Option<QuietHours> {
    let text = fields::filled_text(node, findings)?;
    let read = QuietHours::parse(&text.value);
    if let Err(wrong) = &read {
        findings.error_with_help(text.at, wrong.clone(), "for example `22:00-07:00`");
    }
    read.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(moment: &str) -> Timestamp {
        Timestamp(moment.parse::<jiff::Timestamp>().unwrap().as_millisecond())
    }

    fn until(hours: &[QuietHours], now: &str) -> Option<String> {
        let hours: Vec<_> = hours.iter().map(|one| (one.clone(), TimeZone::UTC)).collect();
        is_quiet(&hours, at(now)).map(|until| until.to_string())
    }

    fn quiet(text: &str) -> QuietHours {
        QuietHours::parse(text).unwrap()
    }

    #[test]
    fn hours_over_midnight_end_on_the_next_morning() {
        let night = [quiet("22:00-07:00")];
        assert_eq!(until(&night, "2026-03-10T21:59:59Z"), None);
        let end = Some("2026-03-11T07:00:00.000Z".to_owned());
        assert_eq!(until(&night, "2026-03-10T22:00:00Z"), end);
        assert_eq!(until(&night, "2026-03-11T06:59:59Z"), end);
        assert_eq!(until(&night, "2026-03-11T07:00:00Z"), None);
    }

    #[test]
    fn days_are_those_on_which_the_hours_begin() {
        // 2026-03-13 is a Friday.
        let weekend = [QuietHours { days: vec![Weekday::Friday], ..quiet("22:00-07:00") }];
        let end = Some("2026-03-14T07:00:00.000Z".to_owned());
        assert_eq!(until(&weekend, "2026-03-14T01:00:00Z"), end);
        assert_eq!(until(&weekend, "2026-03-13T01:00:00Z"), None);
        assert_eq!(until(&weekend, "2026-03-14T23:00:00Z"), None);
    }

    #[test]
    fn hours_that_follow_each_other_are_one() {
        let hours = [quiet("20:00-24:00"), quiet("00:00-06:00"), quiet("05:30-08:00")];
        let end = Some("2026-03-11T08:00:00.000Z".to_owned());
        assert_eq!(until(&hours, "2026-03-10T21:00:00Z"), end);
    }

    #[test]
    fn always_quiet_ends_far_away_and_not_never() {
        let end = until(&[quiet("00:00-24:00")], "2026-03-10T21:00:00Z").unwrap();
        assert!(end.starts_with("2026-04"), "{end}");
    }

    #[test]
    fn the_clocks_of_the_zone_count_also_when_they_change() {
        // On 2026-03-29 the clocks of Berlin go from 02:00 to 03:00.
        let berlin = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
        let hours = [(quiet("01:00-02:30"), berlin)];
        let until = is_quiet(&hours, at("2026-03-29T00:30:00Z")).unwrap();
        assert_eq!(until.to_string(), "2026-03-29T01:30:00.000Z");
    }

    #[test]
    fn what_are_no_hours_is_said() {
        for bad in ["", "22:00", "22-07", "25:00-07:00", "22:60-07:00", "7:00-7:00", "24:00-07:00"]
        {
            assert!(QuietHours::parse(bad).is_err(), "{bad}");
        }
        assert_eq!(quiet("9:05 - 24:00"), QuietHours { from: 545, to: 1440, ..quiet("1:00-2:00") });
    }
}
