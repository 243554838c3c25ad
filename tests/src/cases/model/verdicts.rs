//! The effect of the model's judgement on a posting.

use serde_json::Value;

use super::{Board, steps, text, titled};
use crate::harness::{
    Store,
    chat::{KEY, MODEL, REJECTION},
};

on_every_store! {
    what_the_model_approves_is_shown_with_what_it_hides_and_a_place_of_ours,
    what_the_model_rejects_says_why,
}

async fn what_the_model_approves_is_shown_with_what_it_hides_and_a_place_of_ours(store: Store) {
    let board = Board::served(store);
    let id = board.push(&titled("Gardener (m/f/d)")).await;
    let posting = board.approved(&id).await;
    for part in ["Permanent contract", "Thirty days of leave"] {
        assert!(text(&posting).contains(part), "{posting}");
    }
    // The readable text is the posting's own, word for word.
    assert!(
        text(&posting).contains("a **gardener** who knows roses"),
        "{posting}"
    );
    let place = |key: &str| posting[key].as_f64().unwrap();
    let (latitude, longitude) = (place("latitude"), place("longitude"));
    assert!(
        (latitude - 52.5).abs() < 0.5 && (longitude - 13.4).abs() < 0.5,
        "{posting}"
    );
    assert_eq!(steps(&posting), ["PendingEnrichment", "approved"]);
    assert_eq!(posting["history"][1]["by"], "enricher");
    assert_eq!(posting["history"][1]["at"], posting["published_at"]);

    let calls = board.chat.calls();
    assert_eq!(calls.len(), 1, "{calls:#?}");
    assert_eq!(calls[0].path, "/v1/chat/completions");
    assert_eq!(calls[0].authorization, Some(format!("Bearer {KEY}")));
    assert_eq!(calls[0].body["model"], MODEL);
    assert_eq!(calls[0].title.as_deref(), Some("Gardener (m/f/d)"));
}

async fn what_the_model_rejects_says_why(store: Store) {
    let board = Board::served(store);
    for (title, code) in [
        ("SPAM", "spam"),
        ("A COURSE", "not_a_job"),
        ("FRAUD", "fraud"),
        ("ILLEGAL", "illegal"),
    ] {
        let id = board.push(&titled(title)).await;
        let posting = board.app.api.until(&id, "rejected").await;
        let reason = posting["status_reason"].as_str().unwrap();
        let sentence = reason.strip_prefix(&format!("{code}: ")).unwrap();
        // The reason has the meaning of the code, and the model's sentence.
        assert!(sentence.ends_with(REJECTION), "{reason}");
        assert!(sentence.len() > REJECTION.len() + 20, "{reason}");
        assert_eq!(steps(&posting), ["PendingEnrichment", "rejected"]);
        assert_eq!(posting["history"][1]["reason"], reason);
        assert_eq!(posting["history"][1]["by"], "enricher");
        assert_eq!(posting["published_at"], Value::Null);
        let printed = board.app.run(&["postings", "show", &id]).succeeded();
        assert!(printed.contains(code), "{printed}");
    }
    assert_eq!(board.chat.calls().len(), 4);
}
