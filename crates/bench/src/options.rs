//! The options of the command line.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};

use crate::measure::{Backend, Scenario};

/// Measure how fast the service is, against a usual service's transactions on this machine
#[derive(Debug, Parser)]
#[command(name = "cargo xtask bench")]
pub struct Options {
    /// Seconds of each measurement; pgbench needs some of them to connect
    #[arg(long, default_value_t = 6, value_parser = clap::value_parser!(u64).range(2..=600))]
    seconds: u64,
    /// The number of rounds; medians are printed
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=99))]
    runs: u32,
    /// Only check that everything works: one round of 2 seconds each at 64 connections
    #[arg(long, conflicts_with_all = ["seconds", "runs"])]
    pub quick: bool,
    /// Only one store
    #[arg(long, value_name = "STORE")]
    pub only: Option<Backend>,
    /// Only some kinds of pushes; may be given several times
    #[arg(long = "scenario", value_name = "NAME")]
    scenarios: Vec<Scenario>,
    /// Measure imports, and an unchanged catalogue of N postings, instead of single pushes
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "60000",
        conflicts_with_all = ["scenarios", "against", "grown"])]
    pub imports: Option<u64>,
    /// The profile of the build; only the numbers of `release` are meaningful
    #[arg(long, default_value = "release")]
    pub profile: String,
    /// Measure this `posthaste` instead of building one
    #[arg(long, value_name = "FILE")]
    pub program: Option<PathBuf>,
    /// Compare the service with this other build of `posthaste`, measured alternately: creates,
    /// full and partial updates and unchanged pushes at 64 connections, `--runs` pairs of each
    #[arg(long, value_name = "FILE")]
    pub against: Option<PathBuf>,
    /// Measure pushes and lists of a PostgreSQL database with N more postings, in turns with one
    /// without them; 10,000,000 take 25 GB of disk and half an hour
    #[arg(long, value_name = "N", conflicts_with_all = ["against", "only"])]
    pub grown: Option<u64>,
    /// The number of connections of `--against` and `--grown`
    #[arg(long, value_name = "N", default_value_t = 64)]
    pub connections: u32,
    /// Also write the report to this file
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

impl Options {
    /// The seconds of each measurement.
    pub const fn seconds(&self) -> u64 {
        if self.quick { 2 } else { self.seconds }
    }

    /// The number of rounds.
    pub const fn runs(&self) -> u32 {
        if self.quick { 1 } else { self.runs }
    }

    /// Whether two things are measured in turns.
    pub const fn in_turns(&self) -> bool {
        self.against.is_some() || self.grown.is_some()
    }

    /// The kinds of pushes to measure.
    pub fn pushes(&self) -> &[Scenario] {
        if self.scenarios.is_empty() {
            return Scenario::value_variants();
        }
        &self.scenarios
    }

    /// The stores to measure.
    pub fn stores(&self) -> Vec<Backend> {
        let all = Backend::value_variants().iter().copied();
        all.filter(|store| self.only.is_none_or(|only| only == *store))
            .collect()
    }
}
