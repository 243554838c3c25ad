//! Two builds of the service, measured alternately: each on its own database, with the same bodies
//! and connections.
//!
//! Only the service that is measured runs. Other work on the machine that slows both measurements
//! of a pair alike drops out of their ratio; otherwise it shows in the spread of the ratios.

mod report;

use std::path::Path;

use anyhow::{Context, Result};

use crate::measure::{Backend, Measurement, Scenario};
use crate::round::Bench;
use crate::service::Installation;

use self::report::Pair;
pub use self::report::{Pairs, pairs as table};

/// A build and its database.
pub struct Side<'run> {
    pub name: &'static str,
    pub database: String,
    pub installation: Installation<'run>,
}

impl<'run> Bench<'run> {
    /// Measures `count` pairs of each scenario. The order of the builds alternates.
    pub fn pairs(&self, backend: Backend, other: &'run Path, count: u32) -> Result<Pairs> {
        let this = self.side(backend, "this", self.program, 0)?;
        let other = self.side(backend, "other", other, 0)?;
        let pairs = self.in_turns(backend, &this, &other, count)?;
        for side in [this, other] {
            self.forget(backend, &folder(backend, side.name))?;
        }
        Ok(pairs)
    }

    /// Measures the sides alternately.
    pub fn in_turns(
        &self,
        backend: Backend,
        this: &Side<'_>,
        other: &Side<'_>,
        count: u32,
    ) -> Result<Pairs> {
        let mut pairs = Pairs::new();
        for number in 1..=count {
            println!("pair {number} of {count}, {backend}");
            for &scenario in self.scenarios {
                let tag = format!("p{number}{}", scenario.name());
                let measure = |side: &Side<'_>| {
                    let measured = self.turn(backend, side, scenario, &tag);
                    measured.with_context(|| format!("the {} build", side.name))
                };
                let pair = if number % 2 == 1 {
                    let this = measure(this)?;
                    Pair {
                        this,
                        other: measure(other)?,
                    }
                } else {
                    let other = measure(other)?;
                    Pair {
                        this: measure(this)?,
                        other,
                    }
                };
                println!("  {:9} {}", scenario.name(), report::line(&pair));
                pairs.entry(scenario).or_default().push(pair);
            }
        }
        Ok(pairs)
    }

    /// Sets a build up and seeds its database through that build, after so many copies.
    pub fn side(
        &self,
        backend: Backend,
        name: &'static str,
        program: &'run Path,
        copies: u64,
    ) -> Result<Side<'run>> {
        let folder = folder(backend, name);
        let set_up = || -> Result<Side<'run>> {
            let database = self.database(backend, &folder)?;
            let installation = self.installation_of(program, &database, &folder)?;
            let service = installation.serve()?;
            if copies > 0 {
                self.fill(&database, &installation, &service, copies)?;
            }
            installation.push(&service, &["keep", "move"], self.seeds)?;
            drop(service);
            Ok(Side {
                name,
                database,
                installation,
            })
        };
        set_up().with_context(|| format!("the {name} build ({})", program.display()))
    }

    fn turn(
        &self,
        backend: Backend,
        side: &Side<'_>,
        scenario: Scenario,
        tag: &str,
    ) -> Result<Measurement> {
        let service = side.installation.serve()?;
        if let (Some(server), Backend::Postgres) = (self.server, backend) {
            server.settle(self.interrupt)?;
        }
        let load = self.load(&service, backend);
        let connections = self.compared();
        let measured = self.loaded(backend, &side.database, &load, scenario, connections, tag);
        // If the service has ended, that explains the failure better.
        service.process.check()?;
        measured
    }
}

/// The name of a side's database, and of its folder.
pub fn folder(backend: Backend, name: &str) -> String {
    format!("pair_{backend}_{name}").to_lowercase()
}
