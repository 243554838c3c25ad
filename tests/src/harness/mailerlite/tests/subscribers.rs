//! Upserts, groups and statuses of people.

use reqwest::Method;
use serde_json::{Value, json};

use super::{
    super::{Account, MailerLite, OnSuppressed},
    Client, id,
};

#[tokio::test]
async fn an_upsert_creates_and_then_updates_what_it_names() {
    let provider = MailerLite::start();
    let client = Client::new(&provider, Account::Old);
    let (status, created) = client
        .upsert(json!({"email": "Rosa@Garden.Example", "fields": {"name": "Rosa", "city": "Graz"}}))
        .await;
    assert_eq!(status, 201);
    assert_eq!(created["data"]["email"], "rosa@garden.example");
    assert_eq!(created["data"]["status"], "active");
    assert_eq!(created["data"]["fields"]["country"], Value::Null);

    let (status, updated) = client
        .upsert(json!({"email": "rosa@garden.example", "fields": {
            "name": null, "membership_expire_at": "2027-01-09", "unheard": "of",
        }}))
        .await;
    assert_eq!(status, 200);
    assert_eq!(id(&updated), id(&created));
    let fields = &updated["data"]["fields"];
    assert_eq!(fields["name"], Value::Null);
    assert_eq!(fields["city"], "Graz");
    assert_eq!(fields["membership_expire_at"], "2027-01-09");
    assert_eq!(fields.get("unheard"), None);

    for key in ["ROSA%40garden.example", "rosa@garden.example", id(&created)] {
        let (status, got) = client.get(&format!("subscribers/{key}")).await;
        assert_eq!((status, &got), (200, &updated), "{key}");
    }
    let shown = provider.subscriber(Account::Old, "Rosa@garden.example");
    assert_eq!(shown.as_ref(), Some(&updated["data"]));
    assert_eq!(
        provider.subscriber(Account::New, "rosa@garden.example"),
        None
    );
}

#[tokio::test]
async fn whoever_was_deleted_comes_back_with_the_same_id() {
    let provider = MailerLite::start();
    let client = Client::new(&provider, Account::New);
    let group = provider.group(Account::New);
    let body = json!({"email": "a@x.example", "groups": [group]});
    let (_, created) = client.upsert(body.clone()).await;
    let path = format!("subscribers/{}", id(&created));
    assert_eq!(client.ask(Method::DELETE, &path, Value::Null).await.0, 204);
    assert_eq!(provider.subscriber(Account::New, "a@x.example"), None);
    assert_eq!(provider.count(Account::New), 0);
    let missing =
        json!({"message": "No query results for model [App\\Models\\Subscriber\\Subscriber]."});
    for method in [Method::GET, Method::DELETE, Method::PUT] {
        let answer = client.ask(method, &path, json!({})).await;
        assert_eq!(answer, (404, missing.clone()));
    }
    // A person cannot be deleted by address.
    client.upsert(json!({"email": "b@x.example"})).await;
    let deleted = client.ask(Method::DELETE, "subscribers/b@x.example", Value::Null);
    assert_eq!(deleted.await.0, 404);

    let (status, back) = client.upsert(json!({"email": "a@x.example"})).await;
    assert_eq!(status, 200);
    assert_eq!(id(&back), id(&created));
    assert_eq!(back["data"]["groups"], json!([]));
    assert_eq!(back["data"]["created_at"], created["data"]["created_at"]);
    // The automation does not start a second time.
    client.upsert(body).await;
    assert_eq!(provider.automation_starts("A@x.example"), 1);
}

#[tokio::test]
async fn groups_are_joined_left_and_replaced() {
    let provider = MailerLite::start();
    let client = Client::new(&provider, Account::New);
    let (first, second) = (provider.group(Account::New), {
        let (status, group) = client
            .ask(Method::POST, "groups", json!({"name": "Second"}))
            .await;
        assert_eq!(status, 201);
        id(&group).to_owned()
    });
    let (_, one) = client
        .upsert(json!({"email": "a@x.example", "groups": [first]}))
        .await;
    assert_eq!(one["data"]["groups"][0]["id"], *first);
    let path = format!("subscribers/{}", id(&one));
    let groups = || {
        let one = provider.subscriber(Account::New, "a@x.example").unwrap();
        let groups = one["groups"].as_array().unwrap().iter();
        groups
            .map(|group| group["id"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };

    let assign = format!("{path}/groups/{second}");
    let (status, group) = client.ask(Method::POST, &assign, Value::Null).await;
    assert_eq!((status, id(&group)), (200, &*second));
    assert_eq!(groups(), [first.clone(), second.clone()]);
    // An upsert adds groups, and removes none.
    client
        .upsert(json!({"email": "a@x.example", "groups": [second.parse::<u64>().unwrap()]}))
        .await;
    client
        .upsert(json!({"email": "a@x.example", "groups": []}))
        .await;
    assert_eq!(groups(), [first.clone(), second.clone()]);
    let (_, listed) = client.get(&format!("groups/{first}/subscribers")).await;
    assert_eq!(listed["data"][0]["id"], one["data"]["id"]);

    // A `PUT` replaces the groups.
    let body = json!({"groups": [second]});
    assert_eq!(client.ask(Method::PUT, &path, body).await.0, 200);
    assert_eq!(groups(), [second]);
    assert_eq!(
        client.ask(Method::DELETE, &assign, Value::Null).await.0,
        204
    );
    assert_eq!(groups(), [""; 0]);
    assert_eq!(provider.automation_starts("a@x.example"), 2);

    let unknown = client
        .upsert(json!({"email": "a@x.example", "groups": ["7"]}))
        .await;
    assert_eq!(unknown.0, 422);
    assert!(unknown.1["errors"]["groups.0"].is_array(), "{unknown:?}");
}

#[tokio::test]
async fn nobody_suppressed_is_made_active_by_accident() {
    let provider = MailerLite::start();
    let client = Client::new(&provider, Account::New);
    provider.add(Account::New, &json!({"email": "a@x.example"}));
    assert_eq!(provider.calls(Account::New).len(), 0);
    provider.set_status(Account::New, "a@x.example", "unsubscribed");
    let group = provider.group(Account::New);
    let body = json!({
        "email": "a@x.example", "status": "active", "groups": [group], "fields": {"name": "A"},
    });

    let (status, refused) = client.upsert(body.clone()).await;
    assert_eq!(status, 422);
    let text = "This subscriber is unsubscribed and cannot be imported";
    assert_eq!(refused["errors"], json!({"email": [text]}));
    let one = provider.subscriber(Account::New, "a@x.example").unwrap();
    assert_eq!(refused["subscriber"], one["id"]);
    assert_eq!(one["fields"]["name"], Value::Null);

    provider.on_suppressed(Account::New, OnSuppressed::Keep);
    let (status, kept) = client.upsert(body.clone()).await;
    assert_eq!(status, 200);
    assert_eq!(kept["data"]["status"], "unsubscribed");
    assert_eq!(kept["data"]["fields"]["name"], "A");
    assert_eq!(provider.automation_starts("a@x.example"), 0);

    let mut body = body;
    body["resubscribe"] = json!(true);
    assert_eq!(client.upsert(body).await.1["data"]["status"], "active");
    assert_eq!(provider.automation_starts("a@x.example"), 1);
}

#[tokio::test]
async fn a_status_is_set_by_id_and_only_one_that_there_is() {
    let provider = MailerLite::start();
    let client = Client::new(&provider, Account::New);
    provider.add(Account::New, &json!({"email": "a@x.example"}));
    let path = format!("subscribers/{}", provider.id(Account::New, "a@x.example"));
    for status in ["unsubscribed", "unconfirmed", "junk", "bounced"] {
        let (code, one) = client
            .ask(Method::PUT, &path, json!({"status": status}))
            .await;
        assert_eq!((code, &one["data"]["status"]), (200, &json!(status)));
    }
    let (code, _) = client
        .ask(Method::PUT, &path, json!({"status": "gone"}))
        .await;
    assert_eq!(code, 422);
}

#[tokio::test]
async fn what_is_wrong_with_a_body_is_said_by_field() {
    let provider = MailerLite::start();
    let client = Client::new(&provider, Account::Old);
    for (body, field) in [
        (json!({}), "email"),
        (json!({"email": 5}), "email"),
        (json!({"email": "nobody"}), "email"),
        (json!({"email": "a@x.example", "status": "happy"}), "status"),
        (
            json!({"email": "a@x.example", "fields": {"membership_expire_at": "9.1.2027"}}),
            "fields.membership_expire_at",
        ),
    ] {
        let (status, answer) = client.upsert(body).await;
        assert_eq!(status, 422);
        assert_eq!(answer["message"], "The given data was invalid.");
        assert!(answer["errors"][field].is_array(), "{field}: {answer}");
    }
    assert_eq!(provider.count(Account::Old), 0);
}
