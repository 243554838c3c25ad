//! A stored value that makes no sense is reported by the name of its column.
//!
//! Each function takes an empty store.

use std::fmt;

use domain::{
    audit::{Action, AuditLog, AuditQuery},
    client::Clients,
    enrichment::{DraftCache, DraftKey},
    outbox::{EVENTS, Event, Outbox},
    posting::{Actor, ENRICH, HistoryEntry, PostingId, Status, enrich, event},
    store::{ListQuery, PostingReader, Store, StoreError, WriteSet},
    testing::{by_ann, client, hours, identifier, minutes, noon, uuid},
};
use newsletter::{
    store::{SubscriberQuery, SubscriberReader},
    testing::{email, subscriber_id, token},
};

use super::{Shell, sample};

/// A column, and SQL for a value that makes no sense, in SQLite and in PostgreSQL.
type Case = (&'static str, &'static str, &'static str);

/// Checks that the error names the column.
fn names<T: fmt::Debug>(result: Result<T, StoreError>, column: &str) {
    let Err(StoreError::Broken(why)) = result else {
        panic!("{column}: {result:?}")
    };
    assert!(why.contains(column), "{why}");
}

const POSTINGS: [Case; 13] = [
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
        let (column, value) = (case.0, S::DIALECT.value(case));
        store.damage("DELETE FROM postings").await;
        store.commit(sample::create(1)).await.expect("it is new");
        store
            .damage(&format!("UPDATE postings SET {column} = {value}"))
            .await;
        let named = format!("postings.{column}");
        names(store.load_by_id(&[PostingId::new(uuid(1))]).await, &named);
        let all = ListQuery {
            limit: 10,
            ..ListQuery::default()
        };
        names(PostingReader::list(store, &all).await, &named);
        if column != "source_identifier" {
            let id = identifier("job-1");
            names(store.load(std::slice::from_ref(&id), &[]).await, &named);
            names(PostingReader::find(store, &id).await, &named);
        }
    }
}

/// Damages the history of a posting.
///
/// # Panics
/// When an error does not name the column.
pub async fn of_history<S: Store + PostingReader + Shell>(store: &S) {
    for (column, value) in [("actor", "'client:nobody'"), ("status", "'gone'")] {
        store.damage("DELETE FROM postings").await;
        let mut writes = sample::create(1);
        for write in writes.postings.values_mut() {
            write.history.push(HistoryEntry {
                status: Status::PendingEnrichment,
                at: noon(),
                reason: None,
                by: Actor::Operator,
            });
        }
        store.commit(writes).await.expect("it is new");
        store
            .damage(&format!("UPDATE posting_history SET {column} = {value}"))
            .await;
        let found = PostingReader::find(store, &identifier("job-1")).await;
        names(found, &format!("posting_history.{column}"));
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
    ("told", "x'00'", "'\\x00'"),
    ("updated_at", "9223372036854775807", "'10000-01-01'"),
];

/// Damages subscribers.
///
/// # Panics
/// When an error does not name the column.
pub async fn of_subscribers<S: newsletter::store::Store + SubscriberReader + Shell>(store: &S) {
    const ADDRESS: &str = "a@example.com";
    for case in SUBSCRIBERS {
        let (column, value) = (case.0, S::DIALECT.value(case));
        store.damage("DELETE FROM subscribers").await;
        store.commit(sample::subscribe()).await.expect("it is new");
        store
            .damage(&format!("UPDATE subscribers SET {column} = {value}"))
            .await;
        let named = format!("subscribers.{column}");
        let ids = [subscriber_id(ADDRESS)];
        names(store.load_by_id(&ids).await, &named);
        let all = SubscriberQuery {
            limit: 10,
            ..SubscriberQuery::default()
        };
        names(SubscriberReader::list(store, &all).await, &named);
        if column != "email" {
            names(store.load(&[email(ADDRESS)]).await, &named);
        }
        if column != "migration_token" {
            let holder = store.find_by_token(&token(ADDRESS)).await;
            names(holder, &named);
        }
    }
}

const OUTBOX: [Case; 5] = [
    ("event_name", "NULL", "NULL"),
    ("source_identifier", "''", "''"),
    ("occurred_at", "9223372036854775807", "'infinity'"),
    ("occurred_at", "NULL", "NULL"),
    ("attempts", "-7", "-7"),
];

/// Damages tasks.
///
/// # Panics
/// When an error does not name the column.
pub async fn of_the_outbox<S: Store + Outbox + Shell>(store: &S) {
    for case in OUTBOX {
        let (column, value) = (case.0, S::DIALECT.value(case));
        store.damage("DELETE FROM outbox").await;
        let mut writes = WriteSet::new(noon());
        writes.tasks.events.push(Event {
            name: event::JOB_POSTING_CREATED,
            subject: identifier("job-1").subject(PostingId::new(uuid(1))),
            at: noon(),
        });
        store.commit(writes).await.expect("the store works");
        store
            .damage(&format!("UPDATE outbox SET {column} = {value}"))
            .await;
        let named = format!("outbox.{column}");
        let claimed = store.claim(EVENTS, 1, minutes(1), uuid(9), noon());
        names(claimed.await, &named);
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
        let (column, value) = (case.0, S::DIALECT.value(case));
        store.damage("DELETE FROM drafts").await;
        let reserved = store.reserve(&key, uuid(1), until, noon()).await;
        reserved.expect("nobody has it");
        store
            .damage(&format!("UPDATE drafts SET {column} = {value}"))
            .await;
        let asked = store.reserve(&key, uuid(2), until, noon()).await;
        names(asked, &format!("drafts.{column}"));
    }
}

/// Damages clients.
///
/// # Panics
/// When an error does not name the column.
pub async fn of_clients<S: Clients + Shell>(store: &S) {
    let client = client(1);
    store.insert(&client).await.expect("it is new");
    let case = (
        "scopes",
        "'job-postings:write,everything'",
        "'{job-postings:write,everything}'",
    );
    let value = S::DIALECT.value(case);
    store
        .damage(&format!("UPDATE clients SET scopes = {value}"))
        .await;
    names(Clients::find(store, client.id).await, "clients.scopes");
    names(Clients::list(store).await, "clients.scopes");
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
        let (column, value) = (case.0, S::DIALECT.value(case));
        store.damage("DELETE FROM audit").await;
        let mut writes = WriteSet::new(noon());
        let entry = by_ann(1).entry(Action::POSTINGS_APPROVE, noon());
        writes.tasks.audit.push(entry);
        store.commit(writes).await.expect("the store works");
        store
            .damage(&format!("UPDATE audit SET {column} = {value}"))
            .await;
        let query = AuditQuery {
            limit: 1,
            ..AuditQuery::default()
        };
        names(store.entries(&query).await, &format!("audit.{column}"));
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
