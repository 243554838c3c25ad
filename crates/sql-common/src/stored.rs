//! Converts stored columns into values. The error for an invalid value names the column.

use std::{collections::BTreeMap, fmt, num::NonZeroU32};

use access::{Scope, sign_in::SignInTokenKind};
use domain::{
    import::{Changes, HeldBecause},
    posting::{
        ContentHash, Coordinates, DecisionOutcome, EmploymentType, Findings, Ground, LocationType,
        Locations, Metadata, NoticeCode, NoticeCounts, Objection, ObjectionState, Review,
        SalaryPeriod, Shown, TextsDigest, Values,
    },
    report::{ReportReason, ReportState},
};
use fields::{
    DayOrTime, Website,
    codes::{CountryCode, CurrencyCode},
    day,
};
use kernel::{
    Actor, AttentionItem, AttentionKind, CatalogueName, DecisionCode, Operator, Prefixes,
    SourceIdentifier, Status, StoreError,
    audit::{Action, Details},
    event::EventName,
    trace::TraceParent,
};
use newsletter::subscriber::{
    Account, DepartureKind, Email, MembershipStatus, MigrationSource, PlanCategory,
    SubscriberStatus, SuppressionSource,
};
use serde_json::{Value, json};
use time::{Date, Duration, OffsetDateTime, format_description::well_known::Rfc3339};
use webhooks::EndpointState;

/// An error for a value that this program cannot have written.
pub fn corrupt(column: impl fmt::Display, value: impl fmt::Debug) -> StoreError {
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
    PlanCategory ReportReason ReportState Review SalaryPeriod Scope SignInTokenKind Status
    SubscriberStatus SuppressionSource DayOrTime: text => Self::parse(text);
    CatalogueName Operator SourceIdentifier: text => Self::new(text).ok();
    Actor: text => text.parse().ok();
    Action DecisionCode EventName Website: text => Some(Self::from_store(text.to_owned()));
    Metadata: text => Some(Self::from_store(text));
    Shown Values: text => Self::from_store(text);
    Changes Details Errors Findings Locations Objection Texts: text =>
        serde_json::from_str(text).ok();
    EventNames: text => {
        Some(Texts::from_store(text)?.into_iter().map(EventName::from_store).collect())
    };
    Prefixes: text => Self::new(&Texts::from_store(text)?).ok();
    NoticeCounts: text => {
        let counts: BTreeMap<String, u64> = serde_json::from_str(text).ok()?;
        let counts = counts.into_iter();
        counts.map(|(code, count)| Some((NoticeCode::parse(&code)?, count))).collect()
    };
    // For SQLite, which has no type for dates.
    Date: text => day::parse(text);
    // A different spelling is refused, because no lookup would find it.
    Email: text => Self::parse(text).ok().filter(|email| email.as_str() == text);
}

type Texts = Vec<String>;

type EventNames = Vec<EventName>;

type Errors = BTreeMap<String, Texts>;

pub fn parse<T: StoredText>(text: &str, column: impl fmt::Display) -> Result<T, StoreError> {
    T::from_store(text).ok_or_else(|| corrupt(column, text))
}

/// Converts a column as it is read into a value.
pub trait Decode<T> {
    fn decode(self, column: impl fmt::Display) -> Result<T, StoreError>;
}

impl<T, S: Decode<T>> Decode<Option<T>> for Option<S> {
    fn decode(self, column: impl fmt::Display) -> Result<Option<T>, StoreError> {
        self.map(|stored| stored.decode(column)).transpose()
    }
}

impl<T: StoredText> Decode<T> for String {
    fn decode(self, column: impl fmt::Display) -> Result<T, StoreError> {
        parse(&self, column)
    }
}

macro_rules! decodes {
    ($($from:ty: $($to:ty),+ = |$stored:ident, $column:ident| $value:expr;)+) => {
        $($(impl Decode<$to> for $from {
            fn decode(self, $column: impl fmt::Display) -> Result<$to, StoreError> {
                let $stored = self;
                $value
            }
        })+)+
    };
}

decodes! {
    String: String = |text, _column| Ok(text);
    bool: bool = |flag, _column| Ok(flag);
    i64: i64 = |number, _column| Ok(number);
    i64: u64, u32, u16, u8 = |number, column| {
        number.try_into().map_err(|_| corrupt(column, number))
    };
    i64: NonZeroU32 = |number, column| {
        let positive = u32::try_from(number).ok().and_then(NonZeroU32::new);
        positive.ok_or_else(|| corrupt(column, number))
    };
    i64: Duration = |seconds, _column| Ok(Duration::seconds(seconds));
    Vec<u8>: [u8; 32] = |bytes, column| digest(&bytes, column);
    Vec<u8>: ContentHash = |bytes, column| digest(&bytes, column).map(ContentHash::from_bytes);
    Vec<u8>: TextsDigest = |bytes, column| digest(&bytes, column).map(TextsDigest::from_bytes);
}

/// A value whose fields are columns of a table's row: `field`, or `field: column`. Other fields
/// follow a semicolon.
macro_rules! decoded {
    ($row:ident of $table:ident => $value:ident {
        $($field:ident $(: $column:ident)?),* $(,)?
        $(; $($other:ident $(: $given:expr)?),+ $(,)?)?
        $(; ..$rest:expr)?
    }) => {
        $value {
            $($($other $(: $given)?,)+)?
            $($field: $crate::stored::decoded!(@one $row $table $field $($column)?)?,)*
            $(..$rest)?
        }
    };
    (@one $row:ident $table:ident $field:ident) => {
        $crate::stored::decoded!(@one $row $table $field $field)
    };
    (@one $row:ident $table:ident $field:ident $column:ident) => {{
        const COLUMN: &str = concat!(stringify!($table), ".", stringify!($column));
        $crate::stored::Decode::decode($row.$column, COLUMN)
    }};
}

/// Converts a table's rows into values, with `decoded!`.
macro_rules! decode {
    ($row:ident: $of:ident of $table:ident => $value:ident $fields:tt) => {
        impl TryFrom<$of> for $value {
            type Error = kernel::StoreError;

            fn try_from($row: $of) -> Result<Self, kernel::StoreError> {
                Ok($crate::stored::decoded!($row of $table => Self $fields))
            }
        }
    };
}

pub(crate) use {decode, decoded, decodes};

/// Reads a SHA-256. An error shows only the length, because the value may be secret.
pub fn digest(bytes: &[u8], column: impl fmt::Display) -> Result<[u8; 32], StoreError> {
    bytes
        .try_into()
        .map_err(|_| corrupt(column, format_args!("{} bytes", bytes.len())))
}

pub fn array_text<T: AsRef<str>>(texts: &[T]) -> String {
    let texts: Vec<_> = texts.iter().map(AsRef::as_ref).collect();
    Value::from(texts).to_string()
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
        let count = |stored: i64| -> Result<u32, _> { stored.decode("t.c") };
        for (stored, expect) in [(0, 0), (7, 7), (i64::from(u32::MAX), u32::MAX)] {
            assert_eq!(count(stored), Ok(expect));
        }
        for stored in [-1, i64::from(u32::MAX) + 1] {
            reports(count(stored), "t.c", &stored.to_string());
        }
    }
}
