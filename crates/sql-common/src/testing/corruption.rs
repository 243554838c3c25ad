//! A stored value that makes no sense is reported by the name of its column.
//!
//! Each function takes an empty store.

mod people;
mod postings;
mod webhooks;

use std::fmt;

use kernel::StoreError;

pub use self::{people::*, postings::*, webhooks::*};
use super::Shell;

/// A column, and SQL for a value that makes no sense, in SQLite and in PostgreSQL; an empty one
/// where the database refuses it.
type Case = (&'static str, &'static str, &'static str);

/// The cases of the store's database.
fn cases<S: Shell>(all: &[Case]) -> impl Iterator<Item = Case> {
    let cases = all.iter().copied();
    cases.filter(|case| !S::DIALECT.value(*case).is_empty())
}

/// Checks that the error names the column.
fn names<T: fmt::Debug>(result: Result<T, StoreError>, column: &str) {
    let Err(StoreError::Broken(why)) = result else {
        panic!("{column}: {result:?}")
    };
    assert!(why.contains(column), "{why}");
}

/// Damages a column of all rows, and returns its name.
async fn damage<S: Shell>(store: &S, table: &str, case: Case) -> String {
    let (column, value) = (case.0, S::DIALECT.value(case));
    let sql = format!("UPDATE {table} SET {column} = {value}");
    store.damage(&sql).await;
    format!("{table}.{column}")
}
