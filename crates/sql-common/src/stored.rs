//! Converts stored columns into values. The error for an invalid value names the column.

use std::fmt;

use access::{Scope, sign_in::SignInTokenKind};
use domain::{
    import::HeldBecause,
    posting::{
        Coordinates, DecisionOutcome, EmploymentType, Ground, LocationType, ObjectionState, Review,
        SalaryPeriod,
    },
    report::{ReportReason, ReportState},
};
use fields::{
    DayOrTime,
    codes::{CountryCode, CurrencyCode},
    day,
    serde::de::DeserializeOwned,
};
use kernel::{
    Actor, AttentionItem, AttentionKind, CatalogueName, Operator, Prefixes, SourceIdentifier,
    Status, StoreError, audit::Details, trace::TraceParent,
};
use newsletter::subscriber::{
    Account, DepartureKind, Email, MembershipStatus, MigrationSource, PlanCategory,
    SubscriberStatus, SuppressionSource,
};
use serde_json::{Value, json};
use time::{Date, OffsetDateTime, format_description::well_known::Rfc3339};
use webhooks::EndpointState;

/// An error for a value that this program cannot have written.
pub fn corrupt(column: &str, value: impl fmt::Debug) -> StoreError {
    StoreError::Broken(format!(
        "the column {column} holds {value:?}, which has no meaning"
    ))
}

/// The trace of a row. An unreadable trace counts as none, so that the work continues.
pub fn trace(text: Option<&str>) -> Option<TraceParent> {
    text?.parse().ok()
}

pub trait StoredText: Sized {
    fn from_store(text: &str) -> Option<Self>;
}

macro_rules! stored_texts {
    ($($($type:ident)+: $text:ident => $value:expr;)+) => {
        $($(impl StoredText for $type {
            fn from_store($text: &str) -> Option<Self> {
                $value
            }
        })+)+
    };
}

stored_texts! {
    Account AttentionKind CountryCode CurrencyCode DecisionOutcome DepartureKind EmploymentType
    EndpointState Ground HeldBecause LocationType MembershipStatus MigrationSource ObjectionState
    PlanCategory ReportReason ReportState Review
    SalaryPeriod Scope
    SignInTokenKind Status SubscriberStatus SuppressionSource: text => Self::parse(text);
    CatalogueName SourceIdentifier: text => Self::new(text).ok();
    Operator: text => Self::new(text).ok();
    Actor: text => text.parse().ok();
    DayOrTime: text => Self::parse(text);
    // For SQLite, which has no type for dates.
    Date: text => day::parse(text);
    // A different spelling is refused, because no lookup would find it.
    Email: text => Self::parse(text).ok().filter(|email| email.as_str() == text);
}

pub fn parse<T: StoredText>(text: impl AsRef<str>, column: &str) -> Result<T, StoreError> {
    let text = text.as_ref();
    T::from_store(text).ok_or_else(|| corrupt(column, text))
}

pub fn parse_optional<T: StoredText>(
    text: Option<impl AsRef<str>>,
    column: &str,
) -> Result<Option<T>, StoreError> {
    text.map(|text| parse(text, column)).transpose()
}

pub fn parse_all<T: StoredText>(
    texts: impl IntoIterator<Item: AsRef<str>>,
    column: &str,
) -> Result<Vec<T>, StoreError> {
    texts.into_iter().map(|text| parse(text, column)).collect()
}

/// Reads a SHA-256. An error shows only the length, because the value may be secret.
pub fn digest(bytes: &[u8], column: &str) -> Result<[u8; 32], StoreError> {
    bytes
        .try_into()
        .map_err(|_| corrupt(column, format_args!("{} bytes", bytes.len())))
}

pub fn details(text: &str, column: &str) -> Result<Details, StoreError> {
    serde_json::from_str(text).map_err(|_| corrupt(column, text))
}

pub fn array_text<T: AsRef<str>>(texts: &[T]) -> String {
    let texts: Vec<_> = texts.iter().map(AsRef::as_ref).collect();
    Value::from(texts).to_string()
}

pub fn array(text: &str, column: &str) -> Result<Vec<String>, StoreError> {
    serde_json::from_str(text).map_err(|_| corrupt(column, text))
}

pub fn document<T: DeserializeOwned>(
    text: Option<&str>,
    column: &str,
) -> Result<Option<T>, StoreError> {
    let read = |text| serde_json::from_str(text).map_err(|_| corrupt(column, text));
    text.map(read).transpose()
}

pub fn prefixes(text: &str, column: &str) -> Result<Prefixes, StoreError> {
    Prefixes::new(&array(text, column)?).map_err(|_| corrupt(column, text))
}

pub fn count(stored: i64, column: &str) -> Result<u32, StoreError> {
    stored.try_into().map_err(|_| corrupt(column, stored))
}

pub fn unsigned(stored: i64, table: &str, column: &str) -> Result<u64, StoreError> {
    let number = u64::try_from(stored);
    number.map_err(|_| corrupt(&format!("{table}.{column}"), stored))
}

pub fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub fn most(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

/// Reads coordinates, which are either both set or both missing.
pub fn coordinates(latitude: Option<f64>, longitude: Option<f64>) -> Option<Coordinates> {
    Some(Coordinates {
        latitude: latitude?,
        longitude: longitude?,
    })
}

pub fn item_text(item: &AttentionItem) -> String {
    json!({
        "id": item.id.to_string(),
        "kind": item.kind.as_str(),
        "subject": item.subject,
        "client_id": item.client.map(|client| client.to_string()),
        "since": item.since.format(&Rfc3339).unwrap_or_default(),
        "sentence": item.sentence,
        "page": item.page,
        "is_of_board": item.is_of_board,
    })
    .to_string()
}

pub fn item(stored: &str) -> Result<AttentionItem, StoreError> {
    let read = || {
        let value: Value = serde_json::from_str(stored).ok()?;
        let text = |key: &str| value[key].as_str();
        Some(AttentionItem {
            id: text("id")?.parse().ok()?,
            kind: AttentionKind::parse(text("kind")?)?,
            subject: text("subject")?.to_owned(),
            client: text("client_id").map(str::parse).transpose().ok()?,
            since: OffsetDateTime::parse(text("since")?, &Rfc3339).ok()?,
            sentence: text("sentence")?.to_owned(),
            page: text("page")?.to_owned(),
            is_of_board: value["is_of_board"].as_bool()?,
        })
    };
    read().ok_or_else(|| corrupt("events.attention", stored))
}

/// A text after all texts with this prefix: it ends with the last code point, which no text uses.
pub(crate) fn end_of(prefix: &str) -> String {
    format!("{prefix}{}", "\u{10FFFF}".repeat(4))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reports<T: fmt::Debug>(result: Result<T, StoreError>, column: &str, value: &str) {
        let Err(StoreError::Broken(why)) = result else {
            panic!("{value}: {result:?}")
        };
        assert_eq!(
            why,
            format!("the column {column} holds {value}, which has no meaning")
        );
    }

    #[test]
    fn an_error_never_contains_the_digest() {
        assert_eq!(digest(&[7; 32], "t.c"), Ok([7; 32]));
        for length in [0, 31, 33] {
            reports(
                digest(&vec![7; length], "t.c"),
                "t.c",
                &format!("{length} bytes"),
            );
        }
    }

    #[test]
    fn counts_have_a_range() {
        for (stored, expect) in [(0, 0), (7, 7), (i64::from(u32::MAX), u32::MAX)] {
            assert_eq!(count(stored, "t.c"), Ok(expect));
        }
        for stored in [-1, i64::from(u32::MAX) + 1] {
            reports(count(stored, "t.c"), "t.c", &stored.to_string());
        }
    }
}
