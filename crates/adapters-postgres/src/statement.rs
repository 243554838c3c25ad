//! Statements with columns of several rows.
//!
//! A batch is one statement over `unnest`: every column travels as one array, so a batch of any
//! size takes one round trip and has the same text. `unnest` returns rows in the order of the
//! arrays, and no plan step reorders them, so the caller determines the order in which rows are
//! inserted and thereby locked.

use std::{future::Future, pin::Pin};

use diesel::{QueryResult, deserialize::FromSqlRow, pg::Pg};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use futures_util::TryFutureExt;
pub(crate) use sql_common::batch::{NamedValue, Value, arrays};
use sql_common::sql::{ByName, Returning, Sql, Typed, untyped};

/// The future of a statement. It is boxed because the compiler cannot prove `Send` for diesel's
/// types.
type BoxedQuery<'a, T> = Pin<Box<dyn Future<Output = QueryResult<T>> + Send + 'a>>;

pub(crate) fn execute<'a, S: Sql>(
    conn: &'a mut AsyncPgConnection,
    values: &'a [NamedValue<'a>],
) -> BoxedQuery<'a, usize> {
    Box::pin(RunQueryDsl::execute(ByName::<S, _>::new(values), conn))
}

pub(crate) fn load<'a, S, T>(
    conn: &'a mut AsyncPgConnection,
    values: &'a [NamedValue<'a>],
) -> BoxedQuery<'a, Vec<T>>
where
    S: Returning,
    T: FromSqlRow<S::Row, Pg> + Send + 'static,
{
    let rows = RunQueryDsl::load::<Typed<T, S::Row>>(ByName::<S, _>::new(values), conn);
    Box::pin(rows.map_ok(untyped))
}
