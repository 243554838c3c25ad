//! Clients of the e-mail provider's configured accounts.

#[cfg(test)]
use std::num::NonZeroU32;
use std::sync::Arc;

use adapters_mailerlite::{MailerLite, Settings, SettingsError};
use anyhow::Context as _;
use newsletter::subscriber::provider::Provider;
use outbound::Timeouts;

use crate::misconfigured::Misconfigured;

/// Builds the client; sends nothing yet.
pub fn connect(accounts: &Settings) -> anyhow::Result<Arc<dyn Provider>> {
    or_misconfigured(MailerLite::new(accounts))
}

/// Builds the client with other timeouts.
pub fn connect_within(
    accounts: &Settings,
    timeouts: Timeouts,
) -> anyhow::Result<Arc<dyn Provider>> {
    or_misconfigured(MailerLite::with_timeouts(accounts, timeouts))
}

fn or_misconfigured(
    connected: Result<MailerLite, SettingsError>,
) -> anyhow::Result<Arc<dyn Provider>> {
    match connected {
        Ok(provider) => Ok(Arc::new(provider)),
        Err(error @ (SettingsError::BaseUrl(_) | SettingsError::Key(_))) => {
            Err(Misconfigured(error.to_string()).into())
        }
        Err(error @ SettingsError::Client(..)) => {
            Err(error).context("the e-mail provider cannot be called")
        }
    }
}

/// Settings without any account.
#[cfg(test)]
pub const fn none() -> Settings {
    Settings {
        old: None,
        new: None,
        requests_per_minute: NonZeroU32::MIN,
    }
}
