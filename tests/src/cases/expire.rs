//! Taking a posting down, and opening it again.

use serde_json::{Value, json};

use crate::harness::{App, Store, fresh, minimal};

on_every_store! {
    expiring_what_is_not_there_is_404_to_the_letter,
    an_open_posting_expires_with_one_event,
    the_reason_in_the_expiration_wins,
    an_earlier_expiration_reason_is_the_reason_without_a_new_one,
    expiring_again_is_no_event_and_keeps_the_first_reason,
    a_rejected_posting_cannot_expire_to_the_letter,
    fields_sent_along_are_applied_in_the_same_commit,
    create_rules_do_not_apply_to_an_expiration,
    an_expiration_with_broken_fields_expires_nothing,
    null_reopens_an_expired_posting,
    what_was_reopened_expires_again,
    fields_sent_along_with_reopening_are_applied,
    an_expiration_is_an_object,
}

async fn expiring_what_is_not_there_is_404_to_the_letter(store: Store) {
    let app = App::quiet(store);
    let not_found = json!({"message": "Job posting not found."});
    for payload in [
        json!({"expiration": {}}),
        json!({"expiration": {"reason": "filled"}}),
        // Not even when it could be created.
        {
            let mut payload = minimal();
            payload["expiration"] = json!({});
            payload
        },
    ] {
        let id = fresh("nothing");
        app.put(&id, &payload).await.is_exactly(404, &not_found);
        assert!(!app.api.exists(&id).await);
    }
}

async fn an_open_posting_expires_with_one_event(store: Store) {
    let app = App::quiet(store);
    for from in ["PendingEnrichment", "approved"] {
        let id = fresh("expires");
        let uuid = app.put(&id, &minimal()).await.created();
        if from == "approved" {
            app.approve(&id);
        }
        let push = json!({"expiration": {"reason": "The job is filled."}});
        assert_eq!(app.put(&id, &push).await.updated(), uuid);

        let posting = app.show(&id).await;
        assert_eq!(posting["status"], "expired");
        assert_eq!(posting["expiration_reason"], "The job is filled.");
        assert_eq!(posting["status_reason"], "The job is filled.");
        assert_ne!(posting["expired_at"], Value::Null);
        let last = posting["history"].as_array().unwrap().last().unwrap();
        assert_eq!(last["status"], "expired");
        assert_eq!(last["by"], format!("client:{}", app.client_id));
        let events = app.events(uuid);
        let expired = events
            .iter()
            .filter(|&name| name == "JobPostingExpired")
            .count();
        assert_eq!(expired, 1, "{from}: {events:?}");
    }
}

async fn the_reason_in_the_expiration_wins(store: Store) {
    let app = App::quiet(store);
    let id = fresh("reason");
    app.put(&id, &minimal()).await.created();
    let push = json!({"expiration_reason": "loses", "expiration": {"reason": "wins"}});
    app.put(&id, &push).await.updated();
    assert_eq!(app.show(&id).await["expiration_reason"], "wins");
}

async fn an_earlier_expiration_reason_is_the_reason_without_a_new_one(store: Store) {
    let app = App::quiet(store);
    let id = fresh("reason");
    app.put(&id, &minimal()).await.created();
    app.put(&id, &json!({"expiration_reason": "set before"}))
        .await
        .updated();
    app.put(&id, &json!({"expiration": {}})).await.updated();
    let posting = app.show(&id).await;
    assert_eq!(posting["expiration_reason"], "set before");
    assert_eq!(posting["status"], "expired");
}

async fn expiring_again_is_no_event_and_keeps_the_first_reason(store: Store) {
    let app = App::quiet(store);
    let id = fresh("again");
    let uuid = app.put(&id, &minimal()).await.created();
    app.put(&id, &json!({"expiration": {"reason": "first"}}))
        .await
        .updated();
    let (before, events) = (app.show(&id).await, app.events(uuid));

    for same in [
        json!({}),
        json!({"reason": null}),
        json!({"reason": "first"}),
    ] {
        app.put(&id, &json!({"expiration": same})).await.updated();
        assert_eq!(app.show(&id).await, before, "{same}");
    }
    app.put(&id, &json!({"expiration": {"reason": "second"}}))
        .await
        .updated();
    let after = app.show(&id).await;
    assert_eq!(after["expiration_reason"], "second");
    assert_eq!(after["status"], "expired");
    assert_eq!(after["expired_at"], before["expired_at"]);
    assert_eq!(app.events(uuid), events);
}

async fn a_rejected_posting_cannot_expire_to_the_letter(store: Store) {
    let app = App::quiet(store);
    let id = fresh("rejected");
    let uuid = app.put(&id, &minimal()).await.created();
    app.reject(&id, "Not a job.");
    let (before, events) = (app.show(&id).await, app.events(uuid));
    let push = json!({"title": "Changed", "expiration": {"reason": "filled"}});
    app.put(&id, &push).await.is_exactly(
        422,
        &json!({"message": "Invalid JobPosting state transition from rejected to expired."}),
    );
    assert_eq!(app.show(&id).await, before);
    assert_eq!(app.events(uuid), events);
}

async fn fields_sent_along_are_applied_in_the_same_commit(store: Store) {
    let app = App::quiet(store);
    let id = fresh("along");
    let uuid = app.put(&id, &minimal()).await.created();
    let push = json!({
        "title": "Gardener (filled)",
        "company": {"logo_path": "logos/new.png"},
        "expiration": {"reason": "filled"},
    });
    app.put(&id, &push).await.updated();
    let posting = app.show(&id).await;
    assert_eq!(posting["title"], "Gardener (filled)");
    assert_eq!(posting["company"]["logo_path"], "logos/new.png");
    assert_eq!(posting["status"], "expired");
    assert_eq!(posting["updated_at"], posting["expired_at"]);
    assert_eq!(app.events(uuid).last().unwrap(), "JobPostingExpired");
}

async fn create_rules_do_not_apply_to_an_expiration(store: Store) {
    let app = App::quiet(store);
    let id = fresh("subset");
    app.put(&id, &minimal()).await.created();
    app.put(&id, &json!({"company": {}, "expiration": {}}))
        .await
        .updated();
    assert_eq!(app.show(&id).await["status"], "expired");
}

async fn an_expiration_with_broken_fields_expires_nothing(store: Store) {
    let app = App::quiet(store);
    let id = fresh("broken");
    app.put(&id, &minimal()).await.created();
    let before = app.show(&id).await;
    let long = "x".repeat(256);
    for (push, fields) in [
        (json!({"title": 5, "expiration": {}}), vec!["title"]),
        (
            json!({"latitude": null, "expiration": {}}),
            vec!["latitude"],
        ),
        (
            json!({"expiration": {"reason": long}}),
            vec!["expiration.reason"],
        ),
        (
            json!({"expiration": {"reason": 5}}),
            vec!["expiration.reason"],
        ),
        (
            json!({"salary_min": 2, "salary_max": 1, "expiration": {}}),
            vec!["salary_max"],
        ),
    ] {
        app.put(&id, &push).await.refused(&fields);
        assert_eq!(app.show(&id).await, before, "{push}");
    }
}

async fn null_reopens_an_expired_posting(store: Store) {
    let app = App::quiet(store);
    let id = fresh("reopen");
    let uuid = app.put(&id, &minimal()).await.created();
    app.put(&id, &json!({"expiration": {"reason": "too early"}}))
        .await
        .updated();
    assert_eq!(
        app.put(&id, &json!({"expiration": null})).await.updated(),
        uuid
    );

    let posting = app.show(&id).await;
    assert_eq!(posting["status"], "PendingEnrichment");
    assert_eq!(posting["expired_at"], Value::Null);
    assert_eq!(posting["expiration_reason"], Value::Null);
    assert_eq!(posting["status_reason"], Value::Null);
    let last = posting["history"].as_array().unwrap().last().unwrap();
    assert_eq!(last["status"], "PendingEnrichment");
    assert_eq!(last["by"], format!("client:{}", app.client_id));
    assert_eq!(
        app.events(uuid),
        [
            "JobPostingCreated",
            "JobPostingExpired",
            "JobPostingReopened"
        ]
    );
    assert!(app.outbox(uuid).contains(&"enrich".to_owned()));

    // A second time there is nothing to reopen.
    app.put(&id, &json!({"expiration": null})).await.updated();
    assert_eq!(app.show(&id).await, posting);
}

async fn what_was_reopened_expires_again(store: Store) {
    let app = App::quiet(store);
    let id = fresh("cycle");
    let uuid = app.put(&id, &minimal()).await.created();
    for _ in 0..3 {
        app.put(&id, &json!({"expiration": {}})).await.updated();
        app.put(&id, &json!({"expiration": null})).await.updated();
    }
    let events = app.events(uuid);
    let count = |wanted: &str| events.iter().filter(|&name| name == wanted).count();
    assert_eq!(
        (count("JobPostingExpired"), count("JobPostingReopened")),
        (3, 3),
        "{events:?}"
    );
    assert_eq!(app.show(&id).await["history"].as_array().unwrap().len(), 7);
}

async fn fields_sent_along_with_reopening_are_applied(store: Store) {
    let app = App::quiet(store);
    let id = fresh("reopen");
    app.put(&id, &minimal()).await.created();
    app.put(&id, &json!({"expiration": {}})).await.updated();
    let refused = json!({"expiration": null, "title": ""});
    app.put(&id, &refused).await.refused(&["title"]);
    assert_eq!(app.show(&id).await["status"], "expired");
    app.put(&id, &json!({"expiration": null, "title": "Once more"}))
        .await
        .updated();
    let posting = app.show(&id).await;
    assert_eq!(posting["title"], "Once more");
    assert_eq!(posting["status"], "PendingEnrichment");
}

async fn an_expiration_is_an_object(store: Store) {
    let app = App::quiet(store);
    let id = fresh("object");
    app.put(&id, &minimal()).await.created();
    for wrong in [json!(true), json!("filled"), json!(["filled"]), json!(1)] {
        app.put(&id, &json!({"expiration": wrong}))
            .await
            .refused(&["expiration"]);
        assert_eq!(
            app.show(&id).await["status"],
            "PendingEnrichment",
            "{wrong}"
        );
    }
}
