//! Options that several commands share.

use std::{net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};

use adapters_http::oauth::KeyFolder;
use clap::Args;
use domain::posting::Lifetime;
use ingest::LaneSettings;
use runtime::cores;
use workers::WorkerSettings;

use super::{
    enricher::EnricherArgs,
    newsletter::AccountsArgs,
    webhooks::{WebhookAddressArgs, WebhookRetryArgs},
};
use crate::{
    config::{self, AdminBind, DatabaseUrl, MOST_LANES},
    database::{Database, Outdated},
};

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Storage")]
pub struct DataDirArgs {
    /// Directory of the database and the signing keys
    #[arg(
        long,
        value_name = "DIR",
        env = "POSTHASTE_DATA_DIR",
        default_value = "./data"
    )]
    pub data_dir: PathBuf,
}

impl DataDirArgs {
    /// The directory of the signing keys.
    pub fn keys(&self) -> PathBuf {
        self.data_dir.join("keys")
    }

    /// The folder of the signing keys.
    pub fn key_folder(&self) -> KeyFolder {
        KeyFolder::new(self.keys())
    }

    /// The default path of the embedded database.
    pub fn default_database(&self) -> PathBuf {
        self.data_dir.join("posthaste.db")
    }
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Storage")]
pub struct StoreArgs {
    /// The database: `sqlite://PATH`, or `postgres://USER:PASSWORD@HOST/DATABASE?sslmode=…`.
    /// Default: `posthaste.db` in the data directory
    #[arg(
        long,
        value_name = "URL",
        env = "DATABASE_URL",
        hide_env_values = true,
        value_parser = config::database_url
    )]
    database_url: Option<DatabaseUrl>,

    #[command(flatten)]
    pub data_dir: DataDirArgs,
}

impl StoreArgs {
    /// The database, by default the embedded one.
    pub fn database(&self) -> DatabaseUrl {
        self.database_url
            .clone()
            .unwrap_or_else(|| DatabaseUrl::Sqlite(self.data_dir.default_database()))
    }

    /// Opens the database, which must exist.
    pub async fn open(&self) -> anyhow::Result<Database> {
        Database::open(&self.database()).await
    }

    /// Opens the database, and makes an embedded one that was not there before.
    pub async fn open_or_make(&self) -> anyhow::Result<Database> {
        let (url, keys) = (self.database(), self.data_dir.keys());
        Database::open_or_make(&url, &keys, Outdated::MigrateEmbedded).await
    }
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Postings")]
pub struct AppealArgs {
    /// Where a decision about a posting can be contested; readers of the posting see it
    #[arg(
        long,
        value_name = "URL",
        env = "POSTHASTE_APPEAL_URL",
        value_parser = config::appeal_url
    )]
    pub appeal_url: Option<Arc<str>>,
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "API")]
pub struct PublicUrlArgs {
    /// Address and port to listen on; port 0 takes a free one
    #[arg(
        long,
        value_name = "ADDR:PORT",
        env = "POSTHASTE_BIND",
        default_value = "127.0.0.1:8080",
        value_parser = config::bind
    )]
    pub bind: SocketAddr,

    /// The address that clients know: issuer and audience of tokens, and base of links.
    /// Default: `http://` and the address that is listened on
    #[arg(
        long,
        value_name = "URL",
        env = "POSTHASTE_PUBLIC_URL",
        value_parser = config::public_url
    )]
    pub public_url: Option<String>,
}

impl PublicUrlArgs {
    /// The address that clients know, of a service in another process.
    pub fn url(&self) -> String {
        let bound = || format!("http://{}", self.bind);
        self.public_url.clone().unwrap_or_else(bound)
    }
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "API")]
pub struct HttpArgs {
    #[command(flatten)]
    pub place: PublicUrlArgs,

    /// How long an access token is good for, in seconds
    #[arg(
        long,
        value_name = "SECONDS",
        env = "POSTHASTE_TOKEN_TTL",
        default_value = "3600",
        value_parser = config::token_ttl
    )]
    pub token_ttl: Duration,

    /// The largest request body, and line of an import, in bytes; past it the answer is 413
    #[arg(
        long,
        value_name = "BYTES",
        env = "POSTHASTE_BODY_LIMIT",
        default_value = "1048576",
        value_parser = config::body_limit
    )]
    pub body_limit: usize,

    /// The largest import, in bytes after unpacking; past it the answer is 413
    #[arg(
        long,
        value_name = "BYTES",
        env = "POSTHASTE_IMPORT_LIMIT",
        default_value = "2147483648",
        value_parser = config::import_limit
    )]
    pub import_limit: u64,

    /// Connections that are served at a time; what comes beyond waits. A low limit of open files
    /// makes it fewer
    #[arg(
        long,
        value_name = "N",
        env = "POSTHASTE_MAX_CONNECTIONS",
        default_value = "4096",
        value_parser = config::max_connections
    )]
    pub max_connections: usize,

    /// Threads that read requests and write answers. Default: half of the cores
    #[arg(
        long,
        value_name = "N",
        env = "POSTHASTE_HTTP_THREADS",
        value_parser = config::http_threads
    )]
    http_threads: Option<usize>,
}

impl HttpArgs {
    /// The number of threads that read requests and write answers.
    pub fn threads(&self) -> usize {
        self.http_threads.unwrap_or_else(cores::half)
    }
}

#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Postings")]
pub struct LifetimeArgs {
    /// How many days an approved posting stays unless it is pushed again; 0 is for ever, and then
    /// the next push of an open posting clears its `expire_at`
    #[arg(
        long = "posting-lifetime-days",
        value_name = "DAYS",
        env = "POSTHASTE_POSTING_LIFETIME_DAYS",
        default_value = "60",
        value_parser = config::posting_lifetime
    )]
    pub lifetime: Lifetime,
}

#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Events")]
pub struct EventsArgs {
    /// How many days an event can be read before it is deleted, 1 to 3650
    #[arg(
        long = "events-keep-days",
        value_name = "DAYS",
        env = "POSTHASTE_EVENTS_KEEP_DAYS",
        default_value = "30",
        value_parser = config::events_keep
    )]
    pub keep: Duration,
}

#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Retention")]
pub struct RetentionArgs {
    /// How many days after its expiry a posting keeps the texts that enrichment made, at most 36500;
    /// 0 is for ever
    #[arg(
        long = "expired-texts-days",
        value_name = "DAYS",
        env = "POSTHASTE_EXPIRED_TEXTS_DAYS",
        default_value = "30",
        value_parser = config::expired_texts_days
    )]
    expired_texts_days: u32,
}

impl RetentionArgs {
    /// How long texts are kept; `None` for ever.
    pub fn expired_texts(self) -> Option<Duration> {
        let hours = 24 * u64::from(self.expired_texts_days);
        (hours > 0).then(|| Duration::from_hours(hours))
    }
}

/// Background work.
#[derive(Clone, Debug, Args)]
pub struct WorkArgs {
    #[command(flatten)]
    pub lifetime: LifetimeArgs,
    #[command(flatten)]
    events: EventsArgs,
    #[command(flatten)]
    retention: RetentionArgs,
    #[command(flatten)]
    pub appeal: AppealArgs,
    #[command(flatten)]
    pub enricher: EnricherArgs,
    #[command(flatten)]
    pub accounts: AccountsArgs,
    #[command(flatten)]
    pub addresses: WebhookAddressArgs,
    #[command(flatten)]
    retries: WebhookRetryArgs,
}

impl WorkArgs {
    /// The settings of a worker.
    pub fn settings(&self) -> WorkerSettings {
        WorkerSettings {
            lifetime: self.lifetime.lifetime,
            keep_events: self.events.keep,
            keep_expired_texts: self.retention.expired_texts(),
            reconciles: self.accounts.reconciles(),
            schedule: self.retries.schedule.clone(),
            ..WorkerSettings::default()
        }
    }
}

#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Metrics")]
pub struct AdminArgs {
    /// Address and port of a listener for `/metrics`, `/healthz` and `/readyz`, or `off`. Default:
    /// 127.0.0.1:9464, unless somebody else listens there
    #[arg(
        long,
        value_name = "ADDR:PORT",
        env = "POSTHASTE_ADMIN_BIND",
        value_parser = config::admin_bind
    )]
    admin_bind: Option<AdminBind>,
}

impl AdminArgs {
    /// The address of `/metrics`.
    pub fn bind(self) -> AdminBind {
        self.admin_bind.unwrap_or_default()
    }
}

#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "API")]
pub struct LaneArgs {
    /// How many lanes write pushes. Default: 1 on the embedded store, else one for every two cores,
    /// 4 at most
    #[arg(
        long,
        value_name = "N",
        env = "POSTHASTE_INGEST_LANES",
        value_parser = config::ingest_lanes
    )]
    ingest_lanes: Option<usize>,

    /// How many pushes may be under way at once; past it the answer is 503
    #[arg(
        long,
        value_name = "N",
        env = "POSTHASTE_INGEST_QUEUE",
        default_value = "4096",
        value_parser = config::ingest_queue
    )]
    ingest_queue: usize,
}

/// Lanes of imports, whose large batches gain when their commits overlap.
const LINE_LANES: usize = 2;
/// Of the eight connections of a store, those that commits of pushes take at most. The rest is for
/// everything else.
const COMMITS: usize = 4;

impl LaneArgs {
    /// The settings of the lanes, with defaults for this database.
    pub fn settings(self, database: &DatabaseUrl) -> LaneSettings {
        // The embedded store has one writer.
        let (lanes, line_lanes) = if database.is_embedded() {
            (1, 1)
        } else {
            let lanes = cores::half().min(MOST_LANES);
            (lanes, lanes.max(LINE_LANES))
        };
        let lanes = self.ingest_lanes.unwrap_or(lanes);
        let commits = if database.is_embedded() {
            1
        } else {
            (COMMITS / lanes).clamp(1, 2)
        };
        LaneSettings {
            lanes,
            commits,
            line_lanes,
            queue: self.ingest_queue,
            ..LaneSettings::default()
        }
    }
}

#[derive(Debug, Args)]
pub struct JsonArgs {
    /// Print JSON instead of text
    #[arg(long = "json", env = "POSTHASTE_JSON")]
    pub enabled: bool,
}
