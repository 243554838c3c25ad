//! A round of attempts at one endpoint: chooses the next attempt, and combines the results.
//!
//! A [`DeliveryRound`] makes no calls. Its worker [begins](DeliveryRound::begin) attempts, and
//! reports the [end](DeliveryRound::end) of each. When no attempt is in progress, the worker
//! records the [result](DeliveryRound::finish). To end a round early, the worker
//! [stops](DeliveryRound::stop) it and records it as usual.

mod item;
mod lane;
mod lanes;
mod order;
mod remains;
mod start;

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    time::Duration,
};

use kernel::event::{Cursor, RecordedEvent};
use time::OffsetDateTime;
use uuid::Uuid;

pub use self::start::start_round;
use self::{
    item::{Failure, Item, Source, State},
    lane::Lane,
};
use super::{
    Attempt, DeliveryRecord, EndpointState, Health, Outcome, RetrySchedule, Round, TrackedEndpoint,
    WaitingSubject, asked_pause,
};

/// After this time a round begins no more attempts, so that its result is recorded soon.
pub const ROUND_TIME: Duration = Duration::from_mins(1);

/// The largest number of waiting subjects of an endpoint. While so many wait, events of other
/// subjects stay in the log after the cursor. So one statement can change all waiting subjects
/// within the statement's time limit.
pub const MOST_WAITING: usize = 10_000;

/// A round in progress.
#[derive(Debug)]
pub struct DeliveryRound {
    /// Whether some events after the endpoint's cursor are no longer kept, and therefore skipped.
    pub has_gap: bool,
    tracked: TrackedEndpoint,
    schedule: RetrySchedule,
    /// The events of waiting subjects, and the wanted events of the page after the cursor. Each
    /// subject's events are in order.
    items: Vec<Item>,
    order: Vec<usize>,
    next: Cursor,
    blocked: HashSet<Uuid>,
    /// The waiting subjects of the round, as stored.
    stored: HashMap<Uuid, WaitingSubject>,
    /// The waiting subjects whose next event this round may attempt.
    due: HashSet<Uuid>,
    /// How far the round has read the log for a subject (see [`WaitingSubject::read_to`]).
    read_to: HashMap<Uuid, Cursor>,
    /// The lanes that the round read or found, by id.
    lanes: BTreeMap<Uuid, Lane>,
    /// Records of events that are no longer in the log.
    not_kept: Vec<DeliveryRecord>,
    /// Finished attempts with their numbers.
    attempts: Vec<(usize, DeliveryRecord)>,
    has_more: bool,
    rest: Duration,
    health: Health,
    deadline: OffsetDateTime,
    under_way: usize,
    begun: usize,
    /// Whether any attempt was answered. `None` if no outcome is about the receiver.
    answered: Option<bool>,
    /// The unanswered attempts since the last answer.
    unanswered: usize,
    asked: Option<Duration>,
    disabled: Option<&'static str>,
    /// Whether the worker withdrew an attempt, because it cannot be made now.
    withdrew: bool,
}

/// An attempt to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Begun {
    /// The attempt's number in the round.
    pub number: usize,
    /// The event.
    pub event: RecordedEvent,
}

struct Remains {
    /// New and changed subjects, ordered by their next event.
    waiting: Vec<WaitingSubject>,
    /// Subjects that no longer wait.
    settled: Vec<Uuid>,
}

impl DeliveryRound {
    /// Returns the next attempt, if one is allowed now. The round ends when this returns `None` and
    /// no attempt is in progress.
    pub fn begin(&mut self, now: OffsetDateTime) -> Option<Begun> {
        // Each unanswered attempt reduces the number of concurrent attempts. So an unavailable
        // receiver gets at most [`WINDOW`] attempts.
        let may_be_lost = self.under_way + self.unanswered;
        if self.is_stopped() || now >= self.deadline || may_be_lost >= self.before().window() {
            return None;
        }
        let (items, blocked) = (&self.items, &self.blocked);
        let may_begin = |at: &usize| !blocked.contains(&items[*at].subject);
        let place = self.order.iter().position(may_begin)?;
        let number = self.order.remove(place);
        let item = &mut self.items[number];
        let event = item.event.clone()?;
        item.state = State::InFlight;
        item.attempts = item.attempts.saturating_add(1);
        self.blocked.insert(item.subject);
        self.under_way += 1;
        self.begun += 1;
        Some(Begun { number, event })
    }

    /// Begins no more attempts.
    pub fn stop(&mut self) {
        self.order.clear();
    }

    const fn before(&self) -> Health {
        self.tracked.health
    }

    fn is_stopped(&self) -> bool {
        let has_probed = self.before().is_half_open() && self.begun > 0;
        self.withdrew
            || has_probed
            || self.is_silent_stretch()
            || self.asked.is_some()
            || self.disabled.is_some()
    }

    /// Whether a whole [window](Health::window) of consecutive attempts had no answer.
    fn is_silent_stretch(&self) -> bool {
        self.unanswered >= self.before().window()
    }

    /// Reports a finished attempt. `jitter` is random, from 0 to 1.
    ///
    /// # Panics
    ///
    /// If `number` is no attempt of this round.
    pub fn end(&mut self, number: usize, attempt: &Attempt, now: OffsetDateTime, jitter: f64) {
        let item = &mut self.items[number];
        let outcome = attempt.outcome;
        self.under_way -= 1;
        if outcome.is_about_receiver() {
            self.disabled = self.disabled.or(self.health.note(attempt, now));
            if outcome.is_silent() {
                self.unanswered += 1;
                self.answered.get_or_insert(false);
            } else {
                self.answered = Some(true);
                self.unanswered = 0;
            }
        }
        self.asked = self.asked.max(asked_pause(outcome));
        let wait = self
            .schedule
            .next(item.attempts, outcome.retry_after(), jitter);
        let failed = |attempts, next_at| {
            State::Failed(Failure {
                attempts,
                next_at,
                error: attempt.error.clone(),
                is_silent: outcome.is_silent(),
            })
        };
        item.state = match (outcome, item.due_at, wait) {
            (Outcome::Delivered(_), ..) => State::Delivered,
            // A probe before the event's due time does not count in its schedule.
            (Outcome::NoAnswer(_), Some(due_at), _) => failed(item.attempts - 1, due_at),
            (.., None) => State::DeadLetter,
            (.., Some(wait)) => {
                let wait = wait.try_into().unwrap_or(time::Duration::MAX);
                failed(item.attempts, now.saturating_add(wait))
            }
        };
        if !matches!(item.state, State::Failed(_)) {
            self.blocked.remove(&item.subject);
        }
        let record = DeliveryRecord {
            at: now,
            event: item.place.cursor,
            name: item.place.name.clone(),
            attempt: item.attempts,
            status: outcome.status(),
            duration: Duration::from_millis(
                attempt.duration.as_millis().try_into().unwrap_or(u64::MAX),
            ),
            error: attempt.error.clone(),
        };
        self.attempts.push((number, record));
    }

    /// Withdraws an attempt that was not made, for a reason unrelated to the receiver. The round
    /// begins no more attempts.
    ///
    /// # Panics
    ///
    /// If `number` is no attempt of this round.
    pub fn withdraw(&mut self, number: usize) {
        let item = &mut self.items[number];
        item.state = State::Open;
        item.attempts -= 1;
        self.blocked.remove(&item.subject);
        self.under_way -= 1;
        self.begun -= 1;
        self.withdrew = true;
    }

    /// The combined result of all finished attempts. `jitter` is random, from 0 to 1.
    pub fn finish(&self, now: OffsetDateTime, jitter: f64) -> Round {
        let to = self.to();
        let mut health = self.health;
        let answers = self.answered.map(|any| any && !self.is_silent_stretch());
        match answers {
            Some(true) => health.answer(self.asked, now),
            Some(false) => health.back_off(jitter, now),
            None => {}
        }
        let Remains { waiting, settled } = self.remains(to, now, true);
        let has_dropped = |item: &Item| matches!(item.state, State::Dropped);
        let goes_on = self.has_more
            || !settled.is_empty()
            || waiting.iter().any(|it| it.next_at <= now)
            || self.items.iter().any(|it| it.is_left() || has_dropped(it));
        let mut deliveries = self.not_kept.clone();
        let mut dead_letters = deliveries.len();
        for (number, record) in &self.attempts {
            let mut record = record.clone();
            if matches!(self.items[*number].state, State::DeadLetter) {
                let why = record.error.unwrap_or_default();
                record.error = Some(format!(
                    "{why}; it failed for good after {} attempts",
                    record.attempt
                ));
                dead_letters += 1;
            }
            deliveries.push(record);
        }
        let rests = !goes_on || self.withdrew;
        Round {
            to,
            waiting,
            settled,
            dead_letters,
            deliveries,
            health,
            disabled: self.disabled.map(str::to_owned),
            wakes_silent: answers == Some(true) && self.before().answer_ends_silence(),
            again_at: if rests { now + self.rest } else { now },
            ..Round::idle(&self.tracked, now)
        }
    }

    /// The subjects whose events the round has.
    pub fn subjects(&self) -> HashSet<Uuid> {
        let subjects = self.items.iter().map(|item| item.subject);
        subjects.chain(self.lanes.keys().copied()).collect()
    }

    /// The result if the owner changed the endpoint or resent an event during the round. `stored`
    /// has the waiting [subjects](Self::subjects) as stored now. The result is [as
    /// usual](Self::finish) unless the URL changed, or the endpoint was paused, resumed or
    /// disabled. After such a change, deliveries count, but failures do not, because they concern
    /// the former endpoint. Failed events are due with the attempts that they had before the round,
    /// and none becomes a dead letter. Events without attempts are read again.
    pub fn finish_changed(
        &mut self,
        changed: &TrackedEndpoint,
        stored: Vec<WaitingSubject>,
        now: OffsetDateTime,
        jitter: f64,
    ) -> Round {
        self.restore(stored);
        let TrackedEndpoint {
            endpoint, health, ..
        } = changed;
        let is_same = endpoint.state == EndpointState::Active
            && endpoint.url == self.tracked.endpoint.url
            && health.probed_now() == self.before().probed_now();
        if is_same {
            return Round {
                version: endpoint.version,
                ..self.finish(now, jitter)
            };
        }
        let to = self.last_ended();
        let attempts = self.attempts.iter();
        let Remains { waiting, settled } = self.remains(to, now, false);
        Round {
            from: self.tracked.cursor,
            to,
            waiting,
            settled,
            deliveries: attempts.map(|(_, record)| record.clone()).collect(),
            ..Round::idle(changed, now)
        }
    }

    /// The end of the page or, if the page has events left, its last event that was attempted.
    fn to(&self) -> Cursor {
        let (from, next) = (self.tracked.cursor, self.next);
        self.passed(&Source::Page, from, next, true)
    }

    fn last_ended(&self) -> Cursor {
        let (from, next) = (self.tracked.cursor, self.next);
        self.passed(&Source::Page, from, next, false)
    }

    /// The place up to which a source's events are done. It is `next` if `may_be_all` and no event
    /// is left; otherwise the last attempted event, or `from`.
    fn passed(&self, source: &Source, from: Cursor, next: Cursor, may_be_all: bool) -> Cursor {
        let items = || self.items.iter().filter(|item| item.source == *source);
        if may_be_all && !items().any(Item::is_left) {
            return next;
        }
        let ended = items().filter(|item| item.has_ended());
        let last = ended.map(|item| item.place.cursor).max();
        last.unwrap_or(from)
    }
}
