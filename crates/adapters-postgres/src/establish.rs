use std::{pin::pin, time::Duration};

use diesel::ConnectionError;
use diesel_async::AsyncPgConnection;
use futures_util::future::{Either, select};
use tokio_postgres::{Config, SimpleQueryMessage};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::{PostgresOptions, PostgresUrl, error::chain};

/// TCP keepalive: the idle time before a probe, the time between probes, the number of probes, and
/// the limit for unacknowledged data.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(10);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(5);
const KEEPALIVE_RETRIES: u32 = 3;
const UNACKNOWLEDGED: Duration = Duration::from_secs(25);

/// Planner settings that enforce nested index lookups and generic plans.
///
/// All queries find rows by index. For a small table, the server would prefer a sequential scan.
/// While a statement stays prepared and the table is not analysed, the server keeps the plan, so a
/// new database would become slow as it fills. Custom plans would only cost planning time. A
/// generic plan assumes that a page of a list reads a tenth of the table, and would start parallel
/// workers.
const PLANNER: [(&str, &str); 6] = [
    ("enable_seqscan", "off"),
    ("enable_hashjoin", "off"),
    ("enable_mergejoin", "off"),
    ("jit", "off"),
    ("max_parallel_workers_per_gather", "0"),
    ("plan_cache_mode", "force_generic_plan"),
];

/// Requests English messages if the role may do so, because `error` classifies failures by their
/// text. Returns whether messages are English.
const ENGLISH: &str = "SELECT set_config('lc_messages', 'C', false) \
     WHERE current_setting('lc_messages') !~* '^(C|POSIX|en)' \
     AND has_parameter_privilege('lc_messages', 'SET'); \
     SELECT current_setting('lc_messages') ~* '^(C|POSIX|en)'";

/// Makes the server check every second during a statement that the client still exists, so closing
/// a connection ends its statement. Servers on Windows refuse this setting. Other databases with
/// PostgreSQL's protocol may not know it.
const CHECK_CLIENT: &str = "SELECT set_config('client_connection_check_interval', '1000', false) \
     WHERE current_setting('client_connection_check_interval', true) = '0' \
     AND version() !~* 'windows|mingw|visual c'";

pub(crate) struct Connector {
    config: Config,
    tls: MakeRustlsConnect,
    set_up: String,
    places: String,
}

impl Connector {
    pub(crate) fn new(
        url: &PostgresUrl,
        options: &PostgresOptions,
        tls: MakeRustlsConnect,
    ) -> Self {
        Self {
            config: configuration(url, options),
            tls,
            set_up: set_up(url.config().get_options(), options),
            places: url.places(),
        }
    }

    pub(crate) async fn connect(&self) -> Result<AsyncPgConnection, ConnectionError> {
        let (client, mut connection) =
            self.config
                .connect(self.tls.clone())
                .await
                .map_err(|error| {
                    ConnectionError::BadConnection(format!(
                        "cannot connect to PostgreSQL at {}: {}",
                        self.places,
                        chain(&error)
                    ))
                })?;
        if let Some(why) = connection.parameter("server_encoding").and_then(objection) {
            return Err(ConnectionError::BadConnection(why));
        }
        let answer = {
            let query = pin!(client.simple_query(&self.set_up));
            match select(query, &mut connection).await {
                Either::Left((answer, _)) => answer,
                Either::Right((Err(error), _)) => Err(error),
                Either::Right((Ok(()), query)) => query.await,
            }
        };
        let answer = answer.map_err(|error| {
            ConnectionError::BadConnection(format!(
                "cannot set up a connection to PostgreSQL: {}",
                chain(&error)
            ))
        })?;
        if !speaks_english(&answer) {
            tracing::warn!(
                "the server's messages are not in English, so some of its errors cannot be \
                 distinguished; have a superuser run: ALTER ROLE … SET lc_messages = 'C'"
            );
        }
        AsyncPgConnection::try_from_client_and_connection(client, connection).await
    }
}

/// Other encodings cannot store every posting, or count bytes as characters.
fn objection(encoding: &str) -> Option<String> {
    (encoding != "UTF8").then(|| {
        format!(
            "the encoding of the database is {encoding}, but must be UTF8; create another one with \
             CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0"
        )
    })
}

fn speaks_english(answer: &[SimpleQueryMessage]) -> bool {
    let mut rows = answer.iter().filter_map(|message| match message {
        SimpleQueryMessage::Row(row) => Some(row),
        _ => None,
    });
    rows.next_back().is_some_and(|row| row.get(0) == Some("t"))
}

/// Adds timeouts and keepalives that the URL does not set.
fn configuration(url: &PostgresUrl, options: &PostgresOptions) -> Config {
    let mut config = url.config().clone();
    if config.get_application_name().is_none() {
        config.application_name(&options.application_name);
    }
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(options.acquire_timeout);
    }
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(UNACKNOWLEDGED);
    }
    if config.get_keepalives_interval().is_none() {
        config.keepalives_idle(KEEPALIVE_IDLE);
        config.keepalives_interval(KEEPALIVE_INTERVAL);
        config.keepalives_retries(KEEPALIVE_RETRIES);
    }
    config
}

/// The statements that set up a session. Settings in the URL's `options` already apply.
fn set_up(of_url: Option<&str>, options: &PostgresOptions) -> String {
    let limits = [
        ("statement_timeout", options.statement_timeout),
        ("lock_timeout", options.lock_timeout),
        (
            "idle_in_transaction_session_timeout",
            options.idle_in_transaction_timeout,
        ),
    ]
    .map(|(name, limit)| (name, limit.as_millis().to_string()));
    let planner = PLANNER.map(|(name, value)| (name, value.to_owned()));
    let settings: Vec<_> = limits
        .into_iter()
        .chain(planner)
        .filter(|(name, _)| !of_url.is_some_and(|of_url| sets(of_url, name)))
        .map(|(name, value)| format!("set_config('{name}', '{value}', false)"))
        .collect();
    format!("SELECT {}; {CHECK_CLIENT}; {ENGLISH}", settings.join(", "))
}

fn sets(options: &str, name: &str) -> bool {
    options.split_whitespace().any(|word| {
        let word = word.strip_prefix("--").unwrap_or(word);
        let word = word.strip_prefix("-c").unwrap_or(word);
        let named = word.split('=').next().unwrap_or_default();
        named.replace('-', "_").eq_ignore_ascii_case(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_the_url_are_kept() {
        let options = PostgresOptions::default();
        let all = set_up(None, &options);
        for name in ["statement_timeout", "lock_timeout", "enable_seqscan"] {
            assert!(all.contains(&format!("'{name}'")), "{all}");
            for of_url in [
                format!("-c {name}=1"),
                format!("-c deadlock_timeout=1 -c{name}=1"),
                format!("--{}=1", name.replace('_', "-").to_uppercase()),
            ] {
                let rest = set_up(Some(&of_url), &options);
                assert!(!rest.contains(&format!("'{name}'")), "{of_url}: {rest}");
                assert!(rest.contains("'plan_cache_mode'"), "{rest}");
            }
        }
        assert!(set_up(Some("-c deadlock_timeout=1"), &options).contains("'lock_timeout'"));
    }
}
