//! Webhook endpoints: their owners' changes, leases, and the results of rounds.

use std::{collections::HashSet, time::Duration};

use time::OffsetDateTime;
use uuid::Uuid;

use super::events::{commit_each, end};
use crate::{
    audit::{Action, AuditLog, AuditQuery},
    client::ClientId,
    event::{Cursor, EventLog, EventName},
    field::Patch,
    posting::event::{COMPANY_UPDATED, JOB_POSTING_CREATED},
    store::{Store, StoreError},
    testing::{by_ann, endpoint, hours, minutes, noon, text, uuid},
    webhook::{
        DELIVERIES_KEPT, DeliveryRecord, Endpoint, EndpointBacklog, EndpointChange, EndpointId,
        EndpointState, EndpointUrl, EndpointWrite, Health, LeaseQuery, MOST_WAITING_COUNTED, Owner,
        PreviousSecret, Round, Secret, TrackedEndpoint, WaitingEvent, WantedState, Webhooks,
    },
};

const TOLD: EventName = EventName::new("Told");
const ONE: Uuid = Uuid::from_u128(1);
const TWO: Uuid = Uuid::from_u128(2);
const SECOND: time::Duration = time::Duration::SECOND;

fn id(n: u8) -> EndpointId {
    endpoint(n).id
}

/// A place in a log that need not have it.
fn place(n: u64) -> Cursor {
    Cursor {
        transaction: 0,
        sequence: n,
    }
}

async fn insert<S: Webhooks>(store: &S, numbers: impl IntoIterator<Item = u8>) {
    for n in numbers {
        let inserted = store.insert(&endpoint(n), Cursor::START, None).await;
        inserted.expect("the store works");
    }
}

async fn find<S: Webhooks>(store: &S, id: EndpointId) -> Option<TrackedEndpoint> {
    Webhooks::find(store, id).await.expect("the store works")
}

async fn found<S: Webhooks>(store: &S, n: u8) -> TrackedEndpoint {
    find(store, id(n)).await.expect("it is there")
}

/// The end of the log, which each endpoint still has to reach.
const END: u64 = 1_000;

async fn lease<S: Webhooks>(
    store: &S,
    holder: Uuid,
    now: OffsetDateTime,
    limit: usize,
) -> Vec<EndpointId> {
    let query = LeaseQuery {
        holder,
        until: now + minutes(1),
        now,
        end: place(END),
        limit,
    };
    let leased = store.lease(&query).await.expect("the store works");
    leased
        .into_iter()
        .map(|tracked| tracked.endpoint.id)
        .collect()
}

/// A round of the first endpoint that moves it from one place to another.
fn round(from: u64, to: u64, at: OffsetDateTime) -> Round {
    Round {
        endpoint: id(1),
        version: 1,
        from: place(from),
        to: place(to),
        waiting: Vec::new(),
        settled: Vec::new(),
        deliveries: Vec::new(),
        health: Health::default(),
        disabled: None,
        wakes_silent: false,
        at,
    }
}

fn waiting(n: u64, subject: u128, next_at: Option<OffsetDateTime>) -> WaitingEvent {
    WaitingEvent {
        cursor: place(n),
        name: TOLD,
        subject: uuid(subject),
        attempts: u32::from(next_at.is_some()),
        next_at,
        last_error: next_at.map(|_| "answered 500".to_owned()),
        is_silent: false,
    }
}

/// Leases the first endpoint, and records a round of it that moves it on by one place.
async fn record<S: Webhooks>(store: &S, at: OffsetDateTime, change: impl FnOnce(&mut Round)) {
    // Another lease would be for another endpoint.
    let leased = lease(store, ONE, at, 9).await;
    assert!(leased.contains(&id(1)), "there is something to do");
    let from = found(store, 1).await.cursor.sequence;
    let mut round = round(from, from + 1, at);
    change(&mut round);
    assert_eq!(store.record(ONE, &round).await, Ok(true));
}

async fn due<S: Webhooks>(store: &S, at: OffsetDateTime, limit: usize) -> Vec<u64> {
    let due = store.due(id(1), at, limit).await.expect("the store works");
    due.iter().map(|event| event.cursor.sequence).collect()
}

/// With every field.
pub async fn an_endpoint_comes_back<S: Webhooks>(store: &S) {
    let full = Endpoint {
        owner: Owner::Client(ClientId::new(uuid(7))),
        names: Some(vec![COMPANY_UPDATED, JOB_POSTING_CREATED]),
        prefixes: vec!["acme-".to_owned(), "ü\"\\,%_".to_owned()],
        include_posting: true,
        description: Some(text(255)),
        state: EndpointState::Disabled,
        state_reason: Some("It said so.".to_owned()),
        previous_secret: Some(PreviousSecret {
            secret: Secret::new([0; 24]).expect("it is long enough"),
            until: noon() + hours(1),
        }),
        updated_at: noon() + minutes(1),
        version: 7,
        ..endpoint(2)
    };
    let none = Endpoint {
        names: Some(Vec::new()),
        ..endpoint(1)
    };
    for endpoint in [full, none] {
        let start = Cursor {
            transaction: 5,
            sequence: u64::from(endpoint.include_posting),
        };
        let inserted = store.insert(&endpoint, start, None).await;
        inserted.expect("the store works");
        let expect = TrackedEndpoint {
            endpoint: endpoint.clone(),
            cursor: start,
            health: Health::default(),
        };
        assert_eq!(find(store, endpoint.id).await, Some(expect));
    }
    assert_eq!(find(store, id(3)).await, None);
}

pub async fn endpoints_are_listed_by_owner_and_by_pages<S: Webhooks>(store: &S) {
    let owners = [1, 2].map(|n| Owner::Client(ClientId::new(uuid(n))));
    for n in [3, 1, 5, 2, 4] {
        let owner = match n {
            1 => Owner::Operator,
            n => owners[usize::from(n % 2)],
        };
        let endpoint = Endpoint {
            owner,
            ..endpoint(n)
        };
        let inserted = store.insert(&endpoint, Cursor::START, None).await;
        inserted.expect("the store works");
    }
    for (owner, after, limit, expect) in [
        (None, None, 9, &[1, 2, 3, 4, 5][..]),
        (None, None, 2, &[1, 2]),
        (None, Some(2), 2, &[3, 4]),
        (None, Some(5), 2, &[]),
        (Some(Owner::Operator), None, 9, &[1]),
        (Some(owners[0]), None, 9, &[2, 4]),
        (Some(owners[1]), None, 1, &[3]),
        (Some(owners[1]), Some(3), 9, &[5]),
    ] {
        let listed = Webhooks::list(store, owner, after.map(id), limit).await;
        let listed = listed.expect("the store works");
        let ids: Vec<_> = listed.iter().map(|row| row.endpoint.id).collect();
        let expect: Vec<_> = expect.iter().map(|n| id(*n)).collect();
        assert_eq!(ids, expect, "{owner:?} {after:?}");
    }
}

fn paused(endpoint: &Endpoint) -> EndpointWrite {
    wanting(endpoint, WantedState::Paused)
}

fn wanting(endpoint: &Endpoint, state: WantedState) -> EndpointWrite {
    let change = EndpointChange {
        state: Patch::Set(state),
        ..EndpointChange::default()
    };
    let write = endpoint.apply(&change, noon() + hours(1));
    write.expect("it changes something")
}

pub async fn a_change_needs_the_version<S: Webhooks>(store: &S) {
    insert(store, [1]).await;
    let at = noon() + minutes(1);
    let mut health = Health::default();
    health.fall_silent(1.0, noon());
    record(store, at, |round| round.health = health).await;
    let rotated = endpoint(1).rotate(Secret::new([9; 64]).expect("it is long"), at);
    store.update(&rotated, None).await.expect("it is the first");
    let expect = TrackedEndpoint {
        endpoint: rotated.endpoint.clone(),
        cursor: place(1),
        health,
    };
    assert_eq!(found(store, 1).await, expect);
    for late in [rotated, paused(&endpoint(1)), paused(&endpoint(2))] {
        let refused = store.update(&late, None).await;
        assert_eq!(refused, Err(StoreError::Conflict));
    }
    assert_eq!(found(store, 1).await, expect);
}

/// With the events that wait for another attempt, but not those behind them.
pub async fn starting_over_clears_the_record<S: Webhooks>(store: &S) {
    insert(store, [1]).await;
    let mut health = Health::default();
    health.fall_silent(1.0, noon());
    record(store, noon(), |round| {
        round.health = health;
        round.waiting = vec![
            waiting(1, 1, Some(noon() + hours(9))),
            waiting(2, 1, None),
            waiting(3, 2, Some(noon())),
        ];
    })
    .await;
    let url = EndpointUrl::from_store("https://other.example/").expect("it is a URL");
    let change = EndpointChange {
        url: Patch::Set(url),
        ..EndpointChange::default()
    };
    let write = endpoint(1).apply(&change, noon() + minutes(1));
    let write = write.expect("it changes");
    store.update(&write, None).await.expect("the store works");
    let after = found(store, 1).await;
    assert_eq!((after.endpoint, after.cursor), (write.endpoint, place(1)));
    assert_eq!(after.health, Health::default());
    assert_eq!(due(store, noon(), 9).await, [3]);
    assert_eq!(due(store, noon() + minutes(1), 9).await, [3, 1]);
}

pub async fn a_deleted_endpoint_is_gone_with_its_work<S: Webhooks>(store: &S) {
    insert(store, [1, 2]).await;
    record(store, noon(), |round| {
        round.waiting = vec![waiting(1, 1, Some(noon()))];
        round.deliveries = vec![delivery(1, noon())];
    })
    .await;
    lease(store, ONE, noon(), 9).await;
    assert_eq!(store.delete(id(1), None).await, Ok(true));
    assert_eq!(store.delete(id(1), None).await, Ok(false));
    assert_eq!(find(store, id(1)).await, None);
    assert!(find(store, id(2)).await.is_some());
    assert_eq!(store.record(ONE, &round(1, 2, noon())).await, Ok(false));
    // Nothing of it is there for another one of the same id.
    insert(store, [1]).await;
    assert_eq!(due(store, noon(), 9).await, [0; 0]);
    assert_eq!(store.deliveries(id(1), 9).await, Ok(Vec::new()));
    assert_eq!(lease(store, TWO, noon(), 9).await, [id(1)]);
}

pub async fn an_endpoint_is_leased_by_one_holder<S: Webhooks>(store: &S) {
    insert(store, 1..=3).await;
    let query = LeaseQuery {
        holder: ONE,
        until: noon() + minutes(1),
        now: noon(),
        end: place(END),
        limit: 2,
    };
    let leased = store.lease(&query).await.expect("the store works");
    assert_eq!(leased, [found(store, 1).await, found(store, 2).await]);
    assert_eq!(lease(store, TWO, noon(), 9).await, [id(3)]);
    for holder in [ONE, TWO] {
        assert_eq!(lease(store, holder, noon(), 9).await, []);
    }
    let end = noon() + minutes(1);
    assert_eq!(lease(store, TWO, end - SECOND, 9).await, []);
    assert_eq!(lease(store, TWO, end, 9).await, [1, 2, 3].map(id));
}

pub async fn an_endpoint_is_leased_when_there_is_something_to_do<S: Webhooks>(store: &S) {
    insert(store, 1..=2).await;
    let second = store.update(&paused(&endpoint(2)), None).await;
    second.expect("the store works");
    let at = |minute| noon() + minutes(minute);
    let mut quiet = Health::default();
    quiet.answer(Some(Duration::from_mins(5)), at(0));
    record(store, at(0), |round| round.health = quiet).await;
    assert_eq!(lease(store, ONE, at(5) - SECOND, 9).await, []);
    // Up to the end of the log, with an event to try again and one behind it.
    record(store, at(5), |round| {
        round.to = place(END);
        round.waiting = vec![waiting(1, 1, Some(at(9))), waiting(2, 1, None)];
    })
    .await;
    assert_eq!(lease(store, ONE, at(9) - SECOND, 9).await, []);
    record(store, at(9), |round| {
        round.to = place(END);
        round.settled = vec![place(1), place(2)];
    })
    .await;
    assert_eq!(lease(store, ONE, at(99), 9).await, []);
    for (wanted, leased) in [
        (WantedState::Active, &[id(2)][..]),
        (WantedState::Paused, &[]),
    ] {
        let write = wanting(&found(store, 2).await.endpoint, wanted);
        store.update(&write, None).await.expect("the store works");
        assert_eq!(lease(store, ONE, at(99), 9).await, leased);
    }
}

/// Those that were never leased first, then those whose last lease ended longest ago.
pub async fn endpoints_take_turns<S: Webhooks>(store: &S) {
    insert(store, 1..=3).await;
    let at = |minute| noon() + minutes(minute);
    let mut turns = Vec::new();
    for minute in 0..6 {
        let leased = lease(store, ONE, at(minute), 1).await;
        assert_eq!(leased.len(), 1);
        let released = store.release(ONE, &leased, at(minute)).await;
        released.expect("the store works");
        turns.extend(leased);
    }
    assert_eq!(turns, [1, 2, 3, 1, 2, 3].map(id));
    // A recorded round ends a lease as well, and a lost one ends later.
    record(store, at(7), |_| {}).await;
    let later = at(7) + SECOND;
    assert_eq!(lease(store, TWO, later, 9).await, [id(1)]);
    assert_eq!(lease(store, TWO, at(8), 9).await, [2, 3].map(id));
    assert_eq!(lease(store, ONE, at(9), 9).await, [1, 2, 3].map(id));
}

pub async fn a_lease_is_renewed_while_the_endpoint_is_active<S: Webhooks>(store: &S) {
    insert(store, 1..=4).await;
    let at = |minute| noon() + minutes(minute);
    assert_eq!(lease(store, ONE, at(0), 3).await, [1, 2, 3].map(id));
    assert_eq!(lease(store, TWO, at(0), 9).await, [4].map(id));
    let third = store.update(&paused(&endpoint(3)), None).await;
    third.expect("the store works");
    let renewed = store.renew(ONE, &[1, 3, 4].map(id), at(9)).await;
    assert_eq!(renewed, Ok(HashSet::from([id(1)])));
    // The other leases lapse; a holder keeps a lapsed one until another holder takes it.
    assert_eq!(lease(store, TWO, at(1), 1).await, [id(2)]);
    let renewed = store.renew(TWO, &[2, 4].map(id), at(9)).await;
    assert_eq!(renewed, Ok(HashSet::from([2, 4].map(id))));
    let renewed = store.renew(ONE, &[1, 2].map(id), at(9)).await;
    assert_eq!(renewed, Ok(HashSet::from([id(1)])));
    assert_eq!(lease(store, TWO, at(8), 9).await, []);
    let released = store.release(TWO, &[1, 2].map(id), at(8)).await;
    released.expect("the store works");
    assert_eq!(lease(store, ONE, at(8), 9).await, [id(2)]);
}

fn delivery(n: u64, at: OffsetDateTime) -> DeliveryRecord {
    DeliveryRecord {
        at,
        event: place(n),
        name: TOLD,
        attempt: 1,
        status: Some(200),
        duration: Duration::from_millis(n),
        error: None,
    }
}

pub async fn a_round_is_recorded_as_a_whole<S: Webhooks>(store: &S) {
    insert(store, [1, 2]).await;
    let health = Health {
        last_success_at: Some(noon()),
        failing_since: Some(noon() + SECOND),
        silent_rounds: 3,
        quiet_until: Some(noon() + minutes(1)),
    };
    let silent = WaitingEvent {
        attempts: 2,
        last_error: Some(text(200)),
        is_silent: true,
        ..waiting(2, 1, Some(noon() + minutes(1)))
    };
    let behind = waiting(3, 1, None);
    let failed = DeliveryRecord {
        attempt: 2,
        status: None,
        duration: Duration::from_secs(15),
        error: Some(text(200)),
        ..delivery(2, noon() + SECOND)
    };
    let deliveries = vec![delivery(1, noon()), failed];
    record(store, noon(), |round| {
        round.to = place(4);
        round.waiting = vec![silent.clone(), behind.clone()];
        round.deliveries.clone_from(&deliveries);
        round.health = health;
    })
    .await;
    let expect = TrackedEndpoint {
        endpoint: endpoint(1),
        cursor: place(4),
        health,
    };
    assert_eq!(found(store, 1).await, expect);
    let later = noon() + minutes(1);
    assert_eq!(store.due(id(1), later, 9).await, Ok(vec![silent.clone()]));
    let newest: Vec<_> = deliveries.iter().rev().cloned().collect();
    assert_eq!(store.deliveries(id(1), 9).await, Ok(newest));
    // A waiting event is changed, and when it is settled, the one behind it is due.
    let again = WaitingEvent {
        attempts: 3,
        last_error: Some("answered 500".to_owned()),
        is_silent: false,
        next_at: Some(later + SECOND),
        ..silent
    };
    record(store, later, |round| round.waiting = vec![again.clone()]).await;
    assert_eq!(store.due(id(1), later, 9).await, Ok(Vec::new()));
    let later = later + SECOND;
    assert_eq!(store.due(id(1), later, 9).await, Ok(vec![again]));
    record(store, later, |round| round.settled = vec![place(2)]).await;
    let next = WaitingEvent {
        next_at: Some(later),
        ..behind
    };
    assert_eq!(store.due(id(1), later, 9).await, Ok(vec![next]));
    // All of it is about one endpoint.
    let other = found(store, 2).await;
    assert_eq!((other.cursor, other.health), (place(0), Health::default()));
    assert_eq!(store.due(id(2), later, 9).await, Ok(Vec::new()));
    assert_eq!(store.deliveries(id(2), 9).await, Ok(Vec::new()));
}

pub async fn a_round_without_the_lease_is_not_recorded<S: Webhooks>(store: &S) {
    insert(store, [1]).await;
    let full = Round {
        waiting: vec![waiting(1, 1, Some(noon()))],
        deliveries: vec![delivery(1, noon())],
        disabled: Some("It said so.".to_owned()),
        ..round(0, 1, noon())
    };
    let refused = async |holder| {
        assert_eq!(store.record(holder, &full).await, Ok(false));
        let after = found(store, 1).await;
        assert_eq!((after.endpoint, after.cursor), (endpoint(1), place(0)));
        assert_eq!(due(store, noon(), 9).await, [0; 0]);
        assert_eq!(store.deliveries(id(1), 9).await, Ok(Vec::new()));
    };
    refused(ONE).await;
    lease(store, ONE, noon(), 9).await;
    refused(TWO).await;
    // One that has lapsed is lost to the next holder, and not before.
    let later = noon() + hours(1);
    lease(store, TWO, later, 9).await;
    refused(ONE).await;
    assert_eq!(store.record(TWO, &round(0, 1, later)).await, Ok(true));
    assert_eq!(store.record(TWO, &round(1, 2, later)).await, Ok(false));
    lease(store, TWO, later, 9).await;
    let late = round(1, 2, later + hours(1));
    assert_eq!(store.record(TWO, &late).await, Ok(true));
}

pub async fn a_round_that_was_moved_back_is_not_recorded<S: Webhooks>(store: &S) {
    insert(store, [1]).await;
    record(store, noon(), |round| round.to = place(5)).await;
    lease(store, ONE, noon(), 9).await;
    assert_eq!(store.replay(id(1), place(3), None).await, Ok(true));
    assert_eq!(store.record(ONE, &round(5, 6, noon())).await, Ok(false));
    assert_eq!(found(store, 1).await.cursor, place(3));
    assert_eq!(store.record(ONE, &round(3, 6, noon())).await, Ok(true));
}

/// The health that the round reports is about the endpoint before the change.
pub async fn a_round_leaves_an_owners_change_alone<S: Webhooks>(store: &S) {
    insert(store, [1]).await;
    lease(store, ONE, noon(), 9).await;
    let url = EndpointUrl::from_store("https://other.example/").expect("it is a URL");
    let change = EndpointChange {
        url: Patch::Set(url),
        ..EndpointChange::default()
    };
    let write = endpoint(1).apply(&change, noon() + SECOND);
    let write = write.expect("it changes");
    store.update(&write, None).await.expect("the store works");
    let mut round = round(0, 3, noon());
    round.health.fall_silent(1.0, noon());
    round.disabled = Some("It said so.".to_owned());
    round.waiting = vec![waiting(1, 1, Some(noon()))];
    assert_eq!(store.record(ONE, &round).await, Ok(true));
    let expect = TrackedEndpoint {
        endpoint: write.endpoint,
        cursor: place(3),
        health: Health::default(),
    };
    assert_eq!(found(store, 1).await, expect);
    assert_eq!(due(store, noon(), 9).await, [1]);
}

pub async fn a_round_disables<S: Webhooks>(store: &S) {
    insert(store, [1]).await;
    let at = noon() + minutes(1);
    record(store, at, |round| {
        round.disabled = Some("It said so.".to_owned());
    })
    .await;
    let after = found(store, 1).await;
    assert_eq!(after.endpoint, endpoint(1).disable("It said so.", at));
    assert_eq!(after.cursor, place(1));
    assert_eq!(lease(store, ONE, noon() + hours(99), 9).await, []);
}

/// The longest due first.
pub async fn of_each_subject_the_oldest_event_is_due<S: Webhooks>(store: &S) {
    insert(store, [1]).await;
    let at = |minute| noon() + minutes(minute);
    record(store, noon(), |round| {
        round.waiting = vec![
            waiting(1, 1, Some(at(2))),
            waiting(2, 2, Some(at(1))),
            waiting(3, 1, None),
            waiting(4, 2, None),
            waiting(5, 2, None),
            waiting(6, 3, Some(at(2))),
        ];
    })
    .await;
    assert_eq!(due(store, at(1) - SECOND, 9).await, [0; 0]);
    assert_eq!(due(store, at(1), 9).await, [2]);
    assert_eq!(due(store, at(9), 9).await, [2, 1, 6]);
    assert_eq!(due(store, at(9), 2).await, [2, 1]);
    let subjects = [1, 3, 4].map(uuid);
    let among = store.waiting_among(id(1), &HashSet::from(subjects)).await;
    assert_eq!(among, Ok(HashSet::from([1, 3].map(uuid))));
    let among = store.waiting_among(id(2), &HashSet::from(subjects)).await;
    assert_eq!(among, Ok(HashSet::new()));
    // The next of a subject is due with the round that settles those before it, even one that the
    // same round has added.
    record(store, at(3), |round| {
        round.settled = vec![place(2), place(4), place(6)];
        round.waiting = vec![waiting(7, 3, None), waiting(8, 3, None)];
    })
    .await;
    assert_eq!(due(store, at(3), 9).await, [1, 5, 7]);
    assert_eq!(due(store, at(3) - SECOND, 9).await, [1]);
}

pub async fn an_endpoint_that_answers_again_gets_what_was_not_answered<S: Webhooks>(store: &S) {
    insert(store, [1]).await;
    let at = |minute| noon() + minutes(minute);
    let silent = |event| WaitingEvent {
        is_silent: true,
        ..event
    };
    record(store, noon(), |round| {
        round.waiting = vec![
            silent(waiting(1, 1, Some(at(60)))),
            waiting(2, 1, None),
            waiting(3, 2, Some(at(60))),
            silent(waiting(4, 3, Some(at(1)))),
        ];
    })
    .await;
    record(store, at(2), |round| round.wakes_silent = true).await;
    assert_eq!(due(store, at(1), 9).await, [4]);
    assert_eq!(due(store, at(2), 9).await, [4, 1]);
}

pub async fn the_newest_deliveries_are_kept<S: Webhooks>(store: &S) {
    insert(store, [1]).await;
    let most = u64::try_from(DELIVERIES_KEPT).expect("it is small");
    for batch in [1..=most - 1, most..=most + 1, most + 2..=most * 3] {
        let last = *batch.end();
        record(store, noon(), |round| {
            // Several at one time keep their order.
            round.deliveries = batch.map(|n| delivery(n, noon())).collect();
        })
        .await;
        for limit in [1, DELIVERIES_KEPT, DELIVERIES_KEPT * 2] {
            let kept = store.deliveries(id(1), limit).await;
            let kept = kept.expect("the store works");
            let numbers: Vec<_> = kept.iter().map(|row| row.event.sequence).collect();
            let all: Vec<_> = (1..=last).rev().collect();
            let expect = all.len().min(limit).min(DELIVERIES_KEPT);
            assert_eq!(numbers, all[..expect]);
        }
    }
}

/// Waiting events after the new cursor are dropped: they are read again.
pub async fn a_replay_goes_back_and_never_forward<S: Webhooks>(store: &S) {
    insert(store, [1]).await;
    record(store, noon(), |round| {
        round.to = place(9);
        round.waiting = vec![
            waiting(2, 1, Some(noon())),
            waiting(3, 2, Some(noon())),
            waiting(4, 1, None),
        ];
    })
    .await;
    for (to, cursor, left) in [
        (place(10), place(9), &[2, 3][..]),
        (place(9), place(9), &[2, 3]),
        (place(2), place(2), &[2]),
        (place(3), place(2), &[2]),
    ] {
        assert_eq!(store.replay(id(1), to, None).await, Ok(true));
        assert_eq!(found(store, 1).await.cursor, cursor);
        assert_eq!(due(store, noon(), 9).await, left);
    }
    // The second event of the subject was dropped as well.
    record(store, noon(), |round| round.settled = vec![place(2)]).await;
    assert_eq!(due(store, noon(), 9).await, [0; 0]);
    assert_eq!(store.replay(id(2), place(1), None).await, Ok(false));
}

pub async fn the_backlog_is_counted<S: Store + EventLog + Webhooks>(store: &S) {
    let start = end(store).await;
    commit_each(store, 1..=3).await;
    let end = end(store).await;
    for (n, cursor) in [(1, start), (2, end), (3, start)] {
        let inserted = store.insert(&endpoint(n), cursor, None).await;
        inserted.expect("the store works");
    }
    let third = store.update(&paused(&endpoint(3)), None).await;
    third.expect("the store works");
    let row = |n, waiting, behind_since| EndpointBacklog {
        endpoint: id(n),
        waiting,
        behind_since,
    };
    let since = Some(noon() + minutes(1));
    let backlog = store.backlog(9).await;
    assert_eq!(backlog, Ok(vec![row(1, 0, since), row(2, 0, None)]));
    assert_eq!(store.backlog(1).await, Ok(vec![row(1, 0, since)]));
    let many = u64::try_from(MOST_WAITING_COUNTED).expect("it is small") + 1;
    lease(store, ONE, noon(), 9).await;
    let round = Round {
        from: start,
        to: end,
        waiting: (1..=many).map(|n| waiting(n, 1, None)).collect(),
        ..round(0, 0, noon())
    };
    assert_eq!(store.record(ONE, &round).await, Ok(true));
    let counted = row(1, MOST_WAITING_COUNTED, None);
    assert_eq!(store.backlog(1).await, Ok(vec![counted]));
}

/// In the commit that does it, and only if it has an effect.
pub async fn what_operators_do_is_recorded<S: Webhooks + AuditLog>(store: &S) {
    let entry = |n, action| by_ann(n).entry(action, noon()).about(id(1));
    let create = entry(1, Action::WEBHOOKS_CREATE);
    let pause = entry(2, Action::WEBHOOKS_UPDATE);
    let replay = entry(3, Action::WEBHOOKS_REPLAY);
    let delete = entry(4, Action::WEBHOOKS_DELETE);
    let write = paused(&endpoint(1));
    let mut expect = Vec::new();
    for known in [false, true, false] {
        if known {
            let inserted = store.insert(&endpoint(1), place(1), Some(&create)).await;
            inserted.expect("the store works");
            expect = [&delete, &replay, &pause, &create]
                .map(Clone::clone)
                .to_vec();
        }
        let updated = store.update(&write, Some(&pause)).await;
        assert_eq!(updated.is_ok(), known);
        let replayed = store.replay(id(1), place(0), Some(&replay)).await;
        assert_eq!(replayed, Ok(known));
        let deleted = store.delete(id(1), Some(&delete)).await;
        assert_eq!(deleted, Ok(known));
        let query = AuditQuery {
            limit: 9,
            ..AuditQuery::default()
        };
        assert_eq!(store.entries(&query).await.as_ref(), Ok(&expect));
    }
}
