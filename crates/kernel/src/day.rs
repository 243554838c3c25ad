//! Days as they are written: `Y-m-d`, as 2026-03-01.

use time::{
    Date, OffsetDateTime,
    format_description::{BorrowedFormatItem, well_known::Rfc3339},
    macros::format_description,
};

use crate::field::Term;

const FORMAT: &[BorrowedFormatItem<'_>] = format_description!("[year]-[month]-[day]");

/// Parses a day, from the year 1 to 9999.
pub fn parse(text: &str) -> Option<Date> {
    // The format alone would take a sign before the year.
    let is_plain = text.len() == 10 && text.starts_with(|first: char| first.is_ascii_digit());
    let day = Date::parse(text, FORMAT).ok()?;
    (is_plain && day.year() > 0).then_some(day)
}

/// Parses a time: a day, from its beginning in UTC, or an RFC 3339 time.
pub fn since(text: &str) -> Result<OffsetDateTime, String> {
    let text = text.trim();
    let at = match parse(text) {
        Some(day) => Some(day.midnight().assume_utc()),
        None => OffsetDateTime::parse(text, &Rfc3339).ok(),
    };
    at.map(crate::microseconds).ok_or_else(|| {
        format!(
            "{text:?} is neither a day such as 2026-03-01 nor a time such as 2026-03-01T12:00:00Z"
        )
    })
}

/// Formats a day.
pub fn write(day: Date) -> String {
    format!(
        "{:04}-{:02}-{:02}",
        day.year(),
        u8::from(day.month()),
        day.day()
    )
}

impl Term for Date {
    const EXPECTED: &'static str = "a date like 2026-12-31";

    fn parse(text: &str) -> Option<Self> {
        parse(text)
    }
}

#[cfg(test)]
mod tests {
    use time::macros::date;

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
    fn nothing_else_is_a_day() {
        let none = "|2026-02-29|2026-13-01|2026-3-1|26-03-01|0000-01-01|-001-01-01|+2026-01-1|\
            20260301|2026-03-01T00:00:00Z|2026/03/01|tomorrow";
        for text in none.split('|') {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
