use std::fmt;

use crate::cpu::Used;

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
    pub const fn name(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Full => "full",
            Self::Partial => "partial",
            Self::Unchanged => "unchanged",
        }
    }
}

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

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measurement {
    pub requests: f64,
    pub seconds: f64,
    /// Percentiles of the response time, in milliseconds. The conventional transaction has none.
    pub p50: Option<f64>,
    pub p99: Option<f64>,
    pub cpu: Used,
    pub faults: Vec<String>,
}

impl Measurement {
    pub fn rate(&self) -> f64 {
        self.requests / self.seconds.max(f64::EPSILON)
    }
}

pub fn percentile(mut values: Vec<f64>, share: f64) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let last = values.len().checked_sub(1)?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "a position in a list"
    )]
    let (at, rest) = {
        let at = last as f64 * share;
        (at as usize, at.fract())
    };
    let (lower, upper) = (values.get(at)?, values.get(last.min(at + 1))?);
    Some(lower + (upper - lower) * rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles() {
        for (values, share, expect) in [
            (vec![], 0.5, None),
            (vec![3.0], 0.5, Some(3.0)),
            (vec![9.0, 1.0, 5.0], 0.5, Some(5.0)),
            (vec![4.0, 1.0], 0.5, Some(2.5)),
            (vec![4.0, 1.0], 1.0, Some(4.0)),
            ((0..=100).rev().map(f64::from).collect(), 0.25, Some(25.0)),
        ] {
            assert_eq!(percentile(values.clone(), share), expect, "{values:?}");
        }
    }
}
