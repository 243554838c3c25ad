//! The `posthaste` binary: command line, configuration, wiring.
//!
//! - [`cli`] and [`config`]: the command line, and the values that its options accept.
//! - [`serve`]: wires the adapters, runs the service, and [`announce`]s which parts are on;
//!   [`database`] is the store it opened, [`embedded`] decides which command may create one.
//! - [`feed`]: the event log for readers outside. [`reads`]: where they read.
//! - [`import`]: takes in the lines of imports, through the lanes.
//! - [`lane`]: batches pushed postings into shared commits. [`newsletter_service`]: the use
//!   cases of subscribers.
//! - [`enricher`], [`provider`]: what the workers call.
//! - [`webhooks`]: the client that calls receivers, and the bodies of deliveries.
//! - [`console`]: the listener of the operators' console. [`operators`]: the commands of operators
//!   that its pages and the command line share.
//! - [`metrics`](mod@metrics), [`admin`]: the metrics, and the listener that serves them.
//!   [`traces`]: the tracer. [`logging`]: the log.
//! - [`command`], [`push_command`], [`demo`]: all other commands.
//!
//! Exit codes: 0 done, 1 failed or refused, 2 usage or configuration.

mod admin;
mod announce;
mod cli;
mod clock_skew;
mod command;
mod config;
mod console;
mod database;
mod demo;
mod descriptors;
mod embedded;
mod enricher;
mod exposure;
mod feed;
mod input;
mod logging;
mod metrics;
mod misconfigured;
mod newsletter_service;
mod operators;
mod output;
mod preflight;
mod progress;
mod provider;
mod push_command;
mod reads;
mod serve;
mod shutdown;
mod signing_keys;
mod supervisor;
mod text;
mod traces;
mod webhooks;

use std::{env, ffi::OsString, path::Path, process::ExitCode, time::Duration};

use anyhow::Context as _;

use crate::{
    cli::{Cli, Command, Refusal},
    misconfigured::Misconfigured,
    shutdown::{INTERRUPTED, StopSignals},
};

/// The allocator of the whole process. A push allocates some 140 times, and with the C library's
/// allocator that was a tenth of its processor time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The exit code of bad usage and bad configuration.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let arguments: Vec<_> = env::args_os().collect();
    let parsed = cli::load_environment(Path::new(".env"), &arguments).and_then(|dotenv| {
        let cli = cli::parse(&arguments)?;
        logging::start(&cli)?;
        Ok((cli, dotenv))
    });
    let result = match parsed {
        Ok((cli, dotenv)) => {
            if let Some(dotenv) = dotenv {
                dotenv.announce();
            }
            cli::warn_of_unknown_variables();
            let result = execute(cli);
            logging::flush();
            result
        }
        Err(refusal) => return refuse(&refusal, &arguments),
    };
    match result {
        Ok(code) => code,
        Err(error) if output::is_reader_gone(&error) => ExitCode::SUCCESS,
        Err(error) => {
            logging::complain(output::in_one_line(&error), &arguments);
            if error.is::<Misconfigured>() {
                ExitCode::from(USAGE)
            } else {
                ExitCode::FAILURE
            }
        }
    }
}

fn refuse(refusal: &Refusal, arguments: &[OsString]) -> ExitCode {
    match refusal {
        Refusal::Usage(error) => {
            if error.use_stderr() && cli::asks_for_json(arguments) {
                let text = error.to_string();
                logging::complain(text.trim_start_matches("error: ").trim(), arguments);
            } else {
                let _ = error.print();
            }
            u8::try_from(error.exit_code()).map_or(ExitCode::from(USAGE), ExitCode::from)
        }
        Refusal::Value(line) => {
            logging::complain(line, arguments);
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
    let result = runtime.block_on(dispatch(cli.command));
    // An enrichment that still blocks a thread is abandoned.
    runtime.shutdown_timeout(Duration::from_secs(1));
    result
}

async fn dispatch(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Demo(args) => demo::run(args).await,
        Command::Serve(args) => serve::run(&args).await,
        Command::Worker(args) => serve::run_worker(&args).await,
        Command::Migrate(store) => command::migrate::run(&store).await,
        Command::Keys(keys) => command::keys::run(&keys).await,
        Command::Clients(clients) => command::clients::run(&clients).await,
        Command::Companies(companies) => command::companies::run(companies).await,
        Command::Push(args) => {
            let stop = StopSignals::listen()?.asked();
            push_command::run(&args, stop, ExitCode::from(INTERRUPTED)).await
        }
        Command::Postings(postings) => command::postings::run(postings).await,
        Command::Subscribers(subscribers) => command::subscribers::run(subscribers).await,
        Command::Outbox(outbox) => command::outbox::run(outbox).await,
        Command::Webhooks(webhooks) => command::webhooks::run(webhooks).await,
        Command::Console(console) => command::console::run(console).await,
        Command::Audit(args) => command::audit::run(args).await,
        Command::Backup(args) => command::backup::run(&args).await,
        Command::Restore(args) => command::backup::restore(&args).await,
        Command::Copy(args) => command::copy::run(&args).await,
        Command::Doctor(args) => command::doctor::run(&args).await,
        Command::Healthcheck(args) => command::healthcheck::run(&args).await,
        Command::Completions(args) => command::shell::completions(args.shell),
        Command::Man(args) => command::shell::man(&args.folder),
        Command::Openapi => command::openapi::run(),
    }
}
