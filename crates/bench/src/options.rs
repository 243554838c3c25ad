use std::path::PathBuf;

use clap::{Parser, ValueEnum};

use crate::measure::{Backend, Scenario};

/// Measure the rate of the service against a conventional service's transactions on this machine
#[derive(Debug, Parser)]
#[command(name = "cargo xtask bench")]
pub struct Options {
    /// Seconds of each measurement; pgbench needs some of them to connect
    #[arg(long, default_value_t = 6, value_parser = clap::value_parser!(u64).range(2..=600))]
    seconds: u64,
    /// The number of pairs of measurements of each kind of push
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=99))]
    runs: u32,
    /// Only check that everything works: one pair of 2 seconds each
    #[arg(long, conflicts_with_all = ["seconds", "runs"])]
    quick: bool,
    /// Measure only this store
    #[arg(long, value_name = "STORE")]
    only: Option<Backend>,
    /// Measure only these kinds of pushes; may be given several times
    #[arg(long = "scenario", value_name = "NAME")]
    scenarios: Vec<Scenario>,
    /// Measure imports, and an unchanged catalogue of N postings, instead of single pushes
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "60000",
        conflicts_with_all = ["scenarios", "against"])]
    pub imports: Option<u64>,
    /// The profile of the build; only the numbers of `packed` are meaningful
    #[arg(long, default_value = "packed")]
    pub profile: String,
    /// Measure this `posthaste` instead of building one
    #[arg(long, value_name = "FILE")]
    pub program: Option<PathBuf>,
    /// Compare with this other build of `posthaste` instead of the conventional transaction
    #[arg(long, value_name = "FILE")]
    pub against: Option<PathBuf>,
    /// The number of connections that push
    #[arg(long, value_name = "N", default_value_t = 64)]
    pub connections: u32,
    /// Also write the report to this file
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

impl Options {
    pub const fn seconds(&self) -> u64 {
        if self.quick { 2 } else { self.seconds }
    }

    pub const fn runs(&self) -> u32 {
        if self.quick { 1 } else { self.runs }
    }

    pub fn pushes(&self) -> &[Scenario] {
        if self.scenarios.is_empty() {
            return Scenario::value_variants();
        }
        &self.scenarios
    }

    pub fn stores(&self) -> Vec<Backend> {
        let all = Backend::value_variants().iter().copied();
        all.filter(|store| self.only.is_none_or(|only| only == *store))
            .collect()
    }
}
