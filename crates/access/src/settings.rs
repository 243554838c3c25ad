use std::num::NonZeroU32;

use fields::line::{InvalidText, short_text};
use time::Duration;

/// The longest time for which two secrets are valid together.
pub const LONGEST_OVERLAP: Duration = Duration::days(90);
/// The longest interval in which a client may be expected to push.
const LONGEST_INTERVAL: Duration = Duration::days(365);
const NAME_LENGTH: usize = 255;
/// The highest limit. A client that needs more needs no limit.
const MOST_REQUESTS: u32 = 1_000_000;

/// Parses a name: one line, trimmed.
pub fn client_name(text: &str) -> Result<String, InvalidText> {
    short_text(text, NAME_LENGTH).map(str::to_owned)
}

/// Parses a limit of requests in a minute. Errors are written for people.
pub fn requests_per_minute(text: &str) -> Result<NonZeroU32, String> {
    let limit = text.trim().parse().ok().and_then(NonZeroU32::new);
    let limit = limit.filter(|limit| limit.get() <= MOST_REQUESTS);
    limit.ok_or_else(|| {
        format!(
            "{text:?} is not a number between 1 and {MOST_REQUESTS}; to refuse every request, \
             revoke the client"
        )
    })
}

/// The units of an interval, with their seconds.
const UNITS: [(&str, i64); 5] = [
    ("w", 604_800),
    ("d", 86_400),
    ("h", 3_600),
    ("m", 60),
    ("s", 1),
];

/// Parses how often a client is expected to push, such as `1d` or `90m`.
pub fn interval(text: &str) -> Result<Duration, String> {
    let parsed = UNITS.iter().find_map(|(unit, seconds)| {
        let count = text.trim().strip_suffix(unit)?.parse::<u32>().ok()?;
        Some(Duration::seconds(i64::from(count).saturating_mul(*seconds)))
    });
    let parsed = parsed.filter(|time| *time >= Duration::SECOND && *time <= LONGEST_INTERVAL);
    parsed.ok_or_else(|| format!("{text:?} is not a time such as 1d, 12h or 90m, at most 365d"))
}

/// An interval as [`interval`] reads it.
pub fn interval_text(interval: Duration) -> String {
    let seconds = interval.whole_seconds();
    let fits = |of_unit: i64| seconds % of_unit == 0 && seconds >= of_unit;
    let (unit, of_unit) = (UNITS.iter().find(|(_, of_unit)| fits(*of_unit))).unwrap_or(&UNITS[4]);
    format!("{}{unit}", seconds / of_unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_a_number_with_a_unit() {
        for (text, read) in [
            ("1d", "1d"),
            (" 90m ", "90m"),
            ("24h", "1d"),
            ("7d", "1w"),
            ("1s", "1s"),
        ] {
            assert_eq!(interval(text).map(interval_text), Ok(read.to_owned()));
        }
        for text in ["", "1", "d", "0s", "366d", "-1d", "1.5h"] {
            let expect = format!("{text:?} is not a time such as 1d, 12h or 90m, at most 365d");
            assert_eq!(interval(text), Err(expect));
        }
    }

    #[test]
    fn a_limit_is_up_to_a_million_and_a_name_has_255_characters() {
        for (text, expect) in [("1", Some(1)), (" 1000000 ", Some(1_000_000)), ("0", None)] {
            let found = requests_per_minute(text).ok();
            assert_eq!(found.map(NonZeroU32::get), expect, "{text}");
        }
        let why = requests_per_minute("1000001").unwrap_err();
        let expect = "\"1000001\" is not a number between 1 and 1000000; to refuse every request, \
                      revoke the client";
        assert_eq!(why, expect);
        assert!(client_name(&"ü".repeat(255)).is_ok());
        assert_eq!(
            client_name(&"ü".repeat(256)),
            Err(InvalidText::TooLong(255))
        );
    }
}
