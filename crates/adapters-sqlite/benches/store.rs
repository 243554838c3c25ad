//! New postings straight through the store; see `sql_common::testing::straight`.
#![expect(clippy::expect_used, reason = "whatever goes wrong ends it")]

use std::path::Path;

use adapters_sqlite::SqliteStore;
use sql_common::testing::straight;

#[tokio::main]
async fn main() {
    let file = straight::setting("POSTHASTE_BENCH_DATABASE");
    let store = SqliteStore::open(Path::new(&file)).expect("the database can be opened");
    store.migrate().await.expect("the schema can be made");
    straight::run(store).await;
}
