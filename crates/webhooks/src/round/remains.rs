use std::collections::{HashMap, HashSet};

use kernel::event::Cursor;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{DeliveryRound, Item, Remains, Source, State, lane};
use crate::{MOST_LATER, WaitingSubject};

impl DeliveryRound {
    /// The waiting subjects if the endpoint's cursor becomes `to`. If failures do not count, failed
    /// or dropped events remain as if not attempted.
    pub(super) fn remains(&self, to: Cursor, now: OffsetDateTime, failures_count: bool) -> Remains {
        let passed = self.lanes_passed(failures_count);
        let mut subjects: HashMap<Uuid, Vec<&Item>> = HashMap::new();
        for item in &self.items {
            let items = subjects.entry(item.subject).or_default();
            let remains = match item.state {
                State::Delivered | State::Superseded => false,
                State::DeadLetter | State::Dropped => !failures_count,
                State::Open | State::Aside | State::InFlight | State::Failed(_) => true,
            };
            let is_passed = match item.source {
                Source::Page => item.place.cursor <= to,
                Source::Waiting => true,
                Source::Lane(lane) => item.place.cursor <= passed[&lane],
            };
            if remains && is_passed {
                items.push(item);
            }
        }
        let mut remains = Remains {
            waiting: Vec::new(),
            settled: Vec::new(),
        };
        for (subject, mut items) in subjects {
            items.sort_by_key(|item| item.place.cursor);
            let stored = self.stored.get(&subject);
            match self.subject(subject, &items, now, failures_count) {
                None if stored.is_some() => remains.settled.push(subject),
                Some(waiting) if stored != Some(&waiting) => remains.waiting.push(waiting),
                None | Some(_) => {}
            }
        }
        self.lanes_remain(&passed, to, now, &mut remains);
        remains.waiting.sort_by_key(|it| it.next.cursor);
        remains.settled.sort_unstable();
        remains
    }

    fn subject(
        &self,
        subject: Uuid,
        items: &[&Item],
        now: OffsetDateTime,
        failures_count: bool,
    ) -> Option<WaitingSubject> {
        let (next, later) = items.split_first()?;
        let stored = self.stored.get(&subject);
        let mut waiting = WaitingSubject {
            subject,
            next: next.place.clone(),
            attempts: if failures_count { next.attempts } else { 0 },
            next_at: now,
            last_error: None,
            is_silent: false,
            later: Vec::new(),
            read_to: self.read_to.get(&subject).copied(),
        };
        match (&next.state, stored) {
            (State::Failed(failure), _) if failures_count => {
                waiting.attempts = failure.attempts;
                waiting.next_at = failure.next_at;
                waiting.last_error.clone_from(&failure.error);
                waiting.is_silent = failure.is_silent;
            }
            (_, Some(stored)) if stored.next == next.place => {
                waiting.attempts = stored.attempts;
                waiting.next_at = stored.next_at;
                waiting.last_error.clone_from(&stored.last_error);
                waiting.is_silent = stored.is_silent;
            }
            // This event replaces the stored one, and takes its due time.
            (_, Some(stored)) if !self.due.contains(&subject) => {
                waiting.next_at = stored.next_at;
                waiting.is_silent = stored.is_silent;
            }
            _ => {}
        }
        for item in later {
            // Only the page's events may be left out, because a later round reads them from the
            // log.
            if item.source == Source::Page && waiting.later.len() >= MOST_LATER {
                let last = waiting
                    .later
                    .last()
                    .map_or(next.place.cursor, |it| it.cursor);
                waiting.read_to = Some(last.max(self.tracked.cursor));
                break;
            }
            waiting.later.push(item.place.clone());
        }
        Some(waiting)
    }

    /// Takes the waiting subjects as stored now, including events resent since the round began.
    pub(super) fn restore(&mut self, stored: Vec<WaitingSubject>) {
        let known = self.items.iter().map(|item| item.place.cursor);
        let mut known: HashSet<_> = known.collect();
        for waiting in stored.iter().filter(|it| !lane::is_lane(it.subject)) {
            for place in [&waiting.next].into_iter().chain(&waiting.later) {
                if known.insert(place.cursor) && place.cursor <= self.tracked.cursor {
                    self.items
                        .push(Item::waiting(waiting.subject, place.clone()));
                }
            }
        }
        self.stored = stored.into_iter().map(|it| (it.subject, it)).collect();
    }
}
