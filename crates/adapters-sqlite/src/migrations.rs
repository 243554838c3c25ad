use diesel::{SqliteConnection, sqlite::Sqlite};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};
use sql_common::{executor::at_once, migrations};

use crate::error::Failure;

pub(crate) const MIGRATIONS: EmbeddedMigrations = embed_migrations!("../../migrations/sqlite");

/// Returns the names of missing migrations in order. Fails if a newer schema is incompatible.
pub(crate) fn pending(conn: &mut SqliteConnection) -> Result<Vec<String>, Failure> {
    Ok(at_once(migrations::pending::<Sqlite>(conn, &MIGRATIONS))?)
}

/// Applies the missing migrations, and returns their names. The caller's transaction has the write
/// lock, so a second process waits and then finds nothing to do.
pub(crate) fn migrate(conn: &mut SqliteConnection) -> Result<Vec<String>, Failure> {
    let pending = pending(conn)?;
    conn.run_pending_migrations(MIGRATIONS)?;
    Ok(pending)
}

pub(crate) fn applied(conn: &mut SqliteConnection) -> Result<Vec<String>, Failure> {
    Ok(at_once(migrations::applied(conn))?)
}
