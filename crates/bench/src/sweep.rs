//! Creates while the lifetimes of many postings end.

use anyhow::{Context, Result, ensure};

use crate::copies::BACKEND;
use crate::measure::{Measurement, Scenario};
use crate::round::Bench;
use crate::targets::Target;

/// The postings whose lifetimes end.
const ENDED: u64 = 200_000;

/// The results.
pub struct Sweep {
    without: Measurement,
    with: Measurement,
    /// How many postings were expired during the measurement.
    expired: u64,
}

impl Bench<'_> {
    /// Measures creates beside a worker, first with no lifetime that ends, then while it expires
    /// postings.
    pub fn sweep(&self) -> Result<Sweep> {
        let name = "bench_sweep";
        let database = self.database(BACKEND, name)?;
        let installation = self.installation(&database, name)?;
        let service = installation.serve(&["--no-worker"], &[])?;
        self.fill(&database, &installation, &service, ENDED)?;
        drop(service);
        let create = |tag: &str| {
            let service = installation.serve(&[], &[])?;
            let load = self.load(&service, BACKEND);
            let (measured, _) = load.measure(Scenario::Create, 64, self.seconds, tag)?;
            let overdue = self.overdue(&database)?;
            anyhow::Ok((measured, overdue))
        };
        let (without, _) = create("without")?;
        let server = self.server.context("PostgreSQL was not started")?;
        let end = "UPDATE postings SET status = 'approved', expire_at = now(), \
             published_at = coalesce(published_at, now()) \
             WHERE starts_with(source_identifier, 'copy-')";
        server.ask(&database, end, self.interrupt)?;
        server.ask(&database, "VACUUM ANALYZE", self.interrupt)?;
        server.settle(self.interrupt)?;
        let (with, overdue) = create("with")?;
        ensure!(
            overdue > 0,
            "all postings were expired before the measurement ended"
        );
        self.forget(BACKEND, name)?;
        Ok(Sweep {
            without,
            with,
            expired: ENDED - overdue,
        })
    }

    /// The number of postings whose lifetime has ended and that are not expired yet.
    fn overdue(&self, database: &str) -> Result<u64> {
        let server = self.server.context("PostgreSQL was not started")?;
        let count = "SELECT count(*) FROM postings WHERE expire_at <= now() \
             AND status IN ('PendingEnrichment', 'approved')";
        Ok(server
            .ask(database, count, self.interrupt)?
            .trim()
            .parse()?)
    }
}

/// The result as Markdown.
pub fn text(of: &Sweep) -> String {
    format!(
        "### Creates while the lifetimes of {ENDED} postings end\n\n{:.0}/s at 64 connections beside a \
         worker; {:.0}/s while it expired {} postings\n",
        of.without.rate(),
        of.with.rate(),
        of.expired
    )
}

/// The target.
pub fn targets(of: &Sweep) -> Vec<Target> {
    let ratio = of.with.rate() / of.without.rate();
    vec![Target::at_least(
        "creates while 200,000 lifetimes end / without",
        0.75,
        "",
        Some(ratio),
    )]
}
