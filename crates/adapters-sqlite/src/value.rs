//! How values of the domain look in columns, and back.

use domain::store::StoreError;
use sql_common::stored::corrupt;
use time::OffsetDateTime;
use uuid::Uuid;

/// Whole microseconds since 1970.
pub(crate) fn micros(at: OffsetDateTime) -> i64 {
    at.unix_timestamp() * 1_000_000 + i64::from(at.microsecond())
}

/// A time back from its column.
pub(crate) fn time(micros: i64, column: &str) -> Result<OffsetDateTime, StoreError> {
    OffsetDateTime::from_unix_timestamp_nanos(i128::from(micros) * 1_000)
        .map_err(|_| corrupt(column, micros))
}

/// An optional time back from its column.
pub(crate) fn optional_time(
    micros: Option<i64>,
    column: &str,
) -> Result<Option<OffsetDateTime>, StoreError> {
    micros.map(|micros| time(micros, column)).transpose()
}

/// A UUID back from its column.
pub(crate) fn uuid(bytes: &[u8], column: &str) -> Result<Uuid, StoreError> {
    Uuid::from_slice(bytes).map_err(|_| corrupt(column, bytes))
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
            datetime!(1969-12-31 23:59:59.999999 UTC),
            datetime!(0001-01-01 00:00:00.5 UTC),
            datetime!(9999-12-31 23:59:59.999999 UTC),
        ] {
            assert_eq!(time(micros(at), "t.c"), Ok(at));
        }
    }

    #[test]
    fn a_time_beyond_the_calendar_is_reported() {
        let error = time(i64::MAX, "postings.created_at").unwrap_err();
        assert!(error.to_string().contains("postings.created_at"), "{error}");
    }
}
