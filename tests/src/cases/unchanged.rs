//! A push that changes nothing writes nothing.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::harness::{App, Store, complete, fresh};

on_every_store! {
    the_same_push_again_writes_nothing,
    a_patch_of_nothing_writes_nothing,
    what_means_the_same_writes_nothing,
    an_unchanged_push_writes_nothing_whatever_the_status,
    a_change_to_and_fro_is_two_changes,
}

/// A posting before and after a push: all that a reader sees, and what waits in the outbox.
async fn state(app: &App, id: &str, uuid: Uuid) -> (Value, Vec<String>) {
    (app.show(id).await, app.outbox(uuid))
}

async fn the_same_push_again_writes_nothing(store: Store) {
    let app = App::quiet(store);
    let (id, payload) = (fresh("same"), complete());
    let uuid = app.put(&id, &payload).await.created();
    let before = state(&app, &id, uuid).await;
    for _ in 0..3 {
        assert_eq!(app.put(&id, &payload).await.updated(), uuid);
    }
    assert_eq!(state(&app, &id, uuid).await, before);
}

async fn a_patch_of_nothing_writes_nothing(store: Store) {
    let app = App::quiet(store);
    let id = fresh("nothing");
    let uuid = app.put(&id, &complete()).await.created();
    let before = state(&app, &id, uuid).await;
    for patch in [
        json!({}),
        json!({"company": {}}),
        json!({"expiration": null}),
        json!({"new": 1}),
    ] {
        assert_eq!(app.put(&id, &patch).await.updated(), uuid);
        assert_eq!(state(&app, &id, uuid).await, before, "{patch}");
    }
}

async fn what_means_the_same_writes_nothing(store: Store) {
    let app = App::quiet(store);
    let (id, payload) = (fresh("meaning"), complete());
    let uuid = app.put(&id, &payload).await.created();
    let before = state(&app, &id, uuid).await;
    let website = payload["company"]["website_url"].as_str().unwrap();
    for patch in [
        json!({"title": " Gardener (m/f/d)\n"}),
        json!({"location_country_code": "de", "salary_currency_code": "eur"}),
        json!({"employment_types": ["part-time", "full-time", "part-time"]}),
        json!({"expiration_reason": null}),
        json!({"expiration_reason": " "}),
        json!({"company": {"website_url": format!("{}/#jobs", website.to_uppercase())}}),
    ] {
        app.put(&id, &patch).await.updated();
        assert_eq!(state(&app, &id, uuid).await, before, "{patch}");
    }
}

async fn an_unchanged_push_writes_nothing_whatever_the_status(store: Store) {
    let app = App::quiet(store);
    for status in ["approved", "rejected", "expired"] {
        let (id, payload) = (fresh("status"), complete());
        let uuid = app.put(&id, &payload).await.created();
        match status {
            "approved" => app.approve(&id),
            "rejected" => app.reject(&id, "no"),
            _ => {
                app.put(&id, &json!({"expiration": {}})).await.updated();
            }
        }
        let before = state(&app, &id, uuid).await;
        assert_eq!(before.0["status"], status);
        app.put(&id, &payload).await.updated();
        assert_eq!(state(&app, &id, uuid).await, before);
    }
}

async fn a_change_to_and_fro_is_two_changes(store: Store) {
    let app = App::quiet(store);
    let id = fresh("to-and-fro");
    let uuid = app.put(&id, &complete()).await.created();
    for city in ["Wien", "Berlin"] {
        let before = app.show(&id).await;
        app.put(&id, &json!({"location_city": city}))
            .await
            .updated();
        let after = app.show(&id).await;
        assert_ne!(after["updated_at"], before["updated_at"]);
        assert_eq!(after["history"], before["history"]);
    }
    assert_eq!(
        app.events(uuid),
        [
            "JobPostingCreated",
            "JobPostingUpdated",
            "JobPostingUpdated"
        ]
    );
}
