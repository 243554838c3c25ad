//! Imports: lines a second over one connection, against the usual transaction and the same batches
//! straight through the store.

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use crate::bodies::{TAILS, Tail, payload, title};
use crate::cpu::{self, Used};
use crate::measure::{Backend, Scenario};
use crate::report::{Table, shown};
use crate::round::Bench;
use crate::service::Service;
use crate::targets::Target;

/// The clients of the usual transaction.
const CLIENTS: u32 = 16;
/// How often the unchanged lines are sent, because once is over soon.
const REPEATS: u64 = 3;
/// How long an import may take.
const PATIENCE: Duration = Duration::from_mins(30);
/// The size of a chunk of a body.
const CHUNK: usize = 64 * 1024;
/// The memory limit of the service with a catalogue of a million postings, in kilobytes.
const MEMORY: f64 = 150.0 * 1024.0;

/// The rates on one store, and what they are compared with.
#[derive(Debug)]
pub struct Imports {
    creates: Rate,
    unchanged: Rate,
    /// The usual transaction, creating and reading with a lock; on PostgreSQL.
    floor: Option<(f64, f64)>,
    straight: f64,
}

/// Lines a second, and CPU time a line in microseconds.
#[derive(Clone, Copy, Debug)]
pub struct Rate {
    lines: f64,
    cpu: Used,
}

/// A catalogue of many postings that has not changed.
#[derive(Debug)]
pub struct Catalogue {
    postings: u64,
    seconds: f64,
    /// Peak memory of the service, in kilobytes.
    peak: u64,
    /// Rows that PostgreSQL wrote meanwhile.
    written: Option<u64>,
}

impl Bench<'_> {
    /// Creates postings by an import, sends them again, and measures what that is compared with.
    pub fn imports(&self, backend: Backend, postings: u64) -> Result<Imports> {
        let name = format!("bench_imports_{backend}").to_lowercase();
        let database = self.database(backend, &name)?;
        let installation = self.installation(&database, &name)?;
        let service = installation.serve(&["--no-worker"], &[])?;
        let watched = self.load(&service, backend).watched;
        let tails: Vec<_> = (0..TAILS).map(|n| Tail::new(n).json()).collect();
        let import = |times: u64, outcome: &str| -> Result<Rate> {
            let (before, start) = (watched.used()?, Instant::now());
            for _ in 0..times {
                let summary = send(
                    &service,
                    "POST /api/job-board/imports",
                    postings,
                    |n, line| {
                        let tail = &tails[usize::try_from(n % TAILS)?];
                        let id = format!("import-{n}");
                        let payload = payload(n, &title(&id), tail);
                        Ok(writeln!(
                            line,
                            r#"{{"id":{},"payload":{payload}}}"#,
                            json!(id)
                        )?)
                    },
                )?;
                let counted = summary[outcome].as_u64();
                ensure!(
                    counted == Some(postings),
                    "not all were {outcome}: {summary}"
                );
            }
            #[expect(clippy::cast_precision_loss, reason = "some 100,000")]
            let lines = (postings * times) as f64;
            let cpu = watched.used()?.since(before, lines);
            let lines = lines / start.elapsed().as_secs_f64();
            println!("  {outcome}: {lines:.0} lines/s");
            Ok(Rate { lines, cpu })
        };
        let measured = import(1, "created").and_then(|creates| {
            let unchanged = import(REPEATS, "unchanged")?;
            Ok((creates, unchanged))
        });
        // If the service has ended, that explains the failure better.
        service.process.check()?;
        let (creates, unchanged) = measured?;
        drop(service);
        self.forget(backend, &name)?;
        let floor = match backend {
            Backend::Postgres => Some(self.usual("bench_imports_floor")?),
            Backend::Sqlite => None,
        };
        let (_, straight) = self.straight(backend, &format!("{name}_straight"))?;
        Ok(Imports {
            creates,
            unchanged,
            floor,
            straight: straight.rate(),
        })
    }

    /// The rates of the usual transaction.
    fn usual(&self, name: &str) -> Result<(f64, f64)> {
        let url = self.floor_database(name)?;
        let floor = self.floor(&url)?;
        let measure = |scenario| floor.measure(scenario, CLIENTS, self.seconds);
        let rates = (measure(Scenario::Create)?, measure(Scenario::Unchanged)?);
        self.forget(Backend::Postgres, name)?;
        Ok((rates.0.rate(), rates.1.rate()))
    }

    /// Makes a catalogue of small postings, and imports it again as it is.
    pub fn catalogue(&self, postings: u64) -> Result<Catalogue> {
        let (backend, name) = (Backend::Postgres, "bench_catalogue");
        let database = self.database(backend, name)?;
        let installation = self.installation(&database, name)?;
        let import = |service: &Service| {
            let target = "PUT /api/job-board/catalogues/bench";
            send(service, target, postings, |n, line| {
                let description = format!("<p>Posting {n} of many, about roses and hedges.</p>");
                let payload = json!({
                    "title": format!("Gardener {n}"),
                    "raw_description": description,
                    "application_url": "https://apply.example/gardener",
                    "company": {"name": "Rosenhof", "website_url": "https://rosenhof.example"},
                });
                Ok(writeln!(
                    line,
                    r#"{{"id":"catalogue-{n}","payload":{payload}}}"#
                )?)
            })
        };
        let service = installation.serve(&["--no-worker"], &[])?;
        import(&service)?;
        drop(service);
        // Its memory is that of the unchanged import alone.
        let service = installation.serve(&["--no-worker"], &[])?;
        let rows = || -> Result<Option<u64>> {
            let Some(server) = self.server else {
                return Ok(None);
            };
            let statement = "SELECT sum(n_tup_ins + n_tup_upd + n_tup_del) \
                 FROM pg_stat_user_tables WHERE relname LIKE 'posting%' OR relname IN \
                 ('events', 'outbox', 'companies')";
            // The statistics of a connection come with its end, or a second late.
            std::thread::sleep(Duration::from_secs(2));
            let rows = server.ask(&database, statement, self.interrupt)?;
            Ok(Some(rows.trim().parse()?))
        };
        let (before, start) = (rows()?, Instant::now());
        let summary = import(&service)?;
        let seconds = start.elapsed().as_secs_f64();
        let after = rows()?;
        ensure!(
            summary["unchanged"].as_u64() == Some(postings),
            "not unchanged: {summary}"
        );
        let (_, peak) = cpu::memory(service.process.id())?;
        drop(service);
        self.forget(backend, name)?;
        Ok(Catalogue {
            postings,
            seconds,
            peak,
            written: before.zip(after).map(|(before, after)| after - before),
        })
    }
}

/// Sends an import over one connection, made line by line, and returns its summary.
fn send(
    service: &Service,
    target: &str,
    lines: u64,
    mut write: impl FnMut(u64, &mut String) -> Result<()>,
) -> Result<Value> {
    let mut stream = connect(service.address)?;
    let head = format!(
        "{target} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\
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

/// The results on one store.
pub fn text(backend: Backend, of: &Imports) -> String {
    let mut text = format!(
        "### Imports, {backend}\n\nOne connection, bodies of 3–6 KB a line; making and sending \
         them takes part of the machine.\n\n"
    );
    let mut table = Table::new(&[
        "lines",
        "lines/s",
        "service CPU us each",
        "database CPU us each",
        "of the usual transaction",
        "of the store alone",
    ]);
    let ratio = |rate: f64, of: Option<f64>| shown(of.map(|of| rate / of), 2);
    let (create, read) = of.floor.unzip();
    for (name, rate, floor, straight) in [
        ("creations", of.creates, create, Some(of.straight)),
        ("unchanged", of.unchanged, read, None),
    ] {
        table.row(vec![
            name.to_owned(),
            format!("{:.0}", rate.lines),
            shown(rate.cpu.service, 1),
            shown(rate.cpu.database, 1),
            ratio(rate.lines, floor),
            ratio(rate.lines, straight),
        ]);
    }
    text.push_str(&table.markdown());
    let _ = writeln!(
        text,
        "\nThe usual transaction with {CLIENTS} clients: {} creations/s, {} locking reads/s; the \
         store alone {:.0} creations/s.",
        shown(create, 0),
        shown(read, 0),
        of.straight
    );
    text
}

/// The result of a large catalogue.
pub fn catalogue_text(of: &Catalogue) -> String {
    #[expect(clippy::cast_precision_loss, reason = "a million")]
    let rate = of.postings as f64 / of.seconds;
    let written = of
        .written
        .map_or_else(|| "?".to_owned(), |rows| rows.to_string());
    format!(
        "### A catalogue of {} unchanged postings\n\n{:.0} s, {rate:.0} lines/s, peak memory {} MB, \
         {written} rows of postings, events and tasks written\n",
        of.postings,
        of.seconds,
        of.peak / 1024
    )
}

/// The targets.
pub fn targets(backend: Backend, of: &Imports) -> Vec<Target> {
    let floor = |rate: f64, of: f64| Some(rate / of);
    let mut targets = vec![Target::at_least(
        format!("{backend}: imports, of the store alone"),
        0.8,
        "",
        Some(of.creates.lines / of.straight),
    )];
    if let Some((create, read)) = of.floor {
        targets.push(Target::at_least(
            format!("{backend}: imported creations, of the usual transaction"),
            3.0,
            "",
            floor(of.creates.lines, create),
        ));
        targets.push(Target::at_least(
            format!("{backend}: unchanged lines, of the locking read"),
            8.0,
            "",
            floor(of.unchanged.lines, read),
        ));
    }
    targets
}

/// The target between the stores.
pub fn between(sqlite: &Imports, postgres: &Imports) -> Target {
    Target::at_least(
        "imported creations on SQLite, of PostgreSQL's rate",
        1.3,
        "",
        Some(sqlite.creates.lines / postgres.creates.lines),
    )
}

/// The targets of a large catalogue.
pub fn catalogue_targets(of: &Catalogue) -> Vec<Target> {
    #[expect(clippy::cast_precision_loss, reason = "kilobytes, and few rows")]
    let (peak, written) = (of.peak as f64, of.written.map(|rows| rows as f64));
    vec![
        Target::at_most("peak memory, kB", MEMORY, " kB", Some(peak)),
        Target::at_most("rows written by an unchanged catalogue", 0.0, "", written),
    ]
}
