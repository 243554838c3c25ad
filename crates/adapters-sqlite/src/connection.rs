//! The connections to one database file: one writer and a few readers.
//!
//! SQLite allows one writer at a time. Writers of this process queue without blocking a thread, and
//! SQLite waits for other processes up to the busy timeout. Readers see the last commit, and block
//! nothing.
//!
//! Work runs to its end on a blocking thread, even if the caller stops waiting. So a dropped future
//! leaves no open transaction. The store has its own threads, one per connection, because the
//! shared pool is unbounded and each thread keeps memory.

use std::{
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use diesel::{
    Connection, RunQueryDsl, SqliteConnection,
    connection::SimpleConnection,
    dsl::sql,
    sql_types::{Integer, Text},
};
use kernel::StoreError;
use sql_common::recent::RecentCommits;
use tokio::{
    runtime::{Builder, Handle, Runtime},
    sync, task,
};

use crate::{
    error::{Failure, classify, is_busy},
    file::DatabaseFile,
};

/// How long a failed commit makes the store unready. On a full disk, a small probe may succeed.
const OUTAGE: Duration = Duration::from_secs(5);

const READERS: usize = 4;

/// How long a probe, or emptying the write-ahead log, waits for other processes. Writers of this
/// process wait meanwhile.
const PROBE_TIMEOUT: Duration = Duration::from_millis(500);

const CHECKPOINTS: usize = 6;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Writer,
    Reader,
}

pub(crate) struct Connections {
    file: DatabaseFile,
    busy_timeout: Duration,
    recent: RecentCommits,
    /// `None` until first used, and after an unexpected error.
    writer: Arc<sync::Mutex<Option<SqliteConnection>>>,
    idle_readers: Mutex<Vec<SqliteConnection>>,
    reading: Arc<sync::Semaphore>,
    threads: Threads,
}

/// The blocking threads of a runtime that has no other work.
struct Threads {
    handle: Handle,
    runtime: Option<Runtime>,
}

impl Threads {
    fn new(most: usize) -> Result<Self, StoreError> {
        let runtime = Builder::new_current_thread()
            .max_blocking_threads(most)
            .thread_name("sqlite")
            .build()
            .map_err(|error| StoreError::Unavailable(error.to_string()))?;
        Ok(Self {
            handle: runtime.handle().clone(),
            runtime: Some(runtime),
        })
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        joined(self.handle.spawn_blocking(work)).await
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // Does not wait, because the current thread may be one that must not block.
            runtime.shutdown_background();
        }
    }
}

impl Connections {
    /// Sets up the connections, which open at their first use.
    pub(crate) fn new(file: DatabaseFile, busy_timeout: Duration) -> Result<Self, StoreError> {
        Ok(Self {
            file,
            busy_timeout,
            recent: RecentCommits::new(1, OUTAGE),
            writer: Arc::default(),
            idle_readers: Mutex::default(),
            reading: Arc::new(sync::Semaphore::new(READERS)),
            threads: Threads::new(READERS + 1)?,
        })
    }

    /// Runs work on the writing connection. Its transaction takes the write lock at once.
    ///
    /// Checks before and after the work that the file is in its place. So a successful commit
    /// reached a file that still existed.
    pub(crate) async fn write<T, F>(self: &Arc<Self>, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&mut SqliteConnection) -> Result<T, Failure> + Send + 'static,
    {
        let this = Arc::clone(self);
        let mut writer = Arc::clone(&self.writer).lock_owned().await;
        let work = move || {
            let result = this.write_on(&mut writer, work);
            this.recent.record(&result, Instant::now());
            result
        };
        self.threads.run(work).await
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
        // After some errors, SQLite has already rolled back. diesel would then report a failed
        // rollback instead of the cause.
        let mut cause = None;
        let result = conn.immediate_transaction(|conn| {
            work(conn).inspect_err(|Failure(error)| cause = Some(error.clone()))
        });
        if is_reusable(&result) {
            *writer = Some(conn);
        }
        let value = result.map_err(|Failure(error)| cause.unwrap_or(error))?;
        self.file
            .check()
            .map_err(|error| StoreError::InDoubt(error.to_string()))?;
        Ok(value)
    }

    /// Copies the write-ahead log into the file and empties the log. `false` if the log stayed in
    /// use.
    pub(crate) async fn empty_log(self: &Arc<Self>) -> Result<bool, StoreError> {
        let this = Arc::clone(self);
        let mut writer = Arc::clone(&self.writer).lock_owned().await;
        let work = move || {
            let mut conn = match writer.take() {
                Some(conn) => conn,
                None => this.connect(Role::Writer)?,
            };
            let is_empty = this.checkpoint(&mut conn).map_err(|Failure(error)| error)?;
            *writer = Some(conn);
            Ok(is_empty)
        };
        self.threads.run(work).await
    }

    fn checkpoint(&self, conn: &mut SqliteConnection) -> Result<bool, Failure> {
        set_busy_timeout(conn, PROBE_TIMEOUT.min(self.busy_timeout))?;
        let mut is_empty = false;
        for _ in 0..CHECKPOINTS {
            // Returns whether the log was in use, its pages, and the copied pages.
            let done = sql::<(Integer, Integer, Integer)>("PRAGMA wal_checkpoint(TRUNCATE)");
            match done
                .get_result::<(i32, i32, i32)>(conn)
                .map_err(Failure::from)
            {
                Ok((in_use, ..)) => is_empty = in_use == 0,
                Err(Failure(StoreError::Unavailable(_))) => {}
                Err(failure) => return Err(failure),
            }
            if is_empty {
                break;
            }
        }
        set_busy_timeout(conn, self.busy_timeout)?;
        Ok(is_empty)
    }

    /// Fails if a commit would fail. Checks the file, recent commits, and a probe (an empty
    /// commit). A probe runs at most once a second, and never during a commit.
    pub(crate) async fn check_writable(self: &Arc<Self>) -> Result<(), StoreError> {
        self.file.check()?;
        let verdict = self.recent.check(Instant::now());
        if let Some(verdict) = verdict {
            return verdict;
        }
        let Ok(mut writer) = Arc::clone(&self.writer).try_lock_owned() else {
            return Ok(());
        };
        let this = Arc::clone(self);
        let work = move || {
            if let Some(conn) = writer.as_mut() {
                set_busy_timeout(conn, PROBE_TIMEOUT).map_err(|Failure(error)| error)?;
            }
            let result = match this.write_on(&mut writer, probe) {
                Err(StoreError::Unavailable(why)) if is_busy(&why) => Ok(()),
                result => result,
            };
            if let Some(conn) = writer.as_mut() {
                set_busy_timeout(conn, this.busy_timeout).map_err(|Failure(error)| error)?;
            }
            this.recent.record(&result, Instant::now());
            result
        };
        self.threads.run(work).await
    }

    /// Runs work on a reading connection. Its transaction reads one snapshot.
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
        let work = move || {
            let _permit = permit;
            this.file.check()?;
            let mut conn = match this.idle().pop() {
                Some(conn) => conn,
                None => this.connect(Role::Reader)?,
            };
            let result = conn.transaction(work);
            if is_reusable(&result) {
                this.idle().push(conn);
            }
            result.map_err(|Failure(error)| error)
        };
        self.threads.run(work).await
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<SqliteConnection>> {
        self.idle_readers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn connect(&self, role: Role) -> Result<SqliteConnection, StoreError> {
        let path = self.file.path();
        let with_path = |error: StoreError| match error {
            StoreError::Unavailable(why) => {
                StoreError::Unavailable(format!("{}: {why}", path.display()))
            }
            StoreError::Broken(why) => StoreError::Broken(format!("{}: {why}", path.display())),
            error => error,
        };
        let mut conn = SqliteConnection::establish(&uri(path, "rw")?)
            .map_err(|error| with_path(classify(&error.to_string())))?;
        self.set_up(&mut conn, role)
            .map_err(|Failure(error)| with_path(error))?;
        // SQLite opened the file by its path, where another file may be now.
        self.file.check()?;
        Ok(conn)
    }

    fn set_up(&self, conn: &mut SqliteConnection, role: Role) -> Result<(), Failure> {
        // The busy timeout comes first, so that the statements below wait for other processes.
        set_busy_timeout(conn, self.busy_timeout)?;
        use_wal(conn, self.busy_timeout)?;
        conn.batch_execute(
            // A commit that was confirmed survives a power failure.
            "PRAGMA synchronous = FULL;
             PRAGMA foreign_keys = ON;
             PRAGMA trusted_schema = OFF;
             PRAGMA temp_store = MEMORY;
             PRAGMA wal_autocheckpoint = 4000;
             PRAGMA journal_size_limit = 67108864;",
        )?;
        conn.batch_execute(match role {
            // A small cache, because the system caches the file's pages, too.
            Role::Reader => "PRAGMA query_only = ON; PRAGMA cache_size = -1024",
            // Overwrites deleted or replaced data with zeros, because the file's free space must
            // not contain erased postings or earlier versions.
            Role::Writer => "PRAGMA secure_delete = ON; PRAGMA cache_size = -16384",
        })?;
        Ok(())
    }
}

fn set_busy_timeout(conn: &mut SqliteConnection, time: Duration) -> Result<(), Failure> {
    conn.batch_execute(&format!("PRAGMA busy_timeout = {}", time.as_millis()))?;
    Ok(())
}

fn probe(conn: &mut SqliteConnection) -> Result<(), Failure> {
    let version: i32 = sql::<Integer>("PRAGMA user_version").get_result(conn)?;
    conn.batch_execute(&format!("PRAGMA user_version = {version}"))?;
    Ok(())
}

pub(crate) async fn joined<T>(
    work: task::JoinHandle<Result<T, StoreError>>,
) -> Result<T, StoreError> {
    match work.await {
        Ok(result) => result,
        Err(error) if error.is_panic() => Err(StoreError::Broken(error.to_string())),
        Err(error) => Err(StoreError::Unavailable(error.to_string())),
    }
}

/// Whether a connection can be used again after this result. After any error but a conflict, it is
/// closed: a new connection costs little.
const fn is_reusable<T>(result: &Result<T, Failure>) -> bool {
    matches!(result, Ok(_) | Err(Failure(StoreError::Conflict)))
}

/// The path as a URI, with a mode that never creates the file. A database that vanished must not
/// return as an empty one.
pub(crate) fn uri(path: &Path, mode: &str) -> Result<String, StoreError> {
    let text = path.to_str().ok_or_else(|| {
        StoreError::Broken(format!("the database path {} is not UTF-8", path.display()))
    })?;
    let text = text
        .replace('%', "%25")
        .replace('?', "%3f")
        .replace('#', "%23");
    Ok(format!("file:{text}?mode={mode}"))
}

/// Switches the file to a write-ahead log, so that readers and the writer do not wait for each
/// other. SQLite does not wait if another process does the same, so this function retries.
fn use_wal(conn: &mut SqliteConnection, timeout: Duration) -> Result<(), Failure> {
    let give_up = Instant::now() + timeout;
    loop {
        let mode = sql::<Text>("PRAGMA journal_mode = WAL").get_result::<String>(conn);
        match mode.map_err(Failure::from) {
            Ok(mode) if mode == "wal" => return Ok(()),
            Ok(mode) => {
                let why = format!(
                    "the file system does not support a write-ahead log (the journal mode stays \
                     {mode}); put the database on a local disk"
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
