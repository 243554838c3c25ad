//! The decisions of operators on the console's pages, carried out on a store.

use std::sync::Arc;

use access::Clients;
use adapters_console::Decisions;
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

/// The commands of operators, with what they need.
pub struct StoreCommands {
    pub store: Arc<dyn Store>,
    pub clients: Arc<dyn Clients>,
    pub newsletter: Arc<dyn newsletter::store::Store>,
    pub lifetime: Lifetime,
    pub clock: Clock,
}

#[async_trait]
impl Decisions for StoreCommands {
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

    async fn change_company(
        &self,
        id: CompanyId,
        change: &CompanyChange,
        by: &Attribution,
    ) -> Result<(), CompanyError> {
        operators::change_company(&*self.store, &*self.clients, id, change, by).await
    }

    async fn decide_about(
        &self,
        email: &Email,
        command: &PersonCommand,
        by: &Attribution,
    ) -> Result<String, PersonError> {
        let person = PersonRef::Email(email.clone());
        let decided = operators::decide_about(&*self.newsletter, &self.clock, &person, command, by);
        decided.await
    }
}
