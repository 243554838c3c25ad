//! The `posthaste` binary: command line, configuration, wiring.
//!
//! - [`args`]: the options that commands share, and what their values may be. [`command`]: the
//!   commands, each with its options; [`demo`] is one.
//! - [`serve`]: wires the adapters, runs the service or a worker alone.
//! - [`database`]: the store that `DATABASE_URL` names. [`signing_keys`], [`operators`]: what
//!   several commands do with keys, clients and links.
//!
//! Exit codes: 0 done, 1 failed or refused, 2 usage or configuration.

mod args;
mod command;
mod database;
mod demo;
mod operators;
mod serve;
mod signing_keys;
#[cfg(test)]
mod tests;

use std::{env, ffi::OsString, path::Path, process::ExitCode, time::Duration};

use anyhow::Context as _;
use cli::{
    descriptors, input, logging, misconfigured,
    options::{self, Refusal},
    output, progress, shutdown, supervisor, text,
};

use crate::{
    command::{Cli, Command},
    misconfigured::Misconfigured,
};

/// A push allocates some 140 times; the C library's allocator took a tenth of its processor time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The exit code of bad usage and bad configuration.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let arguments: Vec<_> = env::args_os().collect();
    let root = command::definitions();
    let parsed = options::load(&root, Path::new(".env"), &arguments).and_then(|dotenv| {
        let cli = command::parse(&arguments)?;
        let is_service = matches!(cli.command, Command::Serve(_) | Command::Worker(_));
        logging::start(cli.log.as_deref(), cli.log_format, is_service)?;
        Ok((cli, dotenv))
    });
    let result = match parsed {
        Ok((cli, dotenv)) => {
            if let Some(dotenv) = dotenv {
                dotenv.announce();
            }
            for complaint in options::unknown_variables(&root) {
                tracing::warn!("{complaint}");
            }
            let result = execute(cli);
            logging::flush();
            result
        }
        Err(refusal) => return refuse(&refusal, &root, &arguments),
    };
    match result {
        Ok(code) => code,
        Err(error) if output::is_reader_gone(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let is_json = || options::asks_for_json(&root, &arguments);
            logging::print_error(output::in_one_line(&error), is_json);
            if error.is::<Misconfigured>() {
                ExitCode::from(USAGE)
            } else {
                ExitCode::FAILURE
            }
        }
    }
}

fn refuse(refusal: &Refusal, root: &clap::Command, arguments: &[OsString]) -> ExitCode {
    let is_json = || options::asks_for_json(root, arguments);
    match refusal {
        Refusal::Usage(error) => {
            if error.use_stderr() && is_json() {
                let text = error.to_string();
                logging::print_error(text.trim_start_matches("error: ").trim(), is_json);
            } else {
                let _ = error.print();
            }
            u8::try_from(error.exit_code()).map_or(ExitCode::from(USAGE), ExitCode::from)
        }
        Refusal::Value(line) => {
            logging::print_error(line, is_json);
            ExitCode::from(USAGE)
        }
    }
}

fn execute(cli: Cli) -> anyhow::Result<ExitCode> {
    // reqwest is built without a provider of its own.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(runtime::cores::half())
        .enable_all()
        .build()
        .context("cannot start threads")?;
    let result = runtime.block_on(cli.command.run());
    // An enrichment that still blocks a thread is abandoned.
    runtime.shutdown_timeout(Duration::from_secs(1));
    result
}
