use std::fmt::Write as _;

use crate::measure::{Backend, Measurement, percentile};
use crate::pair::{Pair, Pairs};

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
        of: |measured| measured.p50,
        places: 2,
    },
    Value {
        name: "p99 ms",
        of: |measured| measured.p99,
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
];

impl Pair {
    fn is_good(&self) -> bool {
        self.faults().next().is_none()
    }

    fn faults(&self) -> impl Iterator<Item = &String> {
        let other = self.other.iter().flat_map(|other| &other.faults);
        self.this.faults.iter().chain(other)
    }

    fn ratio(&self, value: fn(&Measurement) -> Option<f64>) -> Option<f64> {
        let (this, other) = (value(&self.this)?, value(self.other.as_ref()?)?);
        (other > 0.0).then_some(this / other)
    }

    pub fn line(&self) -> String {
        let mut text = format!("{:.0}/s", self.this.rate());
        for value in &VALUES {
            if let Some(ratio) = self.ratio(value.of) {
                let _ = write!(text, ", {} × {ratio:.3}", value.name);
            }
        }
        for fault in self.faults() {
            let _ = write!(text, "  FAILED: {fault}");
        }
        text
    }
}

pub fn pairs(backend: Backend, pairs: &Pairs, other: &str) -> String {
    let mut text = format!("### {backend}\n\n");
    text += &heading(&[
        "push",
        "what",
        "service",
        other,
        "ratio",
        "middle half",
        "all",
    ]);
    let mut faults = Vec::new();
    for (scenario, pairs) in pairs {
        let of_pairs = pairs.iter().flat_map(Pair::faults);
        faults.extend(of_pairs.map(|fault| format!("- {}: {fault}", scenario.name())));
        // A pair with a failed check does not count.
        let good: Vec<_> = pairs.iter().filter(|pair| pair.is_good()).collect();
        for value in &VALUES {
            let this: Vec<_> = good.iter().filter_map(|it| (value.of)(&it.this)).collect();
            let other = good.iter().filter_map(|it| (value.of)(it.other.as_ref()?));
            let other: Vec<_> = other.collect();
            if this.is_empty() && other.is_empty() {
                continue;
            }
            let ratios: Vec<_> = good.iter().filter_map(|it| it.ratio(value.of)).collect();
            let ratio = |share| shown(percentile(ratios.clone(), share), 3);
            let between = |low, high| match ratios.len() {
                0 => shown(None, 3),
                _ => [ratio(low), ratio(high)].join("–"),
            };
            text += &row(&[
                scenario.name().to_owned(),
                value.name.to_owned(),
                shown(percentile(this, 0.5), value.places),
                shown(percentile(other, 0.5), value.places),
                ratio(0.5),
                between(0.25, 0.75),
                between(0.0, 1.0),
            ]);
        }
    }
    if !faults.is_empty() {
        let _ = writeln!(text, "\nWhat failed:\n\n{}", faults.join("\n"));
    }
    text
}

pub fn heading(cells: &[&str]) -> String {
    let cells: Vec<_> = cells.iter().map(|&cell| cell.to_owned()).collect();
    format!("{}|---{}|\n", row(&cells), "|--:".repeat(cells.len() - 1))
}

pub fn row(cells: &[String]) -> String {
    format!("| {} |\n", cells.join(" | "))
}

pub fn shown(value: Option<f64>, places: usize) -> String {
    value.map_or_else(|| "–".to_owned(), |value| format!("{value:.places$}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::Used;
    use crate::measure::Scenario;

    #[test]
    fn the_ratio_is_the_median_of_the_pairs_and_not_of_the_sides() {
        let measured = |service| Measurement {
            requests: 100.0,
            seconds: 1.0,
            cpu: Used {
                service: Some(service),
                database: None,
            },
            ..Measurement::default()
        };
        let pair = |this, other| Pair {
            this: measured(this),
            other: Some(measured(other)),
        };
        let mut failed = pair(900.0, 1.0);
        failed.this.faults.push("3 refused".to_owned());
        let all = vec![pair(50.0, 50.0), pair(60.0, 40.0), pair(80.0, 20.0), failed];
        let all = Pairs::from([(Scenario::Create, all)]);
        assert_eq!(
            pairs(Backend::Postgres, &all, "other"),
            "### PostgreSQL\n\n\
             | push | what | service | other | ratio | middle half | all |\n\
             |---|--:|--:|--:|--:|--:|--:|\n\
             | create | requests/s | 100 | 100 | 1.000 | 1.000–1.000 | 1.000–1.000 |\n\
             | create | service CPU µs | 60.0 | 40.0 | 1.500 | 1.250–2.750 | 1.000–4.000 |\n\
             \nWhat failed:\n\n- create: 3 refused\n"
        );
    }
}
