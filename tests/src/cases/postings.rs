use serde_json::json;

use crate::harness::{Api, App, Store, complete, fresh};

on_every_store! {
    a_posting_is_created_read_and_unchanged_by_the_same_push,
}

async fn a_posting_is_created_read_and_unchanged_by_the_same_push(store: Store) {
    const METADATA: &str = r#"{"z":1.50,"a":12345678901234567890123,"e":1e2,"é":"\u00e9 🦀"}"#;
    let app = App::quiet(store);
    let id = fresh("../a/b?c 🦀 é%2F '\"\\");
    let mut sent = complete();
    sent["metadata"] = json!("here");
    let body = sent.to_string().replace(r#""here""#, METADATA);
    let uuid = app.api.put_text(&id, body.clone()).await.created();

    let answer = app.api.get(&Api::path(&id)).await;
    let metadata = format!(r#""metadata":{METADATA}"#);
    assert!(answer.body.contains(&metadata), "{}", answer.body);
    let posting = answer.data();
    sent["metadata"] = posting["metadata"].clone();
    let company = sent["company"].take();
    for (field, value) in company.as_object().unwrap() {
        assert_eq!(&posting["company"][field], value, "company.{field}");
    }
    for (field, value) in sent.as_object().unwrap() {
        assert!(field == "company" || &posting[field] == value, "{field}");
    }
    assert_eq!(posting["uuid"], json!(uuid));
    assert_eq!(posting["unique_source_identifier"], json!(id));
    assert_eq!(posting["status"], "PendingEnrichment");
    let by = format!("client:{}", app.client.id);
    let at = &posting["created_at"];
    let history = json!([{"status": "PendingEnrichment", "at": at, "reason": null, "by": by}]);
    assert_eq!(posting["history"], history);
    assert_eq!(app.outbox(uuid), ["enrich"]);
    app.until_events(uuid, &["JobPostingCreated"]).await;

    assert_eq!(app.api.put_text(&id, body).await.updated(), uuid);
    assert_eq!(app.show(&id).await, posting);
    assert_eq!(app.outbox(uuid), ["enrich"]);
    assert_eq!(app.events(uuid).await, ["JobPostingCreated"]);
}
