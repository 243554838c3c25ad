//! SQL types that each database stores in its own way, and their values.
//!
//! A value that this program cannot have written is read as it is, so that the error can name its
//! column.

use std::fmt;

use diesel::{
    backend::Backend,
    deserialize::FromSqlRow,
    expression::AsExpression,
    query_builder::QueryId,
    serialize::{self, Output, ToSql},
    sql_types::{BigInt, Binary, Bool, Double, Integer, Nullable, SqlType, Text},
};
use domain::{
    audit::Details,
    client::Scope,
    posting::{EmploymentType, LocationType},
    store::StoreError,
};
use time::{Date, OffsetDateTime};
use uuid::Uuid;

use crate::stored::{StoredText, corrupt, details_text, parse_all};

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

/// A list of texts from a closed set, in order: `text[]`, or one text with commas.
#[derive(Clone, Copy, Debug, QueryId, SqlType)]
#[diesel(postgres_type(oid = 1009, array_oid = 0), sqlite_type(name = "Text"))]
pub struct TextList;

/// A count: `integer`, which has 64 bits in SQLite.
#[derive(Clone, Copy, Debug, QueryId, SqlType)]
#[diesel(postgres_type(oid = 23, array_oid = 1007), sqlite_type(name = "Long"))]
pub struct Count;

/// The Rust type that a column of an SQL type is read as.
pub trait Stored {
    /// The type of a field of a row.
    type Value;
}

macro_rules! stored {
    ($($sql:ty => $value:ty,)+) => {
        $(impl Stored for $sql {
            type Value = $value;
        })+
    };
}

stored! {
    BigInt => i64,
    Binary => Vec<u8>,
    Bool => bool,
    Day => StoredDay,
    Double => f64,
    Id => StoredId,
    Integer => i32,
    Moment => StoredTime,
    Text => String,
    TextList => StoredTextList,
}

impl<T: Stored + SqlType> Stored for Nullable<T> {
    type Value = Option<T::Value>;
}

/// An identifier in a column.
#[derive(AsExpression, Clone, Debug, FromSqlRow, PartialEq, Eq)]
#[diesel(sql_type = Id)]
pub enum StoredId {
    /// Valid.
    Uuid(Uuid),
    /// Bytes of another length.
    Other(Vec<u8>),
}

impl StoredId {
    /// The identifier, or an error that names this column.
    pub fn uuid(self, column: &str) -> Result<Uuid, StoreError> {
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

/// A time in a column: microseconds since 1970.
#[derive(AsExpression, Clone, Copy, Debug, FromSqlRow, PartialEq, Eq, PartialOrd, Ord)]
#[diesel(sql_type = Moment)]
pub struct StoredTime(i64);

impl StoredTime {
    /// Before every time.
    pub const MIN: Self = Self(i64::MIN);
    /// After every time.
    pub const MAX: Self = Self(i64::MAX);

    /// The time, or an error that names this column.
    pub fn time(self, column: &str) -> Result<OffsetDateTime, StoreError> {
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

/// The time of a nullable column.
pub fn optional_time(
    at: Option<StoredTime>,
    column: &str,
) -> Result<Option<OffsetDateTime>, StoreError> {
    at.map(|at| at.time(column)).transpose()
}

/// A day in a column.
#[derive(Clone, Debug, FromSqlRow, PartialEq, Eq)]
pub enum StoredDay {
    /// Valid.
    Date(Date),
    /// A text that is no date.
    Other(String),
}

impl StoredDay {
    /// The date, or an error that names this column.
    pub fn date(self, column: &str) -> Result<Date, StoreError> {
        match self {
            Self::Date(date) => Ok(date),
            Self::Other(text) => Err(corrupt(column, text)),
        }
    }
}

/// A list of texts in a column.
#[derive(Clone, Debug, FromSqlRow, PartialEq, Eq)]
pub enum StoredTextList {
    /// As one text with commas.
    Joined(String),
    /// As an array.
    Each(Vec<String>),
}

impl StoredTextList {
    /// The values of the list, or an error that names this column.
    pub fn parse<T: StoredText>(&self, column: &str) -> Result<Vec<T>, StoreError> {
        match self {
            Self::Joined(text) if text.is_empty() => Ok(Vec::new()),
            Self::Joined(text) => parse_all(text.split(','), column),
            Self::Each(texts) => parse_all(texts, column),
        }
    }
}

/// A value that is stored as a text, which is computed when it is bound.
pub trait ToText: fmt::Debug + Sync {
    /// The text.
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

impl ToText for Details {
    fn to_text(&self) -> String {
        details_text(self)
    }
}

/// A value that is bound as its text.
#[derive(Clone, Copy, Debug)]
pub struct Rendered<'a>(pub &'a dyn ToText);

#[cfg(feature = "postgres")]
mod postgres {
    use std::io::Write as _;

    use diesel::{
        deserialize::{self, FromSql},
        pg::{
            Pg, PgValue,
            data_types::{PgDate, PgTimestamp},
        },
        serialize::{self, IsNull, Output, ToSql},
        sql_types::{self, Array, Integer, Text, Timestamptz},
    };
    use time::Date;
    use uuid::Uuid;

    use super::{
        Count, Day, Id, Moment, Rendered, StoredDay, StoredId, StoredTextList, StoredTime, TextList,
    };

    /// PostgreSQL counts microseconds since 2000-01-01T00:00:00Z.
    const EPOCH: i64 = 946_684_800_000_000;

    /// It counts days since the same date, which is this Julian day.
    const FIRST_DAY: i32 = 2_451_545;

    impl FromSql<Id, Pg> for StoredId {
        fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
            Ok(Uuid::from_slice(value.as_bytes())?.into())
        }
    }

    impl ToSql<Id, Pg> for Uuid {
        fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
            ToSql::<sql_types::Uuid, Pg>::to_sql(self, out)
        }
    }

    impl FromSql<Moment, Pg> for StoredTime {
        fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
            let PgTimestamp(at) = FromSql::<Timestamptz, Pg>::from_sql(value)?;
            Ok(match at {
                i64::MIN => Self::MIN,
                at => Self(at.saturating_add(EPOCH)),
            })
        }
    }

    impl ToSql<Moment, Pg> for StoredTime {
        fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
            let at = PgTimestamp(match *self {
                Self::MAX => i64::MAX,
                Self(at) => at.saturating_sub(EPOCH),
            });
            ToSql::<Timestamptz, Pg>::to_sql(&at, &mut out.reborrow())
        }
    }

    impl FromSql<Day, Pg> for StoredDay {
        fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
            FromSql::<sql_types::Date, Pg>::from_sql(value).map(day)
        }
    }

    fn day(PgDate(days): PgDate) -> StoredDay {
        let day = days.checked_add(FIRST_DAY);
        let day = day.and_then(|day| Date::from_julian_day(day).ok());
        match (day, days) {
            (Some(date), _) => StoredDay::Date(date),
            (None, i32::MAX) => StoredDay::Other("infinity".to_owned()),
            (None, i32::MIN) => StoredDay::Other("-infinity".to_owned()),
            (None, days) => StoredDay::Other(days.to_string()),
        }
    }

    const fn date(day: Date) -> PgDate {
        PgDate(day.to_julian_day() - FIRST_DAY)
    }

    impl ToSql<Day, Pg> for Date {
        fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
            ToSql::<sql_types::Date, Pg>::to_sql(&date(*self), &mut out.reborrow())
        }
    }

    impl ToSql<Text, Pg> for Rendered<'_> {
        fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
            out.write_all(self.0.to_text().as_bytes())?;
            Ok(IsNull::No)
        }
    }

    impl FromSql<Count, Pg> for i64 {
        fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
            <i32 as FromSql<Integer, Pg>>::from_sql(value).map(Self::from)
        }
    }

    impl FromSql<TextList, Pg> for StoredTextList {
        fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
            FromSql::<Array<Text>, Pg>::from_sql(value).map(Self::Each)
        }
    }

    #[cfg(test)]
    mod tests {
        use time::macros;

        use super::*;

        #[test]
        fn days_are_exact() {
            for (at, days) in [
                (macros::date!(2000 - 01 - 01), 0),
                (macros::date!(2026 - 12 - 31), 9_861),
                (macros::date!(1999 - 12 - 31), -1),
                (macros::date!(0001 - 01 - 01), -730_119),
                (macros::date!(9999 - 12 - 31), 2_921_939),
            ] {
                assert_eq!(date(at), PgDate(days));
                assert_eq!(day(PgDate(days)), StoredDay::Date(at));
            }
        }

        #[test]
        fn a_day_beyond_the_calendar_is_reported() {
            for (days, shown) in [
                (i32::MAX, "infinity"),
                (i32::MIN, "-infinity"),
                (2_921_940, "2921940"),
            ] {
                assert_eq!(day(PgDate(days)), StoredDay::Other(shown.to_owned()));
            }
        }
    }
}

#[cfg(feature = "sqlite")]
mod sqlite {
    use diesel::{
        deserialize::{self, FromSql},
        serialize::{self, IsNull, Output, ToSql},
        sql_types::Text,
        sqlite::{Sqlite, SqliteValue},
    };
    use time::Date;
    use uuid::Uuid;

    use super::{
        Count, Day, Id, Moment, Rendered, StoredDay, StoredId, StoredText, StoredTextList,
        StoredTime, TextList,
    };

    impl FromSql<Id, Sqlite> for StoredId {
        fn from_sql(mut value: SqliteValue<'_, '_, '_>) -> deserialize::Result<Self> {
            let bytes = value.read_blob();
            Ok(match Uuid::from_slice(bytes) {
                Ok(id) => Self::Uuid(id),
                Err(_) => Self::Other(bytes.to_vec()),
            })
        }
    }

    impl ToSql<Id, Sqlite> for Uuid {
        fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
            out.set_value(self.as_bytes().as_slice());
            Ok(IsNull::No)
        }
    }

    impl FromSql<Moment, Sqlite> for StoredTime {
        fn from_sql(mut value: SqliteValue<'_, '_, '_>) -> deserialize::Result<Self> {
            Ok(Self(value.read_long()))
        }
    }

    impl ToSql<Moment, Sqlite> for StoredTime {
        fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
            out.set_value(self.0);
            Ok(IsNull::No)
        }
    }

    impl FromSql<Day, Sqlite> for StoredDay {
        fn from_sql(value: SqliteValue<'_, '_, '_>) -> deserialize::Result<Self> {
            let text: String = FromSql::<Text, Sqlite>::from_sql(value)?;
            Ok(Date::from_store(&text).map_or_else(|| Self::Other(text), Self::Date))
        }
    }

    impl ToSql<Day, Sqlite> for Date {
        fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
            out.set_value(domain::day::write(*self));
            Ok(IsNull::No)
        }
    }

    impl ToSql<Text, Sqlite> for Rendered<'_> {
        fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
            out.set_value(self.0.to_text());
            Ok(IsNull::No)
        }
    }

    impl FromSql<Count, Sqlite> for i64 {
        fn from_sql(mut value: SqliteValue<'_, '_, '_>) -> deserialize::Result<Self> {
            Ok(value.read_long())
        }
    }

    impl FromSql<TextList, Sqlite> for StoredTextList {
        fn from_sql(value: SqliteValue<'_, '_, '_>) -> deserialize::Result<Self> {
            FromSql::<Text, Sqlite>::from_sql(value).map(Self::Joined)
        }
    }
}

/// Binds an identifier in a query of diesel's.
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
    fn a_time_beyond_the_calendar_is_reported() {
        for (at, shown) in [
            (i64::MAX, "infinity"),
            (i64::MIN, "-infinity"),
            (i64::MAX - 1, "9223372036854775806"),
        ] {
            let error = StoredTime(at).time("postings.created_at").unwrap_err();
            let error = error.to_string();
            assert!(
                error.contains("postings.created_at") && error.contains(shown),
                "{error}"
            );
        }
    }

    #[test]
    fn words_keep_their_order() {
        let check = |list: &[LocationType], text: &str| {
            assert_eq!(list.to_vec().to_text(), text);
            let stored = StoredTextList::Joined(text.to_owned());
            assert_eq!(stored.parse("t.c").as_deref(), Ok(list));
        };
        check(&[], "");
        check(&[LocationType::Hybrid], "hybrid");
        check(
            &[LocationType::OnSite, LocationType::Remote],
            "on-site,remote",
        );
        for text in [",", "remote,", "remote, hybrid", "Remote"] {
            let stored = StoredTextList::Joined(text.to_owned());
            assert!(stored.parse::<LocationType>("t.c").is_err(), "{text}");
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
