//! The start of a round: what it reads.

use std::collections::{HashMap, HashSet};

use kernel::{
    StoreError,
    event::{Cursor, EventLog, LogError, LogPage, LogQuery, RecordedEvent},
};
use time::OffsetDateTime;

use super::{DeliveryRound, Item, MOST_WAITING, ROUND_TIME, State};
use crate::{
    DeliveryRecord, Endpoint, FULL_REST, LONGER_THAN_ANY_WAIT, REST, RetrySchedule,
    TrackedEndpoint, WaitingEvent, Webhooks,
};

/// The most waiting events of a round, and the most fresh ones.
const EVENTS: usize = 256;

/// The most pages that are read to find events which an endpoint may see.
const PAGES: usize = 8;

/// Why an event that is no longer in the log is a dead letter.
const NOT_KEPT: &str = "given up: the event is no longer kept";

/// Reads the events of a round for a leased endpoint: waiting events that are due, and events
/// after its cursor, unless [too many](MOST_WAITING) wait already. If there are none and the
/// circuit is half open, the probe is the waiting event that is due next, before its time.
pub async fn start_round(
    webhooks: &dyn Webhooks,
    log: &dyn EventLog,
    tracked: TrackedEndpoint,
    schedule: RetrySchedule,
    now: OffsetDateTime,
) -> Result<DeliveryRound, StoreError> {
    let (id, cursor) = (tracked.endpoint.id, tracked.cursor);
    let mut due = webhooks.due(id, now, EVENTS).await?;
    let has_more_due = due.len() == EVENTS;
    let (mut page, mut has_gap) = page(log, &tracked.endpoint, cursor).await?;
    let (mut behind, mut rest) = (HashSet::new(), REST);
    if !page.events.is_empty() {
        if webhooks.count_waiting(id, MOST_WAITING).await? < MOST_WAITING {
            let events = page.events.iter();
            let subjects = events.map(|event| event.event.subject.id()).collect();
            behind = webhooks.waiting_among(id, &subjects).await?;
        } else {
            (page, has_gap, rest) = (empty(cursor), false, FULL_REST);
        }
    }
    if tracked.health.is_half_open() && due.is_empty() && page.events.is_empty() {
        due = webhooks.due(id, now + LONGER_THAN_ANY_WAIT, 1).await?;
    }
    let mut round = DeliveryRound {
        has_gap,
        health: tracked.health,
        tracked,
        schedule,
        items: Vec::new(),
        order: Vec::new(),
        next: page.next,
        blocked: HashSet::new(),
        dropped: Vec::new(),
        not_kept: Vec::new(),
        attempts: Vec::new(),
        has_more: page.has_more || has_more_due,
        rest,
        deadline: now + ROUND_TIME,
        under_way: 0,
        begun: 0,
        answered: None,
        unanswered: 0,
        asked: None,
        disabled: None,
        withdrew: false,
    };
    for (waiting, event) in with_events(log, due).await? {
        behind.insert(waiting.subject);
        round.add_waiting(waiting, event, now);
    }
    for event in page.events {
        let is_behind = behind.contains(&event.event.subject.id());
        let state = if is_behind {
            State::Behind
        } else {
            State::Open
        };
        round.items.push(Item::new(event, state));
    }
    round.order = round.order();
    Ok(round)
}

impl DeliveryRound {
    /// Adds a waiting event, if the log still has it and the endpoint still wants it.
    fn add_waiting(
        &mut self,
        waiting: WaitingEvent,
        event: Option<RecordedEvent>,
        now: OffsetDateTime,
    ) {
        match event {
            // The owner may have changed the wanted types or prefixes.
            Some(event) if self.tracked.endpoint.wants(&event.event) => self.items.push(Item {
                attempts: waiting.attempts,
                waits: true,
                due_at: waiting.next_at.filter(|at| *at > now),
                ..Item::new(event, State::Open)
            }),
            Some(_) => self.dropped.push(waiting.cursor),
            None => {
                self.dropped.push(waiting.cursor);
                self.not_kept.push(DeliveryRecord {
                    at: now,
                    event: waiting.cursor,
                    name: waiting.name,
                    attempt: waiting.attempts,
                    status: None,
                    duration: std::time::Duration::ZERO,
                    error: Some(NOT_KEPT.to_owned()),
                });
            }
        }
    }

    /// Waiting and fresh events in turn, so that neither delay the others. For a probe fresh events
    /// come first, then those with few attempts: one that the receiver can never answer must not
    /// keep the circuit open.
    fn order(&self) -> Vec<usize> {
        let open = |(_, item): &(usize, &Item)| matches!(item.state, State::Open);
        let items = self.items.iter().enumerate().filter(open);
        let (mut waiting, fresh): (Vec<_>, Vec<_>) = items.partition(|(_, item)| item.waits);
        if self.before().is_half_open() {
            waiting.sort_by_key(|(_, item)| item.attempts);
            let all = fresh.iter().chain(&waiting);
            return all.map(|(at, _)| *at).collect();
        }
        let longest = waiting.len().max(fresh.len());
        let turns = (0..longest)
            .flat_map(|turn| [waiting.get(turn), fresh.get(turn)].into_iter().flatten());
        turns.map(|(at, _)| *at).collect()
    }
}

/// A page without events.
const fn empty(next: Cursor) -> LogPage {
    LogPage {
        events: Vec::new(),
        next,
        has_more: false,
    }
}

/// The events that the endpoint wants, from a bounded number of pages, and whether there is a gap
/// before them.
async fn page(
    log: &dyn EventLog,
    endpoint: &Endpoint,
    after: Cursor,
) -> Result<(LogPage, bool), StoreError> {
    let mut has_gap = false;
    let mut query = LogQuery {
        after: Some(after),
        names: endpoint.names().to_vec(),
        prefixes: endpoint.prefixes.clone(),
        limit: EVENTS,
    };
    let mut all = empty(after);
    for _ in 0..PAGES {
        let page = match log.read(&query).await {
            Ok(page) => page,
            Err(LogError::Gone) => {
                has_gap = true;
                query.after = None;
                continue;
            }
            Err(LogError::Store(error)) => return Err(error),
        };
        let wanted = page
            .events
            .into_iter()
            .filter(|event| endpoint.wants(&event.event));
        all.events.extend(wanted);
        all.next = page.next;
        all.has_more = page.has_more;
        if !all.has_more || all.events.len() > EVENTS / 2 {
            break;
        }
        query.after = Some(page.next);
        query.limit = EVENTS - all.events.len();
    }
    Ok((all, has_gap))
}

async fn with_events(
    log: &dyn EventLog,
    due: Vec<WaitingEvent>,
) -> Result<Vec<(WaitingEvent, Option<RecordedEvent>)>, StoreError> {
    if due.is_empty() {
        return Ok(Vec::new());
    }
    let cursors: Vec<_> = due.iter().map(|event| event.cursor).collect();
    let events = log.events_at(&cursors).await?.into_iter();
    let mut events: HashMap<_, _> = events.map(|event| (event.cursor, event)).collect();
    let with_event = |waiting: WaitingEvent| {
        let event = events.remove(&waiting.cursor);
        (waiting, event)
    };
    Ok(due.into_iter().map(with_event).collect())
}
