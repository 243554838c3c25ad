use newsletter::subscriber::provider::{Cursor, Inspection, Listed, Webhook};
use wiremock::matchers::{path, query_param};

use super::*;

fn page(people: &[Value], next: &Value) -> Value {
    json!({
        "data": people,
        "links": {"first": null, "last": null, "prev": null, "next": null},
        "meta": {"path": "x", "per_page": 100, "next_cursor": next, "prev_cursor": null},
    })
}

#[tokio::test]
async fn a_list_is_read_by_pages_of_a_hundred() {
    let rosa = person("31", "active")["data"].clone();
    let first = page(&[rosa], &json!("eyJ=&?"));
    let (provider, server) = answering(ResponseTemplate::new(200).set_body_json(first)).await;
    let page = provider.page(Account::New, None).await.unwrap();
    let listed = Listed {
        email: email("rosa@garden.example"),
        found: found("31", ProviderStatus::Active),
    };
    assert_eq!(page.people, [listed]);
    assert_eq!(page.odd, [""; 0]);
    let next = page.next.unwrap();
    assert_eq!(next, Cursor("eyJ=&?".to_owned()));

    _ = provider.page(Account::New, Some(&next)).await;
    let queries: Vec<Vec<_>> = server
        .received_requests()
        .await
        .unwrap()
        .iter()
        .map(|request| request.url.query_pairs().into_owned().collect())
        .collect();
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let limit = pair("limit", "100");
    let expect = [vec![limit.clone()], vec![limit, pair("cursor", "eyJ=&?")]];
    assert_eq!(queries, expect);
}

#[tokio::test]
async fn unreadable_entries_are_reported_without_an_address() {
    let one = |id, status| person(id, status)["data"].clone();
    let mut people = [
        one("1", "active"),
        one("2", "complained"),
        one("3", "active"),
        one("", "active"),
    ];
    people[2]["email"] = json!("nobody@@garden");
    let body = page(&people, &Value::Null);
    let (provider, _server) = answering(ResponseTemplate::new(200).set_body_json(body)).await;
    let page = provider.page(Account::New, None).await.unwrap();
    assert_eq!((page.people.len(), page.next, page.odd.len()), (1, None, 3));
    let odd = page.odd.join("\n");
    assert!(
        odd.contains("\"complained\" is not a known status"),
        "{odd}"
    );
    assert!(!odd.contains('@'), "{odd}");
}

#[tokio::test]
async fn a_page_is_the_last_only_if_it_says_so() {
    for body in [
        json!({"data": []}),
        json!({"data": [], "meta": {}}),
        json!({"data": [], "meta": {"next_cursor": 7}}),
        json!({"meta": {"next_cursor": null}}),
        // A list whose next page is the same page would never end.
        page(&[], &json!("here")),
    ] {
        let (provider, _server) = answering(ResponseTemplate::new(200).set_body_json(&body)).await;
        let here = Cursor("here".to_owned());
        let read = provider.page(Account::New, Some(&here)).await;
        assert!(
            matches!(read, Err(ProviderError::Permanent(_))),
            "{body}: {read:?}"
        );
    }
}

#[tokio::test]
async fn an_account_is_inspected() {
    let server = MockServer::start().await;
    let webhooks = json!([
        {"url": "https://a.example", "events": ["subscriber.bounced"], "enabled": true},
        {"url": "https://b.example", "events": [], "enabled": true, "is_blocked": true},
    ]);
    let lists = [
        (
            "fields",
            1,
            json!([{"key": "name", "type": "text"}]),
            json!("…page=2"),
        ),
        (
            "fields",
            2,
            json!([{"key": "until", "type": "date"}]),
            Value::Null,
        ),
        ("groups", 1, json!([{"id": 4711}]), Value::Null),
        ("webhooks", 1, webhooks, Value::Null),
    ];
    for (what, number, data, next) in lists {
        let list = json!({"data": data, "links": {"next": next}});
        Mock::given(path(format!("/{what}")))
            .and(query_param("page", number.to_string()))
            .respond_with(ResponseTemplate::new(200).set_body_json(list))
            .mount(&server)
            .await;
    }
    let total = ResponseTemplate::new(200)
        .set_body_json(json!({"total": 400_000}))
        .insert_header("X-RateLimit-Limit", "60")
        .insert_header("X-RateLimit-Remaining", "59");
    Mock::given(path("/subscribers"))
        .and(query_param("limit", "0"))
        .respond_with(total)
        .mount(&server)
        .await;
    let fields = [("name", "text"), ("until", "date")];
    let webhook = |url: &str, events: &[&str], is_enabled| Webhook {
        url: url.to_owned(),
        events: events.iter().map(ToString::to_string).collect(),
        is_enabled,
    };
    let expect = Inspection {
        fields: fields
            .map(|(key, kind)| (key.to_owned(), kind.to_owned()))
            .into(),
        has_group: Some(true),
        webhooks: vec![
            webhook("https://a.example", &["subscriber.bounced"], true),
            webhook("https://b.example", &[], false),
        ],
        requests_per_minute: Some(60),
        people: Some(400_000),
    };
    let found = provider(&server.uri()).inspect(Account::New).await;
    assert_eq!(found, Ok(expect));
}
