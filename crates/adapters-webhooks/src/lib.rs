//! The client that calls receivers of webhooks.
//!
//! [`WebhookClient`] implements [`Sender`](webhooks::Sender): it sends a request signed by Standard
//! Webhooks 1.0 to a checked address. The crate `webhooks` decides what an answer means and when to
//! retry.

mod client;
mod resolver;
mod signature;
#[cfg(test)]
mod tests;

pub use self::client::{ClientError, WebhookClient};
