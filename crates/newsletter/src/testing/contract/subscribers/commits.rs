//! Contract: a commit is written as a whole or conflicts; addresses change; rows are deleted.

use kernel::{
    Version,
    outbox::{ClaimToken, TaskId},
    testing::{Absent, rows},
};

use super::{A, B, full, insert, list, load, put, update, writing};
use crate::{
    store::{StoreError, SubscriberQuery, WriteSet},
    subscriber::{
        Departure, MigrationSource, PutSubscriber, Remembered, Subscriber, SubscriberStatus,
        departure::Purge,
    },
    tasks,
    testing::{AllPorts, email, hours, noon, report, subscriber, subscriber_id, token, uuid},
    usecase,
};

fn purging(address: &str, expected: Version, remember: Option<SubscriberStatus>) -> WriteSet {
    let mut writes = WriteSet::new(noon());
    let purge = Purge {
        expected,
        email: email(address),
        remember,
    };
    writes.purges.insert(subscriber_id(address), purge);
    writes
}

kernel::contract_cases!(
    subscribers::commits,
    impl AllPorts,
    async fn a_new_subscriber_of_a_taken_address_conflicts(store: &S) {
        insert(store, &subscriber(A)).await?;
        let other = Subscriber {
            email: email(A),
            ..full(B)
        };
        let commit = store.commit(writing(None, other)).await;
        assert_eq!(commit, Err(StoreError::Conflict));
        let again = store.commit(writing(None, subscriber(A))).await;
        assert_eq!(again, Err(StoreError::Conflict));
        assert_eq!(load(store, A).await?, Some(subscriber(A)));
    },
    async fn a_write_on_another_version_conflicts(store: &S) {
        insert(store, &subscriber(A)).await?;
        let second = update(store, &subscriber(A), full(A)).await?;
        let third = |expected| {
            let after = Subscriber {
                version: 3,
                ..subscriber(A)
            };
            writing(Some(expected), after)
        };
        for expected in [1, 3] {
            let commit = store.commit(third(expected)).await;
            assert_eq!(commit, Err(StoreError::Conflict), "{expected}");
        }
        assert_eq!(load(store, A).await?, Some(second));
        store.commit(third(2)).await?;
        let unknown = store.commit(writing(Some(1), subscriber(B))).await;
        assert_eq!(unknown, Err(StoreError::Conflict));
        assert_eq!(load(store, B).await?, None);
    },
    async fn a_conflict_writes_nothing(store: &S) {
        insert(store, &subscriber(A)).await?;
        let tasks = rows(store, false).await?;
        let mut writes = writing(Some(7), full(A));
        let new = writing(None, full(B));
        writes.subscribers.extend(new.subscribers);
        writes.tasks.ask(tasks::migrate(subscriber_id(A)));
        assert_eq!(store.commit(writes).await, Err(StoreError::Conflict));

        let mut writes = writing(None, full(B));
        writes.tasks.done.push(ClaimToken {
            task: TaskId(77),
            generation: 1,
            lease: uuid(5),
        });
        assert_eq!(store.commit(writes).await, Err(StoreError::Conflict));
        assert_eq!(load(store, A).await?, Some(subscriber(A)));
        assert_eq!(load(store, B).await?, None);
        assert_eq!(rows(store, false).await?, tasks);
    },
    async fn an_address_passes_to_another_row(store: &S) {
        let suppressed = Subscriber {
            reported_at: None,
            status: SubscriberStatus::Bounced,
            ..subscriber(B)
        };
        insert(store, &full(A)).await?;
        insert(store, &suppressed).await?;
        let put = report(B, &format!(r#"{{"previous_email":"{A}"}}"#));
        let put = PutSubscriber {
            new_id: subscriber_id("new"),
            ..put
        };
        let moved = usecase::put_subscriber(store, &put, noon() + hours(1)).await?;
        assert!(!moved.is_new);
        let moved = moved.subscriber;
        assert_eq!((moved.id, &moved.token), (subscriber_id(A), &token(A)));
        assert_eq!(load(store, B).await?.as_ref(), Some(&moved));
        let holder = store.find_by_token(&token(A)).await;
        assert_eq!(holder.as_ref(), Ok(&Some(moved.clone())));
        let ids = [subscriber_id(A), subscriber_id(B)];
        let known = store.load_by_id(&ids).await;
        assert_eq!(known, Ok([(moved.id, moved.clone())].into()));
        let left = load(store, A).await?.ok_or(Absent)?;
        assert_eq!(left.departure, Some(Departure::Moved(moved.id)));
        assert_eq!(left.id, subscriber_id("new"));
        let query = SubscriberQuery {
            limit: 10,
            ..SubscriberQuery::default()
        };
        assert_eq!(list(store, &query).await?, [moved]);
    },
    async fn an_address_is_taken_once(store: &S) {
        insert(store, &subscriber(A)).await?;
        insert(store, &subscriber(B)).await?;
        let moved = Subscriber {
            version: 2,
            email: email(A),
            ..subscriber(B)
        };
        let commit = store.commit(writing(Some(1), moved)).await;
        assert_eq!(commit, Err(StoreError::Conflict));
        assert_eq!(load(store, A).await?, Some(subscriber(A)));
        assert_eq!(load(store, B).await?, Some(subscriber(B)));
    },
    async fn a_row_goes_with_its_tasks(store: &S) {
        let individual = r#"{"membership":{"plan_category":"individual","status":"active"}}"#;
        for address in [A, B] {
            put(store, address, "{}", noon()).await?;
            put(store, address, individual, noon()).await?;
        }
        let emails = [email(A), email(B)];
        let (source, now) = (MigrationSource::Manual, noon());
        let moving = usecase::migrate(store, &emails, source, now).await;
        assert!(moving.is_ok());
        let leased = store
            .claim(tasks::MIGRATE, 9, hours(1), uuid(7), noon())
            .await;
        assert_eq!(leased.map(|leased| leased.len()), Ok(2));

        let stale = store.commit(purging(A, 2, None)).await;
        assert_eq!(stale, Err(StoreError::Conflict));
        assert!(load(store, A).await?.is_some());
        store.commit(purging(A, 3, None)).await?;
        assert_eq!(load(store, A).await?, None);
        assert_eq!(store.find_by_token(&token(A)).await, Ok(None));
        let rows = rows(store, false).await?;
        let kinds = |address: &str| {
            let id = subscriber_id(address).uuid();
            let mut kinds: Vec<_> = rows
                .iter()
                .filter(|row| row.key == id)
                .map(|row| row.kind.as_str())
                .collect();
            kinds.sort_unstable();
            kinds
        };
        assert_eq!(kinds(A), ["migrate"]);
        assert_eq!(kinds(B), ["migrate", "sync"]);
        assert!(put(store, A, "{}", noon()).await?.is_new);
    },
    async fn a_remembered_suppression_is_recalled(store: &S) {
        let all = [A, B, "c@example.com"].map(email);
        assert_eq!(store.remembered(&all).await, Ok([].into()));
        for (address, status) in [
            (A, Some(SubscriberStatus::Bounced)),
            (B, Some(SubscriberStatus::SpamReported)),
            ("c@example.com", None),
        ] {
            insert(store, &subscriber(address)).await?;
            store.commit(purging(address, 1, status)).await?;
        }
        let remembered = |status| Remembered { status, at: noon() };
        let expect = [
            (email(A), remembered(SubscriberStatus::Bounced)),
            (email(B), remembered(SubscriberStatus::SpamReported)),
        ];
        assert_eq!(store.remembered(&all).await, Ok(expect.into()));
        assert_eq!(store.remembered(&[]).await, Ok([].into()));

        let mut writes = WriteSet::new(noon());
        writes.recalled.insert(email(B));
        store.commit(writes).await?;
        let left = [(email(A), remembered(SubscriberStatus::Bounced))];
        assert_eq!(store.remembered(&all).await, Ok(left.into()));
    },
);
