//! How values of the domain look in columns, and back.

use diesel::pg::data_types::PgTimestamp;
use domain::store::StoreError;
use sql_common::stored::corrupt;
use time::OffsetDateTime;

/// PostgreSQL counts microseconds from 2000-01-01T00:00:00Z.
const EPOCH: i64 = 946_684_800_000_000;

/// A time for its column.
pub(crate) fn timestamp(at: OffsetDateTime) -> PgTimestamp {
    PgTimestamp(at.unix_timestamp() * 1_000_000 + i64::from(at.microsecond()) - EPOCH)
}

/// A time back from its column.
pub(crate) fn time(at: PgTimestamp, column: &str) -> Result<OffsetDateTime, StoreError> {
    let nanoseconds = (i128::from(at.0) + i128::from(EPOCH)) * 1_000;
    OffsetDateTime::from_unix_timestamp_nanos(nanoseconds).map_err(|_| match at.0 {
        i64::MAX => corrupt(column, "infinity"),
        i64::MIN => corrupt(column, "-infinity"),
        micros => corrupt(column, micros),
    })
}

/// An optional time back from its column.
pub(crate) fn optional_time(
    at: Option<PgTimestamp>,
    column: &str,
) -> Result<Option<OffsetDateTime>, StoreError> {
    at.map(|at| time(at, column)).transpose()
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn times_are_exact_at_microseconds() {
        for at in [
            datetime!(2026-01-01 00:00 UTC),
            datetime!(2026-01-01 00:00:00.000001 UTC),
            datetime!(1999-12-31 23:59:59.999999 UTC),
            datetime!(1969-12-31 23:59:59.999999 UTC),
            datetime!(0001-01-01 00:00:00.5 UTC),
            datetime!(9999-12-31 23:59:59.999999 UTC),
        ] {
            assert_eq!(time(timestamp(at), "t.c"), Ok(at));
        }
    }

    #[test]
    fn a_time_beyond_the_calendar_is_reported() {
        for (at, shown) in [
            (i64::MAX, "infinity"),
            (i64::MIN, "-infinity"),
            (i64::MAX - 1, "9223372036854775806"),
        ] {
            let error = time(PgTimestamp(at), "postings.created_at").unwrap_err();
            let error = error.to_string();
            assert!(
                error.contains("postings.created_at") && error.contains(shown),
                "{error}"
            );
        }
    }
}
