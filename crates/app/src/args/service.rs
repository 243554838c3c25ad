use std::{net::SocketAddr, sync::Arc, time::Duration};

use ::webhooks::{DEFAULT_RETRY_SECONDS, PrivateAddresses, RetrySchedule};
use clap::Args;
use domain::posting::Lifetime;
use ingest::LaneSettings;
use runtime::cores;
use workers::WorkerSettings;

use super::{
    enricher::EnricherArgs,
    newsletter::AccountsArgs,
    values::{AdminBind, admin_bind, bind, one_of, root_url, seconds, web_url, whole},
};
use crate::{database::url::DatabaseUrl, misconfigured::Misconfigured};

/// The longest token lifetime in seconds: a year.
const LONGEST_TOKEN_TTL: u64 = 31_536_000;
/// The longest retention of events in days.
const LONGEST_EVENTS_KEPT: u64 = 3_650;
/// The longest hold of content in hours: a year.
const LONGEST_HOLD: u64 = 8_760;
/// The longest retention of expired postings' texts in days.
pub const LONGEST_TEXTS_KEPT: u64 = 36_500;
const LARGEST_IMPORT_LIMIT: u64 = 1 << 40;
/// The largest body limit in bytes: bodies are held in memory.
const LARGEST_BODY_LIMIT: u64 = 1 << 30;
const LARGEST_MEMORY_BUDGET: u64 = 1 << 36;
const MOST_THREADS: u64 = 512;
/// The largest limit of connections: so many take gigabytes of memory.
const MOST_CONNECTIONS: u64 = 100_000;
const MOST_LANES: usize = 4;
/// The largest limit of pushes in progress, which are held in memory.
const LARGEST_QUEUE: u64 = 1_000_000;
const METRICS_PORT: u16 = 9464;
/// The public URL has no path: identifiers contain `%2F`, which a proxy that removes a path
/// decodes, and the issuer's metadata belongs at the root of the host (RFC 8414 §3.1).
const NO_PATH: &str = "the service is at the root of its host; give it a host name of its own, \
                       such as https://jobs.example.org";

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "API")]
pub struct PublicUrlArgs {
    /// Address and port to listen on; port 0 takes a free port
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:8080", value_parser = bind)]
    pub bind: SocketAddr,

    /// The address that clients know: issuer and audience of tokens, and base of links. Default:
    /// `http://` and the address of the listener
    #[arg(long, value_name = "URL", value_parser = root_url(NO_PATH))]
    pub public_url: Option<String>,
}

impl PublicUrlArgs {
    pub fn url(&self) -> String {
        let bound = || format!("http://{}", self.bind);
        self.public_url.clone().unwrap_or_else(bound)
    }
}

#[derive(Clone, Debug, Args)]
pub struct TokenArgs {
    /// The lifetime of an access token, in seconds
    #[arg(
        long,
        value_name = "SECONDS",
        env = "POSTHASTE_TOKEN_TTL",
        default_value = "3600",
        value_parser = seconds(LONGEST_TOKEN_TTL)
    )]
    pub token_ttl: Duration,
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "API")]
pub struct HttpArgs {
    #[command(flatten)]
    pub place: PublicUrlArgs,

    #[command(flatten)]
    pub tokens: TokenArgs,

    /// The size limit of a request body and of an import's line, in bytes; above it the answer is
    /// 413
    #[arg(
        long,
        value_name = "BYTES",
        default_value = "1048576",
        value_parser = whole::<usize>("bytes", 1..=LARGEST_BODY_LIMIT)
    )]
    pub body_limit: usize,

    /// The largest import, in bytes after unpacking; above it the answer is 413
    #[arg(
        long,
        value_name = "BYTES",
        default_value = "2147483648",
        value_parser = whole::<u64>("bytes", 1..=LARGEST_IMPORT_LIMIT)
    )]
    pub import_limit: u64,

    /// Connections served at a time, fewer if the limit of open files is low; others wait
    #[arg(
        long,
        value_name = "N",
        default_value = "4096",
        value_parser = whole::<usize>("connections", 1..=MOST_CONNECTIONS)
    )]
    pub max_connections: usize,

    /// The limit of one client's requests in progress in a process, unread answers included; above
    /// it the answer is 429. Waits for events and lines of imports do not count
    #[arg(
        long,
        value_name = "N",
        default_value = "64",
        value_parser = whole::<usize>("requests", 1..=MOST_CONNECTIONS)
    )]
    pub client_requests: usize,

    /// The limit of bytes of request bodies and answers in a process, at least twice the body
    /// limit; above it the answer is 503
    #[arg(
        long,
        value_name = "BYTES",
        default_value = "268435456",
        value_parser = whole::<usize>("bytes", 1..=LARGEST_MEMORY_BUDGET)
    )]
    pub memory_budget: usize,

    /// Threads that read requests and write answers. Default: half of the cores
    #[arg(long, value_name = "N", value_parser = whole::<usize>("threads", 1..=MOST_THREADS))]
    pub http_threads: Option<usize>,
}

impl HttpArgs {
    pub fn check(&self) -> Result<(), Misconfigured> {
        if self.memory_budget / 2 >= self.body_limit {
            return Ok(());
        }
        Err(Misconfigured(format!(
            "POSTHASTE_MEMORY_BUDGET: {} bytes are less than two bodies of {} bytes \
             (POSTHASTE_BODY_LIMIT); raise the budget, or lower the limit",
            self.memory_budget, self.body_limit
        )))
    }
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Metrics")]
pub struct AdminArgs {
    /// Address and port of a listener for `/metrics`, `/healthz` and `/readyz`, or `off`. Default:
    /// 127.0.0.1:9464, unless another program listens there
    #[arg(long, value_name = "ADDR:PORT", value_parser = admin_bind)]
    admin_bind: Option<AdminBind>,

    /// Host names that `/metrics` accepts, separated by commas; IP addresses and `localhost` always
    /// work. Default: any name, but none on a loopback address
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', value_parser = host_name)]
    pub admin_hosts: Vec<String>,
}

fn host_name(text: &str) -> Result<String, String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
    if !text.is_empty() && text.chars().all(is_name) {
        return Ok(text.to_owned());
    }
    Err(format!("{text:?} is not a host name without a port"))
}

impl AdminArgs {
    pub fn bind(&self) -> AdminBind {
        self.admin_bind
            .unwrap_or_else(|| AdminBind::if_free(METRICS_PORT))
    }
}

#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "API")]
pub struct LaneArgs {
    /// Lanes that write pushes. Default: 1 on the embedded store, otherwise one for every two
    /// cores, at most 4
    #[arg(long, value_name = "N", value_parser = whole::<usize>("lanes", 1..=MOST_LANES as u64))]
    ingest_lanes: Option<usize>,

    /// The limit of pushes in progress; above it the answer is 503
    #[arg(
        long,
        value_name = "N",
        default_value = "4096",
        value_parser = whole::<usize>("pushes", 1..=LARGEST_QUEUE)
    )]
    ingest_queue: usize,
}

/// Lanes of imports: large batches gain when their commits overlap.
const LINE_LANES: usize = 2;
/// The number of a store's eight connections that commits of pushes may take.
const COMMITS: usize = 4;

impl LaneArgs {
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
        let mut settings = LaneSettings::default();
        (settings.pushes.lanes, settings.pushes.commits) = (lanes, commits);
        settings.pushes.queue = self.ingest_queue;
        settings.lines.lanes = line_lanes;
        settings
    }
}

#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Postings")]
pub struct LifetimeArgs {
    /// Days for which an approved posting stays unless it is pushed again. 0 means for ever: the
    /// next push of an open posting then clears its `expire_at`
    #[arg(
        long = "posting-lifetime-days",
        value_name = "DAYS",
        default_value = "60",
        value_parser = lifetime
    )]
    pub lifetime: Lifetime,
}

fn lifetime(text: &str) -> Result<Lifetime, String> {
    whole("days", 0..=u32::MAX.into())(text).map(Lifetime::days)
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Postings")]
pub struct AppealArgs {
    /// The address where a decision about a posting can be contested; readers of the posting see it
    #[arg(long, value_name = "URL", value_parser = appeal_url)]
    pub appeal_url: Option<Arc<str>>,
}

fn appeal_url(text: &str) -> Result<Arc<str>, String> {
    Ok(web_url(text)?.as_str().into())
}

#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Webhooks")]
pub struct WebhookAddressArgs {
    /// Whether events may go over plain http and to private, loopback and link-local addresses:
    /// `refuse` or `allow`
    #[arg(
        long = "webhook-private",
        value_name = "refuse|allow",
        default_value = "refuse",
        value_parser = one_of(PRIVATE)
    )]
    pub private: PrivateAddresses,
}

const PRIVATE: &[(&str, PrivateAddresses)] = &[
    ("refuse", PrivateAddresses::Refuse),
    ("allow", PrivateAddresses::Allow),
];

// Background work. Not a doc comment: clap would show it as the command's help.
#[derive(Clone, Debug, Args)]
pub struct WorkArgs {
    #[command(flatten)]
    pub lifetime: LifetimeArgs,

    /// Days for which an event can be read, 1 to 3650
    #[arg(
        long,
        value_name = "DAYS",
        default_value = "30",
        value_parser = whole::<u64>("days", 1..=LONGEST_EVENTS_KEPT),
        help_heading = "Events"
    )]
    events_keep_days: u64,

    /// Days for which an expired posting keeps the texts of enrichment, at most 36500; 0 means for
    /// ever
    #[arg(
        long,
        value_name = "DAYS",
        default_value = "30",
        value_parser = whole::<u64>("days", 0..=LONGEST_TEXTS_KEPT),
        help_heading = "Retention"
    )]
    expired_texts_days: u64,

    /// If new content of an approved posting is not an ad: hours until the rejection, at most 8760;
    /// until then the content is held back
    #[arg(
        long,
        value_name = "HOURS",
        default_value = "72",
        value_parser = whole::<u64>("hours", 0..=LONGEST_HOLD),
        help_heading = "Postings"
    )]
    content_held_hours: u64,

    /// Days for which versions of postings are kept, at most 36500; 0 means for ever
    #[arg(
        long,
        value_name = "DAYS",
        default_value = "90",
        value_parser = whole::<u64>("days", 0..=LONGEST_TEXTS_KEPT),
        help_heading = "Retention"
    )]
    versions_days: u64,
    /// Days from the decision about a report until its reporter is erased, at most 36500
    #[arg(
        long,
        value_name = "DAYS",
        default_value = "180",
        value_parser = whole::<u64>("days", 0..=LONGEST_TEXTS_KEPT),
        help_heading = "Retention"
    )]
    reporters_days: u64,

    #[command(flatten)]
    pub appeal: AppealArgs,
    #[command(flatten)]
    pub enricher: EnricherArgs,
    #[command(flatten)]
    pub accounts: AccountsArgs,
    #[command(flatten)]
    pub addresses: WebhookAddressArgs,

    /// The waits between attempts to deliver an event, in seconds: at most 30 numbers, separated by
    /// commas, each at most a week
    #[arg(
        long,
        value_name = "SECONDS,…",
        default_value = DEFAULT_RETRY_SECONDS,
        help_heading = "Webhooks"
    )]
    webhook_retry_seconds: RetrySchedule,
}

impl WorkArgs {
    pub fn settings(&self) -> WorkerSettings {
        let days = |days: u64| Duration::from_hours(24 * days);
        let texts = self.expired_texts_days;
        WorkerSettings {
            lifetime: self.lifetime.lifetime,
            keep_events: days(self.events_keep_days),
            keep_expired_texts: (texts > 0).then(|| days(texts)),
            hold_content: Duration::from_hours(self.content_held_hours),
            keep_versions: (self.versions_days > 0).then(|| days(self.versions_days)),
            keep_reporters: days(self.reporters_days),
            reconciles: self.accounts.mailerlite_reconcile,
            schedule: self.webhook_retry_seconds.clone(),
            ..WorkerSettings::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::values::tests::check, *};

    #[test]
    fn values_of_the_service() {
        check(
            |text| lifetime(text).map(Lifetime::is_limited),
            r#"
            60          | true
            0           | false
            4294967296  ! "4294967296" is not a whole number of days from 0 to
            1.5         ! "1.5" is not
            "#,
        );
        let no_options = AdminArgs {
            admin_bind: None,
            admin_hosts: Vec::new(),
        };
        check(
            host_name,
            r#"
            posthaste-1.internal | "posthaste-1.internal"
            serve:9464           ! "serve:9464" is not a host name without a port
            "#,
        );
        assert_eq!(format!("{:?}", no_options.bind()), "IfFree(127.0.0.1:9464)");
    }
}
