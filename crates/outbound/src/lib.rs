//! Calls to other services over HTTP: a client, helpers for answers, and a circuit breaker.
//!
//! This crate knows no particular service. Each adapter decides what an answer means.

mod answer;
mod breaker;
mod client;
mod failure;
mod mask;
mod trace;

pub use self::{
    answer::{Unread, body, cause, line, retry_after},
    breaker::{Admission, Call, CircuitBreaker},
    client::{
        Timeouts, Transport, base, client, client_over, credential, resolving_client,
        upload_client, without_credentials,
    },
    failure::{Failure, failure, find},
    mask::without_addresses,
    trace::{TRACEPARENT, traced, traceparent},
};
