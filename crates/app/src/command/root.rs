use clap::{CommandFactory as _, Parser};
use cli::options;

use super::Command;
use crate::logging::{LogFormat, log_filter, log_format};

/// Job postings in, enriched and moderated job postings out.
///
/// Every option can also be given as the environment variable that is shown with it. Options win
/// over variables, and a variable without a value counts as unset. A secret can also be in a file:
/// its variable with `_FILE` names that file. Variables of Posthaste that are not set are taken
/// from a file `.env` in the current directory, which must belong to you or root, and be writable
/// only by its owner. Only `serve`, `demo`, `migrate`, `restore`, `clients create`, `webhooks
/// create` and `keys generate` create a missing embedded database.
#[derive(Debug, Parser)]
#[command(
    name = "posthaste",
    version = env!("BUILD_VERSION"),
    subcommand_required = true,
    arg_required_else_help = true
)]
pub struct Cli {
    /// What to log, as a `tracing` filter such as `debug` or `info,posthaste=debug`; `RUST_LOG` is
    /// read too. Default: `info` for commands that serve, `warn` for the rest
    #[arg(
        long,
        global = true,
        value_name = "FILTER",
        value_parser = log_filter,
        help_heading = "Logging"
    )]
    pub log: Option<String>,

    /// How to log: `text`, or `json` with one object a line
    #[arg(
        long,
        global = true,
        value_name = "FORMAT",
        default_value = "text",
        value_parser = log_format(),
        help_heading = "Logging"
    )]
    pub log_format: LogFormat,

    #[command(subcommand)]
    pub command: Command,
}

pub fn definitions() -> clap::Command {
    options::documented(Cli::command())
}

#[cfg(test)]
mod tests;
