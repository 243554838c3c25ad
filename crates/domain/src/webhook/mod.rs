//! Webhooks: calls that tell receivers about events, by Standard Webhooks 1.0.
//!
//! A receiver is named by an [`EndpointUrl`], which others choose, so it is held against the
//! service's own network: by its spelling here, and by the addresses of its name in the adapter
//! behind [`Sender`]. A [`Delivery`] is signed with the endpoint's [`Secret`]; its [`Attempt`] has
//! an [`Outcome`], and [`RetrySchedule`] says when the next attempt is due.

mod address;
mod attempt;
mod schedule;
mod secret;
mod sender;
mod url;

pub use self::{
    address::{PrivateAddresses, is_public},
    attempt::{Attempt, Delivery, NoAnswer, Outcome},
    schedule::{DEFAULT_RETRY_SECONDS, InvalidRetrySchedule, RetrySchedule},
    secret::{InvalidSecret, Secret},
    sender::{AddressProblem, Sender},
    url::{EndpointUrl, InvalidEndpointUrl},
};
