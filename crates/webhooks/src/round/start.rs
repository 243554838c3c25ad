//! The start of a round: reads its events.

use std::collections::{BTreeMap, HashMap, HashSet};

use kernel::{
    StoreError,
    event::{Cursor, EventLog, LogError, LogPage, LogQuery, RecordedEvent},
};
use time::OffsetDateTime;
use uuid::Uuid;

use super::{
    DeliveryRound, Item, MOST_WAITING, ROUND_TIME, Source, State,
    lane::{Lane, OfCompanies, is_lane, lane_of},
};
use crate::{
    DeliveryRecord, FULL_REST, LONGER_THAN_ANY_WAIT, MOST_LATER, REST, RetrySchedule,
    TrackedEndpoint, WaitingSubject, Webhooks,
};

/// The most due subjects that a round takes, and the most fresh events that the round attempts.
const EVENTS: usize = 256;

/// The largest number of a subject's events that a round attempts. The subject's other events wait
/// and the endpoint's cursor passes them, so the round stays short.
const FEW: usize = 4;

/// The largest number of pages read to find visible events.
pub(super) const PAGES: usize = 8;

const NOT_KEPT: &str = "not delivered: the event is no longer kept";

/// Reads a leased endpoint's events: events of due waiting subjects and, unless [too
/// many](MOST_WAITING) subjects wait, events after the cursor. If there are none, a half-open
/// circuit probes with the waiting event that is due next, before its time.
pub async fn start_round(
    webhooks: &dyn Webhooks,
    log: &dyn EventLog,
    tracked: TrackedEndpoint,
    schedule: RetrySchedule,
    now: OffsetDateTime,
) -> Result<DeliveryRound, StoreError> {
    let id = tracked.endpoint.id;
    let is_half_open = tracked.health.is_half_open();
    let mut start = Start::new(tracked, schedule, now);
    let due = webhooks.due(id, now, EVENTS).await?;
    start.round.has_more = due.len() == EVENTS;
    start.take_due(due);
    start.read_on(log).await?;
    start.read_lanes(webhooks, log).await?;
    start.read_page(webhooks, log).await?;
    if is_half_open && start.due.is_empty() && start.open == 0 {
        let next = webhooks.due(id, now + LONGER_THAN_ANY_WAIT, 1).await?;
        start.take_due(next);
    }
    start.open_due(log).await?;
    let mut round = start.round;
    round.order = round.order();
    Ok(round)
}

pub(super) struct Start {
    pub(super) round: DeliveryRound,
    now: OffsetDateTime,
    due: Vec<Uuid>,
    pub(super) due_lanes: Vec<Uuid>,
    /// Whether too many subjects wait. `None` until counted.
    is_full: Option<bool>,
    open: usize,
    of_subject: HashMap<Uuid, usize>,
    pub(super) of_companies: OfCompanies,
    aside: HashSet<Uuid>,
    newest: HashMap<Uuid, usize>,
}

impl Start {
    fn new(tracked: TrackedEndpoint, schedule: RetrySchedule, now: OffsetDateTime) -> Self {
        let round = DeliveryRound {
            has_gap: false,
            next: tracked.cursor,
            health: tracked.health,
            tracked,
            schedule,
            items: Vec::new(),
            order: Vec::new(),
            blocked: HashSet::new(),
            stored: HashMap::new(),
            due: HashSet::new(),
            read_to: HashMap::new(),
            lanes: BTreeMap::new(),
            not_kept: Vec::new(),
            attempts: Vec::new(),
            has_more: false,
            rest: REST,
            deadline: now + ROUND_TIME,
            under_way: 0,
            begun: 0,
            answered: None,
            unanswered: 0,
            asked: None,
            disabled: None,
            withdrew: false,
        };
        Self {
            round,
            now,
            due: Vec::new(),
            due_lanes: Vec::new(),
            is_full: None,
            open: 0,
            of_subject: HashMap::new(),
            of_companies: OfCompanies::default(),
            aside: HashSet::new(),
            newest: HashMap::new(),
        }
    }

    fn take_due(&mut self, due: Vec<WaitingSubject>) {
        for waiting in due {
            if is_lane(waiting.subject) {
                self.due_lanes.push(waiting.subject);
                self.add_waiting(waiting);
                continue;
            }
            self.due.push(waiting.subject);
            self.round.due.insert(waiting.subject);
            // The subject may already be loaded because of an event on the page.
            if !self.round.stored.contains_key(&waiting.subject) {
                self.add_waiting(waiting);
            }
        }
    }

    /// Adds a waiting subject without its later events after the cursor. The later events are read
    /// again from the log, because the cursor was moved back.
    fn add_waiting(&mut self, waiting: WaitingSubject) {
        let (subject, cursor) = (waiting.subject, self.round.tracked.cursor);
        if is_lane(subject) {
            let lane = Lane::after(waiting.next.cursor);
            self.round.lanes.entry(subject).or_insert(lane);
            self.round.stored.insert(subject, waiting);
            return;
        }
        self.add(Item {
            attempts: waiting.attempts,
            due_at: Some(waiting.next_at).filter(|at| *at > self.now),
            ..Item::waiting(subject, waiting.next.clone())
        });
        for place in &waiting.later {
            if place.cursor <= cursor {
                self.add(Item::waiting(subject, place.clone()));
            }
        }
        if let Some(to) = waiting.read_to.filter(|to| *to < cursor) {
            self.round.read_to.insert(subject, to);
        }
        self.round.stored.insert(subject, waiting);
    }

    /// Adds an item, which may replace an earlier item of its subject.
    pub(super) fn add(&mut self, item: Item) {
        if item.can_be_superseded() {
            let number = self.round.items.len();
            let older = self.newest.insert(item.subject, number);
            if let Some(older) = older.map(|older| &mut self.round.items[older])
                && older.can_be_superseded()
            {
                older.state = State::Superseded;
            }
        }
        self.round.items.push(item);
    }

    /// Reads more of the log for due subjects with few listed events. The number of pages is
    /// limited.
    async fn read_on(&mut self, log: &dyn EventLog) -> Result<(), StoreError> {
        let mut pages = PAGES;
        for subject in self.due.clone() {
            let listed = self.round.stored[&subject].count();
            let Some(to) = self.round.read_to.get(&subject).copied() else {
                continue;
            };
            if listed > 2 * FEW {
                continue;
            }
            let (mut query, mut room) = (self.query(to), MOST_LATER + 1 - listed);
            while pages > 0 && room > 0 {
                pages -= 1;
                let Some(page) = self.read(log, &mut query).await? else {
                    continue;
                };
                let mut read_to = page.next;
                for event in page.events {
                    let is_passed = event.cursor <= self.round.tracked.cursor;
                    if event.event.subject.id() == subject && is_passed {
                        self.add(Item::waiting(subject, (&event).into()));
                        room -= 1;
                        if room == 0 {
                            read_to = event.cursor;
                            break;
                        }
                    }
                }
                query.after = Some(read_to);
                if read_to >= self.round.tracked.cursor || (room > 0 && !page.has_more) {
                    self.round.read_to.remove(&subject);
                    break;
                }
                self.round.read_to.insert(subject, read_to);
            }
        }
        self.round.has_more |= pages == 0;
        Ok(())
    }

    /// Reads events after the cursor until there are enough to attempt.
    async fn read_page(
        &mut self,
        webhooks: &dyn Webhooks,
        log: &dyn EventLog,
    ) -> Result<(), StoreError> {
        let mut query = self.query(self.round.tracked.cursor);
        let mut has_more = false;
        for _ in 0..PAGES {
            let Some(page) = self.read(log, &mut query).await? else {
                continue;
            };
            if !page.events.is_empty() && self.is_full(webhooks).await? {
                (self.round.has_gap, self.round.rest) = (false, FULL_REST);
                return Ok(());
            }
            self.find_waiting(webhooks, &page.events).await?;
            for event in page.events {
                self.add_fresh(event);
            }
            (self.round.next, has_more) = (page.next, page.has_more);
            if !has_more || self.open > EVENTS / 2 {
                break;
            }
            query.after = Some(page.next);
            query.limit = EVENTS - self.open;
        }
        self.round.has_more |= has_more;
        Ok(())
    }

    pub(super) async fn is_full(&mut self, webhooks: &dyn Webhooks) -> Result<bool, StoreError> {
        if let Some(is_full) = self.is_full {
            return Ok(is_full);
        }
        let id = self.round.tracked.endpoint.id;
        let is_full = webhooks.count_waiting(id, MOST_WAITING).await? >= MOST_WAITING;
        self.is_full = Some(is_full);
        Ok(is_full)
    }

    pub(super) async fn find_waiting(
        &mut self,
        webhooks: &dyn Webhooks,
        events: &[RecordedEvent],
    ) -> Result<(), StoreError> {
        let subjects = events.iter().map(|event| event.event.subject.id());
        let lanes = events.iter().filter_map(|event| lane_of(&event.event));
        let is_new = |subject: &Uuid| {
            !self.round.stored.contains_key(subject) && !self.of_subject.contains_key(subject)
        };
        let subjects: HashSet<_> = subjects.chain(lanes).filter(is_new).collect();
        let id = self.round.tracked.endpoint.id;
        for waiting in webhooks.waiting_among(id, &subjects).await? {
            self.add_waiting(waiting);
        }
        Ok(())
    }

    /// Adds an event of the page, unless the round already has it.
    fn add_fresh(&mut self, event: RecordedEvent) {
        let subject = event.event.subject.id();
        if self.round.read_to.contains_key(&subject) {
            return;
        }
        let mut item = Item::read(event, Source::Page, State::Open);
        // The event takes the turn of the event that it replaces.
        let supersedes = item.can_be_superseded() && self.newest.contains_key(&subject);
        if self.goes_into_lane(&item, supersedes) {
            return;
        }
        let of_subject = self.of_subject.entry(subject).or_default();
        *of_subject += usize::from(!supersedes);
        if self.round.stored.contains_key(&subject) || *of_subject > FEW {
            self.aside.insert(subject);
        }
        if self.aside.contains(&subject) {
            item.state = State::Aside;
        } else {
            self.open += usize::from(!supersedes);
        }
        self.add(item);
    }

    /// Opens the first events of due subjects. Drops events that are no longer kept, or no longer
    /// wanted since the owner changed names or prefixes.
    async fn open_due(&mut self, log: &dyn EventLog) -> Result<(), StoreError> {
        let round = &mut self.round;
        let of_each = if round.before().is_half_open() {
            1
        } else {
            FEW.min(EVENTS / self.due.len().max(1)).max(1)
        };
        let mut of_subject: HashMap<Uuid, Vec<usize>> = HashMap::new();
        for (number, item) in round.items.iter().enumerate() {
            if round.due.contains(&item.subject) && item.can_be_attempted() {
                of_subject.entry(item.subject).or_default().push(number);
            }
        }
        let mut opened = Vec::new();
        for (subject, numbers) in of_subject {
            let is_waiting = |number: &&usize| round.items[**number].waits();
            let waiting = numbers.iter().filter(is_waiting).count();
            if waiting == 0 {
                // An event of the page may have replaced a waiting event.
                for number in numbers.into_iter().take(of_each) {
                    round.items[number].state = State::Open;
                }
                continue;
            }
            // While the log may have more events, the last listed event stays, to mark the place.
            let kept = usize::from(round.read_to.contains_key(&subject));
            opened.extend(numbers.into_iter().take((waiting - kept).min(of_each)));
        }
        if opened.is_empty() {
            return Ok(());
        }
        let places = opened
            .iter()
            .map(|number| round.items[*number].place.cursor);
        let events = log.events_at(&places.collect::<Vec<_>>()).await?;
        let mut events: HashMap<_, _> = events.into_iter().map(|it| (it.cursor, it)).collect();
        for number in opened {
            let item = &mut round.items[number];
            let event = events.remove(&item.place.cursor);
            if event.is_none() {
                round.not_kept.push(DeliveryRecord {
                    at: self.now,
                    event: item.place.cursor,
                    name: item.place.name.clone(),
                    attempt: item.attempts,
                    status: None,
                    duration: std::time::Duration::ZERO,
                    error: Some(NOT_KEPT.to_owned()),
                });
            }
            item.event = event.filter(|it| round.tracked.endpoint.wants(&it.event));
            item.state = match item.event {
                Some(_) => State::Open,
                None => State::Dropped,
            };
        }
        round.not_kept.sort_by_key(|record| record.event);
        Ok(())
    }

    pub(super) fn query(&self, after: Cursor) -> LogQuery {
        let endpoint = &self.round.tracked.endpoint;
        LogQuery {
            after: Some(after),
            names: endpoint.names().to_vec(),
            prefixes: endpoint.prefixes.clone(),
            reader: endpoint.owner.client(),
            limit: EVENTS,
        }
    }

    /// Reads a page of wanted events. `None` if earlier events are no longer kept; the query then
    /// starts at the oldest kept event.
    pub(super) async fn read(
        &mut self,
        log: &dyn EventLog,
        query: &mut LogQuery,
    ) -> Result<Option<LogPage>, StoreError> {
        match log.read(query).await {
            Ok(mut page) => {
                let endpoint = &self.round.tracked.endpoint;
                page.events.retain(|event| endpoint.wants(&event.event));
                Ok(Some(page))
            }
            Err(LogError::Gone) => {
                self.round.has_gap = true;
                query.after = None;
                Ok(None)
            }
            Err(LogError::Store(error)) => Err(error),
        }
    }
}
