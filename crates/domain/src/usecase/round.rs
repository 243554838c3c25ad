//! The start of a round of deliveries.

use std::collections::{HashMap, HashSet};

use time::OffsetDateTime;

use crate::{
    StoreError,
    event::{Cursor, EventLog, LogError, LogPage, LogQuery, RecordedEvent},
    webhook::{
        DeliveryRound, Endpoint, RetrySchedule, TrackedEndpoint, WaitingEvent, Webhooks, Workload,
    },
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
    /// Whether events behind the endpoint's cursor are no longer kept, so that they are passed.
    pub has_gap: bool,
}

/// Reads the events of a round for a leased endpoint: waiting events that are due, and events
/// behind its cursor.
pub async fn start_round(
    webhooks: &dyn Webhooks,
    log: &dyn EventLog,
    tracked: TrackedEndpoint,
    schedule: RetrySchedule,
    now: OffsetDateTime,
) -> Result<RoundStart, StoreError> {
    let due = webhooks.due(tracked.endpoint.id, now, EVENTS).await?;
    let (page, has_gap) = page(log, &tracked.endpoint, tracked.cursor).await?;
    let subjects: HashSet<_> = page
        .events
        .iter()
        .map(|event| event.event.subject.id())
        .collect();
    let waiting = if subjects.is_empty() {
        HashSet::new()
    } else {
        let id = tracked.endpoint.id;
        webhooks.waiting_among(id, &subjects).await?
    };
    let work = Workload {
        tracked,
        due: with_events(log, due).await?,
        page: page.events,
        next: page.next,
        waiting,
    };
    let round = DeliveryRound::new(work, schedule, now);
    Ok(RoundStart { round, has_gap })
}

/// The events that the endpoint wants, from a bounded number of pages.
async fn page(
    log: &dyn EventLog,
    endpoint: &Endpoint,
    after: Cursor,
) -> Result<(LogPage, bool), StoreError> {
    let mut has_gap = false;
    let mut query = LogQuery {
        after: Some(after),
        names: endpoint.names().to_vec(),
        limit: EVENTS,
    };
    let mut all = LogPage {
        events: Vec::new(),
        next: after,
        has_more: true,
    };
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
