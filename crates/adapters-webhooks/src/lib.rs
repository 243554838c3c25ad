//! The client that calls receivers of webhooks.
//!
//! [`WebhookClient`] implements [`Sender`](webhooks::Sender): a request signed by Standard
//! Webhooks 1.0, to an address that was checked. The domain decides about the meaning of an answer
//! and the time of the next attempt.

mod client;
mod resolver;
mod signature;
#[cfg(test)]
mod tests;

pub use self::client::{ClientError, WebhookClient};
