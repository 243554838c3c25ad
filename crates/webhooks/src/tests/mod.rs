mod failures;
mod fairness;
mod hot;
mod manage;
mod outages;
mod rounds;

use std::{collections::HashMap, time::Duration};

use domain::{
    posting::event::{JOB_POSTING_UPDATED, PUBLIC},
    store::{Store, WriteSet},
    testing::{MemoryStore, posting},
};
use kernel::{
    CompanyId,
    event::{Cursor, Event, EventLog, EventName, PostingState, RecordedEvent, Subject},
    testing::{minutes, noon, uuid},
};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    Attempt, Begun, DeliveryRecord, DeliveryRound, Endpoint, EndpointId, LeaseQuery, NoAnswer,
    Recorded, RetrySchedule, Round, TrackedEndpoint, WaitingSubject, Webhooks, start_round,
    testing::endpoint,
};

const ONE: Uuid = Uuid::from_u128(1);
const TWO: Uuid = Uuid::from_u128(2);

const UNKNOWN: Cursor = Cursor {
    transaction: u64::MAX,
    sequence: 0,
};

const LEASE: Duration = Duration::from_mins(2);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seen {
    at: OffsetDateTime,
    endpoint: EndpointId,
    event: Cursor,
    subject: Uuid,
    is_taken: bool,
}

type Receiver<'a> = &'a mut dyn FnMut(OffsetDateTime, &RecordedEvent) -> Attempt;

struct World {
    store: MemoryStore,
    now: OffsetDateTime,
    schedule: RetrySchedule,
    /// The time between two polls.
    poll: Duration,
    seen: Vec<Seen>,
    jitter: f64,
}

impl World {
    async fn new(schedule: &str, endpoints: u8) -> Self {
        let world = Self {
            store: MemoryStore::new(),
            now: noon(),
            schedule: schedule.parse().unwrap(),
            poll: Duration::from_secs(1),
            seen: Vec::new(),
            jitter: 0.0,
        };
        for n in 1..=endpoints {
            let inserted = world.store.insert(&endpoint(n), Cursor::START, None).await;
            inserted.unwrap();
        }
        world
    }

    /// A world with an endpoint and one event per posting. The first postings wait: `waiting` has
    /// their attempts, and the minutes until each is due.
    async fn with_waiting(
        postings: impl IntoIterator<Item = u64>,
        waiting: &[(u32, i64)],
    ) -> (Self, Vec<RecordedEvent>) {
        let world = Self::new("60", 1).await;
        world.publish(postings).await;
        let events = world.events().await;
        let leased = world.lease(ONE, 1).await;
        let mut round = Round::idle(&leased[0], noon());
        for (event, (attempts, wait)) in events.iter().zip(waiting) {
            round.to = event.cursor;
            let next_at = noon() + minutes(*wait);
            round.waiting.push(waits(event, *attempts, next_at));
        }
        assert_eq!(world.store.record(ONE, &round).await, Ok(Recorded::Done));
        (world, events)
    }

    fn elapsed(&self) -> Duration {
        (self.now - noon()).try_into().unwrap()
    }

    async fn publish(&self, postings: impl IntoIterator<Item = u64>) {
        let posting = |n: u64| posting(n.into(), CompanyId::new(uuid(9)));
        let subject = |n| Subject::Posting(PostingState::from(&posting(n)));
        self.publish_of(postings.into_iter().map(subject)).await;
    }

    async fn publish_of(&self, subjects: impl IntoIterator<Item = Subject>) {
        let mut writes = WriteSet::new(self.now);
        let event = |subject| Event {
            name: JOB_POSTING_UPDATED,
            subject,
            at: self.now,
            trace: None,
        };
        writes.tasks.events.extend(subjects.into_iter().map(event));
        self.store.commit(writes).await.unwrap();
    }

    fn jitter(&mut self) -> f64 {
        self.jitter = (self.jitter + 0.37) % 1.0;
        self.jitter
    }

    async fn lease(&self, holder: Uuid, limit: usize) -> Vec<TrackedEndpoint> {
        let query = LeaseQuery {
            holder,
            until: self.now + LEASE,
            now: self.now,
            end: self.store.end().await.unwrap(),
            limit,
        };
        self.store.lease(&query).await.unwrap()
    }

    async fn attempt(&mut self, tracked: TrackedEndpoint, receiver: Receiver<'_>) -> Round {
        let endpoint = tracked.endpoint.id;
        let mut round = start(self, tracked).await;
        let mut under_way = Vec::new();
        loop {
            while let Some(begun) = round.begin(self.now) {
                let attempt = receiver(self.now, &begun.event);
                self.seen.push(Seen {
                    at: self.now,
                    endpoint,
                    event: begun.event.cursor,
                    subject: begun.event.event.subject.id(),
                    is_taken: attempt.outcome.is_delivered(),
                });
                under_way.push((self.now + attempt.duration, begun.number, attempt));
                under_way.sort_by_key(|(end, number, _)| (*end, *number));
            }
            if under_way.is_empty() {
                break;
            }
            let (end, number, attempt) = under_way.remove(0);
            self.now = end;
            let jitter = self.jitter();
            round.end(number, &attempt, self.now, jitter);
        }
        let jitter = self.jitter();
        round.finish(self.now, jitter)
    }

    /// Acts as a worker until `until`, a time since the beginning.
    async fn run(&mut self, until: Duration, receiver: Receiver<'_>) {
        while self.elapsed() < until {
            let leased = self.lease(ONE, 8).await;
            if leased.is_empty() {
                self.now += self.poll;
            }
            for tracked in leased {
                let round = self.attempt(tracked, receiver).await;
                assert_eq!(self.store.record(ONE, &round).await, Ok(Recorded::Done));
            }
        }
    }

    async fn tracked(&self, n: u8) -> TrackedEndpoint {
        let found = Webhooks::find(&self.store, endpoint(n).id).await;
        found.unwrap().unwrap()
    }

    async fn endpoint(&self, n: u8) -> Endpoint {
        self.tracked(n).await.endpoint
    }

    /// All waiting subjects of the first endpoint.
    async fn stored(&self) -> Vec<WaitingSubject> {
        let all = self.store.due(endpoint(1).id, noon() + mins(9_999), 999);
        all.await.unwrap()
    }

    async fn deliveries(&self) -> Vec<DeliveryRecord> {
        let newest = self.store.deliveries(endpoint(1).id, 100).await;
        newest.unwrap()
    }

    async fn events(&self) -> Vec<RecordedEvent> {
        let query = kernel::event::LogQuery {
            after: None,
            names: PUBLIC.to_vec(),
            prefixes: kernel::Prefixes::ALL,
            reader: None,
            limit: usize::MAX,
        };
        self.store.read(&query).await.unwrap().events
    }

    fn taken(&self, n: u8) -> impl Iterator<Item = &Seen> {
        let seen = self.seen.iter();
        seen.filter(move |seen| seen.is_taken && seen.endpoint == endpoint(n).id)
    }

    async fn assert_complete(&self, n: u8) {
        let mut last = HashMap::new();
        for seen in self.taken(n) {
            let before = last.insert(seen.subject, seen.event);
            assert!(before < Some(seen.event), "in order, and not twice");
        }
        let events = self.events().await;
        let mut taken: Vec<_> = self.taken(n).map(|seen| seen.event).collect();
        taken.sort();
        let all: Vec<_> = events.iter().map(|event| event.cursor).collect();
        assert_eq!(taken, all);
    }
}

async fn start(world: &World, tracked: TrackedEndpoint) -> DeliveryRound {
    let (store, schedule) = (&world.store, world.schedule.clone());
    let start = start_round(store, store, tracked, schedule, world.now).await;
    start.unwrap()
}

fn begin_all(round: &mut DeliveryRound, now: OffsetDateTime) -> Vec<Begun> {
    std::iter::from_fn(|| round.begin(now)).collect()
}

fn waits(event: &RecordedEvent, attempts: u32, next_at: OffsetDateTime) -> WaitingSubject {
    WaitingSubject {
        attempts,
        ..WaitingSubject::due(event, next_at)
    }
}

const fn secs(n: u64) -> Duration {
    Duration::from_secs(n)
}

const fn mins(n: u64) -> Duration {
    Duration::from_mins(n)
}

fn answers(status: u16) -> Attempt {
    Attempt::answered(status, None, Duration::from_millis(20))
}

fn times_out() -> Attempt {
    Attempt::unanswered(NoAnswer::Timeout, "", secs(15))
}

fn no_connection() -> Attempt {
    Attempt::unanswered(NoAnswer::Connection, "refused", Duration::from_millis(1))
}

fn is_of(event: &RecordedEvent, n: u128) -> bool {
    event.event.subject.id() == uuid(n)
}

fn named(name: &'static str) -> EventName {
    EventName::new(name)
}
