//! Which migrations the program knows, and which of them a database has.

use std::collections::BTreeSet;

use diesel::{
    backend::Backend,
    migration::{Migration, MigrationSource},
};
use diesel_migrations::EmbeddedMigrations;
use domain::store::StoreError;

/// The names of the known migrations whose versions are not among the applied ones, in order.
/// Fails when an applied one is not known: then a newer program has written the database.
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
