//! Follows the event log for the newsletter: asks for syncs of the people whose membership changed.
//!
//! The newsletter is a consumer of the log with a kept cursor. Every worker follows it, and the one
//! that is first moves the cursor; an event that two of them deliver is harmless, as is one that is
//! delivered again after a crash. A page that fails as a whole is delivered event by event. One
//! that fails by itself is set aside and tried again while later ones are delivered; the kept
//! cursor stays before it. It is passed when it has failed several times and another one did not.

use std::{sync::Arc, time::Duration};

use kernel::{
    StoreError,
    event::{Cursor, EventLog, LogError, LogPage, LogQuery},
};
use newsletter::{
    store::Store,
    subscriber::SubscriberId,
    tasks::{CONSUMER, INDIVIDUAL_MEMBERSHIP_UPDATED},
    usecase::deliver,
};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::{
    throttle::{Floor, Throttle},
    wake::Wake,
};
use crate::{
    clock::Clock,
    metrics, panics,
    waits::{self, Waits},
};

/// The number of events in a page.
const PAGE: usize = 64;
/// The number of events that may be set aside. When it is reached no more pages are read.
const MOST_ASIDE: usize = 256;
/// The number of failures after which an event is passed, if others are delivered.
const MOST_FAILURES: u32 = 5;

/// Delivers the newsletter's events, each at least once.
pub(super) struct Listener {
    pub log: Arc<dyn EventLog>,
    pub store: Arc<dyn Store>,
    pub wake: Arc<Wake>,
    pub clock: Clock,
    pub throttle: Throttle,
    /// How long it waits for commits of other processes.
    pub poll_every: Duration,
}

/// A listener's place in the log.
#[derive(Default)]
struct Place {
    /// The kept cursor, as it was last read or moved.
    kept: Option<Cursor>,
    /// Events up to here are delivered or set aside.
    read: Option<Cursor>,
    /// Events that failed, in order.
    aside: Vec<Aside>,
    /// The number of delivered events.
    delivered: u64,
}

/// An event that failed.
struct Aside {
    /// The cursor before it.
    before: Option<Cursor>,
    event: Cursor,
    person: SubscriberId,
    /// The failures that are its own fault.
    failures: u32,
    /// The number of delivered events before its first failure.
    delivered: u64,
    again_at: Instant,
    waits: Waits,
}

/// The outcome of a round.
struct Round {
    delivered: usize,
    has_more: bool,
}

impl Listener {
    /// Follows the log until it is stopped.
    pub async fn run(self, stop: CancellationToken) {
        let (mut place, mut outage) = (Place::default(), None);
        while !stop.is_cancelled() {
            let start = Instant::now();
            // Not cut short by the stop, so that what is delivered is recorded by the cursor.
            let round = panics::caught(self.round(&mut place)).await;
            let wait = async {
                match round {
                    Ok(round) => {
                        outage = None;
                        self.pause(&place, &round, start.elapsed()).await;
                    }
                    Err(error) => {
                        let waits = outage.get_or_insert_with(waits::after_failures);
                        let wait = waits.next().unwrap_or_default();
                        tracing::warn!(%error, ?wait, "the newsletter's events wait");
                        sleep(wait).await;
                    }
                }
            };
            tokio::select! {
                () = wait => {}
                () = stop.cancelled() => {}
            }
        }
    }

    async fn pause(&self, place: &Place, round: &Round, took: Duration) {
        if round.has_more {
            let pause = match round.delivered {
                // Only events of others were passed.
                0 => self.throttle.sweep_pause(took),
                delivered => self.throttle.pause(Floor::EVENTS, delivered, took),
            };
            return sleep(pause).await;
        }
        let again = place.aside.iter().map(|aside| aside.again_at).min();
        let again = again.map_or(self.poll_every, |at| {
            at.saturating_duration_since(Instant::now())
        });
        self.wake
            .newsletter_called_within(again.min(self.poll_every))
            .await;
    }

    /// Delivers the due events among those set aside and a page, and moves the cursor.
    async fn round(&self, place: &mut Place) -> Result<Round, StoreError> {
        place.catch_up(self.log.cursor(CONSUMER).await?);
        let mut delivered = self.try_again(place).await?;
        let mut has_more = false;
        if place.aside.len() < MOST_ASIDE {
            let page = self.page(place.read).await?;
            delivered += self.deliver_page(place, &page).await?;
            has_more = page.has_more;
        }
        metrics::events_delivered(delivered);
        let to = place.passed();
        if let Some(to) = to.filter(|to| Some(*to) > place.kept) {
            // If another process has moved it, the next round sees where to.
            if self.log.move_cursor(CONSUMER, place.kept, to).await? {
                place.kept = Some(to);
            }
        }
        Ok(Round {
            delivered,
            has_more,
        })
    }

    /// The page after a cursor; the oldest one if events after the cursor were deleted.
    async fn page(&self, after: Option<Cursor>) -> Result<LogPage, StoreError> {
        let mut query = LogQuery {
            after,
            names: vec![INDIVIDUAL_MEMBERSHIP_UPDATED],
            prefixes: kernel::Prefixes::ALL,
            limit: self.throttle.batch(Floor::EVENTS, PAGE),
        };
        loop {
            match self.log.read(&query).await {
                Ok(page) => return Ok(page),
                Err(LogError::Store(error)) => return Err(error),
                Err(LogError::Gone) if query.after.is_none() => {
                    let why = "the oldest events are deleted while they are read";
                    return Err(StoreError::Unavailable(why.to_owned()));
                }
                Err(LogError::Gone) => {
                    tracing::warn!(
                        "events were deleted before the newsletter saw them, so some people may not \
                         be in sync; it goes on with the oldest event that is kept"
                    );
                    query.after = None;
                }
            }
        }
    }

    /// Delivers a page, at once or event by event, and sets aside those that fail.
    async fn deliver_page(&self, place: &mut Place, page: &LogPage) -> Result<usize, StoreError> {
        let people = page.events.iter().map(|event| event.event.subject.id());
        let people: Vec<_> = people.map(SubscriberId::new).collect();
        let mut delivered = people.len();
        if !people.is_empty()
            && let Err(error) = self.deliver(&people).await
        {
            tracing::debug!(%error, "events are delivered one by one");
            delivered = 0;
            let (mut failed, mut before) = (Vec::new(), place.read);
            for (event, person) in page.events.iter().zip(people) {
                match self.deliver(&[person]).await {
                    Ok(()) => delivered += 1,
                    Err(error) => {
                        let aside = Aside::new(before, event.cursor, person, place.delivered);
                        failed.extend(aside.failed(error, place.delivered)?);
                    }
                }
                before = Some(event.cursor);
            }
            place.aside.append(&mut failed);
        }
        place.delivered += delivered as u64;
        place.read = Some(page.next);
        Ok(delivered)
    }

    /// Delivers the events set aside that are due; returns how many no longer fail.
    async fn try_again(&self, place: &mut Place) -> Result<usize, StoreError> {
        let (now, mut delivered) = (Instant::now(), 0);
        let mut at = 0;
        while at < place.aside.len() {
            if place.aside[at].again_at > now {
                at += 1;
                continue;
            }
            match self.deliver(&[place.aside[at].person]).await {
                Ok(()) => {
                    place.aside.remove(at);
                    place.delivered += 1;
                    delivered += 1;
                }
                Err(error) if is_outage(&error) => return Err(error),
                Err(error) => {
                    let aside = place.aside.remove(at);
                    if let Some(aside) = aside.failed(error, place.delivered)? {
                        place.aside.insert(at, aside);
                        at += 1;
                    }
                }
            }
        }
        Ok(delivered)
    }

    async fn deliver(&self, people: &[SubscriberId]) -> Result<(), StoreError> {
        panics::caught(deliver(self.store.as_ref(), people, (self.clock)())).await
    }
}

impl Place {
    /// Takes over how far other processes are.
    fn catch_up(&mut self, kept: Option<Cursor>) {
        if kept < self.kept || self.aside.is_empty() {
            // Moved back, or nothing holds it.
            self.read = kept;
            self.aside.clear();
        } else {
            self.read = self.read.max(kept);
            self.aside.retain(|aside| Some(aside.event) > kept);
        }
        self.kept = kept;
    }

    /// The cursor before which every event is delivered.
    fn passed(&self) -> Option<Cursor> {
        let first = self.aside.first();
        first.map_or(self.read, |aside| aside.before)
    }
}

impl Aside {
    fn new(before: Option<Cursor>, event: Cursor, person: SubscriberId, delivered: u64) -> Self {
        Self {
            before,
            event,
            person,
            failures: 0,
            delivered,
            again_at: Instant::now(),
            waits: waits::after_failures(),
        }
    }

    /// Counts a failure; `None` if the event is passed. An error means that the store cannot be
    /// reached.
    ///
    /// While no event at all is delivered the fault may be that of the store, so none is passed.
    fn failed(mut self, error: StoreError, delivered: u64) -> Result<Option<Self>, StoreError> {
        if is_outage(&error) {
            return Err(error);
        }
        let (person, failures) = (self.person.uuid(), self.failures + 1);
        if let StoreError::Broken(why) = &error {
            self.failures = failures;
            if failures >= MOST_FAILURES && delivered > self.delivered {
                let event = self.event;
                tracing::error!(%event, %person, why, "an event of the newsletter is passed");
                return Ok(None);
            }
        }
        tracing::warn!(%person, %error, "an event of the newsletter waits");
        self.again_at = Instant::now() + self.waits.next().unwrap_or_default();
        Ok(Some(self))
    }
}

/// Whether other events fail, too.
const fn is_outage(error: &StoreError) -> bool {
    match error {
        StoreError::Unavailable(_) | StoreError::InDoubt(_) => true,
        StoreError::Conflict | StoreError::Locked(_) | StoreError::Broken(_) => false,
    }
}
