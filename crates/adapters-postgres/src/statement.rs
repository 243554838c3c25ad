use std::{future::Future, pin::Pin};

use diesel::{QueryResult, deserialize::FromSqlRow, pg::Pg};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use futures_util::TryFutureExt;
pub(crate) use sql_common::batch::{NamedValue, Value, arrays};
use sql_common::sql::{ByName, Returning, Sql, Typed, untyped};

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
