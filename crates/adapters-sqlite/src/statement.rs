//! SQL statements that are prepared once per connection.
//!
//! diesel keeps no prepared statement of an `UPDATE`, an upsert or a `sql_query`. A statement
//! with a fixed text and a type of its own is kept, so the hot path is written as such.

use std::{any::Any, marker::PhantomData};

use diesel::{
    QueryResult, RunQueryDsl, SqliteConnection,
    query_builder::{AstPass, Query, QueryFragment, QueryId},
    query_dsl::LoadQuery,
    sql_types::{BigInt, Binary, Double, Nullable, Text},
    sqlite::Sqlite,
};

/// The text of a statement, with a `?` for each value and none elsewhere.
pub(crate) trait Sql: Any {
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

/// A value to bind.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value<'a> {
    /// `TEXT` or `NULL`.
    Text(Option<&'a str>),
    /// `INTEGER` or `NULL`.
    Integer(Option<i64>),
    /// `REAL` or `NULL`.
    Real(Option<f64>),
    /// `BLOB` or `NULL`.
    Blob(Option<&'a [u8]>),
}

macro_rules! value_from {
    ($($from:ty, $value:ident => $to:expr;)+) => {
        $(impl<'a> From<$from> for Value<'a> {
            fn from($value: $from) -> Self {
                $to
            }
        })+
    };
}

value_from! {
    &'a str, text => Self::Text(Some(text));
    Option<&'a str>, text => Self::Text(text);
    &'a String, text => Self::Text(Some(text));
    &'a Option<String>, text => Self::Text(text.as_deref());
    i64, integer => Self::Integer(Some(integer));
    Option<i64>, integer => Self::Integer(integer);
    bool, flag => Self::Integer(Some(i64::from(flag)));
    Option<f64>, real => Self::Real(real);
    &'a uuid::Uuid, id => Self::Blob(Some(id.as_bytes()));
    &'a [u8; 32], digest => Self::Blob(Some(digest));
    Option<&'a [u8]>, bytes => Self::Blob(bytes);
}

/// A statement with its values.
pub(crate) struct Bound<'a, S> {
    values: &'a [Value<'a>],
    sql: PhantomData<S>,
}

impl<'a, S> Bound<'a, S> {
    const fn new(values: &'a [Value<'a>]) -> Self {
        Self {
            values,
            sql: PhantomData,
        }
    }
}

impl<S: Sql> QueryId for Bound<'_, S> {
    type QueryId = S;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl<S: Sql> QueryFragment<Sqlite> for Bound<'_, S> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        let mut pieces = S::TEXT.split('?');
        out.push_sql(pieces.next().unwrap_or_default());
        debug_assert_eq!(pieces.clone().count(), self.values.len(), "{}", S::TEXT);
        for (value, piece) in self.values.iter().zip(pieces) {
            match value {
                Value::Text(value) => out.push_bind_param::<Nullable<Text>, _>(value)?,
                Value::Integer(value) => out.push_bind_param::<Nullable<BigInt>, _>(value)?,
                Value::Real(value) => out.push_bind_param::<Nullable<Double>, _>(value)?,
                Value::Blob(value) => out.push_bind_param::<Nullable<Binary>, _>(value)?,
            }
            out.push_sql(piece);
        }
        Ok(())
    }
}

impl<S: Returning> Query for Bound<'_, S> {
    type SqlType = S::Row;
}

impl<S> RunQueryDsl<SqliteConnection> for Bound<'_, S> {}

/// Runs a statement, and says how many rows it wrote.
pub(crate) fn execute<S: Sql>(
    conn: &mut SqliteConnection,
    values: &[Value<'_>],
) -> QueryResult<usize> {
    Bound::<S>::new(values).execute(conn)
}

/// Runs a query.
pub(crate) fn load<'a, S, T>(
    conn: &mut SqliteConnection,
    values: &'a [Value<'a>],
) -> QueryResult<Vec<T>>
where
    Bound<'a, S>: LoadQuery<'a, SqliteConnection, T>,
{
    Bound::new(values).load(conn)
}
