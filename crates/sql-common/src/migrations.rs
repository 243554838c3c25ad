//! Compares the migrations that the program knows with those that a database has.
//!
//! A database may have migrations that the program does not know: a newer program has migrated it,
//! and processes of the version before still run. They go on if the database says so: it names, in
//! the table `schema_compatibility`, the migration that a program has to know to work with it.

use std::collections::BTreeSet;

use diesel::{
    backend::Backend,
    migration::{Migration, MigrationSource},
};
use kernel::StoreError;

/// What a program and a database do not have in common.
#[derive(Debug)]
pub struct Comparison {
    /// The versions of the migrations that the program knows.
    known: BTreeSet<String>,
    /// The names of those that the database lacks, in order.
    pending: Vec<String>,
    /// The version of the newest one that the database has and the program does not know.
    unknown: Option<String>,
}

impl Comparison {
    /// Compares the known migrations with the versions of those that are applied.
    pub fn new<DB: Backend>(
        known: &impl MigrationSource<DB>,
        applied: Vec<String>,
    ) -> Result<Self, StoreError> {
        let mut applied = BTreeSet::from_iter(applied);
        let mut migrations = known
            .migrations()
            .map_err(|error| StoreError::Broken(error.to_string()))?;
        migrations.sort_by(|a, b| a.name().version().cmp(&b.name().version()));
        let version = |migration: &dyn Migration<DB>| migration.name().version().to_string();
        Ok(Self {
            known: migrations.iter().map(|it| version(&**it)).collect(),
            pending: migrations
                .iter()
                .filter(|migration| !applied.remove(&version(&***migration)))
                .map(|migration| migration.name().to_string())
                .collect(),
            unknown: applied.pop_last(),
        })
    }

    /// Whether a newer program has migrated the database.
    pub const fn is_newer(&self) -> bool {
        self.unknown.is_some()
    }

    /// The names of the migrations that the database lacks, in order. Fails if a newer program has
    /// migrated it so that this one cannot use it any more: it `needs` a migration that this
    /// program does not know, or does not say what it needs.
    pub fn pending(self, needs: Option<&str>) -> Result<Vec<String>, StoreError> {
        match self.unknown {
            Some(unknown) if !needs.is_some_and(|needs| self.known.contains(needs)) => {
                Err(StoreError::Broken(format!(
                    "the schema is newer than this program: it has the migration {unknown}; use \
                     the newer program"
                )))
            }
            _ => Ok(self.pending),
        }
    }
}
