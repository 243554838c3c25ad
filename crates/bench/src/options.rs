//! The options of the command line.

use std::path::PathBuf;

use clap::builder::PossibleValue;
use clap::{Parser, ValueEnum};

use crate::measure::{Backend, Scenario};

/// Measure how fast the service is, against a floor and ceilings on this machine
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
    #[arg(long, conflicts_with_all = ["seconds", "runs", "also"])]
    pub quick: bool,
    /// Only one store
    #[arg(long, value_name = "STORE")]
    pub only: Option<Backend>,
    /// Only some scenarios; may be given several times
    #[arg(long = "scenario", value_name = "NAME")]
    scenarios: Vec<Name>,
    /// Also run a long measurement; may be given several times
    #[arg(long, value_name = "NAME")]
    pub also: Vec<Lengthy>,
    /// Leave out the measurements besides the scenarios: the worker's rate and the full queue
    #[arg(long, conflicts_with = "also")]
    pub no_extras: bool,
    /// Postings for the measurement of the worker
    #[arg(long, value_name = "N", default_value_t = 8_000)]
    pub worker_postings: u64,
    /// The profile of the build; only the numbers of `release` are meaningful
    #[arg(long, default_value = "release")]
    pub profile: String,
    /// Measure this `posthaste` instead of building one
    #[arg(long, value_name = "FILE")]
    pub program: Option<PathBuf>,
    /// Compare the service with this other build of `posthaste`, measured alternately: creates,
    /// full and partial updates and unchanged pushes at 64 connections, `--runs` pairs of each
    #[arg(long, value_name = "FILE", conflicts_with_all = ["also", "no_extras"])]
    pub against: Option<PathBuf>,
    /// Measure pushes and lists of a PostgreSQL database with N more postings, in turns with one
    /// without them; 10,000,000 take 25 GB of disk and half an hour
    #[arg(long, value_name = "N", conflicts_with_all = ["also", "no_extras", "against", "only"])]
    pub grown: Option<u64>,
    /// Also write the report to this file
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// The measurements that run only on request, because they take long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Lengthy {
    /// How much a worker with a backlog of 100,000 postings slows pushes down
    Backlog,
    /// Creates while a worker expires 200,000 postings
    Sweep,
    /// Memory in ten minutes under load
    Soak,
    /// Memory and writes of an import of a million unchanged postings
    Catalogue,
}

/// The name of a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Name {
    Pushes(Scenario),
    Events,
    Webhooks,
    Imports,
    Console,
}

impl ValueEnum for Name {
    fn value_variants<'a>() -> &'a [Self] {
        &[
            Self::Pushes(Scenario::Create),
            Self::Pushes(Scenario::Full),
            Self::Pushes(Scenario::Partial),
            Self::Pushes(Scenario::Unchanged),
            Self::Pushes(Scenario::Half),
            Self::Pushes(Scenario::Mixed),
            Self::Events,
            Self::Webhooks,
            Self::Imports,
            Self::Console,
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            Self::Pushes(scenario) => scenario.to_possible_value(),
            Self::Events => Some(PossibleValue::new("events").help(
                "The feed of events: one client that reads it, and 1,000 that wait for new events",
            )),
            Self::Webhooks => Some(
                PossibleValue::new("webhooks")
                    .help("Deliveries of events: to one webhook and to eight, by one process"),
            ),
            Self::Imports => {
                Some(PossibleValue::new("imports").help("Imports of new and of unchanged postings"))
            }
            Self::Console => Some(
                PossibleValue::new("console").help("Pages of the console at a million postings"),
            ),
        }
    }
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
    pub fn pushes(&self) -> Vec<Scenario> {
        use Scenario::{Create, Full, Partial, Unchanged};
        if self.scenarios.is_empty() {
            return if self.in_turns() {
                vec![Create, Full, Partial, Unchanged]
            } else {
                Scenario::value_variants().to_vec()
            };
        }
        let named = self.scenarios.iter();
        named
            .filter_map(|name| match name {
                Name::Pushes(scenario) => Some(*scenario),
                Name::Events | Name::Webhooks | Name::Imports | Name::Console => None,
            })
            .collect()
    }

    /// Whether to measure the feed of events.
    pub fn events(&self) -> bool {
        self.scenarios.is_empty() || self.scenarios.contains(&Name::Events)
    }

    /// Whether to measure deliveries to webhooks.
    pub fn webhooks(&self) -> bool {
        self.scenarios.is_empty() || self.scenarios.contains(&Name::Webhooks)
    }

    /// Whether to measure imports.
    pub fn imports(&self) -> bool {
        self.scenarios.is_empty() || self.scenarios.contains(&Name::Imports)
    }

    /// Whether to measure the pages of the console.
    pub fn console(&self) -> bool {
        self.scenarios.is_empty() || self.scenarios.contains(&Name::Console)
    }

    /// Whether to measure a store.
    pub fn wants(&self, backend: Backend) -> bool {
        self.only.is_none_or(|only| only == backend)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> Options {
        Options::parse_from([&["bench"], arguments].concat())
    }

    #[test]
    fn every_scenario_has_a_name() {
        for scenario in Scenario::value_variants() {
            let options = parse(&["--scenario", scenario.name()]);
            assert_eq!(options.pushes(), [*scenario]);
            assert!(!options.events());
        }
        let options = parse(&["--scenario", "events"]);
        assert_eq!((options.pushes(), options.events()), (vec![], true));
        let options = parse(&[]);
        assert_eq!(options.pushes(), Scenario::value_variants());
        assert!(options.events());
    }
}
