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
    error::{Failure, chain},
    establish::Connector,
    recent::Recent,
    tls,
};

/// How long a connection may take to show that it still works.
const SIGN_OF_LIFE: Duration = Duration::from_secs(1);

type Connection = Object<AsyncDieselConnectionManager<AsyncPgConnection>>;

/// Work on a connection, whose future may change threads.
pub(crate) trait Work<T>:
    for<'r> AsyncFnOnce(&'r mut AsyncPgConnection) -> Result<T, Failure>
    + for<'r> Named<&'r mut AsyncPgConnection, Result<T, Failure>, Future: Send>
    + Send
    + 'static
{
}

impl<T, F> Work<T> for F where
    F: for<'r> AsyncFnOnce(&'r mut AsyncPgConnection) -> Result<T, Failure>
        + for<'r> Named<&'r mut AsyncPgConnection, Result<T, Failure>, Future: Send>
        + Send
        + 'static
{
}

/// A function that names its future, which `AsyncFnOnce` alone does not.
pub(crate) trait Named<C, T>: FnOnce(C) -> Self::Future {
    /// What it returns.
    type Future: Future<Output = T>;
}

impl<F, C, T, Fut> Named<C, T> for F
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
    pub(crate) async fn run<T: Send + 'static>(&self, work: impl Work<T>) -> Result<T, StoreError> {
        let conn = self.get().await?;
        Ok(self.run_on(conn, work).await?)
    }

    /// Runs work whose last statement writes, and so commits. When the answer to it is lost,
    /// nobody knows what was written.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        work: impl Work<T>,
    ) -> Result<T, StoreError> {
        let conn = self.get().await?;
        let result = self.run_on(conn, work).await;
        let result = result.map_err(|failure| match failure {
            Failure::Lost(why) => StoreError::InDoubt(why),
            failure => failure.into(),
        });
        self.recent().note(&result, Instant::now());
        result
    }

    async fn run_on<T: Send + 'static>(
        &self,
        conn: Connection,
        work: impl Work<T>,
    ) -> Result<T, Failure> {
        let limit = self.work_timeout;
        joined(task::spawn(async move {
            let mut conn = conn;
            let result = limited(limit, work(&mut conn)).await;
            settle(conn, result).await
        }))
        .await
    }

    /// Runs work in a transaction: all of it, or nothing.
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
        let result = result.map_err(|failure| match failure {
            // What was lost after the work is the answer to COMMIT.
            Failure::Answered(why) | Failure::Lost(why) if was_done.load(Ordering::Relaxed) => {
                StoreError::InDoubt(why)
            }
            failure => failure.into(),
        });
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
        Err(Failure::Lost(format!(
            "the database did not answer within {} seconds",
            limit.as_secs_f32()
        )))
    })
}

/// Gives a connection back. After any failure that is not an ordinary answer it is closed
/// instead, which ends whatever it may still be doing.
///
/// An error that says nothing known is the server's farewell if the connection ends with it, in
/// whatever language.
async fn settle<T>(mut conn: Connection, result: Result<T, Failure>) -> Result<T, Failure> {
    let result = match result {
        Err(Failure::Broken(why)) if !is_alive(&mut conn).await => Err(Failure::Lost(why)),
        result => result,
    };
    if !matches!(result, Ok(_) | Err(Failure::Conflict | Failure::Locked(_))) {
        drop(Object::take(conn));
    }
    result
}

/// Whether the server still answers on a connection.
async fn is_alive(conn: &mut AsyncPgConnection) -> bool {
    let answer = timeout(SIGN_OF_LIFE, conn.batch_execute("SELECT 1")).await;
    matches!(answer, Ok(Ok(())))
}

/// The outcome of work in another task.
async fn joined<T>(work: task::JoinHandle<Result<T, Failure>>) -> Result<T, Failure> {
    match work.await {
        Ok(result) => result,
        Err(error) if error.is_panic() => Err(Failure::Broken(error.to_string())),
        Err(error) => Err(Failure::Lost(error.to_string())),
    }
}
