//! Measures the service and its counterpart in turns. The counterpart is another build, or on
//! PostgreSQL the conventional transaction. Other work on the machine cancels out in the ratio of a
//! pair, or shows in the spread of the ratios.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};

use crate::bench::Bench;
use crate::floor;
use crate::measure::{Backend, Measurement, Scenario};
use crate::postgres::Server;
use crate::service::Installation;

/// Two measurements, one directly after the other. On SQLite, `other` is `None` unless another
/// build is measured.
#[derive(Clone, Debug, Default)]
pub struct Pair {
    pub this: Measurement,
    pub other: Option<Measurement>,
}

pub type Pairs = BTreeMap<Scenario, Vec<Pair>>;

enum Side<'run> {
    Build {
        name: &'static str,
        database: String,
        installation: Installation<'run>,
    },
    Floor(String),
}

impl<'run> Bench<'run> {
    /// Measures pairs of each kind of push. The order of the sides alternates.
    pub fn pairs(&self, backend: Backend, against: Option<&'run Path>) -> Result<Pairs> {
        let this = self.build(backend, "this", self.program)?;
        let other = match (against, backend) {
            (Some(program), _) => Some(self.build(backend, "other", program)?),
            (None, Backend::Postgres) => Some(Side::Floor(self.floor_database("pair_floor")?)),
            (None, Backend::Sqlite) => None,
        };
        let mut pairs = Pairs::new();
        for number in 1..=self.runs {
            println!("pair {number} of {}, {backend}", self.runs);
            for &scenario in self.scenarios {
                let tag = format!("p{number}{}", scenario.name());
                let measure = |side| self.turn(backend, side, scenario, &tag);
                let of_other = || other.as_ref().map(measure).transpose();
                let pair = if number % 2 == 1 {
                    let this = measure(&this)?;
                    let other = of_other()?;
                    Pair { this, other }
                } else {
                    let other = of_other()?;
                    let this = measure(&this)?;
                    Pair { this, other }
                };
                println!("  {:9} {}", scenario.name(), pair.line());
                pairs.entry(scenario).or_default().push(pair);
            }
        }
        Ok(pairs)
    }

    fn build(
        &self,
        backend: Backend,
        name: &'static str,
        program: &'run Path,
    ) -> Result<Side<'run>> {
        let set_up = || -> Result<Side<'run>> {
            let folder = format!("pair_{backend}_{name}").to_lowercase();
            let database = self.database(backend, &folder)?;
            let installation = self.installation(program, &database, &folder)?;
            let service = installation.serve()?;
            installation.push(&service, &["keep", "move"], self.seeds)?;
            Ok(Side::Build {
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
        let server = self.server_of(backend);
        server.map(Server::settle).transpose()?;
        let (name, database, installation) = match side {
            Side::Floor(url) => {
                return self
                    .floor(url)?
                    .measure(scenario, floor::CLIENTS, self.seconds);
            }
            Side::Build {
                name,
                database,
                installation,
            } => (name, database, installation),
        };
        let measure = || -> Result<Measurement> {
            let service = installation.serve()?;
            let load = self.load(&service, backend);
            let stored = || {
                server
                    .map(|server| Stored::ask(server, database))
                    .transpose()
            };
            let before = stored()?;
            let measured = load.measure(scenario, self.connections, self.seconds, tag);
            service.check()?;
            let (mut measured, warm_up) = measured?;
            let answered = measured.requests + warm_up.requests;
            if let Some((before, after)) = before.zip(stored()?) {
                let connections = f64::from(self.connections);
                let fault = after.fault(before, scenario, answered, connections);
                measured.faults.extend(fault);
            }
            Ok(measured)
        };
        measure().with_context(|| format!("the {name} build"))
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Stored {
    postings: f64,
    versions: f64,
}

impl Stored {
    fn ask(server: &Server, url: &str) -> Result<Self> {
        let sums = "SELECT count(*) || ' ' || coalesce(sum(version), 0) FROM postings";
        let answer = server.ask(url, sums)?;
        let (postings, versions) = answer.split_once(' ').context("two numbers")?;
        Ok(Self {
            postings: postings.parse()?,
            versions: versions.parse()?,
        })
    }

    /// Compares the number of answers with the stored postings. When the load generator stops,
    /// requests in progress may have been written but not counted.
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
        let (new, changed) = match scenario {
            Scenario::Create => (answered, 0.0),
            Scenario::Full | Scenario::Partial => (0.0, answered),
            Scenario::Unchanged => (0.0, 0.0),
        };
        let fits = |found: f64, expected: f64| {
            let tolerance = if expected > 0.0 {
                2.0 * connections + 20.0
            } else {
                0.0
            };
            (found - expected).abs() <= tolerance
        };
        let fits = fits(created, new) && fits(updated, changed);
        (!fits).then(|| {
            format!("{answered} answers, but {created} postings were created and {updated} updated")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_answers_must_match_the_stored_postings() {
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
