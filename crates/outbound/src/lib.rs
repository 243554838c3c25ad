//! How other services are called over HTTP: one client, what all answers have in common, when to
//! call again and when not to call.
//!
//! Nothing here knows whom it speaks to. What an answer means is decided where the service is
//! known.

mod answer;
mod breaker;
mod client;
mod mask;
mod retry;

pub use self::{
    answer::{Unread, body, cause, line, retry_after},
    breaker::{Admission, Call, CircuitBreaker},
    client::{Patience, base, client, credential, without_credentials},
    mask::without_addresses,
    retry::RetryPolicy,
};
