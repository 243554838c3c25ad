//! Measures how many postings a second this store can write. `cargo xtask bench` runs it and
//! compares.
#![expect(clippy::expect_used, reason = "whatever goes wrong ends a benchmark")]

use adapters_postgres::{PostgresOptions, PostgresStore};
use sql_common::testing::load::{setting, write_postings};

#[tokio::main]
async fn main() {
    let url = setting("POSTHASTE_BENCH_DATABASE").parse().expect("an URL");
    let store = PostgresStore::open(&url, &PostgresOptions::default())
        .await
        .expect("the database can be opened");
    store.migrate().await.expect("the schema can be made");
    write_postings(store).await;
}
