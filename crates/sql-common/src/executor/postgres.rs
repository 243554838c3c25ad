//! Statements on a connection to PostgreSQL.

use std::{
    future::{Future, ready},
    pin::Pin,
};

use diesel_async::{AsyncPgConnection, RunQueryDsl};
use futures_util::future::try_join;

use super::{Answer, Executor, Named, Record, Returning, Sql};
use crate::{
    batch::columns,
    binds,
    sql::{ByName, Typed, untyped},
    statement,
};

statement! {
    /// For PostgreSQL alone.
    Lock = {
        postgres: "SELECT pg_advisory_xact_lock(hashtext(:table), hashtext(:key))",
        sqlite: "",
    }
}

type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

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
        Box::pin(async move { load_each::<S, R>(&mut &*self, rows, shared).await })
    }

    fn load_two<'a, S, R, T, Q>(
        &'a mut self,
        [rows, other]: [&'a [Vec<Named<'a>>]; 2],
        shared: &'a [Named<'a>],
    ) -> Answer<'a, (Vec<R>, Vec<Q>)>
    where
        S: Returning,
        R: Record<S::Row>,
        T: Returning,
        Q: Record<T::Row>,
    {
        Box::pin(async move {
            let (mut one, mut two) = (&*self, &*self);
            let one = load_each::<S, R>(&mut one, rows, shared);
            try_join(one, load_each::<T, Q>(&mut two, other, shared)).await
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

/// Statements on shared references to a connection are sent without waiting for each other.
fn load_each<'a, S: Returning, R: Record<S::Row>>(
    conn: &'a mut &AsyncPgConnection,
    rows: &'a [Vec<Named<'a>>],
    shared: &'a [Named<'a>],
) -> Answer<'a, Vec<R>> {
    if rows.is_empty() {
        return Box::pin(ready(Ok(Vec::new())));
    }
    Box::pin(async move {
        let values = columns(rows, shared);
        let query = ByName::<S, _>::new(&values);
        let rows: BoxFuture<'_, _> = Box::pin(RunQueryDsl::load::<Typed<R, S::Row>>(query, conn));
        Ok(untyped(rows.await?))
    })
}
