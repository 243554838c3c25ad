//! Commits are atomic: state and outbox, or nothing.

use kernel::{
    PostingId, StoreError,
    event::{Event, EventLog, Subject},
    outbox::Outbox,
    testing::{noon, rows, uuid},
};

use super::{
    events::{put_events, until_all_readable, walk},
    posting, touching, writing,
};
use crate::{
    posting::{enrich, event::JOB_POSTING_CREATED},
    store::Store,
    testing::create,
};

kernel::contract_cases!(
    commits,
    impl Store + Outbox + EventLog,
    async fn a_conflict_writes_nothing(store: &S) {
        put_events(store, &[create("a", "acme"), create("b", "bolt")]).await?;
        let (a, b) = (posting(store, "a").await?, posting(store, "b").await?);
        let tasks = rows(store, false).await?;
        let events = walk(store, None, &[JOB_POSTING_CREATED]).await?;
        let mut writes = touching(&a, |posting| posting.details.title = "New".into());
        let other = writing(&b, |write| write.expected = Some(7));
        writes.postings.extend(other.postings);
        writes.tasks.ask(enrich(PostingId::new(uuid(9))));
        writes.tasks.events.push(Event {
            name: JOB_POSTING_CREATED,
            subject: Subject::Other(uuid(9)),
            at: noon(),
            trace: None,
        });
        assert_eq!(store.commit(writes).await, Err(StoreError::Conflict));
        assert_eq!(posting(store, "a").await?, a);
        assert_eq!(posting(store, "b").await?, b);
        assert_eq!(rows(store, false).await?, tasks);
        until_all_readable(store).await?;
        assert_eq!(walk(store, None, &[JOB_POSTING_CREATED]).await?, events);
    },
);
