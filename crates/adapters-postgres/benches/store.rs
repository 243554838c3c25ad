//! New postings straight through the store; see `sql_common::testing::straight`.
#![expect(clippy::expect_used, reason = "whatever goes wrong ends it")]

use adapters_postgres::{PostgresOptions, PostgresStore};
use sql_common::testing::straight;

#[tokio::main]
async fn main() {
    let url = straight::setting("POSTHASTE_BENCH_DATABASE").parse();
    let store = PostgresStore::open(&url.expect("an URL"), &PostgresOptions::default())
        .await
        .expect("the database can be opened");
    store.migrate().await.expect("the schema can be made");
    straight::run(store).await;
}
