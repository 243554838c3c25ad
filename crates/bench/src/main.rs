//! `cargo xtask bench`: measures the service against a floor and ceilings on the same machine at
//! the same time.
//!
//! - `options` defines the command line.
//! - `build` builds the programs; `service`, `postgres` and `child` run them.
//! - `bodies` generates the payloads; `load` pushes them with wrk.
//! - `floor` measures a conventional service, `ceiling` the upper bounds.
//! - `round` runs all measurements once; `extras`, `events`, `webhooks`, `imports`, `console` run
//!   the others.
//! - `pair` measures two builds alternately.
//! - `measure` defines the results, `targets` the required ones, and `report` prints both.
#![expect(
    clippy::print_stdout,
    reason = "a command line tool reports on standard output"
)]

mod bodies;
mod build;
mod ceiling;
mod child;
mod console;
mod copies;
mod cpu;
mod events;
mod extras;
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
mod sweep;
mod targets;
mod webhooks;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use clap::Parser;

use self::extras::Extras;
use self::measure::{Backend, Rounds};
use self::options::{Lengthy, Options};
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

/// Runs all measurements and prints a report. A missed target is not an error: other work on the
/// machine may be the cause.
fn run(options: &Options) -> Result<()> {
    let interrupt = Interrupt::install()?;
    let wrk = load::program(&interrupt)?;
    println!("building (profile {})", options.profile);
    let scenarios = options.pushes();
    if options.against.is_some() {
        ensure!(!scenarios.is_empty(), "--against compares pushes alone");
    }
    let programs = build::build(
        options.program.as_deref(),
        !options.in_turns() && (!scenarios.is_empty() || options.imports()),
        &options.profile,
        &interrupt,
    )?;
    let folder = tempfile::Builder::new()
        .prefix("posthaste-bench-")
        .tempdir()?;
    load::write_tails(folder.path())?;
    service::write_payloads(&folder.path().join("payloads.ndjson"))?;

    let server = if options.wants(Backend::Postgres) || options.grown.is_some() {
        Some(Server::start(&interrupt)?)
    } else {
        None
    };
    let (connections, clients): (&[u32], &[u32]) = if options.quick || options.in_turns() {
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
        scenarios: &scenarios,
        connections,
        clients,
        seconds: options.seconds(),
        seeds: SEEDS,
    };
    let mut report = heading(options, server.as_ref(), &interrupt)?;
    report += &match &options.against {
        Some(other) => measure_pairs(options, &bench, &std::path::absolute(other)?)?,
        None => match options.grown {
            Some(postings) => {
                println!("{postings} postings");
                let grown = bench.grown(postings, options.runs())?;
                grown::text(&grown, bench.compared())
            }
            None => measure_all(options, &bench)?,
        },
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
    for backend in [Backend::Postgres, Backend::Sqlite] {
        if options.wants(backend) {
            let pairs = bench.pairs(backend, other, options.runs())?;
            let _ = writeln!(
                report,
                "{}",
                pair::table(
                    backend,
                    &pairs,
                    bench.compared(),
                    ["this build", "the other"]
                )
            );
        }
    }
    Ok(report)
}

/// Measures the service against floor and ceilings, and makes the measurements without either.
fn measure_all(options: &Options, bench: &Bench<'_>) -> Result<String> {
    let mut report = String::new();
    let mut targets = Vec::new();
    let runs = if bench.scenarios.is_empty() {
        0
    } else {
        options.runs()
    };
    let (mut on_postgres, mut on_sqlite) = (Rounds::default(), Rounds::default());
    let (mut postgres_peak, mut sqlite_peak) = (0, 0);
    for number in 1..=runs {
        if options.wants(Backend::Postgres) {
            println!("run {number} of {runs}, {}", Backend::Postgres);
            let (round, peak) = bench.round(Backend::Postgres, number)?;
            on_postgres.0.push(round);
            postgres_peak = postgres_peak.max(peak);
        }
        if options.wants(Backend::Sqlite) {
            println!("run {number} of {runs}, {}", Backend::Sqlite);
            let (round, peak) = bench.round(Backend::Sqlite, number)?;
            on_sqlite.0.push(round);
            sqlite_peak = sqlite_peak.max(peak);
        }
    }
    if options.wants(Backend::Postgres) {
        if runs > 0 {
            let table = report::measurements(Backend::Postgres, &on_postgres, postgres_peak);
            let _ = writeln!(report, "{table}");
            targets.extend(targets::postgres(&on_postgres));
        }
        if !options.no_extras {
            let extras = measure_extras(options, bench)?;
            let _ = writeln!(report, "{}", report::extras(&extras));
            targets.extend(targets::extras(&extras));
        }
    }
    if options.wants(Backend::Sqlite) && runs > 0 {
        let table = report::measurements(Backend::Sqlite, &on_sqlite, sqlite_peak);
        let _ = writeln!(report, "{table}");
    }
    if options.only.is_none() && runs > 0 {
        targets.push(targets::sqlite(&on_sqlite, &on_postgres));
    }
    if options.events() {
        for backend in [Backend::Postgres, Backend::Sqlite] {
            if options.wants(backend) {
                println!("events, {backend}");
                let count = if options.quick { 10_000 } else { 100_000 };
                let events = bench.events(backend, count, options.runs())?;
                let _ = writeln!(report, "{}", events::text(backend, &events));
                targets.extend(events::targets(backend, &events));
            }
        }
    }
    if options.webhooks() {
        for backend in [Backend::Postgres, Backend::Sqlite] {
            if options.wants(backend) {
                println!("webhooks, {backend}");
                let postings = if options.quick { 5_000 } else { 20_000 };
                let measured = bench.webhooks(backend, postings)?;
                let _ = writeln!(report, "{}", webhooks::text(backend, &measured));
                targets.extend(webhooks::targets(backend, &measured));
            }
        }
    }
    if options.imports() {
        let mut on_both = Vec::new();
        for backend in [Backend::Postgres, Backend::Sqlite] {
            if options.wants(backend) {
                println!("imports, {backend}");
                let postings = if options.quick { 10_000 } else { 60_000 };
                let measured = bench.imports(backend, postings)?;
                let _ = writeln!(report, "{}", imports::text(backend, &measured));
                targets.extend(imports::targets(backend, &measured));
                on_both.push(measured);
            }
        }
        if let [postgres, sqlite] = on_both.as_slice() {
            targets.push(imports::between(sqlite, postgres));
        }
    }
    if options.wants(Backend::Postgres) {
        let (text, more) = measure_on_postgres(options, bench)?;
        report.push_str(&text);
        targets.extend(more);
    }
    if !targets.is_empty() {
        report.push_str(&report::targets(&targets));
    }
    Ok(report)
}

/// Makes the measurements of PostgreSQL alone.
fn measure_on_postgres(
    options: &Options,
    bench: &Bench<'_>,
) -> Result<(String, Vec<targets::Target>)> {
    let mut report = String::new();
    let mut targets = Vec::new();
    if options.console() {
        let postings = if options.quick { 10_000 } else { 1_000_000 };
        println!("the console, {postings} postings");
        let measured = bench.console(postings)?;
        let _ = writeln!(report, "{}", console::text(&measured));
        targets.extend(console::targets(&measured));
    }
    if options.also.contains(&Lengthy::Sweep) {
        println!("lifetimes that end");
        let measured = bench.sweep()?;
        let _ = writeln!(report, "{}", sweep::text(&measured));
        targets.extend(sweep::targets(&measured));
    }
    if options.also.contains(&Lengthy::Catalogue) {
        println!("a catalogue of a million");
        let measured = bench.catalogue(1_000_000)?;
        let _ = writeln!(report, "{}", imports::catalogue_text(&measured));
        targets.extend(imports::catalogue_targets(&measured));
    }
    Ok((report, targets))
}

fn measure_extras(options: &Options, bench: &Bench<'_>) -> Result<Extras> {
    let mut extras = Extras::default();
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
