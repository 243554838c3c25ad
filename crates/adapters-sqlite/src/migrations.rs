//! The migrations that this program knows, and those that a file has.

use diesel::{SqliteConnection, sqlite::Sqlite};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};
use sql_common::{executor::at_once, migrations};

use crate::error::Failure;

pub(crate) const MIGRATIONS: EmbeddedMigrations = embed_migrations!("../../migrations/sqlite");

/// The names of the migrations that the file lacks, in order. Fails if a newer program has migrated
/// it so that this one cannot use it.
pub(crate) fn pending(conn: &mut SqliteConnection) -> Result<Vec<String>, Failure> {
    Ok(at_once(migrations::pending::<Sqlite>(conn, &MIGRATIONS))?)
}

/// Applies the missing migrations, and returns their names. The caller's transaction holds the
/// write lock, so of two processes that do this at once, one waits and then finds nothing to do.
pub(crate) fn migrate(conn: &mut SqliteConnection) -> Result<Vec<String>, Failure> {
    let pending = pending(conn)?;
    conn.run_pending_migrations(MIGRATIONS)?;
    Ok(pending)
}

pub(crate) fn applied(conn: &mut SqliteConnection) -> Result<Vec<String>, Failure> {
    Ok(at_once(migrations::applied(conn))?)
}
