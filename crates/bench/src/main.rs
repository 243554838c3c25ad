//! `cargo xtask bench`: measures the service against a floor and ceilings on the same machine at
//! the same time.
//!
//! - `build` builds the programs; `service`, `postgres` and `child` run them.
//! - `bodies` generates the payloads; `load` pushes them with wrk.
//! - `floor` measures a conventional service, `ceiling` the upper bounds.
//! - `round` runs all measurements once; `extras` runs those without a floor.
//! - `measure` defines the results, `targets` the required ones, and `report` prints both.
#![expect(
    clippy::print_stdout,
    reason = "a command line tool reports on standard output"
)]

mod bodies;
mod build;
mod ceiling;
mod child;
mod cpu;
mod extras;
mod floor;
mod http;
mod load;
mod measure;
mod postgres;
mod report;
mod round;
mod service;
mod targets;

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Parser, ValueEnum};

use self::extras::Extras;
use self::measure::{Backend, Rounds, Scenario};
use self::postgres::Server;
use self::round::Bench;

use xtask::process::Interrupt;

/// The number of seeded postings to push unchanged, and also of those to update.
const SEEDS: u64 = 5_000;

/// Measure how fast the service is, against a floor and ceilings on this machine
#[derive(Debug, Parser)]
#[command(name = "cargo xtask bench")]
struct Options {
    /// Seconds of each measurement; pgbench needs some of them to connect
    #[arg(long, default_value_t = 6, value_parser = clap::value_parser!(u64).range(2..=600))]
    seconds: u64,
    /// The number of rounds; medians are printed
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=99))]
    runs: u32,
    /// Only check that everything works: one round of 2 seconds each at 64 connections
    #[arg(long, conflicts_with_all = ["seconds", "runs", "also"])]
    quick: bool,
    /// Only one store
    #[arg(long, value_name = "STORE")]
    only: Option<Backend>,
    /// Only some scenarios; may be given several times
    #[arg(long = "scenario", value_name = "NAME")]
    scenarios: Vec<Scenario>,
    /// Also run a long measurement; may be given several times
    #[arg(long, value_name = "NAME")]
    also: Vec<Lengthy>,
    /// Leave out the measurements besides the scenarios: the worker's rate and the full queue
    #[arg(long, conflicts_with = "also")]
    no_extras: bool,
    /// Postings for the measurement of the worker
    #[arg(long, value_name = "N", default_value_t = 8_000)]
    worker_postings: u64,
    /// The profile of the build; only the numbers of `release` are meaningful
    #[arg(long, default_value = "release")]
    profile: String,
    /// Measure this `posthaste` instead of building one
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Also write the report to this file
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("\nerror: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Runs all measurements and prints a report. A missed target is not an error: other work on the
/// machine may be the cause.
fn run(options: &Options) -> Result<()> {
    let interrupt = Interrupt::install()?;
    let wrk = load::program(&interrupt)?;
    println!("building (profile {})", options.profile);
    let programs = build::build(options.program.as_deref(), &options.profile, &interrupt)?;
    let folder = tempfile::Builder::new()
        .prefix("posthaste-bench-")
        .tempdir()?;
    load::write_tails(folder.path())?;
    service::write_payloads(&folder.path().join("payloads.ndjson"))?;

    let wants = |backend| options.only.is_none_or(|only| only == backend);
    let server = if wants(Backend::Postgres) {
        Some(Server::start(&interrupt)?)
    } else {
        None
    };
    let scenarios = match options.scenarios.as_slice() {
        [] => ValueEnum::value_variants(),
        some => some,
    };
    let (connections, clients): (&[u32], &[u32]) = if options.quick {
        (&[64], &[16, 64])
    } else {
        (&[1, 16, 64, 256], &[1, 16, 64])
    };
    let bench = Bench {
        programs: &programs,
        wrk: &wrk,
        folder: folder.path(),
        interrupt: &interrupt,
        server: server.as_ref(),
        scenarios,
        connections,
        clients,
        seconds: if options.quick { 2 } else { options.seconds },
        seeds: SEEDS,
    };
    let mut report = heading(options, server.as_ref(), &interrupt)?;
    let mut targets = Vec::new();

    let runs = if options.quick { 1 } else { options.runs };
    let (mut on_postgres, mut on_sqlite) = (Rounds::default(), Rounds::default());
    let (mut postgres_peak, mut sqlite_peak) = (0, 0);
    for number in 1..=runs {
        if wants(Backend::Postgres) {
            println!("run {number} of {runs}, {}", Backend::Postgres);
            let (round, peak) = bench.round(Backend::Postgres, number)?;
            on_postgres.0.push(round);
            postgres_peak = postgres_peak.max(peak);
        }
        if wants(Backend::Sqlite) {
            println!("run {number} of {runs}, {}", Backend::Sqlite);
            let (round, peak) = bench.round(Backend::Sqlite, number)?;
            on_sqlite.0.push(round);
            sqlite_peak = sqlite_peak.max(peak);
        }
    }
    if wants(Backend::Postgres) {
        let table = report::measurements(Backend::Postgres, &on_postgres, postgres_peak);
        let _ = writeln!(report, "{table}");
        targets.extend(targets::postgres(&on_postgres));
        let extras = measure_extras(options, &bench)?;
        let _ = writeln!(report, "{}", report::extras(&extras));
        targets.extend(targets::extras(&extras));
    }
    if wants(Backend::Sqlite) {
        let table = report::measurements(Backend::Sqlite, &on_sqlite, sqlite_peak);
        let _ = writeln!(report, "{table}");
    }
    if options.only.is_none() {
        targets.push(targets::sqlite(&on_sqlite, &on_postgres));
    }
    if !targets.is_empty() {
        report.push_str(&report::targets(&targets));
    }
    println!("\n{report}");
    if let Some(file) = &options.output {
        fs::write(file, report).with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(())
}

/// The measurements that run only on request, because they take long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Lengthy {
    /// How much a worker with a backlog of 100,000 postings slows pushes down
    Backlog,
    /// Memory in ten minutes under load
    Soak,
}

fn measure_extras(options: &Options, bench: &Bench<'_>) -> Result<Extras> {
    let mut extras = Extras::default();
    if options.no_extras {
        return Ok(extras);
    }
    let postings = if options.quick {
        2_000
    } else {
        options.worker_postings
    };
    println!("the worker on {postings} postings");
    extras.worker = Some(bench.worker_rate(postings)?);
    println!("a full queue");
    extras.queue = Some(bench.full_queue()?);
    if options.also.contains(&Lengthy::Backlog) {
        println!("a backlog");
        extras.backlog = Some(bench.backlog()?);
    }
    if options.also.contains(&Lengthy::Soak) {
        println!("ten minutes under load");
        extras.memory = Some(bench.long_run()?);
    }
    Ok(extras)
}

/// The heading of the report: machine, versions and settings.
fn heading(options: &Options, server: Option<&Server>, interrupt: &Interrupt) -> Result<String> {
    let processor = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let mut lines = processor.lines();
        let line = lines.find(|line| line.starts_with(name));
        let value = line.and_then(|line| line.split_once(": "));
        value.map_or("unknown", |(_, value)| value)
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or("unknown");
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let mut text = format!(
        "## `cargo xtask bench {}`\n\n- {cores} cores of {}, load {load} before the start\n",
        arguments.join(" "),
        field("model name"),
    );
    if options.profile != "release" {
        let _ = writeln!(
            text,
            "- **profile {}: no measurement at all**",
            options.profile
        );
    }
    if let Some(program) = &options.program {
        let _ = writeln!(text, "- the service is {}", program.display());
    }
    if let Some(server) = server {
        let _ = writeln!(
            text,
            "- floor, service and ceiling on the same server: {}",
            server.settings(interrupt)?
        );
    }
    let _ = writeln!(
        text,
        "- medians of {} runs; load generator wrk, one thread; {SEEDS} postings pushed again, as \
         many updated, {} companies, bodies of 3–6 KB\n",
        if options.quick { 1 } else { options.runs },
        bodies::COMPANIES
    );
    Ok(text)
}
