//! What happens to a posting while the model thinks about it.

use serde_json::{Value, json};

use super::{Board, is_of_the_model, steps, titled};
use crate::harness::{SETTLING, Store, eventually, fresh};

on_every_store! {
    an_operators_approval_is_for_one_content,
    a_verdict_that_comes_while_the_model_thinks_stands,
    what_expires_meanwhile_stays_expired,
    an_outcome_is_for_the_newest_content,
    what_is_expired_and_reopened_meanwhile_is_judged,
}

async fn an_operators_approval_is_for_one_content(store: Store) {
    let board = Board::served(store);
    let id = board.push(&titled("SPAM")).await;
    board.app.api.until(&id, "rejected").await;
    board.app.approve(&id);
    let patch = json!({
        "raw_description": "<p>Now we are looking for a <strong>florist</strong> who binds \
            wreaths and bouquets for weddings, decorates halls, and advises customers.</p>",
    });
    board.app.put(&id, &patch).await.updated();
    let posting = board.app.api.until(&id, "rejected").await;
    assert_eq!(steps(&posting).last(), Some(&"rejected"));
    assert_eq!(board.chat.calls().len(), 2);
}

async fn a_verdict_that_comes_while_the_model_thinks_stands(store: Store) {
    let board = Board::served(store);
    for (title, status) in [("Gardener", "rejected"), ("SPAM", "approved")] {
        board.chat.hold();
        let id = board.push(&titled(title)).await;
        board.under_way(1).await;
        match status {
            "rejected" => board.app.reject(&id, "Not here."),
            _ => board.app.approve(&id),
        }
        let before = board.app.show(&id).await;
        assert_eq!(before["status"], status);
        board.chat.release();
        let after = board
            .app
            .api
            .once(&id, "has the model's text", |posting| {
                assert_eq!(posting["status"], status, "{posting}");
                is_of_the_model(posting)
            })
            .await;
        assert_eq!(after["history"], before["history"]);
        assert_eq!(after["status_reason"], before["status_reason"]);
    }
}

async fn what_expires_meanwhile_stays_expired(store: Store) {
    let board = Board::served(store);
    board.chat.hold();
    let id = fresh("expires");
    let uuid = board.app.put(&id, &titled("Gardener")).await.created();
    board.under_way(1).await;
    let expire = json!({"expiration": {"reason": "filled"}});
    board.app.put(&id, &expire).await.updated();
    board.chat.release();
    board.settled(uuid).await;
    let posting = board.app.show(&id).await;
    assert_eq!(steps(&posting), ["PendingEnrichment", "expired"]);
    assert_eq!(posting["status"], "expired");
    assert_eq!(posting["published_at"], Value::Null);
    assert_eq!(board.chat.calls().len(), 1);
    board.nothing_is_dead();
}

async fn an_outcome_is_for_the_newest_content(store: Store) {
    let board = Board::served(store);
    for (first, second, status) in [
        ("Gardener", "SPAM", "rejected"),
        ("SPAM", "Gardener", "approved"),
    ] {
        let before = board.chat.calls().len();
        board.chat.hold();
        let id = fresh("changes");
        let uuid = board.app.put(&id, &titled(first)).await.created();
        board.under_way(1).await;
        board
            .app
            .put(&id, &json!({"title": second}))
            .await
            .updated();
        board.chat.release();
        board.app.api.until(&id, status).await;
        board.settled(uuid).await;
        let posting = board.app.show(&id).await;
        // What was thought of the old content came to nothing.
        assert_eq!(steps(&posting), ["PendingEnrichment", status], "{posting}");
        let calls = &board.chat.calls()[before..];
        let titles: Vec<_> = calls.iter().filter_map(|call| call.title.clone()).collect();
        assert_eq!(titles, [first, second]);
    }
    board.nothing_is_dead();
}

async fn what_is_expired_and_reopened_meanwhile_is_judged(store: Store) {
    let board = Board::served(store);
    board.chat.hold();
    let id = fresh("reopens");
    board.app.put(&id, &titled("Gardener")).await.created();
    board.under_way(1).await;
    for expiration in [json!({}), Value::Null] {
        let patch = json!({ "expiration": expiration });
        board.app.put(&id, &patch).await.updated();
    }
    board.chat.release();
    let posting = board.approved(&id).await;
    let expect = [
        "PendingEnrichment",
        "expired",
        "PendingEnrichment",
        "approved",
    ];
    assert_eq!(steps(&posting), expect);
    eventually("nothing waits", SETTLING, || async {
        board.waiting().is_empty().then_some(())
    })
    .await;
    assert_eq!(board.chat.calls().len(), 1);
}
