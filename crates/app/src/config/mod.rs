//! Parses the values of options and variables.
//!
//! Each function parses the text of one option or variable. Its error is a reason that reads well
//! behind the option's or the variable's name, and does not repeat values that may hold a password.

mod admin;
mod clients;
mod console;
mod database;
mod enricher;
mod newsletter;
mod webhooks;

#[cfg(test)]
mod tests;

use std::{net::SocketAddr, sync::Arc, time::Duration};

use domain::posting::Lifetime;
pub use kernel::day::since;
use kernel::{SourceIdentifier, Status, audit::Operator, line::short_text};
use time::OffsetDateTime;
use url::Url;

pub use self::{
    admin::{AdminBind, admin_bind},
    clients::{
        ClientRef, CompanyOwner, client, client_limit, client_name, identifier_prefix, overlap,
        owner, scope, website,
    },
    console::{DEFAULT_CONSOLE, console_bind, console_url, header_name, proxy, proxy_secret},
    database::{DatabaseUrl, database_url, read_database_url},
    enricher::{
        EnricherKind, EnricherName, LlmSettings, enricher, llm_base_url, llm_concurrency,
        llm_extra_body, llm_model, llm_timeout, price,
    },
    newsletter::{
        Group, WebhookSecrets, account, api_key, board_name, group_id, migration_source, person,
        reconcile, requests_per_minute, webhook_secrets,
    },
    webhooks::{
        endpoint_id, event_id, event_type, private_addresses, retry_schedule, webhook_description,
    },
};

/// The longest name of a catalogue, in characters.
const CATALOGUE_LENGTH: usize = 64;
/// The longest life of a token, in seconds: a year.
const LONGEST_TOKEN_TTL: u64 = 31_536_000;
const LONGEST_EVENTS_KEPT: u64 = 3_650;
/// The longest time that texts of expired postings can be kept, in days.
const LONGEST_TEXTS_KEPT: u64 = 36_500;
/// The largest limit of an import: one terabyte.
const LARGEST_IMPORT_LIMIT: u64 = 1 << 40;
/// The largest body limit: bodies are held in memory.
const LARGEST_BODY_LIMIT: u64 = 1 << 30;

/// The largest number of threads: more than any machine has cores.
const MOST_THREADS: u64 = 512;
/// The largest number of connections, which takes many gigabytes of memory.
const MOST_CONNECTIONS: u64 = 100_000;
/// The most rows that a copy writes at a time.
const LARGEST_COPY_BATCH: u64 = 10_000;
/// The largest number of lanes. Each takes two connections of the store's pool.
pub const MOST_LANES: usize = 4;
/// The largest number of pushes in flight: they are held in memory.
const LARGEST_QUEUE: u64 = 1_000_000;

/// `POSTHASTE_BIND`.
pub fn bind(text: &str) -> Result<SocketAddr, String> {
    text.trim().parse().map_err(|_| {
        format!("{text:?} is not an IP address with a port, such as 127.0.0.1:8080 or [::1]:8080")
    })
}

/// `POSTHASTE_PUBLIC_URL`, without a slash at the end.
///
/// It has no path: identifiers contain `%2F`, which a proxy that removes a path decodes, and the
/// metadata of the issuer would have to be at the root of the host anyway (RFC 8414 §3.1).
pub fn public_url(text: &str) -> Result<String, String> {
    let url = base_url(text)?;
    if url.path() != "/" {
        return Err(
            "must have no path: the service is at the root of its host; give it a host name of \
             its own, such as https://jobs.example.org"
                .to_owned(),
        );
    }
    Ok(url.as_str().trim_end_matches('/').to_owned())
}

/// `POSTHASTE_APPEAL_URL`.
pub fn appeal_url(text: &str) -> Result<Arc<str>, String> {
    Ok(web_url(text)?.as_str().into())
}

/// The base URL of a service, to which paths are appended.
pub fn base_url(text: &str) -> Result<Url, String> {
    let url = web_url(text)?;
    if url.query().is_some() || url.fragment().is_some() {
        return Err("must have neither a query nor a fragment".to_owned());
    }
    Ok(url)
}

/// An HTTP or HTTPS URL without credentials.
fn web_url(text: &str) -> Result<Url, String> {
    // The value is not repeated: it may hold a password.
    let url = Url::parse(text.trim())
        .map_err(|error| format!("not a URL such as https://jobs.example.org: {error}"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err("must begin with http:// or https://".to_owned());
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("must not hold a user name or password".to_owned());
    }
    Ok(url)
}

/// `POSTHASTE_TOKEN_TTL`.
pub fn token_ttl(text: &str) -> Result<Duration, String> {
    whole(text, "seconds", 1, LONGEST_TOKEN_TTL).map(Duration::from_secs)
}

/// `POSTHASTE_BODY_LIMIT`.
pub fn body_limit(text: &str) -> Result<usize, String> {
    let bytes = whole(text, "bytes", 1, LARGEST_BODY_LIMIT)?;
    usize::try_from(bytes).map_err(|error| error.to_string())
}

/// `POSTHASTE_IMPORT_LIMIT`.
pub fn import_limit(text: &str) -> Result<u64, String> {
    whole(text, "bytes", 1, LARGEST_IMPORT_LIMIT)
}

/// `POSTHASTE_HTTP_THREADS`.
pub fn http_threads(text: &str) -> Result<usize, String> {
    count(text, "threads", MOST_THREADS)
}

/// `POSTHASTE_MAX_CONNECTIONS`.
pub fn max_connections(text: &str) -> Result<usize, String> {
    count(text, "connections", MOST_CONNECTIONS)
}

/// `POSTHASTE_COPY_BATCH`.
pub fn copy_batch(text: &str) -> Result<usize, String> {
    count(text, "rows", LARGEST_COPY_BATCH)
}

/// `POSTHASTE_INGEST_LANES`.
pub fn ingest_lanes(text: &str) -> Result<usize, String> {
    count(text, "lanes", MOST_LANES as u64)
}

/// `POSTHASTE_INGEST_QUEUE`.
pub fn ingest_queue(text: &str) -> Result<usize, String> {
    count(text, "pushes", LARGEST_QUEUE)
}

fn count(text: &str, unit: &str, most: u64) -> Result<usize, String> {
    let count = whole(text, unit, 1, most)?;
    usize::try_from(count).map_err(|error| error.to_string())
}

/// `POSTHASTE_POSTING_LIFETIME_DAYS`.
pub fn posting_lifetime(text: &str) -> Result<Lifetime, String> {
    let days = whole(text, "days", 0, u32::MAX.into())?;
    u32::try_from(days)
        .map(Lifetime::days)
        .map_err(|error| error.to_string())
}

/// `POSTHASTE_EVENTS_KEEP_DAYS`.
pub fn events_keep(text: &str) -> Result<Duration, String> {
    whole(text, "days", 1, LONGEST_EVENTS_KEPT).map(|days| Duration::from_hours(24 * days))
}

/// `POSTHASTE_EXPIRED_TEXTS_DAYS`.
pub fn expired_texts_days(text: &str) -> Result<u32, String> {
    let days = whole(text, "days", 0, LONGEST_TEXTS_KEPT)?;
    u32::try_from(days).map_err(|error| error.to_string())
}

/// A posting's status.
pub fn status(text: &str) -> Result<Status, String> {
    Status::ALL
        .iter()
        .find(|status| status.as_str().eq_ignore_ascii_case(text.trim()))
        .copied()
        .ok_or_else(|| format!("{text:?} is not one of {}", Status::NAMES.join(", ")))
}

/// A posting's unique source identifier, untrimmed.
pub fn source_identifier(text: &str) -> Result<SourceIdentifier, String> {
    SourceIdentifier::new(text).map_err(|error| error.to_string())
}

/// The name of a catalogue.
pub fn catalogue(text: &str) -> Result<String, String> {
    let is_fine = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    if text.is_empty() || text.len() > CATALOGUE_LENGTH || !text.chars().all(is_fine) {
        return Err(format!(
            "{text:?} is not 1 to {CATALOGUE_LENGTH} characters of A-Za-z0-9._-"
        ));
    }
    if matches!(text, "." | "..") {
        return Err(format!(
            "{text:?} has a meaning of its own in the path of a URL"
        ));
    }
    Ok(text.to_owned())
}

/// `POSTHASTE_PUSH_MAX_MISSING`.
pub fn max_missing(text: &str) -> Result<u8, String> {
    let percent = whole(text, "per cent", 0, 100)?;
    u8::try_from(percent).map_err(|error| error.to_string())
}

/// The number of a row of the outbox.
pub fn task_id(text: &str) -> Result<i64, String> {
    text.trim()
        .parse()
        .map_err(|_| format!("{text:?} is not the number of a side effect"))
}

/// `POSTHASTE_OPERATOR`.
pub fn operator(text: &str) -> Result<Operator, String> {
    Operator::new(text).map_err(|error| error.to_string())
}

/// A time in the past, by itself or by the days since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Before {
    /// So many days ago.
    Days(u32),
    /// At this time.
    At(OffsetDateTime),
}

impl Before {
    /// The time, which must not be after `now`.
    pub fn time(self, now: OffsetDateTime) -> anyhow::Result<OffsetDateTime> {
        let at = match self {
            Self::Days(days) => now.checked_sub(time::Duration::days(days.into())),
            Self::At(at) => Some(at),
        };
        match at {
            Some(at) if at <= now => Ok(at),
            _ => anyhow::bail!("--expired-before must name a time in the past"),
        }
    }
}

/// `--expired-before` of `posthaste postings purge`.
pub fn expired_before(text: &str) -> Result<Before, String> {
    if text.trim().bytes().all(|byte| byte.is_ascii_digit()) {
        let days = whole(text.trim(), "days", 1, LONGEST_TEXTS_KEPT)?;
        let days = u32::try_from(days).map_err(|error| error.to_string())?;
        return Ok(Before::Days(days));
    }
    since(text)
        .map(Before::At)
        .map_err(|why| format!("{why}, nor a number of days"))
}

/// An operator's reason.
pub fn reason(text: &str) -> Result<String, String> {
    let reason = kernel::line::reason(text).map_err(|error| error.to_string())?;
    Ok(reason.to_owned())
}

/// A text of one line.
fn line(text: &str, longest: usize) -> Result<String, String> {
    let text = short_text(text, longest).map_err(|error| error.to_string())?;
    Ok(text.to_owned())
}

/// A whole number in a range.
fn whole(text: &str, unit: &str, least: u64, most: u64) -> Result<u64, String> {
    match text.trim().parse() {
        Ok(number) if (least..=most).contains(&number) => Ok(number),
        _ => Err(format!(
            "{text:?} is not a whole number of {unit} from {least} to {most}"
        )),
    }
}
