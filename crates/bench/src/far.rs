//! Creates on a database that is far away: a proxy keeps everything for a while, each way.

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::measure::{Backend, Measurement, Scenario};
use crate::report::{Table, shown};
use crate::round::Bench;
use crate::targets::Target;

/// How long everything takes, each way.
const DELAY: Duration = Duration::from_millis(50);
/// The numbers of connections that are measured.
const CONNECTIONS: [u32; 3] = [1, 64, 256];
/// The target at the most connections, in creates a second.
const RATE: f64 = 1_500.0;
/// The seconds of a run before, in which the service gets to know the way and the companies.
const WARM_UP: u64 = 8;

/// The measurement with some connections.
#[derive(Debug)]
pub struct Far {
    connections: u32,
    measured: Measurement,
}

impl Bench<'_> {
    /// Measures creates on PostgreSQL behind the proxy.
    pub fn far(&self) -> Result<Vec<Far>> {
        let name = "bench_far";
        let database = self.database(Backend::Postgres, name)?;
        let installation = self.installation(&database, name)?;
        let url = through_proxy(&database)?;
        let service = installation.serve(&["--no-worker"], &[("DATABASE_URL", &url)])?;
        let load = self.load(&service, Backend::Postgres);
        load.run(Scenario::Create, 256, WARM_UP, "farw", false)?;
        let measure = |connections| {
            let tag = format!("far{connections}");
            let (scenario, seconds) = (Scenario::Create, self.seconds.max(4));
            let measured = load.measure(scenario, connections, seconds, &tag);
            measured.map(|(measured, _)| Far {
                connections,
                measured,
            })
        };
        let measured = CONNECTIONS.into_iter().map(measure).collect();
        // If the service has ended, that explains the failure better.
        service.process.check()?;
        drop(service);
        self.forget(Backend::Postgres, name)?;
        measured
    }
}

/// The address of a database behind a proxy, which runs until the benchmark ends.
fn through_proxy(database: &str) -> Result<String> {
    let (before, rest) = database
        .rsplit_once('@')
        .context("no host in the address")?;
    let (host, name) = rest.split_once('/').context("no database in the address")?;
    let server: SocketAddr = host.replace("localhost", "127.0.0.1").parse()?;
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let port = listener.local_addr()?.port();
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            // Without a server the client finds its connection closed.
            let _ = connect(&client, server);
        }
    });
    Ok(format!("{before}@127.0.0.1:{port}/{name}"))
}

fn connect(client: &TcpStream, server: SocketAddr) -> Result<()> {
    let server = TcpStream::connect(server)?;
    for stream in [client, &server] {
        stream.set_nodelay(true)?;
    }
    carry(client.try_clone()?, server.try_clone()?);
    carry(server, client.try_clone()?);
    Ok(())
}

/// Carries everything from one end to the other, each part [`DELAY`] after it came.
fn carry(mut from: TcpStream, to: TcpStream) {
    let (parts, under_way) = mpsc::channel();
    thread::spawn(move || {
        let mut part = vec![0; 1 << 16];
        while let Ok(length @ 1..) = from.read(&mut part) {
            let bytes = part.get(..length).unwrap_or_default().to_vec();
            if parts.send((Instant::now() + DELAY, bytes)).is_err() {
                return;
            }
        }
    });
    thread::spawn(move || deliver(&under_way, to));
}

fn deliver(under_way: &Receiver<(Instant, Vec<u8>)>, mut to: TcpStream) {
    for (due, bytes) in under_way {
        thread::sleep(due.saturating_duration_since(Instant::now()));
        if to.write_all(&bytes).is_err() {
            return;
        }
    }
    // The other end may have closed it already.
    let _ = to.shutdown(Shutdown::Write);
}

/// The measurements as Markdown.
pub fn text(measured: &[Far]) -> String {
    let round_trip = 2 * DELAY.as_millis();
    let mut text = format!("### Creates, with {round_trip} ms to PostgreSQL and back\n\n");
    let mut table = Table::new(&[
        "at once",
        "creates/s",
        "p50 ms",
        "p99 ms",
        "round trips",
        "service CPU µs",
        "database CPU µs",
    ]);
    for far in measured {
        let (all, trip) = (&far.measured, DELAY.as_secs_f64() * 2.0);
        table.row(vec![
            far.connections.to_string(),
            shown(Some(all.rate()), 0),
            shown(all.p50.map(|p50| p50 / 1e3), 1),
            shown(all.p99.map(|p99| p99 / 1e3), 1),
            // The time of a creation, in round trips.
            shown(Some(f64::from(far.connections) / all.rate() / trip), 2),
            shown(all.cpu.service, 1),
            shown(all.cpu.database, 1),
        ]);
    }
    text.push_str(&table.markdown());
    for far in measured
        .iter()
        .filter(|far| !far.measured.faults.is_empty())
    {
        let faults = far.measured.faults.join("; ");
        let _ = writeln!(text, "\nWith {} connections: {faults}", far.connections);
    }
    text
}

/// The target.
pub fn targets(measured: &[Far]) -> Vec<Target> {
    let most = measured.iter().max_by_key(|far| far.connections);
    let good = most.filter(|far| far.measured.faults.is_empty());
    let rate = good.map(|far| far.measured.rate());
    vec![Target::at_least(
        "creates a second, 256 connections, a far database",
        RATE,
        "",
        rate,
    )]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_comes_through_unchanged_and_late() {
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = server.local_addr().unwrap();
        let echo = thread::spawn(move || {
            let (mut stream, _) = server.accept().unwrap();
            let mut got = [0; 5];
            stream.read_exact(&mut got).unwrap();
            stream.write_all(&got).unwrap();
        });
        let url = through_proxy(&format!("postgres://a:b@{address}/name")).unwrap();
        let (before, name) = url.rsplit_once('/').unwrap();
        assert_eq!(name, "name");
        let start = Instant::now();
        let proxy = before.rsplit_once('@').unwrap().1;
        let mut client = TcpStream::connect(proxy).unwrap();
        client.write_all(b"hello").unwrap();
        let mut got = String::new();
        client.read_to_string(&mut got).unwrap();
        assert_eq!(got, "hello");
        assert!(start.elapsed() >= 2 * DELAY);
        echo.join().unwrap();
    }
}
