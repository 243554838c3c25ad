//! A round of attempts at one endpoint: the choice of the next one, and the result of all.
//!
//! A [`DeliveryRound`] makes no calls. Its worker [begins](DeliveryRound::begin) as many attempts
//! as it may, reports the [end](DeliveryRound::end) of each, and records the
//! [result](DeliveryRound::finish) when none is under way any more.

use std::{collections::HashSet, time::Duration};

use time::OffsetDateTime;
use uuid::Uuid;

use super::{
    Attempt, DeliveryRecord, EndpointId, Health, Outcome, RetrySchedule, Round, TrackedEndpoint,
    WaitingEvent, asked_for_quiet,
};
use crate::{
    Version,
    event::{Cursor, RecordedEvent},
};

/// The time after which a round begins no more attempts, so that its result is recorded soon.
pub const ROUND_TIME: Duration = Duration::from_mins(1);

/// The number of waiting events of an endpoint from which on it takes no fresh ones: those stay in
/// the log, behind its cursor, for as long as events are kept. So what its owner changes, which may
/// concern all that waits, is done within the time of a statement.
pub const MOST_WAITING: usize = 10_000;

/// Why an event is given up that is no longer in the log.
const NOT_KEPT: &str = "given up: the event is no longer kept";

/// The events of a round.
#[derive(Clone, Debug)]
pub struct Workload {
    /// The endpoint.
    pub tracked: TrackedEndpoint,
    /// Waiting events that are due, and those of them that the log still has.
    pub due: Vec<(WaitingEvent, Option<RecordedEvent>)>,
    /// The events behind its cursor that it wants, in order.
    pub page: Vec<RecordedEvent>,
    /// The cursor behind the page.
    pub next: Cursor,
    /// The subjects of the page of which an event waits.
    pub waiting: HashSet<Uuid>,
}

/// A round that is under way.
#[derive(Debug)]
pub struct DeliveryRound {
    endpoint: EndpointId,
    version: Version,
    from: Cursor,
    next: Cursor,
    schedule: RetrySchedule,
    items: Vec<Item>,
    /// The items in the order in which they are attempted.
    order: Vec<usize>,
    /// Subjects of which an attempt is under way or has failed.
    blocked: HashSet<Uuid>,
    settled: Vec<Cursor>,
    deliveries: Vec<DeliveryRecord>,
    health: Health,
    /// The health before.
    before: Health,
    deadline: OffsetDateTime,
    under_way: usize,
    begun: usize,
    /// Whether a request was made whose attempt has ended.
    tried: bool,
    answered: bool,
    /// The number of attempts without an answer since the last answer.
    unanswered: usize,
    asked: Option<Duration>,
    disabled: Option<&'static str>,
    stopped: bool,
}

#[derive(Debug)]
struct Item {
    event: RecordedEvent,
    subject: Uuid,
    attempts: u32,
    /// Whether it is one of the waiting events already.
    waits: bool,
    state: State,
}

#[derive(Debug)]
enum State {
    /// No attempt has been made.
    Open,
    /// None is made, because an earlier event of the subject waits.
    Behind,
    /// One is under way.
    UnderWay,
    /// Delivered or given up.
    Settled,
    /// To be tried again.
    Failed(WaitingEvent),
}

/// An attempt to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Begun {
    /// Names the attempt in the round.
    pub number: usize,
    /// The event.
    pub event: RecordedEvent,
}

impl DeliveryRound {
    /// Begins a round.
    pub fn new(work: Workload, schedule: RetrySchedule, now: OffsetDateTime) -> Self {
        let TrackedEndpoint {
            endpoint,
            cursor,
            health,
        } = work.tracked;
        let mut round = Self {
            endpoint: endpoint.id,
            version: endpoint.version,
            from: cursor,
            next: work.next,
            schedule,
            items: Vec::new(),
            order: Vec::new(),
            blocked: HashSet::new(),
            settled: Vec::new(),
            deliveries: Vec::new(),
            health,
            before: health,
            deadline: now + ROUND_TIME,
            under_way: 0,
            begun: 0,
            tried: false,
            answered: false,
            unanswered: 0,
            asked: None,
            disabled: None,
            stopped: false,
        };
        let mut behind = work.waiting;
        for (waiting, event) in work.due {
            behind.insert(waiting.subject);
            match event {
                // The owner may have changed the wanted types or prefixes.
                Some(event) if endpoint.wants(&event.event) => {
                    round.add(event, waiting.attempts, true, State::Open);
                }
                Some(_) => round.settled.push(waiting.cursor),
                None => {
                    round.settled.push(waiting.cursor);
                    round.deliveries.push(not_kept(&waiting, now));
                }
            }
        }
        for event in work.page {
            let state = if behind.contains(&event.event.subject.id()) {
                State::Behind
            } else {
                State::Open
            };
            round.add(event, 0, false, state);
        }
        round.order = round.order();
        round
    }

    fn add(&mut self, event: RecordedEvent, attempts: u32, waits: bool, state: State) {
        self.items.push(Item {
            subject: event.event.subject.id(),
            event,
            attempts,
            waits,
            state,
        });
    }

    /// Waiting and fresh events in turn, so that neither hold up the others. A probe is rather a
    /// fresh event, and else one with few attempts: that an event fails by itself, such as one that
    /// the receiver never finishes, does not make the whole endpoint look silent.
    fn order(&self) -> Vec<usize> {
        let open = |(_, item): &(usize, &Item)| matches!(item.state, State::Open);
        let items = self.items.iter().enumerate().filter(open);
        let (mut waiting, fresh): (Vec<_>, Vec<_>) = items.partition(|(_, item)| item.waits);
        if self.before.is_probing() {
            waiting.sort_by_key(|(_, item)| item.attempts);
            let all = fresh.iter().chain(&waiting);
            return all.map(|(at, _)| *at).collect();
        }
        let longest = waiting.len().max(fresh.len());
        let turns = (0..longest)
            .flat_map(|turn| [waiting.get(turn), fresh.get(turn)].into_iter().flatten());
        turns.map(|(at, _)| *at).collect()
    }

    /// The next attempt to make; `None` if none may be made now, or at all if none is under way.
    pub fn begin(&mut self, now: OffsetDateTime) -> Option<Begun> {
        // While answers fail to come, fewer attempts are under way: a whole window of silence
        // costs one window of attempts.
        let may_be_lost = self.under_way + self.unanswered;
        if self.is_stopped() || now >= self.deadline || may_be_lost >= self.before.window() {
            return None;
        }
        let (items, blocked) = (&self.items, &self.blocked);
        let may_begin = |at: &usize| !blocked.contains(&items[*at].subject);
        let place = self.order.iter().position(may_begin)?;
        let number = self.order.remove(place);
        let item = &mut self.items[number];
        item.state = State::UnderWay;
        item.attempts = item.attempts.saturating_add(1);
        self.blocked.insert(item.subject);
        self.under_way += 1;
        self.begun += 1;
        Some(Begun {
            number,
            event: item.event.clone(),
        })
    }

    /// Begins no more attempts.
    pub const fn stop(&mut self) {
        self.stopped = true;
    }

    /// Whether it began no more attempts before it was through, by [`stop`](Self::stop) or
    /// [`withdraw`](Self::withdraw).
    pub const fn was_cut_short(&self) -> bool {
        self.stopped
    }

    fn is_stopped(&self) -> bool {
        let has_probed = self.before.is_probing() && self.begun > 0;
        self.stopped
            || has_probed
            || self.is_silent_stretch()
            || self.asked.is_some()
            || self.disabled.is_some()
    }

    /// Whether a whole window of attempts in a row was not answered.
    fn is_silent_stretch(&self) -> bool {
        self.unanswered >= self.before.window()
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
            self.tried = true;
            self.disabled = self.disabled.or(self.health.note(attempt, now));
            if outcome.is_silent() {
                self.unanswered += 1;
            } else {
                self.answered = true;
                self.unanswered = 0;
            }
        }
        self.asked = self.asked.max(asked_for_quiet(outcome));
        let mut error = attempt.error.clone();
        let wait = || {
            self.schedule
                .next(item.attempts, outcome.retry_after(), jitter)
        };
        item.state = match (outcome, wait()) {
            (Outcome::Delivered(_), _) => State::Settled,
            (_, None) => {
                let why = error.take().unwrap_or_default();
                error = Some(format!("{why}; given up after {} attempts", item.attempts));
                State::Settled
            }
            (_, Some(wait)) => State::Failed(item.waiting(
                Some(now.saturating_add(wait.try_into().unwrap_or(time::Duration::MAX))),
                error.clone(),
                outcome.is_silent(),
            )),
        };
        if matches!(item.state, State::Settled) {
            self.blocked.remove(&item.subject);
            if item.waits {
                self.settled.push(item.event.cursor);
            }
        }
        self.deliveries.push(DeliveryRecord {
            at: now,
            event: item.event.cursor,
            name: item.event.event.name.clone(),
            attempt: item.attempts,
            status: outcome.status(),
            duration: whole_milliseconds(attempt.duration),
            error,
        });
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
        self.stop();
    }

    /// The result, as of all attempts that have ended. `jitter` is a random number from 0 to 1.
    pub fn finish(mut self, now: OffsetDateTime, jitter: f64) -> Round {
        let to = self.to();
        let is_silent = self.is_silent_stretch() || !self.answered;
        if self.tried && is_silent {
            self.health.fall_silent(jitter, now);
        } else if self.tried {
            self.health.answer(self.asked, now);
        }
        Round {
            endpoint: self.endpoint,
            version: self.version,
            from: self.from,
            to,
            waiting: self.waiting(to, now),
            settled: self.settled,
            deliveries: self.deliveries,
            health: self.health,
            disabled: self.disabled.map(str::to_owned),
            wakes_silent: self.tried && !is_silent && self.before.answer_ends_silence(),
            at: now,
        }
    }

    /// The end of the page; before that, the last event of the page that was attempted.
    fn to(&self) -> Cursor {
        let page = || self.items.iter().filter(|item| !item.waits);
        let is_left = |item: &Item| matches!(item.state, State::Open | State::UnderWay);
        if !page().any(is_left) {
            return self.next;
        }
        let has_ended = |item: &&Item| matches!(item.state, State::Settled | State::Failed(_));
        let last = page().rfind(has_ended);
        last.map_or(self.from, |item| item.event.cursor)
    }

    /// The events that wait now: those that failed, and those of the page up to `to` that were not
    /// attempted, of which the first of a subject is due if none before it has failed.
    fn waiting(&self, to: Cursor, now: OffsetDateTime) -> Vec<WaitingEvent> {
        let mut subjects = HashSet::new();
        let mut waiting: Vec<_> = self
            .items
            .iter()
            .filter(|item| item.waits || item.event.cursor <= to)
            .filter_map(|item| match &item.state {
                State::Failed(waiting) => {
                    subjects.insert(item.subject);
                    Some(waiting.clone())
                }
                State::Open | State::UnderWay if !item.waits => {
                    let is_first = subjects.insert(item.subject);
                    Some(item.waiting(is_first.then_some(now), None, false))
                }
                State::Behind => Some(item.waiting(None, None, false)),
                State::Open | State::UnderWay | State::Settled => None,
            })
            .collect();
        waiting.sort_by_key(|event| event.cursor);
        waiting
    }
}

impl Item {
    fn waiting(
        &self,
        next_at: Option<OffsetDateTime>,
        last_error: Option<String>,
        is_silent: bool,
    ) -> WaitingEvent {
        WaitingEvent {
            cursor: self.event.cursor,
            name: self.event.event.name.clone(),
            subject: self.subject,
            attempts: self.attempts,
            next_at,
            last_error,
            is_silent,
        }
    }
}

fn whole_milliseconds(duration: Duration) -> Duration {
    Duration::from_millis(duration.as_millis().try_into().unwrap_or(u64::MAX))
}

fn not_kept(waiting: &WaitingEvent, now: OffsetDateTime) -> DeliveryRecord {
    DeliveryRecord {
        at: now,
        event: waiting.cursor,
        name: waiting.name.clone(),
        attempt: waiting.attempts,
        status: None,
        duration: Duration::ZERO,
        error: Some(NOT_KEPT.to_owned()),
    }
}
