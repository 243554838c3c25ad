//! Chores of the Posthaste workspace, run as `cargo xtask COMMAND`.
//!
//! `cargo xtask test` is what a contributor and the continuous integration both run: it prepares
//! the machine and runs every check. See `suite` for the plan. `cargo xtask bench` measures how
//! fast the service is; see `bench`.
#![expect(
    clippy::print_stdout,
    reason = "a command line tool reports on standard output"
)]

mod bench;
mod python;
mod rules;
mod steps;
mod suite;
mod tally;
mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Chores of the Posthaste workspace")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Install what this machine lacks, then run every test
    ///
    /// Set `POSTHASTE_TEST_POSTGRES_URL` to test against a PostgreSQL server of your own; without
    /// it, a private throwaway one is started if the workspace has a crate that needs it.
    Test,
    /// Measure how fast the service is, against a floor and ceilings on this machine
    Bench(bench::Options),
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Test => suite::run(),
        Command::Bench(options) => bench::run(&options),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("\nerror: {error:#}");
            ExitCode::FAILURE
        }
    }
}
