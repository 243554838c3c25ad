//! Clients of the e-mail provider's configured accounts.

use std::sync::Arc;

use adapters_mailerlite::{MailerLite, Settings, SettingsError};
use anyhow::Context as _;
use newsletter::subscriber::provider::Provider;
use outbound::Timeouts;

use crate::misconfigured::Misconfigured;

/// Builds the client, optionally with other time limits than a worker's; sends nothing.
pub fn connect(
    accounts: &Settings,
    timeouts: Option<Timeouts>,
) -> anyhow::Result<Arc<dyn Provider>> {
    let connected = match timeouts {
        Some(timeouts) => MailerLite::with_timeouts(accounts, timeouts),
        None => MailerLite::new(accounts),
    };
    match connected {
        Ok(provider) => Ok(Arc::new(provider)),
        Err(error @ SettingsError::Client(..)) => {
            Err(error).context("the e-mail provider cannot be called")
        }
        Err(error) => Err(Misconfigured(error.to_string()).into()),
    }
}
