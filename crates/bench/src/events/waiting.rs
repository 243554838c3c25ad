//! Many clients that wait for events: how soon they receive them, and the cost of waiting.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::generator::{Generator, RATE};
use super::waiters::{Got, Waiters};
use crate::cpu::Used;
use crate::measure::Backend;
use crate::round::Bench;
use crate::service::Service;

/// The number of clients.
pub const WAITERS: u64 = 1_000;
/// The time after which an idle connection of PostgreSQL has reported its transactions, among them
/// the first read of each waiter.
const STATISTICS: Duration = Duration::from_secs(12);
/// The time limit for the last event to reach the last waiter.
const PATIENCE: Duration = Duration::from_secs(15);

/// The work of the machine during a phase.
#[derive(Debug, Default)]
pub struct Phase {
    /// Transactions per second, on PostgreSQL only.
    pub transactions: Option<f64>,
    /// CPU time per second, in microseconds.
    pub cpu: Used,
}

/// The phases: without and with waiters, without and with events.
#[derive(Debug, Default)]
pub struct Waiting {
    pub nothing: Phase,
    pub waiters: Phase,
    pub events: Phase,
    pub both: Phase,
    /// The rate of events that was reached with waiters.
    pub rate: f64,
    pub got: Got,
    pub faults: Vec<String>,
}

impl Bench<'_> {
    pub(super) fn waiting(
        &self,
        backend: Backend,
        name: &str,
        service: &Service,
    ) -> Result<Waiting> {
        let seconds = self.seconds.max(5);
        // Not so long that waiters ask again without events.
        let quiet = Duration::from_secs(seconds.min(10));
        let mut waiting = Waiting::default();
        (waiting.nothing, ()) = self.phase(backend, name, service, || self.pause(quiet))?;
        let alone = Generator::new("alone-", seconds);
        (waiting.events, _) = self.phase(backend, name, service, || alone.run(service))?;

        let generator = Generator::new("wait-", seconds);
        let mut waiters = Waiters::open(service, WAITERS)?;
        let stop = AtomicBool::new(false);
        waiting.got = thread::scope(|scope| {
            // The first second warms connections and caches up.
            let skip = RATE as usize;
            let (waiters, generator, stop) = (&mut waiters, &generator, &stop);
            let following = scope.spawn(move || waiters.follow(generator, skip, stop));
            let measured = (|| -> Result<()> {
                self.pause(STATISTICS)?;
                (waiting.waiters, ()) = self.phase(backend, name, service, || self.pause(quiet))?;
                let seconds;
                (waiting.both, seconds) =
                    self.phase(backend, name, service, || generator.run(service))?;
                #[expect(clippy::cast_precision_loss, reason = "some thousands")]
                let events = generator.count() as f64;
                waiting.rate = events / seconds;
                let late = Instant::now() + PATIENCE;
                while !following.is_finished() && Instant::now() < late {
                    self.pause(Duration::from_millis(20))?;
                }
                Ok(())
            })();
            stop.store(true, Ordering::Relaxed);
            let got = following.join().ok().context("the waiters panicked")?;
            // If the waiters failed, that explains the failure better.
            let got = got?;
            measured.map(|()| got)
        })?;
        if waiting.got.wrong > 0 {
            let wrong = waiting.got.wrong;
            let fault = format!("{wrong} waiters did not get every event exactly once");
            waiting.faults.push(fault);
        }
        println!(
            "  {WAITERS} waiters: p99 {:.0} ms{}",
            waiting.got.latencies.percentile(0.99).unwrap_or_default(),
            super::feed::shown(&waiting.faults)
        );
        Ok(waiting)
    }

    /// Measures the service and the database while `work` runs.
    fn phase<T>(
        &self,
        backend: Backend,
        name: &str,
        service: &Service,
        work: impl FnOnce() -> Result<T>,
    ) -> Result<(Phase, T)> {
        let watched = self.load(service, backend).watched;
        let transactions = || match (self.server, backend) {
            (Some(server), Backend::Postgres) => {
                server.transactions(name, self.interrupt).map(Some)
            }
            _ => Ok(None),
        };
        let (committed, used, start) = (transactions()?, watched.used()?, Instant::now());
        let done = work()?;
        let (seconds, now_used) = (start.elapsed().as_secs_f64(), watched.used()?);
        let phase = Phase {
            transactions: transactions()?
                .zip(committed)
                .map(|(now, before)| (now - before) / seconds),
            cpu: now_used.since(used, seconds),
        };
        Ok((phase, done))
    }

    fn pause(&self, time: Duration) -> Result<()> {
        let until = Instant::now() + time;
        while Instant::now() < until {
            self.interrupt.check()?;
            thread::sleep(Duration::from_millis(20).min(time));
        }
        Ok(())
    }
}
