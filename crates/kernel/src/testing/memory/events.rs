use std::collections::HashMap;

use async_trait::async_trait;
use time::OffsetDateTime;

use super::MemoryStore;
use crate::{
    CompanyId, StoreError,
    event::{Cursor, EventLog, LogError, LogPage, LogQuery, RecordedEvent, Subject},
};

#[async_trait]
impl EventLog for MemoryStore {
    async fn read(&self, query: &LogQuery) -> Result<LogPage, LogError> {
        let state = self.shared();
        let after = query.after.unwrap_or(state.forgotten);
        let behind = state.events.partition_point(|event| event.cursor <= after);
        let last = behind.checked_sub(1).map(|last| state.events[last].cursor);
        if last.unwrap_or(state.forgotten) != after {
            return Err(LogError::Gone);
        }
        let mut page = LogPage {
            events: Vec::new(),
            next: after,
            has_more: false,
        };
        for event in state.events.iter().skip(behind) {
            if page.events.len() == query.limit {
                page.has_more = true;
                break;
            }
            page.next = event.cursor;
            if query.wants(&event.event) {
                page.events.push(event.clone());
            }
        }
        Ok(page)
    }

    async fn events_at(&self, cursors: &[Cursor]) -> Result<Vec<RecordedEvent>, StoreError> {
        let state = self.shared();
        let events = state.events.iter();
        let found = events.filter(|event| cursors.contains(&event.cursor));
        Ok(found.cloned().collect())
    }

    async fn newest_of(
        &self,
        companies: &[CompanyId],
    ) -> Result<HashMap<CompanyId, Cursor>, StoreError> {
        let state = self.shared();
        let of_companies = state.events.iter().filter_map(|event| {
            let Subject::Company(company) = &event.event.subject else {
                return None;
            };
            Some((company.id, event.cursor))
        });
        Ok(of_companies
            .filter(|(company, _)| companies.contains(company))
            .collect())
    }

    async fn end(&self) -> Result<Cursor, StoreError> {
        let state = self.shared();
        let last = state.events.last().map(|event| event.cursor);
        Ok(last.unwrap_or(state.forgotten))
    }

    async fn cursor_at(&self, at: OffsetDateTime) -> Result<Cursor, StoreError> {
        let state = self.shared();
        let older = state.events.iter().take_while(|event| event.event.at < at);
        Ok(older.last().map_or(state.forgotten, |event| event.cursor))
    }

    async fn forget(&self, before: OffsetDateTime, limit: usize) -> Result<usize, StoreError> {
        let mut state = self.shared();
        let older = state
            .events
            .iter()
            .take_while(|event| event.event.at < before);
        let count = older.take(limit).count();
        let last = state.events.drain(..count).next_back();
        if let Some(last) = last {
            state.forgotten = last.cursor;
        }
        Ok(count)
    }
}
