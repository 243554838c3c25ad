//! That imports by several processes may be there at the same time.

use sql_common::testing::catalogues::{
    imports_at_two_stores_keep_the_limit, of_imports_at_two_stores_one_gets_the_catalogue,
};

use super::processes::two;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_imports_at_the_same_time_one_gets_the_catalogue() {
    let (_dir, one, other) = two().await;
    of_imports_at_two_stores_one_gets_the_catalogue(&one, &other).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn imports_at_the_same_time_keep_the_limit() {
    let (_dir, one, other) = two().await;
    imports_at_two_stores_keep_the_limit(&one, &other).await;
}
