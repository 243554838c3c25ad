//! A bounded pool of connections to one database, and the ways in which work runs on them.
//!
//! Work runs to its end in a task of its own, even if the caller stops waiting. Otherwise a
//! cancelled request could leave a transaction open for the next request on the connection. A
//! caller can only cancel the wait for a connection.
//!
//! A connection returns to the pool only in a known state. When a connection is taken, the pool
//! replaces it if it is closed. So operators need not act after a restart of the server.

use std::{
    future::Future,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use deadpool::managed::{Object, PoolError};
use diesel_async::{
    AsyncConnection, AsyncPgConnection, SimpleAsyncConnection,
    pooled_connection::{
        AsyncDieselConnectionManager, ManagerConfig, RecyclingMethod, deadpool::Pool,
    },
};
use kernel::StoreError;
use sql_common::{executor::Outcome, recent::RecentCommits};
use tokio::{task, time::timeout};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::{
    PostgresOptions, PostgresUrl,
    error::{chain, classified, unwritten},
    establish::Connector,
    tls,
};

/// This many consecutive failed commits count as an outage, for [`OUTAGE`] after the last failure.
const FAILURES: usize = 3;
const OUTAGE: Duration = Duration::from_secs(10);

const CHECK_TIMEOUT: Duration = Duration::from_secs(1);

type Connection = Object<AsyncDieselConnectionManager<AsyncPgConnection>>;

pub(crate) trait Work<T>:
    for<'r> AsyncFnOnce(&'r mut AsyncPgConnection) -> Outcome<T>
    + for<'r> Named<&'r mut AsyncPgConnection, Outcome<T>, Future: Send>
    + Send
    + 'static
{
}

impl<T, F> Work<T> for F where
    F: for<'r> AsyncFnOnce(&'r mut AsyncPgConnection) -> Outcome<T>
        + for<'r> Named<&'r mut AsyncPgConnection, Outcome<T>, Future: Send>
        + Send
        + 'static
{
}

/// Like `AsyncFnOnce`, but the type of the future can be named.
pub(crate) trait Named<C, T>: FnOnce(C) -> Self::Future {
    type Future: Future<Output = T>;
}

impl<F, C, T, Fut> Named<C, T> for F
where
    F: FnOnce(C) -> Fut,
    Fut: Future<Output = T>,
{
    type Future = Fut;
}

pub(crate) struct Connections {
    pool: Pool<AsyncPgConnection>,
    acquire_timeout: Duration,
    work_timeout: Duration,
    /// The value of `lock_timeout`.
    row_lock_timeout: Arc<str>,
    recent: RecentCommits,
}

impl Connections {
    pub(crate) fn new(url: &PostgresUrl, options: &PostgresOptions) -> Result<Self, StoreError> {
        let tls = MakeRustlsConnect::new(tls::client_config(url)?);
        let connector = Arc::new(Connector::new(url, options, tls));
        let mut manager = ManagerConfig::default();
        manager.recycling_method = RecyclingMethod::Fast;
        manager.custom_setup = Box::new(move |_| {
            let connector = Arc::clone(&connector);
            Box::pin(async move { connector.connect().await })
        });
        let manager = AsyncDieselConnectionManager::new_with_config(String::new(), manager);
        let pool = Pool::builder(manager)
            .max_size(options.max_connections.max(1))
            .build()
            .map_err(|error| StoreError::Broken(chain(&error)))?;
        Ok(Self {
            pool,
            acquire_timeout: options.acquire_timeout,
            work_timeout: options.work_timeout(),
            row_lock_timeout: format!("{}ms", options.row_lock_timeout.as_millis()).into(),
            recent: RecentCommits::new(FAILURES, OUTAGE),
        })
    }

    pub(crate) fn row_lock_timeout(&self) -> Arc<str> {
        Arc::clone(&self.row_lock_timeout)
    }

    pub(crate) fn check_commits(&self) -> Result<(), StoreError> {
        self.recent.check(Instant::now()).unwrap_or(Ok(()))
    }

    pub(crate) async fn get(&self) -> Result<Connection, StoreError> {
        let seconds = self.acquire_timeout.as_secs_f32();
        match timeout(self.acquire_timeout, self.pool.get()).await {
            Ok(Ok(conn)) => Ok(conn),
            Ok(Err(PoolError::Backend(error))) => Err(StoreError::Unavailable(error.to_string())),
            Ok(Err(error)) => Err(StoreError::Unavailable(error.to_string())),
            Err(_) if self.pool.status().size >= self.pool.status().max_size => {
                Err(StoreError::Unavailable(format!(
                    "no database connection became free within {seconds} seconds; all {} are in use",
                    self.pool.status().max_size
                )))
            }
            Err(_) => Err(StoreError::Unavailable(format!(
                "the database did not accept a connection within {seconds} seconds"
            ))),
        }
    }

    pub(crate) async fn take(&self) -> Result<AsyncPgConnection, StoreError> {
        self.get().await.map(Object::take)
    }

    /// Runs work without a transaction. If an answer is lost, the work counts as not done.
    pub(crate) async fn run<T: Send + 'static>(&self, work: impl Work<T>) -> Result<T, StoreError> {
        let conn = self.get().await?;
        self.run_on(conn, work).await.map_err(unwritten)
    }

    /// Runs work whose last statement commits. If its answer is lost, returns
    /// [`StoreError::InDoubt`].
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        work: impl Work<T>,
    ) -> Result<T, StoreError> {
        let conn = self.get().await?;
        let result = self.run_on(conn, work).await;
        self.recent.record(&result, Instant::now());
        result
    }

    async fn run_on<T: Send + 'static>(
        &self,
        conn: Connection,
        work: impl Work<T>,
    ) -> Result<T, StoreError> {
        let limit = self.work_timeout;
        joined(task::spawn(async move {
            let mut conn = conn;
            let result = limited(limit, work(&mut conn)).await;
            settle(conn, result).await
        }))
        .await
    }

    /// Runs work in a transaction.
    pub(crate) async fn transaction<T: Send + 'static>(
        &self,
        work: impl Work<T>,
    ) -> Result<T, StoreError> {
        let conn = self.get().await?;
        let limit = self.work_timeout;
        let is_done = Arc::new(AtomicBool::new(false));
        let was_done = Arc::clone(&is_done);
        let result = joined(task::spawn(async move {
            let mut conn = conn;
            let all = async |conn: &mut AsyncPgConnection| {
                let value = work(conn).await?;
                is_done.store(true, Ordering::Relaxed);
                Ok(value)
            };
            let result = limited(limit, AsyncPgConnection::transaction(&mut conn, all)).await;
            settle(conn, result).await
        }))
        .await;
        let result = result.map_err(|error| match error {
            // The work has succeeded, so the lost answer is that of COMMIT.
            StoreError::Unavailable(why) if was_done.load(Ordering::Relaxed) => {
                StoreError::InDoubt(why)
            }
            error if was_done.load(Ordering::Relaxed) => error,
            error => unwritten(error),
        });
        self.recent.record(&result, Instant::now());
        result
    }
}

/// Limits the time of work, because the server may have vanished.
async fn limited<T>(
    limit: Duration,
    work: impl Future<Output = Outcome<T>>,
) -> Result<T, StoreError> {
    match timeout(limit, work).await {
        Ok(outcome) => outcome.map_err(classified),
        Err(_) => Err(StoreError::InDoubt(format!(
            "the database did not answer within {} seconds",
            limit.as_secs_f32()
        ))),
    }
}

/// Returns a connection to the pool. After any failure but a conflict or a locked row, closes it
/// instead. The server then ends a running statement within a second
/// (`client_connection_check_interval`), or at `statement_timeout`.
///
/// An unknown error is in doubt if the server no longer answers: the server may have announced its
/// shutdown in another language.
async fn settle<T>(mut conn: Connection, result: Result<T, StoreError>) -> Result<T, StoreError> {
    let result = match result {
        Err(StoreError::Broken(why)) if !is_alive(&mut conn).await => Err(StoreError::InDoubt(why)),
        result => result,
    };
    if !matches!(
        result,
        Ok(_) | Err(StoreError::Conflict | StoreError::Locked(_))
    ) {
        drop(Object::take(conn));
    }
    result
}

async fn is_alive(conn: &mut AsyncPgConnection) -> bool {
    let answer = timeout(CHECK_TIMEOUT, conn.batch_execute("SELECT 1")).await;
    matches!(answer, Ok(Ok(())))
}

async fn joined<T>(work: task::JoinHandle<Result<T, StoreError>>) -> Result<T, StoreError> {
    match work.await {
        Ok(result) => result,
        Err(error) if error.is_panic() => Err(StoreError::Broken(error.to_string())),
        Err(error) => Err(StoreError::InDoubt(error.to_string())),
    }
}
