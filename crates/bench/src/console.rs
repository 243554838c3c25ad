//! The pages of the operators' console at a million postings.

use std::fmt::Write as _;
use std::net::{SocketAddr, TcpListener};
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use crate::http::Connection;
use crate::measure::Backend;
use crate::report::{Table, shown};
use crate::round::Bench;
use crate::targets::Target;

/// How often each page is read.
const READS: usize = 20;
/// The target: what a page may take at the median, in milliseconds.
const MOST: f64 = 100.0;
/// The pages, and whether the target is for them. A search for words has no index: it goes on for
/// up to one and a half seconds, and says where it ended.
const PAGES: [(&str, bool); 14] = [
    ("/", true),
    ("/postings", true),
    ("/postings?status=approved", true),
    ("/postings?id=copy-99", true),
    ("/postings?title=copy", true),
    ("/postings?title=copy+777777", false),
    ("/postings/ID", true),
    ("/clients", true),
    ("/clients/CLIENT", true),
    ("/catalogues", true),
    ("/webhooks", true),
    ("/outbox", true),
    ("/subscribers", true),
    ("/audit", true),
];

/// How long a page takes, in milliseconds.
#[derive(Debug)]
pub struct Page {
    path: &'static str,
    is_target: bool,
    first: f64,
    median: f64,
    longest: f64,
}

/// The pages of a store with so many postings.
#[derive(Debug)]
pub struct Console {
    postings: u64,
    pages: Vec<Page>,
}

impl Bench<'_> {
    /// Measures the pages on PostgreSQL.
    pub fn console(&self, postings: u64) -> Result<Console> {
        let name = "bench_console";
        let database = self.database(Backend::Postgres, name)?;
        let installation = self.installation(&database, name)?;
        let server = self.server.context("PostgreSQL was not started")?;
        // The port is free again once this listener is dropped.
        let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        let bind = address.to_string();
        let settings = [("POSTHASTE_CONSOLE_BIND", &*bind)];
        let service = installation.serve(&["--no-worker"], &settings)?;
        self.fill(&database, &installation, &service, postings)?;
        let ask = |query: &str| server.ask(&database, query, self.interrupt);
        let posting = ask("SELECT id FROM postings WHERE source_identifier = 'pushed-1'")?;
        let client = ask("SELECT id FROM clients LIMIT 1")?;
        let link = installation.run_with(&["console", "link"], &settings)?;
        let (_, link) = link.trim().split_once("link=").context("no link")?;
        let cookie = sign_in(address, link)?;
        let mut pages = Vec::new();
        for (path, is_target) in PAGES {
            let target = path.replace("ID", &posting).replace("CLIENT", &client);
            let mut times = read(address, &target, &cookie)?;
            let first = times.first().copied().unwrap_or_default();
            times.sort_by(f64::total_cmp);
            pages.push(Page {
                path,
                is_target,
                first,
                median: times.get(READS / 2).copied().unwrap_or_default(),
                longest: times.last().copied().unwrap_or_default(),
            });
        }
        service.process.check()?;
        drop(service);
        self.forget(Backend::Postgres, name)?;
        Ok(Console { postings, pages })
    }
}

/// Signs in by a link, and returns the cookie.
fn sign_in(address: SocketAddr, link: &str) -> Result<String> {
    let headers = "Content-Type: application/x-www-form-urlencoded\r\n";
    let body = format!("link={link}");
    let mut connection = Connection::open(address)?;
    let (status, head, _) = connection.exchange_with_head("POST /sign-in", headers, &body)?;
    ensure!(status == 303, "the link does not sign in: {status}");
    let mut lines = head.lines().filter_map(|line| line.split_once(": "));
    let cookie = lines.find(|(name, _)| name.eq_ignore_ascii_case("set-cookie"));
    let (_, cookie) = cookie.context("no cookie was set")?;
    let (cookie, _) = cookie.split_once(';').unwrap_or((cookie, ""));
    Ok(cookie.to_owned())
}

/// Reads a page several times, and returns the milliseconds of each.
fn read(address: SocketAddr, path: &str, cookie: &str) -> Result<Vec<f64>> {
    let mut connection = Connection::open(address)?;
    let headers = format!("Cookie: {cookie}\r\n");
    let mut times = Vec::with_capacity(READS);
    for _ in 0..READS {
        let start = Instant::now();
        let (status, body) = connection.exchange(&format!("GET {path}"), &headers, "")?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
        ensure!(status == 200, "GET {path}: {status} {body}");
    }
    Ok(times)
}

/// The measurements as Markdown.
pub fn text(of: &Console) -> String {
    let mut text = format!(
        "### Pages of the console at {} postings\n\nOne reader, {READS} times each.\n\n",
        of.postings
    );
    let mut table = Table::new(&["page", "first ms", "p50 ms", "longest ms"]);
    for page in &of.pages {
        table.row(vec![
            page.path.to_owned(),
            shown(Some(page.first), 1),
            shown(Some(page.median), 1),
            shown(Some(page.longest), 1),
        ]);
    }
    text.push_str(&table.markdown());
    let _ = writeln!(
        text,
        "\nThe last words are those of one old posting: a search for words has no index."
    );
    text
}

/// The target.
pub fn targets(of: &Console) -> Vec<Target> {
    let pages = of.pages.iter().filter(|page| page.is_target);
    let slowest = pages.map(|page| page.median).max_by(f64::total_cmp);
    let what = format!(
        "the slowest page of the console, {} postings, ms",
        of.postings
    );
    vec![Target::at_most(what, MOST, "", slowest)]
}
