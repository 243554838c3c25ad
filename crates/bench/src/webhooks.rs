//! Deliveries to webhooks: how many a second one process makes to fast receivers.

use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::cpu::{Used, Watched};
use crate::measure::Backend;
use crate::report::{Table, shown};
use crate::round::Bench;
use crate::service::Installation;
use crate::targets::Target;

/// The target, in deliveries per second.
const RATE: f64 = 2_000.0;
/// The numbers of webhooks that are measured.
const WEBHOOKS: [u64; 2] = [1, 8];
/// How long the enrichment before, or the deliveries, may take.
const LIMIT: Duration = Duration::from_mins(5);
/// Receivers are on this machine.
const PRIVATE: [(&str, &str); 1] = [("POSTHASTE_WEBHOOK_PRIVATE", "allow")];

/// The deliveries of the same events to some webhooks.
#[derive(Debug)]
pub struct Deliveries {
    webhooks: u64,
    count: f64,
    seconds: f64,
    /// CPU time per delivery, in microseconds.
    cpu: Used,
}

impl Deliveries {
    fn rate(&self) -> f64 {
        self.count / self.seconds.max(f64::EPSILON)
    }
}

impl Bench<'_> {
    /// Pushes postings, waits for their enrichment, and has their creations delivered again to
    /// webhooks that are made then.
    pub fn webhooks(&self, backend: Backend, postings: u64) -> Result<Vec<Deliveries>> {
        let name = format!("bench_webhooks_{backend}").to_lowercase();
        let database = self.database(backend, &name)?;
        let installation = self.installation(&database, &name)?;
        let service = installation.serve(&[], &PRIVATE)?;
        installation.push(&service, &["hook"], postings)?;
        let watched = self.load(&service, backend).watched;
        let measured = self.until_enriched(&installation).and_then(|()| {
            let receiver = Receiver::start()?;
            let measure =
                |count| self.deliveries(&installation, &receiver, watched, count, postings);
            WEBHOOKS.into_iter().map(measure).collect()
        });
        // If the service has ended, that explains the failure better.
        service.process.check()?;
        drop(service);
        self.forget(backend, &name)?;
        measured
    }

    fn until_enriched(&self, installation: &Installation<'_>) -> Result<()> {
        let start = Instant::now();
        while installation
            .run_with(&["outbox", "list", "--limit", "1", "--json"], &[])?
            .trim()
            != "[]"
        {
            self.interrupt.check()?;
            if start.elapsed() > LIMIT {
                bail!("the postings were not enriched within {LIMIT:?}");
            }
            sleep(Duration::from_millis(200));
        }
        Ok(())
    }

    fn deliveries(
        &self,
        installation: &Installation<'_>,
        receiver: &Receiver,
        watched: Watched,
        webhooks: u64,
        postings: u64,
    ) -> Result<Deliveries> {
        let mut ids = Vec::new();
        for _ in 0..webhooks {
            let url = format!("http://{}/", receiver.address);
            let created = installation.run_with(
                &[
                    "webhooks",
                    "create",
                    "--url",
                    &url,
                    "--type",
                    "JobPostingCreated",
                    "--json",
                ],
                &PRIVATE,
            )?;
            let created: Value = serde_json::from_str(&created)?;
            let id = created["id"].as_str().context("a webhook without id")?;
            ids.push(id.to_owned());
        }
        receiver.reset();
        let before = watched.used()?;
        for id in &ids {
            installation.run_with(&["webhooks", "replay", id, "--since", "2020-01-01"], &[])?;
        }
        let (wanted, start) = (webhooks * postings, Instant::now());
        while receiver.count() < wanted {
            self.interrupt.check()?;
            if start.elapsed() > LIMIT {
                bail!(
                    "{} of {wanted} deliveries within {LIMIT:?}",
                    receiver.count()
                );
            }
            sleep(Duration::from_millis(20));
        }
        let used = watched.used()?;
        let seconds = receiver.seconds();
        for id in &ids {
            installation.run_with(&["webhooks", "delete", id], &[])?;
        }
        #[expect(clippy::cast_precision_loss, reason = "some 100,000")]
        let count = receiver.count() as f64;
        let measured = Deliveries {
            webhooks,
            count,
            seconds,
            cpu: used.since(before, count),
        };
        println!("  {webhooks} webhooks: {:.0} deliveries/s", measured.rate());
        Ok(measured)
    }
}

/// The results on one store.
pub fn text(backend: Backend, measured: &[Deliveries]) -> String {
    let mut text = format!(
        "### Webhooks, {backend}\n\nOne process delivers events to receivers that answer at once, \
         on this machine; receiving them takes part of it.\n\n"
    );
    let mut table = Table::new(&[
        "webhooks",
        "deliveries/s",
        "service CPU us each",
        "database CPU us each",
    ]);
    for of in measured {
        table.row(vec![
            of.webhooks.to_string(),
            shown(Some(of.rate()), 0),
            shown(of.cpu.service, 0),
            shown(of.cpu.database, 0),
        ]);
    }
    let _ = writeln!(text, "{}", table.markdown());
    text
}

/// The targets on one store.
pub fn targets(backend: Backend, measured: &[Deliveries]) -> Vec<Target> {
    let best = measured.iter().map(Deliveries::rate).reduce(f64::max);
    let name = format!("deliveries a second, {backend}");
    vec![Target::at_least(name, RATE, "", best)]
}

/// Answers 204 to every request, and counts.
struct Receiver {
    address: SocketAddr,
    got: Arc<Got>,
}

#[derive(Default)]
struct Got {
    count: AtomicU64,
    /// The times of the first and the last request.
    times: Mutex<Option<(Instant, Instant)>>,
}

impl Receiver {
    fn start() -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let (address, got) = (listener.local_addr()?, Arc::<Got>::default());
        let counted = Arc::clone(&got);
        // It ends with the process.
        thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let got = Arc::clone(&counted);
                thread::spawn(move || answer(&connection, &got));
            }
        });
        Ok(Self { address, got })
    }

    fn count(&self) -> u64 {
        self.got.count.load(Ordering::Relaxed)
    }

    fn reset(&self) {
        self.got.count.store(0, Ordering::Relaxed);
        *self
            .got
            .times
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// The seconds from the first request to the last.
    fn seconds(&self) -> f64 {
        let times = *self
            .got
            .times
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        times.map_or(0.0, |(first, last)| (last - first).as_secs_f64())
    }
}

impl Got {
    fn note(&self) {
        let now = Instant::now();
        let mut times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        let first = times.map_or(now, |(first, _)| first);
        *times = Some((first, now));
        self.count.fetch_add(1, Ordering::Relaxed);
    }
}

/// Answers the requests of a connection until it ends.
fn answer(connection: &TcpStream, got: &Got) -> io::Result<()> {
    connection.set_nodelay(true)?;
    let mut reader = BufReader::new(connection);
    let mut line = String::new();
    loop {
        let mut length = 0;
        loop {
            line.clear();
            if reader.read_line(&mut line)? == 0 {
                return Ok(());
            }
            if line.trim_end().is_empty() {
                break;
            }
            if let Some(value) = header(&line, "content-length") {
                length = value.parse().unwrap_or_default();
            }
        }
        io::copy(&mut reader.by_ref().take(length), &mut io::sink())?;
        got.note();
        let mut connection = connection;
        connection.write_all(b"HTTP/1.1 204 No Content\r\n\r\n")?;
    }
}

/// The value of a header, if the line has it.
fn header<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let (found, value) = line.split_once(':')?;
    found.eq_ignore_ascii_case(name).then(|| value.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receiver_answers_each_request_of_a_connection() {
        let receiver = Receiver::start().unwrap();
        let mut connection = TcpStream::connect(receiver.address).unwrap();
        for n in 1..=3 {
            let request = b"POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}";
            connection.write_all(request).unwrap();
            let mut answer = [0; 27];
            connection.read_exact(&mut answer).unwrap();
            assert!(answer.starts_with(b"HTTP/1.1 204 "));
            assert_eq!(receiver.count(), n);
        }
        receiver.reset();
        assert_eq!(receiver.count(), 0);
    }
}
