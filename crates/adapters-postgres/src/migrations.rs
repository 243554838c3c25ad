//! The migrations that this program knows, and those that a database has.

use diesel::{
    Connection,
    connection::SimpleConnection,
    pg::Pg,
    sql_types::{Bool, Text},
};
use diesel_async::{AsyncPgConnection, async_connection_wrapper::AsyncConnectionWrapper};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};

use crate::{
    error::Failure,
    statement::{self, statement},
};

pub(crate) const MIGRATIONS: EmbeddedMigrations = embed_migrations!("../../migrations/postgres");

statement! {
    HasJournal = "SELECT to_regclass('__diesel_schema_migrations') IS NOT NULL",
    returns Bool
}

statement! {
    Journal = "SELECT version FROM __diesel_schema_migrations",
    returns Text
}

/// The names of the migrations that the database lacks, in order. Fails if the database has one
/// that this program does not know: a newer program has migrated it.
pub(crate) async fn pending(conn: &mut AsyncPgConnection) -> Result<Vec<String>, Failure> {
    let has_journal: Vec<bool> = statement::load::<HasJournal, _>(conn, &[]).await?;
    let applied = if has_journal == [true] {
        statement::load::<Journal, _>(conn, &[]).await?
    } else {
        Vec::new()
    };
    Ok(sql_common::migrations::pending::<Pg>(&MIGRATIONS, applied)?)
}

/// The key of the advisory lock for migrations: an arbitrary number that nothing else in the
/// database uses.
const LOCK: i64 = 0x0070_6f73_7468_6173;

/// How long a migration waits for a lock on a table. While it waits, every later statement on that
/// table queues behind it.
const TABLE_LOCK_TIMEOUT: &str = "10s";

/// Applies the missing migrations, all or none, and returns their names. Of several processes that
/// call this at once, one migrates; the others wait, and then find nothing to do.
///
/// Blocks the thread, since diesel runs migrations on blocking connections.
pub(crate) fn migrate(conn: AsyncPgConnection) -> Result<Vec<String>, Failure> {
    let mut conn: AsyncConnectionWrapper<AsyncPgConnection> = conn.into();
    conn.transaction(|conn| {
        conn.batch_execute(&format!(
            "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; \
             SET LOCAL idle_in_transaction_session_timeout = 0; \
             SELECT pg_advisory_xact_lock({LOCK}); SET LOCAL lock_timeout = '{TABLE_LOCK_TIMEOUT}'"
        ))?;
        let applied = conn.applied_migrations()?;
        let applied = applied.iter().map(ToString::to_string).collect();
        let pending = sql_common::migrations::pending::<Pg>(&MIGRATIONS, applied)?;
        conn.run_pending_migrations(MIGRATIONS)?;
        Ok(pending)
    })
}
