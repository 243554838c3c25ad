use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{
    Answer, SETTLING, Store, eventually,
    mailerlite::Account,
    newsletter::{Newsletter, event, person},
};

on_sqlite! {
    a_record_moves_to_another_address,
}

on_postgres! {
    an_erased_person_is_forgotten_and_gets_no_more_mail,
}

const BOTH: [Account; 2] = [Account::Old, Account::New];

async fn known(newsletter: &Newsletter) -> (String, Value) {
    let email = person();
    let record = newsletter.report(&email, &json!({"name": "Ada"})).await;
    newsletter.app.settled().await;
    (email, record)
}

async fn a_record_moves_to_another_address(store: Store) {
    let newsletter = Newsletter::working(store);
    let provider = &newsletter.provider;
    let (before, record) = known(&newsletter).await;
    let token = newsletter.token_of(&before);
    let after = person();
    let changed = newsletter
        .put(&after, &json!({"previous_email": before}))
        .await;
    assert_eq!(changed.status, 200, "{changed:#?}");
    let changed = changed.data();
    assert_eq!(
        (&changed["uuid"], &changed["name"]),
        (&record["uuid"], &json!("Ada"))
    );
    assert_eq!(changed["email"], json!(after));
    assert_eq!(newsletter.token_of(&after), token);
    assert_eq!(find(&newsletter, &before).await.status, 404);
    eventually("the old address is gone", SETTLING, || async {
        provider
            .subscriber(Account::Old, &before)
            .is_none()
            .then_some(())
    })
    .await;
    let there = provider.subscriber(Account::Old, &after).unwrap();
    assert_eq!(there["status"], "active");
    assert_eq!(there["fields"]["name"], "Ada");
}

async fn an_erased_person_is_forgotten_and_gets_no_more_mail(store: Store) {
    let newsletter = Newsletter::working(store);
    let (email, record) = known(&newsletter).await;
    newsletter
        .provider
        .add(Account::New, &json!({"email": email, "status": "active"}));
    let complaint = event("subscriber.spam_reported", &email, "junk");
    newsletter.deliver(&complaint).await;
    newsletter.app.settled().await;
    assert_eq!(erase(&newsletter, &email).await.status, 204);
    assert_eq!(find(&newsletter, &email).await.status, 404);
    let exported = newsletter.app.run(&["subscribers", "export"]).succeeded();
    assert!(!exported.contains(&email));
    is_forgotten(&newsletter, &email).await;

    let again = newsletter.put(&email, &json!({"name": "Ada"})).await;
    let found = again.json()["data"].clone();
    assert_eq!(again.status, 201);
    assert_eq!(found["status"], "spam_reported");
    assert_ne!(found["uuid"], record["uuid"]);
    newsletter.app.settled().await;
    for account in BOTH {
        let methods = newsletter.methods(account, &email);
        assert_ne!(
            methods.last().map(String::as_str),
            Some("POST"),
            "{account:?}"
        );
    }
}

async fn is_forgotten(newsletter: &Newsletter, email: &str) {
    newsletter.app.settled().await;
    for account in BOTH {
        let provider = &newsletter.provider;
        assert_eq!(provider.subscriber(account, email), None);
        let path = format!("{}/forget", provider.id(account, email));
        let calls = provider.calls(account);
        let is_asked = calls.iter().any(|call| call.path.ends_with(&path));
        assert!(is_asked || path == "/forget", "{account:?}");
    }
}

async fn find(newsletter: &Newsletter, email: &str) -> Answer {
    newsletter.app.api.get(&Newsletter::path(email)).await
}

async fn erase(newsletter: &Newsletter, email: &str) -> Answer {
    let api = &newsletter.app.api;
    let request = api.authorized(Method::DELETE, &Newsletter::path(email));
    api.send(request).await
}
