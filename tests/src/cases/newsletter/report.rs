//! What the membership system reports, and reads.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use uuid::Uuid;

use crate::harness::{
    App, Store,
    newsletter::{Newsletter, membership, person, put},
};

on_every_store! {
    a_report_creates_and_then_updates,
    what_follows_from_a_membership_is_derived,
    absent_is_kept_null_is_cleared_and_a_value_is_set,
    a_membership_is_replaced_as_a_whole,
    one_address_is_one_subscriber_in_any_spelling,
    of_many_first_reports_at_once_one_creates,
}

/// Every key of a record.
const KEYS: [&str; 11] = [
    "uuid",
    "email",
    "name",
    "country",
    "status",
    "membership_plan_category",
    "member_status",
    "membership_expire_at",
    "mailerlite_account",
    "migrated_at",
    "migration_source",
];

async fn report(app: &App, email: &str, body: &Value) -> Value {
    let answer = put(&app.api, email, body).await;
    assert!([200, 201].contains(&answer.status), "{answer:#?}");
    answer.json()["data"].clone()
}

async fn show(app: &App, email: &str) -> Value {
    app.api.get(&Newsletter::path(email)).await.data()
}

async fn a_report_creates_and_then_updates(store: Store) {
    let app = App::quiet(store);
    let email = person();
    let body = json!({"name": "Ada", "country": "Malta"});
    let created = put(&app.api, &email, &body).await;
    assert_eq!(created.status, 201, "{created:#?}");
    let record = created.json()["data"].clone();
    let uuid: Uuid = record["uuid"].as_str().unwrap().parse().unwrap();
    let expect = json!({"data": {
        "uuid": uuid, "email": email, "name": "Ada", "country": "Malta", "status": "active",
        "membership_plan_category": "non-member", "member_status": "non-member",
        "membership_expire_at": null, "mailerlite_account": "old", "migrated_at": null,
        "migration_source": null,
    }});
    assert_eq!(created.json(), expect);
    let keys: BTreeSet<_> = record.as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys, KEYS.map(str::to_owned).into());

    for body in [
        json!({"name": "Ada"}),
        json!({}),
        json!({"unheard": {"of": 5}}),
    ] {
        let unchanged = put(&app.api, &email, &body).await;
        unchanged.is_exactly(200, &expect);
    }
    assert_eq!(show(&app, &email).await, record);
    let renamed = put(&app.api, &email, &json!({"name": "Ada L."})).await;
    assert_eq!(renamed.status, 200);
    assert_eq!(renamed.json()["data"]["name"], "Ada L.");
    assert_eq!(renamed.json()["data"]["uuid"], record["uuid"]);
    assert_eq!(show(&app, &email).await, renamed.json()["data"]);
}

async fn what_follows_from_a_membership_is_derived(store: Store) {
    let app = App::quiet(store);
    let email = person();
    for plan in ["individual", "team"] {
        for (status, member_status) in [
            ("active", "active-or-expired"),
            ("expired", "active-or-expired"),
            ("canceled", "canceled"),
        ] {
            for expires_at in [Some("2027-01-31"), None] {
                let record = report(&app, &email, &membership(plan, status, expires_at)).await;
                assert_eq!(record["membership_plan_category"], plan);
                assert_eq!(record["member_status"], member_status);
                assert_eq!(record["membership_expire_at"], json!(expires_at));
                assert_eq!(show(&app, &email).await, record);
            }
        }
    }
    let record = report(&app, &email, &json!({"membership": null})).await;
    assert_eq!(record["membership_plan_category"], "non-member");
    assert_eq!(record["member_status"], "non-member");
    assert_eq!(record["membership_expire_at"], Value::Null);
}

async fn absent_is_kept_null_is_cleared_and_a_value_is_set(store: Store) {
    let app = App::quiet(store);
    let email = person();
    let body = json!({"name": "  Ada ", "country": "Côte d'Ivoire", "membership": {
        "plan_category": "team", "status": "active"}});
    report(&app, &email, &body).await;
    for (body, name, country, plan) in [
        (json!({}), json!("Ada"), json!("Côte d'Ivoire"), "team"),
        (json!({"country": null}), json!("Ada"), Value::Null, "team"),
        (json!({"name": " "}), Value::Null, Value::Null, "team"),
        (
            json!({"country": "Malta"}),
            Value::Null,
            json!("Malta"),
            "team",
        ),
        (
            json!({"membership": null}),
            Value::Null,
            json!("Malta"),
            "non-member",
        ),
    ] {
        let record = report(&app, &email, &body).await;
        assert_eq!(
            (&record["name"], &record["country"]),
            (&name, &country),
            "{body}"
        );
        assert_eq!(record["membership_plan_category"], plan, "{body}");
    }
}

async fn a_membership_is_replaced_as_a_whole(store: Store) {
    let app = App::quiet(store);
    let email = person();
    report(
        &app,
        &email,
        &membership("individual", "active", Some("2027-01-31")),
    )
    .await;
    let body = json!({"membership": {"plan_category": "team", "status": "expired"}});
    let record = report(&app, &email, &body).await;
    assert_eq!(record["membership_expire_at"], Value::Null);
    // Half of one is none.
    let half = json!({"membership": {"status": "active"}});
    put(&app.api, &email, &half)
        .await
        .refused(&["membership.plan_category"]);
    assert_eq!(show(&app, &email).await, record);
}

async fn one_address_is_one_subscriber_in_any_spelling(store: Store) {
    let app = App::quiet(store);
    let email = person().replace('@', "+tag@");
    let record = report(&app, &email, &json!({"name": "Ada"})).await;
    assert_eq!(record["email"], email);
    let percent: Vec<_> = email.bytes().map(|byte| format!("%{byte:02x}")).collect();
    for spelling in [
        email.clone(),
        email.to_uppercase(),
        email.replace("ada", "aDA").replace("example", "eXample"),
        percent.concat(),
        format!("%20{}%20", email.to_uppercase()),
        email.replace('+', "%2B").replace('@', "%40"),
    ] {
        let path = format!("/api/newsletter/subscribers/{spelling}");
        assert_eq!(app.api.get(&path).await.data(), record, "{spelling}");
        let request = app.api.authorized(reqwest::Method::PUT, &path);
        let response = request.json(&json!({"name": "Ada"})).send().await.unwrap();
        assert_eq!(response.status(), 200, "{spelling}");
    }
    let found = app.run(&["subscribers", "show", &email.to_uppercase(), "--json"]);
    assert!(found.succeeded().contains(record["uuid"].as_str().unwrap()));
}

async fn of_many_first_reports_at_once_one_creates(store: Store) {
    let app = App::quiet(store);
    let email = person();
    let bodies: Vec<_> = (0..16)
        .map(|n| json!({"name": format!("Ada {n}")}))
        .collect();
    let reports = bodies.iter().map(|body| put(&app.api, &email, body));
    let answers = futures_util::future::join_all(reports).await;
    let of_status = |status| answers.iter().filter(|one| one.status == status).count();
    assert_eq!((of_status(201), of_status(200)), (1, 15), "{answers:#?}");
    let uuids: BTreeSet<_> = answers
        .iter()
        .map(|one| one.json()["data"]["uuid"].to_string())
        .collect();
    assert_eq!(uuids.len(), 1);
}
