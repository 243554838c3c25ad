//! How values of the domain look in columns, and back.

use domain::store::StoreError;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::error::corrupt;

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

/// A SHA-256 back from its column. Of a bad one only the length is told, for it may be secret.
pub(crate) fn digest(bytes: &[u8], column: &str) -> Result<[u8; 32], StoreError> {
    bytes
        .try_into()
        .map_err(|_| corrupt(column, format_args!("{} bytes", bytes.len())))
}

/// A word of a closed vocabulary back from its column.
pub(crate) fn word<T>(
    text: &str,
    parse: impl FnOnce(&str) -> Option<T>,
    column: &str,
) -> Result<T, StoreError> {
    parse(text).ok_or_else(|| corrupt(column, text))
}

/// An optional word of a closed vocabulary back from its column.
pub(crate) fn optional_word<T>(
    text: Option<&str>,
    parse: impl FnOnce(&str) -> Option<T>,
    column: &str,
) -> Result<Option<T>, StoreError> {
    text.map(|text| word(text, parse, column)).transpose()
}

/// Words of a closed vocabulary in one column, in order.
pub(crate) fn join(words: impl IntoIterator<Item = &'static str>, separator: char) -> String {
    let mut joined = String::new();
    for word in words {
        if !joined.is_empty() {
            joined.push(separator);
        }
        joined.push_str(word);
    }
    joined
}

/// Words of a closed vocabulary back from one column.
pub(crate) fn split<T>(
    text: &str,
    separator: char,
    parse: impl Fn(&str) -> Option<T>,
    column: &str,
) -> Result<Vec<T>, StoreError> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    text.split(separator)
        .map(|name| word(name, &parse, column))
        .collect()
}

#[cfg(test)]
mod tests {
    use domain::posting::LocationType;
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

    #[test]
    fn lists_keep_their_order() {
        let check = |list: &[LocationType], text: &str| {
            assert_eq!(join(list.iter().map(|word| word.as_str()), ','), text);
            assert_eq!(
                split(text, ',', LocationType::parse, "t.c").as_deref(),
                Ok(list)
            );
        };
        check(&[], "");
        check(&[LocationType::Hybrid], "hybrid");
        check(
            &[LocationType::OnSite, LocationType::Remote],
            "on-site,remote",
        );
        for text in [",", "remote,", "remote, hybrid", "Remote"] {
            assert!(
                split(text, ',', LocationType::parse, "t.c").is_err(),
                "{text}"
            );
        }
    }
}
