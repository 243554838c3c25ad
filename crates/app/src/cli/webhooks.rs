//! Options of webhooks.

use ::webhooks::{DEFAULT_RETRY_SECONDS, PrivateAddresses, RetrySchedule};
use clap::Args;

use crate::config;

#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Webhooks")]
pub struct WebhookAddressArgs {
    /// Whether events may be delivered over plain http and to private, loopback and link-local
    /// addresses: `refuse` or `allow`
    #[arg(
        long = "webhook-private",
        value_name = "refuse|allow",
        env = "POSTHASTE_WEBHOOK_PRIVATE",
        default_value = "refuse",
        value_parser = config::private_addresses
    )]
    pub private: PrivateAddresses,
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Webhooks")]
pub struct WebhookRetryArgs {
    /// The waits between attempts to deliver an event to a webhook, in seconds, separated by
    /// commas, at most 30, each up to a week; after the last one it is given up
    #[arg(
        long = "webhook-retry-seconds",
        value_name = "SECONDS,…",
        env = "POSTHASTE_WEBHOOK_RETRY_SECONDS",
        default_value = DEFAULT_RETRY_SECONDS,
        value_parser = config::retry_schedule
    )]
    pub schedule: RetrySchedule,
}
