//! What the provider is told of a person, and what it is not bothered with.

use serde_json::{Value, json};

use crate::harness::{
    SETTLING, Store, eventually,
    mailerlite::{Account, Fault, OnSuppressed},
    newsletter::{Newsletter, membership, person},
    outbox_is_empty,
};

on_every_store! {
    every_membership_arrives_as_the_six_fields,
    a_change_sends_once_and_no_change_nothing,
    a_change_of_an_individual_membership_raises_its_event_and_sends_once,
    a_lapse_is_news_here_and_none_for_the_provider,
    what_the_provider_has_beside_the_fields_stays,
    who_is_suppressed_at_the_provider_stays_so,
    there_and_back_while_nobody_works_sends_nothing,
    there_and_back_while_the_provider_is_away_sends_at_most_once,
}

const EVENT: &str = "IndividualMembershipUpdated";

/// The body of the one kind of request that tells anything.
fn told(email: &str, fields: [Value; 5]) -> Value {
    let [name, country, plan, status, expires_at] = fields;
    json!({"email": email, "fields": {
        "name": name, "country": country, "membership_plan_category": plan,
        "member_status": status, "membership_expire_at": expires_at,
    }})
}

async fn every_membership_arrives_as_the_six_fields(store: Store) {
    let newsletter = Newsletter::shared(store);
    let mut cases = vec![(
        json!({"membership": null}),
        "non-member",
        "non-member",
        None,
    )];
    for plan in ["individual", "team"] {
        for (status, member_status) in [
            ("active", "active-or-expired"),
            ("expired", "active-or-expired"),
            ("canceled", "canceled"),
        ] {
            for expires_at in [Some("2027-01-31"), None] {
                let body = membership(plan, status, expires_at);
                cases.push((body, plan, member_status, expires_at));
            }
        }
    }
    let mut people = Vec::new();
    for (mut body, plan, status, expires_at) in cases {
        let email = person();
        body["name"] = json!("Ada");
        body["country"] = json!("Malta");
        newsletter.report(&email, &body).await;
        let fields = ["Ada", "Malta", plan, status].map(Value::from);
        let [name, country, plan, status] = fields;
        people.push((email, [name, country, plan, status, json!(expires_at)]));
    }
    // Nothing but an address.
    let bare = person();
    newsletter.report(&bare, &json!({})).await;
    let none = ["non-member"; 2].map(Value::from);
    let [plan, status] = none;
    people.push((bare, [Value::Null, Value::Null, plan, status, Value::Null]));
    for (email, fields) in people {
        newsletter.settled(&email).await;
        let body = told(&email, fields);
        let [call] = &newsletter.calls(Account::Old, &email)[..] else {
            panic!("not one call for {body}");
        };
        assert_eq!((call.method.as_str(), call.status), ("POST", Some(201)));
        // With nothing beside them: no `status`, no `resubscribe`, no group.
        assert_eq!(call.body, body);
        assert!(newsletter.calls(Account::New, &email).is_empty());
        let known = newsletter.provider.subscriber(Account::Old, &email);
        assert_eq!(known.unwrap()["status"], "active");
    }
}

async fn a_change_sends_once_and_no_change_nothing(store: Store) {
    let newsletter = Newsletter::shared(store);
    let email = person();
    let mut body = membership("team", "active", Some("2027-01-31"));
    body["name"] = json!("Ada");
    newsletter.report(&email, &body).await;
    newsletter.settled(&email).await;
    let calls = || newsletter.calls(Account::Old, &email).len();
    assert_eq!(calls(), 1);
    for _ in 0..3 {
        let record = newsletter.report(&email, &body).await;
        assert!(
            newsletter
                .waiting(record["uuid"].as_str().unwrap())
                .is_empty()
        );
    }
    assert_eq!(calls(), 1);

    let mut expect = 1;
    for change in [
        json!({"name": "Ada L."}),
        json!({"country": "Malta"}),
        json!({"name": null, "country": "Italy"}),
        membership("team", "canceled", Some("2027-01-31")),
        membership("team", "canceled", Some("2027-02-28")),
        json!({"membership": null, "name": "Ada"}),
    ] {
        newsletter.report(&email, &change).await;
        newsletter.settled(&email).await;
        expect += 1;
        assert_eq!(calls(), expect, "{change}");
    }
    let fields = ["Ada", "Italy", "non-member", "non-member"].map(Value::from);
    let [name, country, plan, status] = fields;
    let last = newsletter.calls(Account::Old, &email).pop().unwrap();
    let expect = told(&email, [name, country, plan, status, Value::Null]);
    // Who has shown an id is updated by it.
    assert_eq!(last.method, "PUT");
    assert_eq!(last.body["fields"], expect["fields"]);
    // A team's membership is no news of an individual.
    let uuid = newsletter.show(&email).await["uuid"].clone();
    assert_eq!(newsletter.raised(EVENT, uuid.as_str().unwrap()), 0);
}

async fn a_change_of_an_individual_membership_raises_its_event_and_sends_once(store: Store) {
    let newsletter = Newsletter::shared(store);
    let email = person();
    let record = newsletter.report(&email, &json!({"name": "Ada"})).await;
    newsletter.settled(&email).await;
    let uuid = record["uuid"].as_str().unwrap();
    let (mut raised, mut sent) = (0, 1);
    for (change, raises) in [
        (membership("individual", "active", None), true),
        (membership("individual", "canceled", None), true),
        (json!({"name": "Ada L."}), false),
        (membership("team", "canceled", None), true),
        (membership("team", "active", None), false),
        (membership("individual", "active", Some("2027-01-31")), true),
        (
            json!({"name": "Ada", "country": "Malta", "membership": null}),
            true,
        ),
    ] {
        newsletter.report(&email, &change).await;
        newsletter.settled(&email).await;
        raised += usize::from(raises);
        sent += 1;
        assert_eq!(newsletter.raised(EVENT, uuid), raised, "{change}");
        assert_eq!(
            newsletter.calls(Account::Old, &email).len(),
            sent,
            "{change}"
        );
    }
}

async fn a_lapse_is_news_here_and_none_for_the_provider(store: Store) {
    let newsletter = Newsletter::shared(store);
    let email = person();
    let report = |status| membership("individual", status, Some("2027-01-31"));
    let record = newsletter.report(&email, &report("active")).await;
    let uuid = record["uuid"].as_str().unwrap();
    newsletter.settled(&email).await;
    for (status, raised) in [("expired", 2), ("active", 3), ("expired", 4)] {
        newsletter.report(&email, &report(status)).await;
        newsletter.settled(&email).await;
        assert_eq!(newsletter.raised(EVENT, uuid), raised);
    }
    assert_eq!(newsletter.calls(Account::Old, &email).len(), 1);
    // It was taken nevertheless.
    newsletter.report(&email, &report("expired")).await;
    newsletter.settled(&email).await;
    assert_eq!(newsletter.raised(EVENT, uuid), 4);
}

async fn what_the_provider_has_beside_the_fields_stays(store: Store) {
    let newsletter = Newsletter::shared(store);
    let provider = &newsletter.provider;
    let email = person();
    let group = provider.group(Account::Old);
    let body = json!({"email": email, "status": "unconfirmed", "groups": [group],
        "fields": {"city": "Valletta", "name": "Eve"}});
    provider.add(Account::Old, &body);
    newsletter.report(&email, &json!({"name": "Ada"})).await;
    newsletter.settled(&email).await;
    let known = provider.subscriber(Account::Old, &email).unwrap();
    assert_eq!(known["status"], "unconfirmed");
    assert_eq!(known["fields"]["name"], "Ada");
    assert_eq!(known["fields"]["city"], "Valletta");
    assert_eq!(known["groups"][0]["id"], group);
    assert_eq!(newsletter.show(&email).await["status"], "active");
}

async fn who_is_suppressed_at_the_provider_stays_so(store: Store) {
    let newsletter = Newsletter::served(store);
    let _worker = newsletter.work();
    let provider = &newsletter.provider;
    for what in [OnSuppressed::Refuse, OnSuppressed::Keep] {
        provider.on_suppressed(Account::Old, what);
        for (theirs, ours) in [
            ("unsubscribed", "unsubscribed"),
            ("bounced", "bounced"),
            ("junk", "spam_reported"),
        ] {
            let email = person();
            provider.add(Account::Old, &json!({"email": email}));
            provider.set_status(Account::Old, &email, theirs);
            newsletter.report(&email, &json!({"name": "Ada"})).await;
            // 422 is no failure, and nothing is tried again.
            newsletter.settled(&email).await;
            let calls = newsletter.calls(Account::Old, &email);
            let writes = calls.iter().filter(|call| call.method != "GET").count();
            let most = if what == OnSuppressed::Keep { 2 } else { 1 };
            assert!(writes <= most, "{what:?} {theirs}: {calls:#?}");
            let known = provider.subscriber(Account::Old, &email).unwrap();
            assert_eq!(known["status"], theirs, "{what:?}");
            if what == OnSuppressed::Keep {
                assert_eq!(known["fields"]["name"], "Ada");
            }
            assert_eq!(newsletter.show(&email).await["status"], ours);
        }
    }
}

async fn there_and_back_while_nobody_works_sends_nothing(store: Store) {
    let newsletter = Newsletter::served(store);
    let email = person();
    let worker = newsletter.work();
    for body in [
        json!({"name": "Ada"}),
        membership("individual", "active", Some("2027-01-31")),
    ] {
        newsletter.report(&email, &body).await;
        newsletter.settled(&email).await;
    }
    worker.terminate();
    assert_eq!(worker.stopped().code(), Some(0));
    for body in [
        json!({"name": "Ada L."}),
        json!({"membership": null}),
        json!({"name": "Ada"}),
        membership("individual", "active", Some("2027-01-31")),
    ] {
        newsletter.report(&email, &body).await;
    }
    let _worker = newsletter.work();
    newsletter.settled(&email).await;
    assert_eq!(newsletter.calls(Account::Old, &email).len(), 2);
}

async fn there_and_back_while_the_provider_is_away_sends_at_most_once(store: Store) {
    let newsletter = Newsletter::served(store);
    let _worker = newsletter.work();
    let provider = &newsletter.provider;
    for away in [Fault::Answer(503, None), Fault::Close, Fault::LoseAnswer] {
        let email = person();
        newsletter.report(&email, &json!({"name": "A"})).await;
        newsletter.settled(&email).await;
        provider.outage(Some(away));
        newsletter.report(&email, &json!({"name": "B"})).await;
        let asked = || newsletter.calls(Account::Old, &email).len();
        eventually("it was tried", SETTLING, || async {
            (asked() > 1).then_some(())
        })
        .await;
        newsletter.report(&email, &json!({"name": "A"})).await;
        provider.outage(None);
        newsletter.settled(&email).await;
        let known = provider.subscriber(Account::Old, &email).unwrap();
        assert_eq!(known["fields"]["name"], "A", "{away:?}");
        let calls = newsletter.calls(Account::Old, &email);
        let answered = calls.iter().filter(|call| call.status == Some(200));
        assert!(answered.count() <= 1, "{away:?}: {calls:#?}");
    }
    outbox_is_empty(&newsletter.app).await;
}
