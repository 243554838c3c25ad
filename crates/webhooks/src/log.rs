//! Delivered events, read from the event log and the store of postings.

use std::collections::HashMap;

use access::Clients;
use domain::{posting::PostingView, store::PostingReader};
use kernel::{
    SourceIdentifier, StoreError,
    event::{Event, EventLog, RecordedEvent, Subject},
};

use crate::{DeliveryRecord, Endpoint, Owner};

/// An attempt with its event.
#[derive(Clone, Debug, PartialEq)]
pub struct LoggedDelivery {
    /// The attempt.
    pub record: DeliveryRecord,
    /// `None` if the event is no longer kept, or hidden from the owner.
    pub event: Option<RecordedEvent>,
}

impl LoggedDelivery {
    /// The identifier of the event's posting.
    pub fn identifier(&self) -> Option<&SourceIdentifier> {
        match &self.event.as_ref()?.event.subject {
            Subject::Posting(posting) => Some(&posting.source_identifier),
            _ => None,
        }
    }
}

/// Adds events from the log to attempts, which are stored without their events.
pub async fn logged(
    endpoint: Endpoint,
    records: Vec<DeliveryRecord>,
    log: &dyn EventLog,
    clients: &dyn Clients,
) -> Result<Vec<LoggedDelivery>, StoreError> {
    let mut events = HashMap::new();
    if let Some(endpoint) = of_owner(endpoint, clients).await? {
        let mut cursors: Vec<_> = records.iter().map(|record| record.event).collect();
        cursors.sort_unstable();
        cursors.dedup();
        let found = log.events_at(&cursors).await?.into_iter();
        let seen = found.filter(|event| endpoint.shows(&event.event));
        events.extend(seen.map(|event| (event.cursor, event)));
    }
    let with_event = |record: DeliveryRecord| LoggedDelivery {
        event: events.get(&record.event).cloned(),
        record,
    };
    Ok(records.into_iter().map(with_event).collect())
}

/// Limits the endpoint to the events that its owner may read now. `None` if it gets no deliveries.
pub async fn of_owner(
    endpoint: Endpoint,
    clients: &dyn Clients,
) -> Result<Option<Endpoint>, StoreError> {
    let owner = match endpoint.owner {
        Owner::Client(id) => clients.find(id).await?,
        Owner::Operator => None,
    };
    Ok(endpoint.of_owner(owner.as_ref()).ok())
}

/// The current posting of an event, if the endpoint includes it.
pub async fn posting_of(
    endpoint: &Endpoint,
    event: &Event,
    postings: &dyn PostingReader,
) -> Result<Option<PostingView>, StoreError> {
    let Subject::Posting(posting) = &event.subject else {
        return Ok(None);
    };
    if !endpoint.include_posting {
        return Ok(None);
    }
    let found = postings.find(&posting.source_identifier).await?;
    // After a deletion, a new posting may have the same identifier.
    let found = found.filter(|found| found.posting.id == posting.id);
    Ok(found.map(|view| view.seen_by(&endpoint.prefixes)))
}
