//! Tests that a batch of any size takes as many round trips as one row.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use diesel::connection::InstrumentationEvent;
use diesel_async::AsyncConnection;
use domain::{
    posting::{Coordinates, ENRICH, EnrichedTexts, Findings, HistoryEntry, enrich, event},
    store::{PostingWrite, Reads, Store, WriteSet},
    testing::{company, company_write, state},
};
use kernel::{
    Actor, CompanyId, PostingId, Status,
    event::{Event, PostingState, Subject},
    outbox::Outbox,
    testing::{minutes, noon, uuid},
};
use newsletter::{
    subscriber::{
        Account, PutSubscriber, SubscriberId,
        sync::{self, Observation},
    },
    tasks, usecase,
};
use uuid::Uuid;

use super::{Database, identifier, patient, posting};
use crate::{PostgresOptions, PostgresStore};

/// A store with one connection, and a count of its round trips. Pipelined statements count once.
pub(super) async fn counted(database: &Database) -> (PostgresStore, Arc<AtomicUsize>) {
    let options = PostgresOptions {
        max_connections: 1,
        ..patient()
    };
    let store = database.open(&options).await;
    let count = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&count);
    let mut conn = store.connections.get().await.unwrap();
    let mut is_answered = true;
    conn.set_instrumentation(move |event: InstrumentationEvent<'_>| match event {
        InstrumentationEvent::StartQuery { .. } if is_answered => {
            counter.fetch_add(1, Ordering::Relaxed);
            is_answered = false;
        }
        InstrumentationEvent::FinishQuery { .. } => is_answered = true,
        _ => {}
    });
    drop(conn);
    (store, count)
}

fn history(status: Status) -> Vec<HistoryEntry> {
    let entry = HistoryEntry {
        status,
        at: noon(),
        reason: Some("because".to_owned()),
        by: Actor::Enricher,
    };
    vec![entry; 2]
}

fn creates(n: u128) -> WriteSet {
    let mut writes = WriteSet::new(noon());
    for n in 0..n {
        let company = company(&n.to_string());
        let posting = posting(n, company.id);
        writes.tasks.ask(enrich(posting.id));
        writes.tasks.events.push(Event {
            name: event::JOB_POSTING_CREATED,
            subject: Subject::Posting(PostingState::from(&posting)),
            at: noon(),
            trace: None,
        });
        let write = company_write(&company, true, true);
        writes.companies.insert(company.id, write);
        writes.postings.insert(
            posting.id,
            PostingWrite {
                expected: None,
                posting,
                sets_description: true,
                enriched: None,
                findings: Findings::default(),
                decision: None,
                replaced: None,
                history: history(Status::PendingEnrichment),
            },
        );
    }
    writes
}

fn outcomes(mut writes: WriteSet) -> WriteSet {
    for write in writes.postings.values_mut() {
        write.expected = Some(1);
        write.posting.version = 2;
        write.posting.put_in(state(Status::Approved), None);
        write.history = history(Status::Approved);
        write.enriched = Some((
            EnrichedTexts::default(),
            Some(Coordinates {
                latitude: 1.0,
                longitude: 2.0,
            }),
        ));
    }
    writes
}

#[tokio::test]
async fn a_commit_of_any_size_takes_as_many() {
    let database = Database::migrated();
    let (store, count) = counted(&database).await;
    let mut costs = Vec::new();
    for n in [1, 2, 1_000] {
        super::run(
            &store,
            "TRUNCATE postings, posting_history, companies, outbox CASCADE",
        )
        .await;
        let mut of_size = Vec::new();
        count.store(0, Ordering::Relaxed);
        let mut lap = || of_size.push(count.swap(0, Ordering::Relaxed));
        store.commit(creates(n)).await.unwrap();
        lap();
        let limit = usize::try_from(n).unwrap();
        let claimed = store
            .claim(ENRICH, limit, minutes(1), uuid(1), noon())
            .await
            .unwrap();
        assert_eq!(claimed.len(), limit);
        lap();
        let tokens: Vec<_> = claimed.iter().map(|claimed| claimed.token).collect();
        store.renew(&tokens, noon() + minutes(2)).await.unwrap();
        lap();
        let mut writes = outcomes(creates(n));
        writes.tasks.done = tokens;
        store.commit(writes).await.unwrap();
        lap();
        let mut changes = outcomes(creates(n));
        changes.companies.clear();
        for write in changes.postings.values_mut() {
            write.expected = Some(2);
            write.posting.version = 3;
        }
        store.commit(changes).await.unwrap();
        lap();
        let identifiers: Vec<_> = (0..n).map(identifier).collect();
        let known = store.load(&identifiers, &[]).await.unwrap();
        assert_eq!(known.postings.len(), limit);
        lap();
        let ids: Vec<_> = (0..n).map(|n| PostingId::new(uuid(n))).collect();
        store.load_by_id(&ids).await.unwrap();
        lap();
        let theirs: Vec<_> = known.companies.keys().copied().collect();
        store.load(&identifiers, &theirs).await.unwrap();
        lap();
        let another = CompanyId::new(Uuid::max());
        store.load(&identifiers, &[another]).await.unwrap();
        lap();
        costs.push(of_size);
    }
    // A commit with companies first locks and reads them. Any other commit takes one round trip.
    for of_size in costs {
        assert_eq!(of_size, [2, 1, 1, 2, 1, 1, 1, 1, 1]);
    }
}

fn reports(n: u128, name: &str) -> Vec<PutSubscriber> {
    let body = format!(r#"{{"name":"{name}"}}"#);
    let report = |n| newsletter::testing::report(&format!("{n}@example.com"), &body);
    (0..n).map(report).collect()
}

#[tokio::test]
async fn any_number_of_subscribers_takes_as_many() {
    let database = Database::migrated();
    let (store, count) = counted(&database).await;
    let mut costs = Vec::new();
    for n in [1, 2, 1_000] {
        super::run(&store, "TRUNCATE subscribers, outbox").await;
        let mut of_number = Vec::new();
        count.store(0, Ordering::Relaxed);
        let mut lap = || of_number.push(count.swap(0, Ordering::Relaxed));
        for name in ["Ann", "Berit"] {
            let reports = reports(n, name);
            let answers = usecase::put_subscribers(&store, &reports, noon()).await;
            assert_eq!(answers.unwrap().len(), reports.len());
            lap();
        }
        // Half of the subscribers are already known.
        let reports = reports(n * 2, "Cato");
        let answers = usecase::put_subscribers(&store, &reports, noon()).await;
        assert_eq!(answers.unwrap().len(), reports.len());
        lap();
        let mut claimed = Vec::new();
        for queue in [tasks::syncs(Account::Old), tasks::bulk_syncs(Account::Old)] {
            let claim = store.claim(queue, reports.len(), minutes(1), uuid(1), noon());
            claimed.extend(claim.await.unwrap());
        }
        assert_eq!(claimed.len(), reports.len());
        lap();
        let task = &claimed[0];
        let (token, id) = (task.token, SubscriberId::new(task.effect.key()));
        let known = newsletter::store::Store::load_by_id(&store, &[id]).await;
        let known = known.unwrap();
        let subscriber = &known[&id];
        lap();
        let mut writes = newsletter::store::WriteSet::new(noon());
        writes.tasks.done.push(token);
        let (state, nobody) = (subscriber.provider_state(), Observation::Nobody);
        sync::record(subscriber, &state, &nobody, noon()).record(&mut writes);
        newsletter::store::Store::commit(&store, writes)
            .await
            .unwrap();
        lap();
        costs.push(of_number);
    }
    // Each put first loads, and looks up unknown addresses among the erased ones. Then it commits.
    assert_eq!(costs[2], [3, 2, 3, 2, 1, 1]);
    assert_eq!(costs[0], costs[2]);
    assert_eq!(costs[1], costs[2]);
}
