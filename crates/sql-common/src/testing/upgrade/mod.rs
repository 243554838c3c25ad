//! Fixtures of stored data, from which every later version upgrades.
//!
//! Each migration has a fixture in each store, `src/tests/upgrade/NAME.sql`: rows that the schema
//! right after it can hold, in that database's SQL, with every column set in one of them. The
//! values are the same in both stores, so the tests here check how they are read. A new migration
//! gets a fixture (a new column: a row that has it set), and a line in `rows_come_back`.

mod authority;
mod catalogues;
mod clients;
mod console;
mod duplicates;
mod events;
mod names;
mod postings;
mod subscribers;
mod traces;
mod webhooks;

use std::{collections::BTreeMap, fs, path::Path};

use domain::store::{Health, Store};
use enrichment::DraftCache;
use kernel::{
    StoreError,
    outbox::{Claimed, Effect, Outbox, Queue, Receipt, TaskId},
    testing::{hours, noon, uuid},
};
use newsletter::testing::AllPorts as NewsletterPorts;

use super::{Shell, sample};
use crate::testing::AllPorts;

/// Checks that a database of every version upgrades to the newest, and keeps every column of its
/// rows.
///
/// # Panics
/// When it does not.
pub async fn every_version_becomes_the_newest_with_its_rows<
    G,
    S: AllPorts + DraftCache + NewsletterPorts + Shell,
>(
    empty: impl AsyncFn() -> (G, S),
) {
    let (_guard, store) = empty().await;
    let migrations = store.lacks().await.expect("the store works");
    for age in 1..=migrations.len() {
        let (_guard, store) = empty().await;
        let (applied, pending) = migrations.split_at(age);
        for name in applied {
            store.step(true).await;
            let rows = store.batch(&fixture(S::FOLDER, name)).await;
            rows.expect("the rows fit the schema of their time");
        }
        let before = columns(&store).await;
        assert_all_are_set(&before);
        assert_eq!(store.complete().await.as_deref(), Ok(pending));
        assert_all_are_kept(&before, &columns(&store).await, pending);
        for migration in applied {
            rows_come_back(&store, migration).await;
        }
        assert_eq!(Store::commit(&store, sample::create(1)).await, Ok(()));
    }
}

/// Counts the rows in which each column is set.
async fn columns<S: Shell>(store: &S) -> BTreeMap<String, i64> {
    let mut columns = BTreeMap::new();
    for column in store.values(S::COLUMNS).await {
        let (table, name) = column.split_once('.').expect("a column is in a table");
        let count = format!("SELECT count(\"{name}\") FROM \"{table}\"");
        columns.insert(column.clone(), store.number(&count).await);
    }
    columns
}

/// Checks that all migrations can be reverted one by one, and applied again.
///
/// # Panics
/// When they cannot.
pub async fn all_migrations_go_down_one_by_one_and_up_again<S: Store + Shell>(store: &S) {
    let migrations = store.complete().await.expect("the store works");
    let up = store.values(S::OBJECTS).await;
    assert!(up.len() > 20, "{up:#?}");
    for _ in &migrations {
        store.step(false).await;
    }
    assert_eq!(store.values(S::OBJECTS).await, Vec::<String>::new());
    assert_eq!(store.complete().await, Ok(migrations));
    assert_eq!(store.values(S::OBJECTS).await, up);
    assert_eq!(store.commit(sample::create(1)).await, Ok(()));
}

/// Checks that a new database lacks every migration until it is migrated.
///
/// # Panics
/// When it does not.
pub async fn a_new_database_lacks_every_migration_until_it_is_migrated<S: Health + Shell>(
    store: &S,
) {
    let pending = store.lacks().await.expect("the store works");
    assert!(pending[0].ends_with("_version_0_2_0"), "{pending:?}");
    let ready = store.ready().await;
    let Err(StoreError::Unavailable(why)) = &ready else {
        panic!("{ready:?}")
    };
    assert!(why.contains("posthaste migrate"), "{why}");

    assert_eq!(store.complete().await, Ok(pending));
    assert_eq!(store.complete().await, Ok(Vec::new()));
    assert_eq!(store.lacks().await, Ok(Vec::new()));
    assert_eq!(store.ready().await, Ok(()));
}

/// Reads the fixture of one migration, of the crate in this folder.
fn fixture(manifest_dir: &str, migration: &str) -> String {
    let path = Path::new(manifest_dir)
        .join("src/tests/upgrade")
        .join(migration)
        .with_extension("sql");
    fs::read_to_string(&path).unwrap_or_else(|error| {
        panic!(
            "the migration {migration} needs rows of its time in {}: {error}",
            path.display()
        )
    })
}

/// Checks that the fixtures so far set every column, by the number of rows that set each.
fn assert_all_are_set(columns: &BTreeMap<String, i64>) {
    assert!(columns.len() > 100, "{columns:#?}");
    for (column, rows) in columns {
        assert!(*rows > 0, "no row of the fixtures sets the column {column}");
    }
}

/// Migrations that move rows elsewhere, and the tables that have fewer afterwards.
const MOVED: [(&str, &str); 1] = [("_event_log", "outbox.")];

/// Checks that an upgrade has emptied none of the columns that it kept.
fn assert_all_are_kept(
    before: &BTreeMap<String, i64>,
    after: &BTreeMap<String, i64>,
    applied: &[String],
) {
    let is_moved = |column: &str| {
        MOVED.iter().any(|(migration, table)| {
            column.starts_with(table) && applied.iter().any(|name| name.ends_with(migration))
        })
    };
    for (column, rows) in before.iter().filter(|(column, _)| !is_moved(column)) {
        let kept = after.get(column);
        assert!(
            kept.is_none_or(|kept| kept >= rows),
            "{column}: {kept:?} of {rows}"
        );
    }
}

/// Checks that the rows of one migration's fixture are read as the values that were stored. Claims
/// tasks of the outbox.
async fn rows_come_back<S: AllPorts + DraftCache + NewsletterPorts>(store: &S, migration: &str) {
    match migration.split_once('_') {
        Some((_, "version_0_2_0")) => {
            postings::come_back(store).await;
            subscribers::come_back(store).await;
            events::come_back_from_the_outbox(store).await;
        }
        Some((_, "event_log")) => events::come_back(store).await,
        Some((_, "webhooks")) => webhooks::come_back(store).await,
        Some((_, "clients")) => clients::come_back(store).await,
        Some((_, "catalogues")) => catalogues::come_back(store).await,
        Some((_, "names_and_duplicates")) => names::come_back(store).await,
        Some((_, "console")) => console::come_back(store).await,
        Some((_, "traces")) => traces::come_back(store).await,
        Some((_, "authority")) => authority::come_back(store).await,
        Some((_, "ended_tokens")) => clients::ended_tokens_come_back(store).await,
        Some((_, "drafts_of_postings")) => postings::a_draft_comes_back(store).await,
        Some((_, "duplicates_by_age")) => duplicates::come_back(store).await,
        Some((_, name)) if name.starts_with("posting_sketches_in_band_") => {}
        // They add no column that a row of ours has.
        Some((
            _,
            "retention"
            | "compatibility"
            | "space_for_updates"
            | "companies_by_website"
            | "drafts_by_posting"
            | "postings_by_original"
            | "bands_by_age",
        )) => {}
        _ => panic!("say in {} how the rows of {migration} are read", file!()),
    }
}

/// The lease that these tests claim under.
const LEASE: u128 = 0x301;

/// Checks that these tasks are claimed from a queue; those whose lease has expired, as suspects.
async fn assert_claimed<S: Outbox>(store: &S, queue: Queue, expect: &[Claimed]) {
    let (lease, now) = (uuid(LEASE), noon() + hours(48));
    let claimed = store.claim(queue, 100, hours(1), lease, now).await;
    let mut claimed = claimed.expect("the store works");
    let suspect = store.claim_suspect(queue, hours(1), lease, now).await;
    claimed.extend(suspect.expect("the store works"));
    assert_eq!(claimed, expect);
}

/// A task as it is claimed for the first time since it was asked for.
fn claimed(id: i64, effect: Effect) -> Claimed {
    Claimed {
        receipt: Receipt {
            task: TaskId(id),
            generation: 1,
            lease: uuid(LEASE),
        },
        effect,
        attempts: 1,
        first_failed_at: None,
        lost: 0,
        trace: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "2999-01-01-000000_new needs rows of its time")]
    fn a_migration_without_a_fixture_fails() {
        fixture(env!("CARGO_MANIFEST_DIR"), "2999-01-01-000000_new");
    }

    #[test]
    #[should_panic(expected = "sets the column t.new")]
    fn a_column_that_no_fixture_sets_fails() {
        let mut columns: BTreeMap<_, _> = (0..100).map(|n| (format!("t.c{n}"), 1)).collect();
        columns.insert("t.new".to_owned(), 0);
        assert_all_are_set(&columns);
    }
}
