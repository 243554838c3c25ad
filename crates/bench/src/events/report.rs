//! Results and targets of the feed of events.

use std::fmt::Write as _;

use super::generator::RATE;
use super::request::LIMIT;
use super::waiting::{Phase, WAITERS};
use super::{Events, Read};
use crate::measure::{Backend, median};
use crate::report::{Table, shown};
use crate::targets::Target;

/// The target for one client that reads the log, in events per second.
const READ: f64 = 20_000.0;
/// The target for the time from the answer to a push until a waiter has its event, in
/// milliseconds.
const LATENCY: f64 = 250.0;
/// The target for the transactions per second that waiting costs, for any number of waiters: one
/// in 50 ms.
const TICKS: f64 = 20.0;

/// The results on one store.
pub fn text(backend: Backend, events: &Events) -> String {
    let Events { reads, waiting } = events;
    let of = |value: fn(&Read) -> Option<f64>| median(reads.iter().filter_map(value).collect());
    let milliseconds = |time: Option<f64>| shown(time.map(|time| time / 1e3), 1);
    let latency = |share| shown(waiting.got.latencies.percentile(share), 1);
    let mut text = format!(
        "### Events, {backend}\n\n- One client reads {} events in pages of {LIMIT}: {}/s; for 1,000 \
         events {} ms of service CPU and {} of database CPU.\n- {WAITERS} clients wait, {:.0} \
         events happen a second (wanted: {RATE}): {} receipts in {} answers, from the answer to the push p50 \
         {} ms, p99 {} ms, slowest {} ms.\n\n",
        shown(of(|read| Some(read.events)), 0),
        shown(of(|read| Some(read.rate())), 0),
        milliseconds(of(|read| read.cpu.service)),
        milliseconds(of(|read| read.cpu.database)),
        waiting.rate,
        waiting.got.receipts,
        waiting.got.answers,
        latency(0.5),
        latency(0.99),
        latency(1.0),
    );
    let mut table = Table::new(&[
        "each second",
        "transactions",
        "service CPU ms",
        "database CPU ms",
    ]);
    for (name, phase) in [
        ("nothing happens".to_owned(), &waiting.nothing),
        (format!("{WAITERS} wait, nothing happens"), &waiting.waiters),
        (format!("{RATE} creates, nobody waits"), &waiting.events),
        (format!("{RATE} creates, {WAITERS} wait"), &waiting.both),
    ] {
        table.row(vec![
            name,
            shown(phase.transactions, 1),
            milliseconds(phase.cpu.service),
            milliseconds(phase.cpu.database),
        ]);
    }
    text.push_str(&table.markdown());
    let faults = reads.iter().flat_map(|read| &read.faults);
    let faults: Vec<_> = faults
        .chain(&waiting.faults)
        .map(|fault| format!("- {fault}"))
        .collect();
    if !faults.is_empty() {
        let _ = writeln!(text, "\nWhat failed:\n\n{}", faults.join("\n"));
    }
    text
}

/// The targets on one store.
pub fn targets(backend: Backend, events: &Events) -> Vec<Target> {
    let Events { reads, waiting } = events;
    let good = reads.iter().filter(|read| read.faults.is_empty());
    let rate = median(good.map(Read::rate).collect());
    let latency = waiting.got.latencies.percentile(0.99);
    let mut targets = vec![
        Target::at_least(format!("events read a second, {backend}"), READ, "", rate),
        Target::at_most(
            format!("p99 from a push to {WAITERS} waiters, {backend}"),
            LATENCY,
            " ms",
            latency.filter(|_| waiting.faults.is_empty()),
        ),
        // Latencies at a lower rate say little.
        Target::at_least(
            format!("events a second while {WAITERS} wait, {backend}"),
            f64::from(RATE) * 0.95,
            "",
            Some(waiting.rate).filter(|rate| *rate > 0.0),
        ),
    ];
    if backend == Backend::Postgres {
        let transactions = |phase: &Phase| phase.transactions;
        let of_waiting = transactions(&waiting.waiters).zip(transactions(&waiting.nothing));
        targets.push(Target::at_most(
            format!("transactions a second for {WAITERS} waiters without events"),
            TICKS,
            "",
            of_waiting.map(|(with, without)| with - without),
        ));
    }
    targets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_measurement_with_faults_meets_no_target() {
        let mut events = Events {
            reads: vec![Read {
                events: 50_000.0,
                seconds: 1.0,
                ..Read::default()
            }],
            ..Events::default()
        };
        let met = |events: &Events| targets(Backend::Sqlite, events)[0].met;
        assert_eq!(met(&events), Some(true));
        events.reads[0].faults.push("twice".to_owned());
        assert_eq!(met(&events), None);
    }
}
