//! A stored value that makes no sense is reported by the name of its column.
//!
//! Each function takes an empty store.

use std::fmt;

use access::{
    ActivityLog, Clients,
    activity::{ActivityWrites, Counts, Refusal},
    testing::client,
};
use domain::{
    catalogue::{Catalogues, PastImport},
    import::{Missing, Summary},
    posting::{Decision, ENRICH, HistoryEntry, enrich, event::JOB_POSTING_CREATED},
    store::{ListQuery, PostingReader, Store, WriteSet},
    testing::{commit_events, posting},
};
use enrichment::{DraftCache, DraftKey};
use kernel::testing::identifier;
use kernel::{
    Actor, PostingId, Prefixes, Status, StoreError,
    audit::{Action, AuditLog, AuditQuery},
    event::{Cursor, Event, EventLog, LogError, LogQuery, PostingState, Subject},
    outbox::Outbox,
    testing::{by_ann, hours, minutes, noon, uuid},
};
use newsletter::{
    store::{SubscriberQuery, SubscriberReader},
    testing::{email, subscriber_id, token},
};
use webhooks::{Recorded, Secret, Webhooks, testing::endpoint};

use super::{
    Shell, catalogues, sample,
    webhooks::{failed, leased, of, silent},
};

/// A column, and SQL for a value that makes no sense, in SQLite and in PostgreSQL.
type Case = (&'static str, &'static str, &'static str);

/// Checks that the error names the column.
fn names<T: fmt::Debug>(result: Result<T, StoreError>, column: &str) {
    let Err(StoreError::Broken(why)) = result else {
        panic!("{column}: {result:?}")
    };
    assert!(why.contains(column), "{why}");
}

/// Damages a column of all rows, and returns its name.
async fn damage<S: Shell>(store: &S, table: &str, case: Case) -> String {
    let (column, value) = (case.0, S::DIALECT.value(case));
    let sql = format!("UPDATE {table} SET {column} = {value}");
    store.damage(&sql).await;
    format!("{table}.{column}")
}

const POSTINGS: [Case; 16] = [
    ("created_by", "'somebody'", "'somebody'"),
    ("updated_by", "'client:nobody'", "'client:nobody'"),
    ("status", "'published'", "'published'"),
    (
        "employment_types",
        "'full-time,sometimes'",
        "'{full-time,sometimes}'",
    ),
    ("location_types", "'remote, hybrid'", "'{remote, Hybrid}'"),
    ("location_country_code", "'QQ'", "'QQ'"),
    ("salary_currency_code", "'QQQ'", "'QQQ'"),
    ("salary_period", "'daily'", "'daily'"),
    ("enriched_hash", "x'00'", "'\\x00'"),
    ("approved_hash", "x'00'", "'\\x00'"),
    ("texts_digest", "x'00'", "'\\x00'"),
    ("description_digest", "x'00'", "'\\x00'"),
    ("source_identifier", "'job-1' || char(10)", "E'job-1\\n'"),
    ("updated_at", "9223372036854775807", "'infinity'"),
    ("expire_at", "-9223372036854775807", "'-infinity'"),
    ("created_at", "9223372036854775806", "'10000-01-01'"),
];

/// Damages postings.
///
/// # Panics
/// When an error does not name the column.
pub async fn of_postings<S: Store + PostingReader + Shell>(store: &S) {
    for case in POSTINGS {
        store.damage("DELETE FROM postings").await;
        store.commit(sample::create(1)).await.expect("it is new");
        let named = damage(store, "postings", case).await;
        names(store.load_by_id(&[PostingId::new(uuid(1))]).await, &named);
        let all = ListQuery {
            limit: 10,
            ..ListQuery::default()
        };
        names(PostingReader::list(store, &all).await, &named);
        if case.0 != "source_identifier" {
            let id = identifier("job-1");
            names(store.load(std::slice::from_ref(&id), &[]).await, &named);
            names(PostingReader::find(store, &id).await, &named);
        }
    }
}

const HISTORY: [Case; 2] = [
    ("actor", "'client:nobody'", "'client:nobody'"),
    ("status", "'gone'", "'gone'"),
];

/// Damages the history of a posting.
///
/// # Panics
/// When an error does not name the column.
pub async fn of_history<S: Store + PostingReader + Shell>(store: &S) {
    for case in HISTORY {
        store.damage("DELETE FROM postings").await;
        let mut writes = sample::create(1);
        for write in writes.postings.values_mut() {
            write.history.push(HistoryEntry {
                status: Status::PendingEnrichment,
                at: noon(),
                reason: None,
                by: Actor::Operator(None),
            });
        }
        store.commit(writes).await.expect("it is new");
        let named = damage(store, "posting_history", case).await;
        let found = PostingReader::find(store, &identifier("job-1")).await;
        names(found, &named);
    }
}

const DECISIONS: [Case; 4] = [
    ("outcome", "'maybe'", "'maybe'"),
    ("at", "9223372036854775807", "'infinity'"),
    ("decided_by", "'client:a'", "'client:a'"),
    ("passages", "'[1]'", "'[1]'"),
];

/// Damages the decision about a posting.
///
/// # Panics
/// When an error does not name the column.
pub async fn of_decisions<S: Store + PostingReader + Shell>(store: &S) {
    for case in DECISIONS {
        store.damage("DELETE FROM postings").await;
        let mut writes = sample::create(1);
        for write in writes.postings.values_mut() {
            write.decision = Some(Decision::of_operator(None, None, noon()));
        }
        store.commit(writes).await.expect("it is new");
        let named = damage(store, "posting_decisions", case).await;
        let found = PostingReader::find(store, &identifier("job-1")).await;
        names(found, &named);
    }
}

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

/// Damages subscribers.
///
/// # Panics
/// When an error does not name the column.
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

/// Damages tasks.
///
/// # Panics
/// When an error does not name the column.
pub async fn of_the_outbox<S: Store + Outbox + Shell>(store: &S) {
    let mut writes = WriteSet::new(noon());
    writes.tasks.ask(enrich(PostingId::new(uuid(1))));
    store.commit(writes).await.expect("the store works");
    let named = damage(store, "outbox", ("attempts", "-7", "-7")).await;
    let claimed = store.claim(ENRICH, 1, minutes(1), uuid(9), noon());
    names(claimed.await, &named);
}

const EVENTS: [Case; 6] = [
    ("at", "9223372036854775807", "'infinity'"),
    ("at", "9223372036854775806", "'10000-01-01'"),
    ("source_identifier", "''", "''"),
    ("status", "'published'", "'published'"),
    ("status", "NULL", "NULL"),
    ("version", "NULL", "NULL"),
];

/// Damages events.
///
/// # Panics
/// When a column is not named.
pub async fn of_events<S: Store + EventLog + Shell>(store: &S) {
    let event = Event {
        name: JOB_POSTING_CREATED,
        subject: Subject::Posting(PostingState::from(&posting(1, sample::company().id))),
        at: noon(),
        trace: None,
    };
    for case in EVENTS {
        store.damage("DELETE FROM events").await;
        let events = vec![event.clone()];
        commit_events(store, events).await.expect("it is new");
        let named = damage(store, "events", case).await;
        let query = LogQuery {
            after: None,
            names: vec![JOB_POSTING_CREATED],
            prefixes: Prefixes::ALL,
            limit: 1,
        };
        let page = store.read(&query).await.map_err(|error| match error {
            LogError::Store(error) => error,
            gone @ LogError::Gone => panic!("{named}: {gone}"),
        });
        names(page, &named);
    }
}

const DRAFTS: [Case; 4] = [
    ("holder", "NULL", "NULL"),
    ("reserved_until", "9223372036854775807", "'infinity'"),
    ("reserved_until", "9223372036854775806", "'10000-01-01'"),
    ("reserved_until", "NULL", "NULL"),
];

/// Damages drafts.
///
/// # Panics
/// When an error does not name the column.
pub async fn of_drafts<S: DraftCache + Shell>(store: &S) {
    let (key, until) = (DraftKey::from_bytes([7; 32]), noon() + hours(1));
    for case in DRAFTS {
        store.damage("DELETE FROM drafts").await;
        let reserved = store.reserve(&key, uuid(1), until, noon()).await;
        reserved.expect("nobody has it");
        let named = damage(store, "drafts", case).await;
        let asked = store.reserve(&key, uuid(2), until, noon()).await;
        names(asked, &named);
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

/// Damages clients and their secrets.
///
/// # Panics
/// When an error does not name the column.
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

const REFUSALS: [Case; 4] = [
    ("at", "9223372036854775807", "'infinity'"),
    ("status", "65536", "65536"),
    ("errors", "'{]}'", "'[]'"),
    ("errors", "'{\"a\":1}'", "'{\"a\":1}'"),
];

/// Damages the activity of a client.
///
/// # Panics
/// When an error does not name the column.
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

const CATALOGUES: [Case; 16] = [
    ("name", "'a b'", "'a b'"),
    ("leased_until", "9223372036854775807", "'infinity'"),
    ("last_started_at", "9223372036854775807", "'infinity'"),
    ("last_finished_at", "9223372036854775806", "'10000-01-01'"),
    ("last_finished_at", "NULL", "NULL"),
    ("lines", "-1", "-1"),
    ("created", "-1", "-1"),
    ("updated", "-1", "-1"),
    ("unchanged", "-1", "-1"),
    ("expired", "-1", "-1"),
    ("reopened", "-1", "-1"),
    ("refused", "-1", "-1"),
    ("failed", "-1", "-1"),
    ("missing", "-1", "-1"),
    ("missing_expired", "-1", "-1"),
    ("missing_expired", "NULL", "NULL"),
];

/// Damages a catalogue.
///
/// # Panics
/// When an error does not name the column.
pub async fn of_catalogues<S: Clients + Catalogues + Shell>(store: &S) {
    let import = PastImport {
        started_at: noon(),
        finished_at: noon(),
        summary: Summary {
            missing: Some(Missing {
                count: 1,
                expired: 1,
                held: false,
            }),
            ..Summary::default()
        },
    };
    for case in CATALOGUES {
        store.damage("DELETE FROM clients").await;
        let lease = catalogues::leased(store, "jobs").await;
        assert_eq!(store.finish(lease, &import).await, Ok(true));
        let named = damage(store, "catalogues", case).await;
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

const AUDIT: [Case; 2] = [
    ("at", "9223372036854775806", "'10000-01-01'"),
    ("details", "'{]}'", "'[]'"),
];

/// Damages the audit log.
///
/// # Panics
/// When an error does not name the column.
pub async fn of_the_audit<S: Store + AuditLog + Shell>(store: &S) {
    for case in AUDIT {
        store.damage("DELETE FROM audit").await;
        let mut writes = WriteSet::new(noon());
        let entry = by_ann(1).entry(Action::POSTINGS_APPROVE, noon());
        writes.tasks.audit.push(entry);
        store.commit(writes).await.expect("the store works");
        let named = damage(store, "audit", case).await;
        let query = AuditQuery {
            limit: 1,
            ..AuditQuery::default()
        };
        names(store.entries(&query).await, &named);
    }
}

/// Damages the kind of one task, which must not keep others from being claimed.
///
/// # Panics
/// When it does.
pub async fn of_one_kind<S: Store + Outbox + Shell>(store: &S) {
    let mut writes = sample::create(1);
    writes.tasks.ask(enrich(PostingId::new(uuid(1))));
    store.commit(writes).await.expect("it is new");
    let dance = "INSERT INTO outbox (kind, subject, next_at, created_at) \
        VALUES ('dance', {id}, {past}, {past})";
    store.damage(dance).await;
    let claimed = store.claim(ENRICH, 9, minutes(1), uuid(9), noon()).await;
    assert_eq!(claimed.map(|claimed| claimed.len()), Ok(1));
}

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

/// Damages endpoints.
///
/// # Panics
/// When a column is not named.
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

/// Damages secrets, and a URL, because the URLs of receivers may contain passwords.
///
/// # Panics
/// When an error shows the value.
pub async fn secrets_are_not_told<S: Webhooks + Shell>(store: &S) {
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
        for told in ["c0ffee", "192", "hunter2"] {
            assert!(!why.contains(told), "{why}");
        }
    }
}

const WAITING: [Case; 3] = [
    ("number", "-1", "-1"),
    ("attempts", "-1", "-1"),
    ("next_at", "-9223372036854775807", "'-infinity'"),
];

const DELIVERIES: [Case; 5] = [
    ("at", "9223372036854775807", "'infinity'"),
    ("commit_seq", "-1", "-1"),
    ("attempt", "-1", "-1"),
    ("status", "65536", "65536"),
    ("duration_ms", "-1", "-1"),
];

/// Damages the rows that rounds write.
///
/// # Panics
/// When a column is not named.
pub async fn of_rounds<S: Webhooks + Shell>(store: &S) {
    let endpoint = endpoint(1);
    let tables = [
        ("webhook_waiting", &WAITING[..]),
        ("webhook_deliveries", &DELIVERIES),
    ];
    for (table, cases) in tables {
        for case in cases {
            store.damage("DELETE FROM webhook_endpoints").await;
            leased(store, &endpoint, uuid(1)).await;
            let mut round = of(&endpoint, 1);
            round.waiting = vec![silent(1)];
            round.deliveries = vec![failed(1)];
            assert_eq!(store.record(uuid(1), &round).await, Ok(Recorded::Done));
            let named = damage(store, table, *case).await;
            if table == "webhook_waiting" {
                names(store.due(endpoint.id, noon(), 9).await, &named);
            } else {
                names(store.deliveries(endpoint.id, 9).await, &named);
            }
        }
    }
}
