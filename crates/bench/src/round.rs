//! One round: floor and service directly after each other, so under the same conditions.

use std::path::Path;

use anyhow::{Context, Result};

use crate::cpu::{self, Watched};
use crate::floor::Floor;
use crate::load::Load;
use crate::measure::{Backend, Key, Measurement, Round, Scenario, Subject};
use crate::postgres::Server;
use crate::service::{Installation, Service};
use xtask::process::Interrupt;

/// The programs, folders and settings of every round.
pub struct Bench<'run> {
    /// The program under test.
    pub program: &'run Path,
    pub wrk: &'run Path,
    /// The working folder, which contains `tails.lua`.
    pub folder: &'run Path,
    pub interrupt: &'run Interrupt,
    pub server: Option<&'run Server>,
    pub scenarios: &'run [Scenario],
    pub connections: &'run [u32],
    pub clients: &'run [u32],
    pub seconds: u64,
    pub seeds: u64,
}

/// Peak memory of the service in a round, in kilobytes.
pub type Peak = u64;

impl<'run> Bench<'run> {
    /// Runs all measurements once, on new databases.
    pub fn round(&self, backend: Backend, number: u32) -> Result<(Round, Peak)> {
        let mut round = Round::new();
        let name = format!("round_{backend}_{number}").to_lowercase();
        let database = self.database(backend, &name)?;
        let installation = self.installation(&database, &name)?;
        let service = installation.serve()?;
        installation.push(&service, &["keep", "move"], self.seeds)?;
        let floor_name = format!("floor_{number}");
        let floor = match backend {
            Backend::Postgres => Some(self.floor_database(&floor_name)?),
            Backend::Sqlite => None,
        };
        if let (Some(server), Backend::Postgres) = (self.server, backend) {
            server.settle(self.interrupt)?;
        }

        let load = self.load(&service, backend);
        for &scenario in self.scenarios {
            if let Some(url) = &floor {
                let floor = self.floor(url)?;
                for &clients in self.clients {
                    let measured = floor.measure(scenario, clients, self.seconds)?;
                    record(&mut round, (scenario, Subject::Floor, clients), measured);
                }
            }
            for &connections in self.connections {
                let tag = format!("r{number}c{connections}{}", scenario.name());
                let measured = self.loaded(backend, &database, &load, scenario, connections, &tag);
                // If the service has ended, that explains the failure better.
                service.process.check()?;
                let measured = measured?;
                record(
                    &mut round,
                    (scenario, Subject::Service, connections),
                    measured,
                );
            }
        }
        let (_, peak) = cpu::memory(service.process.id())?;
        drop(service);
        // The databases of a round are large, and the next round creates its own.
        self.forget(backend, &name)?;
        if floor.is_some() {
            self.forget(backend, &floor_name)?;
        }
        Ok((round, peak))
    }

    /// Creates an empty database of a store.
    pub fn database(&self, backend: Backend, name: &str) -> Result<String> {
        match backend {
            Backend::Postgres => {
                let server = self.server.context("PostgreSQL was not started")?;
                server.create(name, self.interrupt)
            }
            Backend::Sqlite => {
                let folder = self.folder.join(name);
                std::fs::create_dir_all(&folder)?;
                Ok(format!("sqlite://{}", folder.join("bench.db").display()))
            }
        }
    }

    /// Removes a database. On SQLite that includes the folder of the installation.
    pub fn forget(&self, backend: Backend, name: &str) -> Result<()> {
        match backend {
            Backend::Postgres => {
                let server = self.server.context("PostgreSQL was not started")?;
                server.remove(name, self.interrupt)
            }
            Backend::Sqlite => Ok(std::fs::remove_dir_all(self.folder.join(name))?),
        }
    }

    /// Sets the program up on a database.
    pub fn installation(&self, database: &str, name: &str) -> Result<Installation<'run>> {
        self.installation_of(self.program, database, name)
    }

    /// Sets any build of the program up on a database.
    pub fn installation_of(
        &self,
        program: &'run Path,
        database: &str,
        name: &str,
    ) -> Result<Installation<'run>> {
        Installation::new(
            program,
            database.to_owned(),
            self.folder.join(name),
            self.interrupt,
        )
    }

    /// The load generator for a service.
    pub fn load<'load>(&self, service: &'load Service, backend: Backend) -> Load<'load>
    where
        'run: 'load,
    {
        let server = match backend {
            Backend::Postgres => self.server,
            Backend::Sqlite => None,
        };
        Load {
            wrk: self.wrk,
            folder: self.folder,
            interrupt: self.interrupt,
            address: service.address,
            token: &service.token,
            seeds: self.seeds,
            watched: Watched {
                service: Some(service.process.id()),
                database: server.map(|server| server.process),
            },
        }
    }

    /// Measures a scenario. On PostgreSQL, checks the stored rows against the answers.
    pub fn loaded(
        &self,
        backend: Backend,
        database: &str,
        load: &Load<'_>,
        scenario: Scenario,
        connections: u32,
        tag: &str,
    ) -> Result<Measurement> {
        if let (Some(server), Backend::Postgres) = (self.server, backend) {
            return self.checked(server, database, load, scenario, connections, tag);
        }
        let (measured, _) = load.measure(scenario, connections, self.seconds, tag)?;
        Ok(measured)
    }

    /// The number of connections for which ratios are computed.
    pub fn compared(&self) -> u32 {
        if self.connections.contains(&64) {
            return 64;
        }
        self.connections.iter().copied().max().unwrap_or(64)
    }

    pub fn floor_database(&self, name: &str) -> Result<String> {
        let url = self.database(Backend::Postgres, name)?;
        // Only for the migrations.
        self.installation(&url, name)?;
        self.floor(&url)?.seed()?;
        Ok(url)
    }

    pub fn floor<'floor>(&'floor self, url: &'floor str) -> Result<Floor<'floor>> {
        Ok(Floor {
            server: self.server.context("PostgreSQL was not started")?,
            url,
            folder: self.folder,
            interrupt: self.interrupt,
            seeds: self.seeds,
        })
    }

    /// Runs a measurement and compares the answers with the stored postings.
    fn checked(
        &self,
        server: &Server,
        url: &str,
        load: &Load<'_>,
        scenario: Scenario,
        connections: u32,
        tag: &str,
    ) -> Result<Measurement> {
        let stored = || Stored::ask(server, url, self.interrupt);
        let before = stored()?;
        let (mut measured, warm_up) = load.measure(scenario, connections, self.seconds, tag)?;
        let answered = measured.requests + warm_up.requests;
        let after = stored()?;
        measured
            .faults
            .extend(after.fault(before, scenario, answered, f64::from(connections)));
        Ok(measured)
    }
}

/// The number of stored postings and the sum of their versions.
#[derive(Clone, Copy, Debug, Default)]
struct Stored {
    postings: f64,
    versions: f64,
}

impl Stored {
    fn ask(server: &Server, url: &str, interrupt: &Interrupt) -> Result<Self> {
        let sums = "SELECT count(*) || ' ' || coalesce(sum(version), 0) FROM postings";
        let answer = server.ask(url, sums, interrupt)?;
        let (postings, versions) = answer.split_once(' ').context("two numbers")?;
        Ok(Self {
            postings: postings.parse()?,
            versions: versions.parse()?,
        })
    }

    /// Compares the number of answers with the stored postings. Requests in progress when the load
    /// generator stopped, which it does twice, may have been written but not counted.
    fn fault(
        self,
        before: Self,
        scenario: Scenario,
        answered: f64,
        connections: f64,
    ) -> Option<String> {
        let created = self.postings - before.postings;
        // A new posting has version 1.
        let updated = self.versions - before.versions - created;
        let (new_share, changed_share) = match scenario {
            Scenario::Create => (1.0, 0.0),
            Scenario::Full | Scenario::Partial => (0.0, 1.0),
            Scenario::Unchanged => (0.0, 0.0),
        };
        let fits = |found: f64, share: f64| {
            let expected = answered * share;
            let tolerance = if share > 0.0 {
                2.0 * connections + 20.0
            } else {
                0.0
            };
            (found - expected).abs() <= tolerance
        };
        let fits = fits(created, new_share) && fits(updated, changed_share);
        (!fits).then(|| {
            format!("{answered} answers, but {created} postings were made and {updated} updated")
        })
    }
}

fn record(round: &mut Round, key: Key, measured: Measurement) {
    let (scenario, subject, connections) = key;
    let faults = if measured.faults.is_empty() {
        String::new()
    } else {
        format!("  FAILED: {}", measured.faults.join("; "))
    };
    println!(
        "  {:9} {subject:35} {connections:>4}: {:>8.0}/s{faults}",
        scenario.name(),
        measured.rate()
    );
    round.insert(key, measured);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_have_to_fit_what_is_stored() {
        let stored = |postings, versions| Stored { postings, versions };
        let before = stored(100.0, 200.0);
        let cases = [
            (Scenario::Create, stored(1_100.0, 1_200.0), true),
            (Scenario::Create, stored(100.0, 200.0), false),
            (Scenario::Full, stored(100.0, 1_201.0), true),
            (Scenario::Full, stored(100.0, 200.0), false),
            (Scenario::Unchanged, stored(100.0, 200.0), true),
            (Scenario::Unchanged, stored(100.0, 201.0), false),
        ];
        for (scenario, after, fits) in cases {
            let fault = after.fault(before, scenario, 1_000.0, 4.0);
            assert_eq!(fault.is_none(), fits, "{scenario:?}: {fault:?}");
        }
    }
}
