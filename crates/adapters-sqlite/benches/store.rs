//! Measures how many postings a second this store can write. `cargo xtask bench` runs it and
//! compares.
#![expect(clippy::expect_used, reason = "whatever goes wrong ends a benchmark")]

use std::path::Path;

use adapters_sqlite::SqliteStore;
use sql_common::testing::load::{setting, write_postings};

#[tokio::main]
async fn main() {
    let file = setting("POSTHASTE_BENCH_DATABASE");
    let store = SqliteStore::open(Path::new(&file)).expect("the database can be opened");
    store.migrate().await.expect("the schema can be made");
    write_postings(store).await;
}
