//! The kinds of measurements, and their results.

use std::collections::BTreeMap;
use std::fmt;

use crate::cpu::Used;

/// The kind of pushes in a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum Scenario {
    /// New postings
    Create,
    /// Every field, with a new description
    Full,
    /// Title and salary
    Partial,
    /// The stored values
    Unchanged,
}

impl Scenario {
    /// Its name on the command line and in `load.lua`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Full => "full",
            Self::Partial => "partial",
            Self::Unchanged => "unchanged",
        }
    }

    /// The name in the tables.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Create => "creates",
            Self::Full => "full updates",
            Self::Partial => "partial updates",
            Self::Unchanged => "unchanged",
        }
    }
}

/// The store of the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum Backend {
    /// A private cluster
    Postgres,
    /// One file
    Sqlite,
}

impl fmt::Display for Backend {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Postgres => "PostgreSQL",
            Self::Sqlite => "SQLite",
        })
    }
}

/// The program that is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// `posthaste serve --no-worker`.
    Service,
    /// The conventional transaction, by pgbench.
    Floor,
}

impl fmt::Display for Subject {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Service => "service",
            Self::Floor => "floor: usual transaction (pgbench)",
        })
    }
}

/// A kind of measurement: scenario, program and number of clients.
pub type Key = (Scenario, Subject, u32);

/// One measurement, with times in microseconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measurement {
    pub requests: f64,
    pub seconds: f64,
    pub p50: Option<f64>,
    pub p99: Option<f64>,
    /// CPU time per request.
    pub cpu: Used,
    /// The share of the time in which the machine's processors were idle.
    pub idle: Option<f64>,
    /// Failed checks.
    pub faults: Vec<String>,
}

impl Measurement {
    /// Requests per second.
    pub fn rate(&self) -> f64 {
        self.requests / self.seconds.max(f64::EPSILON)
    }
}

/// The measurements of one round.
pub type Round = BTreeMap<Key, Measurement>;

/// All rounds on one store.
#[derive(Debug, Default)]
pub struct Rounds(pub Vec<Round>);

impl Rounds {
    /// The kinds of measurements, in order.
    pub fn keys(&self) -> Vec<Key> {
        let mut keys: Vec<_> = self.0.iter().flat_map(BTreeMap::keys).copied().collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// The median of a value over the rounds that have it.
    pub fn median(&self, value: impl Fn(&Round) -> Option<f64>) -> Option<f64> {
        median(self.0.iter().filter_map(value).collect())
    }

    /// The median of a value of one kind of measurement.
    pub fn of(&self, key: Key, value: impl Fn(&Measurement) -> Option<f64>) -> Option<f64> {
        self.median(|round| value(round.get(&key)?))
    }

    /// The failed checks of one kind of measurement, in all rounds.
    pub fn faults(&self, key: Key) -> Vec<&str> {
        let measured = self.0.iter().filter_map(|round| round.get(&key));
        measured
            .flat_map(|measurement| &measurement.faults)
            .map(String::as_str)
            .collect()
    }
}

/// The middle value, or the mean of the two in the middle.
pub fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    let upper = *values.get(middle)?;
    if values.len() % 2 == 1 {
        return Some(upper);
    }
    Some(f64::midpoint(*values.get(middle - 1)?, upper))
}

/// The value below which this share of the values lies. Sorts them.
pub fn percentile(values: &mut [f64], share: f64) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let last = values.len().checked_sub(1)?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "a position in a list"
    )]
    let at = (last as f64 * share).round() as usize;
    values.get(at).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert_eq!(median(vec![]), None);
        assert_eq!(median(vec![3.0]), Some(3.0));
        assert_eq!(median(vec![9.0, 1.0, 5.0]), Some(5.0));
        assert_eq!(median(vec![4.0, 1.0]), Some(2.5));
    }

    #[test]
    fn percentiles() {
        let mut values: Vec<f64> = (0..=100).rev().map(f64::from).collect();
        assert_eq!(percentile(&mut values, 0.5), Some(50.0));
        assert_eq!(percentile(&mut values, 0.99), Some(99.0));
        assert_eq!(percentile(&mut [], 0.5), None);
    }

    #[test]
    fn rounds_give_medians_of_ratios_not_ratios_of_medians() {
        let key = (Scenario::Create, Subject::Service, 64);
        let floor = (Scenario::Create, Subject::Floor, 16);
        let round = |service: f64, usual: f64| {
            let measured = |requests| Measurement {
                requests,
                seconds: 1.0,
                ..Measurement::default()
            };
            Round::from([(key, measured(service)), (floor, measured(usual))])
        };
        let rounds = Rounds(vec![round(10.0, 10.0), round(40.0, 20.0), round(30.0, 5.0)]);
        let ratio = |round: &Round| Some(round.get(&key)?.rate() / round.get(&floor)?.rate());
        assert_eq!(rounds.median(ratio), Some(2.0));
        assert_eq!(rounds.of(key, |m| Some(m.rate())), Some(30.0));
        assert_eq!(rounds.keys(), [key, floor]);
    }
}
