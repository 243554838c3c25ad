//! Reading one posting.

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::{Value, json};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use crate::harness::{Answer, Api, App, Store, VIEW_KEYS, complete, fresh, minimal};

on_every_store! {
    a_posting_has_exactly_the_keys_of_the_contract,
    what_is_not_there_is_404_to_the_letter,
    times_are_rfc_3339_in_order,
    head_is_get_without_a_body,
}

fn keys(object: &Value) -> BTreeSet<&str> {
    object
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

async fn a_posting_has_exactly_the_keys_of_the_contract(store: Store) {
    let app = App::quiet(store);
    for payload in [minimal(), complete()] {
        let id = fresh("keys");
        app.put(&id, &payload).await.created();
        let body = app.api.get(&Api::path(&id)).await.json();
        assert_eq!(keys(&body), BTreeSet::from(["data"]));
        let posting = &body["data"];
        assert_eq!(keys(posting), BTreeSet::from(VIEW_KEYS));
        let company = BTreeSet::from(["uuid", "name", "website_url", "logo_path"]);
        assert_eq!(keys(&posting["company"]), company);
        for entry in posting["history"].as_array().unwrap() {
            assert_eq!(
                keys(entry),
                BTreeSet::from(["status", "at", "reason", "by"])
            );
        }
    }
}

async fn what_is_not_there_is_404_to_the_letter(store: Store) {
    let app = App::quiet(store);
    let not_found = json!({"message": "Job posting not found."});
    for id in [
        fresh("unknown"),
        "🦀".to_owned() + &fresh(""),
        "a/b?c ".to_owned(),
    ] {
        app.api
            .get(&Api::path(&id))
            .await
            .is_exactly(404, &not_found);
    }
}

async fn times_are_rfc_3339_in_order(store: Store) {
    let app = App::quiet(store);
    let time = |value: &Value| OffsetDateTime::parse(value.as_str().unwrap(), &Rfc3339).unwrap();
    let id = fresh("times");
    let before = OffsetDateTime::now_utc();
    app.put(&id, &minimal()).await.created();
    let created = app.show(&id).await;
    app.put(&id, &json!({"expiration": {}})).await.updated();
    let expired = app.show(&id).await;
    let after = OffsetDateTime::now_utc();

    assert!(before - time(&created["created_at"]) < time::Duration::milliseconds(1));
    assert_eq!(created["created_at"], created["updated_at"]);
    assert_eq!(created["created_at"], expired["created_at"]);
    assert!(time(&expired["updated_at"]) > time(&created["updated_at"]));
    assert!(time(&expired["expired_at"]) <= after);
    let steps: Vec<_> = expired["history"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| time(&step["at"]))
        .collect();
    assert!(steps.is_sorted(), "{steps:?}");
}

async fn head_is_get_without_a_body(store: Store) {
    let app = App::quiet(store);
    let id = fresh("head");
    app.put(&id, &minimal()).await.created();
    for (path, status) in [(Api::path(&id), 200), (Api::path("unknown"), 404)] {
        let response = app
            .api
            .authorized(Method::HEAD, &path)
            .send()
            .await
            .unwrap();
        let answer = Answer::of(response).await;
        assert_eq!((answer.status, answer.body.as_str()), (status, ""));
    }
}
