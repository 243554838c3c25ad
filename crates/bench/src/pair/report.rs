//! The results of two builds as a table.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::measure::{Backend, Measurement, Scenario, median, percentile};
use crate::report::{Table, shown};

/// Two measurements, one directly after the other.
#[derive(Clone, Debug, Default)]
pub struct Pair {
    pub this: Measurement,
    pub other: Measurement,
}

/// The pairs of each scenario.
pub type Pairs = BTreeMap<Scenario, Vec<Pair>>;

/// A value that is compared.
struct Value {
    name: &'static str,
    of: fn(&Measurement) -> Option<f64>,
    places: usize,
}

const VALUES: [Value; 5] = [
    Value {
        name: "requests/s",
        of: |measured| Some(measured.rate()),
        places: 0,
    },
    Value {
        name: "p50 ms",
        of: |measured| Some(measured.p50? / 1e3),
        places: 2,
    },
    Value {
        name: "service CPU µs",
        of: |measured| measured.cpu.service,
        places: 1,
    },
    Value {
        name: "database CPU µs",
        of: |measured| measured.cpu.database,
        places: 1,
    },
    Value {
        name: "idle machine %",
        of: |measured| Some(measured.idle? * 100.0),
        places: 1,
    },
];

/// The results on one store.
pub fn pairs(backend: Backend, pairs: &Pairs, connections: u32, names: [&str; 2]) -> String {
    let [this, other] = names;
    let mut table = Table::new(&["what", this, other, "ratio", "middle half", "all pairs"]);
    let mut faults = Vec::new();
    for (scenario, pairs) in pairs {
        table.row(vec![format!("**{}**", scenario.title())]);
        for pair in pairs {
            for (build, measured) in [(this, &pair.this), (other, &pair.other)] {
                let found = measured.faults.iter();
                faults.extend(found.map(|fault| format!("- {} {build}: {fault}", scenario.name())));
            }
        }
        // A pair with a failed check does not count.
        let good: Vec<_> = pairs.iter().filter(|pair| pair.is_good()).collect();
        for value in &VALUES {
            let each = |side: fn(&Pair) -> &Measurement| {
                let all = good.iter().filter_map(|pair| (value.of)(side(pair)));
                median(all.collect())
            };
            let mut ratios: Vec<_> = good
                .iter()
                .filter_map(|pair| pair.ratio(value.of))
                .collect();
            if ratios.is_empty() && each(|pair| &pair.this).is_none() {
                continue;
            }
            let middle = median(ratios.clone());
            let mut between = |low: f64, high: f64| {
                let limits = [low, high].map(|share| shown(percentile(&mut ratios, share), 3));
                limits.join("–")
            };
            table.row(vec![
                value.name.to_owned(),
                shown(each(|pair| &pair.this), value.places),
                shown(each(|pair| &pair.other), value.places),
                shown(middle, 3),
                between(0.25, 0.75),
                between(0.0, 1.0),
            ]);
        }
    }
    let count = pairs.values().map(Vec::len).max().unwrap_or_default();
    let mut text = format!(
        "### {backend}\n\n{connections} connections, {count} pairs; a ratio is that of {this} \
         to {other}\n\n{}",
        table.markdown()
    );
    if !faults.is_empty() {
        let _ = writeln!(text, "\nWhat failed:\n\n{}", faults.join("\n"));
    }
    text
}

/// A pair in one line, for progress.
pub fn line(pair: &Pair) -> String {
    let ratios = VALUES.iter().filter_map(|value| {
        let ratio = pair.ratio(value.of)?;
        Some(format!("{} × {ratio:.3}", value.name))
    });
    let mut text = ratios.collect::<Vec<_>>().join(", ");
    if !pair.is_good() {
        let faults = [&pair.this, &pair.other].map(|measured| measured.faults.join("; "));
        let _ = write!(text, "  FAILED: {}", faults.join(" / "));
    }
    text
}

impl Pair {
    fn is_good(&self) -> bool {
        self.this.faults.is_empty() && self.other.faults.is_empty()
    }

    fn ratio(&self, value: fn(&Measurement) -> Option<f64>) -> Option<f64> {
        let (this, other) = (value(&self.this)?, value(&self.other)?);
        (other > 0.0).then_some(this / other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::Used;

    fn measured(service: f64) -> Measurement {
        Measurement {
            requests: 100.0,
            seconds: 1.0,
            cpu: Used {
                service: Some(service),
                database: None,
            },
            ..Measurement::default()
        }
    }

    #[test]
    fn the_ratio_is_the_median_of_the_pairs_and_not_of_the_builds() {
        let pair = |this, other| Pair {
            this: measured(this),
            other: measured(other),
        };
        let mut failed = pair(900.0, 1.0);
        failed.this.faults.push("3 refused".to_owned());
        let all = vec![pair(50.0, 50.0), pair(60.0, 40.0), pair(80.0, 20.0), failed];
        let text = pairs(
            Backend::Postgres,
            &Pairs::from([(Scenario::Create, all)]),
            64,
            ["this build", "the other"],
        );
        let row = text.lines().find(|line| line.starts_with("| service CPU"));
        let cells: Vec<_> = row.unwrap().split('|').map(str::trim).collect();
        let expected = ["60.0", "40.0", "1.500", "1.500–4.000", "1.000–4.000"];
        assert_eq!(cells[2..7], expected, "{text}");
        assert!(text.contains("create this build: 3 refused"), "{text}");
        assert!(!text.contains("database CPU"), "{text}");
    }
}
