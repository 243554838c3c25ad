//! Logs, on standard error.

use std::{env, io, io::IsTerminal as _};

use tracing_subscriber::EnvFilter;

use crate::{
    cli::{Cli, Command, Refusal},
    config,
};

/// What a process that serves logs. The server says nothing there that is not said here.
const SERVING: &str = "info,actix_server=warn,actix_web=warn";
/// What calls every malformed request of a stranger an error. It is left out of every filter
/// that does not name it.
const STRANGERS: &str = "actix_http::h1";
/// What a command that ends by itself logs.
const COMMAND: &str = "warn";

/// Starts to log as the command line says.
pub fn start(cli: &Cli) -> Result<(), Refusal> {
    let filter = filter(cli)?;
    let is_plain = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal() && !is_plain)
        // A log that nobody reads any more must not stop the service.
        .log_internal_errors(false);
    subscriber
        .try_init()
        .map_err(|error| Refusal::Value(format!("cannot log: {error}")))
}

fn filter(cli: &Cli) -> Result<EnvFilter, Refusal> {
    let text = match (&cli.log, rust_log()?) {
        (Some(filter), _) => filter.clone(),
        (None, Some(filter)) => filter,
        (None, None) => match cli.command {
            Command::Serve(_) | Command::Worker(_) => SERVING.to_owned(),
            _ => COMMAND.to_owned(),
        },
    };
    let text = without_strangers(text);
    EnvFilter::builder()
        .parse(&text)
        .map_err(|error| Refusal::Value(format!("{text}: {error}")))
}

fn without_strangers(filter: String) -> String {
    if filter.contains("actix_http") {
        filter
    } else {
        format!("{filter},{STRANGERS}=off")
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
    fn strangers_are_heard_only_by_name() {
        for (filter, expect) in [
            ("debug", "debug,actix_http::h1=off"),
            (
                SERVING,
                "info,actix_server=warn,actix_web=warn,actix_http::h1=off",
            ),
            ("info,actix_http=trace", "info,actix_http=trace"),
        ] {
            assert_eq!(without_strangers(filter.to_owned()), expect);
            assert!(EnvFilter::builder().parse(expect).is_ok());
        }
    }
}
