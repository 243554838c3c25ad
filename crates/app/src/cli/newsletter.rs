//! Options of the newsletter.

use std::num::NonZeroU32;

use adapters_mailerlite::{AccountSettings, DEFAULT_BASE_URL, Settings};
use clap::Args;
use secrecy::SecretString;
use url::Url;

use crate::{
    config::{self, Group, WebhookSecrets},
    newsletter_service::Links,
};

/// The heading of the options.
const HEADING: &str = "Newsletter (optional, off without an API key)";

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = HEADING)]
pub struct AccountsArgs {
    /// MailerLite API key of the account to leave. Without it, what would be sent there waits
    #[arg(
        long,
        value_name = "KEY",
        env = "POSTHASTE_MAILERLITE_OLD_API_KEY",
        hide_env_values = true,
        allow_hyphen_values = true,
        value_parser = config::api_key
    )]
    mailerlite_old_api_key: Option<SecretString>,

    /// MailerLite API key of the account to move to. Without it, what would be sent there waits
    #[arg(
        long,
        value_name = "KEY",
        env = "POSTHASTE_MAILERLITE_NEW_API_KEY",
        hide_env_values = true,
        allow_hyphen_values = true,
        value_parser = config::api_key
    )]
    mailerlite_new_api_key: Option<SecretString>,

    /// Where the API of the account to leave is
    #[arg(
        long,
        value_name = "URL",
        env = "POSTHASTE_MAILERLITE_OLD_BASE_URL",
        default_value = DEFAULT_BASE_URL,
        value_parser = config::base_url
    )]
    mailerlite_old_base_url: Url,

    /// Where the API of the account to move to is
    #[arg(
        long,
        value_name = "URL",
        env = "POSTHASTE_MAILERLITE_NEW_BASE_URL",
        default_value = DEFAULT_BASE_URL,
        value_parser = config::base_url
    )]
    mailerlite_new_base_url: Url,

    /// Id of the group that whoever moves joins, which starts the chain of e-mails; `none` moves
    /// people without one. Without it, with a key of the account to move to, moves are refused
    #[arg(
        long,
        value_name = "ID",
        env = "POSTHASTE_MAILERLITE_NEW_GROUP_ID",
        value_parser = config::group_id
    )]
    mailerlite_new_group_id: Option<Group>,

    /// When the accounts' lists of people are read: `daily`, at night and before the first sync
    /// of an account, or `off`
    #[arg(
        long,
        value_name = "WHEN",
        env = "POSTHASTE_MAILERLITE_RECONCILE",
        // A flag, which a bool is otherwise, would take `off` for absent.
        action = clap::ArgAction::Set,
        default_value = "daily",
        value_parser = config::reconcile
    )]
    mailerlite_reconcile: bool,

    #[command(flatten)]
    pace: PaceArgs,
}

impl AccountsArgs {
    /// Whether the group is configured, be it as `none`.
    pub const fn has_group(&self) -> bool {
        self.mailerlite_new_group_id.is_some()
    }

    /// The effect of the migration links in e-mails.
    pub const fn links(&self) -> Links {
        if self.mailerlite_new_api_key.is_some() && !self.has_group() {
            Links::Refuse
        } else {
            Links::Move
        }
    }

    /// Whether the worker reconciles with the accounts' lists.
    pub const fn reconciles(&self) -> bool {
        self.mailerlite_reconcile
    }

    /// The rate limit of each account, in requests a minute.
    pub const fn requests_per_minute(&self) -> NonZeroU32 {
        self.pace.requests_per_minute
    }

    /// The settings of the accounts that have a key.
    pub fn settings(&self) -> Settings {
        let account = |key: &Option<SecretString>, base_url: &Url, group: Option<String>| {
            key.clone().map(|key| AccountSettings {
                key,
                base_url: base_url.clone(),
                group,
            })
        };
        let group = match &self.mailerlite_new_group_id {
            Some(Group::Id(id)) => Some(id.clone()),
            Some(Group::None) | None => None,
        };
        Settings {
            old: account(
                &self.mailerlite_old_api_key,
                &self.mailerlite_old_base_url,
                None,
            ),
            new: account(
                &self.mailerlite_new_api_key,
                &self.mailerlite_new_base_url,
                group,
            ),
            requests_per_minute: self.pace.requests_per_minute,
        }
    }
}

#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = HEADING)]
pub struct PaceArgs {
    /// How many requests each of the accounts takes in a minute
    #[arg(
        long = "mailerlite-requests-per-minute",
        value_name = "N",
        env = "POSTHASTE_MAILERLITE_REQUESTS_PER_MINUTE",
        default_value = "120",
        value_parser = config::requests_per_minute
    )]
    pub requests_per_minute: NonZeroU32,
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = HEADING)]
pub struct WebhookArgs {
    /// What MailerLite signs its webhooks with; several with commas between them. Without it
    /// the webhook answers 503
    #[arg(
        long,
        value_name = "SECRET",
        env = "POSTHASTE_MAILERLITE_WEBHOOK_SECRET",
        hide_env_values = true,
        allow_hyphen_values = true,
        value_parser = config::webhook_secrets
    )]
    mailerlite_webhook_secret: Option<WebhookSecrets>,
}

impl WebhookArgs {
    pub fn secrets(&self) -> Vec<SecretString> {
        let secrets = self.mailerlite_webhook_secret.clone();
        secrets.map_or_else(Vec::new, |WebhookSecrets(secrets)| secrets)
    }
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = HEADING)]
pub struct PagesArgs {
    /// Whom the newsletter's pages speak for
    #[arg(
        long,
        value_name = "NAME",
        env = "POSTHASTE_BOARD_NAME",
        default_value = "Newsletter",
        value_parser = config::board_name
    )]
    pub board_name: String,
}
