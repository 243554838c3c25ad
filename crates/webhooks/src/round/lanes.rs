//! The round's part in [lanes](super::lane): reads due lanes, adds events to them, and records how
//! far each lane is done.

use std::collections::{BTreeMap, BTreeSet};

use domain::posting::event::COMPANY_UPDATED;
use kernel::{
    StoreError,
    event::{Cursor, EventLog, LogPage, LogQuery, RecordedEvent, Subject},
};
use time::OffsetDateTime;
use uuid::Uuid;

use super::{
    DeliveryRound, Item, Remains, Source, State,
    lane::{Lane, OF_ALL, OF_ORIGINATOR, OfCompanies, lane_of, waiting},
    start::{PAGES, Start},
};
use crate::Webhooks;

impl Start {
    /// Reads the next events of due lanes, at most a fixed number of pages.
    pub(super) async fn read_lanes(
        &mut self,
        webhooks: &dyn Webhooks,
        log: &dyn EventLog,
    ) -> Result<(), StoreError> {
        if self.due_lanes.is_empty() || self.is_full(webhooks).await? {
            return Ok(());
        }
        let window = self.round.before().window();
        let share = (OF_ALL.min(window) / self.due_lanes.len()).clamp(1, OF_ORIGINATOR);
        let mut pages = PAGES;
        for id in self.due_lanes.clone() {
            let mut query = LogQuery {
                names: vec![COMPANY_UPDATED],
                ..self.query(self.round.lanes[&id].from)
            };
            let mut room = share;
            while pages > 0 && room > 0 && !self.round.lanes[&id].is_read {
                pages -= 1;
                let Some(page) = self.read(log, &mut query).await? else {
                    continue;
                };
                let (next, is_read) = self.add_of_lane(webhooks, log, id, page, &mut room).await?;
                query.after = Some(next);
                if let Some(lane) = self.round.lanes.get_mut(&id) {
                    (lane.next, lane.is_read) = (next, is_read);
                }
            }
        }
        Ok(())
    }

    /// Adds a page's events of a lane, up to the limit. Returns the place that it reached, and
    /// whether that is the lane's end.
    async fn add_of_lane(
        &mut self,
        webhooks: &dyn Webhooks,
        log: &dyn EventLog,
        id: Uuid,
        page: LogPage,
        room: &mut usize,
    ) -> Result<(Cursor, bool), StoreError> {
        let end = self.round.tracked.cursor;
        let is_of_lane =
            |event: &RecordedEvent| event.cursor <= end && lane_of(&event.event) == Some(id);
        let mut events: Vec<_> = page.events.into_iter().filter(is_of_lane).collect();
        let company = |event: &RecordedEvent| match &event.event.subject {
            Subject::Company(company) => Some(company.id),
            _ => None,
        };
        let companies: BTreeSet<_> = events.iter().filter_map(company).collect();
        let companies: Vec<_> = companies.into_iter().collect();
        let newest = log.newest_of(&companies).await?;
        events.retain(|event| {
            let newest = company(event).and_then(|company| newest.get(&company));
            newest.is_none_or(|newest| *newest <= event.cursor)
        });
        self.find_waiting(webhooks, &events).await?;
        for event in events {
            let (cursor, subject) = (event.cursor, event.event.subject.id());
            // The company event may already wait, if its owner resent it.
            if self
                .round
                .items
                .iter()
                .any(|item| item.place.cursor == cursor)
            {
                continue;
            }
            let state = if self.round.stored.contains_key(&subject) {
                State::Aside
            } else {
                State::Open
            };
            self.add(Item::read(event, Source::Lane(id), state));
            self.of_companies.all += 1;
            *room -= 1;
            if *room == 0 {
                return Ok((cursor, cursor == end));
            }
        }
        if page.next >= end || !page.has_more {
            return Ok((end, true));
        }
        Ok((page.next, false))
    }

    /// Whether an event waits in its originator's lane, because the lane has other events or the
    /// round has enough company events.
    pub(super) fn goes_into_lane(&mut self, item: &Item, supersedes: bool) -> bool {
        let event = item.event.as_ref().map(|event| &event.event);
        let Some(id) = event.and_then(lane_of) else {
            return false;
        };
        if let Some(lane) = self.round.lanes.get_mut(&id) {
            lane.grows = true;
            return true;
        }
        let OfCompanies { all, by_lane } = &mut self.of_companies;
        let (own, last) = by_lane.entry(id).or_insert((0, self.round.tracked.cursor));
        if !supersedes && (*own >= OF_ORIGINATOR || *all >= OF_ALL) {
            let mut lane = Lane::after(*last);
            lane.grows = true;
            self.round.lanes.insert(id, lane);
            return true;
        }
        *last = item.place.cursor;
        if !supersedes {
            *own += 1;
            *all += 1;
        }
        false
    }
}

impl DeliveryRound {
    /// The place in each lane up to which all events are done or wait elsewhere.
    pub(super) fn lanes_passed(&self, failures_count: bool) -> BTreeMap<Uuid, Cursor> {
        let passed = |(id, lane): (&Uuid, &Lane)| {
            let source = Source::Lane(*id);
            (
                *id,
                self.passed(&source, lane.from, lane.next, failures_count),
            )
        };
        self.lanes.iter().map(passed).collect()
    }

    /// Decides which lanes wait, and which no longer wait, if the endpoint's cursor becomes `to`.
    pub(super) fn lanes_remain(
        &self,
        passed: &BTreeMap<Uuid, Cursor>,
        to: Cursor,
        now: OffsetDateTime,
        remains: &mut Remains,
    ) {
        for (id, lane) in &self.lanes {
            let at = passed[id];
            let is_done = lane.is_read && !lane.grows && at == lane.next;
            match self.stored.get(id) {
                Some(_) if is_done => remains.settled.push(*id),
                Some(stored) if stored.next.cursor == at => {}
                None if is_done || at >= to => {}
                Some(_) | None => remains.waiting.push(waiting(*id, at, now)),
            }
        }
    }
}
