//! The connection of a store, as port implementations that both stores share see it.
//!
//! Statements are awaited. Those of SQLite are done at once, on the blocking thread that the work
//! runs on ([`at_once`]).

use std::{
    future::Future,
    pin::{Pin, pin},
    task::{Context, Poll, Waker},
};

use diesel::{deserialize::FromSqlRow, result::Error as DieselError};
use kernel::StoreError;

use crate::{
    sql::{Returning, Sql},
    value::Named,
};

/// Why shared work failed. Each store classifies the errors of its own database.
#[derive(Debug)]
pub enum Failure {
    /// An error of the database, or of the connection to it.
    Database(DieselError),
    /// An error of what was read or asked for.
    Store(StoreError),
}

impl From<DieselError> for Failure {
    fn from(error: DieselError) -> Self {
        Self::Database(error)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// The result of shared work.
pub type Outcome<T> = Result<T, Failure>;

/// The future of a statement. It is boxed because the compiler cannot prove `Send` for diesel's
/// types.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = Outcome<T>> + Send + 'a>>;

/// Runs statements, each prepared once for each connection.
pub trait Executor: Send {
    /// Runs a statement that returns rows.
    fn load<'a, S: Returning, R: Record<S::Row>>(
        &'a mut self,
        values: &'a [Named<'a>],
    ) -> Answer<'a, Vec<R>>;

    /// Runs a statement, and returns how many rows it wrote.
    fn execute<'a, S: Sql>(&'a mut self, values: &'a [Named<'a>]) -> Answer<'a, usize>;

    /// Runs a statement that returns rows for each of several rows, and with values that they share:
    /// on SQLite once for each, on PostgreSQL once over arrays of their columns. Nothing is run for
    /// no row.
    fn load_each<'a, S: Returning, R: Record<S::Row>>(
        &'a mut self,
        rows: &'a [Vec<Named<'a>>],
        shared: &'a [Named<'a>],
    ) -> Answer<'a, Vec<R>>;

    /// Runs a statement in the same way, and returns how many rows it wrote.
    fn execute_each<'a, S: Sql>(
        &'a mut self,
        rows: &'a [Vec<Named<'a>>],
        shared: &'a [Named<'a>],
    ) -> Answer<'a, usize>;

    /// Waits until no other transaction holds the lock of this key, and holds it until this one
    /// ends: for rows that are not there yet. SQLite has one writer, so nothing is done there.
    fn lock<'a>(&'a mut self, table: &'static str, key: &'a str) -> Answer<'a, ()>;
}

/// Rows as values, in order.
pub fn values<R, T: TryFrom<R, Error = StoreError>>(rows: Vec<R>) -> Outcome<Vec<T>> {
    let values = rows.into_iter().map(T::try_from);
    Ok(values.collect::<Result<_, _>>()?)
}

/// A row that is read from columns of these SQL types, on each database.
pub trait Record<ST>: OfPostgres<ST> + OfSqlite<ST> + Send + 'static {}

impl<ST, R: OfPostgres<ST> + OfSqlite<ST> + Send + 'static> Record<ST> for R {}

#[cfg(feature = "postgres")]
mod postgres {
    use std::{
        future::{Future, ready},
        pin::Pin,
    };

    use diesel::pg::Pg;
    use diesel_async::{AsyncPgConnection, RunQueryDsl};

    use super::{Answer, Executor, FromSqlRow, Named, Record, Returning, Sql};
    use crate::{
        batch::columns,
        binds,
        sql::{ByName, Typed, untyped},
        statement,
    };

    statement! {
        Lock = "SELECT pg_advisory_xact_lock(hashtext(:table), hashtext(:key))"
    }

    type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

    /// A row that is read from columns of PostgreSQL.
    pub trait OfPostgres<ST>: FromSqlRow<ST, Pg> {}

    impl<ST, R: FromSqlRow<ST, Pg>> OfPostgres<ST> for R {}

    impl Executor for AsyncPgConnection {
        fn load<'a, S: Returning, R: Record<S::Row>>(
            &'a mut self,
            values: &'a [Named<'a>],
        ) -> Answer<'a, Vec<R>> {
            let query = ByName::<S, _>::new(values);
            let rows = RunQueryDsl::load::<Typed<R, S::Row>>(query, self);
            Box::pin(async move { Ok(untyped(rows.await?)) })
        }

        fn execute<'a, S: Sql>(&'a mut self, values: &'a [Named<'a>]) -> Answer<'a, usize> {
            let written = RunQueryDsl::execute(ByName::<S, _>::new(values), self);
            Box::pin(async move { Ok(written.await?) })
        }

        fn load_each<'a, S: Returning, R: Record<S::Row>>(
            &'a mut self,
            rows: &'a [Vec<Named<'a>>],
            shared: &'a [Named<'a>],
        ) -> Answer<'a, Vec<R>> {
            if rows.is_empty() {
                return Box::pin(ready(Ok(Vec::new())));
            }
            Box::pin(async move {
                let values = columns(rows, shared);
                let query = ByName::<S, _>::new(&values);
                let rows: BoxFuture<'_, _> =
                    Box::pin(RunQueryDsl::load::<Typed<R, S::Row>>(query, self));
                Ok(untyped(rows.await?))
            })
        }

        fn execute_each<'a, S: Sql>(
            &'a mut self,
            rows: &'a [Vec<Named<'a>>],
            shared: &'a [Named<'a>],
        ) -> Answer<'a, usize> {
            if rows.is_empty() {
                return Box::pin(ready(Ok(0)));
            }
            Box::pin(async move {
                let values = columns(rows, shared);
                let query = ByName::<S, _>::new(&values);
                let written: BoxFuture<'_, _> = Box::pin(RunQueryDsl::execute(query, self));
                Ok(written.await?)
            })
        }

        fn lock<'a>(&'a mut self, table: &'static str, key: &'a str) -> Answer<'a, ()> {
            Box::pin(async move {
                Executor::execute::<Lock>(self, binds! { table, key }).await?;
                Ok(())
            })
        }
    }
}

#[cfg(feature = "sqlite")]
mod sqlite {
    use std::future::ready;

    use diesel::{RunQueryDsl, SqliteConnection, sqlite::Sqlite};

    use super::{Answer, Executor, FromSqlRow, Named, Record, Returning, Sql};
    use crate::sql::{ByName, Typed, untyped};

    /// A row that is read from columns of SQLite.
    pub trait OfSqlite<ST>: FromSqlRow<ST, Sqlite> {}

    impl<ST, R: FromSqlRow<ST, Sqlite>> OfSqlite<ST> for R {}

    impl Executor for SqliteConnection {
        fn load<'a, S: Returning, R: Record<S::Row>>(
            &'a mut self,
            values: &'a [Named<'a>],
        ) -> Answer<'a, Vec<R>> {
            let query = ByName::<S, _>::new(values);
            let rows = RunQueryDsl::load::<Typed<R, S::Row>>(query, self);
            Box::pin(ready(rows.map(untyped).map_err(Into::into)))
        }

        fn execute<'a, S: Sql>(&'a mut self, values: &'a [Named<'a>]) -> Answer<'a, usize> {
            let written = RunQueryDsl::execute(ByName::<S, _>::new(values), self);
            Box::pin(ready(written.map_err(Into::into)))
        }

        fn load_each<'a, S: Returning, R: Record<S::Row>>(
            &'a mut self,
            rows: &'a [Vec<Named<'a>>],
            shared: &'a [Named<'a>],
        ) -> Answer<'a, Vec<R>> {
            let mut load = || {
                let mut found = Vec::new();
                for row in rows {
                    let values = [row, shared].concat();
                    let query = ByName::<S, _>::new(&values);
                    let rows = RunQueryDsl::load::<Typed<R, S::Row>>(query, self)?;
                    found.extend(untyped(rows));
                }
                Ok(found)
            };
            Box::pin(ready(load()))
        }

        fn execute_each<'a, S: Sql>(
            &'a mut self,
            rows: &'a [Vec<Named<'a>>],
            shared: &'a [Named<'a>],
        ) -> Answer<'a, usize> {
            let execute = |row: &Vec<Named<'a>>| {
                let values = [row, shared].concat();
                RunQueryDsl::execute(ByName::<S, _>::new(&values), self)
            };
            let written = rows.iter().map(execute).sum::<Result<usize, _>>();
            Box::pin(ready(written.map_err(Into::into)))
        }

        fn lock<'a>(&'a mut self, _table: &'static str, _key: &'a str) -> Answer<'a, ()> {
            Box::pin(ready(Ok(())))
        }
    }
}

#[cfg(feature = "postgres")]
pub use self::postgres::OfPostgres;
#[cfg(feature = "sqlite")]
pub use self::sqlite::OfSqlite;

#[cfg(not(feature = "postgres"))]
pub use self::any::Any as OfPostgres;
#[cfg(not(feature = "sqlite"))]
pub use self::any::Any as OfSqlite;

/// Stands for a database that the program is built without.
#[cfg(not(all(feature = "postgres", feature = "sqlite")))]
mod any {
    /// Any row.
    pub trait Any<ST> {}

    impl<ST, R> Any<ST> for R {}
}

/// Runs shared work on a connection whose statements are done at once.
pub fn at_once<T>(work: impl Future<Output = Outcome<T>>) -> Outcome<T> {
    match pin!(work).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(outcome) => outcome,
        Poll::Pending => {
            let why = "a statement was to be waited for".to_owned();
            Err(StoreError::Broken(why).into())
        }
    }
}
