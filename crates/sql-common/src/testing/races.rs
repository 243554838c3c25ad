//! Concurrent work of several processes: two stores on one database.

use access::{Clients, testing::client};
use domain::{
    posting::{ENRICH, enrich},
    store::{PostingReader, Store},
    testing::commit_events,
};
use enrichment::{DraftCache, DraftKey, Reservation};
use kernel::{
    PostingId, Prefixes, StoreError,
    event::{Cursor, EventLog, LogError, LogQuery},
    outbox::Outbox,
    testing::{hours, identifier, minutes, noon, uuid},
};
use newsletter::{store::Accounts, subscriber::Account};
use tokio::task::JoinSet;

use super::{Shell, sample};

/// Runs work concurrently, alternating between the two stores, and collects the results.
pub async fn at_once<S: Clone, T, F>(
    one: &S,
    other: &S,
    many: u128,
    work: impl Fn(S, u128) -> F,
) -> Vec<T>
where
    T: Send + 'static,
    F: Future<Output = T> + Send + 'static,
{
    let mut all = JoinSet::new();
    for n in 0..many {
        let store = if n % 2 == 0 { one } else { other }.clone();
        all.spawn(work(store, n));
    }
    all.join_all().await
}

pub async fn one_wins(
    first: impl Future<Output = Result<(), StoreError>>,
    second: impl Future<Output = Result<(), StoreError>>,
) {
    let (first, second) = tokio::join!(first, second);
    let mut outcomes = [first, second];
    outcomes.sort_by_key(Result::is_err);
    assert_eq!(outcomes, [Ok(()), Err(StoreError::Conflict)]);
}

pub async fn writers_lose_no_writes<S: Store + Shell + Clone + 'static>(one: &S, other: &S) {
    let create = |store: S, n| async move { store.commit(sample::create(n)).await };
    let commits = at_once(one, other, 100, create).await;
    assert_eq!(commits, vec![Ok(()); 100]);
    assert_eq!(one.number("SELECT count(*) FROM postings").await, 100);
    assert_eq!(one.number("SELECT count(*) FROM companies").await, 1);
}

/// Two commits create the same postings. One commit succeeds, and the other leaves nothing.
pub async fn of_two_creates_of_the_same_identifiers_one_wins<S: Store + Shell>(one: &S, other: &S) {
    assert_eq!(one.commit(sample::create(1_000_000)).await, Ok(()));
    for round in 0..10 {
        let of = |n: u128| round * 1_000 + n;
        let create = |n, id| {
            let mut writes = sample::create_as(of(n), id);
            writes.tasks.ask(enrich(PostingId::new(uuid(id))));
            writes
        };
        let first = sample::join((0..200).map(|n| create(n, of(n))));
        let second = sample::join((0..200).map(|n| create(n, 2_000_000 + of(999 - n))));
        one_wins(one.commit(first), other.commit(second)).await;
    }
    assert_eq!(one.number("SELECT count(*) FROM postings").await, 2_001);
    assert_eq!(one.number("SELECT count(*) FROM outbox").await, 2_000);
}

/// The order of ids is not that of addresses.
pub async fn of_two_imports_of_the_same_people_one_wins<S>(one: &S, other: &S)
where
    S: newsletter::store::Store + Shell,
{
    for round in 0..10 {
        let of = |n: u128| round * 1_000 + n;
        let import = |id: fn(u128) -> u128| {
            sample::subscribers((0..200).map(|n| (of(n), of(0) + id(n), None)))
        };
        let (first, second) = (import(|n| n), import(|n| 2_000_999 - n));
        one_wins(one.commit(first), other.commit(second)).await;
    }
    assert_eq!(one.number("SELECT count(*) FROM subscribers").await, 2_000);
    assert_eq!(one.number("SELECT count(*) FROM outbox").await, 2_000);
}

pub async fn a_task_is_claimed_by_one<S: Store + Outbox + Clone + 'static>(one: &S, other: &S) {
    let mut writes = domain::store::WriteSet::new(noon());
    for n in 0..200 {
        writes.tasks.ask(enrich(PostingId::new(uuid(n))));
    }
    assert_eq!(one.commit(writes).await, Ok(()));
    let claim = |store: S, n| async move {
        let mut tasks = Vec::new();
        // Another worker may hold the rows examined first, so an empty answer is not the end.
        for round in 0..10 {
            let claim = store.claim(ENRICH, 7, minutes(1), uuid(n * 10 + round), noon());
            let claimed = claim.await.expect("the store works");
            assert!(claimed.len() <= 7);
            tasks.extend(claimed.into_iter().map(|claimed| claimed.token.task));
        }
        tasks
    };
    let mut tasks = at_once(one, other, 40, claim).await.concat();
    tasks.sort_unstable();
    assert_eq!(tasks.len(), 200);
    tasks.dedup();
    assert_eq!(tasks.len(), 200);
}

pub async fn accounts_are_leased_by_one<S: Accounts + Clone + 'static>(one: &S, other: &S) {
    for round in 0..10 {
        let now = noon() + hours(round);
        let lease = |store: S, n| async move {
            let mut accounts = Account::ALL.to_vec();
            if n < 4 {
                accounts.reverse();
            }
            store.lease(&accounts, uuid(n), now + hours(1), now).await
        };
        let leased = at_once(one, other, 8, lease).await;
        assert_eq!(leased.iter().filter(|it| **it == Ok(true)).count(), 1);
        assert_eq!(leased.iter().filter(|it| **it == Ok(false)).count(), 7);
    }
}

/// Tests new keys first, then keys with expired reservations.
pub async fn a_draft_is_reserved_by_one<S: DraftCache + Clone + 'static>(one: &S, other: &S) {
    const KEYS: u128 = 10;
    for round in 0..2 {
        let now = noon() + hours(round);
        let reserve = |store: S, n| async move {
            let key = u8::try_from(n % KEYS).expect("they are few");
            let holder = uuid(n + 1_000 * u128::from(round.unsigned_abs()));
            let key = DraftKey::from_bytes([key; 32]);
            let reserved = store.reserve(&key, holder, now + hours(1), now).await;
            (n % KEYS, reserved)
        };
        let answers = at_once(one, other, 20 * KEYS, reserve).await;
        for n in 0..KEYS {
            let count = |wanted: Reservation| {
                let wanted = (n, Ok(wanted));
                answers.iter().filter(|it| **it == wanted).count()
            };
            let granted = (count(Reservation::Granted), count(Reservation::Taken));
            assert_eq!(granted, (1, 19), "{n} in {round}");
        }
    }
}

pub async fn an_event_is_deleted_once<S>(one: &S, other: &S)
where
    S: Store + EventLog + Clone + 'static,
{
    let events = (0..500).map(sample::event).collect();
    commit_events(one, events).await.expect("they are new");
    let forget = |store: S, _| async move { store.forget(noon() + minutes(1), 60).await };
    let deleted = at_once(one, other, 10, forget).await;
    let deleted: Result<Vec<_>, _> = deleted.into_iter().collect();
    assert_eq!(deleted.map(|all| all.iter().sum()), Ok(500));
    let query = LogQuery {
        after: Some(Cursor::START),
        names: Vec::new(),
        prefixes: Prefixes::ALL,
        reader: None,
        limit: 1,
    };
    assert_eq!(one.read(&query).await, Err(LogError::Gone));
}

pub async fn one_store_sees_the_commits_of_another<S>(one: &S, other: &S)
where
    S: Store + PostingReader + Clients,
{
    let found = async || PostingReader::find(other, &identifier("job-1")).await;
    assert_eq!(found().await, Ok(None));
    assert_eq!(one.commit(sample::create(1)).await, Ok(()));
    assert!(found().await.is_ok_and(|it| it.is_some()));

    let client = client(1);
    let found = async || {
        let found = Clients::find(other, client.id).await;
        found.map(|found| found.map(|client| client.revoked_at))
    };
    assert_eq!(one.insert(&client, None).await, Ok(()));
    assert_eq!(found().await, Ok(Some(None)));
    let revoked = client.revoke(noon()).expect("it is not revoked");
    assert_eq!(one.update(&revoked, None).await, Ok(()));
    assert_eq!(found().await, Ok(Some(Some(noon()))));
}
