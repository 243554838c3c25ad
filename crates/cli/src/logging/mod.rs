//! Logs to standard error, as text or as one JSON object a line.

mod voice;
mod writer;

use std::{
    env,
    io::{self, IsTerminal as _},
};

use clap::builder::TypedValueParser;
use tracing_subscriber::{
    EnvFilter,
    fmt::{MakeWriter, writer::BoxMakeWriter},
};

use self::writer::LogWriter;
pub use self::{
    voice::{announce, print_error},
    writer::flush,
};
use crate::{options::Refusal, values::one_of};

/// The filter of `serve` and `worker`. It drops the server's own messages, which repeat ours.
const SERVICE_FILTER: &str = "info,actix_server=warn,actix_web=warn";
/// Targets that log errors about strangers' input, such as malformed requests or certificates of
/// webhook receivers. They are off unless a filter names their crate, because the answer, or the
/// error of the delivery, already has the cause.
const STRANGERS: [(&str, &str); 2] = [
    ("actix_http", "actix_http::h1"),
    ("rustls_platform_verifier", "rustls_platform_verifier"),
];
/// The filter of all other commands.
const COMMAND_FILTER: &str = "warn";

pub fn log_filter(text: &str) -> Result<String, String> {
    match EnvFilter::builder().parse(text) {
        Ok(_) => Ok(text.to_owned()),
        Err(error) => Err(format!(
            "{text:?} is not a log filter such as `info,posthaste=debug`: {error}"
        )),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    Text,
    Json,
}

pub fn log_format() -> impl TypedValueParser<Value = LogFormat> {
    one_of(&[("text", LogFormat::Text), ("json", LogFormat::Json)])
}

pub fn start(log: Option<&str>, format: LogFormat, is_service: bool) -> Result<(), Refusal> {
    let filter = filter(log, is_service)?;
    voice::settle(is_service && format == LogFormat::Json);
    subscribe(filter, format, writer(is_service)?)
        .map_err(|error| Refusal::Value(format!("cannot log: {error}")))
}

/// A service writes its log in a thread, so that it never waits. Other commands write directly.
fn writer(is_service: bool) -> Result<BoxMakeWriter, Refusal> {
    if !is_service {
        return Ok(BoxMakeWriter::new(io::stderr));
    }
    let writer = LogWriter::start(io::stderr())
        .map_err(|error| Refusal::Value(format!("cannot log: {error}")))?;
    Ok(BoxMakeWriter::new(writer.of_process()))
}

fn subscribe<W>(
    filter: EnvFilter,
    format: LogFormat,
    writer: W,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>>
where
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    let is_plain = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(writer)
        // A closed standard error must not stop the service.
        .log_internal_errors(false);
    match format {
        LogFormat::Text => subscriber
            .with_ansi(io::stderr().is_terminal() && !is_plain)
            .try_init(),
        LogFormat::Json => subscriber
            .with_ansi(false)
            .json()
            .flatten_event(true)
            // The span of a request is in `span`; spans have no parents.
            .with_span_list(false)
            .try_init(),
    }
}

fn filter(log: Option<&str>, is_service: bool) -> Result<EnvFilter, Refusal> {
    let text = match (log, rust_log()?) {
        (Some(filter), _) => filter.to_owned(),
        (None, Some(filter)) => filter,
        (None, None) if is_service => SERVICE_FILTER.to_owned(),
        (None, None) => COMMAND_FILTER.to_owned(),
    };
    let text = without_strangers(&text);
    EnvFilter::builder()
        .parse(&text)
        .map_err(|error| Refusal::Value(format!("{text}: {error}")))
}

fn without_strangers(filter: &str) -> String {
    let unnamed = STRANGERS.iter().filter(|(name, _)| !filter.contains(name));
    let off = unnamed.map(|(_, target)| format!(",{target}=off"));
    off.fold(filter.to_owned(), |filter, off| filter + &off)
}

fn rust_log() -> Result<Option<String>, Refusal> {
    match env::var("RUST_LOG") {
        Ok(text) if !text.trim().is_empty() => log_filter(&text)
            .map(Some)
            .map_err(|reason| Refusal::Value(format!("RUST_LOG: {reason}"))),
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_strangers_send_is_logged_only_if_the_filter_names_the_target() {
        let verifier = "rustls_platform_verifier=off";
        for (filter, expect) in [
            ("debug", format!("debug,actix_http::h1=off,{verifier}")),
            (
                SERVICE_FILTER,
                format!("{SERVICE_FILTER},actix_http::h1=off,{verifier}"),
            ),
            (
                "info,actix_http=trace",
                format!("info,actix_http=trace,{verifier}"),
            ),
        ] {
            assert_eq!(without_strangers(filter), expect);
            assert!(EnvFilter::builder().parse(&expect).is_ok());
        }
        let named = "rustls_platform_verifier=error,actix_http=off";
        assert_eq!(without_strangers(named), named);
    }
}
