//! The `posthaste` binary: command line, configuration, wiring.
//!
//! - [`args`]: the options that commands share, and what their values may be. [`command`]: the
//!   commands, each with its options; [`demo`] is one.
//! - [`serve`]: wires the adapters, runs the service or a worker alone.
//! - [`database`]: the store that `DATABASE_URL` names. [`signing_keys`], [`operators`]: functions
//!   of several commands for keys, clients and links.
//!
//! Exit codes: 0 done, 1 failed or refused, 2 usage or configuration, 130 interrupted.

mod args;
mod command;
mod database;
mod demo;
mod operators;
mod serve;
mod signing_keys;
#[cfg(test)]
mod tests;

use std::{process::ExitCode, time::Duration};

use anyhow::Context as _;
use cli::{
    descriptors, input, logging, misconfigured, output, program, progress, shutdown, supervisor,
    text,
};

use crate::command::{Cli, Command};

/// A push allocates memory about 140 times. The C library's allocator took a tenth of the push's
/// processor time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let log = |cli: &Cli| program::Log {
        filter: cli.log.clone(),
        format: cli.log_format,
        is_service: matches!(cli.command, Command::Serve(_) | Command::Worker(_)),
    };
    program::main(command::definitions, log, execute)
}

fn execute(cli: Cli) -> anyhow::Result<ExitCode> {
    // reqwest is built without a cryptography provider.
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
