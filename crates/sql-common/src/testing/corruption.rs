mod people;
mod postings;
mod webhooks;

use std::fmt;

use kernel::StoreError;

pub use self::{people::*, postings::*, webhooks::*};
use super::Shell;

/// A column, then SQL for an invalid value in SQLite and in PostgreSQL. The SQL is empty if the
/// database refuses the value.
type Case = (&'static str, &'static str, &'static str);

fn cases<S: Shell>(all: &[Case]) -> impl Iterator<Item = Case> {
    let cases = all.iter().copied();
    cases.filter(|case| !S::DIALECT.value(*case).is_empty())
}

fn names<T: fmt::Debug>(result: Result<T, StoreError>, column: &str) {
    let Err(StoreError::Broken(why)) = result else {
        panic!("{column}: {result:?}")
    };
    assert!(why.contains(column), "{why}");
}

async fn damage<S: Shell>(store: &S, table: &str, case: Case) -> String {
    let (column, value) = (case.0, S::DIALECT.value(case));
    let sql = format!("UPDATE {table} SET {column} = {value}");
    store.damage(&sql).await;
    format!("{table}.{column}")
}
