//! Statements on a connection to PostgreSQL.

use std::{
    fmt,
    future::{Future, poll_fn, ready},
    pin::Pin,
    task::Poll,
};

use diesel::{QueryResult, pg::Pg};
use diesel_async::{AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use futures_util::future::{join, maybe_done, try_join};
use kernel::StoreError;

use super::{Answer, Executor, Named, Outcome, Returning, Rows, Sql};
use crate::{
    batch::columns,
    binds,
    sql::query::{ByName, Typed, untyped},
    statement,
    value::{Bind, Value},
};

statement! {
    /// For PostgreSQL only.
    Lock = {
        postgres: "SELECT pg_advisory_xact_lock(hashtext(:table), hashtext(:key))",
        sqlite: "",
    }
}

type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

impl Executor for AsyncPgConnection {
    fn load<'a, S: Returning>(&'a mut self, values: &'a [Named<'a>]) -> Answer<'a, Rows<S>> {
        let query = ByName::<S, _>::new(values);
        let rows = RunQueryDsl::load::<Typed<S::Row, S::Columns>>(query, self);
        Box::pin(async move { Ok(untyped(rows.await?)) })
    }

    fn execute<'a, S: Sql>(&'a mut self, values: &'a [Named<'a>]) -> Answer<'a, usize> {
        let written = RunQueryDsl::execute(ByName::<S, _>::new(values), self);
        Box::pin(async move { Ok(written.await?) })
    }

    fn load_each<'a, S: Returning>(
        &'a mut self,
        rows: &'a [Vec<Named<'a>>],
        shared: &'a [Named<'a>],
    ) -> Answer<'a, Rows<S>> {
        Box::pin(async move { load_each::<S>(&mut &*self, rows, shared).await })
    }

    fn load_two<'a, S: Returning, T: Returning>(
        &'a mut self,
        [rows, other]: [&'a [Vec<Named<'a>>]; 2],
        shared: &'a [Named<'a>],
    ) -> Answer<'a, (Rows<S>, Rows<T>)> {
        Box::pin(async move {
            let (mut one, mut two) = (&*self, &*self);
            let one = load_each::<S>(&mut one, rows, shared);
            try_join(one, load_each::<T>(&mut two, other, shared)).await
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

statement! {
    Commit = { postgres: "COMMIT", sqlite: "" }
}

/// A transaction that sends statements without waiting for answers. The server checks each
/// statement, and any failure undoes the transaction.
///
/// A query waits for all earlier statements. Other statements return no errors and no counts:
/// [`end`](Self::end) returns the first error.
pub struct Pipeline<'c> {
    conn: &'c AsyncPgConnection,
    /// Polled in order. All statements but the first queue for the connection's prepared
    /// statements, so none overtakes another.
    statements: Vec<BoxFuture<'c, QueryResult<usize>>>,
}

impl fmt::Debug for Pipeline<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pipeline").finish_non_exhaustive()
    }
}

impl<'c> Pipeline<'c> {
    /// Begins a transaction. `lock_timeout` applies after the tables are locked. Table locks have
    /// the session's timeout, because no commit can proceed while a table is rewritten.
    pub fn begin(conn: &'c AsyncPgConnection, tables: &str, lock_timeout: &str) -> Self {
        let sql = format!(
            "BEGIN; LOCK TABLE {tables} IN ROW EXCLUSIVE MODE; \
             SET LOCAL lock_timeout = '{lock_timeout}'"
        );
        let mut by = conn;
        let begun = async move { by.batch_execute(&sql).await.map(|()| 0) };
        Self {
            conn,
            statements: vec![Box::pin(begun)],
        }
    }

    fn send<S: Sql, V: Bind<Pg> + Sync>(&mut self, values: &[(&'static str, V)]) {
        let mut conn = self.conn;
        let statement = RunQueryDsl::execute(ByName::<S, V>::new(values), &mut conn);
        self.statements.push(statement);
    }

    fn send_each<S: Sql>(&mut self, rows: &[Vec<Named<'_>>], shared: &[Named<'_>]) {
        if !rows.is_empty() {
            self.send::<S, _>(&columns(rows, shared));
        }
    }

    async fn answers(&mut self) -> Vec<QueryResult<usize>> {
        let statements = self.statements.drain(..);
        let mut answers: Vec<_> = statements.map(maybe_done).collect();
        poll_fn(|context| {
            for answer in &mut answers {
                let _ = Pin::new(answer).poll(context);
            }
            Poll::Ready(())
        })
        .await;
        let mut done = Vec::with_capacity(answers.len());
        for mut answer in answers {
            (&mut answer).await;
            done.extend(Pin::new(&mut answer).take_output());
        }
        done
    }

    /// Commits if `done` and all statements succeeded. Otherwise undoes everything.
    pub async fn end<T>(mut self, done: Outcome<T>) -> Outcome<T> {
        let answer = match done {
            Ok(answer) => answer,
            Err(failure) => {
                self.answers().await;
                let mut conn = self.conn;
                conn.batch_execute("ROLLBACK").await?;
                return Err(failure);
            }
        };
        self.send::<Commit, Value<'_>>(&[]);
        let mut answers = self.answers().await;
        let committed = answers.pop();
        // COMMIT returns no error for a failed transaction, so the other answers are checked.
        answers.into_iter().collect::<QueryResult<Vec<_>>>()?;
        match committed {
            Some(Err(error)) => Err(StoreError::InDoubt(error.to_string()).into()),
            _ => Ok(answer),
        }
    }

    async fn after<T>(&mut self, query: impl Future<Output = Outcome<T>>) -> Outcome<T> {
        let (answers, found) = join(self.answers(), query).await;
        answers.into_iter().collect::<QueryResult<Vec<_>>>()?;
        found
    }
}

impl Executor for Pipeline<'_> {
    fn load<'a, S: Returning>(&'a mut self, values: &'a [Named<'a>]) -> Answer<'a, Rows<S>> {
        let mut conn = self.conn;
        let query = ByName::<S, _>::new(values);
        let rows = RunQueryDsl::load::<Typed<S::Row, S::Columns>>(query, &mut conn);
        Box::pin(async move { self.after(async { Ok(untyped(rows.await?)) }).await })
    }

    fn execute<'a, S: Sql>(&'a mut self, values: &'a [Named<'a>]) -> Answer<'a, usize> {
        self.send::<S, _>(values);
        Box::pin(ready(Ok(0)))
    }

    fn load_each<'a, S: Returning>(
        &'a mut self,
        rows: &'a [Vec<Named<'a>>],
        shared: &'a [Named<'a>],
    ) -> Answer<'a, Rows<S>> {
        let mut conn = self.conn;
        Box::pin(async move {
            let found = load_each::<S>(&mut conn, rows, shared);
            self.after(found).await
        })
    }

    fn load_two<'a, S: Returning, T: Returning>(
        &'a mut self,
        [rows, other]: [&'a [Vec<Named<'a>>]; 2],
        shared: &'a [Named<'a>],
    ) -> Answer<'a, (Rows<S>, Rows<T>)> {
        Box::pin(async move {
            let (mut one, mut two) = (self.conn, self.conn);
            let one = load_each::<S>(&mut one, rows, shared);
            let both = try_join(one, load_each::<T>(&mut two, other, shared));
            self.after(both).await
        })
    }

    fn execute_each<'a, S: Sql>(
        &'a mut self,
        rows: &'a [Vec<Named<'a>>],
        shared: &'a [Named<'a>],
    ) -> Answer<'a, usize> {
        self.send_each::<S>(rows, shared);
        Box::pin(ready(Ok(0)))
    }

    fn lock<'a>(&'a mut self, table: &'static str, key: &'a str) -> Answer<'a, ()> {
        self.send::<Lock, Value<'_>>(binds! { table, key });
        Box::pin(ready(Ok(())))
    }
}

/// The connection is a shared reference, so statements are sent without waiting for each other.
fn load_each<'a, S: Returning>(
    conn: &'a mut &AsyncPgConnection,
    rows: &'a [Vec<Named<'a>>],
    shared: &'a [Named<'a>],
) -> Answer<'a, Rows<S>> {
    if rows.is_empty() {
        return Box::pin(ready(Ok(Vec::new())));
    }
    Box::pin(async move {
        let values = columns(rows, shared);
        let query = ByName::<S, _>::new(&values);
        let rows: BoxFuture<'_, _> =
            Box::pin(RunQueryDsl::load::<Typed<S::Row, S::Columns>>(query, conn));
        Ok(untyped(rows.await?))
    })
}
