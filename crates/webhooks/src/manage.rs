//! Owners' commands about endpoints, from the API or the command line.

use access::Clients;
use domain::{
    posting::PostingView,
    store::{PostingReader, Store, WriteSet},
};
use fields::{Patch, day::DayOrTime, validation::FieldErrors};
use kernel::{
    ClientId, Prefixes, StoreError,
    audit::{Action, Attribution, Entry},
    decide_again,
    event::{Cursor, EventLog, RecordedEvent},
};
use time::OffsetDateTime;

use crate::{
    Attempt, Delivery, Endpoint, EndpointChange, EndpointId, EndpointState, EndpointUrl,
    EndpointWrite, Health, LoggedDelivery, MOST_ENDPOINTS, MOST_WAITING, NewEndpoint, Owner,
    Secret, Sender, TrackedEndpoint, WaitingSubject, Webhooks, audit, log::of_owner, logged,
    posting_of,
};

/// Why a command about an endpoint was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WebhookError {
    /// The endpoint does not exist, or has another owner.
    #[error("Webhook not found.")]
    NotFound,
    /// The event does not exist, is no longer kept, or is hidden from the owner.
    #[error("Event not found.")]
    EventNotFound,
    /// A field is wrong.
    #[error(transparent)]
    Invalid(FieldErrors),
    /// The owner has reached the limit of endpoints.
    #[error("There are {MOST_ENDPOINTS} webhooks already, the most that one owner may have.")]
    TooMany,
    /// The endpoint has reached the limit of subjects whose events wait.
    #[error("Events of {MOST_WAITING} postings and companies wait for this webhook already.")]
    TooManyWaiting,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

kernel::store_failure!(WebhookError);

/// The principal that gives a command about endpoints.
#[derive(Clone, Copy, Debug)]
pub enum Manager<'a> {
    /// A client, which manages its own endpoints.
    Client(ClientId),
    /// An operator, who manages all endpoints; commands are audited.
    Operator(&'a Attribution),
}

impl Manager<'_> {
    /// The owner of the endpoints that this manager registers.
    pub const fn owner(self) -> Owner {
        match self {
            Self::Client(id) => Owner::Client(id),
            Self::Operator(_) => Owner::Operator,
        }
    }

    /// The owner whose endpoints the manager may see; `None` for all.
    const fn scope(self) -> Option<Owner> {
        match self {
            Self::Client(id) => Some(Owner::Client(id)),
            Self::Operator(_) => None,
        }
    }

    fn entry(self, action: Action, id: EndpointId, now: OffsetDateTime) -> Option<Entry> {
        match self {
            Self::Client(_) => None,
            Self::Operator(by) => Some(by.entry(action, now).about(id)),
        }
    }
}

/// The commands about endpoints, with their ports.
#[derive(Clone, Copy)]
pub struct ManagedWebhooks<'a> {
    /// The endpoints.
    pub webhooks: &'a dyn Webhooks,
    /// The event log.
    pub log: &'a dyn EventLog,
    /// The clients that own endpoints.
    pub clients: &'a dyn Clients,
    /// The client that calls receivers.
    pub sender: &'a dyn Sender,
    /// The principal that gives the commands.
    pub by: Manager<'a>,
}

impl ManagedWebhooks<'_> {
    /// Registers an endpoint for future events. `prefixes` apply only to operators' endpoints.
    pub async fn create(
        &self,
        new: NewEndpoint,
        prefixes: Prefixes,
        id: EndpointId,
        secret: Secret,
        now: OffsetDateTime,
    ) -> Result<Endpoint, WebhookError> {
        self.check(&new.url).await?;
        let endpoint = Endpoint {
            id,
            version: 1,
            owner: self.by.owner(),
            url: new.url,
            names: new.names,
            prefixes,
            include_posting: new.include_posting,
            description: new.description,
            state: EndpointState::Active,
            state_reason: None,
            secret,
            previous_secret: None,
            created_at: now,
            updated_at: now,
        };
        let entry = self.entry(audit::WEBHOOKS_CREATE, id, now);
        let entry = entry.map(|entry| entry.with("url", endpoint.url.as_str()));
        let start = self.log.end().await?;
        let inserted = self.webhooks.insert(&endpoint, start, entry.as_ref());
        match inserted.await {
            Ok(()) => Ok(endpoint),
            Err(StoreError::Conflict) => Err(WebhookError::TooMany),
            Err(error) => Err(error.into()),
        }
    }

    /// The visible endpoints, ascending by id.
    pub async fn list(
        &self,
        after: Option<EndpointId>,
        limit: usize,
    ) -> Result<Vec<TrackedEndpoint>, StoreError> {
        self.webhooks.list(self.by.scope(), after, limit).await
    }

    /// Finds a visible endpoint.
    pub async fn find(&self, id: EndpointId) -> Result<TrackedEndpoint, WebhookError> {
        let found = self.webhooks.find(id).await?;
        let scope = self.by.scope();
        let is_seen = |row: &TrackedEndpoint| scope.is_none_or(|owner| row.endpoint.owner == owner);
        found.filter(is_seen).ok_or(WebhookError::NotFound)
    }

    /// Changes an endpoint and returns it.
    pub async fn update(
        &self,
        id: EndpointId,
        change: &EndpointChange,
        now: OffsetDateTime,
    ) -> Result<TrackedEndpoint, WebhookError> {
        if let Patch::Set(url) = &change.url
            && *url != self.find(id).await?.endpoint.url
        {
            self.check(url).await?;
        }
        let decide = |endpoint: &Endpoint| endpoint.apply(change, now);
        self.write(id, audit::WEBHOOKS_UPDATE, now, decide).await
    }

    /// Replaces the secret. The old secret still signs for 24 hours.
    pub async fn rotate(
        &self,
        id: EndpointId,
        secret: Secret,
        now: OffsetDateTime,
    ) -> Result<TrackedEndpoint, WebhookError> {
        let decide = |endpoint: &Endpoint| Some(endpoint.rotate(secret.clone(), now));
        self.write(id, audit::WEBHOOKS_ROTATE, now, decide).await
    }

    /// Loads the endpoint, decides and writes. Repeats this if a worker or another manager changed
    /// the endpoint meanwhile.
    async fn write(
        &self,
        id: EndpointId,
        action: Action,
        now: OffsetDateTime,
        decide: impl Fn(&Endpoint) -> Option<EndpointWrite> + Send + Sync,
    ) -> Result<TrackedEndpoint, WebhookError> {
        let attempt = || async {
            let before = self.find(id).await?;
            let Some(write) = decide(&before.endpoint) else {
                return Ok(before);
            };
            let entry = self.entry(action.clone(), id, now);
            let entry = entry.map(|entry| describe(entry, &before.endpoint, &write.endpoint));
            self.webhooks.update(&write, entry.as_ref()).await?;
            let health = if write.starts_over {
                Health::default()
            } else {
                before.health
            };
            Ok(TrackedEndpoint {
                endpoint: write.endpoint,
                health,
                ..before
            })
        };
        decide_again(attempt).await
    }

    /// Deletes an endpoint.
    pub async fn delete(&self, id: EndpointId, now: OffsetDateTime) -> Result<(), WebhookError> {
        self.find(id).await?;
        let entry = self.entry(audit::WEBHOOKS_DELETE, id, now);
        let is_deleted = self.webhooks.delete(id, entry.as_ref()).await?;
        is_deleted.then_some(()).ok_or(WebhookError::NotFound)
    }

    /// Redelivers the kept events since a time.
    pub async fn replay(
        &self,
        id: EndpointId,
        since: OffsetDateTime,
        now: OffsetDateTime,
    ) -> Result<(), WebhookError> {
        self.find(id).await?;
        let to = self.log.cursor_at(since).await?;
        let entry = self.entry(audit::WEBHOOKS_REPLAY, id, now);
        let entry = entry.map(|entry| entry.with("since", DayOrTime::Time(since).to_string()));
        let is_known = self.webhooks.replay(id, to, entry.as_ref()).await?;
        is_known.then_some(()).ok_or(WebhookError::NotFound)
    }

    /// Redelivers one event, for example a dead letter, as if it had no attempts. An open circuit
    /// allows a probe now. The subject's waiting events keep their order. An event after the
    /// endpoint's cursor changes nothing, because it will be delivered anyway.
    pub async fn resend(
        &self,
        id: EndpointId,
        event: Cursor,
        now: OffsetDateTime,
    ) -> Result<(), WebhookError> {
        let (endpoint, found) = self.event(id, event).await?;
        if !endpoint.wants(&found.event) {
            let why = format!("is a {}, which the webhook does not get", found.event.name);
            return Err(WebhookError::Invalid(FieldErrors::one("event", why)));
        }
        if self.webhooks.count_waiting(id, MOST_WAITING).await? >= MOST_WAITING {
            return Err(WebhookError::TooManyWaiting);
        }
        let waiting = WaitingSubject::due(&found, now);
        let entry = self.entry(audit::WEBHOOKS_RESEND, id, now);
        let entry = entry.map(|entry| entry.with("event", event.to_string()));
        let is_known = self.webhooks.resend(id, &waiting, entry.as_ref()).await?;
        is_known.then_some(()).ok_or(WebhookError::NotFound)
    }

    /// The content of a delivery: the event, with its current posting if the endpoint includes it.
    pub async fn content(
        &self,
        id: EndpointId,
        event: Cursor,
        postings: &dyn PostingReader,
    ) -> Result<(RecordedEvent, Option<PostingView>), WebhookError> {
        let (endpoint, found) = self.event(id, event).await?;
        let posting = posting_of(&endpoint, &found.event, postings).await?;
        Ok((found, posting))
    }

    async fn event(
        &self,
        id: EndpointId,
        event: Cursor,
    ) -> Result<(Endpoint, RecordedEvent), WebhookError> {
        let endpoint = self.find(id).await?.endpoint;
        let endpoint = of_owner(endpoint, self.clients).await?;
        let found = self.log.events_at(&[event]).await?.pop();
        let seen = endpoint.zip(found);
        seen.filter(|(endpoint, found)| endpoint.shows(&found.event))
            .ok_or(WebhookError::EventNotFound)
    }

    /// The [newest attempts](logged).
    pub async fn deliveries(
        &self,
        id: EndpointId,
        limit: usize,
    ) -> Result<Vec<LoggedDelivery>, WebhookError> {
        let endpoint = self.find(id).await?.endpoint;
        let records = self.webhooks.deliveries(id, limit).await?;
        Ok(logged(endpoint, records, self.log, self.clients).await?)
    }

    /// Audits an operator's ping before the ping is sent. Sending it writes nothing.
    pub async fn announce_test(
        &self,
        id: EndpointId,
        store: &dyn Store,
        now: OffsetDateTime,
    ) -> Result<(), WebhookError> {
        self.find(id).await?;
        if let Some(entry) = self.entry(audit::WEBHOOKS_TEST, id, now) {
            let mut writes = WriteSet::new(now);
            writes.tasks.audit.push(entry);
            store.commit(writes).await?;
        }
        Ok(())
    }

    /// Sends a ping with this id and body, in any state of the endpoint. The attempt is not
    /// recorded.
    pub async fn test(
        &self,
        id: EndpointId,
        (delivery, body): (&str, &[u8]),
        now: OffsetDateTime,
    ) -> Result<Attempt, WebhookError> {
        let endpoint = self.find(id).await?.endpoint;
        let delivery = Delivery {
            url: &endpoint.url,
            id: delivery,
            timestamp: now,
            secrets: &endpoint.secrets(now),
            body,
            trace: None,
        };
        Ok(self.sender.send(&delivery).await)
    }

    async fn check(&self, url: &EndpointUrl) -> Result<(), WebhookError> {
        let checked = self.sender.check(url).await;
        checked.map_err(|error| WebhookError::Invalid(FieldErrors::one("url", error.to_string())))
    }

    fn entry(&self, action: Action, id: EndpointId, now: OffsetDateTime) -> Option<Entry> {
        self.by.entry(action, id, now)
    }
}

fn describe(mut entry: Entry, before: &Endpoint, after: &Endpoint) -> Entry {
    if before.url != after.url {
        entry = entry.with("url", after.url.as_str());
    }
    if before.state != after.state {
        entry = entry.with("state", after.state.as_str());
    }
    entry
}
