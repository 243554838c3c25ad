//! That many workers may deliver at the same time.

use sql_common::testing::webhooks::workers_of_two_stores_share_endpoints;

use super::processes::two;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn workers_share_endpoints() {
    let (_dir, one, other) = two().await;
    workers_of_two_stores_share_endpoints(&one, &other).await;
}
