//! Webhooks: calls that tell receivers about events, by Standard Webhooks 1.0.
//!
//! An [`Endpoint`] is a cursor in the [event log](kernel::event), a lease, and the
//! [subjects](WaitingSubject) whose events wait for it because the last attempt at the next one
//! failed, or because there are too many of them for one round. A worker leases an endpoint from
//! [`Webhooks`] and makes a round of attempts ([`DeliveryRound`]), which it records ([`Round`]);
//! [`Health`] is the endpoint's circuit breaker. An event whose last attempt by its schedule failed
//! is a dead letter: it waits no longer, and its owner may [resend](ManagedWebhooks::resend) it.
//!
//! A receiver's address, an [`EndpointUrl`], is chosen by others and must not lead into the
//! service's own network: its spelling is checked here, and the IP addresses of its name by the
//! adapter behind [`Sender`]. A [`Delivery`] is signed with the endpoint's [`Secret`]; its
//! [`Attempt`] has an [`Outcome`], and [`RetrySchedule`] says when the next attempt is due.

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
