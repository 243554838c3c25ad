//! The connections to one database: a bounded pool, and how work runs on it.
//!
//! Every piece of work runs in a task of its own, to its end, whether or not its caller still
//! waits: a request that goes away in the middle of a transaction would otherwise leave it open
//! on a connection that the next one gets. Waiting for a connection is not part of it, so who
//! goes away while it waits leaves nothing behind.
//!
//! A connection goes back to the pool only after an outcome that leaves no doubt about its
//! state. One that the server closed, for a restart or otherwise, is noticed when it is taken
//! and replaced by a fresh one; nothing has to be told that the server is back.

use std::{
    future::Future,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
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
use domain::store::StoreError;
use tokio::{task, time::timeout};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::{
    PostgresOptions, PostgresUrl,
    error::{Failure, chain, is_answer},
    establish::Connector,
    recent::Recent,
    tls,
};

/// How long a connection may take to show that it still works.
const SIGN_OF_LIFE: Duration = Duration::from_secs(1);

type Connection = Object<AsyncDieselConnectionManager<AsyncPgConnection>>;

/// A function of a connection whose future may change threads. It names that future, which
/// `AsyncFnOnce` alone does not.
pub(crate) trait Work<C, T>: FnOnce(C) -> Self::Future {
    /// What it returns.
    type Future: Future<Output = T>;
}

impl<F, C, T, Fut> Work<C, T> for F
where
    F: FnOnce(C) -> Fut,
    Fut: Future<Output = T>,
{
    type Future = Fut;
}

/// The connections of one store.
pub(crate) struct Connections {
    pool: Pool<AsyncPgConnection>,
    acquire_timeout: Duration,
    work_timeout: Duration,
    /// As the server writes it.
    row_patience: Arc<str>,
    recent: Mutex<Recent>,
}

impl Connections {
    /// Prepares connections; none is made before it is needed.
    pub(crate) fn new(url: &PostgresUrl, options: &PostgresOptions) -> Result<Self, StoreError> {
        let tls = MakeRustlsConnect::new(tls::client_config(url)?);
        let connector = Arc::new(Connector::new(url, options, tls));
        let mut manager = ManagerConfig::default();
        manager.recycling_method = RecyclingMethod::Fast;
        manager.custom_setup = Box::new(move |_| {
            let connector = Arc::clone(&connector);
            Box::pin(async move { connector.connect().await })
        });
        // The manager hands the URL to the setup, which has what it needs without it.
        let manager = AsyncDieselConnectionManager::new_with_config(String::new(), manager);
        let pool = Pool::builder(manager)
            .max_size(options.max_connections.max(1))
            .build()
            .map_err(|error| StoreError::Broken(chain(&error)))?;
        Ok(Self {
            pool,
            acquire_timeout: options.acquire_timeout,
            work_timeout: options.work_timeout(),
            row_patience: format!("{}ms", options.row_lock_timeout.as_millis()).into(),
            recent: Mutex::default(),
        })
    }

    /// How long a commit waits for a row, as a value of `lock_timeout`.
    pub(crate) fn row_patience(&self) -> Arc<str> {
        Arc::clone(&self.row_patience)
    }

    /// Fails when one commit after the other has failed just now.
    pub(crate) fn check_commits(&self) -> Result<(), StoreError> {
        self.recent().verdict(Instant::now())
    }

    fn recent(&self) -> MutexGuard<'_, Recent> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a connection from the pool, or makes one if there is room.
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

    /// Takes a connection out of the pool for good.
    pub(crate) async fn take(&self) -> Result<AsyncPgConnection, StoreError> {
        self.get().await.map(Object::take)
    }

    /// Runs work outside of a transaction: each statement is one of its own.
    pub(crate) async fn run<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        for<'r> F: AsyncFnOnce(&'r mut AsyncPgConnection) -> Result<T, Failure>
            + Work<&'r mut AsyncPgConnection, Result<T, Failure>, Future: Send>
            + Send
            + 'static,
    {
        let conn = self.get().await?;
        self.run_on(conn, work).await
    }

    /// Runs work whose last statement writes, and so commits. When the answer to it is lost,
    /// nobody knows what was written.
    pub(crate) async fn write<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        for<'r> F: AsyncFnOnce(&'r mut AsyncPgConnection) -> Result<T, Failure>
            + Work<&'r mut AsyncPgConnection, Result<T, Failure>, Future: Send>
            + Send
            + 'static,
    {
        let conn = self.get().await?;
        let result = match self.run_on(conn, work).await {
            Err(StoreError::Unavailable(why)) if !is_answer(&why) => Err(StoreError::InDoubt(why)),
            result => result,
        };
        self.recent().note(&result, Instant::now());
        result
    }

    async fn run_on<T, F>(&self, conn: Connection, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        for<'r> F: AsyncFnOnce(&'r mut AsyncPgConnection) -> Result<T, Failure>
            + Work<&'r mut AsyncPgConnection, Result<T, Failure>, Future: Send>
            + Send
            + 'static,
    {
        let limit = self.work_timeout;
        joined(task::spawn(async move {
            let mut conn = conn;
            let result = limited(limit, work(&mut conn)).await;
            settle(conn, result).await
        }))
        .await
    }

    /// Runs work in a transaction: all of it, or nothing.
    pub(crate) async fn transaction<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        for<'r> F: AsyncFnOnce(&'r mut AsyncPgConnection) -> Result<T, Failure>
            + Work<&'r mut AsyncPgConnection, Result<T, Failure>, Future: Send>
            + Send
            + 'static,
    {
        let conn = self.get().await?;
        let limit = self.work_timeout;
        let result = joined(task::spawn(async move {
            let mut conn = conn;
            let is_done = AtomicBool::new(false);
            let all = async |conn: &mut AsyncPgConnection| {
                let value = work(conn).await?;
                is_done.store(true, Ordering::Relaxed);
                Ok(value)
            };
            let result = limited(limit, AsyncPgConnection::transaction(&mut conn, all)).await;
            let result = match result {
                // What was lost after the work is the answer to COMMIT.
                Err(Failure(StoreError::Unavailable(why))) if is_done.load(Ordering::Relaxed) => {
                    Err(Failure(StoreError::InDoubt(why)))
                }
                result => result,
            };
            settle(conn, result).await
        }))
        .await;
        self.recent().note(&result, Instant::now());
        result
    }
}

/// The outcome of work, which comes to an end even when the server has vanished.
async fn limited<T>(
    limit: Duration,
    work: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    timeout(limit, work).await.unwrap_or_else(|_| {
        Err(Failure(StoreError::Unavailable(format!(
            "the database did not answer within {} seconds",
            limit.as_secs_f32()
        ))))
    })
}

/// Gives a connection back. After any failure that is not an ordinary answer it is closed
/// instead, which ends whatever it may still be doing.
///
/// An error that says nothing known is the server's farewell if the connection ends with it, in
/// whatever language.
async fn settle<T>(mut conn: Connection, result: Result<T, Failure>) -> Result<T, StoreError> {
    let result = match result {
        Err(Failure(StoreError::Broken(why))) if !is_alive(&mut conn).await => {
            Err(Failure(StoreError::Unavailable(why)))
        }
        result => result,
    };
    match result {
        Ok(value) => Ok(value),
        Err(Failure(error @ (StoreError::Conflict | StoreError::Locked(_)))) => Err(error),
        Err(Failure(error)) => {
            drop(Object::take(conn));
            Err(error)
        }
    }
}

/// Whether the server still answers on a connection.
async fn is_alive(conn: &mut AsyncPgConnection) -> bool {
    let answer = timeout(SIGN_OF_LIFE, conn.batch_execute("SELECT 1")).await;
    matches!(answer, Ok(Ok(())))
}

/// The outcome of work in another task.
async fn joined<T>(work: task::JoinHandle<Result<T, StoreError>>) -> Result<T, StoreError> {
    match work.await {
        Ok(result) => result,
        Err(error) if error.is_panic() => Err(StoreError::Broken(error.to_string())),
        Err(error) => Err(StoreError::Unavailable(error.to_string())),
    }
}
