//! SQL types that each database stores differently, and their values.
//!
//! A value that this program cannot have written is still read, so that the error names its column.

#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "sqlite")]
mod sqlite;

use std::{collections::BTreeMap, fmt};

use access::Scope;
use diesel::{
    backend::Backend,
    deserialize::FromSqlRow,
    expression::AsExpression,
    query_builder::QueryId,
    serialize::{self, Output, ToSql},
    sql_types::{BigInt, Binary, Bool, Double, Integer, Nullable, SqlType, Text},
};
use domain::{
    catalogue::CatalogueId,
    import::Changes,
    posting::{
        DecidedBy, EmploymentType, Findings, LocationType, Locations, NoticeCounts, Objection,
        Shown, Values,
    },
};
use fields::DayOrTime;
use kernel::{
    Actor, AttentionItem, ClientId, CompanyId, PostingId, Prefixes, ReportId, StoreError,
    audit::Details, event::EventName, trace::TraceParent,
};
use newsletter::subscriber::SubscriberId;
use serde_json::Value;
use time::{Date, OffsetDateTime};
use uuid::Uuid;
use webhooks::EndpointId;

use crate::{
    dialect::Dialect,
    stored::{Decode, StoredText, array_text, corrupt, decodes, item_text, parse},
};

/// An identifier: `uuid`, or its 16 bytes.
#[derive(Clone, Copy, Debug, QueryId, SqlType)]
#[diesel(
    postgres_type(oid = 2950, array_oid = 2951),
    sqlite_type(name = "Binary")
)]
pub struct Id;

/// A time: `timestamptz`, or whole microseconds since 1970.
#[derive(Clone, Copy, Debug, QueryId, SqlType)]
#[diesel(
    postgres_type(oid = 1184, array_oid = 1185),
    sqlite_type(name = "Long")
)]
pub struct Moment;

/// A day: `date`, or a text such as `2026-12-31`.
#[derive(Clone, Copy, Debug, QueryId, SqlType)]
#[diesel(
    postgres_type(oid = 1082, array_oid = 1182),
    sqlite_type(name = "Text")
)]
pub struct Day;

#[derive(Clone, Copy, Debug, QueryId, SqlType)]
#[diesel(postgres_type(oid = 1009, array_oid = 0), sqlite_type(name = "Text"))]
pub struct TextList;

/// A count: `integer`, which has 64 bits in SQLite.
#[derive(Clone, Copy, Debug, QueryId, SqlType)]
#[diesel(postgres_type(oid = 23, array_oid = 1007), sqlite_type(name = "Long"))]
pub struct Count;

/// A column or a row: its SQL type, and the value that is read.
pub trait Stored {
    type Sql: 'static;
    type Value;

    /// Replaces the templates of the row's tables in the text of a statement.
    fn expand(text: String, _dialect: Dialect) -> String {
        text
    }
}

/// The value that is read from these columns.
pub type Read<T> = <T as Stored>::Value;

macro_rules! stored {
    ($($sql:ty => $value:ty,)+) => {
        $(impl Stored for $sql {
            type Sql = Self;
            type Value = $value;
        })+
    };
}

stored! {
    BigInt => i64,
    Binary => Vec<u8>,
    Bool => bool,
    Count => i64,
    Day => StoredDay,
    Double => f64,
    Id => StoredId,
    Integer => i32,
    Moment => StoredTime,
    Text => String,
    TextList => StoredTextList,
}

impl<T: Stored> Stored for Nullable<T> {
    type Sql = Nullable<T::Sql>;
    type Value = Option<T::Value>;

    fn expand(text: String, dialect: Dialect) -> String {
        T::expand(text, dialect)
    }
}

macro_rules! tuples {
    ($(($($part:ident)+))+) => {
        $(impl<$($part: Stored),+> Stored for ($($part,)+) {
            type Sql = ($($part::Sql,)+);
            type Value = ($($part::Value,)+);

            fn expand(text: String, dialect: Dialect) -> String {
                $(let text = $part::expand(text, dialect);)+
                text
            }
        })+
    };
}

tuples! { (A) (A B) (A B C) (A B C D) (A B C D E) }

#[derive(AsExpression, Clone, Debug, FromSqlRow, PartialEq, Eq)]
#[diesel(sql_type = Id)]
pub enum StoredId {
    Uuid(Uuid),
    Other(Vec<u8>),
}

impl StoredId {
    pub fn uuid(self, column: impl fmt::Display) -> Result<Uuid, StoreError> {
        match self {
            Self::Uuid(id) => Ok(id),
            Self::Other(bytes) => Err(corrupt(column, bytes)),
        }
    }
}

impl From<Uuid> for StoredId {
    fn from(id: Uuid) -> Self {
        Self::Uuid(id)
    }
}

#[derive(AsExpression, Clone, Copy, Debug, FromSqlRow, PartialEq, Eq, PartialOrd, Ord)]
#[diesel(sql_type = Moment)]
pub struct StoredTime(i64);

impl StoredTime {
    pub const MIN: Self = Self(i64::MIN);
    pub const MAX: Self = Self(i64::MAX);

    pub fn time(self, column: impl fmt::Display) -> Result<OffsetDateTime, StoreError> {
        OffsetDateTime::from_unix_timestamp_nanos(i128::from(self.0) * 1_000).map_err(
            |_| match self {
                Self::MAX => corrupt(column, "infinity"),
                Self::MIN => corrupt(column, "-infinity"),
                Self(micros) => corrupt(column, micros),
            },
        )
    }
}

impl From<OffsetDateTime> for StoredTime {
    fn from(at: OffsetDateTime) -> Self {
        Self(at.unix_timestamp() * 1_000_000 + i64::from(at.microsecond()))
    }
}

#[derive(Clone, Debug, FromSqlRow, PartialEq, Eq)]
pub enum StoredDay {
    Date(Date),
    /// A text that is not a date.
    Other(String),
}

#[derive(Clone, Debug, FromSqlRow, PartialEq, Eq)]
pub enum StoredTextList {
    Joined(String),
    Each(Vec<String>),
}

impl<T: StoredText> Decode<Vec<T>> for StoredTextList {
    fn decode(self, column: impl fmt::Display) -> Result<Vec<T>, StoreError> {
        let value = |text: &str| parse(text, &column);
        match self {
            Self::Joined(text) if text.is_empty() => Ok(Vec::new()),
            Self::Joined(text) => text.split(',').map(value).collect(),
            Self::Each(texts) => texts.iter().map(|text| value(text)).collect(),
        }
    }
}

decodes! {
    StoredTime: OffsetDateTime = |at, column| at.time(column);
    StoredDay: Date = |day, column| match day {
        StoredDay::Date(date) => Ok(date),
        StoredDay::Other(text) => Err(corrupt(column, text)),
    };
    StoredId: Uuid = |id, column| id.uuid(column);
}

macro_rules! ids {
    ($($id:ident)+) => {
        $(impl Decode<$id> for StoredId {
            fn decode(self, column: impl fmt::Display) -> Result<$id, StoreError> {
                self.uuid(column).map($id::new)
            }
        })+
    };
}

ids! { CatalogueId ClientId CompanyId EndpointId PostingId ReportId SubscriberId }

/// A value that is stored as text. The text is created when the value is bound.
pub trait ToText: fmt::Debug + Sync {
    fn to_text(&self) -> String;
}

macro_rules! joined {
    ($($type:ty),+) => {
        $(impl ToText for Vec<$type> {
            fn to_text(&self) -> String {
                // No element contains a comma.
                let texts: Vec<_> = self.iter().map(|value| value.as_str()).collect();
                texts.join(",")
            }
        })+
    };
}

joined!(EmploymentType, LocationType, Scope);

macro_rules! rendered {
    ($($type:ty: $it:ident => $text:expr,)+) => {
        $(impl ToText for $type {
            fn to_text(&self) -> String {
                let $it = self;
                $text
            }
        })+
    };
}

rendered! {
    Actor: it => it.to_string(),
    AttentionItem: it => item_text(it),
    Shown: it => it.to_text(),
    Values: it => it.to_text(),
    BTreeMap<String, Vec<String>>: it => serde_json::json!(it).to_string(),
    Changes: it => serde_json::json!(it).to_string(),
    DayOrTime: it => it.to_string(),
    DecidedBy: it => it.to_string(),
    Findings: it => serde_json::json!(it).to_string(),
    Locations: it => serde_json::json!(it).to_string(),
    Objection: it => serde_json::json!(it).to_string(),
    NoticeCounts: it => {
        let counts: BTreeMap<_, _> = it.iter().map(|(code, count)| (code.as_str(), count)).collect();
        serde_json::json!(counts).to_string()
    },
    Details: it => Value::Object(it.clone()).to_string(),
    Prefixes: it => array_text(it.as_slice()),
    TraceParent: it => it.to_string(),
    Vec<EventName>: it => array_text(&it.iter().map(EventName::as_str).collect::<Vec<_>>()),
    Vec<String>: it => array_text(it),
}

#[derive(Clone, Copy, Debug)]
pub struct Rendered<'a>(pub &'a dyn ToText);

impl<DB> ToSql<Id, DB> for StoredId
where
    DB: Backend,
    Uuid: ToSql<Id, DB>,
{
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, DB>) -> serialize::Result {
        match self {
            Self::Uuid(id) => id.to_sql(out),
            Self::Other(_) => Err("it is no UUID".into()),
        }
    }
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
            datetime!(1999-12-31 23:59:59.999999 UTC),
            datetime!(1969-12-31 23:59:59.999999 UTC),
            datetime!(0001-01-01 00:00:00.5 UTC),
            datetime!(9999-12-31 23:59:59.999999 UTC),
        ] {
            assert_eq!(StoredTime::from(at).time("t.c"), Ok(at));
        }
    }

    #[test]
    fn words_keep_their_order() {
        let check = |list: &[LocationType], text: &str| {
            assert_eq!(list.to_vec().to_text(), text);
            let stored = StoredTextList::Joined(text.to_owned());
            assert_eq!(stored.decode("t.c").as_deref(), Ok(list));
        };
        check(&[], "");
        check(&[LocationType::Hybrid], "hybrid");
        check(
            &[LocationType::OnSite, LocationType::Remote],
            "on-site,remote",
        );
        for text in [",", "remote,", "remote, hybrid", "Remote"] {
            let stored = StoredTextList::Joined(text.to_owned());
            assert!(
                Decode::<Vec<LocationType>>::decode(stored, "t.c").is_err(),
                "{text}"
            );
        }
    }

    #[test]
    fn no_word_has_a_comma() {
        let words = EmploymentType::ALL.iter().map(|word| word.as_str());
        let words = words.chain(LocationType::ALL.iter().map(|word| word.as_str()));
        for word in words.chain(Scope::ALL.iter().map(|word| word.as_str())) {
            assert!(!word.contains(','), "{word}");
        }
    }
}
