//! SQL statements that are prepared once for each connection, and their values.
//!
//! diesel caches no prepared statement for an `UPDATE`, an upsert or a `sql_query`. It does cache a
//! statement with a fixed text and a type of its own, so every statement that writes is one.
//!
//! A batch is one statement over `unnest`: every column travels as one array, so a batch of any
//! size takes one round trip and has the same text. `unnest` returns rows in the order of the
//! arrays, and no plan step reorders them, so the caller determines the order in which rows are
//! inserted and thereby locked.

use std::{future::Future, pin::Pin};

use diesel::{
    QueryResult, Selectable,
    deserialize::FromSqlRow,
    dsl::SqlTypeOf,
    pg::{Pg, PgQueryBuilder},
    query_builder::{QueryBuilder as _, QueryFragment},
};
use diesel_async::{AsyncConnectionCore, AsyncPgConnection, RunQueryDsl};
use futures_util::TryFutureExt;
pub(crate) use sql_common::{batch::Value, statement};
use sql_common::{
    entity::{Column, Entity, Of},
    sql::{self, Bound, Returning, Typed, untyped},
    types::{Rendered, StoredTime, ToText},
};
use time::OffsetDateTime;
use uuid::Uuid;

/// A statement for PostgreSQL.
#[cfg(test)]
pub(crate) trait Sql: sql::Sql {
    /// The text, with `?` for each value.
    fn text() -> String {
        Self::texts().of(sql::Dialect::Postgres).with_marks()
    }
}

#[cfg(test)]
impl<S: sql::Sql> Sql for S {}

macro_rules! column {
    ($($(#[$meta:meta])* $name:ident: $item:ty => $variant:ident;)+) => {
        $($(#[$meta])*
        pub(crate) fn $name<'a, R>(rows: &'a [R], of: impl Fn(&'a R) -> $item) -> Value<'a> {
            Value::$variant(rows.iter().map(of).collect())
        })+
    };
}

column! {
    uuids: Uuid => Uuids;
    optional_uuids: Option<Uuid> => OptionalUuids;
    texts: Option<&'a str> => Texts;
    binaries: Option<&'a [u8]> => Binaries;
    integers: i32 => Integers;
    bigints: Option<i64> => BigInts;
    bools: bool => Bools;
}

/// A column of values that are bound as their texts. Without any it is empty, which `unnest` takes
/// for a column of nulls.
pub(crate) fn rendered<'a, T: ToText + 'a>(
    values: impl Iterator<Item = Option<&'a T>> + Clone,
) -> Value<'a> {
    if values.clone().all(|value| value.is_none()) {
        return Value::Rendered(Vec::new());
    }
    Value::Rendered(values.map(|value| Some(Rendered(value?))).collect())
}

/// A column of `timestamptz`.
pub(crate) fn times<'a, R>(rows: &[R], of: impl Fn(&R) -> OffsetDateTime) -> Value<'a> {
    Value::Moments(rows.iter().map(|row| Some(of(row).into())).collect())
}

/// Collects one column of several rows into an array.
pub(crate) fn column<'a, W: 'a>(
    column: &Column<W>,
    rows: impl Iterator<Item = &'a W>,
) -> Value<'a> {
    match &column.of {
        Of::Id(of) => Value::OptionalUuids(rows.map(of).collect()),
        Of::Text(of) | Of::Kept(of) | Of::Json(of) => Value::Texts(rows.map(of).collect()),
        Of::Rendered(of) => Value::Rendered(rows.map(|row| of(row).map(Rendered)).collect()),
        Of::TextList(of) | Of::Document(of) => {
            Value::Rendered(rows.map(|row| Some(Rendered(of(row)))).collect())
        }
        Of::Integer(of) => Value::BigInts(rows.map(of).collect()),
        Of::Real(of) => Value::Doubles(rows.map(of).collect()),
        Of::Bool(of) => Value::Bools(rows.map(of).collect()),
        Of::Time(of) => Value::Moments(rows.map(|row| of(row).map(StoredTime::from)).collect()),
        Of::Day(of) => Value::Days(rows.map(of).collect()),
        Of::Blob(of) => Value::Binaries(rows.map(of).collect()),
    }
}

/// All columns of several rows, in insert order.
pub(crate) fn columns<'a, E: Entity>(
    rows: impl Iterator<Item = &'a E::Write> + Clone,
) -> impl Iterator<Item = Value<'a>> {
    E::columns().map(move |of| column(of, rows.clone()))
}

/// The columns that may change, of several rows.
pub(crate) fn changing<'a, E: Entity>(
    rows: impl Iterator<Item = &'a E::Write> + Clone,
) -> impl Iterator<Item = Value<'a>> {
    E::CHANGING.iter().map(move |of| column(of, rows.clone()))
}

/// The future of a statement. It is boxed because the compiler cannot prove `Send` for diesel's
/// types.
pub(crate) type BoxedQuery<'a, T> = Pin<Box<dyn Future<Output = QueryResult<T>> + Send + 'a>>;

/// Runs a statement, and returns how many rows it wrote.
pub(crate) fn execute<'a, S: sql::Sql>(
    conn: &'a mut AsyncPgConnection,
    values: &'a [Value<'a>],
) -> BoxedQuery<'a, usize> {
    Box::pin(RunQueryDsl::execute(Bound::<S, _>::new(values), conn))
}

/// The SQL types of the columns that a row is read from.
pub(crate) type TypesOf<R> = SqlTypeOf<<R as Selectable<Pg>>::SelectExpression>;

/// The text of a diesel query, with `?` for each value. diesel puts the text of a query together
/// each time it runs; for one over many columns that takes longer than to send it.
pub(crate) fn text_of(query: &impl QueryFragment<Pg>) -> String {
    let mut builder = PgQueryBuilder::default();
    let rendered = query.to_sql(&mut builder, &Pg);
    debug_assert!(rendered.is_ok(), "{rendered:?}");
    let mut text = builder.finish();
    for number in (1..).map(|number| format!("${number}")) {
        if !text.contains(&number) {
            break;
        }
        text = text.replace(&number, "?");
    }
    text
}

/// Runs a query.
pub(crate) fn load<'a, S, T>(
    conn: &'a mut impl AsyncConnectionCore<Backend = Pg>,
    values: &'a [Value<'a>],
) -> BoxedQuery<'a, Vec<T>>
where
    S: Returning,
    T: FromSqlRow<S::Row, Pg> + Send + 'static,
{
    let rows = RunQueryDsl::load::<Typed<T, S::Row>>(Bound::<S, _>::new(values), conn);
    Box::pin(rows.map_ok(untyped))
}
