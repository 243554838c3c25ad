//! The commands of operators, for the command line and the console: each is decided again after
//! conflicts, on what is stored then.

use std::time::Duration;

use access::{
    Client, Clients, ManagedClients, NewClient,
    sign_in::{SignInTokens, issue_link, token_digest},
};
use adapters_console::{LINK_PARAMETER, SIGN_IN_PATH, new_token as new_link};
use domain::{
    posting::{Lifetime, Posting, moderation::Moderation},
    store::{Retention, Store},
    usecase::{self, CompanyChange, CompanyError, ModerationError},
};
use kernel::{
    ClientId, CompanyId, SourceIdentifier, Version,
    audit::{Attribution, Operator},
};
use newsletter::usecase::{PersonCommand, PersonError, PersonRef, decide_about_person};
use tokens::ClientSecret;

use runtime::{Clock, clock, decide_again};
use uuid::Uuid;

use crate::newsletter_service::{new_id, new_token};

/// How long a command is decided again after conflicts.
const WITHIN: Duration = Duration::from_secs(10);

/// Moderates a posting, of the version that the operator has seen, if one is named.
pub async fn moderate(
    store: &dyn Store,
    id: &SourceIdentifier,
    command: &Moderation,
    seen: Option<Version>,
    by: &Attribution,
    lifetime: Lifetime,
) -> Result<Posting, ModerationError> {
    let attempt = || usecase::moderate(store, id, command, seen, by, lifetime, clock::now());
    decide_again(WITHIN, attempt).await
}

/// Erases a posting.
pub async fn erase_posting(
    store: &dyn Store,
    retention: &dyn Retention,
    id: &SourceIdentifier,
    reason: &str,
    by: &Attribution,
) -> Result<bool, ModerationError> {
    let attempt = || usecase::erase(store, retention, id, reason, by, clock::now());
    decide_again(WITHIN, attempt).await
}

/// Changes a company.
pub async fn change_company(
    store: &dyn Store,
    clients: &dyn Clients,
    id: CompanyId,
    change: &CompanyChange,
    by: &Attribution,
) -> Result<(), CompanyError> {
    let attempt = || usecase::update_company(store, clients, id, change, by, clock::now());
    decide_again(WITHIN, attempt).await
}

/// Decides about a newsletter subscriber. Returns the outcome, as a sentence.
pub async fn decide_about(
    store: &dyn newsletter::store::Store,
    clock: &Clock,
    person: &PersonRef,
    command: &PersonCommand,
    by: &Attribution,
) -> Result<String, PersonError> {
    let new = (new_id(), new_token());
    let attempt = || decide_about_person(store, person, command, new.clone(), by, clock());
    decide_again(WITHIN, attempt).await
}

/// Creates a client and returns its secret, of which only a digest is stored.
pub async fn create_client(
    clients: &dyn Clients,
    by: &Attribution,
    new: NewClient,
) -> anyhow::Result<(Client, ClientSecret)> {
    let (id, secret) = (ClientId::new(Uuid::now_v7()), ClientSecret::generate()?);
    let clients = ManagedClients { clients, by };
    let created = clients.create(id, new, secret.digest(), clock::now());
    Ok((created.await?, secret))
}

/// Makes a link that signs an operator in, once.
pub async fn link(
    passes: &dyn SignInTokens,
    url: &str,
    operator: Operator,
    by: &Attribution,
) -> anyhow::Result<String> {
    let token = new_link();
    issue_link(passes, token_digest(&token), operator, by, clock::now()).await?;
    Ok(format!("{url}{SIGN_IN_PATH}?{LINK_PARAMETER}={token}"))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use kernel::{
        StoreError,
        testing::{by_ann, noon},
    };
    use newsletter::testing::email;
    use workers::faulty::FaultyStore;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn others_writes_are_no_failure() {
        let store = FaultyStore::new();
        store.fail_next(vec![StoreError::Conflict; 2]);
        let ada = PersonRef::Email(email("ada@example.com"));
        let command = PersonCommand::Suppress {
            reason: "asked".to_owned(),
        };
        let clock: Clock = Arc::new(noon);
        let outcome = decide_about(&*store, &clock, &ada, &command, &by_ann(1)).await;
        assert!(outcome.is_ok(), "{outcome:?}");
    }
}
