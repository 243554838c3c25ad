use serde_json::Value;

use super::{Board, steps, text, titled};
use crate::harness::{SETTLING, Store, chat::REJECTION, eventually};

on_sqlite! {
    a_judged_posting_is_shown_with_its_redactions,
    an_operator_retries_dead_tasks,
}

async fn a_judged_posting_is_shown_with_its_redactions(store: Store) {
    let board = Board::served(store);
    let id = board.push(&titled("Gardener (m/f/d)")).await;
    let posting = board.approved(&id).await;
    // The readable text is the posting's own, word for word.
    for part in ["a **gardener** who knows roses", "Thirty days of leave"] {
        assert!(text(&posting).contains(part), "{posting}");
    }
    assert_eq!(steps(&posting), ["PendingEnrichment", "approved"]);
    assert_eq!(posting["history"][1]["by"], "enricher");

    let id = board.push(&titled("SPAM")).await;
    let posting = board.app.api.until(&id, "rejected").await;
    // The reason combines the meaning of the code and the model's sentence.
    let reason = posting["status_reason"].as_str().unwrap();
    assert!(reason.starts_with("spam: "), "{reason}");
    assert!(reason.ends_with(REJECTION), "{reason}");
    assert_eq!(steps(&posting), ["PendingEnrichment", "rejected"]);
    assert_eq!(posting["published_at"], Value::Null);
    let titles = board.chat.calls().into_iter().map(|call| call.title);
    assert!(titles.eq(["Gardener (m/f/d)", "SPAM"]));
}

async fn an_operator_retries_dead_tasks(store: Store) {
    let board = Board::served(store);
    board.chat.talk_nonsense(true);
    let id = board.push(&titled("Gardener")).await;
    let dead = eventually("it is given up", SETTLING, || async {
        board.app.dead().pop()
    })
    .await;
    // The model gets feedback on a faulty answer once.
    let calls = board.chat.calls();
    let [first, second] = &calls[..] else {
        panic!("{calls:#?}");
    };
    assert!(second.messages.starts_with(&first.messages));
    assert!(second.messages.len() > first.messages.len());
    let posting = board.app.show(&id).await;
    assert_eq!(posting["status"], "PendingEnrichment");
    assert!(text(&posting).contains("gardener"), "{posting}");

    board.chat.talk_nonsense(false);
    let retry = ["outbox", "retry", &dead["id"].to_string()];
    board.app.run(&retry).succeeded();
    board.approved(&id).await;
    assert_eq!(board.app.dead(), Vec::<Value>::new());
}
