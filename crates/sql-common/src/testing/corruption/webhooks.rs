use kernel::{
    event::Cursor,
    testing::{noon, uuid},
};
use webhooks::{Recorded, Secret, Webhooks, testing::endpoint};

use super::{Case, cases, damage, names};
use crate::testing::{
    Shell,
    webhooks::{failed, leased, of, silent},
};

const ENDPOINTS: [Case; 14] = [
    ("owner", "'client:nobody'", "'client:nobody'"),
    (
        "url",
        "'ftp://receiver.example'",
        "'ftp://receiver.example'",
    ),
    ("names", "'[1]'", "'[1]'"),
    ("prefixes", "'{}'", "'{}'"),
    ("state", "'gone'", "'gone'"),
    ("secret", "zeroblob(23)", "'\\x00'"),
    ("previous_secret", "zeroblob(65)", "'\\x00'"),
    ("previous_secret_until", "NULL", "NULL"),
    ("previous_secret_until", "9223372036854775807", "'infinity'"),
    ("created_at", "-9223372036854775807", "'-infinity'"),
    ("updated_at", "9223372036854775806", "'10000-01-01'"),
    ("commit_seq", "-1", "-1"),
    ("silent_rounds", "-1", "-1"),
    ("failing_since", "9223372036854775807", "'infinity'"),
];

pub async fn of_endpoints<S: Webhooks + Shell>(store: &S) {
    let secret = Secret::new([9; 32]).expect("it is long enough");
    let endpoint = endpoint(1).rotate(secret, noon()).endpoint;
    for case in ENDPOINTS {
        store.damage("DELETE FROM webhook_endpoints").await;
        let inserted = store.insert(&endpoint, Cursor::START, None).await;
        inserted.expect("it is new");
        let named = damage(store, "webhook_endpoints", case).await;
        names(Webhooks::find(store, endpoint.id).await, &named);
        names(Webhooks::list(store, None, None, 9).await, &named);
    }
}

/// Checks that errors contain no secrets and no URLs of receivers, which may contain passwords.
pub async fn secrets_are_not_shown<S: Webhooks + Shell>(store: &S) {
    let secret = Secret::new([9; 32]).expect("it is long enough");
    let endpoint = endpoint(1).rotate(secret, noon()).endpoint;
    let bad_url = "'ftp://hunter2@receiver.example'";
    for case in [
        ("secret", "x'c0ffee'", "'\\xc0ffee'"),
        ("previous_secret", "x'c0ffee'", "'\\xc0ffee'"),
        ("url", bad_url, bad_url),
    ] {
        store.damage("DELETE FROM webhook_endpoints").await;
        let inserted = store.insert(&endpoint, Cursor::START, None).await;
        inserted.expect("it is new");
        let named = damage(store, "webhook_endpoints", case).await;
        let found = Webhooks::find(store, endpoint.id).await;
        let why = found.expect_err("it has no meaning").to_string();
        assert!(why.contains(&named), "{why}");
        assert!(why.contains(" bytes"), "{why}");
        for secret in ["c0ffee", "192", "hunter2"] {
            assert!(!why.contains(secret), "{why}");
        }
    }
}

const WAITING: [Case; 7] = [
    ("subject", "x'00'", ""),
    ("number", "-1", "-1"),
    ("attempts", "-1", "-1"),
    ("next_at", "-9223372036854775807", "'-infinity'"),
    ("later", "'[1]'", "'[1]'"),
    ("later", "'[\"1 Told\"]'", "'[\"1 Told\"]'"),
    ("read_to", "'1'", "'1'"),
];

const DELIVERIES: [Case; 5] = [
    ("at", "9223372036854775807", "'infinity'"),
    ("commit_seq", "-1", "-1"),
    ("attempt", "-1", "-1"),
    ("status", "65536", "65536"),
    ("duration_ms", "-1", "-1"),
];

pub async fn of_rounds<S: Webhooks + Shell>(store: &S) {
    let endpoint = endpoint(1);
    let tables = [
        ("webhook_waiting", &WAITING[..]),
        ("webhook_deliveries", &DELIVERIES),
    ];
    for (table, all) in tables {
        for case in cases::<S>(all) {
            store.damage("DELETE FROM webhook_endpoints").await;
            leased(store, &endpoint, uuid(1)).await;
            let mut round = of(&endpoint, 1);
            round.waiting = vec![silent(1)];
            round.deliveries = vec![failed(1)];
            assert_eq!(store.record(uuid(1), &round).await, Ok(Recorded::Done));
            let named = damage(store, table, case).await;
            if table == "webhook_waiting" {
                names(store.due(endpoint.id, noon(), 9).await, &named);
            } else {
                names(store.deliveries(endpoint.id, 9).await, &named);
            }
        }
    }
}
