//! The schema: which migrations this program knows, and which of them a database has.

use std::collections::BTreeSet;

use diesel::{
    Connection,
    connection::SimpleConnection,
    migration::{Migration, MigrationSource},
    pg::Pg,
    sql_types::{Bool, Text},
};
use diesel_async::{AsyncPgConnection, async_connection_wrapper::AsyncConnectionWrapper};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};
use domain::store::StoreError;

use crate::{
    error::Failure,
    statement::{self, statement},
};

/// The migrations that this program knows.
pub(crate) const MIGRATIONS: EmbeddedMigrations = embed_migrations!("../../migrations/postgres");

statement! {
    HasJournal = "SELECT to_regclass('__diesel_schema_migrations') IS NOT NULL",
    returns Bool
}

statement! {
    Journal = "SELECT version FROM __diesel_schema_migrations",
    returns Text
}

/// The names of the migrations that the database lacks, in order. Fails when it has one that
/// this program does not know: then a newer program has written it.
pub(crate) async fn pending(conn: &mut AsyncPgConnection) -> Result<Vec<String>, Failure> {
    let has_journal: Vec<bool> = statement::load::<HasJournal, _>(conn, &[]).await?;
    let applied = if has_journal == [true] {
        statement::load::<Journal, _>(conn, &[]).await?
    } else {
        Vec::new()
    };
    lacking(applied)
}

fn lacking(applied: Vec<String>) -> Result<Vec<String>, Failure> {
    let mut applied = BTreeSet::from_iter(applied);
    let mut known = MigrationSource::<Pg>::migrations(&MIGRATIONS)?;
    known.sort_by(|a, b| a.name().version().cmp(&b.name().version()));
    let pending = known
        .iter()
        .filter(|migration| !applied.remove(&migration.name().version().to_string()))
        .map(|migration| migration.name().to_string())
        .collect();
    match applied.pop_last() {
        None => Ok(pending),
        Some(unknown) => Err(StoreError::Broken(format!(
            "the schema is newer than this program: it has the migration {unknown}; use the \
             newer program"
        ))
        .into()),
    }
}

/// Any number that nothing else in the database takes for its locks.
const LOCK: i64 = 0x0070_6f73_7468_6173;

/// How long a migration waits for a table that others use. Everybody who comes after it waits
/// behind it.
const TABLE_PATIENCE: &str = "10s";

/// Applies what is pending, all or none, and says what that was. Of several that start at once
/// one works, and the others wait and then find nothing to do.
///
/// This blocks: migrations are written for connections that do.
pub(crate) fn migrate(conn: AsyncPgConnection) -> Result<Vec<String>, Failure> {
    let mut conn: AsyncConnectionWrapper<AsyncPgConnection> = conn.into();
    conn.transaction(|conn| {
        conn.batch_execute(&format!(
            "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; \
             SET LOCAL idle_in_transaction_session_timeout = 0; \
             SELECT pg_advisory_xact_lock({LOCK}); SET LOCAL lock_timeout = '{TABLE_PATIENCE}'"
        ))?;
        let applied = conn.applied_migrations()?;
        let pending = lacking(applied.iter().map(ToString::to_string).collect())?;
        conn.run_pending_migrations(MIGRATIONS)?;
        Ok(pending)
    })
}
