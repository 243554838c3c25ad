//! Webhooks: calls that notify receivers of events, as Standard Webhooks 1.0 specifies.
//!
//! An [`Endpoint`] has a cursor in the [event log](kernel::event), a lease, and [waiting
//! subjects](WaitingSubject). A subject waits if its next event failed, or if it has too many
//! events for a round. A worker leases an endpoint from [`Webhooks`], makes a round of attempts
//! ([`DeliveryRound`]), and records it ([`Round`]). [`Health`] is the circuit breaker. An event
//! whose last scheduled attempt failed is a dead letter. A dead letter no longer waits, but the
//! owner may [resend](ManagedWebhooks::resend) it.
//!
//! Clients choose a receiver's address ([`EndpointUrl`]), which must not lead into the service's
//! own network. This crate checks the spelling, and the adapter behind [`Sender`] checks the IP
//! addresses of the name. The endpoint's [`Secret`] signs a [`Delivery`]. Its [`Attempt`] has an
//! [`Outcome`]; [`RetrySchedule`] times the next attempt.

#![warn(missing_docs)]

mod address;
mod attempt;
pub mod audit;
mod endpoint;
mod health;
mod log;
mod manage;
mod payload;
mod round;
mod schedule;
mod secret;
mod sender;
mod store;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;
mod url;
mod waiting;

pub use self::{
    address::{PrivateAddresses, is_public},
    attempt::{Attempt, Delivery, NoAnswer, Outcome},
    endpoint::{
        Endpoint, EndpointId, EndpointState, EndpointWrite, MOST_ENDPOINTS, Owner, PreviousSecret,
        SECRET_OVERLAP,
    },
    health::{
        CLIENT_REVOKED, Health, NO_SUCCESS, SCOPE_WITHDRAWN, WANTS_NO_MORE, WINDOW, asked_pause,
    },
    log::{LoggedDelivery, logged, posting_of},
    manage::{ManagedWebhooks, Manager, WebhookError},
    payload::{
        EndpointChange, LONGEST_DESCRIPTION, NewEndpoint, PublicEvent, WantedState, parse_replay,
        parse_resend,
    },
    round::{Begun, DeliveryRound, MOST_WAITING, ROUND_TIME, start_round},
    schedule::{DEFAULT_RETRY_SECONDS, InvalidRetrySchedule, LONGER_THAN_ANY_WAIT, RetrySchedule},
    secret::{InvalidSecret, Secret},
    sender::{AddressProblem, Sender},
    store::{
        DELIVERIES_KEPT, DeliveryRecord, EndpointBacklog, FULL_REST, LONGEST_REST, Lease,
        LeaseQuery, MOST_WAITING_COUNTED, REST, Recorded, Release, Round, TrackedEndpoint,
        Webhooks,
    },
    url::{EndpointUrl, InvalidEndpointUrl, LONGEST_URL},
    waiting::{MOST_LATER, WaitingEvent, WaitingSubject},
};
