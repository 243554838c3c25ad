//! That many workers and owners may be there at the same time.

use sql_common::testing::webhooks::{
    registrations_at_two_stores_keep_the_limit, workers_of_two_stores_share_endpoints,
};

use super::processes::two;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn workers_share_endpoints() {
    let (_dir, one, other) = two().await;
    workers_of_two_stores_share_endpoints(&one, &other).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn registrations_at_the_same_time_keep_the_limit() {
    let (_dir, one, other) = two().await;
    registrations_at_two_stores_keep_the_limit(&one, &other).await;
}
