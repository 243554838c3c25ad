//! The webhooks of the fixtures.

use std::time::Duration;

use domain::posting::event::{
    COMPANY_UPDATED, JOB_POSTING_CREATED, JOB_POSTING_REJECTED, JOB_POSTING_UPDATED,
};
use kernel::{
    ClientId, Prefixes,
    event::{Cursor, EventName},
    testing::{hours, noon, uuid},
};
use webhooks::{
    DeliveryRecord, Endpoint, EndpointId, EndpointState, EndpointUrl, Health, LeaseQuery, Owner,
    PreviousSecret, Recorded, Round, Secret, TrackedEndpoint, WaitingEvent, Webhooks,
};

use super::LEASE;
use crate::testing::AllPorts;

fn place(transaction: u64, sequence: u64) -> Cursor {
    Cursor {
        transaction,
        sequence,
    }
}

fn url(text: &str) -> EndpointUrl {
    EndpointUrl::from_store(text).expect("it is a URL")
}

/// With everything set.
fn full() -> TrackedEndpoint {
    let secret = |key: Vec<u8>| Secret::new(key).expect("it is long enough");
    TrackedEndpoint {
        endpoint: Endpoint {
            id: EndpointId::new(uuid(0x501)),
            version: 3,
            owner: Owner::Client(ClientId::new(uuid(0x201))),
            url: url("https://receiver.example/hooks?a=b"),
            names: Some(vec![JOB_POSTING_CREATED, COMPANY_UPDATED]),
            prefixes: Prefixes::new(&["acme-", "ü\"\\,%_"]).expect("they are prefixes"),
            include_posting: true,
            description: Some("Board 'A'".to_owned()),
            state: EndpointState::Disabled,
            state_reason: Some("It said so.".to_owned()),
            secret: secret(vec![7; 32]),
            previous_secret: Some(PreviousSecret {
                secret: secret(vec![8; 24]),
                until: noon() + hours(1),
            }),
            created_at: noon(),
            updated_at: noon() + hours(2),
        },
        cursor: place(7, 2),
        health: Health {
            last_success_at: Some(noon()),
            failing_since: Some(noon() + hours(1)),
            silent_rounds: 2,
            quiet_until: Some(noon() + hours(2)),
        },
    }
}

/// With as little as can be.
fn bare() -> TrackedEndpoint {
    TrackedEndpoint {
        endpoint: Endpoint {
            id: EndpointId::new(uuid(0x502)),
            version: 1,
            owner: Owner::Operator,
            url: url("https://other.example/"),
            names: None,
            prefixes: Prefixes::ALL,
            include_posting: false,
            description: None,
            state: EndpointState::Active,
            state_reason: None,
            secret: Secret::new([0; 24]).expect("it is long enough"),
            previous_secret: None,
            created_at: noon(),
            updated_at: noon(),
        },
        cursor: Cursor::START,
        health: Health::default(),
    }
}

fn attempt(hour: i64, attempt: u32, status: Option<u16>, milliseconds: u64) -> DeliveryRecord {
    let error = status.map_or("no answer", |_| "answered 500");
    DeliveryRecord {
        at: noon() + hours(hour),
        event: place(7, 1),
        name: JOB_POSTING_REJECTED,
        attempt,
        status,
        duration: Duration::from_millis(milliseconds),
        error: Some(error.to_owned()),
    }
}

fn waiting(number: u64, name: EventName) -> WaitingEvent {
    WaitingEvent {
        cursor: place(7, number),
        name,
        subject: uuid(0x104),
        attempts: 0,
        next_at: None,
        last_error: None,
        is_silent: false,
    }
}

/// Two endpoints, and the waiting events, the deliveries and the lease of one.
pub(super) async fn come_back<S: AllPorts>(store: &S) {
    let (full, bare) = (full(), bare());
    let all = Webhooks::list(store, None, None, 9).await;
    assert_eq!(all, Ok(vec![full.clone(), bare.clone()]));

    let (id, later) = (full.endpoint.id, noon() + hours(4));
    let failed = WaitingEvent {
        attempts: 2,
        next_at: Some(later),
        last_error: Some("no answer".to_owned()),
        is_silent: true,
        ..waiting(1, JOB_POSTING_REJECTED)
    };
    assert_eq!(store.due(id, later, 9).await, Ok(vec![failed]));
    let mut deliveries = vec![attempt(0, 2, None, 15_000), attempt(1, 1, Some(500), 12)];
    assert_eq!(store.deliveries(id, 9).await, Ok(deliveries.clone()));

    let query = LeaseQuery {
        holder: uuid(1),
        until: later,
        now: noon(),
        end: place(7, 2),
        limit: 9,
    };
    assert_eq!(Webhooks::lease(store, &query).await, Ok(vec![bare]));
    let newest = attempt(5, 3, Some(500), 1);
    let round = Round {
        endpoint: id,
        version: full.endpoint.version,
        from: full.cursor,
        to: full.cursor,
        waiting: Vec::new(),
        settled: vec![place(7, 1)],
        deliveries: vec![newest.clone()],
        health: full.health,
        disabled: None,
        wakes_silent: false,
        at: later,
        again_at: later,
    };
    assert_eq!(
        Webhooks::record(store, uuid(LEASE), &round).await,
        Ok(Recorded::Done)
    );
    let next = WaitingEvent {
        next_at: Some(later),
        ..waiting(2, JOB_POSTING_UPDATED)
    };
    assert_eq!(store.due(id, later, 9).await, Ok(vec![next]));
    deliveries.insert(0, newest);
    assert_eq!(store.deliveries(id, 9).await, Ok(deliveries));
}
