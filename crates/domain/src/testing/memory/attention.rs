use std::collections::HashSet;

use async_trait::async_trait;
use kernel::{
    StoreError,
    attention::{AttentionCheck, AttentionList, StoredAttention},
};

use super::MemoryStore;

#[async_trait]
impl AttentionList for MemoryStore {
    async fn attention(&self) -> Result<StoredAttention, StoreError> {
        Ok(self.state().attention.clone())
    }

    async fn record_check(&self, check: &AttentionCheck) -> Result<(), StoreError> {
        let mut state = self.state();
        if state.attention.version != check.expected {
            return Err(StoreError::Conflict);
        }
        state.attention.version += 1;
        state.attention.checked_at = Some(check.at);
        if let Some(items) = &check.items {
            state.attention.items.clone_from(items);
        }
        for (client, visible) in &check.visible {
            if state.clients.iter().any(|known| known.id == *client) {
                state.activity.entry(*client).or_default().visible = *visible;
            }
        }
        state.write_tasks(check.tasks(), &HashSet::new());
        Ok(())
    }
}
