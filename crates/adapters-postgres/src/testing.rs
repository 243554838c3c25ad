//! A database for each test, on the server of `POSTHASTE_TEST_POSTGRES_URL`.
#![expect(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "these are tests, though not marked as such: what fails panics"
)]

use std::{
    env,
    path::Path,
    process,
    sync::{
        Arc, Mutex, Once, OnceLock, PoisonError, Weak,
        atomic::{AtomicU32, Ordering},
    },
    thread,
    time::Duration,
};

use diesel::{
    dsl::sql,
    sql_types::{BigInt, Text},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};

use crate::{PostgresOptions, PostgresStore, PostgresUrl, connection::Connections};

const VARIABLE: &str = "POSTHASTE_TEST_POSTGRES_URL";
/// The prefix of test databases. The process id and a number follow.
const PREFIX: &str = "posthaste_test_";

pub fn server() -> String {
    env::var(VARIABLE).unwrap_or_else(|_| {
        panic!(
            "{VARIABLE} is not set: run `cargo xtask test`, which starts a server for the tests, \
             or set it to the URL of a PostgreSQL server (15 or newer) and of a user that may \
             create databases there"
        )
    })
}

fn with_database(url: &str, name: &str) -> String {
    let (address, query) = url.split_once('?').unwrap_or((url, ""));
    let authority = address.split('/').nth(2).unwrap();
    format!("postgres://{authority}/{name}?{query}")
}

pub fn patient() -> PostgresOptions {
    PostgresOptions {
        acquire_timeout: Duration::from_mins(1),
        statement_timeout: Duration::from_mins(1),
        lock_timeout: Duration::from_mins(1),
        row_lock_timeout: Duration::from_mins(1),
        idle_in_transaction_timeout: Duration::from_mins(1),
        ..PostgresOptions::default()
    }
}

fn aside<T: Send>(work: impl AsyncFnOnce() -> T + Send) -> T {
    let work = || {
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap()
            .block_on(work())
    };
    thread::scope(|scope| scope.spawn(work).join()).unwrap_or_else(|panic| {
        // Keeps the panic's message.
        std::panic::resume_unwind(panic)
    })
}

fn connected<T: Send>(url: &str, work: impl AsyncFnOnce(&mut AsyncPgConnection) -> T + Send) -> T {
    aside(async || {
        let url: PostgresUrl = url.parse().unwrap();
        // Creating or dropping a database writes a checkpoint.
        let options = PostgresOptions {
            statement_timeout: Duration::from_mins(10),
            ..patient()
        };
        let connections = Connections::new(&url, &options).unwrap();
        let mut conn = connections.get().await.unwrap();
        work(&mut conn).await
    })
}

pub fn execute(url: &str, statements: &str) {
    connected(url, async |conn| {
        conn.batch_execute(statements).await.unwrap();
    });
}

pub fn number(url: &str, query: &str) -> i64 {
    connected(url, async |conn| {
        sql::<BigInt>(query).get_result(conn).await.unwrap()
    })
}

pub fn texts(url: &str, query: &str) -> Vec<String> {
    connected(url, async |conn| {
        sql::<Text>(query).load(conn).await.unwrap()
    })
}

/// The databases of concurrent tests, dropped together because each drop writes a checkpoint.
#[derive(Default)]
struct Session {
    names: Mutex<Vec<String>>,
    template: OnceLock<String>,
}

impl Session {
    fn current() -> Arc<Self> {
        static CURRENT: Mutex<Weak<Session>> = Mutex::new(Weak::new());
        static CLEANING: Once = Once::new();
        CLEANING.call_once(drop_leftovers);
        let mut current = CURRENT.lock().unwrap_or_else(PoisonError::into_inner);
        current.upgrade().unwrap_or_else(|| {
            let session = Arc::default();
            *current = Arc::downgrade(&session);
            session
        })
    }

    fn create(&self, template: &str) -> String {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("{PREFIX}{}_{count}", process::id());
        execute(
            &server(),
            &format!("CREATE DATABASE {name} TEMPLATE {template}"),
        );
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        names.push(name.clone());
        name
    }

    /// The migrated database from which others are created.
    fn template(&self) -> &str {
        self.template.get_or_init(|| {
            let name = self.create("template1");
            migrate(&with_database(&server(), &name));
            name
        })
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let names = self.names.get_mut();
        let names = std::mem::take(names.unwrap_or_else(PoisonError::into_inner));
        connected(&server(), async |conn| {
            // `DROP DATABASE` cannot share a batch.
            for name in names {
                conn.batch_execute(&format!("DROP DATABASE {name} WITH (FORCE)"))
                    .await
                    .unwrap();
            }
        });
    }
}

fn migrate(url: &str) {
    aside(async || {
        let store = PostgresStore::open(&url.parse().unwrap(), &patient()).await;
        store.unwrap().migrate().await.unwrap();
    });
}

/// Drops databases that killed runs left. Keeps those that are in use, or whose process still runs.
fn drop_leftovers() {
    let processes = Path::new("/proc");
    if !processes.join("self").exists() {
        return;
    }
    let server = server();
    let unused = format!(
        "SELECT datname::text AS value FROM pg_database WHERE starts_with(datname, '{PREFIX}') \
         AND oid NOT IN (SELECT datid FROM pg_stat_activity WHERE datid IS NOT NULL)"
    );
    let is_left = |name: &String| {
        let process = name
            .strip_prefix(PREFIX)
            .and_then(|rest| rest.split('_').next());
        process.is_some_and(|process| {
            let digits = !process.is_empty() && process.bytes().all(|byte| byte.is_ascii_digit());
            digits && !processes.join(process).exists()
        })
    };
    let mut names = texts(&server, &unused);
    names.retain(is_left);
    connected(&server, async |conn| {
        for name in names {
            // Another run may drop the database, too, or may still be connected to it.
            let _ = conn
                .batch_execute(&format!("DROP DATABASE IF EXISTS {name}"))
                .await;
        }
    });
}

pub struct Database {
    name: String,
    _session: Arc<Session>,
}

impl Database {
    pub fn empty() -> Self {
        Self::of("template1")
    }

    /// A database of a template, which options may follow.
    pub fn of(template: &str) -> Self {
        let session = Session::current();
        Self {
            name: session.create(template),
            _session: session,
        }
    }

    pub fn migrated() -> Self {
        let session = Session::current();
        Self {
            name: session.create(session.template()),
            _session: session,
        }
    }

    pub fn text_url(&self) -> String {
        with_database(&server(), &self.name)
    }

    pub fn url(&self) -> PostgresUrl {
        self.text_url().parse().unwrap()
    }

    pub async fn open(&self, options: &PostgresOptions) -> PostgresStore {
        PostgresStore::open(&self.url(), options).await.unwrap()
    }
}

pub async fn fixture() -> (Database, PostgresStore) {
    let database = Database::migrated();
    let store = database.open(&patient()).await;
    (database, store)
}

pub async fn another(database: &Database) -> PostgresStore {
    database.open(&patient()).await
}

/// The number of deadlocks in this database. Deadlocks of a connection are counted when it ends.
pub fn deadlocks(url: &str) -> i64 {
    number(
        url,
        "SELECT deadlocks AS value FROM pg_stat_database WHERE datname = current_database()",
    )
}
