//! Webhooks in tables: values that are refused, and workers on several stores.

use std::{collections::HashSet, time::Duration};

use kernel::{
    StoreError,
    event::Cursor,
    testing::{hours, noon, uuid},
};
use time::OffsetDateTime;
use uuid::Uuid;
use webhooks::{
    DeliveryRecord, Endpoint, EndpointId, Health, LeaseQuery, MOST_ENDPOINTS, Owner, Recorded,
    Round, WaitingEvent, WaitingSubject, Webhooks, testing::endpoint,
};

use super::{Shell, races::at_once, sample::TOLD};

pub const fn place(sequence: u64) -> Cursor {
    Cursor {
        transaction: 0,
        sequence,
    }
}

pub fn of(endpoint: &Endpoint, to: u64) -> Round {
    Round {
        endpoint: endpoint.id,
        version: endpoint.version,
        from: Cursor::START,
        to: place(to),
        waiting: Vec::new(),
        settled: Vec::new(),
        dead_letters: 0,
        deliveries: Vec::new(),
        health: Health::default(),
        disabled: None,
        wakes_silent: false,
        at: noon(),
        again_at: noon(),
    }
}

pub fn silent(n: u64) -> WaitingSubject {
    WaitingSubject {
        subject: uuid(n.into()),
        next: WaitingEvent {
            cursor: place(n),
            name: TOLD,
        },
        attempts: 1,
        next_at: noon(),
        last_error: Some("no answer".to_owned()),
        is_silent: true,
        later: Vec::new(),
        read_to: Some(place(n + 1)),
    }
}

pub fn failed(n: u64) -> DeliveryRecord {
    DeliveryRecord {
        at: noon(),
        event: place(n),
        name: TOLD,
        attempt: 1,
        status: None,
        duration: Duration::from_secs(15),
        error: Some("no answer".to_owned()),
    }
}

pub fn query(holder: Uuid, now: OffsetDateTime, limit: usize) -> LeaseQuery {
    LeaseQuery {
        holder,
        until: now + hours(1),
        now,
        end: place(1_000_000),
        limit,
    }
}

pub async fn leased<S: Webhooks>(store: &S, endpoint: &Endpoint, holder: Uuid) {
    let inserted = store.insert(endpoint, Cursor::START, None).await;
    inserted.expect("it is new");
    let leased = store.lease(&query(holder, noon(), 99)).await;
    let leased = leased.expect("the store works");
    assert!(leased.iter().any(|it| it.endpoint.id == endpoint.id));
}

const REFUSED: [&str; 7] = [
    "UPDATE webhook_endpoints SET state = 'disabled'",
    "UPDATE webhook_endpoints SET state_reason = ''",
    "UPDATE webhook_endpoints SET previous_secret_until = {past}",
    "UPDATE webhook_endpoints SET previous_secret = {long}",
    "UPDATE webhook_endpoints SET leased_until = NULL, holder = {id}",
    "UPDATE webhook_waiting SET endpoint = {id}",
    "UPDATE webhook_deliveries SET endpoint = {id}",
];

/// Checks that the tables refuse rows that only hand-written SQL could insert.
pub async fn tables_refuse_what_has_no_meaning<S: Webhooks + Shell>(store: &S) {
    let endpoint = endpoint(1);
    leased(store, &endpoint, uuid(1)).await;
    let mut round = of(&endpoint, 1);
    round.waiting = vec![silent(1)];
    round.deliveries = vec![failed(1)];
    assert_eq!(store.record(uuid(1), &round).await, Ok(Recorded::Done));
    for statement in REFUSED {
        assert!(store.shell(statement).await.is_err(), "{statement}");
    }
}

const ENDPOINTS: u8 = 40;
const WORKERS: u128 = 8;

/// Workers on two stores share the endpoints: each leases one, and both stores show the result.
pub async fn workers_of_two_stores_share_endpoints<S>(one: &S, other: &S)
where
    S: Webhooks + Clone + 'static,
{
    for n in 1..=ENDPOINTS {
        let inserted = one.insert(&endpoint(n), Cursor::START, None).await;
        inserted.expect("it is new");
    }
    let work = |own: S, n| async move { lease_all(&own, uuid(n)).await };
    let mut ids = HashSet::new();
    for (holder, leased) in at_once(one, other, WORKERS, work).await {
        for id in leased {
            assert!(ids.insert(id), "{id} is leased twice");
            let round = Round {
                endpoint: id,
                ..of(&endpoint(1), 1)
            };
            let thief = uuid(WORKERS + 1);
            assert_eq!(one.record(thief, &round).await, Ok(Recorded::Lost));
            // The holder may use either store.
            assert_eq!(other.record(holder, &round).await, Ok(Recorded::Done));
            assert_eq!(one.record(holder, &round).await, Ok(Recorded::Lost));
            for store in [one, other] {
                let found = Webhooks::find(store, id).await.expect("the store works");
                assert_eq!(found.map(|found| found.cursor), Some(place(1)));
            }
        }
    }
    assert_eq!(ids.len(), usize::from(ENDPOINTS));
}

/// Leases all endpoints by asking several times. An empty answer is not the end, because another
/// worker may have leased the endpoints that were examined first.
async fn lease_all<S: Webhooks>(store: &S, holder: Uuid) -> (Uuid, Vec<EndpointId>) {
    let mut ids = Vec::new();
    for _ in 0..10 {
        let leased = store.lease(&query(holder, noon(), 3)).await;
        let leased = leased.expect("the store works");
        assert!(leased.len() <= 3);
        ids.extend(leased.iter().map(|tracked| tracked.endpoint.id));
    }
    (holder, ids)
}

pub async fn registrations_at_two_stores_keep_the_limit<S>(one: &S, other: &S)
where
    S: Webhooks + Clone + 'static,
{
    let register = |store: S, n| async move {
        let endpoint = endpoint(u8::try_from(n + 1).expect("they are few"));
        store.insert(&endpoint, Cursor::START, None).await
    };
    let outcomes = at_once(one, other, MOST_ENDPOINTS as u128 + 20, register).await;
    let count = |wanted| outcomes.iter().filter(|it| **it == wanted).count();
    let counts = (count(Ok(())), count(Err(StoreError::Conflict)));
    assert_eq!(counts, (MOST_ENDPOINTS, 20));
    let owned = one
        .list(Some(Owner::Operator), None, 2 * MOST_ENDPOINTS)
        .await;
    assert_eq!(owned.expect("the store works").len(), MOST_ENDPOINTS);
}
