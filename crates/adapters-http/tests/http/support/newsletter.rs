//! The newsletter in memory, without its rules, and with faults on demand: an address such as
//! `fault.broken@example.com` or a token such as `fault:broken` makes its request fail that way.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use async_trait::async_trait;
use newsletter::{
    subscriber::{
        self, Change, Email, MigrationSource, MigrationToken, ProviderEvent, PutSubscriber,
        Subscriber, SubscriberStatus, migration,
    },
    usecase::{Newsletter, NewsletterError, Reported},
};
use time::OffsetDateTime;

use super::INTERNALS;

/// The token of the person that [`FakeNewsletter::enlist`] adds.
pub const KNOWN_TOKEN: &str = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWY";

#[derive(Default)]
pub struct FakeNewsletter {
    pub subscribers: Mutex<BTreeMap<Email, Subscriber>>,
    pub noticed: Mutex<Vec<ProviderEvent>>,
    /// The number of requests for a move.
    pub confirmations: AtomicUsize,
}

impl FakeNewsletter {
    /// Adds a person who has [`KNOWN_TOKEN`].
    pub async fn enlist(&self, address: &str) {
        let (id, token) = (
            subscriber::SubscriberId::new(uuid::Uuid::now_v7()),
            MigrationToken::from_text(KNOWN_TOKEN),
        );
        let put = PutSubscriber::parse(address, b"{}", id, token).unwrap();
        self.put(put).await.unwrap();
    }

    /// Marks a person as suppressed.
    pub fn suppress(&self, address: &str) {
        let mut subscribers = self.subscribers.lock().unwrap();
        let known = subscribers.get_mut(&Email::parse(address).unwrap());
        known.unwrap().status = SubscriberStatus::Unsubscribed;
    }

    /// Changes the holder of a token, and returns the record.
    fn holder(
        &self,
        token: &MigrationToken,
        change: impl FnOnce(&Subscriber) -> Option<Change>,
    ) -> Result<Option<Subscriber>, NewsletterError> {
        fault(token.reveal())?;
        let mut subscribers = self.subscribers.lock().unwrap();
        let mut holders = subscribers
            .values_mut()
            .filter(|known| known.token == *token);
        Ok(holders.next().map(|holder| {
            if let Some(change) = change(holder) {
                *holder = change.subscriber;
            }
            holder.clone()
        }))
    }

    /// The record of a person.
    pub fn subscriber(&self, address: &str) -> Subscriber {
        let subscribers = self.subscribers.lock().unwrap();
        subscribers[&Email::parse(address).unwrap()].clone()
    }
}

fn fault(of: &str) -> Result<(), NewsletterError> {
    match of
        .trim_end_matches("@example.com")
        .replace(':', ".")
        .as_str()
    {
        "fault.unavailable" => Err(NewsletterError::Unavailable(INTERNALS.into())),
        "fault.broken" => Err(NewsletterError::Broken(INTERNALS.into())),
        "fault.off" => Err(NewsletterError::NotSetUp),
        "fault.panic" => panic!("{INTERNALS}"),
        _ => Ok(()),
    }
}

fn now() -> OffsetDateTime {
    kernel::microseconds(OffsetDateTime::now_utc())
}

#[async_trait]
impl Newsletter for FakeNewsletter {
    async fn put(&self, put: PutSubscriber) -> Result<Reported, NewsletterError> {
        fault(put.email.as_str())?;
        let mut subscribers = self.subscribers.lock().unwrap();
        let is_new = !subscribers.contains_key(&put.email);
        let subscriber = subscribers
            .entry(put.email.clone())
            .or_insert_with(|| Subscriber {
                reported_at: Some(now()),
                ..Subscriber::unreported(
                    put.email.clone(),
                    put.new_id,
                    put.new_token.clone(),
                    now(),
                )
            });
        put.name.apply(&mut subscriber.name);
        put.country.apply(&mut subscriber.country);
        put.membership.apply(&mut subscriber.membership);
        Ok(Reported {
            subscriber: subscriber.clone(),
            is_new,
        })
    }

    async fn find(&self, email: &Email) -> Result<Option<Subscriber>, NewsletterError> {
        fault(email.as_str())?;
        Ok(self.subscribers.lock().unwrap().get(email).cloned())
    }

    async fn erase(&self, email: &Email) -> Result<bool, NewsletterError> {
        fault(email.as_str())?;
        Ok(self.subscribers.lock().unwrap().remove(email).is_some())
    }

    async fn notice(&self, events: Vec<ProviderEvent>) -> Result<(), NewsletterError> {
        for event in &events {
            fault(event.email.as_str())?;
        }
        self.noticed.lock().unwrap().extend(events);
        Ok(())
    }

    async fn find_by_token(
        &self,
        token: &MigrationToken,
    ) -> Result<Option<Subscriber>, NewsletterError> {
        self.holder(token, |_| None)
    }

    async fn confirm_migration(
        &self,
        token: &MigrationToken,
    ) -> Result<Option<Subscriber>, NewsletterError> {
        self.confirmations.fetch_add(1, Ordering::SeqCst);
        let source = MigrationSource::EmailConfirmation;
        self.holder(token, |holder| migration::migrate(holder, source, now()))
    }

    async fn unsubscribe(
        &self,
        token: &MigrationToken,
    ) -> Result<Option<Subscriber>, NewsletterError> {
        self.holder(token, |holder| subscriber::unsubscribe(holder, now()))
    }
}
