//! Measures imports: a catalogue of new postings, then the same catalogue again, over one
//! connection.

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::bench::Bench;
use crate::bodies::{TAILS, Tail, payload, title};
use crate::cpu::{self, Used};
use crate::floor::CLIENTS;
use crate::measure::{Backend, Scenario};
use crate::report::{heading, row, shown};
use crate::service::{Installation, Service};

const PATIENCE: Duration = Duration::from_mins(30);
const CHUNK: usize = 64 * 1024;

#[derive(Debug)]
pub struct Imports {
    creates: Import,
    unchanged: Import,
    /// On PostgreSQL: the rate of transactions that create, and of transactions that read with a
    /// lock.
    floor: Option<(f64, f64)>,
    written: Option<u64>,
}

#[derive(Debug)]
struct Import {
    rate: f64,
    /// The CPU time per line, in microseconds.
    cpu: Used,
    /// The peak memory of the service, in kilobytes.
    peak: u64,
}

impl Bench<'_> {
    pub fn imports(&self, backend: Backend, postings: u64) -> Result<Imports> {
        let name = format!("bench_imports_{backend}").to_lowercase();
        let database = self.database(backend, &name)?;
        let installation = self.installation(self.program, &database, &name)?;
        let creates = self.import(&installation, backend, postings, "created")?;
        let before = self.rows(backend, &database)?;
        let unchanged = self.import(&installation, backend, postings, "unchanged")?;
        let written = self.rows(backend, &database)?.zip(before);
        Ok(Imports {
            creates,
            unchanged,
            floor: match backend {
                Backend::Postgres => Some(self.conventional("bench_imports_floor")?),
                Backend::Sqlite => None,
            },
            written: written.map(|(after, before)| after - before),
        })
    }

    /// Imports into a new service, so that the service's peak memory is due to this import.
    fn import(
        &self,
        installation: &Installation<'_>,
        backend: Backend,
        postings: u64,
        outcome: &str,
    ) -> Result<Import> {
        let service = installation.serve()?;
        let watched = self.watched(&service, backend);
        let tails: Vec<_> = (0..TAILS).map(|n| Tail::new(n).json()).collect();
        let (before, start) = (watched.used()?, Instant::now());
        let summary = send(&service, postings, |n, line| {
            let tail = &tails[usize::try_from(n % TAILS)?];
            let id = format!("import-{n}");
            let payload = payload(n, &title(&id), tail);
            Ok(writeln!(line, r#"{{"id":"{id}","payload":{payload}}}"#)?)
        });
        service.check()?;
        let counted = summary?[outcome].as_u64();
        ensure!(counted == Some(postings), "{counted:?} were {outcome}");
        #[expect(clippy::cast_precision_loss, reason = "some millions")]
        let lines = postings as f64;
        let rate = lines / start.elapsed().as_secs_f64();
        println!("  {outcome}: {rate:.0} lines/s");
        Ok(Import {
            rate,
            cpu: watched.used()?.since(before, lines),
            peak: cpu::peak(service.id())?,
        })
    }

    fn conventional(&self, name: &str) -> Result<(f64, f64)> {
        let url = self.floor_database(name)?;
        let floor = self.floor(&url)?;
        let measure = |scenario| floor.measure(scenario, CLIENTS, self.seconds);
        let rates = (measure(Scenario::Create)?, measure(Scenario::Unchanged)?);
        Ok((rates.0.rate(), rates.1.rate()))
    }

    /// The rows of postings, events and tasks that PostgreSQL has written so far.
    fn rows(&self, backend: Backend, database: &str) -> Result<Option<u64>> {
        let Some(server) = self.server_of(backend) else {
            return Ok(None);
        };
        let statement = "SELECT sum(n_tup_ins + n_tup_upd + n_tup_del) \
             FROM pg_stat_user_tables \
             WHERE relname LIKE 'posting%' OR relname IN ('events', 'outbox', 'companies')";
        // PostgreSQL publishes statistics at the end of a connection, or after a second.
        std::thread::sleep(Duration::from_secs(2));
        let rows = server.ask(database, statement)?;
        Ok(Some(rows.trim().parse()?))
    }
}

fn send(
    service: &Service,
    lines: u64,
    mut write: impl FnMut(u64, &mut String) -> Result<()>,
) -> Result<Value> {
    let mut stream = connect(service.address)?;
    let head = format!(
        "PUT /api/job-board/catalogues/bench HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\
         Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\
         Connection: close\r\n\r\n",
        service.address, service.token
    );
    stream.write_all(head.as_bytes())?;
    let mut chunk = String::with_capacity(2 * CHUNK);
    for n in 0..lines {
        write(n, &mut chunk)?;
        if chunk.len() >= CHUNK {
            write!(stream, "{:x}\r\n{chunk}\r\n", chunk.len())?;
            chunk.clear();
        }
    }
    if !chunk.is_empty() {
        write!(stream, "{:x}\r\n{chunk}\r\n", chunk.len())?;
    }
    stream.write_all(b"0\r\n\r\n")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let last = answer
        .lines()
        .rfind(|line| line.starts_with("{\"summary\""));
    let Some(last) = last else {
        bail!(
            "no summary: {}",
            answer.chars().take(500).collect::<String>()
        );
    };
    let mut last: Value = serde_json::from_str(last)?;
    let summary = last.get_mut("summary").context("no summary")?.take();
    ensure!(summary["complete"] == true, "not complete: {summary}");
    Ok(summary)
}

fn connect(address: SocketAddr) -> Result<TcpStream> {
    let stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    Ok(stream)
}

pub fn text(backend: Backend, postings: u64, of: &Imports) -> String {
    let mut table = heading(&[
        "lines",
        "lines/s",
        "service CPU µs each",
        "database CPU µs each",
        "peak memory MB",
        "conventional transaction/s",
        "ratio",
    ]);
    let (create, read) = of.floor.unzip();
    for (name, import, floor) in [
        ("creations", &of.creates, create),
        ("unchanged", &of.unchanged, read),
    ] {
        table += &row(&[
            name.to_owned(),
            format!("{:.0}", import.rate),
            shown(import.cpu.service, 1),
            shown(import.cpu.database, 1),
            (import.peak / 1024).to_string(),
            shown(floor, 0),
            shown(floor.map(|floor| import.rate / floor), 2),
        ]);
    }
    let mut text = format!(
        "### A catalogue of {postings} postings, {backend}\n\nOne connection, bodies of 3–6 KB a \
         line; creating and sending them takes part of the machine. The conventional transaction has \
         {CLIENTS} clients; for unchanged lines it is a locking read.\n\n{table}"
    );
    if let Some(written) = of.written {
        let _ = writeln!(
            text,
            "\nRows that the unchanged catalogue wrote: {written}."
        );
    }
    text
}
