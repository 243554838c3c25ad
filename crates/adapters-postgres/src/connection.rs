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
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use deadpool::managed::{Object, PoolError};
use diesel::ConnectionError;
use diesel_async::{
    AsyncConnection, AsyncPgConnection, SimpleAsyncConnection,
    pooled_connection::{
        AsyncDieselConnectionManager, ManagerConfig, RecyclingMethod, deadpool::Pool,
    },
};
use domain::store::StoreError;
use tokio::{task, time::timeout};
use tokio_postgres::Config;
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::{
    PostgresOptions, PostgresUrl,
    error::{Failure, chain, is_answer},
    tls,
};

/// How long a connection may be silent before the network is asked whether the server is still
/// there, how often it is asked, and how long what was sent may stay without a sign of receipt.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(10);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(5);
const KEEPALIVE_RETRIES: u32 = 3;
const UNACKNOWLEDGED: Duration = Duration::from_secs(25);

/// Every query here looks rows up by an index, one after the other. The server would choose
/// otherwise while a table is small, and keep to it for as long as the statement stays prepared
/// and nobody has analysed the table: a new database that is filled would get slower and slower.
/// For the same reason there is nothing to be gained by planning a statement anew for its values,
/// as the server would for small batches, each time. Such a plan does not know a limit, and would
/// start parallel workers for a page of a large table.
const PLANNER: &str = "-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off \
    -c jit=off -c plan_cache_mode=force_generic_plan -c max_parallel_workers_per_gather=0";

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
}

impl Connections {
    /// Prepares connections; none is made before it is needed.
    pub(crate) fn new(url: &PostgresUrl, options: &PostgresOptions) -> Result<Self, StoreError> {
        let config = Arc::new(configuration(url, options));
        let tls = MakeRustlsConnect::new(tls::client_config(url)?);
        let mut manager = ManagerConfig::default();
        manager.recycling_method = RecyclingMethod::Fast;
        manager.custom_setup = Box::new(move |_| {
            let (config, tls) = (Arc::clone(&config), tls.clone());
            Box::pin(async move { establish(&config, tls).await })
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
        })
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
        match self.run_on(conn, work).await {
            Err(StoreError::Unavailable(why)) if !is_answer(&why) => Err(StoreError::InDoubt(why)),
            result => result,
        }
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
            settle(conn, result)
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
        joined(task::spawn(async move {
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
            settle(conn, result)
        }))
        .await
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
fn settle<T>(conn: Connection, result: Result<T, Failure>) -> Result<T, StoreError> {
    match result {
        Ok(value) => Ok(value),
        Err(Failure(StoreError::Conflict)) => Err(StoreError::Conflict),
        Err(Failure(error)) => {
            drop(Object::take(conn));
            Err(error)
        }
    }
}

/// The outcome of work in another task.
async fn joined<T>(work: task::JoinHandle<Result<T, StoreError>>) -> Result<T, StoreError> {
    match work.await {
        Ok(result) => result,
        Err(error) if error.is_panic() => Err(StoreError::Broken(error.to_string())),
        Err(error) => Err(StoreError::Unavailable(error.to_string())),
    }
}

/// What a connection asks of the server and of the network. What the URL says comes last and
/// wins.
fn configuration(url: &PostgresUrl, options: &PostgresOptions) -> Config {
    let mut config = url.config().clone();
    let mut settings = format!(
        "-c statement_timeout={} -c lock_timeout={} -c idle_in_transaction_session_timeout={} \
         {PLANNER}",
        options.statement_timeout.as_millis(),
        options.lock_timeout.as_millis(),
        options.idle_in_transaction_timeout.as_millis(),
    );
    if let Some(of_url) = url.config().get_options() {
        settings.push(' ');
        settings.push_str(of_url);
    }
    config.options(settings);
    if config.get_application_name().is_none() {
        config.application_name(&options.application_name);
    }
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(options.acquire_timeout);
    }
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(UNACKNOWLEDGED);
    }
    if config.get_keepalives_interval().is_none() {
        config.keepalives_idle(KEEPALIVE_IDLE);
        config.keepalives_interval(KEEPALIVE_INTERVAL);
        config.keepalives_retries(KEEPALIVE_RETRIES);
    }
    config
}

async fn establish(
    config: &Config,
    tls: MakeRustlsConnect,
) -> Result<AsyncPgConnection, ConnectionError> {
    let (client, connection) = config.connect(tls).await.map_err(|error| {
        ConnectionError::BadConnection(format!("cannot connect to PostgreSQL: {}", chain(&error)))
    })?;
    let mut conn = AsyncPgConnection::try_from_client_and_connection(client, connection).await?;
    use_english(&mut conn).await;
    Ok(conn)
}

/// Has the server report errors in English, by which they are told apart. Only a superuser may
/// change this, and hardly any server is set up otherwise.
async fn use_english(conn: &mut AsyncPgConnection) {
    let changed = conn
        .batch_execute(
            "SELECT set_config('lc_messages', 'C', false) \
             WHERE current_setting('lc_messages') !~* '^(C|POSIX|en)'",
        )
        .await;
    if let Err(error) = changed {
        tracing::warn!(
            %error,
            "the server's messages are not in English, so some of its errors cannot be told \
             apart; have a superuser run: ALTER ROLE … SET lc_messages = 'C'"
        );
    }
}
