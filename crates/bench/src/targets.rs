//! The performance targets, and whether they were met.

use crate::extras::Extras;
use crate::measure::{Backend, Measurement, Round, Rounds, Scenario, Subject};

/// The memory limit of the service, in kilobytes.
const MEMORY: f64 = 150.0 * 1024.0;
/// The factor by which memory may grow after the first minute under load.
const GROWTH: f64 = 1.10;

/// A target.
#[derive(Debug, PartialEq)]
pub struct Target {
    pub what: String,
    pub wanted: String,
    /// `None` if it was not measured.
    pub measured: Option<f64>,
    pub met: Option<bool>,
}

impl Target {
    /// A target with a lower limit.
    pub fn at_least(
        what: impl Into<String>,
        limit: f64,
        unit: &str,
        measured: Option<f64>,
    ) -> Self {
        Self {
            what: what.into(),
            wanted: format!("at least {limit}{unit}"),
            measured,
            met: measured.map(|measured| measured >= limit),
        }
    }

    /// A target with an upper limit.
    pub fn at_most(what: impl Into<String>, limit: f64, unit: &str, measured: Option<f64>) -> Self {
        Self {
            what: what.into(),
            wanted: format!("at most {limit}{unit}"),
            measured,
            met: measured.map(|measured| measured <= limit),
        }
    }
}

/// A measurement of a round, unless one of its checks failed.
fn good(round: &Round, scenario: Scenario, subject: Subject, at: u32) -> Option<&Measurement> {
    let found = round.get(&(scenario, subject, at))?;
    found.faults.is_empty().then_some(found)
}

fn rate(round: &Round, scenario: Scenario, subject: Subject, at: u32) -> Option<f64> {
    good(round, scenario, subject, at).map(Measurement::rate)
}

/// The floor's rate: the better one of 16 and 64 clients.
fn floor(round: &Round, scenario: Scenario) -> Option<f64> {
    let rates = [16, 64].map(|clients| rate(round, scenario, Subject::Floor, clients));
    rates.into_iter().flatten().max_by(f64::total_cmp)
}

fn straight(round: &Round) -> Option<f64> {
    let all = round.iter();
    let mut found = all.filter(|((_, subject, _), _)| *subject == Subject::Straight);
    found.next().map(|(_, measured)| measured.rate())
}

/// The targets of the scenarios on PostgreSQL. Ratios are computed in each round, and their median
/// counts.
pub fn postgres(rounds: &Rounds) -> Vec<Target> {
    use Scenario::{Create, Full, Partial, Unchanged};
    let service = |round: &Round, scenario| rate(round, scenario, Subject::Service, 64);
    let mut targets = Vec::new();
    for (scenario, limit) in [(Create, 2.3), (Partial, 1.5), (Full, 2.0), (Unchanged, 3.5)] {
        let ratio = |round: &Round| Some(service(round, scenario)? / floor(round, scenario)?);
        targets.push(Target::at_least(
            format!("{}, 64 connections / usual transaction", scenario.title()),
            limit,
            "",
            rounds.median(ratio),
        ));
    }
    targets.push(Target::at_least(
        "unchanged, 64 connections / bare actix handler",
        0.4,
        "",
        rounds.median(|round| {
            Some(service(round, Unchanged)? / rate(round, Unchanged, Subject::Bare, 64)?)
        }),
    ));
    targets.push(Target::at_least(
        "creates, 64 connections / straight through the store",
        0.6,
        "",
        rounds.median(|round| Some(service(round, Create)? / straight(round)?)),
    ));
    targets.push(Target::at_least(
        "creates, 16 connections / usual transaction",
        1.4,
        "",
        rounds.median(|round| {
            Some(rate(round, Create, Subject::Service, 16)? / floor(round, Create)?)
        }),
    ));
    targets.push(Target::at_most(
        "idle machine, creates, 64 connections",
        15.0,
        " %",
        rounds.median(|round| {
            let idle = good(round, Create, Subject::Service, 64)?.idle?;
            Some(idle * 100.0)
        }),
    ));
    for (scenario, limit) in [(Create, 55.0), (Unchanged, 35.0)] {
        targets.push(Target::at_most(
            format!(
                "service CPU a request, {}, 64 connections",
                scenario.title()
            ),
            limit,
            " µs",
            rounds.median(|round| good(round, scenario, Subject::Service, 64)?.cpu.service),
        ));
    }
    for scenario in [Create, Full, Partial, Unchanged] {
        let p50 = |round: &Round, subject| good(round, scenario, subject, 1)?.p50;
        targets.push(Target::at_most(
            format!(
                "p50, {}, 1 connection / usual transaction",
                scenario.title()
            ),
            1.5,
            "",
            rounds
                .median(|round| Some(p50(round, Subject::Service)? / p50(round, Subject::Floor)?)),
        ));
    }
    for scenario in [Create, Full, Partial, Unchanged, Scenario::Mixed] {
        targets.push(Target::at_most(
            format!("p99 / p50, {}, 256 connections", scenario.name()),
            4.0,
            "",
            rounds.median(|round| {
                let measured = good(round, scenario, Subject::Service, 256)?;
                Some(measured.p99? / measured.p50?)
            }),
        ));
    }
    targets
}

/// The targets besides the scenarios.
pub fn extras(extras: &Extras) -> Vec<Target> {
    let queue = extras.queue.as_ref();
    let recovered = queue.map(|queue| f64::from(u8::from(queue.afterwards.faults.is_empty())));
    let backlog = extras.backlog.as_ref();
    let memory = extras.memory.as_ref();
    #[expect(clippy::cast_precision_loss, reason = "kilobytes are far below 2^52")]
    let kilobytes = |count: u64| count as f64;
    vec![
        Target::at_least("postings enriched a second", 800.0, "", extras.worker),
        Target::at_most(
            "503 of a full queue, p99",
            50.0,
            " ms",
            queue
                .filter(|queue| queue.refused > 0)
                .map(|queue| queue.p99),
        ),
        Target::at_most(
            "503 of a full queue, slowest",
            50.0,
            " ms",
            // Without any 503 there is nothing to check.
            queue
                .filter(|queue| queue.refused > 0)
                .map(|queue| queue.max),
        ),
        Target::at_least(
            "accepts again after a full queue (1 = yes)",
            1.0,
            "",
            recovered,
        ),
        Target::at_least(
            "creates with a backlog of 100,000 and a worker / without",
            0.667,
            "",
            backlog.map(|backlog| backlog.with.rate() / backlog.without.rate()),
        ),
        Target::at_most(
            "their p99 / without",
            1.333,
            "",
            backlog.and_then(|backlog| Some(backlog.with.p99? / backlog.without.p99?)),
        ),
        Target::at_most(
            "memory after ten minutes / after one",
            GROWTH,
            "",
            memory.map(|memory| kilobytes(memory.at_the_end) / kilobytes(memory.after_a_minute)),
        ),
        Target::at_most(
            "most memory in ten minutes",
            MEMORY,
            " kB",
            memory.map(|memory| kilobytes(memory.most)),
        ),
    ]
}

/// The target of SQLite relative to PostgreSQL, both of this run.
pub fn sqlite(sqlite: &Rounds, postgres: &Rounds) -> Target {
    let creates = |rounds: &Rounds| {
        rounds.median(|round| rate(round, Scenario::Create, Subject::Service, 64))
    };
    let ratio = creates(sqlite).zip(creates(postgres));
    Target::at_least(
        format!("creates, 64 connections, {} / PostgreSQL", Backend::Sqlite),
        1.0,
        "",
        ratio.map(|(sqlite, postgres)| sqlite / postgres),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(requests: f64) -> Measurement {
        Measurement {
            requests,
            seconds: 1.0,
            ..Measurement::default()
        }
    }

    fn of<'a>(targets: &'a [Target], what: &str) -> &'a Target {
        targets
            .iter()
            .find(|target| target.what.starts_with(what))
            .unwrap()
    }

    #[test]
    fn the_floor_is_the_better_of_16_and_64_clients() {
        let mut round = Round::from([
            ((Scenario::Create, Subject::Service, 64), measured(6_000.0)),
            ((Scenario::Create, Subject::Floor, 1), measured(9_000.0)),
            ((Scenario::Create, Subject::Floor, 16), measured(2_000.0)),
            ((Scenario::Create, Subject::Floor, 64), measured(4_000.0)),
            ((Scenario::Create, Subject::Straight, 2), measured(10_000.0)),
        ]);
        let targets = postgres(&Rounds(vec![round.clone()]));
        let usual = of(&targets, "creates, 64 connections / usual");
        assert_eq!((usual.measured, usual.met), (Some(1.5), Some(false)));
        let ceiling = of(&targets, "creates, 64 connections / straight");
        assert_eq!((ceiling.measured, ceiling.met), (Some(0.6), Some(true)));
        assert_eq!(of(&targets, "unchanged").met, None);

        // A measurement with unexpected answers does not count.
        let service = (Scenario::Create, Subject::Service, 64);
        round
            .entry(service)
            .or_default()
            .faults
            .push("wrong".to_owned());
        let targets = postgres(&Rounds(vec![round]));
        assert_eq!(of(&targets, "creates, 64 connections / usual").met, None);
    }

    #[test]
    fn a_queue_that_never_was_full_proves_nothing() {
        let found = Extras {
            queue: Some(crate::extras::FullQueue::default()),
            ..Extras::default()
        };
        assert_eq!(of(&extras(&found), "503").met, None);
    }
}
