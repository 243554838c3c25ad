//! The client that calls receivers of webhooks.
//!
//! [`WebhookClient`] implements [`Sender`](domain::webhook::Sender): a request signed by Standard
//! Webhooks 1.0, to an address that was checked. What an answer means, and when the next attempt is
//! due, is the domain's.

mod client;
mod resolver;
mod settings;
mod signature;
#[cfg(test)]
mod tests;

pub use self::{
    client::WebhookClient,
    settings::{Limits, Settings, SettingsError},
};
