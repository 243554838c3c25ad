//! The embedded store, which keeps everything in one SQLite file.
//!
//! [`SqliteStore`] implements the ports of all contexts. Several stores may have one file open,
//! even in several processes, because a store caches nothing that another may change.
//!
//! - `connection`: the connections to the file; `file`: whether the file is still in its place;
//!   `recent`: whether commits succeed.
//! - `migrations`: the schema, where the columns are explained.
//! - `ports`: the ports that `sql-common` implements for both stores.
//! - `commit`: a write set as one transaction. `event`, `retention`: tables that differ between the
//!   stores. `claim`, `draft`, `lease`: statements that differ, on tables that do not.
//! - `backup`: copies a database, and prepares a restored one; `copy`: all rows, for the other
//!   store.

mod backup;
mod claim;
mod commit;
mod connection;
mod copy;
mod draft;
mod error;
mod event;
mod file;
mod lease;
mod migrations;
mod ports;
mod retention;

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
use domain::store::{Health, LockedRows, ReplicaPosition, StoreClock};
use kernel::StoreError;
pub use sql_common::copy as rows;

pub use self::{
    backup::{Contents, inspect, prepare_restored},
    copy::CopySource,
};
use self::{
    connection::{Connections, Role},
    error::Failure,
    file::DatabaseFile,
};

/// How long a commit waits for other processes. This is well below ten seconds, the limit of a
/// command, so that a command can retry.
const BUSY_TIMEOUT: Duration = Duration::from_secs(4);

/// A store in a SQLite file. Clones share its connections and threads.
#[derive(Clone)]
pub struct SqliteStore {
    connections: Arc<Connections>,
}

impl SqliteStore {
    /// Opens a database file. Creates it if it is missing, readable only by its owner, and creates
    /// missing folders. The schema may lack migrations ([`Self::migrate`]). Fails if a newer
    /// program has made the schema incompatible.
    ///
    /// Blocks the thread briefly, and needs no runtime.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Self::open_with(path, BUSY_TIMEOUT)
    }

    fn open_with(path: &Path, busy_timeout: Duration) -> Result<Self, StoreError> {
        let path = path::absolute(path).map_err(|error| unusable(path, &error))?;
        create(&path).map_err(|error| unusable(&path, &error))?;
        let file = DatabaseFile::at(path.clone()).map_err(|error| unusable(&path, &error))?;
        let connections = Connections::new(file, busy_timeout)?;
        let mut conn = connections.connect(Role::Reader)?;
        conn.transaction(migrations::pending)
            .map_err(|Failure(error)| error)?;
        Ok(Self {
            connections: Arc::new(connections),
        })
    }

    pub async fn pending_migrations(&self) -> Result<Vec<String>, StoreError> {
        self.connections.read(migrations::pending).await
    }

    /// Applies all missing migrations or none, and returns their names. Concurrent calls are safe.
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

impl StoreClock for SqliteStore {}

impl ReplicaPosition for SqliteStore {}

impl LockedRows for SqliteStore {}

/// Creates a missing file. The files that SQLite adds get the same mode.
fn create(path: &Path) -> io::Result<()> {
    // When a process closes any handle to a file, it loses all its locks on the file, even SQLite's
    // (fcntl, POSIX.1). So an existing file is not opened here, and no other thread can open a new
    // file before its first handle is closed.
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
