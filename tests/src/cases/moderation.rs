//! An operator's verdicts, by the command line.

use serde_json::{Value, json};

use crate::harness::{App, Store, fresh, minimal};

on_every_store! {
    an_operator_approves_what_waits,
    an_operator_rejects_with_a_reason,
    an_operators_approval_stands_for_what_was_approved,
    an_operators_rejection_stands,
    a_verdict_is_over_with_reopening,
    an_operator_features_and_no_longer,
    an_operator_cannot_judge_what_is_expired,
    what_is_not_there_cannot_be_moderated,
    a_posting_is_shown_on_the_command_line,
    awkward_identifiers_work_on_the_command_line,
}

fn last(posting: &Value) -> &Value {
    posting["history"].as_array().unwrap().last().unwrap()
}

async fn an_operator_approves_what_waits(store: Store) {
    let app = App::quiet(store);
    let id = fresh("approve");
    let uuid = app.put(&id, &minimal()).await.created();
    app.approve(&id);
    let posting = app.show(&id).await;
    assert_eq!(posting["status"], "approved");
    assert_eq!(
        (&last(&posting)["status"], &last(&posting)["by"]),
        (&json!("approved"), &json!("operator"))
    );
    assert_ne!(posting["published_at"], Value::Null);
    assert_ne!(posting["expire_at"], Value::Null);
    assert_eq!(
        app.events(uuid),
        ["JobPostingCreated", "JobPostingApproved"]
    );
    // Once more is nothing more.
    app.approve(&id);
    assert_eq!(app.show(&id).await, posting);
}

async fn an_operator_rejects_with_a_reason(store: Store) {
    let app = App::quiet(store);
    let id = fresh("reject");
    let uuid = app.put(&id, &minimal()).await.created();
    app.approve(&id);
    app.reject(&id, "Not a job, but an advertisement.");
    let posting = app.show(&id).await;
    assert_eq!(posting["status"], "rejected");
    assert_eq!(posting["status_reason"], "Not a job, but an advertisement.");
    assert_eq!(last(&posting)["reason"], posting["status_reason"]);
    assert_eq!(last(&posting)["by"], "operator");
    assert_eq!(
        app.events(uuid),
        [
            "JobPostingCreated",
            "JobPostingApproved",
            "JobPostingRejected"
        ]
    );
    // `published_at` is set once.
    let published = posting["published_at"].clone();
    app.approve(&id);
    let posting = app.show(&id).await;
    assert_eq!(
        (&posting["status"], &posting["published_at"]),
        (&json!("approved"), &published)
    );
    assert_eq!(posting["status_reason"], Value::Null);
}

async fn an_operators_approval_stands_for_what_was_approved(store: Store) {
    let app = App::shared(store);
    let id = fresh("stands");
    let mut payload = minimal();
    payload["raw_description"] = json!("test");
    app.put(&id, &payload).await.created();
    app.api.until(&id, "rejected").await;
    app.approve(&id);
    // Content like it that nobody approved.
    app.put(&id, &json!({"raw_description": "<p>asdf</p>"}))
        .await
        .updated();
    let posting = app.api.until(&id, "rejected").await;
    assert_eq!(last(&posting)["by"], "enricher");
    // What was approved comes back.
    app.put(&id, &json!({"raw_description": "test"}))
        .await
        .updated();
    let posting = app.api.until(&id, "approved").await;
    assert_eq!(posting["markdown_description"], "test");
}

async fn an_operators_rejection_stands(store: Store) {
    let app = App::shared(store);
    let id = fresh("stands");
    app.put(&id, &minimal()).await.created();
    app.api.until(&id, "approved").await;
    app.reject(&id, "Spam.");
    let before = app.show(&id).await;
    let patch = json!({"raw_description": "<p>A florist who binds wreaths and bouquets for weddings, \
        decorates halls, and advises customers in the shop.</p>"});
    app.put(&id, &patch).await.updated();
    let after = app
        .api
        .once(&id, "has the new text", |posting| {
            assert_eq!(posting["status"], "rejected");
            posting["markdown_description"]
                .as_str()
                .unwrap()
                .contains("florist")
        })
        .await;
    assert_eq!(after["history"], before["history"]);
    assert_eq!(after["status_reason"], "Spam.");
}

async fn a_verdict_is_over_with_reopening(store: Store) {
    let app = App::shared(store);
    let id = fresh("over");
    let mut payload = minimal();
    payload["raw_description"] = json!("test");
    app.put(&id, &payload).await.created();
    app.api.until(&id, "rejected").await;
    app.approve(&id);
    app.put(&id, &json!({"expiration": {}})).await.updated();
    app.put(&id, &json!({"expiration": null})).await.updated();
    let posting = app
        .api
        .once(&id, "is judged", |posting| {
            posting["status"] != "PendingEnrichment"
        })
        .await;
    assert_eq!(last(&posting)["by"], "enricher");
}

async fn an_operator_features_and_no_longer(store: Store) {
    let app = App::quiet(store);
    let id = fresh("feature");
    app.put(&id, &minimal()).await.created();
    app.run(&["postings", "feature", &id]).succeeded();
    let featured = app.show(&id).await;
    assert_eq!(
        (&featured["is_featured"], &featured["status"]),
        (&json!(true), &json!("PendingEnrichment"))
    );
    // A push leaves it.
    app.put(&id, &json!({"title": "Changed"})).await.updated();
    assert_eq!(app.show(&id).await["is_featured"], true);
    app.run(&["postings", "feature", &id, "--off"]).succeeded();
    assert_eq!(app.show(&id).await["is_featured"], false);
}

async fn an_operator_cannot_judge_what_is_expired(store: Store) {
    let app = App::quiet(store);
    let id = fresh("expired");
    app.put(&id, &minimal()).await.created();
    app.put(&id, &json!({"expiration": {}})).await.updated();
    let before = app.show(&id).await;
    let approve: &[&str] = &["postings", "approve", &id];
    let reject: &[&str] = &["postings", "reject", &id, "--reason", "no"];
    for command in [approve, reject] {
        let complaint = app.run(command).failed(1);
        assert!(complaint.contains("expired"), "{complaint}");
    }
    assert_eq!(app.show(&id).await, before);
}

async fn what_is_not_there_cannot_be_moderated(store: Store) {
    let app = App::quiet(store);
    let id = fresh("unknown");
    for command in [
        &["postings", "approve", &id][..],
        &["postings", "reject", &id, "--reason", "no"],
        &["postings", "feature", &id],
        &["postings", "show", &id],
    ] {
        let complaint = app.run(command).failed(1);
        assert!(
            complaint.contains("not found") || complaint.contains(&id),
            "{complaint}"
        );
    }
    // A rejection without a reason helps nobody.
    app.run(&["postings", "reject", &id]).failed(2);
    app.run(&["postings", "reject", &id, "--reason", " "])
        .failed(2);
}

async fn a_posting_is_shown_on_the_command_line(store: Store) {
    let app = App::quiet(store);
    let id = fresh("shown");
    let uuid = app.put(&id, &minimal()).await.created();
    app.reject(&id, "Because.");
    let json: Value =
        serde_json::from_str(&app.run(&["postings", "show", &id, "--json"]).succeeded()).unwrap();
    let posting = if json.get("data").is_some() {
        &json["data"]
    } else {
        &json
    };
    assert_eq!(posting["uuid"], json!(uuid));
    assert_eq!(posting["status_reason"], "Because.");
    let text = app.run(&["postings", "show", &id]).succeeded();
    for part in [id.as_str(), "rejected", "Because.", "Gardener"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let list = app
        .run(&["postings", "list", "--status", "rejected"])
        .succeeded();
    assert!(list.contains(&id), "{list}");
    let list = app
        .run(&["postings", "list", "--status", "approved"])
        .succeeded();
    assert!(!list.contains(&id), "{list}");
}

async fn awkward_identifiers_work_on_the_command_line(store: Store) {
    let app = App::quiet(store);
    for id in ["a/b?c 🦀", "%2F", "'\"\\"] {
        let id = format!("{id} {}", fresh("awkward"));
        app.put(&id, &minimal()).await.created();
        app.approve(&id);
        assert_eq!(app.show(&id).await["status"], "approved", "{id}");
    }
}
