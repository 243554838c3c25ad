//! Days and times as written (2026-03-01, 2026-03-01T12:00:00Z), and their precision.

use std::fmt;

use time::{
    Date, OffsetDateTime, UtcOffset,
    format_description::{BorrowedFormatItem, well_known::Rfc3339},
    macros::format_description,
};

use crate::Term;

const FORMAT: &[BorrowedFormatItem<'_>] = format_description!("[year]-[month]-[day]");

pub fn parse(text: &str) -> Option<Date> {
    // The format alone would accept a sign before the year.
    let is_plain = text.len() == 10 && text.starts_with(|first: char| first.is_ascii_digit());
    let day = Date::parse(text, FORMAT).ok()?;
    (is_plain && day.year() > 0).then_some(day)
}

/// Parses an RFC 3339 time, or a day as its beginning in UTC.
pub fn since(text: &str) -> Result<OffsetDateTime, String> {
    let text = text.trim();
    let at = match parse(text) {
        Some(day) => Some(day.midnight().assume_utc()),
        None => OffsetDateTime::parse(text, &Rfc3339).ok(),
    };
    at.map(microseconds).ok_or_else(|| {
        format!(
            "{text:?} is neither a day such as 2026-03-01 nor a time such as 2026-03-01T12:00:00Z"
        )
    })
}

pub fn write(day: Date) -> String {
    day.to_string()
}

/// Truncates a time to microseconds, every store's precision.
///
/// Clock readings and parsed times are truncated before they enter values, so that a stored value
/// is equal when it is read. A time whose UTC date is out of range stays unchanged.
#[must_use]
pub fn microseconds(at: OffsetDateTime) -> OffsetDateTime {
    let at = at.checked_to_offset(UtcOffset::UTC).unwrap_or(at);
    at.replace_nanosecond(at.microsecond() * 1_000)
        .unwrap_or(at)
}

/// A day in UTC, or a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DayOrTime {
    Day(Date),
    Time(OffsetDateTime),
}

impl DayOrTime {
    pub fn parse(text: &str) -> Option<Self> {
        let day = parse(text).map(Self::Day);
        day.or_else(|| <OffsetDateTime as Term>::parse(text).map(Self::Time))
    }

    pub fn start(self) -> OffsetDateTime {
        match self {
            Self::Day(day) => day.midnight().assume_utc(),
            Self::Time(at) => at,
        }
    }

    pub fn end(self) -> OffsetDateTime {
        match self {
            // The last calendar day has no successor.
            Self::Day(day) => day.next_day().unwrap_or(day).midnight().assume_utc(),
            Self::Time(at) => at,
        }
    }
}

impl fmt::Display for DayOrTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Day(day) => f.write_str(&write(*day)),
            Self::Time(at) => f.write_str(&at.format(&Rfc3339).map_err(|_| fmt::Error)?),
        }
    }
}

crate::as_text!(DayOrTime, Self::parse);

impl Term for DayOrTime {
    const EXPECTED: &'static str =
        "a date like 2026-12-31 or a time in RFC 3339, like 2026-12-31T12:00:00Z";

    fn parse(text: &str) -> Option<Self> {
        Self::parse(text)
    }
}

impl Term for Date {
    const EXPECTED: &'static str = "a date like 2026-12-31";

    fn parse(text: &str) -> Option<Self> {
        parse(text)
    }
}

/// Limited to UTC dates from year 1 to 9999.
impl Term for OffsetDateTime {
    const EXPECTED: &'static str = "a time in RFC 3339, like 2026-12-31T12:00:00Z";

    fn parse(text: &str) -> Option<Self> {
        let at = Self::parse(text, &Rfc3339).ok()?;
        let at = at.checked_to_offset(UtcOffset::UTC)?;
        (1..=9999).contains(&at.year()).then(|| microseconds(at))
    }
}

/// Beginnings of month names, in lower case.
const MONTHS: [&[&str]; 12] = [
    &["jan"],
    &["feb", "fév"],
    &["mar", "mär", "mrz"],
    &["apr", "avr"],
    &["may", "mai", "maj"],
    &["jun", "juin"],
    &["jul", "juil"],
    &["aug", "aoû"],
    &["sep"],
    &["oct", "okt"],
    &["nov"],
    &["dec", "dez", "déc", "des"],
];

/// The number of the month that a lower-case word begins with.
pub fn month(name: &str) -> Option<u16> {
    let is = |names: &&[&str]| names.iter().any(|known| name.starts_with(known));
    let at = MONTHS.iter().position(is)?;
    u16::try_from(at + 1).ok()
}

#[cfg(test)]
mod tests {
    use time::macros::{date, datetime};

    use super::*;

    #[test]
    fn days_come_back_as_they_were_written() {
        for (text, day) in [
            ("2026-03-01", date!(2026 - 03 - 01)),
            ("2028-02-29", date!(2028 - 02 - 29)),
            ("0001-01-01", date!(0001 - 01 - 01)),
            ("9999-12-31", date!(9999 - 12 - 31)),
        ] {
            assert_eq!(parse(text), Some(day), "{text}");
            assert_eq!(write(day), text);
        }
    }

    #[test]
    fn a_day_ends_at_its_end_and_comes_back_as_a_day() {
        for (text, start, end) in [
            (
                "2026-12-31",
                datetime!(2026-12-31 00:00 UTC),
                datetime!(2027-01-01 00:00 UTC),
            ),
            (
                "2026-12-31T22:00:00.5Z",
                datetime!(2026-12-31 22:00:00.5 UTC),
                datetime!(2026-12-31 22:00:00.5 UTC),
            ),
        ] {
            let parsed = DayOrTime::parse(text).unwrap();
            assert_eq!((parsed.start(), parsed.end()), (start, end));
            assert_eq!(parsed.to_string(), text);
        }
        let zone = DayOrTime::parse("2026-12-31T22:00:00-05:00").unwrap();
        assert_eq!(zone.to_string(), "2027-01-01T03:00:00Z");
        assert_eq!(DayOrTime::parse("31.12.2026"), None);
    }

    #[test]
    fn nothing_else_is_a_day() {
        let none = "|2026-02-29|2026-13-01|2026-3-1|26-03-01|0000-01-01|-001-01-01|+2026-01-1|\
            20260301|2026-03-01T00:00:00Z|2026/03/01|tomorrow";
        for text in none.split('|') {
            assert_eq!(parse(text), None, "{text}");
        }
    }
    #[test]
    fn times_are_of_any_offset_and_kept_in_microseconds() {
        let parse = <OffsetDateTime as Term>::parse;
        for (text, at) in [
            ("2026-03-01T12:00:00Z", datetime!(2026-03-01 12:00 UTC)),
            ("2026-03-01T12:00:00+02:00", datetime!(2026-03-01 10:00 UTC)),
            (
                "2026-03-01t12:00:00.1234567z",
                datetime!(2026-03-01 12:00:00.123456 UTC),
            ),
        ] {
            assert_eq!(parse(text), Some(at), "{text}");
        }
        let none = "|2026-03-01|2026-03-01T12:00:00|2026-02-29T12:00:00Z|\
            0001-01-01T00:00:00+01:00|0000-01-01T00:00:00Z|9999-12-31T23:59:59-00:01|\
            1772366400|now";
        for text in none.split('|') {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
