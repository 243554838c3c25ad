//! The precision of times.

use time::{OffsetDateTime, UtcOffset};

/// Cuts a time to microseconds, the precision of every store.
///
/// Readers of a clock and parsers of times apply it before a time becomes part of a value, so that
/// what is stored comes back equal. A time whose UTC date is out of range stays as it is.
#[must_use]
pub fn microseconds(at: OffsetDateTime) -> OffsetDateTime {
    let at = at.checked_to_offset(UtcOffset::UTC).unwrap_or(at);
    at.replace_nanosecond(at.microsecond() * 1_000)
        .unwrap_or(at)
}
