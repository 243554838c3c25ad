//! The schema: which migrations this program knows, and which of them a file has.

use diesel::{
    ExpressionMethods, OptionalExtension, QueryDsl, RunQueryDsl, SqliteConnection, sqlite::Sqlite,
};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};

use crate::error::Failure;

diesel::table! {
    /// Which migrations were applied; kept by diesel.
    __diesel_schema_migrations (version) {
        version -> Text,
        run_on -> Timestamp,
    }
}

diesel::table! {
    /// What there is in the file; kept by SQLite.
    sqlite_master (name) {
        name -> Text,
        #[sql_name = "type"]
        kind -> Text,
    }
}

/// The migrations that this program knows.
pub(crate) const MIGRATIONS: EmbeddedMigrations = embed_migrations!("../../migrations/sqlite");

/// The names of the migrations that the file lacks, in order. Fails when it has one that this
/// program does not know: then a newer program has written it.
pub(crate) fn pending(conn: &mut SqliteConnection) -> Result<Vec<String>, Failure> {
    let applied = applied(conn)?;
    Ok(sql_common::migrations::pending::<Sqlite>(
        &MIGRATIONS,
        applied,
    )?)
}

/// Applies what is pending, and says what that was. The caller's transaction has the write
/// lock, so of two processes that start at once one waits and then finds nothing to do.
pub(crate) fn migrate(conn: &mut SqliteConnection) -> Result<Vec<String>, Failure> {
    let pending = pending(conn)?;
    conn.run_pending_migrations(MIGRATIONS)?;
    Ok(pending)
}

/// The versions of the migrations that the file has.
fn applied(conn: &mut SqliteConnection) -> Result<Vec<String>, Failure> {
    let journal = sqlite_master::table
        .filter(sqlite_master::kind.eq("table"))
        .filter(sqlite_master::name.eq("__diesel_schema_migrations"))
        .select(sqlite_master::name)
        .first::<String>(conn)
        .optional()?;
    if journal.is_none() {
        return Ok(Vec::new());
    }
    Ok(__diesel_schema_migrations::table
        .select(__diesel_schema_migrations::version)
        .load(conn)?)
}
