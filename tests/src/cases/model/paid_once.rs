//! Equal content is paid for once, and the limit of concurrent calls holds.

use futures_util::future::join_all;
use serde_json::json;

use super::{Board, text, titled};
use crate::harness::{Server, Site, Store, outbox_is_empty};

on_every_store! {
    the_same_content_is_paid_for_once,
}

/// A server with further worker processes, if the store supports several processes.
fn crowded(store: Store, concurrency: &str) -> (Board, Vec<Server>) {
    let set_up = |site: Site| site.with("POSTHASTE_LLM_CONCURRENCY", concurrency);
    match store {
        Store::Sqlite => (Board::served_as(store, set_up, &[]), Vec::new()),
        Store::Postgres => {
            let board = Board::served_as(store, set_up, &["--no-worker"]);
            let workers = (0..2).map(|_| board.app.site.work()).collect();
            (board, workers)
        }
    }
}

async fn the_same_content_is_paid_for_once(store: Store) {
    let (board, _workers) = crowded(store, "8");
    let payload = titled("Gardener");
    board.chat.hold();
    let postings = join_all((0..40).map(|_| board.push(&payload))).await;
    board.under_way(1).await;
    board.chat.release();
    let mut texts = Vec::new();
    for id in &postings {
        texts.push(text(&board.approved(id).await).to_owned());
    }
    texts.dedup();
    assert_eq!(texts.len(), 1, "{texts:#?}");
    assert_eq!(board.chat.calls().len(), 1);

    // Pushing the same content again costs nothing, under the old identifiers and a new one.
    for id in &postings {
        board.app.put(id, &payload).await.updated();
    }
    let another = board.push(&payload).await;
    board.approved(&another).await;
    assert_eq!(board.chat.calls().len(), 1);
    outbox_is_empty(&board.app).await;

    // A field that the model does not see costs nothing; one letter that it sees costs a call.
    let mut paid = payload.clone();
    paid["salary_min"] = json!(31_000);
    let id = board.push(&paid).await;
    board.approved(&id).await;
    assert_eq!(board.chat.calls().len(), 1);
    let mut other = payload;
    other["title"] = json!("Gardeners");
    let id = board.push(&other).await;
    board.approved(&id).await;
    assert_eq!(board.chat.calls().len(), 2);
}
