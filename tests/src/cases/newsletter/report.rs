//! Reports and reads of the membership system.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use uuid::Uuid;

use crate::harness::{
    App, Store,
    newsletter::{Newsletter, person, put},
};

on_every_store! {
    a_report_creates_and_then_updates,
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
