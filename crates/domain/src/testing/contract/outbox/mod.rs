//! Tasks of the outbox.

mod failures;
mod lanes;
mod leases;
mod lists;

use kernel::{
    PostingId, StoreError,
    outbox::{ClaimToken, Claimed, Effect, Kind, Outbox, Queue},
    testing::{Absent, Checked, noon, uuid},
};
use time::{Duration, OffsetDateTime};

pub use self::{failures::*, lanes::*, leases::*, lists::*};
use crate::{
    posting::{ENRICH, enrich},
    store::{Store, WriteSet},
};

const TELL: Kind = Kind::new("tell", "tell");
const BULK_EAST: Queue = Queue::lane_of(TELL, "east-bulk");
const BULK_WEST: Queue = Queue::lane_of(TELL, "west-bulk");
const EAST: Queue = Queue::lane_of(TELL, "east").with_fallback(&BULK_EAST);
const WEST: Queue = Queue::lane_of(TELL, "west").with_fallback(&BULK_WEST);
const MOVE: Queue = Queue::of(Kind::new("move", "move"));
const FETCH: Queue = Queue::of(Kind::new("fetch", "fetch"));

const QUEUES: [Queue; 7] = [ENRICH, EAST, WEST, BULK_EAST, BULK_WEST, MOVE, FETCH];
const KINDS: [Kind; 4] = [ENRICH.kind(), TELL, MOVE.kind(), FETCH.kind()];

kernel::contract_cases!(outbox: failures lanes leases lists);

const LEASE: Duration = Duration::seconds(30);

fn effect(n: u128) -> Effect {
    enrich(PostingId::new(uuid(n)))
}

fn tellings(n: u128) -> [Effect; 2] {
    [EAST, WEST].map(|queue| Effect::new(queue, uuid(n)))
}

async fn ask<S: Store>(store: &S, effects: &[Effect], now: OffsetDateTime) -> Checked {
    let mut writes = WriteSet::new(now);
    for effect in effects {
        writes.tasks.ask(*effect);
    }
    store.commit(writes).await?;
    Ok(())
}

async fn claim<S: Outbox>(store: &S, lease: u128, now: OffsetDateTime) -> Checked<Vec<Claimed>> {
    let mut all = Vec::new();
    for queue in QUEUES {
        let claimed = store.claim(queue, 100, LEASE, uuid(lease), now).await;
        all.extend(claimed?);
    }
    Ok(all)
}

async fn claim_one<S: Outbox>(store: &S, lease: u128, now: OffsetDateTime) -> Checked<Claimed> {
    let claimed = claim(store, lease, now).await?;
    assert_eq!(claimed.len(), 1, "{claimed:?}");
    Ok(claimed.into_iter().next().ok_or(Absent)?)
}

async fn claim_crashed<S: Outbox>(store: &S, lease: u128, now: OffsetDateTime) -> Checked<Claimed> {
    for queue in QUEUES {
        if store.has_crashed(queue, now).await? {
            let claimed = store.claim_crashed(queue, LEASE, uuid(lease), now).await;
            return Ok(claimed?.ok_or(Absent)?);
        }
    }
    panic!("no task has crashed");
}

async fn none_crashed<S: Outbox>(store: &S, now: OffsetDateTime) {
    for queue in QUEUES {
        assert_eq!(store.has_crashed(queue, now).await, Ok(false));
        let claimed = store.claim_crashed(queue, LEASE, uuid(99), now).await;
        assert_eq!(claimed, Ok(None));
    }
}

async fn finish<S: Store>(store: &S, token: ClaimToken) -> Result<(), StoreError> {
    let mut writes = WriteSet::new(noon());
    writes.tasks.done.push(token);
    store.commit(writes).await
}
