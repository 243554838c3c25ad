//! Compares the known migrations with those of a database.
//!
//! A database may have unknown migrations, when a newer program has migrated it while older
//! processes still run. The older processes may continue if the table `schema_compatibility` allows
//! it. This table names the migration that a program must know.

use std::collections::BTreeSet;

use diesel::{
    backend::Backend,
    migration::{Migration, MigrationSource},
    sql_types::{Bool, Text},
};
use kernel::StoreError;

use crate::{
    executor::{Executor, Outcome},
    statement,
};

statement! {
    HasJournal = {
        postgres: "SELECT to_regclass('__diesel_schema_migrations') IS NOT NULL",
        sqlite: r"
            SELECT EXISTS (
                SELECT 1 FROM sqlite_schema
                WHERE type = 'table' AND name = '__diesel_schema_migrations'
            )",
    },
    returns Bool;

    Journal = "SELECT version FROM __diesel_schema_migrations ORDER BY version",
    returns Text;

    Needs = "SELECT needs FROM schema_compatibility",
    returns Text
}

pub async fn applied(conn: &mut impl Executor) -> Outcome<Vec<String>> {
    let has_journal = conn.load::<HasJournal>(&[]).await?;
    if has_journal == [true] {
        conn.load::<Journal>(&[]).await
    } else {
        Ok(Vec::new())
    }
}

/// Returns the missing migrations by name, in order. Fails if a newer program made the schema
/// incompatible, or did not declare what the schema requires.
pub async fn pending<DB: Backend>(
    conn: &mut impl Executor,
    known: &(impl MigrationSource<DB> + Sync),
) -> Outcome<Vec<String>> {
    let mut applied = BTreeSet::from_iter(applied(conn).await?);
    let (versions, pending) = compare(known, &mut applied)?;
    if let Some(unknown) = applied.pop_last() {
        let needs = conn.load::<Needs>(&[]).await?;
        if !needs.first().is_some_and(|needs| versions.contains(needs)) {
            let why = format!(
                "the schema is newer than this program: it has the migration {unknown}; use the \
                 newer program"
            );
            return Err(StoreError::Broken(why).into());
        }
    }
    Ok(pending)
}

/// Returns known versions and missing migrations' names. Removes known migrations from `applied`.
fn compare<DB: Backend>(
    known: &impl MigrationSource<DB>,
    applied: &mut BTreeSet<String>,
) -> Result<(BTreeSet<String>, Vec<String>), StoreError> {
    let mut migrations = known
        .migrations()
        .map_err(|error| StoreError::Broken(error.to_string()))?;
    migrations.sort_by(|a, b| a.name().version().cmp(&b.name().version()));
    let version = |migration: &dyn Migration<DB>| migration.name().version().to_string();
    let versions = migrations.iter().map(|it| version(&**it)).collect();
    migrations.retain(|it| !applied.remove(&version(&**it)));
    let names = migrations.iter().map(|it| it.name().to_string());
    Ok((versions, names.collect()))
}
