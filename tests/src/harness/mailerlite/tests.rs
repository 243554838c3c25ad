//! Tests the stand-in against the documented and observed behaviour of the provider.

use std::time::{Duration, Instant};

use reqwest::{Method, Response, StatusCode};
use serde_json::{Value, json};

use super::{Account, Fault, MailerLite, OnSuppressed, account::AccountData};

/// A client of the stand-in.
struct Client<'a> {
    http: reqwest::Client,
    provider: &'a MailerLite,
    key: &'a str,
}

impl<'a> Client<'a> {
    fn new(provider: &'a MailerLite, account: Account) -> Self {
        // Only the first call in a process has an effect.
        let _ = rustls::crypto::ring::default_provider().install_default();
        Self {
            http: reqwest::Client::builder().no_proxy().build().unwrap(),
            provider,
            key: account.key(),
        }
    }

    async fn send(&self, method: Method, path: &str, body: &Value) -> reqwest::Result<Response> {
        let url = format!("{}/{path}", self.provider.url());
        let request = self.http.request(method, url).bearer_auth(self.key);
        request.json(body).send().await
    }

    async fn ask(&self, method: Method, path: &str, body: Value) -> (u16, Value) {
        let response = self.send(method, path, &body).await.unwrap();
        let status = response.status().as_u16();
        let body = response.bytes().await.unwrap();
        (status, serde_json::from_slice(&body).unwrap_or_default())
    }

    async fn upsert(&self, body: Value) -> (u16, Value) {
        self.ask(Method::POST, "subscribers", body).await
    }

    async fn get(&self, path: &str) -> (u16, Value) {
        self.ask(Method::GET, path, Value::Null).await
    }
}

fn id(answer: &Value) -> &str {
    answer["data"]["id"].as_str().unwrap()
}

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

#[tokio::test]
async fn an_account_takes_so_many_requests_a_minute() {
    let provider = MailerLite::start();
    provider.limit(Account::Old, 2);
    let client = Client::new(&provider, Account::Old);
    for remaining in ["1", "0"] {
        let response = client
            .send(Method::GET, "groups", &Value::Null)
            .await
            .unwrap();
        assert_eq!(response.headers()["x-ratelimit-limit"], "2");
        assert_eq!(response.headers()["x-ratelimit-remaining"], remaining);
    }
    let response = client
        .send(Method::GET, "groups", &Value::Null)
        .await
        .unwrap();
    assert_eq!(response.status(), StatusCode::TOO_MANY_REQUESTS);
    let seconds: u64 = response.headers()["retry-after"]
        .to_str()
        .unwrap()
        .parse()
        .unwrap();
    assert!((1..=60).contains(&seconds), "{seconds}");
    let body: Value = response.json().await.unwrap();
    assert_eq!(body, json!({"message": "Too Many Attempts."}));
    // The other account has its own limit.
    let other = Client::new(&provider, Account::New);
    assert_eq!(other.get("groups").await.0, 200);
    assert_eq!(provider.busiest_minute(Account::Old), 3);
    assert_eq!(provider.busiest_minute(Account::New), 1);
}

#[test]
fn the_minute_slides() {
    let mut data = AccountData::new("", 0);
    data.limit = 2;
    let start = Instant::now();
    let mut admit = |seconds| data.admit(start + Duration::from_secs(seconds));
    assert_eq!(admit(0), Ok(()));
    assert_eq!(admit(40), Ok(()));
    assert_eq!(admit(50), Err(11));
    // Refused requests do not count.
    assert_eq!(admit(60), Ok(()));
    assert_eq!(admit(99), Err(2));
    assert_eq!(admit(100), Ok(()));
}

#[tokio::test]
async fn strangers_are_turned_away() {
    let provider = MailerLite::start();
    let mut client = Client::new(&provider, Account::Old);
    client.key = "wrong";
    let answer = client.get("subscribers").await;
    assert_eq!(answer, (401, json!({"message": "Unauthenticated."})));
    assert_eq!(provider.calls(Account::Old).len(), 0);
    assert_eq!(provider.every_call()[0].account, None);
}

#[tokio::test]
async fn requests_are_remembered_as_they_came() {
    let provider = MailerLite::start();
    let start = Instant::now();
    let client = Client::new(&provider, Account::New);
    let body = json!({"email": "A@x.example"});
    client.upsert(body.clone()).await;
    client.get("subscribers/a%40x.example?x=1").await;
    let calls = provider.calls(Account::New);
    assert_eq!(calls.len(), 2);
    assert_eq!(calls[0].method, "POST");
    assert_eq!(calls[0].path, "/api/subscribers");
    assert_eq!(calls[0].body, body);
    assert_eq!(calls[0].status, Some(201));
    assert_eq!(calls[1].path, "/api/subscribers/a%40x.example?x=1");
    assert_eq!(calls[1].body, Value::Null);
    assert!(start <= calls[0].at && calls[0].at <= calls[1].at);
}

#[tokio::test]
async fn the_next_requests_fail_as_told() {
    let provider = MailerLite::start();
    let client = Client::new(&provider, Account::Old);
    let body = json!({"email": "a@x.example"});
    provider.fail(Account::Old, 2, Fault::Answer(500, None));
    provider.fail(Account::Old, 1, Fault::Answer(429, Some(7)));
    provider.fail(Account::Old, 1, Fault::Close);
    for status in [500, 500] {
        assert_eq!(client.upsert(body.clone()).await.0, status);
    }
    let busy = client
        .send(Method::POST, "subscribers", &body)
        .await
        .unwrap();
    assert_eq!(busy.status(), 429);
    assert_eq!(busy.headers()["retry-after"], "7");
    assert!(
        client
            .send(Method::POST, "subscribers", &body)
            .await
            .is_err()
    );
    assert_eq!(provider.count(Account::Old), 0);

    provider.fail(Account::Old, 1, Fault::LoseAnswer);
    assert!(
        client
            .send(Method::POST, "subscribers", &body)
            .await
            .is_err()
    );
    assert_eq!(provider.count(Account::Old), 1);
    assert_eq!(client.upsert(body).await.0, 200);
    let statuses: Vec<_> = provider
        .calls(Account::Old)
        .iter()
        .map(|call| call.status)
        .collect();
    let expect = [Some(500), Some(500), Some(429), None, None, Some(200)];
    assert_eq!(statuses, expect);
}

#[tokio::test]
async fn others_may_answer_in_the_provider_s_place() {
    let provider = MailerLite::start();
    let client = Client::new(&provider, Account::Old);
    provider.fail(Account::Old, 1, Fault::Page(404));
    let page = client
        .send(Method::GET, "groups", &Value::Null)
        .await
        .unwrap();
    assert_eq!(page.status(), 404);
    assert_eq!(page.headers()["content-type"], "text/html");
    assert!(page.text().await.unwrap().starts_with("<html>"));
    let words = r#"{"message":"Not found."}"#;
    provider.fail(Account::Old, 1, Fault::Words(404, words));
    let answer = client.get("groups").await;
    assert_eq!(answer, (404, json!({"message": "Not found."})));
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
async fn a_fault_may_wait_for_a_method() {
    let provider = MailerLite::start();
    let client = Client::new(&provider, Account::Old);
    provider.fail_on(Account::Old, "POST", 1, Fault::Answer(500, None));
    provider.fail(Account::Old, 1, Fault::Answer(503, None));
    assert_eq!(client.get("groups").await.0, 503);
    assert_eq!(client.get("groups").await.0, 200);
    let body = json!({"email": "a@x.example"});
    assert_eq!(client.upsert(body.clone()).await.0, 500);
    assert_eq!(provider.id(Account::Old, "a@x.example"), "");
    assert_eq!(client.upsert(body).await.0, 201);
    assert_ne!(provider.id(Account::Old, "A@x.example"), "");
}

#[tokio::test]
async fn what_is_done_may_not_be_answered() {
    let provider = MailerLite::start();
    let client = Client::new(&provider, Account::Old);
    provider.fail(Account::Old, 1, Fault::WithholdAnswer);
    tokio::select! {
        answer = client.upsert(json!({"email": "a@x.example"})) => panic!("{answer:?}"),
        () = async {
            while provider.count(Account::Old) == 0 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        } => {}
    }
    assert_eq!(provider.calls(Account::Old)[0].status, None);
}

#[tokio::test]
async fn a_request_may_hang() {
    let provider = MailerLite::start();
    let client = Client::new(&provider, Account::Old);
    provider.fail(Account::Old, 1, Fault::Hang);
    let hanging = client.send(Method::GET, "groups", &Value::Null);
    tokio::select! {
        answer = hanging => panic!("{answer:?}"),
        () = async {
            while provider.calls(Account::Old).is_empty() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            // Other requests are answered meanwhile.
            assert_eq!(client.get("groups").await.0, 200);
        } => {}
    }
}

#[tokio::test]
async fn an_outage_lasts_until_it_is_over() {
    let provider = MailerLite::start();
    let client = Client::new(&provider, Account::Old);
    provider.outage(Some(Fault::Answer(503, None)));
    for _ in 0..3 {
        assert_eq!(client.get("groups").await.0, 503);
    }
    provider.outage(Some(Fault::Close));
    let refused = client.send(Method::GET, "groups", &Value::Null).await;
    assert!(refused.is_err());
    provider.outage(None);
    assert_eq!(client.get("groups").await.0, 200);
}
