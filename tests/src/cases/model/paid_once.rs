//! Equal content is paid for once, and the limit of concurrent calls holds.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{Board, is_of_the_model, text, titled};
use crate::harness::{
    SETTLING, Server, Site, Store,
    chat::{Fault, Slip},
    eventually, fresh,
};

on_every_store! {
    the_same_content_is_paid_for_once,
}

on_sqlite! {
    content_that_comes_back_is_not_paid_for_again,
    what_was_of_no_use_is_paid_for_again,
    another_model_is_asked_anew,
    no_more_calls_are_under_way_than_allowed,
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
    board.nothing_is_dead();
    assert_eq!(board.waiting(), Vec::<Value>::new());

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

async fn content_that_comes_back_is_not_paid_for_again(store: Store) {
    let (board, _workers) = crowded(store, "8");
    let first = titled("Gardener");
    let mut second = first.clone();
    second["raw_description"] = json!(
        "<p>Now we are looking for a <em>florist</em> who binds wreaths and bouquets for weddings, \
         decorates halls, and advises customers in the shop.</p>"
    );
    let id = board.push(&first).await;
    board.approved(&id).await;
    for (payload, words) in [
        (&second, "a florist"),
        (&first, "a gardener"),
        (&second, "a florist"),
        (&first, "a gardener"),
    ] {
        let florist = |posting: &Value| text(posting).replace(['*', '_'], "").contains(words);
        board.app.put(&id, payload).await.updated();
        board.app.api.once(&id, words, florist).await;
    }
    assert_eq!(board.chat.calls().len(), 2);
    assert!(is_of_the_model(&board.app.show(&id).await));
}

async fn what_was_of_no_use_is_paid_for_again(store: Store) {
    let (board, _workers) = crowded(store, "2");
    let title = fresh("Gardener");
    let payload = titled(&title);
    board.chat.fail_for(&title, 2, Fault::Say(Slip::NoJson));
    let id = board.push(&payload).await;
    board.given_up(&id).await;
    assert_eq!(board.chat.calls().len(), 2);
    // The bad answer was not cached; the good one is.
    for _ in 0..2 {
        let id = board.push(&payload).await;
        board.approved(&id).await;
        assert_eq!(board.chat.calls().len(), 3);
    }
}

async fn another_model_is_asked_anew(store: Store) {
    let board = Board::served_as(store, |site| site, &["--no-worker"]);
    let payload = titled("Gardener");
    let worker = board.app.site.work();
    let id = board.push(&payload).await;
    board.approved(&id).await;
    worker.terminate();
    worker.stopped();
    let other = board
        .app
        .site
        .beside()
        .with("POSTHASTE_LLM_MODEL", "stand-in-2");
    let _worker = other.work();
    board.push(&payload).await;
    eventually("it is asked", SETTLING, || async {
        let calls = board.chat.calls();
        let last = calls.last().unwrap();
        (last.body["model"] == "stand-in-2").then_some(())
    })
    .await;
}

async fn no_more_calls_are_under_way_than_allowed(store: Store) {
    const AT_ONCE: usize = 3;
    let concurrency = AT_ONCE.to_string();
    let set_up = |site: Site| site.with("POSTHASTE_LLM_CONCURRENCY", &concurrency);
    let board = Board::served_as(store, set_up, &[]);
    board.chat.hold();
    let payloads: Vec<Value> = (0..60).map(|_| titled("Gardener")).collect();
    let postings = join_all(payloads.iter().map(|payload| board.push(payload))).await;
    board.under_way(AT_ONCE).await;
    board.chat.slow(Duration::from_millis(20));
    board.chat.release();
    for id in &postings {
        board.approved(id).await;
    }
    assert_eq!(board.chat.most_under_way(), AT_ONCE);
    assert_eq!(board.chat.calls().len(), postings.len());
    board.nothing_is_dead();
}
