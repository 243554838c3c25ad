//! Runs statements that are prepared once.

use diesel::{QueryResult, RunQueryDsl, SqliteConnection, deserialize::FromSqlRow, sqlite::Sqlite};
use sql_common::{
    entity::Entity,
    sql::{self, Bound, Returning, Typed, untyped},
};
pub(crate) use sql_common::{statement, value::Value};

/// A statement for SQLite.
#[cfg(test)]
pub(crate) trait Sql: sql::Sql {
    /// The text, with `?` for each value.
    fn text() -> String {
        Self::texts().of(sql::Dialect::Sqlite).with_marks()
    }
}

#[cfg(test)]
impl<S: sql::Sql> Sql for S {}

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
pub(crate) fn execute<S: sql::Sql>(
    conn: &mut SqliteConnection,
    values: &[Value<'_>],
) -> QueryResult<usize> {
    RunQueryDsl::execute(Bound::<S, _>::new(values), conn)
}

/// Runs a query.
pub(crate) fn load<S: Returning, T: FromSqlRow<S::Row, Sqlite> + 'static>(
    conn: &mut SqliteConnection,
    values: &[Value<'_>],
) -> QueryResult<Vec<T>> {
    RunQueryDsl::load::<Typed<T, S::Row>>(Bound::<S, _>::new(values), conn).map(untyped)
}
