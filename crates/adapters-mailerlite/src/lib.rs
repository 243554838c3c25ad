//! The e-mail marketing provider MailerLite, over HTTP, with two accounts.
//!
//! [`MailerLite`] implements [`Provider`](newsletter::subscriber::provider::Provider).

mod answer;
mod complaint;
mod connection;
mod inspect;
mod person;
pub mod preflight;
mod provider;
mod rate_limiter;
mod settings;
#[cfg(test)]
mod tests;

#[cfg(fuzzing)]
pub use self::{answer::Answer, provider::read_page};
pub use self::{
    provider::MailerLite,
    settings::{AccountSettings, DEFAULT_BASE_URL, Settings, SettingsError},
};
