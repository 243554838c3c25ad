use futures_util::future::join_all;
use serde_json::Value;

use super::{Board, titled};
use crate::{cases::durability::was_approved_once, harness::Store};

on_postgres! {
    the_calls_of_a_killed_worker_are_repeated_by_another,
}

const AT_ONCE: usize = 4;

async fn the_calls_of_a_killed_worker_are_repeated_by_another(store: Store) {
    let board = Board::served_as(store, |site| site, &["--no-worker"]);
    board.chat.hold();
    let payloads: Vec<Value> = (0..12).map(|_| titled("Gardener")).collect();
    let postings = join_all(payloads.iter().map(|payload| board.push(payload))).await;
    // A worker that stops does not wait for a model that hangs.
    let stops = board.app.site.work();
    board.under_way(AT_ONCE).await;
    stops.terminate();
    assert_eq!(stops.stopped().code(), Some(0), "{}", board.app.site.log());
    board.under_way(0).await;
    let dies = board.app.site.work();
    board.under_way(AT_ONCE).await;
    dies.kill();
    board.under_way(0).await;
    board.chat.release();
    let _other = board.app.site.work();
    board.app.settled().await;
    for id in &postings {
        was_approved_once(&board.app, id).await;
    }
    // Only calls that were in progress are repeated.
    let calls = board.chat.calls();
    assert_eq!(calls.len(), postings.len() + 2 * AT_ONCE, "{calls:#?}");
    let answered = calls.iter().filter(|call| call.is_answered);
    assert_eq!(answered.count(), postings.len(), "{calls:#?}");
}
