use access::{
    ActivityLog, Clients,
    activity::{ActivityWrites, Counts, Refusal},
    testing::client,
};
use domain::{
    catalogue::{Catalogues, PastImport},
    import::{Missing, Summary},
};
use kernel::testing::{noon, uuid};
use newsletter::{
    store::{SubscriberQuery, SubscriberReader},
    testing::{email, subscriber_id, token},
};

use super::{Case, damage, names};
use crate::testing::{Shell, catalogues, sample};

const SUBSCRIBERS: [Case; 13] = [
    ("email", "'A@example.com'", "'A@example.com'"),
    ("reported_at", "-9223372036854775807", "'-infinity'"),
    ("membership_plan_category", "'family'", "'family'"),
    ("membership_status", "'cancelled'", "'cancelled'"),
    ("membership_status", "NULL", "NULL"),
    ("membership_expires_at", "'2026-02-29'", "'infinity'"),
    ("status", "'inactive'", "'inactive'"),
    ("migrated_at", "9223372036854775807", "'infinity'"),
    ("migration_source", "'somebody'", "'somebody'"),
    ("migration_source", "NULL", "NULL"),
    ("migration_token", "''", "''"),
    ("synced_digest", "x'00'", "'\\x00'"),
    ("updated_at", "9223372036854775807", "'10000-01-01'"),
];

pub async fn of_subscribers<S: newsletter::store::Store + SubscriberReader + Shell>(store: &S) {
    const ADDRESS: &str = "a@example.com";
    for case in SUBSCRIBERS {
        store.damage("DELETE FROM subscribers").await;
        store.commit(sample::subscribe()).await.expect("it is new");
        let named = damage(store, "subscribers", case).await;
        let ids = [subscriber_id(ADDRESS)];
        names(store.load_by_id(&ids).await, &named);
        let all = SubscriberQuery {
            limit: 10,
            ..SubscriberQuery::default()
        };
        names(SubscriberReader::list(store, &all).await, &named);
        if case.0 != "email" {
            names(store.load(&[email(ADDRESS)]).await, &named);
        }
        if case.0 != "migration_token" {
            let holder = store.find_by_token(&token(ADDRESS)).await;
            names(holder, &named);
        }
    }
}

const CLIENTS: [Case; 6] = [
    (
        "scopes",
        "'job-postings:write,everything'",
        "'{job-postings:write,everything}'",
    ),
    ("prefixes", "'[\"\"]'", "'[\"\"]'"),
    ("requests_per_minute", "0", "0"),
    ("created_at", "9223372036854775806", "'10000-01-01'"),
    ("revoked_at", "9223372036854775807", "'infinity'"),
    ("tokens_from", "9223372036854775806", "'10000-01-01'"),
];

const SECRETS: [Case; 4] = [
    ("digest", "x'00'", "'\\x00'"),
    ("created_at", "-9223372036854775807", "'-infinity'"),
    ("expires_at", "9223372036854775806", "'10000-01-01'"),
    ("last_used_at", "9223372036854775807", "'infinity'"),
];

pub async fn of_clients<S: Clients + Shell>(store: &S) {
    let client = client(1);
    for (table, cases) in [("clients", &CLIENTS[..]), ("client_secrets", &SECRETS)] {
        for case in cases {
            store.damage("DELETE FROM clients").await;
            let inserted = store.insert(&client, None).await;
            inserted.expect("it is new");
            let named = damage(store, table, *case).await;
            names(Clients::find(store, client.id).await, &named);
            names(Clients::list(store, 9).await, &named);
        }
    }
}

const LAST_PUSH: [Case; 1] = [("last_push_at", "9223372036854775807", "'infinity'")];

const DAYS: [Case; 2] = [
    ("date", "'2026-02-29'", "'infinity'"),
    ("rejected", "-1", "-1"),
];

const REFUSALS: [Case; 5] = [
    ("at", "9223372036854775807", "'infinity'"),
    ("status", "65536", "65536"),
    ("rules", "'[1]'", "'[1]'"),
    ("errors", "'{]}'", "'[]'"),
    ("errors", "'{\"a\":1}'", "'{\"a\":1}'"),
];

pub async fn of_activity<S: Clients + ActivityLog + Shell>(store: &S) {
    let client = client(1);
    let refusal = Refusal::new(uuid(1), noon(), "job-1", 422, "No.", None);
    let writes = ActivityWrites {
        days: vec![(client.id, noon().date(), Counts::default())],
        refusals: vec![(client.id, refusal)],
        ..ActivityWrites::default()
    };
    for (table, cases) in [
        ("clients", &LAST_PUSH[..]),
        ("client_days", &DAYS),
        ("client_refusals", &REFUSALS),
    ] {
        for case in cases {
            store.damage("DELETE FROM clients").await;
            let inserted = store.insert(&client, None).await;
            inserted.expect("it is new");
            assert_eq!(store.record(&writes).await, Ok(()));
            let named = damage(store, table, *case).await;
            names(store.activity(client.id).await, &named);
        }
    }
}

const CATALOGUES: [Case; 2] = [
    ("name", "'a b'", "'a b'"),
    ("leased_until", "9223372036854775807", "'infinity'"),
];

const CATALOGUE_IMPORTS: [Case; 17] = [
    ("started_at", "9223372036854775807", "'infinity'"),
    ("finished_at", "9223372036854775806", "'10000-01-01'"),
    ("lines", "-1", "-1"),
    ("created", "-1", "-1"),
    ("updated", "-1", "-1"),
    ("unchanged", "-1", "-1"),
    ("expired", "-1", "-1"),
    ("reopened", "-1", "-1"),
    ("refused", "-1", "-1"),
    ("failed", "-1", "-1"),
    ("unattributed", "-1", "-1"),
    ("notices", "'{\"gone\":1}'", "'{\"gone\":1}'"),
    ("notices", "'{\"taken_down\":-1}'", "'{\"taken_down\":-1}'"),
    ("held_because", "'whim'", "'whim'"),
    ("missing", "-1", "-1"),
    ("missing_expired", "-1", "-1"),
    ("missing_expired", "NULL", "NULL"),
];

pub async fn of_catalogues<S: Clients + Catalogues + Shell>(store: &S) {
    let import = PastImport {
        started_at: noon(),
        finished_at: noon(),
        summary: Summary {
            missing: Some(Missing {
                count: 1,
                expired: 1,
                ..Missing::default()
            }),
            ..Summary::default()
        },
    };
    let catalogues = CATALOGUES.map(|case| ("catalogues", case));
    let imports = CATALOGUE_IMPORTS.map(|case| ("catalogue_imports", case));
    for (table, case) in catalogues.into_iter().chain(imports) {
        store.damage("DELETE FROM clients").await;
        let lease = catalogues::leased(store, "jobs").await;
        assert_eq!(store.finish(lease, &import, false).await, Ok(true));
        let named = damage(store, table, case).await;
        let query = catalogues::query("jobs", 2);
        names(Catalogues::list(store, query.client, noon()).await, &named);
        if case.0 != "name" {
            let found = Catalogues::find(store, query.client, &query.name, noon());
            names(found.await, &named);
        }
        if case.0 == "leased_until" {
            names(store.lease(&query).await, &named);
        }
    }
}
