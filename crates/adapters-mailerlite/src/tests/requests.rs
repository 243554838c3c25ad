use time::macros::datetime;

use super::*;

/// The method, path with query, and body of each request of a call. Answers have this status.
async fn sent<T>(status: &str, call: impl AsyncFnOnce(&MailerLite) -> T) -> (T, Vec<Value>) {
    let answer = ResponseTemplate::new(200).set_body_json(person("31", status));
    let (provider, server) = answering(answer).await;
    let done = call(&provider).await;
    let requests = server.received_requests().await.unwrap();
    let line = |request: &Request| {
        let path = &request.url[url::Position::BeforePath..];
        let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        json!([request.method.as_str(), path, body])
    };
    (done, requests.iter().map(line).collect())
}

/// Fields without a known value are cleared.
#[tokio::test]
async fn an_upsert_or_update_sends_the_six_fields_and_nothing_else() {
    let bare = Profile {
        fields: Fields {
            membership_plan_category: Some("non-member".to_owned()),
            member_status: Some("non-member".to_owned()),
            ..Fields::default()
        },
        ..profile()
    };
    let fields = json!({
        "name": "Rosa \"Dorn\" Müller",
        "country": "Österreich",
        "membership_plan_category": "individual",
        "member_status": "active-or-expired",
        "membership_expire_at": "2027-01-09",
    });
    let bare_fields = json!({
        "name": null,
        "country": null,
        "membership_plan_category": "non-member",
        "member_status": "non-member",
        "membership_expire_at": null,
    });
    let taken = || Upserted::Taken(found("31", ProviderStatus::Active));
    let email = "rosa@garden.example";
    for (profile, join, body) in [
        (profile(), false, json!({"email": email, "fields": fields})),
        (
            profile(),
            true,
            json!({"email": email, "fields": fields, "groups": ["4711"]}),
        ),
        (bare, false, json!({"email": email, "fields": bare_fields})),
    ] {
        let (upserted, lines) = sent("active", async |provider| {
            provider.upsert(Account::New, &profile, join).await
        })
        .await;
        assert_eq!(upserted, Ok(taken()));
        assert_eq!(lines, [json!(["POST", "/api/subscribers", body])]);
    }
    let (updated, lines) = sent("active", async |provider| {
        provider.update(Account::New, &id("31"), &profile()).await
    })
    .await;
    assert_eq!(updated, Ok(Some(taken())));
    let body = json!({ "fields": fields });
    assert_eq!(lines, [json!(["PUT", "/api/subscribers/31", body])]);
}

#[tokio::test]
async fn a_group_is_joined_where_there_is_one() {
    let answer = ResponseTemplate::new(200).set_body_json(person("31", "active"));
    let (_, server) = answering(answer).await;
    let mut settings = settings(&server.uri());
    settings.new.as_mut().unwrap().group = None;
    let provider = MailerLite::with_timeouts(&settings, TIMEOUTS).unwrap();
    let joined = provider.upsert(Account::New, &profile(), true).await;
    assert!(joined.is_ok());
    let body: Value = only_request(&server).await.body_json().unwrap();
    assert_eq!(body.get("groups"), None);
}

#[tokio::test]
async fn addresses_are_encoded() {
    for (text, expect) in [
        ("rosa@garden.example", "rosa%40garden.example"),
        ("a+b/c?d#e%f@g.example", "a%2Bb%2Fc%3Fd%23e%25f%40g.example"),
        ("o'neil&co=1@g.example", "o%27neil%26co%3D1%40g.example"),
        ("x-y_z~1@g.example", "x-y_z~1%40g.example"),
    ] {
        let (_, lines) = sent("active", async |provider| {
            provider.find(Account::New, &email(text)).await
        })
        .await;
        let path = format!("/api/subscribers/{expect}");
        assert_eq!(lines, [json!(["GET", path, null])]);
    }
}

#[tokio::test]
async fn other_calls_use_the_id() {
    let rosa = email("rosa@garden.example");
    let (suppressed, lines) = sent("unsubscribed", async |provider| {
        provider.suppress(Account::New, &rosa, &id("31")).await
    })
    .await;
    assert_eq!(suppressed, Ok(()));
    let unsubscribe = json!({"status": "unsubscribed"});
    let expect = [
        json!(["PUT", "/api/subscribers/31", unsubscribe]),
        json!(["DELETE", "/api/subscribers/31/groups/4711", null]),
    ];
    assert_eq!(lines, expect);
    let (kept, _) = sent("active", async |provider| {
        provider.suppress(Account::New, &rosa, &id("31")).await
    })
    .await;
    let why = "new account: the provider answered 200 OK, but the subscriber is still active";
    assert_eq!(kept, Err(ProviderError::Permanent(why.to_owned())));

    let (done, lines) = sent("active", async |provider| {
        let removed = provider.remove(Account::New, &id("31")).await;
        let forgotten = provider.forget(Account::New, &id("31")).await;
        for odd in ["", ".", "..", "31/groups/7", "3?1", "%2e%2e"] {
            let error = provider.remove(Account::New, &id(odd)).await;
            assert!(matches!(error, Err(ProviderError::Permanent(_))), "{odd}");
        }
        (removed, forgotten)
    })
    .await;
    assert_eq!(done, (Ok(()), Ok(())));
    let expect = [
        json!(["DELETE", "/api/subscribers/31", null]),
        json!(["POST", "/api/subscribers/31/forget", null]),
    ];
    assert_eq!(lines, expect, "what could name something else is not sent");
}

#[tokio::test]
async fn each_account_has_its_own_address_and_key() {
    let answer = || ResponseTemplate::new(204);
    let ((_, old), (_, new)) = (answering(answer()).await, answering(answer()).await);
    let mut settings = settings(&new.uri().replace("http://", "http://user:word@"));
    settings.old = Some(AccountSettings {
        key: "old-key".into(),
        ..account(&old.uri())
    });
    let provider = MailerLite::new(&settings).unwrap();
    assert_eq!(provider.accounts(), [Account::Old, Account::New]);
    for (account, server, key) in [
        (Account::Old, &old, "Bearer old-key"),
        // Credentials in the address are not sent next to the key.
        (Account::New, &new, "Bearer sesame-open-up"),
    ] {
        provider.remove(account, &id("31")).await.unwrap();
        let request = only_request(server).await;
        for (name, value) in [("authorization", key), ("accept", "application/json")] {
            let sent: Vec<_> = request.headers.get_all(name).iter().collect();
            assert_eq!(sent, [value], "{name}");
        }
    }
}

#[tokio::test]
async fn nothing_is_sent_to_an_account_without_settings() {
    let provider = provider("http://127.0.0.1:9");
    assert_eq!(provider.accounts(), [Account::New]);
    let sent = provider.upsert(Account::Old, &profile(), false).await;
    let message = "old account: there is no API key".to_owned();
    assert_eq!(sent, Err(ProviderError::Locked(message)));
}

#[tokio::test]
async fn an_address_in_an_answer_is_compared_as_addresses_are() {
    for (asked, answered) in [
        ("rosa@garden.example", "Rosa@Garden.EXAMPLE"),
        ("ada@münchen.example", "ada@xn--mnchen-3ya.example"),
        ("ada@xn--mnchen-3ya.example", "ADA@MÜNCHEN.example"),
    ] {
        let mut person = person("31", "active");
        person["data"]["email"] = json!(answered);
        let (provider, _server) = answering(ResponseTemplate::new(200).set_body_json(person)).await;
        let found = provider.find(Account::New, &email(asked)).await;
        assert!(matches!(found, Ok(Some(_))), "{asked}: {found:?}");
    }
}

#[tokio::test]
async fn a_persons_fields_are_read() {
    for &status in ProviderStatus::ALL {
        let person = person("165968862226941797", status.as_str());
        let said = said_of(ResponseTemplate::new(200).set_body_json(person)).await;
        assert_eq!(said.find, Ok(Some(found("165968862226941797", status))));
    }
    let person = json!({"data": {
        "id": 165_968_862_226_941_797_u64,
        "email": "rosa@garden.example",
        "status": "unsubscribed",
        "unsubscribed_at": "2026-11-20 11:10:41",
        "forget_at": "2026-12-20 11:10:41",
        "fields": {
            "name": "Rosa", "country": "", "member_status": null,
            "membership_plan_category": "team",
            "membership_expire_at": "2027-01-09 00:00:00",
        },
    }});
    let said = said_of(ResponseTemplate::new(200).set_body_json(person)).await;
    let expect = Found {
        id: id("165968862226941797"),
        status: ProviderStatus::Unsubscribed,
        unsubscribed_at: Some(datetime!(2026-11-20 11:10:41 UTC)),
        is_deleted: true,
        fields: Fields {
            name: Some("Rosa".to_owned()),
            membership_plan_category: Some("team".to_owned()),
            membership_expire_at: Some("2027-01-09".to_owned()),
            ..Fields::default()
        },
    };
    assert_eq!(said.find, Ok(Some(expect)));
}
