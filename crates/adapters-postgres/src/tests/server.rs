//! A database of its own for each test, on the server that the tests were given.

use std::{
    env,
    sync::{
        Arc, Mutex, OnceLock, PoisonError, Weak,
        atomic::{AtomicU32, Ordering},
    },
    thread,
    time::Duration,
};

use diesel_async::SimpleAsyncConnection;

use super::block_on;
use crate::{PostgresOptions, PostgresStore, PostgresUrl, connection::Connections};

const VARIABLE: &str = "POSTHASTE_TEST_POSTGRES_URL";

/// The server that the tests were given, by the superuser's way to it.
pub(super) fn server() -> String {
    env::var(VARIABLE).unwrap_or_else(|_| {
        panic!(
            "{VARIABLE} is not set: run `cargo xtask test`, which starts a server for the tests, \
             or set it to the URL of a PostgreSQL server (15 or newer) and of a user that may \
             create databases there"
        )
    })
}

/// The same server, another database.
fn with_database(url: &str, name: &str) -> String {
    let (address, query) = url.split_once('?').unwrap_or((url, ""));
    let authority = address.split('/').nth(2).unwrap();
    format!("postgres://{authority}/{name}?{query}")
}

/// Limits that leave room for a machine that is busy with other tests.
pub(super) fn patient() -> PostgresOptions {
    PostgresOptions {
        acquire_timeout: Duration::from_mins(1),
        statement_timeout: Duration::from_mins(1),
        lock_timeout: Duration::from_mins(1),
        idle_in_transaction_timeout: Duration::from_mins(1),
        ..PostgresOptions::default()
    }
}

/// Runs statements on the server's own database, and waits for them without a runtime.
fn administer(statements: Vec<String>) {
    let worker = thread::spawn(move || {
        block_on(async {
            let url: PostgresUrl = server().parse().unwrap();
            let connections = Connections::new(&url, &patient()).unwrap();
            let mut conn = connections.get().await.unwrap();
            for statement in statements {
                conn.batch_execute(&statement).await.unwrap();
            }
        });
    });
    worker.join().unwrap();
}

/// The databases of tests that run at the same time. Dropping one makes the server write
/// everything to the disk, so they go together, after the last test.
#[derive(Default)]
struct Session {
    names: Mutex<Vec<String>>,
    template: OnceLock<String>,
}

impl Session {
    fn current() -> Arc<Self> {
        static CURRENT: Mutex<Weak<Session>> = Mutex::new(Weak::new());
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
        let name = format!("posthaste_test_{}_{count}", std::process::id());
        administer(vec![format!("CREATE DATABASE {name} TEMPLATE {template}")]);
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        names.push(name.clone());
        name
    }

    /// A database that was migrated once, for copies.
    fn template(&self) -> &str {
        self.template.get_or_init(|| {
            let name = self.create("template1");
            let url: PostgresUrl = with_database(&server(), &name).parse().unwrap();
            let migrate = move || {
                block_on(async {
                    let store = PostgresStore::open(&url, &patient()).await.unwrap();
                    store.migrate().await.unwrap();
                });
            };
            thread::spawn(migrate).join().unwrap();
            name
        })
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let names = self
            .names
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner)
            .drain(..);
        administer(
            names
                .map(|name| format!("DROP DATABASE {name} WITH (FORCE)"))
                .collect(),
        );
    }
}

/// A database with nobody else in it.
pub(super) struct Database {
    name: String,
    /// Who drops it.
    _session: Arc<Session>,
}

impl Database {
    /// One without any table.
    pub(super) fn empty() -> Self {
        let session = Session::current();
        Self {
            name: session.create("template1"),
            _session: session,
        }
    }

    /// One with the current schema.
    pub(super) fn migrated() -> Self {
        let session = Session::current();
        Self {
            name: session.create(session.template()),
            _session: session,
        }
    }

    pub(super) fn text_url(&self) -> String {
        with_database(&server(), &self.name)
    }

    pub(super) fn url(&self) -> PostgresUrl {
        self.text_url().parse().unwrap()
    }

    pub(super) async fn open(&self, options: &PostgresOptions) -> PostgresStore {
        PostgresStore::open(&self.url(), options).await.unwrap()
    }
}

/// An empty store in a database of its own.
pub(super) async fn fixture() -> (Database, PostgresStore) {
    let database = Database::migrated();
    let store = database.open(&patient()).await;
    (database, store)
}

/// A store on the same database whose connections nobody shares, as of another process.
pub(super) async fn another(database: &Database) -> PostgresStore {
    database.open(&patient()).await
}
