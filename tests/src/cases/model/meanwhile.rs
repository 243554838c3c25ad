//! Changes of a posting while the model works on it.

use serde_json::json;

use super::{Board, is_by_rules, steps, titled};
use crate::harness::{Store, fresh};

on_sqlite! {
    a_verdict_that_comes_while_the_model_thinks_stands,
    an_outcome_is_for_the_newest_content,
}

async fn a_verdict_that_comes_while_the_model_thinks_stands(store: Store) {
    let board = Board::served(store);
    for (title, status) in [("Gardener", "rejected"), ("SPAM", "approved")] {
        board.chat.hold();
        let id = fresh("judged");
        let uuid = board.app.put(&id, &titled(title)).await.created();
        board.under_way(1).await;
        match status {
            "rejected" => board.app.reject(&id, "Not here."),
            _ => board.app.approve(&id),
        }
        let before = board.app.show(&id).await;
        assert_eq!(before["status"], status);
        board.chat.release();
        board.settled(uuid).await;
        let after = board.app.show(&id).await;
        assert_eq!(after["status"], status, "{after}");
        // A rejection needs no texts any more. What the model rejects has those of the rules.
        assert_eq!(is_by_rules(&after), status == "approved", "{after}");
        assert_eq!(after["history"], before["history"]);
        assert_eq!(after["status_reason"], before["status_reason"]);
    }
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
        // The result for the old content was discarded.
        assert_eq!(steps(&posting), ["PendingEnrichment", status], "{posting}");
        let calls = &board.chat.calls()[before..];
        let titles: Vec<_> = calls.iter().filter_map(|call| call.title.clone()).collect();
        assert_eq!(titles, [first, second]);
    }
    board.nothing_is_dead();
}
