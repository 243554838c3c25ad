//! Creates at a steady rate, each of which causes an event.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use crate::bodies::{TAILS, Tail, payload, title};
use crate::http::Connection;
use crate::service::Service;

/// Creates per second.
pub const RATE: u32 = 500;
/// The number of connections, so that a slow answer does not delay the next create.
const CONNECTIONS: usize = 16;

/// The postings to create, and the time at which each of them was acknowledged.
pub struct Generator {
    /// The first part of their identifiers.
    pub prefix: &'static str,
    start: Instant,
    /// Microseconds from the start to the answer; 0 before it.
    acknowledged: Vec<AtomicU64>,
}

impl Generator {
    /// Prepares the creates of so many seconds.
    pub fn new(prefix: &'static str, seconds: u64) -> Self {
        let count = seconds * u64::from(RATE);
        Self {
            prefix,
            start: Instant::now(),
            acknowledged: (0..count).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    /// The number of postings to create.
    pub const fn count(&self) -> usize {
        self.acknowledged.len()
    }

    /// The time from the acknowledgement of a create until `now`; zero if it is not acknowledged
    /// yet, `None` if there is no such create.
    pub fn age(&self, number: usize, now: Instant) -> Option<Duration> {
        let at = match self.acknowledged.get(number)?.load(Ordering::Acquire) {
            0 => return Some(Duration::ZERO),
            at => Duration::from_micros(at),
        };
        Some(now.duration_since(self.start).saturating_sub(at))
    }

    /// Creates all postings, and returns the seconds that it took.
    pub fn run(&self, service: &Service) -> Result<f64> {
        let tails: Vec<_> = (0..TAILS).map(|n| Tail::new(n).json()).collect();
        let begin = Instant::now();
        let (address, token) = (service.address, service.token.as_str());
        let tails = tails.as_slice();
        thread::scope(|scope| {
            let all: Vec<_> = (0..CONNECTIONS)
                .map(|first| scope.spawn(move || self.part(address, token, tails, begin, first)))
                .collect();
            all.into_iter()
                .try_for_each(|part| part.join().ok().context("a generator panicked")?)
        })?;
        Ok(begin.elapsed().as_secs_f64())
    }

    fn part(
        &self,
        address: SocketAddr,
        token: &str,
        tails: &[String],
        begin: Instant,
        first: usize,
    ) -> Result<()> {
        let mut connection = Connection::open(address)?;
        let headers =
            format!("Authorization: Bearer {token}\r\nContent-Type: application/json\r\n");
        let mine = self.acknowledged.iter().zip(0_u32..).skip(first);
        for (acknowledged, number) in mine.step_by(CONNECTIONS) {
            let due = begin + Duration::from_secs(1) * number / RATE;
            thread::sleep(due.saturating_duration_since(Instant::now()));
            let identifier = format!("{}{number}", self.prefix);
            let tail = tails
                .get(number as usize % tails.len())
                .map_or("}", String::as_str);
            let body = payload(u64::from(number), &title(&identifier), tail);
            let target = format!("PUT /api/job-board/job-postings/{identifier}");
            let (status, answer) = connection.exchange(&target, &headers, &body)?;
            ensure!(
                status == 201,
                "{identifier} was not created: {status} {answer}"
            );
            let at = self.start.elapsed().as_micros();
            acknowledged.store(u64::try_from(at)?.max(1), Ordering::Release);
        }
        Ok(())
    }
}
