//! The options of webhooks, and of `posthaste webhooks`.

use ::webhooks::{DEFAULT_RETRY_SECONDS, EndpointId, PrivateAddresses, RetrySchedule};
use clap::{ArgAction, Args, Subcommand, builder::FalseyValueParser};
use kernel::event::EventName;
use time::OffsetDateTime;

use super::{JsonArgs, OperatorArgs, StoreArgs};
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
    /// commas; after the last one it is given up
    #[arg(
        long = "webhook-retry-seconds",
        value_name = "SECONDS,…",
        env = "POSTHASTE_WEBHOOK_RETRY_SECONDS",
        default_value = DEFAULT_RETRY_SECONDS,
        value_parser = config::retry_schedule
    )]
    pub schedule: RetrySchedule,
}

#[derive(Debug, Subcommand)]
pub enum WebhooksCommand {
    /// Register a webhook of the operators; its secret is shown this once
    Create(WebhooksCreateArgs),
    /// List the webhooks, those of clients too, oldest first
    List(WebhooksListArgs),
    /// Show a webhook
    Show(WebhooksShowArgs),
    /// Stop deliveries for a while; events wait
    Pause(WebhooksManageArgs),
    /// Resume deliveries, also to a webhook that was disabled; events that waited follow
    Resume(WebhooksManageArgs),
    /// Replace the secret; the old one signs too for 24 hours
    Rotate(WebhooksRotateArgs),
    /// Deliver a ping now, and print the outcome
    Test(WebhooksTestArgs),
    /// Deliver all events since a time again, as far as they are kept
    Replay(WebhooksReplayArgs),
    /// List the last attempts, newest first
    Deliveries(WebhooksDeliveriesArgs),
    /// Delete a webhook
    Delete(WebhooksManageArgs),
}

#[derive(Debug, Args)]
pub struct WebhooksCreateArgs {
    /// Where events are delivered
    #[arg(long, value_name = "URL", env = "POSTHASTE_WEBHOOK_URL")]
    pub url: String,

    /// The type of wanted events, such as `JobPostingApproved`; several times, or separated by
    /// commas. Default: all
    #[arg(
        long = "type",
        value_name = "TYPE",
        env = "POSTHASTE_WEBHOOK_TYPE",
        value_delimiter = ',',
        action = ArgAction::Append,
        value_parser = config::event_type
    )]
    pub types: Vec<EventName>,

    /// The beginning of the identifiers of wanted postings; several times. Default: the whole board
    #[arg(
        long = "prefix",
        value_name = "PREFIX",
        env = "POSTHASTE_WEBHOOK_PREFIX",
        action = ArgAction::Append,
        value_parser = config::identifier_prefix
    )]
    pub prefixes: Vec<String>,

    /// Deliver events of a posting with the posting, as the API shows it at that moment
    #[arg(
        long,
        env = "POSTHASTE_WEBHOOK_INCLUDE_POSTING",
        value_parser = FalseyValueParser::new()
    )]
    pub include_posting: bool,

    /// What the webhook is for
    #[arg(
        long,
        value_name = "TEXT",
        env = "POSTHASTE_WEBHOOK_DESCRIPTION",
        value_parser = config::webhook_description
    )]
    pub description: Option<String>,

    #[command(flatten)]
    pub addresses: WebhookAddressArgs,
    #[command(flatten)]
    pub json: JsonArgs,
    #[command(flatten)]
    pub store: StoreArgs,
    #[command(flatten)]
    pub operator: OperatorArgs,
}

#[derive(Debug, Args)]
pub struct WebhooksListArgs {
    /// List so many at most
    #[arg(
        long,
        value_name = "ROWS",
        env = "POSTHASTE_WEBHOOKS_LIMIT",
        default_value_t = 100
    )]
    pub limit: usize,
    #[command(flatten)]
    pub json: JsonArgs,
    #[command(flatten)]
    pub store: StoreArgs,
}

#[derive(Debug, Args)]
pub struct WebhooksShowArgs {
    /// The webhook's id
    #[arg(value_name = "ID", value_parser = config::endpoint_id)]
    pub id: EndpointId,
    #[command(flatten)]
    pub json: JsonArgs,
    #[command(flatten)]
    pub store: StoreArgs,
}

/// Names one webhook for a command that changes it.
#[derive(Debug, Args)]
pub struct WebhooksManageArgs {
    /// The webhook's id
    #[arg(value_name = "ID", value_parser = config::endpoint_id)]
    pub id: EndpointId,
    #[command(flatten)]
    pub store: StoreArgs,
    #[command(flatten)]
    pub operator: OperatorArgs,
}

#[derive(Debug, Args)]
pub struct WebhooksRotateArgs {
    #[command(flatten)]
    pub webhook: WebhooksManageArgs,
    #[command(flatten)]
    pub json: JsonArgs,
}

#[derive(Debug, Args)]
pub struct WebhooksTestArgs {
    #[command(flatten)]
    pub webhook: WebhooksManageArgs,
    #[command(flatten)]
    pub addresses: WebhookAddressArgs,
    #[command(flatten)]
    pub json: JsonArgs,
}

#[derive(Debug, Args)]
pub struct WebhooksReplayArgs {
    /// From when on: a day such as `2026-03-01`, or an RFC 3339 time
    #[arg(
        long,
        value_name = "TIME",
        env = "POSTHASTE_WEBHOOK_SINCE",
        value_parser = config::since
    )]
    pub since: OffsetDateTime,
    #[command(flatten)]
    pub webhook: WebhooksManageArgs,
}

#[derive(Debug, Args)]
pub struct WebhooksDeliveriesArgs {
    /// The webhook's id
    #[arg(value_name = "ID", value_parser = config::endpoint_id)]
    pub id: EndpointId,

    /// List so many at most
    #[arg(
        long,
        value_name = "ROWS",
        env = "POSTHASTE_WEBHOOKS_LIMIT",
        default_value_t = 100
    )]
    pub limit: usize,
    #[command(flatten)]
    pub json: JsonArgs,
    #[command(flatten)]
    pub store: StoreArgs,
}
