//! The embedded store: everything in one SQLite file.
//!
//! [`SqliteStore`] implements the ports [`Store`](domain::store::Store),
//! [`PostingReader`](domain::store::PostingReader),
//! [`Health`],
//! [`Outbox`](domain::outbox::Outbox), [`Clients`](domain::client::Clients),
//! [`DraftCache`](domain::enrichment::DraftCache) and [`AuditLog`](domain::audit::AuditLog); and
//! of the newsletter [`Store`](newsletter::store::Store),
//! [`SubscriberReader`](newsletter::store::SubscriberReader) and
//! [`Accounts`](newsletter::store::Accounts).
//! Several of them, also in several processes, may have
//! one file open: nothing that another can change is kept in memory.
//!
//! - `connection`: who writes, who reads, and what makes a commit durable; `file`: whether it is
//!   still in its place; `recent`: whether commits succeed.
//! - `migrations`: the tables, whose columns are explained there.
//! - `statement`: statements that are prepared once.
//! - `commit`: a write set as one transaction; `posting`, `company`, `subscriber`, `outbox`,
//!   `client`, `draft` and `audit` hold the statements of their tables.

mod audit;
mod client;
mod commit;
mod company;
mod connection;
mod draft;
mod error;
mod file;
mod migrations;
mod outbox;
mod posting;
mod recent;
mod statement;
mod subscriber;

#[cfg(test)]
mod tests;

use std::{
    fmt, fs, io,
    path::{self, Path},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use diesel::Connection;
use domain::store::{Health, StoreError};

use self::{
    connection::{Connections, Role},
    error::Failure,
    file::DatabaseFile,
};

/// How many values one `IN (…)` may list; SQLite takes 32,766 in a statement.
pub(crate) const IN_LIST: usize = 1_000;

/// How long a commit waits for other processes to finish theirs. Well below the ten seconds
/// after which a command gives up, so that it can try again.
const BUSY_TIMEOUT: Duration = Duration::from_secs(4);

/// A store in a SQLite file. Clones share its connections.
///
/// Its methods need a tokio runtime, for they work on its blocking threads.
#[derive(Clone)]
pub struct SqliteStore {
    connections: Arc<Connections>,
}

impl SqliteStore {
    /// Opens a database file. One that does not exist is made, for its owner only, and with it
    /// the folders it is in, likewise. The schema may lack migrations ([`Self::migrate`]); one that
    /// is newer than this program is refused.
    ///
    /// This blocks for a moment, and may be called outside of a runtime.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Self::open_with(path, BUSY_TIMEOUT)
    }

    fn open_with(path: &Path, busy_timeout: Duration) -> Result<Self, StoreError> {
        let path = path::absolute(path).map_err(|error| unusable(path, &error))?;
        create(&path).map_err(|error| unusable(&path, &error))?;
        let file = DatabaseFile::at(path.clone()).map_err(|error| unusable(&path, &error))?;
        let connections = Connections::new(file, busy_timeout);
        let mut conn = connections.connect(Role::Reader)?;
        conn.transaction(migrations::pending)
            .map_err(|Failure(error)| error)?;
        Ok(Self {
            connections: Arc::new(connections),
        })
    }

    /// The names of the migrations that the schema lacks, in order.
    pub async fn pending_migrations(&self) -> Result<Vec<String>, StoreError> {
        self.connections.read(migrations::pending).await
    }

    /// Applies the migrations that the schema lacks, all or none, and says which they were.
    /// Several processes may do this at once.
    pub async fn migrate(&self) -> Result<Vec<String>, StoreError> {
        self.connections.write(migrations::migrate).await
    }
}

impl fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteStore").finish_non_exhaustive()
    }
}

#[async_trait]
impl Health for SqliteStore {
    async fn ready(&self) -> Result<(), StoreError> {
        match self.pending_migrations().await?.as_slice() {
            [] => self.connections.check_writable().await,
            pending => Err(StoreError::Unavailable(format!(
                "the schema lacks {}; run `posthaste migrate`",
                pending.join(", ")
            ))),
        }
    }
}

/// Makes the file if it does not exist. SQLite gives the files beside it the same mode.
fn create(path: &Path) -> io::Result<()> {
    // Closing any handle to a file gives up all locks that this process has on it, SQLite's
    // included (fcntl, POSIX.1). So an existing file is not opened here, and nobody else in
    // this process gets to a new one before its first handle is closed.
    static CREATING: Mutex<()> = Mutex::new(());
    let _creating = CREATING.lock().unwrap_or_else(PoisonError::into_inner);
    if path.exists() {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        make_private(folder)?;
    }
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// Makes a folder that is not there, for its owner only, whatever the umask is.
fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

fn unusable(path: &Path, error: &io::Error) -> StoreError {
    StoreError::Unavailable(format!(
        "the database file {} cannot be used: {error}",
        path.display()
    ))
}
