use futures_util::future::join_all;
use serde_json::json;

use super::{Board, text, titled};
use crate::harness::{Site, Store};

on_postgres! {
    the_same_content_is_paid_for_once,
}

async fn the_same_content_is_paid_for_once(store: Store) {
    let set_up = |site: Site| site.with("POSTHASTE_LLM_CONCURRENCY", "8");
    let board = Board::served_as(store, set_up, &["--no-worker"]);
    let _workers = [board.app.site.work(), board.app.site.work()];
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
    board.app.settled().await;

    // A changed field that the model does not see costs nothing. A changed letter costs a call.
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
