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

/// PostgreSQL counts days from the same date. This is its Julian day.
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
}
