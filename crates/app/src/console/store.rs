//! What the pages have decided, by the commands of operators on a store.

use std::sync::Arc;

use access::Clients;
use adapters_console::{CompanyEditor, Moderator, People};
use async_trait::async_trait;
use domain::{
    posting::{Lifetime, Posting, moderation::Moderation},
    store::Store,
    usecase::{CompanyChange, CompanyError, ModerationError},
};
use kernel::{CompanyId, SourceIdentifier, Version, audit::Attribution};
use newsletter::{
    subscriber::Email,
    usecase::{PersonCommand, PersonError, PersonRef},
};

use runtime::Clock;

use crate::operators;

/// What the commands need.
pub struct StoreCommands {
    pub store: Arc<dyn Store>,
    pub clients: Arc<dyn Clients>,
    pub newsletter: Arc<dyn newsletter::store::Store>,
    pub lifetime: Lifetime,
    pub clock: Clock,
}

#[async_trait]
impl Moderator for StoreCommands {
    async fn moderate(
        &self,
        identifier: &SourceIdentifier,
        command: &Moderation,
        seen: Option<Version>,
        by: &Attribution,
    ) -> Result<Posting, ModerationError> {
        let store = &*self.store;
        operators::moderate(store, identifier, command, seen, by, self.lifetime).await
    }
}

#[async_trait]
impl CompanyEditor for StoreCommands {
    async fn update(
        &self,
        id: CompanyId,
        change: &CompanyChange,
        by: &Attribution,
    ) -> Result<(), CompanyError> {
        operators::change_company(&*self.store, &*self.clients, id, change, by).await
    }
}

#[async_trait]
impl People for StoreCommands {
    async fn decide(
        &self,
        email: &Email,
        command: &PersonCommand,
        by: &Attribution,
    ) -> Result<String, PersonError> {
        let person = PersonRef::Email(email.clone());
        let decided = operators::decide_about(&*self.newsletter, &self.clock, &person, command, by);
        Ok(decided.await?.to_string())
    }
}
