//! The client that calls receivers of webhooks.
//!
//! [`WebhookClient`] implements [`Sender`](webhooks::Sender). It signs requests by Standard
//! Webhooks 1.0, and sends them only to checked addresses. The crate `webhooks` decides on retries.

mod client;
mod resolver;
mod signature;
#[cfg(test)]
mod tests;

pub use self::client::{ClientError, WebhookClient};
