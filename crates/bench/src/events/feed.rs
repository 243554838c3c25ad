//! One client that reads the whole log.

use std::collections::HashSet;
use std::time::Instant;

use anyhow::{Result, ensure};

use super::request::{data, headers, next_cursor, target};
use crate::cpu::Used;
use crate::http::Connection;
use crate::load::Load;
use crate::measure::{Backend, Scenario};
use crate::round::Bench;
use crate::service::Service;

/// The connections of the load generator that writes the log.
const CONNECTIONS: u32 = 64;

/// A read of the whole log, page by page.
#[derive(Debug, Default)]
pub struct Read {
    pub events: f64,
    pub seconds: f64,
    /// CPU time per 1,000 events, in microseconds.
    pub cpu: Used,
    pub faults: Vec<String>,
}

impl Read {
    /// Events per second.
    pub fn rate(&self) -> f64 {
        self.events / self.seconds.max(f64::EPSILON)
    }
}

impl Bench<'_> {
    /// Writes events by creates, and reads all of them `count` times.
    pub(super) fn reads(
        &self,
        backend: Backend,
        service: &Service,
        events: u64,
        count: u32,
    ) -> Result<Vec<Read>> {
        let load = self.load(service, backend);
        #[expect(clippy::cast_precision_loss, reason = "some 100,000")]
        let wanted = events as f64;
        let (mut created, mut part) = (0.0, 0);
        while created < wanted {
            part += 1;
            let tag = format!("log{part}");
            let answers = load.run(Scenario::Create, CONNECTIONS, 3, &tag, false)?;
            created += answers.requests;
        }
        if let (Some(server), Backend::Postgres) = (self.server, backend) {
            server.settle(self.interrupt)?;
        }
        // Requests that were in flight when the load generator stopped may be stored and are not
        // counted.
        let uncounted = f64::from(part * CONNECTIONS);
        let mut reads = Vec::new();
        for _ in 0..count {
            let mut read = read(&load, service)?;
            if !(created..=created + uncounted).contains(&read.events) {
                let fault = format!("{created} postings were made, {} events read", read.events);
                read.faults.push(fault);
            }
            println!("  feed: {:.0} events/s{}", read.rate(), shown(&read.faults));
            reads.push(read);
        }
        Ok(reads)
    }
}

fn read(load: &Load<'_>, service: &Service) -> Result<Read> {
    let mut connection = Connection::open(service.address)?;
    let headers = headers(service);
    let (mut bodies, mut after) = (Vec::new(), None);
    let before = load.watched.used()?;
    let start = Instant::now();
    loop {
        load.interrupt.check()?;
        let (status, body) = connection.exchange(&target(after.as_deref(), 0), &headers, "")?;
        ensure!(status == 200, "no page of events: {status} {body}");
        if body.starts_with(r#"{"data":[]"#) {
            break;
        }
        after = Some(next_cursor(&body)?);
        bodies.push(body);
    }
    let seconds = start.elapsed().as_secs_f64();
    let used = load.watched.used()?;

    // Only now: parsing takes the client longer than the service needs to answer.
    let mut ids = HashSet::new();
    let mut faults = Vec::new();
    let mut count = 0_u32;
    for body in bodies {
        for event in data(&body)? {
            count += 1;
            if !ids.insert(event["data"]["uuid"].to_string()) {
                faults.push(format!("twice: {event}"));
            }
        }
    }
    faults.truncate(3);
    let events = f64::from(count);
    Ok(Read {
        events,
        seconds,
        cpu: used.since(before, events / 1e3),
        faults,
    })
}

/// Failed checks, to end a line about progress.
pub(super) fn shown(faults: &[String]) -> String {
    match faults {
        [] => String::new(),
        faults => format!("  FAILED: {}", faults.join("; ")),
    }
}
