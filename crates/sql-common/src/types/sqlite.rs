use diesel::{
    deserialize::{self, FromSql},
    serialize::{self, IsNull, Output, ToSql},
    sql_types::Text,
    sqlite::{Sqlite, SqliteValue},
};
use time::Date;
use uuid::Uuid;

use super::{
    Count, Day, Id, Moment, Rendered, StoredDay, StoredId, StoredText, StoredTextList, StoredTime,
    TextList,
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
        out.set_value(fields::day::write(*self));
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
