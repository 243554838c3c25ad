//! A database with many postings, measured in turns with one that has nearly none.

use std::fmt::Write as _;
use std::time::Instant;

use anyhow::{Result, ensure};

use crate::copies::BACKEND;
use crate::http::Connection;
use crate::measure::median;
use crate::pair::{self, Pairs};
use crate::report::{Table, shown};
use crate::round::Bench;
use crate::service::Service;

/// How often each list is read.
const READS: usize = 50;
/// Lists of 200 postings, without their texts.
const LISTS: [(&str, &str); 3] = [
    ("newly changed", "updated_after=2000-01-01T00:00:00Z"),
    ("approved", "status=approved"),
    ("own", "client=me"),
];

/// The results.
pub struct Grown {
    postings: u64,
    bytes: u64,
    pairs: Pairs,
    /// The milliseconds that each list takes, with many postings and with few.
    lists: Vec<(&'static str, [Option<f64>; 2])>,
}

impl Bench<'_> {
    /// Measures `count` pairs of each scenario, and the lists.
    pub fn grown(&self, postings: u64, count: u32) -> Result<Grown> {
        let program = self.program;
        let grown = self.side(BACKEND, "grown", program, postings)?;
        let empty = self.side(BACKEND, "empty", program, 0)?;
        let bytes = self.size(&grown.database)?;
        println!("  {bytes} bytes");
        let pairs = self.in_turns(BACKEND, &grown, &empty, count)?;
        let mut lists: Vec<_> = LISTS.map(|(name, _)| (name, [None; 2])).into();
        for (place, side) in [&grown, &empty].into_iter().enumerate() {
            let service = side.installation.serve()?;
            for ((_, parameters), (_, times)) in LISTS.iter().zip(&mut lists) {
                if let Some(time) = times.get_mut(place) {
                    *time = read(&service, parameters)?;
                }
            }
        }
        for side in [grown, empty] {
            self.forget(BACKEND, &pair::folder(BACKEND, side.name))?;
        }
        Ok(Grown {
            postings,
            bytes,
            pairs,
            lists,
        })
    }
}

/// The median of the milliseconds that a list takes.
fn read(service: &Service, parameters: &str) -> Result<Option<f64>> {
    let mut connection = Connection::open(service.address)?;
    let headers = format!("Authorization: Bearer {}\r\n", service.token);
    let target = format!("GET /api/job-board/job-postings?limit=200&texts=none&{parameters}");
    let mut times = Vec::with_capacity(READS);
    for _ in 0..READS {
        let start = Instant::now();
        let (status, body) = connection.exchange(&target, &headers, "")?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
        ensure!(status == 200, "{target}: {status} {body}");
    }
    Ok(median(times))
}

/// The measurements as Markdown.
pub fn text(of: &Grown, connections: u32) -> String {
    let mut text = format!(
        "### {} postings, {} bytes of database\n\n{}",
        of.postings,
        of.bytes,
        pair::table(BACKEND, &of.pairs, connections, ["grown", "empty"])
    );
    let mut table = Table::new(&["list of 200", "grown, p50 ms", "empty, p50 ms"]);
    for (name, times) in &of.lists {
        let mut row = vec![(*name).to_owned()];
        row.extend(times.iter().map(|time| shown(*time, 2)));
        table.row(row);
    }
    let _ = writeln!(text, "\n{}", table.markdown());
    text
}
