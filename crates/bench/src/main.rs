//! `cargo xtask bench`: measures the service and a floor, or two builds, in turns on the same
//! machine.
//!
//! - `service` and `postgres` run the program and the database; `bench` has both.
//! - `bodies` generates the payloads; `load` pushes them with wrk.
//! - `floor` measures a conventional service.
//! - `pair` measures single pushes in turns, `imports` measures catalogues.
#![expect(
    clippy::print_stdout,
    reason = "a command line tool reports on standard output"
)]

mod bench;
mod bodies;
mod cpu;
mod floor;
mod imports;
mod load;
mod measure;
mod options;
mod pair;
mod postgres;
mod report;
mod service;

use std::fmt::Write as _;
use std::fs;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Parser;
use xtask::packages;
use xtask::process::Interrupt;

use self::bench::Bench;
use self::measure::Backend;
use self::options::Options;
use self::postgres::Server;

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

fn run(options: &Options) -> Result<()> {
    let interrupt = Interrupt::install()?;
    let [wrk, _] = ["wrk", "curl"].map(|program| packages::found_or_installed(program, &interrupt));
    let wrk = wrk?;
    let program = service::program(options.program.as_deref(), &options.profile, &interrupt)?;
    let folder = tempfile::Builder::new()
        .prefix("posthaste-bench-")
        .tempdir()?;
    load::write_tails(folder.path())?;

    let server = if options.stores().contains(&Backend::Postgres) {
        Some(Server::start(&interrupt)?)
    } else {
        None
    };
    let bench = Bench {
        program: &program,
        wrk: &wrk,
        folder: folder.path(),
        interrupt: &interrupt,
        server: server.as_ref(),
        scenarios: options.pushes(),
        runs: options.runs(),
        connections: options.connections,
        seconds: options.seconds(),
        seeds: SEEDS,
    };
    let against = options.against.as_ref().map(std::path::absolute);
    let against = against.transpose()?;
    let mut report = heading(options, server.as_ref())?;
    for backend in options.stores() {
        report += "\n";
        report += &if let Some(postings) = options.imports {
            println!("imports, {backend}");
            imports::text(backend, postings, &bench.imports(backend, postings)?)
        } else {
            let pairs = bench.pairs(backend, against.as_deref())?;
            let other = if against.is_some() {
                "the other"
            } else {
                "floor"
            };
            report::pairs(backend, &pairs, other)
        };
    }
    println!("\n{report}");
    if let Some(file) = &options.output {
        fs::write(file, report).with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(())
}

fn heading(options: &Options, server: Option<&Server>) -> Result<String> {
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
    if options.profile != "packed" {
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
            server.settings()?
        );
    }
    let _ = writeln!(
        text,
        "- medians of {} pairs; load generator wrk, one thread, {} connections; {SEEDS} postings \
         pushed again, as many updated, {} companies, bodies of 3–6 KB",
        options.runs(),
        options.connections,
        bodies::COMPANIES
    );
    Ok(text)
}
