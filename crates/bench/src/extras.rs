//! Measurements without a floor: the worker's rate, a full queue, a backlog, memory over time.

use std::net::SocketAddr;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::bodies::{Tail, payload, title};
use crate::cpu;
use crate::http::Connection;
use crate::measure::{Backend, Measurement, Scenario, percentile};
use crate::round::Bench;

/// The number of clients, and the size of the queue, which is too small for them.
pub const CROWD: u32 = 512;
pub const PLACES: &str = "128";
/// How long a client waits after a 503.
const BACK_OFF: Duration = Duration::from_millis(100);
/// The time limit for a worker, after which the measurement fails.
const PATIENCE: Duration = Duration::from_mins(10);
const BACKLOG: u64 = 100_000;
const POLL: Duration = Duration::from_millis(100);
const LONG_RUN: Duration = Duration::from_mins(10);

/// The answers of a service whose queue is too small.
#[derive(Debug, Default)]
pub struct FullQueue {
    pub refused: usize,
    pub accepted: usize,
    /// Answers that were neither accepted nor refused with 503.
    pub other: usize,
    /// Latency of the 503 answers, in milliseconds.
    pub p50: f64,
    pub p99: f64,
    pub max: f64,
    /// A measurement afterwards, with few clients.
    pub afterwards: Measurement,
}

/// Creates without and with a backlog of the worker.
#[derive(Debug, Default)]
pub struct Backlog {
    pub without: Measurement,
    pub with: Measurement,
}

/// Memory of the service under sustained load, in kilobytes.
#[derive(Debug, Default)]
pub struct Memory {
    pub after_a_minute: u64,
    pub at_the_end: u64,
    pub most: u64,
    pub load: Measurement,
}

/// The measurements besides the scenarios.
#[derive(Debug, Default)]
pub struct Extras {
    /// Postings enriched per second.
    pub worker: Option<f64>,
    pub queue: Option<FullQueue>,
    pub backlog: Option<Backlog>,
    pub memory: Option<Memory>,
}

impl Bench<'_> {
    /// Measures the worker beside an idle service: pushes postings, then starts the worker.
    pub fn worker_rate(&self, postings: u64) -> Result<f64> {
        let name = "bench_worker";
        let database = self.database(Backend::Postgres, name)?;
        let installation = self.installation(&database, name)?;
        let service = installation.serve(&["--no-worker"], &[])?;
        installation.push(&service, &["keep"], postings)?;
        let waiting = self.unenriched(&database)?;
        if waiting != postings {
            bail!("{waiting} postings wait for enrichment instead of {postings}");
        }
        let start = Instant::now();
        let worker = installation.worker()?;
        while self.unenriched(&database)? > 0 {
            worker.check()?;
            if start.elapsed() > PATIENCE {
                bail!("the worker did not finish {postings} postings in {PATIENCE:?}");
            }
            thread::sleep(POLL);
        }
        let seconds = start.elapsed().as_secs_f64();
        drop((worker, service));
        self.forget(Backend::Postgres, name)?;
        #[expect(clippy::cast_precision_loss, reason = "some thousands")]
        let rate = postings as f64 / seconds;
        Ok(rate)
    }

    /// Measures many clients on a short queue: how fast they are refused, and whether the service
    /// recovers.
    pub fn full_queue(&self) -> Result<FullQueue> {
        let name = "bench_queue";
        let database = self.database(Backend::Postgres, name)?;
        let installation = self.installation(&database, name)?;
        let queue = [("POSTHASTE_INGEST_QUEUE", PLACES)];
        let service = installation.serve(&["--no-worker"], &queue)?;
        let until = Instant::now() + Duration::from_secs(self.seconds.max(3));
        let (address, token) = (service.address, service.token.as_str());
        let answers = thread::scope(|scope| {
            let clients = (0..CROWD).map(|client| {
                let builder = thread::Builder::new().stack_size(256 * 1024);
                builder.spawn_scoped(scope, move || crowd(address, token, client, until))
            });
            let clients: Vec<_> = clients.collect::<std::io::Result<_>>()?;
            let mut answers = Vec::new();
            for client in clients {
                let answered = client.join().ok().context("a client panicked")?;
                answers.extend(answered?);
            }
            anyhow::Ok(answers)
        })?;
        let count = |wanted: u16| {
            answers
                .iter()
                .filter(|(status, _)| *status == wanted)
                .count()
        };
        let mut times: Vec<f64> = answers
            .iter()
            .filter(|(status, _)| *status == 503)
            .map(|(_, took)| took.as_secs_f64() * 1e3)
            .collect();
        let (refused, accepted) = (count(503), count(201));
        let at = |times: &mut [f64], share| percentile(times, share).unwrap_or_default();
        let (p50, p99) = (at(&mut times, 0.5), at(&mut times, 0.99));
        let max = at(&mut times, 1.0);
        let load = self.load(&service, Backend::Postgres);
        // Far fewer clients than places in the queue, so nothing may be refused.
        let (afterwards, _) = load.measure(Scenario::Create, 64, 2, "after")?;
        drop(service);
        self.forget(Backend::Postgres, name)?;
        Ok(FullQueue {
            refused,
            accepted,
            other: answers.len() - refused - accepted,
            p50,
            p99,
            max,
            afterwards,
        })
    }

    /// Measures how much a worker with a backlog slows pushes down.
    pub fn backlog(&self) -> Result<Backlog> {
        let name = "bench_backlog";
        let database = self.database(Backend::Postgres, name)?;
        let installation = self.installation(&database, name)?;
        let service = installation.serve(&["--no-worker"], &[])?;
        let load = self.load(&service, Backend::Postgres);
        let mut part = 0;
        while self.unenriched(&database)? < BACKLOG {
            part += 1;
            load.run(Scenario::Create, 64, 5, &format!("fill{part}"), false)?;
        }
        let (without, _) = load.measure(Scenario::Create, 64, self.seconds, "without")?;
        drop(service);
        let service = installation.serve(&[], &[])?;
        let load = self.load(&service, Backend::Postgres);
        let (with, _) = load.measure(Scenario::Create, 64, self.seconds, "with")?;
        if self.unenriched(&database)? < BACKLOG / 2 {
            bail!("the backlog was gone before the measurement ended");
        }
        drop(service);
        self.forget(Backend::Postgres, name)?;
        Ok(Backlog { without, with })
    }

    /// Measures memory under full load for ten minutes.
    pub fn long_run(&self) -> Result<Memory> {
        let name = "bench_memory";
        let database = self.database(Backend::Postgres, name)?;
        let installation = self.installation(&database, name)?;
        let service = installation.serve(&["--no-worker"], &[])?;
        installation.push(&service, &["keep", "move"], self.seeds)?;
        let load = self.load(&service, Backend::Postgres);
        let process = service.process.id();
        let memory = thread::scope(|scope| {
            let load = scope.spawn(|| load.measure(Scenario::Half, 64, LONG_RUN.as_secs(), "long"));
            let start = Instant::now();
            let mut memory = Memory::default();
            while !load.is_finished() {
                let (now, most) = cpu::memory(process)?;
                if start.elapsed() < Duration::from_mins(1) {
                    memory.after_a_minute = now;
                }
                (memory.at_the_end, memory.most) = (now, most);
                thread::sleep(Duration::from_secs(1));
            }
            memory.load = load.join().ok().context("the load panicked")??.0;
            anyhow::Ok(memory)
        })?;
        drop(service);
        self.forget(Backend::Postgres, name)?;
        Ok(memory)
    }

    fn unenriched(&self, database: &str) -> Result<u64> {
        let server = self.server.context("PostgreSQL was not started")?;
        let count = "SELECT count(*) FROM outbox WHERE kind = 'enrich'";
        Ok(server.ask(database, count, self.interrupt)?.parse()?)
    }
}

/// Pushes new postings, one after the other, and records each answer.
fn crowd(
    address: SocketAddr,
    token: &str,
    client: u32,
    until: Instant,
) -> Result<Vec<(u16, Duration)>> {
    let mut connection = Connection::open(address)?;
    let headers = format!("Authorization: Bearer {token}\r\nContent-Type: application/json\r\n");
    let tail = Tail::new(u64::from(client)).json();
    let mut answers = Vec::new();
    while Instant::now() < until {
        let identifier = format!("crowd-{client}-{}", answers.len());
        let body = payload(u64::from(client), &title(&identifier), &tail);
        let target = format!("PUT /api/job-board/job-postings/{identifier}");
        let start = Instant::now();
        let (status, _) = connection.exchange(&target, &headers, &body)?;
        answers.push((status, start.elapsed()));
        if status == 503 {
            thread::sleep(BACK_OFF);
        }
    }
    Ok(answers)
}
