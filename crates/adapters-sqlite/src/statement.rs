//! Runs statements that are prepared once.

use diesel::{QueryResult, RunQueryDsl, SqliteConnection, query_dsl::LoadQuery};
use sql_common::{entity::Entity, sql::Bound};
pub(crate) use sql_common::{sql::Sql, statement, value::Value};

/// The values of one row, in insert order.
pub(crate) fn row<E: Entity>(write: &E::Write) -> Vec<Value<'_>> {
    E::columns().map(|column| column.value(write)).collect()
}

/// The values of the columns of one row that may change.
pub(crate) fn changing<E: Entity>(write: &E::Write) -> Vec<Value<'_>> {
    E::CHANGING
        .iter()
        .map(|column| column.value(write))
        .collect()
}

/// Runs a statement, and returns how many rows it wrote.
pub(crate) fn execute<S: Sql>(
    conn: &mut SqliteConnection,
    values: &[Value<'_>],
) -> QueryResult<usize> {
    RunQueryDsl::execute(Bound::<S, _>::new(values), conn)
}

/// Runs a query.
pub(crate) fn load<'a, S, T>(
    conn: &mut SqliteConnection,
    values: &'a [Value<'a>],
) -> QueryResult<Vec<T>>
where
    Bound<'a, S, Value<'a>>: LoadQuery<'a, SqliteConnection, T>,
{
    RunQueryDsl::load(Bound::new(values), conn)
}
