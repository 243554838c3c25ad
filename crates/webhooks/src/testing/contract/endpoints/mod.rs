//! Webhook endpoints: changes by owners, leases, and results of rounds.

mod leases;
mod rounds;
mod settings;

use std::time::Duration;

use fields::Patch;
use kernel::{
    event::{Cursor, EventName},
    testing::{Absent, Checked, hours, minutes, noon, uuid, valid},
};
use time::OffsetDateTime;
use uuid::Uuid;

pub use self::{leases::*, rounds::*, settings::*};
use crate::{
    DeliveryRecord, Endpoint, EndpointChange, EndpointId, EndpointUrl, EndpointWrite, Health,
    Lease, LeaseQuery, Recorded, Release, Round, TrackedEndpoint, WaitingEvent, WaitingSubject,
    WantedState, Webhooks, testing::endpoint,
};

kernel::contract_cases!(endpoints: leases rounds settings);

const TOLD: EventName = EventName::new("Told");
const ONE: Uuid = Uuid::from_u128(1);
const TWO: Uuid = Uuid::from_u128(2);
const SECOND: time::Duration = time::Duration::SECOND;

const END: u64 = 1_000;

fn id(n: u8) -> EndpointId {
    endpoint(n).id
}

fn place(n: u64) -> Cursor {
    Cursor {
        transaction: 0,
        sequence: n,
    }
}

async fn insert<S: Webhooks>(store: &S, numbers: impl IntoIterator<Item = u8>) -> Checked {
    for n in numbers {
        store.insert(&endpoint(n), Cursor::START, None).await?;
    }
    Ok(())
}

async fn find<S: Webhooks>(store: &S, id: EndpointId) -> Checked<Option<TrackedEndpoint>> {
    Ok(Webhooks::find(store, id).await?)
}

async fn found<S: Webhooks>(store: &S, n: u8) -> Checked<TrackedEndpoint> {
    Ok(find(store, id(n)).await?.ok_or(Absent)?)
}

fn paused(endpoint: &Endpoint) -> EndpointWrite {
    wanting(endpoint, WantedState::Paused)
}

fn wanting(endpoint: &Endpoint, state: WantedState) -> EndpointWrite {
    let change = EndpointChange {
        state: Patch::Set(state),
        ..EndpointChange::default()
    };
    valid(endpoint.apply(&change, noon() + hours(1)).ok_or(Absent))
}

fn moved(endpoint: &Endpoint, at: OffsetDateTime) -> EndpointWrite {
    let url = valid(EndpointUrl::from_store("https://other.example/"));
    let change = EndpointChange {
        url: Patch::Set(url),
        ..EndpointChange::default()
    };
    valid(endpoint.apply(&change, at).ok_or(Absent))
}

async fn lease<S: Webhooks>(
    store: &S,
    holder: Uuid,
    now: OffsetDateTime,
    limit: usize,
) -> Checked<Vec<EndpointId>> {
    let query = LeaseQuery {
        holder,
        until: now + minutes(1),
        now,
        end: place(END),
        limit,
    };
    let leased = store.lease(&query).await?.into_iter();
    Ok(leased.map(|tracked| tracked.endpoint.id).collect())
}

fn round(from: u64, to: u64, at: OffsetDateTime) -> Round {
    let first = TrackedEndpoint {
        endpoint: endpoint(1),
        cursor: place(from),
        health: Health::default(),
    };
    Round {
        to: place(to),
        ..Round::idle(&first, at)
    }
}

async fn recorded<S: Webhooks>(store: &S, holder: Uuid, round: &Round) -> Checked<Recorded> {
    Ok(store.record(holder, round).await?)
}

fn released(holder: Uuid, endpoint: &EndpointId, again_at: OffsetDateTime) -> Release {
    Release {
        lease: Lease {
            endpoint: *endpoint,
            holder,
        },
        version: 1,
        from: Cursor::START,
        to: Cursor::START,
        again_at,
    }
}

fn event(n: u64) -> WaitingEvent {
    WaitingEvent {
        cursor: place(n),
        name: TOLD,
    }
}

fn waiting(n: u64, subject: u128, next_at: OffsetDateTime) -> WaitingSubject {
    WaitingSubject {
        subject: uuid(subject),
        next: event(n),
        attempts: 1,
        next_at,
        last_error: Some("answered 500".to_owned()),
        is_silent: false,
        later: Vec::new(),
        read_to: None,
    }
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

async fn record<S: Webhooks>(
    store: &S,
    at: OffsetDateTime,
    change: impl FnOnce(&mut Round),
) -> Checked {
    // Other endpoints may be leased, too.
    let leased = lease(store, ONE, at, 9).await?;
    assert!(leased.contains(&id(1)), "there is something to do");
    let from = found(store, 1).await?.cursor.sequence;
    let mut round = round(from, from + 1, at);
    change(&mut round);
    assert_eq!(store.record(ONE, &round).await, Ok(Recorded::Done));
    Ok(())
}

async fn due<S: Webhooks>(store: &S, at: OffsetDateTime, limit: usize) -> Checked<Vec<u64>> {
    let due = store.due(id(1), at, limit).await?;
    Ok(due.iter().map(|it| it.next.cursor.sequence).collect())
}
