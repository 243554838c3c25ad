//! What is sent, and what is read when it is done.

use time::macros::datetime;
use wiremock::matchers::method;

use super::*;

#[tokio::test]
async fn an_upsert_sends_the_six_fields_and_nothing_else() {
    let (provider, server) =
        answering(ResponseTemplate::new(201).set_body_json(person("31", "active"))).await;
    let upserted = provider.upsert(Account::New, &profile(), false).await;
    assert_eq!(
        upserted,
        Ok(Upserted::Taken(found("31", ProviderStatus::Active)))
    );

    let request = only_request(&server).await;
    assert_eq!(request.method.as_str(), "POST");
    assert_eq!(request.url.path(), "/api/subscribers");
    assert_eq!(request.url.query(), None);
    assert_eq!(
        request.body_json::<Value>().unwrap(),
        json!({
            "email": "rosa@garden.example",
            "fields": {
                "name": "Rosa \"Dorn\" Müller",
                "country": "Österreich",
                "membership_plan_category": "individual",
                "member_status": "active-or-expired",
                "membership_expire_at": "2027-01-09",
            },
        })
    );
    for (name, value) in [
        ("authorization", "Bearer sesame-open-up"),
        ("accept", "application/json"),
        ("content-type", "application/json"),
    ] {
        let sent: Vec<_> = request.headers.get_all(name).iter().collect();
        assert_eq!(sent, [value], "{name}");
    }
}

#[tokio::test]
async fn what_is_not_known_is_cleared() {
    let (provider, server) =
        answering(ResponseTemplate::new(200).set_body_json(person("31", "active"))).await;
    let profile = Profile {
        name: None,
        country: None,
        membership_plan_category: "non-member",
        member_status: MemberStatus::NonMember,
        membership_expire_at: None,
        ..profile()
    };
    provider
        .upsert(Account::New, &profile, false)
        .await
        .unwrap();
    assert_eq!(
        only_request(&server).await.body_json::<Value>().unwrap(),
        json!({
            "email": "rosa@garden.example",
            "fields": {
                "name": null,
                "country": null,
                "membership_plan_category": "non-member",
                "member_status": "non-member",
                "membership_expire_at": null,
            },
        })
    );
}

#[tokio::test]
async fn a_group_is_joined_where_there_is_one() {
    for (group, join, expect) in [
        (Some("4711"), true, Some(json!(["4711"]))),
        (Some("4711"), false, None),
        (None, true, None),
    ] {
        let server = MockServer::start().await;
        Mock::given(any())
            .respond_with(ResponseTemplate::new(200).set_body_json(person("31", "active")))
            .mount(&server)
            .await;
        let mut settings = settings(&server.uri());
        settings.new.as_mut().unwrap().group = group.map(str::to_owned);
        let provider = MailerLite::with_timeouts(&settings, TIMEOUTS).unwrap();
        provider
            .upsert(Account::New, &profile(), join)
            .await
            .unwrap();
        let body: Value = only_request(&server).await.body_json().unwrap();
        assert_eq!(body.get("groups"), expect.as_ref(), "{group:?} {join}");
    }
}

#[tokio::test]
async fn addresses_are_encoded() {
    for (text, expect) in [
        ("rosa@garden.example", "rosa%40garden.example"),
        ("a+b/c?d#e%f@g.example", "a%2Bb%2Fc%3Fd%23e%25f%40g.example"),
        ("o'neil&co=1@g.example", "o%27neil%26co%3D1%40g.example"),
        ("x-y_z~1@g.example", "x-y_z~1%40g.example"),
    ] {
        let mut person = person("31", "active");
        person["data"]["email"] = json!(text);
        let (provider, server) = answering(ResponseTemplate::new(200).set_body_json(person)).await;
        provider.find(Account::New, &email(text)).await.unwrap();
        let request = only_request(&server).await;
        assert_eq!(request.method.as_str(), "GET");
        assert_eq!(request.url.path(), format!("/api/subscribers/{expect}"));
        assert_eq!(request.url.query(), None);
        assert!(request.body.is_empty());
    }
}

#[tokio::test]
async fn a_person_stands_as_the_account_says() {
    for (status, expect) in [
        ("active", ProviderStatus::Active),
        ("unsubscribed", ProviderStatus::Unsubscribed),
        ("bounced", ProviderStatus::Bounced),
        ("junk", ProviderStatus::Junk),
        ("unconfirmed", ProviderStatus::Unconfirmed),
    ] {
        let person = person("165968862226941797", status);
        let said = said_of(ResponseTemplate::new(200).set_body_json(person)).await;
        let found = found("165968862226941797", expect);
        assert_eq!(said.upsert, Ok(Upserted::Taken(found.clone())), "{status}");
        assert_eq!(said.find, Ok(Some(found)), "{status}");
    }
}

#[tokio::test]
async fn what_could_name_something_else_is_not_removed() {
    let (provider, server) = answering(ResponseTemplate::new(204)).await;
    for id in ["", ".", "..", "31/groups/7", "3?1", "%2e%2e"] {
        let error = remove(&provider, Account::New, id).await.unwrap_err();
        assert!(matches!(error, ProviderError::Permanent(_)), "{id}");
    }
    assert_eq!(server.received_requests().await.unwrap().len(), 0);
}

#[tokio::test]
async fn each_account_has_its_own_address_and_key() {
    let (old, new) = (MockServer::start().await, MockServer::start().await);
    for server in [&old, &new] {
        Mock::given(any())
            .respond_with(ResponseTemplate::new(204))
            .mount(server)
            .await;
    }
    let mut settings = settings(&new.uri());
    settings.old = Some(AccountSettings {
        key: "old-key".into(),
        ..account(&old.uri())
    });
    let provider = MailerLite::new(&settings).unwrap();
    assert_eq!(provider.accounts(), [Account::Old, Account::New]);
    for account in provider.accounts() {
        remove(&provider, account, "31").await.unwrap();
    }
    let key = |request: Request| request.headers["authorization"].clone();
    assert_eq!(key(only_request(&old).await), "Bearer old-key");
    assert_eq!(key(only_request(&new).await), "Bearer sesame-open-up");
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
        assert!(
            matches!(found, Ok(Some(_))),
            "{asked} {answered}: {found:?}"
        );
    }
}

#[tokio::test]
async fn what_is_shown_of_a_person_is_read() {
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
        "groups": [{"id": "1"}, {"id": 4711}],
    }});
    let said = said_of(ResponseTemplate::new(200).set_body_json(person)).await;
    let expect = Found {
        id: ProviderId("165968862226941797".to_owned()),
        status: ProviderStatus::Unsubscribed,
        unsubscribed_at: Some(datetime!(2026-11-20 11:10:41 UTC)),
        is_deleted: true,
        is_in_group: Some(true),
        fields: Fields {
            name: Some("Rosa".to_owned()),
            country: None,
            membership_plan_category: Some("team".to_owned()),
            member_status: None,
            membership_expire_at: Some("2027-01-09".to_owned()),
        },
    };
    assert_eq!(said.find, Ok(Some(expect)));
}

#[tokio::test]
async fn an_update_sends_fields_by_id_and_creates_nobody() {
    let (provider, server) =
        answering(ResponseTemplate::new(200).set_body_json(person("31", "active"))).await;
    let id = ProviderId("31".to_owned());
    let updated = provider.update(Account::New, &id, &profile()).await;
    let found = found("31", ProviderStatus::Active);
    assert_eq!(updated, Ok(Some(Upserted::Taken(found))));
    let request = only_request(&server).await;
    assert_eq!(request.method.as_str(), "PUT");
    assert_eq!(request.url.path(), "/api/subscribers/31");
    let body: Value = request.body_json().unwrap();
    let keys: Vec<_> = body.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["fields"]);

    let nobody = json!({"message": "No query results for model [Subscriber]."});
    let (provider, _server) = answering(ResponseTemplate::new(404).set_body_json(nobody)).await;
    let updated = provider.update(Account::New, &id, &profile()).await;
    assert_eq!(updated, Ok(None));
}

#[tokio::test]
async fn whoever_is_suppressed_is_unsubscribed_and_leaves_the_group() {
    let server = MockServer::start().await;
    Mock::given(method("PUT"))
        .respond_with(ResponseTemplate::new(200).set_body_json(person("31", "unsubscribed")))
        .mount(&server)
        .await;
    Mock::given(method("DELETE"))
        .respond_with(ResponseTemplate::new(204))
        .mount(&server)
        .await;
    let provider = provider(&server.uri());
    let (id, profile) = (ProviderId("31".to_owned()), profile());
    let suppressed = provider.suppress(Account::New, &profile.email, &id).await;
    assert_eq!(suppressed, Ok(()));
    let requests = server.received_requests().await.unwrap();
    let lines: Vec<_> = requests
        .iter()
        .map(|request| format!("{} {}", request.method, request.url.path()))
        .collect();
    let expect = ["PUT /subscribers/31", "DELETE /subscribers/31/groups/4711"];
    assert_eq!(lines, expect);
    let body: Value = requests[0].body_json().unwrap();
    assert_eq!(body, json!({"status": "unsubscribed"}));
}

#[tokio::test]
async fn an_account_that_keeps_somebody_active_is_for_an_operator() {
    let (provider, _server) =
        answering(ResponseTemplate::new(200).set_body_json(person("31", "active"))).await;
    let id = ProviderId("31".to_owned());
    let suppressed = provider.suppress(Account::New, &profile().email, &id).await;
    let message = "new account: the provider answered 200 OK, but the person is still active";
    let expect = ProviderError::Permanent(message.to_owned());
    assert_eq!(suppressed, Err(expect));
}

#[tokio::test]
async fn to_be_forgotten_is_asked_for_by_id() {
    let (provider, server) = answering(ResponseTemplate::new(200)).await;
    let id = ProviderId("31".to_owned());
    assert_eq!(provider.forget(Account::New, &id).await, Ok(()));
    let request = only_request(&server).await;
    assert_eq!(request.method.as_str(), "POST");
    assert_eq!(request.url.path(), "/api/subscribers/31/forget");
}
