use async_trait::async_trait;

use super::MemoryStore;
use crate::{
    StoreError,
    audit::{AuditLog, AuditPosition, AuditQuery, Entry},
};

#[async_trait]
impl AuditLog for MemoryStore {
    async fn entries(&self, query: &AuditQuery) -> Result<Vec<Entry>, StoreError> {
        let mut entries = self.shared().audit.clone();
        entries.sort_by_key(|entry| std::cmp::Reverse(AuditPosition::from(entry)));
        let is_wanted = |entry: &Entry| {
            query.since.is_none_or(|since| entry.at >= since)
                && query.by.as_ref().is_none_or(|by| entry.by == *by)
                && (query.action.as_deref()).is_none_or(|action| entry.action.as_str() == action)
                && (query.subject.is_none() || entry.subject == query.subject)
                && query
                    .before
                    .is_none_or(|before| AuditPosition::from(entry) < before)
        };
        entries.retain(is_wanted);
        entries.truncate(query.limit);
        Ok(entries)
    }
}
