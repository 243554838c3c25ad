//! The options of the newsletter, and the commands about its subscribers.

use std::{num::NonZeroU32, path::PathBuf};

use adapters_mailerlite::{AccountSettings, DEFAULT_BASE_URL, Settings};
use clap::{Args, Subcommand, builder::FalseyValueParser};
use newsletter::{
    subscriber::{Account, MigrationSource},
    usecase::PersonRef,
};
use secrecy::SecretString;
use url::Url;

use super::{JsonArgs, OperatorArgs, StoreArgs};
use crate::{
    config::{self, Group, WebhookSecrets},
    newsletter_service::Links,
};

/// The default name of the board on the newsletter's pages.
pub const DEFAULT_BOARD_NAME: &str = "Newsletter";

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Newsletter")]
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
#[command(next_help_heading = "Newsletter")]
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
#[command(next_help_heading = "Newsletter")]
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
#[command(next_help_heading = "Newsletter")]
pub struct PagesArgs {
    /// Whom the newsletter's pages speak for
    #[arg(
        long,
        value_name = "NAME",
        env = "POSTHASTE_BOARD_NAME",
        default_value = DEFAULT_BOARD_NAME,
        value_parser = config::board_name
    )]
    pub board_name: String,
}

#[derive(Debug, Subcommand)]
pub enum SubscribersCommand {
    /// Show what is known of a subscriber
    Show(SubscribersShowArgs),
    /// Take in what the membership system reports, from a CSV file
    Import(SubscribersImportArgs),
    /// Move subscribers to the new account of the e-mail provider
    Migrate(SubscribersMigrateArgs),
    /// Print all subscribers as CSV
    ///
    /// Fields are printed as they are, so that `import` reads them back. A spreadsheet takes one
    /// that begins with `=`, `+`, `-` or `@` for a formula: have it import the columns as text, or
    /// give the file to programs alone
    Export(StoreArgs),
    /// Read the accounts' whole lists, record what they show, and have differences repaired
    Reconcile(SubscribersReconcileArgs),
    /// See that nothing is sent to an address, in either account
    Suppress(SubscribersDecideArgs),
    /// Let mail be sent to somebody again who was suppressed
    ///
    /// It counts from this moment on: what the provider says of before does not. No account is told
    /// to make anybody active; whoever wants mail has subscribed there.
    Reinstate(SubscribersDecideArgs),
    /// Give a subscriber another migration token, when the link with theirs has got about
    ///
    /// From then on the old link is that of an unknown token. `subscribers show --json` and
    /// `subscribers export` have the new one.
    RotateToken(SubscribersDecideArgs),
    /// Erase a subscriber here and in both accounts of the e-mail provider
    ///
    /// The person is unknown at once; a worker with the accounts' keys has both forget them. Of
    /// somebody who wanted no mail a hash of the address is kept, so that nobody writes to them
    /// again. There is no way back
    Erase(SubscribersEraseArgs),
    /// Write out who is suppressed, and take it in again
    #[command(subcommand)]
    Suppressions(SuppressionsCommand),
}

#[derive(Debug, Args)]
pub struct SubscribersDecideArgs {
    /// The address, or a subscriber's UUID; an address can be suppressed that nobody has reported
    #[arg(value_name = "EMAIL", value_parser = config::person)]
    pub person: PersonRef,

    /// Why, for the audit
    #[arg(
        long,
        value_name = "REASON",
        env = "POSTHASTE_SUBSCRIBERS_REASON",
        value_parser = config::reason
    )]
    pub reason: String,
    #[command(flatten)]
    pub store: StoreArgs,
    #[command(flatten)]
    pub operator: OperatorArgs,
}

#[derive(Debug, Subcommand)]
pub enum SuppressionsCommand {
    /// Print everybody who is suppressed as CSV, whether they were reported or not
    ///
    /// Fields are printed as they are, so that `import` reads them back; for spreadsheets the same
    /// holds as for `subscribers export`.
    Export(StoreArgs),
    /// Take in suppressions from a CSV file; none is ever lifted
    Import(SuppressionsImportArgs),
}

#[derive(Debug, Args)]
pub struct SuppressionsImportArgs {
    /// CSV with a header that has at least `email` and `status`, and perhaps `source`, `account`,
    /// `at` and `reason` as an export does; `-` reads standard input. The strongest status stands,
    /// and one from before somebody was reinstated does not count. To import a file again is safe
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[command(flatten)]
    pub store: StoreArgs,
    #[command(flatten)]
    pub operator: OperatorArgs,
}

#[derive(Debug, Args)]
pub struct SubscribersEraseArgs {
    /// The subscriber's address or UUID
    #[arg(value_name = "EMAIL", value_parser = config::person)]
    pub person: PersonRef,
    #[command(flatten)]
    pub store: StoreArgs,
    #[command(flatten)]
    pub operator: OperatorArgs,
}

#[derive(Debug, Args)]
pub struct SubscribersReconcileArgs {
    /// Only this account: `old` or `new`
    #[arg(
        long,
        value_name = "ACCOUNT",
        env = "POSTHASTE_SUBSCRIBERS_ACCOUNT",
        value_parser = config::account
    )]
    pub account: Option<Account>,

    /// Say what is different, and change nothing
    #[arg(
        long,
        env = "POSTHASTE_SUBSCRIBERS_DRY_RUN",
        value_parser = FalseyValueParser::new()
    )]
    pub dry_run: bool,

    #[command(flatten)]
    pub store: StoreArgs,
    #[command(flatten)]
    pub accounts: AccountsArgs,
}

#[derive(Debug, Args)]
pub struct SubscribersShowArgs {
    /// The subscriber's address or UUID
    #[arg(value_name = "EMAIL", value_parser = config::person)]
    pub person: PersonRef,
    #[command(flatten)]
    pub json: JsonArgs,
    #[command(flatten)]
    pub store: StoreArgs,
}

#[derive(Debug, Args)]
pub struct SubscribersImportArgs {
    /// CSV with the header `email,name,country,plan_category,status,expires_at`; `-` reads
    /// standard input. An empty field clears what is stored, and a line without `plan_category`
    /// and `status` is somebody without a membership. To import a file again is safe
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Say what would change, and change nothing
    #[arg(
        long,
        env = "POSTHASTE_SUBSCRIBERS_DRY_RUN",
        value_parser = FalseyValueParser::new()
    )]
    pub dry_run: bool,
    #[command(flatten)]
    pub store: StoreArgs,
    #[command(flatten)]
    pub operator: OperatorArgs,
}

#[derive(Debug, Args)]
#[command(
    override_usage = "posthaste subscribers migrate [OPTIONS] --source <SOURCE> <EMAIL>...\n       \
                            posthaste subscribers migrate [OPTIONS] --source <SOURCE> --all"
)]
pub struct SubscribersMigrateArgs {
    /// Addresses or UUIDs of subscribers. Whoever has moved already stays as they are
    #[arg(value_name = "EMAIL", required_unless_present = "all", value_parser = config::person)]
    pub emails: Vec<PersonRef>,

    /// Move everybody who has not moved yet, no faster than the accounts take it
    #[arg(
        long,
        env = "POSTHASTE_SUBSCRIBERS_ALL",
        value_parser = FalseyValueParser::new(),
        conflicts_with = "emails"
    )]
    pub all: bool,

    /// Why they move: `manual` or `launch`
    #[arg(
        long,
        value_name = "SOURCE",
        env = "POSTHASTE_SUBSCRIBERS_SOURCE",
        value_parser = config::migration_source
    )]
    pub source: MigrationSource,

    /// Say what would happen and what is not set up at the provider, and move nobody
    #[arg(
        long,
        env = "POSTHASTE_SUBSCRIBERS_DRY_RUN",
        value_parser = FalseyValueParser::new()
    )]
    pub dry_run: bool,

    /// With `--all`, only so many, spread evenly over the list
    #[arg(
        long,
        value_name = "N",
        env = "POSTHASTE_SUBSCRIBERS_SAMPLE",
        conflicts_with = "emails"
    )]
    pub sample: Option<NonZeroU32>,

    /// Move people although no group starts their chain of e-mails: it never starts later
    #[arg(
        long,
        env = "POSTHASTE_SUBSCRIBERS_NO_GROUP",
        value_parser = FalseyValueParser::new()
    )]
    pub no_group: bool,

    #[command(flatten)]
    pub store: StoreArgs,
    #[command(flatten)]
    pub operator: OperatorArgs,
    #[command(flatten)]
    pub accounts: AccountsArgs,
}
