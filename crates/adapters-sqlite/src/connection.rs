//! The connections to one database file: one that writes, a few that read.
//!
//! SQLite has one writer at a time. Writers of this process queue for the one connection
//! without blocking a thread; those of other processes are waited for by SQLite itself, for
//! the busy timeout. Readers see the last commit, and nobody waits for them.
//!
//! Every piece of work runs to its end on a thread of its own, transaction included, whether
//! or not its caller still waits: a dropped future leaves nothing open.

use std::{
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use diesel::{
    Connection, QueryableByName, RunQueryDsl, SqliteConnection,
    connection::SimpleConnection,
    sql_query,
    sql_types::{Integer, Text},
};
use domain::store::StoreError;
use tokio::{sync, task};

use crate::{
    error::{Failure, classify, is_busy},
    file::DatabaseFile,
    recent::Recent,
};

/// How many may read at the same time.
const READERS: usize = 4;

/// How long a probe waits for other processes.
const PROBE_TIMEOUT: Duration = Duration::from_millis(500);

/// What a connection may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Read and write.
    Writer,
    /// Read only.
    Reader,
}

/// The connections of one store.
pub(crate) struct Connections {
    file: DatabaseFile,
    busy_timeout: Duration,
    recent: Mutex<Recent>,
    /// `None` until it is needed, and after it failed.
    writer: Arc<sync::Mutex<Option<SqliteConnection>>>,
    idle_readers: Mutex<Vec<SqliteConnection>>,
    reading: Arc<sync::Semaphore>,
}

impl Connections {
    /// Prepares connections to a file.
    pub(crate) fn new(file: DatabaseFile, busy_timeout: Duration) -> Self {
        Self {
            file,
            busy_timeout,
            recent: Mutex::default(),
            writer: Arc::default(),
            idle_readers: Mutex::default(),
            reading: Arc::new(sync::Semaphore::new(READERS)),
        }
    }

    /// Runs work on the writing connection, in a transaction that has the write lock from its
    /// beginning.
    ///
    /// The file is looked at before and after, so whatever succeeds was committed to a file that was
    /// in its place after that.
    pub(crate) async fn write<T, F>(self: &Arc<Self>, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&mut SqliteConnection) -> Result<T, Failure> + Send + 'static,
    {
        let this = Arc::clone(self);
        let mut writer = Arc::clone(&self.writer).lock_owned().await;
        joined(task::spawn_blocking(move || {
            let result = this.write_on(&mut writer, work);
            this.recent().note(&result, Instant::now());
            result
        }))
        .await
    }

    fn write_on<T>(
        &self,
        writer: &mut Option<SqliteConnection>,
        work: impl FnOnce(&mut SqliteConnection) -> Result<T, Failure>,
    ) -> Result<T, StoreError> {
        self.file.check()?;
        let mut conn = match writer.take() {
            Some(conn) => conn,
            None => self.connect(Role::Writer)?,
        };
        // After some failures SQLite has undone the transaction by itself, and then diesel reports
        // that it cannot be undone.
        let mut cause = None;
        let result = conn.immediate_transaction(|conn| {
            work(conn).inspect_err(|Failure(error)| cause = Some(error.clone()))
        });
        if is_sound(&result) {
            *writer = Some(conn);
        }
        let value = result.map_err(|Failure(error)| cause.unwrap_or(error))?;
        self.file
            .check()
            .map_err(|error| StoreError::InDoubt(error.to_string()))?;
        Ok(value)
    }

    /// Fails when a commit would: the file is not in its place, or commits have failed just now, or
    /// one that changes nothing fails. Such a probe is made once a second at most, and not while
    /// something is being written.
    pub(crate) async fn check_writable(self: &Arc<Self>) -> Result<(), StoreError> {
        self.file.check()?;
        let verdict = self.recent().verdict(Instant::now());
        if let Some(verdict) = verdict {
            return verdict;
        }
        let Ok(mut writer) = Arc::clone(&self.writer).try_lock_owned() else {
            return Ok(());
        };
        let this = Arc::clone(self);
        joined(task::spawn_blocking(move || {
            if let Some(conn) = writer.as_mut() {
                wait_for_others(conn, PROBE_TIMEOUT).map_err(|Failure(error)| error)?;
            }
            let result = match this.write_on(&mut writer, probe) {
                Err(StoreError::Unavailable(why)) if is_busy(&why) => Ok(()),
                result => result,
            };
            if let Some(conn) = writer.as_mut() {
                wait_for_others(conn, this.busy_timeout).map_err(|Failure(error)| error)?;
            }
            this.recent().note_probe(result.clone(), Instant::now());
            result
        }))
        .await
    }

    fn recent(&self) -> std::sync::MutexGuard<'_, Recent> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs work on a reading connection, in a transaction: all its queries see one state.
    pub(crate) async fn read<T, F>(self: &Arc<Self>, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&mut SqliteConnection) -> Result<T, Failure> + Send + 'static,
    {
        let this = Arc::clone(self);
        let permit = Arc::clone(&self.reading)
            .acquire_owned()
            .await
            .map_err(|error| StoreError::Broken(error.to_string()))?;
        joined(task::spawn_blocking(move || {
            let _permit = permit;
            this.file.check()?;
            let mut conn = match this.idle().pop() {
                Some(conn) => conn,
                None => this.connect(Role::Reader)?,
            };
            let result = conn.transaction(work);
            if is_sound(&result) {
                this.idle().push(conn);
            }
            result.map_err(|Failure(error)| error)
        }))
        .await
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<SqliteConnection>> {
        self.idle_readers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens a connection and sets it up.
    pub(crate) fn connect(&self, role: Role) -> Result<SqliteConnection, StoreError> {
        let path = self.file.path();
        let in_words = |error: StoreError| match error {
            StoreError::Unavailable(why) => {
                StoreError::Unavailable(format!("{}: {why}", path.display()))
            }
            StoreError::Broken(why) => StoreError::Broken(format!("{}: {why}", path.display())),
            error => error,
        };
        let mut conn = SqliteConnection::establish(&uri(path)?)
            .map_err(|error| in_words(classify(&error.to_string())))?;
        self.set_up(&mut conn, role)
            .map_err(|Failure(error)| in_words(error))?;
        // It was opened by its name.
        self.file.check()?;
        Ok(conn)
    }

    fn set_up(&self, conn: &mut SqliteConnection, role: Role) -> Result<(), Failure> {
        // First, so that what follows waits for other processes too.
        wait_for_others(conn, self.busy_timeout)?;
        use_wal(conn, self.busy_timeout)?;
        conn.batch_execute(
            // A commit is on the disk when it is answered, also if the power fails then.
            "PRAGMA synchronous = FULL;
             PRAGMA foreign_keys = ON;
             PRAGMA trusted_schema = OFF;
             PRAGMA temp_store = MEMORY;
             PRAGMA cache_size = -16384;
             PRAGMA wal_autocheckpoint = 4000;
             PRAGMA journal_size_limit = 67108864;",
        )?;
        if role == Role::Reader {
            conn.batch_execute("PRAGMA query_only = ON")?;
        }
        Ok(())
    }
}

/// Says how long a connection waits for other processes.
fn wait_for_others(conn: &mut SqliteConnection, time: Duration) -> Result<(), Failure> {
    conn.batch_execute(&format!("PRAGMA busy_timeout = {}", time.as_millis()))?;
    Ok(())
}

#[derive(QueryableByName)]
struct UserVersion {
    #[diesel(sql_type = Integer)]
    user_version: i32,
}

/// Writes a page that stays as it is.
fn probe(conn: &mut SqliteConnection) -> Result<(), Failure> {
    let UserVersion { user_version } = sql_query("PRAGMA user_version").get_result(conn)?;
    conn.batch_execute(&format!("PRAGMA user_version = {user_version}"))?;
    Ok(())
}

/// The outcome of work on another thread.
async fn joined<T>(work: task::JoinHandle<Result<T, StoreError>>) -> Result<T, StoreError> {
    match work.await {
        Ok(result) => result,
        Err(error) if error.is_panic() => Err(StoreError::Broken(error.to_string())),
        Err(error) => Err(StoreError::Unavailable(error.to_string())),
    }
}

/// Whether a connection can be used again after this. After any failure that is not an
/// ordinary answer a fresh one is opened, which costs little and leaves no doubt.
const fn is_sound<T>(result: &Result<T, Failure>) -> bool {
    matches!(result, Ok(_) | Err(Failure(StoreError::Conflict)))
}

/// The path as a URI that does not create a file: one that vanished must not come back empty.
fn uri(path: &Path) -> Result<String, StoreError> {
    let text = path.to_str().ok_or_else(|| {
        StoreError::Broken(format!("the database path {} is not UTF-8", path.display()))
    })?;
    let text = text
        .replace('%', "%25")
        .replace('?', "%3f")
        .replace('#', "%23");
    Ok(format!("file:{text}?mode=rw"))
}

#[derive(QueryableByName)]
struct JournalMode {
    #[diesel(sql_type = Text)]
    journal_mode: String,
}

/// Has the file use a write-ahead log, so that readers and the writer do not wait for each
/// other. Done once in the life of a file; SQLite does not wait for another process that does
/// it at the same moment, so this does.
fn use_wal(conn: &mut SqliteConnection, patience: Duration) -> Result<(), Failure> {
    let give_up = Instant::now() + patience;
    loop {
        let mode = sql_query("PRAGMA journal_mode = WAL").get_result::<JournalMode>(conn);
        match mode.map_err(Failure::from) {
            Ok(JournalMode { journal_mode }) if journal_mode == "wal" => return Ok(()),
            Ok(JournalMode { journal_mode }) => {
                let why = format!(
                    "the file system does not support a write-ahead log (the journal mode stays \
                     {journal_mode}); put the database on a local disk"
                );
                return Err(StoreError::Broken(why).into());
            }
            Err(Failure(StoreError::Unavailable(_))) if Instant::now() < give_up => {
                thread::sleep(Duration::from_millis(20));
            }
            Err(failure) => return Err(failure),
        }
    }
}
