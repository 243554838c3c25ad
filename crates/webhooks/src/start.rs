//! The start of a round of deliveries.

use std::collections::{HashMap, HashSet};

use kernel::{
    StoreError,
    event::{Cursor, EventLog, LogError, LogQuery, RecordedEvent},
};
use time::OffsetDateTime;

use crate::{
    DeliveryRound, Endpoint, LONGER_THAN_ANY_WAIT, MOST_WAITING, RetrySchedule, TrackedEndpoint,
    WaitingEvent, Webhooks, Workload,
};

/// The most waiting events of a round, and the most fresh ones.
const EVENTS: usize = 256;

/// The most pages that are read to find events which an endpoint may see.
const PAGES: usize = 8;

/// A round that has started.
#[derive(Debug)]
pub struct RoundStart {
    /// The round.
    pub round: DeliveryRound,
    /// Whether events after the endpoint's cursor are no longer kept, so that they are passed.
    pub has_gap: bool,
}

/// Reads the events of a round for a leased endpoint: waiting events that are due, and events
/// after its cursor, unless [too many](MOST_WAITING) wait already. If there are none and the
/// circuit is half open, the probe is the waiting event that is due next, before its time.
pub async fn start_round(
    webhooks: &dyn Webhooks,
    log: &dyn EventLog,
    tracked: TrackedEndpoint,
    schedule: RetrySchedule,
    now: OffsetDateTime,
) -> Result<RoundStart, StoreError> {
    let (id, cursor) = (tracked.endpoint.id, tracked.cursor);
    let mut due = webhooks.due(id, now, EVENTS).await?;
    let has_more_due = due.len() == EVENTS;
    let (mut page, mut has_gap) = page(log, &tracked.endpoint, cursor).await?;
    let (mut waiting, mut is_full) = (HashSet::new(), false);
    if !page.events.is_empty() {
        if webhooks.count_waiting(id, MOST_WAITING).await? < MOST_WAITING {
            let events = page.events.iter();
            let subjects = events.map(|event| event.event.subject.id()).collect();
            waiting = webhooks.waiting_among(id, &subjects).await?;
        } else {
            (page, has_gap) = (Page::empty(cursor), false);
            is_full = true;
        }
    }
    if tracked.health.is_half_open() && due.is_empty() && page.events.is_empty() {
        due = webhooks.due(id, now + LONGER_THAN_ANY_WAIT, 1).await?;
    }
    let work = Workload {
        tracked,
        due: with_events(log, due).await?,
        page: page.events,
        next: page.next,
        has_more: page.has_more || has_more_due,
        waiting,
        is_full,
    };
    let round = DeliveryRound::new(work, schedule, now);
    Ok(RoundStart { round, has_gap })
}

/// The events after a cursor that an endpoint wants.
struct Page {
    events: Vec<RecordedEvent>,
    /// The cursor after them.
    next: Cursor,
    /// Whether more may be read at once.
    has_more: bool,
}

impl Page {
    const fn empty(next: Cursor) -> Self {
        Self {
            events: Vec::new(),
            next,
            has_more: false,
        }
    }
}

/// The events that the endpoint wants, from a bounded number of pages, and whether there is a gap
/// before them.
async fn page(
    log: &dyn EventLog,
    endpoint: &Endpoint,
    after: Cursor,
) -> Result<(Page, bool), StoreError> {
    let mut has_gap = false;
    let mut query = LogQuery {
        after: Some(after),
        names: endpoint.names().to_vec(),
        prefixes: endpoint.prefixes.clone(),
        limit: EVENTS,
    };
    let mut all = Page::empty(after);
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
