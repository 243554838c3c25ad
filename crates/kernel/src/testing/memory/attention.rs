use async_trait::async_trait;

use super::MemoryStore;
use crate::{
    StoreError,
    attention::{AttentionCheck, AttentionList, StoredAttention},
};

#[async_trait]
impl AttentionList for MemoryStore {
    async fn attention(&self) -> Result<StoredAttention, StoreError> {
        Ok(self.shared().attention.clone())
    }

    async fn record_check(&self, check: &AttentionCheck) -> Result<(), StoreError> {
        let mut state = self.shared();
        if state.attention.version != check.expected {
            return Err(StoreError::Conflict);
        }
        state.attention.version += 1;
        state.attention.checked_at = Some(check.at);
        if let Some(items) = &check.items {
            state.attention.items.clone_from(items);
        }
        for (client, visible) in &check.visible {
            if state.clients.contains_key(client) {
                state.visible.insert(*client, *visible);
            }
        }
        state.write(check.tasks());
        Ok(())
    }
}
