//! Copies a database for backups, and prepares a restored one.

use std::{collections::BTreeMap, path::Path};

use diesel::{
    Connection, RunQueryDsl, SqliteConnection,
    connection::SimpleConnection,
    dsl::sql,
    sql_query,
    sql_types::{BigInt, Text},
};
use kernel::StoreError;
use tokio::task;

use crate::{
    SqliteStore,
    connection::{Role, joined, uri},
    error::{Failure, classify},
    migrations,
};

/// How many event numbers a restore skips. The database has not used so many since its backup: at
/// ten thousand events a second, they last five days.
const EVENTS_SKIPPED: i64 = 1 << 32;

const MOST_FAULTS: usize = 10;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents {
    pub schema: Vec<String>,
    pub rows: BTreeMap<String, u64>,
}

impl SqliteStore {
    /// Copies a snapshot of the database into an empty or new file. Meanwhile other connections can
    /// read and write. Their writes stay in the write-ahead log until the copy is complete. The
    /// copy is not synced to the disk.
    pub async fn copy_into(&self, path: &Path) -> Result<(), StoreError> {
        let connections = self.connections.clone();
        let target = utf8(path)?.to_owned();
        joined(task::spawn_blocking(move || {
            // The copy has its own connection, because it would occupy a shared connection for
            // long.
            let mut conn = connections.connect(Role::Writer)?;
            // Unlike the backup API, this copies one snapshot despite concurrent writes, and reads
            // row by row.
            sql_query("VACUUM INTO ?")
                .bind::<Text, _>(target)
                .execute(&mut conn)
                .map_err(|error| Failure::from(error).0)?;
            Ok(())
        }))
        .await
    }

    /// A rough upper limit for the size of a copy, in bytes.
    pub async fn size(&self) -> Result<u64, StoreError> {
        self.connections
            .read(|conn| {
                let size = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size";
                Ok(sql::<BigInt>(size).get_result::<i64>(conn)?.unsigned_abs())
            })
            .await
    }
}

/// Checks the integrity of a copy that is not in use, and counts its rows. Blocks the thread.
pub fn inspect(path: &Path) -> Result<Contents, StoreError> {
    let mut conn = open(path, "ro")?;
    inspected(&mut conn).map_err(|Failure(error)| error)
}

fn inspected(conn: &mut SqliteConnection) -> Result<Contents, Failure> {
    let check = format!("PRAGMA integrity_check({MOST_FAULTS})");
    let found: Vec<String> = sql::<Text>(&check).load(conn)?;
    if found != ["ok"] {
        let why = format!("the file is damaged: {}", found.join("; "));
        return Err(StoreError::Broken(why).into());
    }
    let schema = migrations::applied(conn)?;
    let tables = r"
        SELECT name FROM sqlite_schema
        WHERE type = 'table' AND name NOT GLOB 'sqlite_*' ORDER BY name";
    let tables: Vec<String> = sql::<Text>(tables).load(conn)?;
    let mut rows = BTreeMap::new();
    for table in tables {
        let count = format!("SELECT count(*) FROM \"{table}\"");
        let count: i64 = sql::<BigInt>(&count).get_result(conn)?;
        rows.insert(table, count.unsigned_abs());
    }
    Ok(Contents { schema, rows })
}

/// Prepares a copy to replace its original database. Fails if this program cannot use its schema.
/// Blocks the thread.
///
/// Readers may have cursors of events that came after the copy. New events get numbers far above
/// the copy's last event, so no such cursor names a new event. These readers get 410, instead of
/// missing events without notice.
pub fn prepare_restored(path: &Path) -> Result<(), StoreError> {
    let mut conn = open(path, "rw")?;
    conn.immediate_transaction(|conn| {
        migrations::pending(conn)?;
        conn.batch_execute(&format!(
            // The row is missing before the first event, and before the migration of the log.
            "INSERT INTO sqlite_sequence (name, seq)
                 SELECT 'events', 0 FROM sqlite_schema WHERE type = 'table' AND name = 'events'
                 AND NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'events');
             UPDATE sqlite_sequence SET seq = seq + {EVENTS_SKIPPED} WHERE name = 'events';"
        ))?;
        Ok(())
    })
    .map_err(|Failure(error)| error)
}

/// Opens a file that belongs to no store.
pub(crate) fn open(path: &Path, mode: &str) -> Result<SqliteConnection, StoreError> {
    let uri = uri(path, mode)?;
    let failed = |error: &dyn std::fmt::Display| classify(&format!("{}: {error}", path.display()));
    let mut conn = SqliteConnection::establish(&uri).map_err(|error| failed(&error))?;
    conn.batch_execute("PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF;")
        .map_err(|error| failed(&error))?;
    Ok(conn)
}

fn utf8(path: &Path) -> Result<&str, StoreError> {
    path.to_str()
        .ok_or_else(|| StoreError::Broken(format!("the path {} is not UTF-8", path.display())))
}
