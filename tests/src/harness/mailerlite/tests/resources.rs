//! Batches, fields, webhooks and pages.

use reqwest::Method;
use serde_json::{Value, json};

use super::{
    super::{Account, MailerLite},
    Client, id,
};

#[tokio::test]
async fn a_batch_succeeds_even_if_its_parts_do_not() {
    let provider = MailerLite::start();
    let client = Client::new(&provider, Account::Old);
    let requests = json!({"requests": [
        {"method": "POST", "path": "api/subscribers", "body": {"email": "a@x.example"}},
        {"method": "get", "path": "api/subscribers/a@x.example"},
        {"method": "GET", "path": "api/campaigns/list"},
    ]});
    let (status, answer) = client.ask(Method::POST, "batch", requests).await;
    assert_eq!(status, 200);
    let counts = ["total", "successful", "failed"].map(|key| answer[key].clone());
    assert_eq!(counts, [3, 2, 1]);
    assert_eq!(answer["responses"][0]["code"], 201);
    assert_eq!(
        answer["responses"][1]["body"]["data"]["email"],
        "a@x.example"
    );
    let missing = json!({"message": "The route api/campaigns/list could not be found."});
    assert_eq!(
        answer["responses"][2],
        json!({"code": 404, "body": missing})
    );

    // A batch of only upserts is an import, with a low limit.
    let upserts = json!({"requests": [
        {"method": "POST", "path": "api/subscribers", "body": {"email": "b@x.example"}},
    ]});
    for _ in 0..5 {
        let (status, _) = client.ask(Method::POST, "batch", upserts.clone()).await;
        assert_eq!(status, 200);
    }
    let limited = json!({"message": "You're being rate limited on import creation."});
    let answer = client.ask(Method::POST, "batch", upserts).await;
    assert_eq!(answer, (429, limited));

    let part = json!({"method": "GET", "path": "api/groups"});
    for (parts, expect) in [(50, 200), (51, 422)] {
        let requests = json!({"requests": vec![part.clone(); parts]});
        assert_eq!(client.ask(Method::POST, "batch", requests).await.0, expect);
    }
}

#[tokio::test]
async fn fields_webhooks_and_pages() {
    let provider = MailerLite::start();
    let client = Client::new(&provider, Account::Old);
    let field = json!({"name": "Shoe size", "type": "number"});
    let (status, field) = client.ask(Method::POST, "fields", field).await;
    assert_eq!((status, &field["data"]["key"]), (201, &json!("shoe_size")));
    let path = format!("fields/{}", id(&field));
    let renamed = client
        .ask(Method::PUT, &path, json!({"name": "Size"}))
        .await;
    assert_eq!(renamed.1["data"]["name"], "Size");
    let (_, page) = client.get("fields?limit=5&page=3&sort=name").await;
    assert_eq!(page["data"].as_array().unwrap().len(), 2);
    assert_eq!(page["meta"]["total"], 12);
    assert_eq!(page["links"]["next"], Value::Null);
    assert_eq!(client.ask(Method::DELETE, &path, Value::Null).await.0, 204);
    let (status, gone) = client.ask(Method::DELETE, &path, Value::Null).await;
    assert_eq!(status, 404);
    assert!(
        gone["message"]
            .as_str()
            .unwrap()
            .contains("App\\Models\\Field] ")
    );

    let webhook =
        json!({"events": ["subscriber.bounced"], "url": "https://h.example", "name": "W"});
    let (status, webhook) = client.ask(Method::POST, "webhooks", webhook).await;
    assert_eq!((status, &webhook["data"]["enabled"]), (201, &json!(true)));
    let path = format!("webhooks/{}", id(&webhook));
    let (_, changed) = client
        .ask(Method::PUT, &path, json!({"enabled": false}))
        .await;
    assert_eq!(changed["data"]["enabled"], false);
    assert_eq!(client.get(&path).await.1, changed);
    assert_eq!(client.get("webhooks").await.1["data"][0], changed["data"]);
    assert_eq!(client.ask(Method::DELETE, &path, Value::Null).await.0, 204);
    assert_eq!(client.get(&path).await.0, 404);

    let group = provider.group(Account::Old);
    let path = format!("groups/{group}");
    let renamed = client
        .ask(Method::PUT, &path, json!({"name": "Hello"}))
        .await;
    assert_eq!(renamed.1["data"]["name"], "Hello");
    assert_eq!(client.get("groups").await.1["data"][0]["name"], "Hello");
    assert_eq!(client.ask(Method::DELETE, &path, Value::Null).await.0, 204);
    assert_eq!(client.get(&format!("{path}/subscribers")).await.0, 404);

    for n in 0..5 {
        provider.add(Account::Old, &json!({"email": format!("{n}@x.example")}));
    }
    let gone = provider.id(Account::Old, "0@x.example");
    let mut path = "subscribers?limit=2".to_owned();
    let mut seen = Vec::new();
    loop {
        let (_, page) = client.get(&path).await;
        let emails = page["data"].as_array().unwrap().iter();
        seen.extend(emails.map(|one| one["email"].as_str().unwrap().to_owned()));
        // Removals during the walk do not shift the pages.
        let path_of_gone = format!("subscribers/{gone}");
        client.ask(Method::DELETE, &path_of_gone, Value::Null).await;
        let Some(cursor) = page["meta"]["next_cursor"].as_str() else {
            break;
        };
        path = format!("subscribers?limit=2&cursor={cursor}");
    }
    assert_eq!(
        seen,
        (0..5).map(|n| format!("{n}@x.example")).collect::<Vec<_>>()
    );
    assert_eq!(
        client.get("subscribers?limit=0").await.1,
        json!({"total": 4})
    );
    provider.set_status(Account::Old, "4@x.example", "unconfirmed");
    let (_, filtered) = client
        .get("subscribers?filter[status]=unconfirmed&limit=100")
        .await;
    assert_eq!(filtered["data"][0]["email"], "4@x.example");
    assert_eq!(filtered["data"].as_array().unwrap().len(), 1);
    let (_, one) = client.get("subscribers/3@x.example").await;
    let path = format!("subscribers/{}/forget", id(&one));
    let (status, forgotten) = client.ask(Method::POST, &path, Value::Null).await;
    assert_eq!(status, 200);
    assert!(forgotten["data"]["deleted_at"].is_string(), "{forgotten}");
    assert_eq!(provider.count(Account::Old), 3);
}
