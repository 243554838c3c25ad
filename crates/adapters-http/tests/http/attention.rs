use kernel::{
    AttentionItem, Prefixes,
    attention::{AttentionCheck, AttentionList as _, StoredAttention},
    testing::{item, noon},
};
use serde_json::{Value, json};

use crate::support::TestApp;

const ATTENTION: &str = "/api/job-board/attention";

#[tokio::test]
async fn a_client_sees_its_items_and_their_events() {
    let (app, all) = TestApp::with_writer().await;
    let fenced = |client: &mut access::Client| {
        client.prefixes = Prefixes::new(&["acme-"]).unwrap();
    };
    let (id, token) = app.client(fenced).await;
    let own = AttentionItem {
        client: Some(id),
        ..item(1)
    };
    let none = StoredAttention::default();
    let check = AttentionCheck::new(&none, vec![own.clone(), item(2)], noon());
    app.backend.store.record_check(&check).await.unwrap();

    let found = app.get(&token, ATTENTION).await;
    assert_eq!(found.status, 200);
    let found = found.json();
    let link = found["data"][0]["link"].as_str().unwrap();
    assert!(
        link.ends_with(&format!("/integration{}", own.page)),
        "{link}"
    );
    let expect = json!({
        "kind": "catalogue_held", "subject": own.subject, "client_id": id.to_string(),
        "since": "2026-03-01T12:00:00.123456Z", "sentence": own.sentence, "link": link,
    });
    assert_eq!(found["data"], json!([expect]));
    let events = app.get(&token, "/api/job-board/events").await.json();
    let of_type = |event: &Value| (event["type"].clone(), event["data"].clone());
    let events: Vec<_> = events["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(of_type)
        .collect();
    assert_eq!(events, [(json!("AttentionRaised"), expect)]);
    let seen = app.get(&all, ATTENTION).await.json();
    assert_eq!(seen["data"].as_array().map(Vec::len), Some(2));
}
