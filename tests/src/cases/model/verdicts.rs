//! What the model's judgement does to a posting.

use serde_json::{Value, json};

use super::{Board, is_of_the_model, steps, text, titled};
use crate::harness::{
    App, Site, Store,
    chat::{Chat, KEY, MODEL, REJECTION},
    fresh,
};

on_every_store! {
    what_the_model_approves_is_shown_with_its_text_and_a_place_of_ours,
    what_the_model_rejects_says_why,
    a_rejection_is_over_once_the_model_approves,
    what_says_nothing_is_rejected_without_asking_the_model,
    changed_content_is_judged_anew_while_the_old_stays_visible,
    a_model_of_ones_own_needs_no_key,
}

async fn what_the_model_approves_is_shown_with_its_text_and_a_place_of_ours(store: Store) {
    let board = Board::served(store);
    let id = board.push(&titled("Gardener (m/f/d)")).await;
    let posting = board.approved(&id).await;
    for part in ["Permanent contract", "Thirty days of leave"] {
        assert!(text(&posting).contains(part), "{posting}");
    }
    let redacted = posting["markdown_redacted_description"].as_str().unwrap();
    assert!(
        redacted.contains("a gardener who knows roses"),
        "{redacted}"
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
        // What the code means, and what the model says about this posting.
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

async fn a_rejection_is_over_once_the_model_approves(store: Store) {
    let board = Board::served(store);
    let id = board.push(&titled("SPAM")).await;
    board.app.api.until(&id, "rejected").await;
    let patch = json!({"title": "Gardener"});
    board.app.put(&id, &patch).await.updated();
    let posting = board.approved(&id).await;
    let expect = ["PendingEnrichment", "rejected", "approved"];
    assert_eq!(steps(&posting), expect);
    board
        .app
        .put(&id, &json!({"title": "SPAM, again"}))
        .await
        .updated();
    let rejected = board.app.api.until(&id, "rejected").await;
    assert_eq!(rejected["published_at"], posting["published_at"]);
}

async fn what_says_nothing_is_rejected_without_asking_the_model(store: Store) {
    let board = Board::served(store);
    for description in ["<p></p><br>", "<script>alert(1)</script>", "test"] {
        let mut payload = titled("Gardener");
        payload["raw_description"] = json!(description);
        let id = board.push(&payload).await;
        let posting = board.app.api.until(&id, "rejected").await;
        let reason = posting["status_reason"].as_str().unwrap();
        assert!(
            reason.starts_with("no_content: ") || reason.starts_with("test_posting: "),
            "{reason}"
        );
    }
    assert_eq!(board.chat.calls().len(), 0);
}

async fn changed_content_is_judged_anew_while_the_old_stays_visible(store: Store) {
    let board = Board::served(store);
    let id = board.push(&titled("Gardener")).await;
    let before = board.approved(&id).await;
    board.chat.hold();
    let patch = json!({
        "raw_description": "<p>Now we are looking for a <em>florist</em> who binds wreaths and \
            bouquets for weddings, decorates halls, and advises customers in the shop.</p>",
        "location_city": "Hamburg",
    });
    board.app.put(&id, &patch).await.updated();
    board.under_way(1).await;
    let posting = board.app.show(&id).await;
    assert_eq!(posting["status"], "approved");
    assert!(is_of_the_model(&posting), "{posting}");
    board.chat.release();
    let after = board
        .app
        .api
        .once(&id, "has the new text", |posting| {
            assert_eq!(posting["status"], "approved");
            text(posting).contains("florist")
        })
        .await;
    assert!(
        (after["latitude"].as_f64().unwrap() - 53.55).abs() < 0.5,
        "{after}"
    );
    assert_eq!(after["published_at"], before["published_at"]);
    assert_eq!(after["history"], before["history"]);
    assert_eq!(board.chat.calls().len(), 2);
    // What the model does not read is none of its business.
    board
        .app
        .put(&id, &json!({"salary_min": 31_000}))
        .await
        .updated();
    let another = fresh("another");
    board.app.put(&another, &titled("Another")).await.created();
    board.approved(&another).await;
    assert_eq!(board.chat.calls().len(), 3);
}

async fn a_model_of_ones_own_needs_no_key(store: Store) {
    let chat = Chat::start();
    chat.open();
    let site = Site::new(store)
        .with("POSTHASTE_ENRICHER", "llm")
        .with("POSTHASTE_LLM_MODEL", MODEL);
    // With or without a slash at the end, as people write it, and with what some want to be asked.
    for (base, path) in [
        ("", "/v1/chat/completions"),
        ("/", "/v1/chat/completions"),
        ("?api-version=1", "/v1/chat/completions?api-version=1"),
    ] {
        let url = format!("{}{base}", chat.url());
        let site = site.beside().with("POSTHASTE_LLM_BASE_URL", &url);
        let server = site.serve(&[]);
        let app = App::at(site);
        let id = fresh("own");
        app.put(&id, &titled("Gardener")).await.created();
        assert!(is_of_the_model(&app.api.until(&id, "approved").await));
        let call = chat.calls().pop().unwrap();
        assert_eq!((call.path.as_str(), call.authorization), (path, None));
        server.terminate();
        server.stopped();
    }
    assert_eq!(chat.calls().len(), 3);
}
