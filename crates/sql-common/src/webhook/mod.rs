//! The tables `webhook_endpoints`, `webhook_waiting` and `webhook_deliveries`.
//!
//! A transaction that writes waiting events or deliveries first locks the endpoint's row. If it
//! locks several endpoints, it does so in the order of ids, or skips locked ones. So no two
//! transactions block each other.

mod delivery;
mod endpoint;
mod lease;
mod round;
mod waiting;

pub use self::{delivery::*, endpoint::*, lease::*, round::*, waiting::*};

/// Implements the port [`Webhooks`](webhooks::Webhooks). Each store has its own `lease_endpoints`.
#[macro_export]
macro_rules! webhooks {
    ($store:ty) => {
        const _: () = {
            use std::collections::{HashMap, HashSet};

            use kernel::{StoreError, Version, audit::Entry, event::Cursor};
            use time::OffsetDateTime;
            use uuid::Uuid;
            use webhooks::{
                DeliveryRecord, Endpoint, EndpointBacklog, EndpointId, EndpointWrite, Lease,
                LeaseQuery, Owner, Recorded, Release, Round, TrackedEndpoint, WaitingSubject,
                Webhooks,
            };
            use $crate::webhook;

            $crate::port! {
                impl Webhooks for $store {
                    transaction webhook::insert(
                        endpoint: &Endpoint, start: Cursor, entry: Option<&Entry>
                    ) -> ();
                    query webhook::find(id: EndpointId) -> Option<TrackedEndpoint>;
                    query webhook::list(
                        owner: Option<Owner>, after: Option<EndpointId>, limit: usize
                    ) -> Vec<TrackedEndpoint>;
                    transaction webhook::update(write: &EndpointWrite, entry: Option<&Entry>) -> ();
                    transaction webhook::delete(id: EndpointId, entry: Option<&Entry>) -> bool;
                    transaction webhook::replay(
                        id: EndpointId, to: Cursor, entry: Option<&Entry>
                    ) -> bool;
                    transaction webhook::resend(
                        id: EndpointId, event: &WaitingSubject, entry: Option<&Entry>
                    ) -> bool;
                    query webhook::deliveries(id: EndpointId, limit: usize) -> Vec<DeliveryRecord>;
                    repeatable webhook::renew(
                        leases: &[Lease], until: OffsetDateTime
                    ) -> HashMap<Lease, Version>;
                    repeatable webhook::release(releases: &[Release]) -> ();
                    query webhook::due(
                        endpoint: EndpointId, now: OffsetDateTime, limit: usize
                    ) -> Vec<WaitingSubject>;
                    query webhook::waiting_among(
                        endpoint: EndpointId, subjects: &HashSet<Uuid>
                    ) -> Vec<WaitingSubject>;
                    query webhook::count_waiting(endpoint: EndpointId, limit: usize) -> usize;
                    query webhook::backlog(limit: usize) -> Vec<EndpointBacklog>;
                    also {
                        async fn lease(
                            &self,
                            query: &LeaseQuery,
                        ) -> Result<Vec<TrackedEndpoint>, StoreError> {
                            self.lease_endpoints(*query).await
                        }

                        async fn record(
                            &self,
                            holder: Uuid,
                            round: &Round,
                        ) -> Result<Recorded, StoreError> {
                            self.write_commit((holder, round.clone())).await
                        }
                    }
                }
            }
        };
    };
}
