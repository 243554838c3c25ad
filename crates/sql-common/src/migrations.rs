//! Compares the migrations that the program knows with those that a database has.

use std::collections::BTreeSet;

use diesel::{
    backend::Backend,
    migration::{Migration, MigrationSource},
};
use diesel_migrations::EmbeddedMigrations;
use domain::store::StoreError;

/// The names of the migrations that are known but not applied, in order. Fails if one is applied
/// but not known: a newer program has migrated the database.
pub fn pending<DB: Backend>(
    known: &EmbeddedMigrations,
    applied: Vec<String>,
) -> Result<Vec<String>, StoreError> {
    let mut applied = BTreeSet::from_iter(applied);
    let mut known = MigrationSource::<DB>::migrations(known)
        .map_err(|error| StoreError::Broken(error.to_string()))?;
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
        ))),
    }
}
