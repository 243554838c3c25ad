//! CPU time and memory of processes, from Linux's `/proc`.

use std::fs;

use anyhow::{Context, Result};

/// `/proc` counts in hundredths of a second, independent of the kernel's tick rate (proc(5)).
const MICROSECONDS_A_TICK: f64 = 10_000.0;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Used {
    pub service: Option<f64>,
    pub database: Option<f64>,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Watched {
    pub service: Option<u32>,
    pub database: Option<u32>,
}

impl Watched {
    /// The CPU time since the processes started, in microseconds.
    pub fn used(self) -> Result<Used> {
        let service = self.service.map(own).transpose()?;
        let database = self.database.map(tree).transpose()?;
        Ok(Used { service, database })
    }
}

impl Used {
    /// The CPU time in microseconds per request.
    pub fn since(self, earlier: Self, requests: f64) -> Self {
        let each = |now: Option<f64>, then: Option<f64>| Some((now? - then?) / requests.max(1.0));
        Self {
            service: each(self.service, earlier.service),
            database: each(self.database, earlier.database),
        }
    }
}

/// The peak memory in kilobytes.
pub fn peak(process: u32) -> Result<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status"))
        .with_context(|| format!("process {process} is gone"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().next());
    Ok(number.context("no VmHWM")?.parse()?)
}

pub fn parent(process: u32) -> Result<u32> {
    Ok(stat(process)?.parent)
}

fn own(process: u32) -> Result<f64> {
    let stat = stat(process)?;
    Ok(ticks(stat.own))
}

/// CPU time of a forking server: its own, that of its children, and that of terminated children.
fn tree(server: u32) -> Result<f64> {
    let mut total = {
        let stat = stat(server)?;
        stat.own + stat.waited_for
    };
    for entry in fs::read_dir("/proc")?.flatten() {
        let Some(process) = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok())
        else {
            continue;
        };
        // A child that has ended meanwhile counts next time, among the terminated children.
        if let Ok(stat) = stat(process)
            && stat.parent == server
        {
            total += stat.own;
        }
    }
    Ok(ticks(total))
}

#[expect(clippy::cast_precision_loss, reason = "ticks are far below 2^52")]
fn ticks(count: u64) -> f64 {
    count as f64 * MICROSECONDS_A_TICK
}

#[derive(Debug, PartialEq, Eq)]
struct Stat {
    parent: u32,
    own: u64,
    waited_for: u64,
}

fn stat(process: u32) -> Result<Stat> {
    let text = fs::read_to_string(format!("/proc/{process}/stat"))
        .with_context(|| format!("process {process} is gone"))?;
    parse(&text).with_context(|| format!("/proc/{process}/stat is not as expected"))
}

fn parse(stat: &str) -> Option<Stat> {
    // The name, in parentheses, may contain spaces and parentheses.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
    Some(Stat {
        parent: fields.get(1)?.parse().ok()?,
        own: number(11)? + number(12)?,
        waited_for: number(13)? + number(14)?,
    })
}

#[cfg(test)]
mod tests {
    use std::process;

    use super::*;

    #[test]
    fn the_line_of_a_process_is_read_from_its_name_on() {
        let line = "42 (a) (b c) S 7 42 42 0 -1 4194304 1 2 3 4 100 20 3000 400 20 0 1 0 5 6 7";
        let expected = Stat {
            parent: 7,
            own: 120,
            waited_for: 3400,
        };
        assert_eq!(parse(line), Some(expected));
        assert_eq!(parse("42 (a) S"), None);
    }

    #[test]
    fn this_very_process_is_found() {
        let own = process::id();
        let watched = Watched {
            service: Some(own),
            database: Some(parent(own).unwrap()),
        };
        let before = watched.used().unwrap();
        let mut sum = 0_u64;
        let start = std::time::Instant::now();
        while start.elapsed() < std::time::Duration::from_millis(100) {
            sum = std::hint::black_box(sum + 1);
        }
        let used = watched.used().unwrap().since(before, 1.0);
        assert!(used.service.unwrap() > 0.0, "{used:?}");
        assert!(used.database.unwrap() > 0.0, "{used:?}");
        assert!(peak(own).unwrap() > 0);
    }
}
