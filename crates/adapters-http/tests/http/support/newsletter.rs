//! The newsletter on a store in memory. Tests can cause faults: an address such as
//! `fault.broken@example.com` or a token such as `fault:broken` makes its request fail in this way.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use domain::testing::MemoryStore;
use kernel::{ClientId, StoreError};
use newsletter::{
    audit,
    subscriber::{
        Email, MigrationToken, ProviderEvent, PutSubscriber, ReceivedEvent, Subscriber,
        SubscriberId,
    },
    usecase::{self, Erased, Newsletter, NewsletterError, Reported},
};
use time::OffsetDateTime;
use uuid::Uuid;

use super::INTERNALS;

pub const KNOWN_TOKEN: &str = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWY";

#[derive(Default)]
pub struct FakeNewsletter {
    store: Arc<MemoryStore>,
    pub noticed: Mutex<Vec<ProviderEvent>>,
}

impl FakeNewsletter {
    pub async fn enlist(&self, address: &str) {
        let id = SubscriberId::new(Uuid::now_v7());
        let token = MigrationToken::from_text(KNOWN_TOKEN);
        let put = PutSubscriber::parse(address, b"{}", id, token).unwrap();
        self.put(put).await.unwrap();
    }

    pub async fn subscriber(&self, address: &str) -> Subscriber {
        let found = self.find(&Email::parse(address).unwrap()).await;
        found.unwrap().unwrap()
    }
}

async fn unless_faulty<T>(
    of: &str,
    outcome: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, NewsletterError> {
    match of
        .trim_end_matches("@example.com")
        .replace(':', ".")
        .as_str()
    {
        "fault.unavailable" => Err(NewsletterError::Unavailable(INTERNALS.into())),
        "fault.broken" => Err(NewsletterError::Broken(INTERNALS.into())),
        "fault.off" => Err(NewsletterError::NotSetUp),
        "fault.panic" => panic!("{INTERNALS}"),
        _ => Ok(outcome.await.unwrap()),
    }
}

fn now() -> OffsetDateTime {
    fields::microseconds(OffsetDateTime::now_utc())
}

#[async_trait]
impl Newsletter for FakeNewsletter {
    async fn put(&self, put: PutSubscriber) -> Result<Reported, NewsletterError> {
        let outcome = usecase::put_subscriber(&*self.store, &put, now());
        unless_faulty(put.email.as_str(), outcome).await
    }

    async fn find(&self, email: &Email) -> Result<Option<Subscriber>, NewsletterError> {
        let outcome = usecase::find_subscriber(&*self.store, email);
        unless_faulty(email.as_str(), outcome).await
    }

    async fn erase(&self, email: &Email, by: ClientId) -> Result<bool, NewsletterError> {
        let entry = audit::erasure(Uuid::now_v7(), by, now());
        let outcome = usecase::erase(&*self.store, email, entry);
        let erased = unless_faulty(email.as_str(), outcome).await?;
        Ok(erased == Erased::Reported)
    }

    async fn notice(&self, notices: Vec<ReceivedEvent>) -> Result<(), NewsletterError> {
        let events: Vec<_> = notices.into_iter().map(|notice| notice.event).collect();
        for event in &events {
            unless_faulty(event.email.as_str(), async { Ok(()) }).await?;
        }
        self.noticed.lock().unwrap().extend(events);
        Ok(())
    }

    async fn find_by_token(
        &self,
        token: &MigrationToken,
    ) -> Result<Option<Subscriber>, NewsletterError> {
        let outcome = usecase::find_subscriber_by_token(&*self.store, token);
        unless_faulty(token.reveal(), outcome).await
    }

    async fn confirm_migration(
        &self,
        token: &MigrationToken,
    ) -> Result<Option<Subscriber>, NewsletterError> {
        let outcome = usecase::confirm_migration(&*self.store, token, now());
        unless_faulty(token.reveal(), outcome).await
    }

    async fn unsubscribe(
        &self,
        token: &MigrationToken,
    ) -> Result<Option<Subscriber>, NewsletterError> {
        let outcome = usecase::unsubscribe_holder(&*self.store, token, now());
        unless_faulty(token.reveal(), outcome).await
    }
}
