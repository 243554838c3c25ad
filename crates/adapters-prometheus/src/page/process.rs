//! Metrics of the process from Linux's `/proc`. Their names are those of Prometheus' own clients.

use std::{
    fs,
    sync::OnceLock,
    time::{SystemTime, UNIX_EPOCH},
};

use metrics::{counter, gauge};
use rustix::{
    param::clock_ticks_per_second,
    process::{Resource, getrlimit},
};

use super::reading::number;

runtime::metrics! {
    gauge MEMORY in Bytes = "process_resident_memory_bytes",
        "Resident memory of the process";
    gauge OPEN in Count = "process_open_fds",
        "Open file descriptors";
    gauge MOST_OPEN in Count = "process_max_fds",
        "The limit of open file descriptors";
    counter CPU in Seconds = "process_cpu_seconds_total",
        "User and system time of the process, in whole seconds";
    gauge START in Seconds = "process_start_time_seconds",
        "The time of the start, in seconds since 1970";
}

/// Approximately the start of the process, when it begins to record.
static STARTED: OnceLock<SystemTime> = OnceLock::new();

pub fn started() {
    let _ = STARTED.set(SystemTime::now());
}

pub(super) fn record() {
    let read = |path| fs::read_to_string(path).unwrap_or_default();
    if let Some(bytes) = resident(&read("/proc/self/status")) {
        gauge!(MEMORY).set(number(bytes));
    }
    if let Some(ticks) = ticks(&read("/proc/self/stat")) {
        counter!(CPU).absolute(ticks / clock_ticks_per_second().max(1));
    }
    if let Ok(open) = fs::read_dir("/proc/self/fd") {
        // Subtract one, because opening the folder uses a descriptor.
        gauge!(OPEN).set(number((open.count() as u64).saturating_sub(1)));
    }
    if let Some(most) = getrlimit(Resource::Nofile).current {
        gauge!(MOST_OPEN).set(number(most));
    }
    let started = STARTED
        .get()
        .and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    if let Some(since) = started {
        gauge!(START).set(since.as_secs_f64());
    }
}

/// The value in `/proc/PID/status`, in bytes.
fn resident(status: &str) -> Option<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

/// CPU time in `/proc/PID/stat`, in ticks. The program's name may contain spaces and parentheses.
fn ticks(stat: &str) -> Option<u64> {
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some(user + system)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_and_time_are_read() {
        let status = "VmHWM:\t    900 kB\nVmRSS:\t    512 kB\n";
        assert_eq!(resident(status), Some(512 * 1024));
        let stat = "7 (a) b) S 1 7 7 0 -1 4194560 2 0 0 0 31 11 0 0 20 0 1 0 8 9 10";
        assert_eq!(ticks(stat), Some(42));
        for broken in ["", "VmRSS: many", "7 (a) S 1"] {
            assert_eq!((resident(broken), ticks(broken)), (None, None));
        }
    }
}
