//! Logging to standard error: as text, or as JSON with one object a line.

mod voice;
mod writer;

use std::{
    env,
    io::{self, IsTerminal as _},
};

use tracing_subscriber::{
    EnvFilter,
    fmt::{MakeWriter, writer::BoxMakeWriter},
};

use self::writer::LogWriter;
pub use self::{
    voice::{announce, complain},
    writer::flush,
};
use crate::{
    cli::{Cli, Command, Refusal},
    config::{self, LogFormat},
};

/// Default filter of `serve` and `worker`. It drops the server's own messages, which repeat ours.
const SERVICE_FILTER: &str = "info,actix_server=warn,actix_web=warn";
/// Target that logs each malformed request as an error. It is off in every filter that does not
/// name it.
const MALFORMED_REQUESTS: &str = "actix_http::h1";
/// Default filter of all other commands.
const COMMAND_FILTER: &str = "warn";

/// Starts logging with the filter and the format of the command line or the environment.
pub fn start(cli: &Cli) -> Result<(), Refusal> {
    let filter = filter(cli)?;
    voice::settle(is_service(&cli.command) && cli.log_format == LogFormat::Json);
    subscribe(filter, cli.log_format, writer(cli)?)
        .map_err(|error| Refusal::Value(format!("cannot log: {error}")))
}

/// The writer: of a service one that no request waits for; of all other commands standard error,
/// to which they print as well.
fn writer(cli: &Cli) -> Result<BoxMakeWriter, Refusal> {
    if !is_service(&cli.command) {
        return Ok(BoxMakeWriter::new(io::stderr));
    }
    let writer = LogWriter::start(io::stderr())
        .map_err(|error| Refusal::Value(format!("cannot log: {error}")))?;
    Ok(BoxMakeWriter::new(writer.of_process()))
}

const fn is_service(command: &Command) -> bool {
    matches!(command, Command::Serve(_) | Command::Worker(_))
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
            // The span of a request stands in `span`; none has a parent.
            .with_span_list(false)
            .try_init(),
    }
}

fn filter(cli: &Cli) -> Result<EnvFilter, Refusal> {
    let text = match (&cli.log, rust_log()?) {
        (Some(filter), _) => filter.clone(),
        (None, Some(filter)) => filter,
        (None, None) if is_service(&cli.command) => SERVICE_FILTER.to_owned(),
        (None, None) => COMMAND_FILTER.to_owned(),
    };
    let text = without_malformed_requests(text);
    EnvFilter::builder()
        .parse(&text)
        .map_err(|error| Refusal::Value(format!("{text}: {error}")))
}

fn without_malformed_requests(filter: String) -> String {
    if filter.contains("actix_http") {
        filter
    } else {
        format!("{filter},{MALFORMED_REQUESTS}=off")
    }
}

fn rust_log() -> Result<Option<String>, Refusal> {
    match env::var("RUST_LOG") {
        Ok(text) if !text.trim().is_empty() => config::log_filter(&text)
            .map(Some)
            .map_err(|reason| Refusal::Value(format!("RUST_LOG: {reason}"))),
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_requests_are_logged_only_if_the_filter_names_them() {
        for (filter, expect) in [
            ("debug", "debug,actix_http::h1=off"),
            (
                SERVICE_FILTER,
                "info,actix_server=warn,actix_web=warn,actix_http::h1=off",
            ),
            ("info,actix_http=trace", "info,actix_http=trace"),
        ] {
            assert_eq!(without_malformed_requests(filter.to_owned()), expect);
            assert!(EnvFilter::builder().parse(expect).is_ok());
        }
    }
}
