//! The connection of a store. Port implementations that both stores share use it.
//!
//! Statements are awaited. SQLite runs them synchronously, on a blocking thread ([`at_once`]).

#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "sqlite")]
mod sqlite;

#[cfg(feature = "postgres")]
pub use postgres::Pipeline;

use std::{
    future::Future,
    pin::{Pin, pin},
    task::{Context, Poll, Waker},
};

use diesel::result::Error as DieselError;
use kernel::StoreError;

use crate::{
    binds,
    sql::{Returning, Sql},
    stored::most,
    value::Named,
};

/// A failure, which each store classifies for its database.
#[derive(Debug)]
pub enum Failure {
    Database(DieselError),
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

pub type Outcome<T> = Result<T, Failure>;

/// A statement's future, boxed because the compiler cannot prove `Send` for diesel's types.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = Outcome<T>> + Send + 'a>>;

pub type Rows<S> = Vec<<S as Returning>::Row>;

pub trait Executor: Send {
    fn load<'a, S: Returning>(&'a mut self, values: &'a [Named<'a>]) -> Answer<'a, Rows<S>>;

    fn execute<'a, S: Sql>(&'a mut self, values: &'a [Named<'a>]) -> Answer<'a, usize>;

    /// Runs a query with each row and the shared values: once per row on SQLite, once with arrays
    /// on PostgreSQL. Without rows, nothing runs.
    fn load_each<'a, S: Returning>(
        &'a mut self,
        rows: &'a [Vec<Named<'a>>],
        shared: &'a [Named<'a>],
    ) -> Answer<'a, Rows<S>>;

    fn load_two<'a, S: Returning, T: Returning>(
        &'a mut self,
        rows: [&'a [Vec<Named<'a>>]; 2],
        shared: &'a [Named<'a>],
    ) -> Answer<'a, (Rows<S>, Rows<T>)>;

    fn execute_each<'a, S: Sql>(
        &'a mut self,
        rows: &'a [Vec<Named<'a>>],
        shared: &'a [Named<'a>],
    ) -> Answer<'a, usize>;

    /// Runs a statement of `every` row in the same way. A row that is not written is a conflict.
    fn execute_every<'a, S: Sql>(
        &'a mut self,
        rows: &'a [Vec<Named<'a>>],
        shared: &'a [Named<'a>],
    ) -> Answer<'a, ()> {
        Box::pin(async move {
            let number = most(rows.len());
            let shared = [shared, binds! { rows: number }].concat();
            self.execute_each::<S>(rows, &shared).await?;
            Ok(())
        })
    }

    /// Runs a query of `held` rows in the same way. A missing row is a conflict.
    fn hold_each<'a, S: Returning<Row = (i64,)>>(
        &'a mut self,
        rows: &'a [Vec<Named<'a>>],
    ) -> Answer<'a, ()> {
        self.execute_every::<S>(rows, &[])
    }

    /// Locks rows until the transaction ends. Does nothing on SQLite, which has one writer.
    fn lock_each<'a, S: Sql>(&'a mut self, rows: &'a [Vec<Named<'a>>]) -> Answer<'a, ()> {
        Box::pin(async move {
            self.execute_each::<S>(rows, &[]).await?;
            Ok(())
        })
    }

    /// Locks a key until the transaction ends, for rows that do not exist yet. Does nothing on
    /// SQLite, which has one writer.
    fn lock<'a>(&'a mut self, table: &'static str, key: &'a str) -> Answer<'a, ()>;
}

pub fn values<R, T: TryFrom<R, Error = StoreError>>(rows: Vec<R>) -> Outcome<Vec<T>> {
    let values = rows.into_iter().map(T::try_from);
    Ok(values.collect::<Result<_, _>>()?)
}

pub fn first<R, T: TryFrom<R, Error = StoreError>>(rows: Vec<R>) -> Outcome<Option<T>> {
    Ok(rows.into_iter().next().map(T::try_from).transpose()?)
}

pub fn counted(rows: &[(i64,)]) -> usize {
    let count = rows.first().map_or(0, |(count,)| *count);
    usize::try_from(count).unwrap_or_default()
}

pub fn at_once<T>(work: impl Future<Output = Outcome<T>>) -> Outcome<T> {
    match pin!(work).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(outcome) => outcome,
        Poll::Pending => {
            let why = "a statement was to be waited for".to_owned();
            Err(StoreError::Broken(why).into())
        }
    }
}
