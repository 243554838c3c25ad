//! Clients that wait for events, each on its own connection. One thread serves all of them.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::generator::Generator;
use super::request::{end, headers, next_cursor, target};
use crate::http;
use crate::service::Service;

/// The seconds for which an answer waits for events.
const WAIT: u32 = 30;
const POLL: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 20_000_000,
};

/// Clients that wait for events after the end of the log.
pub struct Waiters {
    epoll: OwnedFd,
    address: SocketAddr,
    headers: String,
    all: Vec<Waiter>,
}

struct Waiter {
    stream: TcpStream,
    received: Vec<u8>,
    cursor: String,
    /// The number of the generator's events that it received.
    events: usize,
    /// The sum of their numbers, which differs if one event came twice instead of another.
    sum: usize,
}

/// The answers of all waiters.
#[derive(Debug, Default)]
pub struct Got {
    pub answers: u32,
    pub receipts: usize,
    pub latencies: Histogram,
    /// Waiters that missed events or got them twice.
    pub wrong: usize,
}

impl Waiters {
    /// Connects `count` waiters and sends the first request of each.
    pub fn open(service: &Service, count: u64) -> Result<Self> {
        let mut waiters = Self {
            epoll: epoll::create(CreateFlags::CLOEXEC)?,
            address: service.address,
            headers: headers(service),
            all: Vec::new(),
        };
        let cursor = end(service)?;
        for number in 0..count {
            let stream = TcpStream::connect(service.address)?;
            stream.set_nodelay(true)?;
            stream.set_nonblocking(true)?;
            let data = EventData::new_u64(number);
            epoll::add(&waiters.epoll, &stream, data, EventFlags::IN)?;
            let mut waiter = Waiter {
                stream,
                received: Vec::new(),
                cursor: cursor.clone(),
                events: 0,
                sum: 0,
            };
            waiter.ask(waiters.address, &waiters.headers)?;
            waiters.all.push(waiter);
        }
        Ok(waiters)
    }

    /// Receives answers and sends the next requests until it is stopped, or each waiter has all of
    /// the generator's events. Latencies of the first `skip` events do not count.
    pub fn follow(&mut self, generator: &Generator, skip: usize, stop: &AtomicBool) -> Result<Got> {
        let mut got = Got::default();
        let mut missing = self.all.len();
        let mut ready = Vec::with_capacity(256);
        let mut buffer = vec![0; 1 << 20];
        while missing > 0 && !stop.load(Ordering::Relaxed) {
            ready.clear();
            epoll::wait(
                &self.epoll,
                rustix::buffer::spare_capacity(&mut ready),
                Some(&POLL),
            )?;
            for event in &ready {
                let number = usize::try_from({ event.data }.u64())?;
                let waiter = self.all.get_mut(number).context("an unknown waiter")?;
                let Some(body) = waiter.receive(&mut buffer)? else {
                    continue;
                };
                let now = Instant::now();
                got.answers += 1;
                waiter.cursor = next_cursor(&body)?;
                waiter.ask(self.address, &self.headers)?;
                for number in numbers(&body, generator.prefix) {
                    let latency = generator.age(number, now).context("an unknown event")?;
                    if number >= skip {
                        got.latencies.add(latency);
                    }
                    waiter.events += 1;
                    waiter.sum += number;
                    got.receipts += 1;
                    if waiter.events == generator.count() {
                        missing -= 1;
                    }
                }
            }
        }
        let count = generator.count();
        let sum = (0..count).sum::<usize>();
        let wrong = |waiter: &&Waiter| (waiter.events, waiter.sum) != (count, sum);
        got.wrong = self.all.iter().filter(wrong).count();
        Ok(got)
    }
}

impl Waiter {
    fn ask(&mut self, address: SocketAddr, headers: &str) -> Result<()> {
        let target = target(Some(&self.cursor), WAIT);
        let request = format!("{target} HTTP/1.1\r\nHost: {address}\r\n{headers}\r\n");
        // Far less than a socket buffer.
        Ok(self.stream.write_all(request.as_bytes())?)
    }

    /// Reads the socket, and returns the body of an answer once it is complete.
    fn receive(&mut self, buffer: &mut [u8]) -> Result<Option<String>> {
        loop {
            match self.stream.read(buffer) {
                Ok(0) => anyhow::bail!("the service closed the connection of a waiter"),
                Ok(length) => {
                    let new = buffer.get(..length).unwrap_or_default();
                    self.received.extend_from_slice(new);
                    if let Some((status, body)) = http::parse(&self.received)? {
                        ensure!(status == 200, "a waiter got {status} {body}");
                        self.received.clear();
                        return Ok(Some(body));
                    }
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(None),
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// The numbers of the generator's postings in an answer.
fn numbers<'body>(body: &'body str, prefix: &str) -> impl Iterator<Item = usize> + 'body {
    let name = format!(r#""unique_source_identifier":"{prefix}"#);
    let mut rest = body;
    std::iter::from_fn(move || {
        let (_, after) = rest.split_once(name.as_str())?;
        rest = after;
        after.split_once('"')?.0.parse().ok()
    })
}

/// Times, counted in steps of 0.1 ms.
#[derive(Debug, Default)]
pub struct Histogram(Vec<u64>);

impl Histogram {
    fn add(&mut self, time: Duration) {
        let at = usize::try_from(time.as_micros() / 100).unwrap_or(usize::MAX);
        let at = at.min(1_000_000);
        if self.0.len() <= at {
            self.0.resize(at + 1, 0);
        }
        if let Some(count) = self.0.get_mut(at) {
            *count += 1;
        }
    }

    /// The time, in milliseconds, that this share of all times does not exceed.
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    pub fn percentile(&self, share: f64) -> Option<f64> {
        let all = self.0.iter().sum::<u64>() as f64;
        let mut below = 0;
        let at = self.0.iter().position(|count| {
            below += count;
            below > 0 && below as f64 >= all * share
        })?;
        Some((at + 1) as f64 / 10.0)
    }
}

/// Raises the limit of open files to the hard limit, for this process and the service that it
/// starts: each waiter is one open file in both.
pub fn allow_open_files() -> Result<()> {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    let limit = Rlimit {
        current: maximum,
        maximum,
    };
    setrlimit(Resource::Nofile, limit).context("cannot raise the number of open files")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_told_by_their_identifiers() {
        let body = r#"{"data":[{"data":{"unique_source_identifier":"wait-7","version":1}},
            {"data":{"unique_source_identifier":"new-9"}},
            {"data":{"unique_source_identifier":"wait-12"}}],"next_cursor":"5"}"#;
        assert_eq!(numbers(body, "wait-").collect::<Vec<_>>(), [7, 12]);
    }

    #[test]
    fn percentiles_of_a_histogram() {
        let mut histogram = Histogram::default();
        assert_eq!(histogram.percentile(0.5), None);
        for time in 0..100 {
            histogram.add(Duration::from_millis(time));
        }
        assert_eq!(histogram.percentile(0.5), Some(49.1));
        assert_eq!(histogram.percentile(0.99), Some(98.1));
        assert_eq!(histogram.percentile(1.0), Some(99.1));
    }
}
