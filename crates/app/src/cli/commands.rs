//! Every command, and the options of those without a file of their own.

use std::{ffi::OsString, path::PathBuf};

use adapters_http::oauth::KeyId;
use adapters_postgres::PostgresUrl;
use clap::{Args, Parser, Subcommand, builder::FalseyValueParser};
use ingest::LaneSettings;

use super::{
    backup::{BackupArgs, CopyArgs, RestoreArgs},
    clients::ClientsCommand,
    companies::CompaniesCommand,
    console::{ConsoleArgs, ConsoleCommand},
    enricher::EnricherArgs,
    newsletter::{AccountsArgs, PagesArgs, SubscribersCommand, WebhookArgs},
    operator::{AuditArgs, OperatorArgs},
    postings::PostingsCommand,
    settings::{
        AdminArgs, DataDirArgs, EventsArgs, HttpArgs, JsonArgs, LaneArgs, LifetimeArgs,
        RetentionArgs, StoreArgs,
    },
    tools::{CompletionsArgs, HealthcheckArgs, ManArgs},
    webhooks::{WebhookAddressArgs, WebhookRetryArgs, WebhooksCommand},
};
use crate::{
    config::{self, LogFormat},
    push_command::PushArgs,
};

/// The commands that run until they are stopped, log all they say, and send traces.
pub(super) const SERVICES: [&str; 2] = ["serve", "worker"];

/// Job postings in, enriched and moderated job postings out.
///
/// Every option can also be given as the environment variable that is shown with it. Options win
/// over variables, and a variable without a value counts as unset. A secret is also taken from the
/// file that its variable with `_FILE` names. Variables of Posthaste that are not set are taken
/// from a file `.env` in the current directory, which must be yours or root's, and nobody else's
/// to write. Only `serve`, `demo`, `migrate`, `restore`, `clients create`, `webhooks create` and
/// `keys generate` make an embedded database that is not there.
#[derive(Debug, Parser)]
#[command(
    name = "posthaste",
    version = env!("POSTHASTE_VERSION"),
    subcommand_required = true,
    arg_required_else_help = true
)]
pub struct Cli {
    /// What to log, as a `tracing` filter such as `debug` or `info,posthaste=debug`; `RUST_LOG`
    /// is read too. Default: `info` for what serves, `warn` for the rest
    #[arg(
        long,
        global = true,
        value_name = "FILTER",
        env = "POSTHASTE_LOG",
        value_parser = config::log_filter,
        help_heading = "Logging"
    )]
    pub log: Option<String>,

    /// How to log: `text`, or `json` with one object a line
    #[arg(
        long,
        global = true,
        value_name = "FORMAT",
        env = "POSTHASTE_LOG_FORMAT",
        default_value = "text",
        value_parser = config::log_format,
        help_heading = "Logging"
    )]
    pub log_format: LogFormat,

    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show everything at once: sample postings through OAuth, enrichment and back
    Demo(DemoArgs),
    /// Serve the API and run the background workers
    Serve(ServeArgs),
    /// Run the background workers alone
    Worker(WorkerArgs),
    /// Apply pending migrations to the database
    Migrate(StoreArgs),
    /// Manage the keys that sign access tokens
    #[command(subcommand)]
    Keys(KeysCommand),
    /// Manage OAuth clients
    #[command(subcommand)]
    Clients(ClientsCommand),
    /// Look at companies, and at who owns them
    #[command(subcommand)]
    Companies(CompaniesCommand),
    /// Push many postings from a file
    Push(PushArgs),
    /// Look at postings and moderate them
    #[command(subcommand)]
    Postings(PostingsCommand),
    /// Look at newsletter subscribers, take them in and move them
    #[command(subcommand)]
    Subscribers(SubscribersCommand),
    /// Look at side effects that wait or were given up
    #[command(subcommand)]
    Outbox(OutboxCommand),
    /// Have events delivered to webhooks, and look after those of clients
    #[command(subcommand)]
    Webhooks(WebhooksCommand),
    /// Sign operators in to the console
    #[command(subcommand)]
    Console(ConsoleCommand),
    /// Show what operators did, newest last
    Audit(AuditArgs),
    /// Copy the embedded database and the keys into a directory, while they are in use
    ///
    /// On PostgreSQL only the keys are copied, and what backs up the rest is named
    Backup(BackupArgs),
    /// Put a backup in the place of an embedded database and keys that are gone
    ///
    /// Nothing that is there is overwritten. On PostgreSQL only the keys are restored
    Restore(RestoreArgs),
    /// Copy everything from the embedded database into an empty one on PostgreSQL
    ///
    /// The services must be stopped: a database that another process has open is refused. A copy
    /// that broke off goes on where it was. At the end every row is compared
    Copy(CopyArgs),
    /// Say what is wrong with an installation, and what to do about it
    ///
    /// Looks at configuration, store, schema, clock, keys, disk, public URL, and at the endpoints
    /// that workers call, with the options that `serve` takes. Nothing is changed. Ends with exit
    /// code 1 if anything is wrong
    Doctor(DoctorArgs),
    /// Ask a running service whether it is ready; exit code 1 if it is not
    Healthcheck(HealthcheckArgs),
    /// Print completions for a shell
    Completions(CompletionsArgs),
    /// Write a manual page for each command
    Man(ManArgs),
    /// Print the OpenAPI document
    Openapi,
}

#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Keep the demo's database and keys in this directory instead of a temporary one
    #[arg(long, value_name = "DIR", env = "POSTHASTE_DEMO_DATA_DIR")]
    pub data_dir: Option<PathBuf>,

    /// Stop after the table instead of serving until Ctrl-C
    #[arg(long, env = "POSTHASTE_DEMO_EXIT", value_parser = FalseyValueParser::new())]
    pub exit: bool,
}

#[derive(Debug, Args)]
pub struct ServeArgs {
    #[command(flatten)]
    pub store: StoreArgs,
    /// A replica of the database, one server, from which lists, exports and events are read:
    /// `postgres://…`
    #[arg(
        long,
        value_name = "URL",
        env = "POSTHASTE_READ_DATABASE_URL",
        hide_env_values = true,
        value_parser = config::read_database_url,
        help_heading = "Storage"
    )]
    pub read_database_url: Option<PostgresUrl>,
    #[command(flatten)]
    pub http: HttpArgs,
    #[command(flatten)]
    lanes: LaneArgs,
    #[command(flatten)]
    pub lifetime: LifetimeArgs,
    #[command(flatten)]
    pub events: EventsArgs,
    #[command(flatten)]
    pub retention: RetentionArgs,
    #[command(flatten)]
    pub enricher: EnricherArgs,
    #[command(flatten)]
    pub accounts: AccountsArgs,
    #[command(flatten)]
    pub webhook: WebhookArgs,
    #[command(flatten)]
    pub addresses: WebhookAddressArgs,
    #[command(flatten)]
    pub retries: WebhookRetryArgs,
    #[command(flatten)]
    pub pages: PagesArgs,
    #[command(flatten)]
    pub admin: AdminArgs,
    #[command(flatten)]
    pub console: ConsoleArgs,

    /// Serve the API alone, without background workers
    #[arg(
        long,
        env = "POSTHASTE_NO_WORKER",
        value_parser = FalseyValueParser::new(),
        help_heading = "API"
    )]
    pub no_worker: bool,

    /// Apply pending migrations first; without it an outdated schema is refused. The embedded
    /// store is always brought up to date
    #[arg(
        long,
        env = "POSTHASTE_MIGRATE",
        value_parser = FalseyValueParser::new(),
        help_heading = "Storage"
    )]
    pub migrate: bool,
}

impl ServeArgs {
    /// The lanes of pushes.
    pub fn lanes(&self) -> LaneSettings {
        self.lanes.settings(&self.store.database())
    }
}

#[derive(Debug, Args)]
#[command(mut_arg("migrate", |migrate| migrate.hide(true)))]
pub struct DoctorArgs {
    /// The service that is looked at.
    #[command(flatten)]
    pub serve: ServeArgs,
    #[command(flatten)]
    pub json: JsonArgs,
}

#[derive(Debug, Args)]
pub struct WorkerArgs {
    #[command(flatten)]
    pub store: StoreArgs,
    #[command(flatten)]
    pub addresses: WebhookAddressArgs,
    #[command(flatten)]
    pub retries: WebhookRetryArgs,
    #[command(flatten)]
    pub lifetime: LifetimeArgs,
    #[command(flatten)]
    pub events: EventsArgs,
    #[command(flatten)]
    pub retention: RetentionArgs,
    #[command(flatten)]
    pub enricher: EnricherArgs,
    #[command(flatten)]
    pub accounts: AccountsArgs,
    #[command(flatten)]
    pub admin: AdminArgs,
}

#[derive(Debug, Subcommand)]
pub enum KeysCommand {
    /// Make a new key; it verifies at once and signs after 30 seconds. Made as root, it belongs
    /// to the owner of the folder
    Generate(KeysGenerateArgs),
    /// List the keys, oldest first, and what is no usable key
    List(KeysListArgs),
    /// Remove a key; what it signed is not accepted any more. The last usable one stays
    Retire(KeysRetireArgs),
}

#[derive(Debug, Args)]
pub struct KeysGenerateArgs {
    #[command(flatten)]
    pub store: StoreArgs,
    #[command(flatten)]
    pub operator: OperatorArgs,
}

#[derive(Debug, Args)]
pub struct KeysListArgs {
    /// List so many at most
    #[arg(
        long,
        value_name = "ROWS",
        env = "POSTHASTE_KEYS_LIMIT",
        default_value_t = 100
    )]
    pub limit: usize,
    #[command(flatten)]
    pub json: JsonArgs,
    #[command(flatten)]
    pub data_dir: DataDirArgs,
}

#[derive(Debug, Args)]
pub struct KeysRetireArgs {
    /// The key's id
    #[arg(value_name = "KID")]
    pub id: KeyId,

    /// Remove it although it is the last one that can be used: no token is given out or accepted
    /// until there is another
    #[arg(long, env = "POSTHASTE_KEYS_FORCE", value_parser = FalseyValueParser::new())]
    pub force: bool,

    #[command(flatten)]
    pub store: StoreArgs,
    #[command(flatten)]
    pub operator: OperatorArgs,
}

#[derive(Debug, Subcommand)]
pub enum OutboxCommand {
    /// List what waits or is being worked on, oldest first
    List(OutboxListArgs),
    /// Bring dead side effects back
    Retry(OutboxRetryArgs),
    /// Delete dead side effects, which then never happen; the audit names each
    Dismiss(OutboxDismissArgs),
}

#[derive(Debug, Args)]
pub struct OutboxListArgs {
    /// List what was given up instead
    #[arg(long, env = "POSTHASTE_OUTBOX_DEAD", value_parser = FalseyValueParser::new())]
    pub dead: bool,

    /// List so many at most
    #[arg(
        long,
        value_name = "ROWS",
        env = "POSTHASTE_OUTBOX_LIMIT",
        default_value_t = 100
    )]
    pub limit: usize,
    #[command(flatten)]
    pub json: JsonArgs,
    #[command(flatten)]
    pub store: StoreArgs,
}

#[derive(Debug, Args)]
#[command(override_usage = "posthaste outbox retry [OPTIONS] <ID>...\n       \
                            posthaste outbox retry [OPTIONS] --all-dead")]
pub struct OutboxRetryArgs {
    /// Ids of dead side effects, as `outbox list --dead` shows them
    #[arg(
        value_name = "ID",
        required_unless_present = "all_dead",
        value_parser = config::task_id
    )]
    pub ids: Vec<i64>,

    /// Bring all of them back
    #[arg(
        long,
        env = "POSTHASTE_OUTBOX_ALL_DEAD",
        value_parser = FalseyValueParser::new(),
        conflicts_with = "ids"
    )]
    pub all_dead: bool,
    #[command(flatten)]
    pub store: StoreArgs,
    #[command(flatten)]
    pub operator: OperatorArgs,
}

#[derive(Debug, Args)]
#[command(
    override_usage = "posthaste outbox dismiss --reason <REASON> [OPTIONS] <ID>...\n       \
                            posthaste outbox dismiss --reason <REASON> [OPTIONS] --all-dead"
)]
pub struct OutboxDismissArgs {
    /// Ids of dead side effects, as `outbox list --dead` shows them
    #[arg(
        value_name = "ID",
        required_unless_present = "all_dead",
        value_parser = config::task_id
    )]
    pub ids: Vec<i64>,

    /// Dismiss all of them
    #[arg(
        long,
        env = "POSTHASTE_OUTBOX_ALL_DEAD",
        value_parser = FalseyValueParser::new(),
        conflicts_with = "ids"
    )]
    pub all_dead: bool,

    /// Why, for the audit
    #[arg(
        long,
        value_name = "REASON",
        env = "POSTHASTE_OUTBOX_REASON",
        value_parser = config::reason
    )]
    pub reason: String,
    #[command(flatten)]
    pub store: StoreArgs,
    #[command(flatten)]
    pub operator: OperatorArgs,
}

/// The root command and the subcommands that the arguments name.
pub(super) fn command_path<'a>(
    root: &'a clap::Command,
    arguments: &[OsString],
) -> Vec<&'a clap::Command> {
    let mut path = vec![root];
    for argument in arguments
        .iter()
        .skip(1)
        .filter_map(|argument| argument.to_str())
    {
        path.extend(
            path.last()
                .and_then(|command| command.find_subcommand(argument)),
        );
    }
    path
}
