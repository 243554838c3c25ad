//! Moments as they are written: RFC 3339, as 2026-12-31T12:00:00Z.

use time::{OffsetDateTime, UtcOffset, format_description::well_known::Rfc3339};

use crate::{field::Term, microseconds};

/// Parses a time whose UTC date is from the year 1 to 9999.
pub fn parse(text: &str) -> Option<OffsetDateTime> {
    let moment = OffsetDateTime::parse(text, &Rfc3339).ok()?;
    let moment = moment.checked_to_offset(UtcOffset::UTC)?;
    (1..=9999)
        .contains(&moment.year())
        .then(|| microseconds(moment))
}

impl Term for OffsetDateTime {
    const EXPECTED: &'static str = "a time in RFC 3339, like 2026-12-31T12:00:00Z";

    fn parse(text: &str) -> Option<Self> {
        parse(text)
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn moments_are_of_any_offset_and_kept_in_microseconds() {
        for (text, moment) in [
            ("2026-03-01T12:00:00Z", datetime!(2026-03-01 12:00 UTC)),
            ("2026-03-01T12:00:00+02:00", datetime!(2026-03-01 10:00 UTC)),
            (
                "2026-03-01t12:00:00.1234567z",
                datetime!(2026-03-01 12:00:00.123456 UTC),
            ),
        ] {
            assert_eq!(parse(text), Some(moment), "{text}");
        }
    }

    #[test]
    fn nothing_else_is_a_moment() {
        let none = "|2026-03-01|2026-03-01T12:00:00|2026-02-29T12:00:00Z|\
            0001-01-01T00:00:00+01:00|0000-01-01T00:00:00Z|9999-12-31T23:59:59-00:01|\
            1772366400|now";
        for text in none.split('|') {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
