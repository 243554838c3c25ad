//! The migrations that this program knows, and those that a file has.

use diesel::{
    ExpressionMethods, OptionalExtension, QueryDsl, RunQueryDsl, SqliteConnection, sqlite::Sqlite,
};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};

use sql_common::migrations::Comparison;

use crate::error::Failure;

diesel::table! {
    /// The applied migrations; diesel maintains it.
    __diesel_schema_migrations (version) {
        version -> Text,
        run_on -> Timestamp,
    }
}

diesel::table! {
    /// The schema; SQLite maintains it.
    sqlite_master (name) {
        name -> Text,
        #[sql_name = "type"]
        kind -> Text,
    }
}

pub(crate) const MIGRATIONS: EmbeddedMigrations = embed_migrations!("../../migrations/sqlite");

diesel::table! {
    schema_compatibility (singleton) {
        singleton -> Bool,
        needs -> Text,
    }
}

/// The names of the migrations that the file lacks, in order. Fails if a newer program has migrated
/// it so that this one cannot use it.
pub(crate) fn pending(conn: &mut SqliteConnection) -> Result<Vec<String>, Failure> {
    let comparison = Comparison::new::<Sqlite>(&MIGRATIONS, applied(conn)?)?;
    let needs: Option<String> = if comparison.is_newer() {
        schema_compatibility::table
            .select(schema_compatibility::needs)
            .first(conn)
            .optional()?
    } else {
        None
    };
    Ok(comparison.pending(needs.as_deref())?)
}

/// Applies the missing migrations, and returns their names. The caller's transaction holds the
/// write lock, so of two processes that do this at once, one waits and then finds nothing to do.
pub(crate) fn migrate(conn: &mut SqliteConnection) -> Result<Vec<String>, Failure> {
    let pending = pending(conn)?;
    conn.run_pending_migrations(MIGRATIONS)?;
    Ok(pending)
}

/// The versions of the applied migrations, in order.
pub(crate) fn applied(conn: &mut SqliteConnection) -> Result<Vec<String>, Failure> {
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
        .order(__diesel_schema_migrations::version)
        .load(conn)?)
}
