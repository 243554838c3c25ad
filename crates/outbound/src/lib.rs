//! How other services are called over HTTP: one client, and what all answers have in common.
//!
//! Nothing here knows whom it speaks to. What an answer means is decided where the service is
//! known.

mod answer;
mod client;
mod mask;

pub use self::{
    answer::{Unread, body, cause, line, retry_after},
    client::{Patience, base, client, credential, without_credentials},
    mask::without_addresses,
};
