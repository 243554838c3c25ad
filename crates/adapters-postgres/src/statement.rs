//! SQL statements that are prepared once per connection, and their values.
//!
//! diesel keeps no prepared statement of an `UPDATE`, an upsert or a `sql_query`. A statement
//! with a fixed text and a type of its own is kept, so whatever writes is written as such.
//!
//! A batch is one statement over `unnest`: every column of its rows travels as one array, so a
//! batch of any size takes one round trip and has the same text. `unnest` yields the rows in the
//! order of the arrays, and nothing between it and the table reorders them: the order in which
//! a statement inserts, and so locks, is the caller's.

use std::{any::Any, future::Future, marker::PhantomData, pin::Pin};

use diesel::{
    QueryResult,
    deserialize::FromSqlRow,
    expression::QueryMetadata,
    pg::{
        Pg,
        data_types::{PgDate, PgTimestamp},
    },
    query_builder::{AstPass, Query, QueryFragment, QueryId},
    query_dsl::CompatibleType,
    sql_types::{Array, BigInt, Binary, Bool, Date, Double, Integer, Nullable, Text, Timestamptz},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

/// The text of a statement, with a `?` for each value and none elsewhere.
pub(crate) trait Sql: Any + Send + Sync {
    /// The text.
    const TEXT: &'static str;
}

/// A statement that returns rows.
pub(crate) trait Returning: Sql {
    /// The SQL types of a row.
    type Row;
}

/// Declares the type of a statement, and what its rows are, if it returns any.
macro_rules! statement {
    ($(#[$meta:meta])* $name:ident = $text:expr $(, returns $row:ty)?) => {
        $(#[$meta])*
        struct $name;
        impl $crate::statement::Sql for $name {
            const TEXT: &'static str = $text;
        }
        $(impl $crate::statement::Returning for $name {
            type Row = $row;
        })?
    };
}
pub(crate) use statement;

/// A value to bind: one for the whole statement, or a column of its rows.
#[derive(Clone, Debug)]
pub(crate) enum Value<'a> {
    /// `uuid`.
    Uuid(Uuid),
    /// `text`.
    Text(&'a str),
    /// `bytea`.
    Binary(&'a [u8]),
    /// `bigint`.
    BigInt(i64),
    /// `timestamptz`.
    Time(PgTimestamp),
    /// A column of `uuid`.
    Uuids(Vec<Uuid>),
    /// A column of `uuid` with gaps.
    OptionalUuids(Vec<Option<Uuid>>),
    /// A column of `text`.
    Texts(Vec<Option<&'a str>>),
    /// A column of `bytea`.
    Binaries(Vec<Option<&'a [u8]>>),
    /// A column of `integer`.
    Integers(Vec<i32>),
    /// A column of `bigint`.
    BigInts(Vec<Option<i64>>),
    /// A column of `double precision`.
    Doubles(Vec<Option<f64>>),
    /// A column of `boolean`.
    Bools(Vec<bool>),
    /// A column of `timestamptz`.
    Times(Vec<Option<PgTimestamp>>),
    /// A column of `date`.
    Dates(Vec<Option<PgDate>>),
}

macro_rules! column {
    ($($(#[$meta:meta])* $name:ident: $item:ty => $variant:ident;)+) => {
        $($(#[$meta])*
        pub(crate) fn $name<'a, R>(rows: &'a [R], of: impl Fn(&'a R) -> $item) -> Value<'a> {
            Value::$variant(rows.iter().map(of).collect())
        })+
    };
}

column! {
    /// A column of `uuid`, of these rows.
    uuids: Uuid => Uuids;
    /// A column of `uuid` with gaps, of these rows.
    optional_uuids: Option<Uuid> => OptionalUuids;
    /// A column of `text`, of these rows.
    texts: Option<&'a str> => Texts;
    /// A column of `bytea`, of these rows.
    binaries: Option<&'a [u8]> => Binaries;
    /// A column of `integer`, of these rows.
    integers: i32 => Integers;
    /// A column of `bigint`, of these rows.
    bigints: Option<i64> => BigInts;
    /// A column of `double precision`, of these rows.
    doubles: Option<f64> => Doubles;
    /// A column of `boolean`, of these rows.
    bools: bool => Bools;
    /// A column of `timestamptz`, of these rows.
    times: Option<PgTimestamp> => Times;
    /// A column of `date`, of these rows.
    dates: Option<PgDate> => Dates;
}

/// A statement with its values.
struct Bound<'a, S> {
    values: &'a [Value<'a>],
    sql: PhantomData<S>,
}

impl<S: Sql> QueryId for Bound<'_, S> {
    type QueryId = S;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl<S: Sql> QueryFragment<Pg> for Bound<'_, S> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        let mut pieces = S::TEXT.split('?');
        out.push_sql(pieces.next().unwrap_or_default());
        debug_assert_eq!(pieces.clone().count(), self.values.len(), "{}", S::TEXT);
        for (value, piece) in self.values.iter().zip(pieces) {
            match value {
                Value::Uuid(value) => out.push_bind_param::<diesel::sql_types::Uuid, _>(value)?,
                Value::Text(value) => out.push_bind_param::<Text, _>(value)?,
                Value::Binary(value) => out.push_bind_param::<Binary, _>(value)?,
                Value::BigInt(value) => out.push_bind_param::<BigInt, _>(value)?,
                Value::Time(value) => out.push_bind_param::<Timestamptz, _>(value)?,
                Value::Uuids(column) => {
                    out.push_bind_param::<Array<diesel::sql_types::Uuid>, _>(column)?;
                }
                Value::OptionalUuids(column) => {
                    out.push_bind_param::<Array<Nullable<diesel::sql_types::Uuid>>, _>(column)?;
                }
                Value::Texts(column) => {
                    out.push_bind_param::<Array<Nullable<Text>>, _>(column)?;
                }
                Value::Binaries(column) => {
                    out.push_bind_param::<Array<Nullable<Binary>>, _>(column)?;
                }
                Value::Integers(column) => out.push_bind_param::<Array<Integer>, _>(column)?,
                Value::BigInts(column) => {
                    out.push_bind_param::<Array<Nullable<BigInt>>, _>(column)?;
                }
                Value::Doubles(column) => {
                    out.push_bind_param::<Array<Nullable<Double>>, _>(column)?;
                }
                Value::Bools(column) => out.push_bind_param::<Array<Bool>, _>(column)?,
                Value::Times(column) => {
                    out.push_bind_param::<Array<Nullable<Timestamptz>>, _>(column)?;
                }
                Value::Dates(column) => {
                    out.push_bind_param::<Array<Nullable<Date>>, _>(column)?;
                }
            }
            out.push_sql(piece);
        }
        Ok(())
    }
}

impl<S: Returning> Query for Bound<'_, S> {
    type SqlType = S::Row;
}

/// What an asynchronous statement comes to. Its type is erased here, because the compiler
/// cannot follow diesel's through a future that has to be `Send`.
pub(crate) type Running<'a, T> = Pin<Box<dyn Future<Output = QueryResult<T>> + Send + 'a>>;

/// Runs a statement, and says how many rows it wrote.
pub(crate) fn execute<'a, S: Sql>(
    conn: &'a mut AsyncPgConnection,
    values: &'a [Value<'a>],
) -> Running<'a, usize> {
    let bound = Bound {
        values,
        sql: PhantomData::<S>,
    };
    Box::pin(bound.execute(conn))
}

/// Runs a query.
pub(crate) fn load<'a, S, T>(
    conn: &'a mut AsyncPgConnection,
    values: &'a [Value<'a>],
) -> Running<'a, Vec<T>>
where
    S: Returning,
    S::Row: 'static,
    T: FromSqlRow<S::Row, Pg> + Send + 'static,
    Pg: QueryMetadata<S::Row>,
    S::Row: CompatibleType<T, Pg, SqlType = S::Row>,
{
    let bound = Bound {
        values,
        sql: PhantomData::<S>,
    };
    Box::pin(RunQueryDsl::load(bound, conn))
}
