//! A round of attempts at one endpoint: the choice of the next one, and the result of all.
//!
//! A [`DeliveryRound`] makes no calls. Its worker [begins](DeliveryRound::begin) as many attempts
//! as it may, reports the [end](DeliveryRound::end) of each, and records the
//! [result](DeliveryRound::finish) when none is under way any more. A round that has to end early,
//! for whatever reason, is [stopped](DeliveryRound::stop), and recorded as well.

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

/// The time after which a round begins no more attempts, so that its result is recorded soon.
pub const ROUND_TIME: Duration = Duration::from_mins(1);

/// The most waiting subjects of an endpoint. The events of further ones stay in the log, after its
/// cursor, for as long as events are kept. So a change by its owner that concerns all waiting
/// subjects is done within the time of a statement.
pub const MOST_WAITING: usize = 10_000;

/// A round that is under way.
#[derive(Debug)]
pub struct DeliveryRound {
    /// Whether events after the endpoint's cursor are no longer kept, so that they are passed.
    pub has_gap: bool,
    /// The endpoint, as the round has leased it.
    tracked: TrackedEndpoint,
    schedule: RetrySchedule,
    /// The events of waiting subjects, and the events of the page after the endpoint's cursor that
    /// it wants. Those of a subject are in order.
    items: Vec<Item>,
    /// The items in the order in which they are attempted.
    order: Vec<usize>,
    /// The cursor after the page.
    next: Cursor,
    /// Subjects of which an attempt is under way or has failed.
    blocked: HashSet<Uuid>,
    /// The subjects of the round that wait, as they are stored.
    stored: HashMap<Uuid, WaitingSubject>,
    /// The waiting subjects whose next event may be attempted in this round.
    due: HashSet<Uuid>,
    /// The places up to which the round has read the log for a subject, as
    /// [`WaitingSubject::read_to`].
    read_to: HashMap<Uuid, Cursor>,
    /// The lanes that the round has read or found, by id.
    lanes: BTreeMap<Uuid, Lane>,
    /// Events that the log has no longer, as records.
    not_kept: Vec<DeliveryRecord>,
    /// The attempts that have ended, with their numbers.
    attempts: Vec<(usize, DeliveryRecord)>,
    /// Whether there may be more at once, waiting or after the page.
    has_more: bool,
    /// The rest after it if there is nothing to do at once.
    rest: Duration,
    /// The health now.
    health: Health,
    deadline: OffsetDateTime,
    under_way: usize,
    begun: usize,
    /// Whether a request was answered; unset while none was made.
    answered: Option<bool>,
    /// The number of attempts without an answer since the last answer.
    unanswered: usize,
    asked: Option<Duration>,
    disabled: Option<&'static str>,
    /// Whether an attempt could not be made, so that the same would happen again at once.
    withdrew: bool,
}

/// An attempt to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Begun {
    /// Names the attempt in the round.
    pub number: usize,
    /// The event.
    pub event: RecordedEvent,
}

struct Remains {
    /// New and changed ones, by the place of their next event.
    waiting: Vec<WaitingSubject>,
    /// Those that wait no longer.
    settled: Vec<Uuid>,
}

impl DeliveryRound {
    /// The next attempt to make; `None` if none may be made now, or at all if none is under way.
    pub fn begin(&mut self, now: OffsetDateTime) -> Option<Begun> {
        // Each attempt without an answer leaves one less to be made at a time, so that a receiver
        // that is unavailable gets no more than a window of attempts.
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

    /// Whether a whole window of attempts in a row was not answered.
    fn is_silent_stretch(&self) -> bool {
        self.unanswered >= self.before().window()
    }

    /// Reports the end of an attempt. `jitter` is a random number from 0 to 1.
    ///
    /// # Panics
    /// If `number` names no attempt of this round.
    pub fn end(&mut self, number: usize, attempt: &Attempt, now: OffsetDateTime, jitter: f64) {
        let item = &mut self.items[number];
        let outcome = attempt.outcome;
        self.under_way -= 1;
        if outcome.was_made() {
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
            // A probe before its time does not count in its schedule.
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
            // In whole milliseconds.
            duration: Duration::from_millis(
                attempt.duration.as_millis().try_into().unwrap_or(u64::MAX),
            ),
            error: attempt.error.clone(),
        };
        self.attempts.push((number, record));
    }

    /// Takes an attempt back that was not made, for reasons that are not the receiver's. The round
    /// begins no more.
    ///
    /// # Panics
    /// If `number` names no attempt of this round.
    pub fn withdraw(&mut self, number: usize) {
        let item = &mut self.items[number];
        item.state = State::Open;
        item.attempts -= 1;
        self.blocked.remove(&item.subject);
        self.under_way -= 1;
        self.begun -= 1;
        self.withdrew = true;
    }

    /// The result, as of all attempts that have ended. `jitter` is a random number from 0 to 1.
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

    /// The subjects that the round is about.
    pub fn subjects(&self) -> HashSet<Uuid> {
        let subjects = self.items.iter().map(|item| item.subject);
        subjects.chain(self.lanes.keys().copied()).collect()
    }

    /// Returns the result for an endpoint that its owner has changed, or asked to resend an event,
    /// since the round began. `stored` has its waiting [subjects](Self::subjects) as stored now.
    /// The result is the [same](Self::finish) unless the URL changed or the endpoint was paused.
    /// Then deliveries count, but failures do not, because they are about the former endpoint.
    /// Their events are due again with their former number of attempts, and none becomes a dead
    /// letter. Events that were only read are read again.
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

    /// The end of the page; before that, the last event of the page that was attempted.
    fn to(&self) -> Cursor {
        let (from, next) = (self.tracked.cursor, self.next);
        self.passed(&Source::Page, from, next, true)
    }

    fn last_ended(&self) -> Cursor {
        let (from, next) = (self.tracked.cursor, self.next);
        self.passed(&Source::Page, from, next, false)
    }

    /// The place between `from` and `next` up to which events of a source are passed: the last one
    /// that was attempted, or `next` if that may be and none is left.
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
