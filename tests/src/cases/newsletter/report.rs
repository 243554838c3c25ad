use serde_json::{Value, json};

use crate::harness::{
    Store,
    mailerlite::Account,
    newsletter::{Newsletter, event, membership, person},
};

on_sqlite! {
    a_report_is_synced_once_and_a_delivery_is_applied,
}

/// A change of an individual membership also raises its event.
async fn a_report_is_synced_once_and_a_delivery_is_applied(store: Store) {
    let newsletter = Newsletter::working(store);
    let email = person();
    let body = json!({"name": "Ada", "country": "Malta"});
    let created = newsletter.put(&email, &body).await;
    let uuid = created.json()["data"]["uuid"].as_str().unwrap().to_owned();
    let record = |name: &str, plan_category: &str, member_status: &str, status: &str| {
        json!({"data": {
            "uuid": uuid, "email": email, "name": name, "country": "Malta", "status": status,
            "membership_plan_category": plan_category, "member_status": member_status,
            "membership_expire_at": null, "mailerlite_account": "old", "migrated_at": null,
            "migration_source": null,
        }})
    };
    let none = "non-member";
    created.is_exactly(201, &record("Ada", none, none, "active"));
    newsletter.app.settled().await;
    let sent = || newsletter.methods(Account::Old, &email);
    assert_eq!(sent(), ["POST"]);
    let there = || {
        newsletter
            .provider
            .subscriber(Account::Old, &email)
            .unwrap()
    };
    assert_eq!(there()["fields"]["country"], "Malta");

    let lasts = "active-or-expired";
    for (change, raised, expect, sent_by_then) in [
        (body.clone(), 0, record("Ada", none, none, "active"), 1),
        (
            json!({"name": "Ada L."}),
            0,
            record("Ada L.", none, none, "active"),
            2,
        ),
        (
            membership("individual", "active", None),
            1,
            record("Ada L.", "individual", lasts, "active"),
            3,
        ),
        (
            membership("individual", "expired", None),
            2,
            record("Ada L.", "individual", lasts, "active"),
            3,
        ),
    ] {
        let changed = newsletter.put(&email, &change).await;
        changed.is_exactly(200, &expect);
        newsletter.app.settled().await;
        let events = newsletter.raised("IndividualMembershipUpdated", &uuid);
        assert_eq!((events, sent().len()), (raised, sent_by_then), "{change}");
    }
    assert_eq!(there()["fields"]["member_status"], lasts);

    newsletter.provider.set_status(Account::Old, &email, "junk");
    let writes = || {
        let writes: Vec<_> = sent()
            .into_iter()
            .filter(|method| method != "GET")
            .collect();
        writes.len()
    };
    for _ in 0..2 {
        let complaint = event("subscriber.spam_reported", &email, "junk");
        newsletter.deliver(&complaint).await;
        // The status is stored before the provider gets its answer.
        let shown: Value = newsletter.show(&email).await;
        let expect = record("Ada L.", "individual", lasts, "spam_reported");
        assert_eq!(shown, expect["data"]);
        newsletter.app.settled().await;
        // A suppressed person is looked up first, and their fields are updated.
        assert_eq!(writes(), 4);
        assert_eq!(there()["status"], "junk");
    }
}
