//! The ceilings: the rates that would be reached if parts of the service cost nothing.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::child::{self, Running};
use crate::cpu::Watched;
use crate::load::Load;
use crate::measure::{Measurement, Scenario};
use crate::service;
use xtask::process::Interrupt;

/// The largest batch that a lane of the service commits.
const BATCH: u32 = 64;

/// Creates postings in full batches directly through a store.
pub struct Straight<'run> {
    pub program: &'run Path,
    /// A file with one payload per line.
    pub payloads: &'run Path,
    /// The number of concurrent batches.
    pub tasks: u32,
    pub interrupt: &'run Interrupt,
}

impl Straight<'_> {
    /// Runs the measurement on an empty database.
    pub fn measure(
        &self,
        database: &str,
        server: Option<u32>,
        seconds: u64,
    ) -> Result<Measurement> {
        let mut command = Command::new(self.program);
        command
            .env("POSTHASTE_BENCH_DATABASE", database)
            .env("POSTHASTE_BENCH_BODIES", self.payloads)
            .env("POSTHASTE_BENCH_SECONDS", seconds.to_string())
            .env("POSTHASTE_BENCH_TASKS", self.tasks.to_string())
            .env("POSTHASTE_BENCH_BATCH", BATCH.to_string());
        let watched = Watched {
            service: None,
            database: server,
        };
        let before = watched.used()?;
        let output = child::output(&command, self.interrupt)?;
        let used = watched.used()?;
        let (postings, seconds) = parse(&output).with_context(|| format!("no result: {output}"))?;
        Ok(Measurement {
            requests: postings,
            seconds,
            p50: None,
            p99: None,
            cpu: used.since(before, postings),
            idle: None,
            faults: Vec::new(),
        })
    }
}

/// Measures an HTTP server whose handler only parses, with as many threads as the service.
pub fn bare(
    program: &Path,
    threads: usize,
    load: &Load<'_>,
    connections: u32,
    seconds: u64,
) -> Result<Measurement> {
    let mut command = Command::new(program);
    command.env("POSTHASTE_BENCH_WORKERS", threads.to_string());
    let mut server = Running::start(&command, &load.folder.join("bare.log"))?;
    let address = service::address_in(&server.first_line(load.interrupt)?)?;
    let watched = Watched {
        service: Some(server.id()),
        database: None,
    };
    let load = Load {
        address,
        watched,
        ..*load
    };
    let (measurement, _) = load.measure(Scenario::Unchanged, connections, seconds, "bare")?;
    Ok(measurement)
}

fn parse(output: &str) -> Option<(f64, f64)> {
    let line = output
        .lines()
        .find_map(|line| line.strip_prefix("RESULT "))?;
    let (postings, seconds) = line.split_once(' ')?;
    let number = |text: &str, name: &str| text.strip_prefix(name)?.trim().parse().ok();
    Some((number(postings, "postings=")?, number(seconds, "seconds=")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_result_is_read() {
        assert_eq!(
            parse("RESULT postings=1280 seconds=0.500\n"),
            Some((1280.0, 0.5))
        );
        assert_eq!(parse("thread panicked"), None);
    }
}
