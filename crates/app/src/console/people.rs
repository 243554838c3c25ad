//! Decisions about newsletter subscribers, for the console.

use std::sync::Arc;

use adapters_console::{People, PersonCommand, PersonError};
use async_trait::async_trait;
use kernel::audit::Attribution;
use newsletter::{
    store::{Store, StoreError},
    subscriber::Email,
};

use crate::{
    clock::Clock,
    command::subscribers::{self, NOT_FOUND},
    config::PersonRef,
};

/// Decides about the subscribers of a store, as the commands do.
pub struct StorePeople {
    pub store: Arc<dyn Store>,
    pub clock: Clock,
}

#[async_trait]
impl People for StorePeople {
    async fn decide(
        &self,
        email: &Email,
        command: &PersonCommand,
        by: &Attribution,
    ) -> Result<String, PersonError> {
        let person = PersonRef::Email(email.clone());
        let (store, clock) = (&*self.store, &self.clock);
        let said = match command {
            PersonCommand::Suppress { reason } => {
                subscribers::suppress(store, clock, &person, reason, by).await
            }
            PersonCommand::Reinstate { reason } => {
                subscribers::reinstate(store, clock, &person, reason, by).await
            }
            PersonCommand::Erase => {
                let erased = subscribers::erase(store, clock, &person, by).await;
                erased.map(ToOwned::to_owned)
            }
        };
        said.map_err(in_kind)
    }
}

/// What a command failed of.
fn in_kind(error: anyhow::Error) -> PersonError {
    if error.to_string() == NOT_FOUND {
        return PersonError::NotFound;
    }
    let error = error.downcast::<StoreError>();
    PersonError::Store(error.unwrap_or_else(|error| StoreError::Broken(error.to_string())))
}
