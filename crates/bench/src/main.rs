//! `cargo xtask bench`: measures the service against a floor on the same machine in the same
//! minutes, or two builds of it in turns.
//!
//! - `options` defines the command line.
//! - `build` builds the program; `service`, `postgres` and `child` run it.
//! - `bodies` generates the payloads; `load` pushes them with wrk.
//! - `floor` measures a conventional service.
//! - `round` runs all measurements of single pushes once, `imports` those of imports.
//! - `pair` measures two builds alternately, and `grown` a database with many postings.
//! - `measure` defines the results, and `report` prints them.
#![expect(
    clippy::print_stdout,
    reason = "a command line tool reports on standard output"
)]

mod bodies;
mod build;
mod child;
mod copies;
mod cpu;
mod floor;
mod grown;
mod http;
mod imports;
mod load;
mod measure;
mod options;
mod pair;
mod postgres;
mod report;
mod round;
mod service;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Parser;

use self::measure::{Backend, Rounds};
use self::options::Options;
use self::postgres::Server;
use self::round::Bench;

use xtask::process::Interrupt;

/// The number of seeded postings to push unchanged, and also of those to update.
const SEEDS: u64 = 5_000;

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("\nerror: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the measurements and prints a report.
fn run(options: &Options) -> Result<()> {
    let interrupt = Interrupt::install()?;
    let wrk = load::program(&interrupt)?;
    let program = build::program(options.program.as_deref(), &options.profile, &interrupt)?;
    let folder = tempfile::Builder::new()
        .prefix("posthaste-bench-")
        .tempdir()?;
    load::write_tails(folder.path())?;

    let server = if options.stores().contains(&Backend::Postgres) {
        Some(Server::start(&interrupt)?)
    } else {
        None
    };
    let in_turns = [options.connections];
    let (connections, clients): (&[u32], &[u32]) = if options.in_turns() {
        (&in_turns, &[])
    } else if options.quick {
        (&[64], &[16, 64])
    } else {
        (&[1, 16, 64, 256], &[1, 16, 64])
    };
    let bench = Bench {
        program: &program,
        wrk: &wrk,
        folder: folder.path(),
        interrupt: &interrupt,
        server: server.as_ref(),
        scenarios: options.pushes(),
        connections,
        clients,
        seconds: options.seconds(),
        seeds: SEEDS,
    };
    let mut report = heading(options, server.as_ref(), &interrupt)?;
    report += &if let Some(other) = &options.against {
        measure_pairs(options, &bench, &std::path::absolute(other)?)?
    } else if let Some(postings) = options.grown {
        println!("{postings} postings");
        let grown = bench.grown(postings, options.runs())?;
        grown::text(&grown, options.connections)
    } else if let Some(postings) = options.imports {
        let mut text = String::new();
        for backend in options.stores() {
            println!("imports, {backend}");
            let measured = bench.imports(backend, postings)?;
            let _ = writeln!(text, "{}", imports::text(backend, postings, &measured));
        }
        text
    } else {
        measure_rounds(options, &bench)?
    };
    println!("\n{report}");
    if let Some(file) = &options.output {
        fs::write(file, report).with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(())
}

/// Measures two builds alternately.
fn measure_pairs(options: &Options, bench: &Bench<'_>, other: &Path) -> Result<String> {
    let mut report = String::new();
    for backend in options.stores() {
        let pairs = bench.pairs(backend, other, options.runs())?;
        let names = ["this build", "the other"];
        let table = pair::table(backend, &pairs, options.connections, names);
        let _ = writeln!(report, "{table}");
    }
    Ok(report)
}

/// Measures the service against the floor.
fn measure_rounds(options: &Options, bench: &Bench<'_>) -> Result<String> {
    let mut report = String::new();
    for backend in options.stores() {
        let (mut rounds, mut peak) = (Rounds::default(), 0);
        for number in 1..=options.runs() {
            println!("run {number} of {}, {backend}", options.runs());
            let (round, of_round) = bench.round(backend, number)?;
            rounds.0.push(round);
            peak = peak.max(of_round);
        }
        let table = report::measurements(backend, &rounds, peak);
        let _ = writeln!(report, "{table}");
    }
    Ok(report)
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
    if let Some(other) = &options.against {
        let _ = writeln!(text, "- the other build is {}", other.display());
    }
    if let Some(server) = server {
        let _ = writeln!(
            text,
            "- everything on the same server: {}",
            server.settings(interrupt)?
        );
    }
    let _ = writeln!(
        text,
        "- medians of {} runs; load generator wrk, one thread; {SEEDS} postings pushed again, as \
         many updated, {} companies, bodies of 3–6 KB\n",
        options.runs(),
        bodies::COMPANIES
    );
    Ok(text)
}
