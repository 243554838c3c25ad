//! Moderation, for the console and the command line.

use std::{sync::Arc, time::Duration};

use adapters_console::Moderator;
use async_trait::async_trait;
use domain::{
    posting::{Lifetime, Posting, moderation::Moderation},
    store::{Retention, Store},
    usecase::{self, ModerationError, moderate},
};
use kernel::{SourceIdentifier, StoreError, Version, audit::Attribution};

use crate::{clock, waits::Waits};

/// Retries after conflicts.
const MAX_RETRIES: usize = 8;
/// The waits between them.
const FIRST_WAIT: Duration = Duration::from_millis(20);
const LONGEST_WAIT: Duration = Duration::from_mins(1);

/// Moderates the postings of a store.
pub struct StoreModerator {
    pub store: Arc<dyn Store>,
    pub lifetime: Lifetime,
}

#[async_trait]
impl Moderator for StoreModerator {
    async fn moderate(
        &self,
        identifier: &SourceIdentifier,
        command: &Moderation,
        seen: Option<Version>,
        by: &Attribution,
    ) -> Result<Posting, ModerationError> {
        apply(&*self.store, identifier, command, seen, by, self.lifetime).await
    }
}

/// Applies a moderation; after a conflict it is decided again on what is stored now.
pub async fn apply(
    store: &dyn Store,
    id: &SourceIdentifier,
    command: &Moderation,
    seen: Option<Version>,
    by: &Attribution,
    lifetime: Lifetime,
) -> Result<Posting, ModerationError> {
    again(|| moderate(store, id, command, seen, by, lifetime, clock::now())).await
}

/// Erases a posting; after a conflict that is decided again on what is stored now.
pub async fn erase(
    store: &dyn Store,
    retention: &dyn Retention,
    id: &SourceIdentifier,
    reason: &str,
    by: &Attribution,
) -> Result<bool, ModerationError> {
    again(|| usecase::erase(store, retention, id, reason, by, clock::now())).await
}

/// Repeats an attempt after conflicts.
async fn again<T, F>(mut attempt: impl FnMut() -> F) -> Result<T, ModerationError>
where
    F: Future<Output = Result<T, ModerationError>>,
{
    let mut waits = Waits::growing(FIRST_WAIT, LONGEST_WAIT).take(MAX_RETRIES);
    loop {
        let result = attempt().await;
        let is_conflict = matches!(
            result,
            Err(ModerationError::Store(
                StoreError::Conflict | StoreError::Locked(_)
            ))
        );
        match waits.next() {
            Some(wait) if is_conflict => tokio::time::sleep(wait).await,
            _ => return result,
        }
    }
}
