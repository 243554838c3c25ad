use domain::{
    audit::POSTINGS_APPROVE,
    posting::{Decision, ENRICH, HistoryEntry, enrich, event::JOB_POSTING_CREATED},
    store::{ListQuery, PostingReader, Store, WriteSet},
    testing::{commit_events, posting},
};
use enrichment::{DraftCache, DraftKey};
use kernel::{
    Actor, PostingId, Prefixes, Status,
    audit::{AuditLog, AuditQuery},
    event::{Event, EventLog, LogError, LogQuery, PostingState, Subject},
    outbox::Outbox,
    testing::{by_ann, hours, identifier, minutes, noon, uuid},
};

use super::{Case, cases, damage, names};
use crate::testing::{Shell, sample};

const POSTINGS: [Case; 20] = [
    ("created_by", "'somebody'", "'somebody'"),
    ("updated_by", "'client:nobody'", "'client:nobody'"),
    ("status", "'published'", "'published'"),
    ("review", "'some'", "'some'"),
    ("moderated", "1", "true"),
    ("expired_at", "1", "'2026-01-01'"),
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
    ("description_essence", "x'00'", "'\\x00'"),
    ("source_identifier", "'job-1' || char(10)", "E'job-1\\n'"),
    ("updated_at", "9223372036854775807", "'infinity'"),
    ("expire_at", "-9223372036854775807", "'-infinity'"),
    ("created_at", "9223372036854775806", "'10000-01-01'"),
];

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

pub async fn of_history<S: Store + PostingReader + Shell>(store: &S) {
    for case in HISTORY {
        store.damage("DELETE FROM postings").await;
        store.damage("DELETE FROM posting_history").await;
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

const DECISIONS: [Case; 6] = [
    ("outcome", "'maybe'", "'maybe'"),
    ("at", "9223372036854775807", "'infinity'"),
    ("decided_by", "'client:a'", "'client:a'"),
    ("passages", "'[1]'", "'[1]'"),
    ("ground", "'whim'", "'whim'"),
    ("objection", "'{}'", "'{}'"),
];

pub async fn of_decisions<S: Store + PostingReader + Shell>(store: &S) {
    for case in DECISIONS {
        store.damage("DELETE FROM postings").await;
        let mut writes = sample::create(1);
        for write in writes.postings.values_mut() {
            write.decision = Some(Decision::approval(None, noon()));
        }
        store.commit(writes).await.expect("it is new");
        let named = damage(store, "posting_decisions", case).await;
        let found = PostingReader::find(store, &identifier("job-1")).await;
        names(found, &named);
    }
}

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
            reader: None,
            limit: 1,
        };
        let page = store.read(&query).await.map_err(|error| match error {
            LogError::Store(error) => error,
            gone @ LogError::Gone => panic!("{named}: {gone}"),
        });
        names(page, &named);
    }
}

const DRAFTS: [Case; 6] = [
    ("holder", "NULL", "NULL"),
    ("holder", "x'00'", ""),
    ("draft", "CAST(x'22ff22' AS TEXT)", ""),
    ("reserved_until", "9223372036854775807", "'infinity'"),
    ("reserved_until", "9223372036854775806", "'10000-01-01'"),
    ("reserved_until", "NULL", "NULL"),
];

pub async fn of_drafts<S: DraftCache + Shell>(store: &S) {
    let (key, until) = (DraftKey::from_bytes([7; 32]), noon() + hours(1));
    for case in cases::<S>(&DRAFTS) {
        store.damage("DELETE FROM drafts").await;
        let reserved = store.reserve(&key, uuid(1), until, noon()).await;
        reserved.expect("nobody has it");
        let named = damage(store, "drafts", case).await;
        let asked = store.reserve(&key, uuid(2), until, noon()).await;
        names(asked, &named);
    }
}

const AUDIT: [Case; 2] = [
    ("at", "9223372036854775806", "'10000-01-01'"),
    ("details", "'{]}'", "'[]'"),
];

pub async fn of_the_audit<S: Store + AuditLog + Shell>(store: &S) {
    for case in AUDIT {
        store.damage("DELETE FROM audit").await;
        let mut writes = WriteSet::new(noon());
        let entry = by_ann(1).entry(POSTINGS_APPROVE, noon());
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

/// Checks that a task whose kind is damaged does not block claims of other tasks.
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
