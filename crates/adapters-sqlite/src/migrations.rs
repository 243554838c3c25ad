//! The schema: which migrations this program knows, and which of them a file has.

use std::collections::BTreeSet;

use diesel::{
    ExpressionMethods, OptionalExtension, QueryDsl, RunQueryDsl, SqliteConnection,
    migration::{Migration, MigrationSource},
    sql_types::Text,
    sqlite::Sqlite,
};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};
use domain::{posting::Description, store::StoreError};

use crate::{
    error::Failure,
    schema::{__diesel_schema_migrations, sqlite_master},
};

/// The migrations that this program knows.
pub(crate) const MIGRATIONS: EmbeddedMigrations = embed_migrations!("../../migrations/sqlite");

#[diesel::declare_sql_function]
extern "SQL" {
    /// What a migration needs and SQLite has not.
    fn sha256(text: Text) -> Binary;
}

/// Brings along what migrations need.
pub(crate) fn prepare(conn: &mut SqliteConnection) -> Result<(), Failure> {
    sha256_utils::register_impl(conn, |text: String| {
        Description::from(text.as_str()).digest().to_vec()
    })?;
    Ok(())
}

/// The names of the migrations that the file lacks, in order. Fails when it has one that this
/// program does not know: then a newer program has written it.
pub(crate) fn pending(conn: &mut SqliteConnection) -> Result<Vec<String>, Failure> {
    let mut applied: BTreeSet<String> = applied(conn)?.into_iter().collect();
    let mut known = MigrationSource::<Sqlite>::migrations(&MIGRATIONS)?;
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
