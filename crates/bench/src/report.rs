//! The report, as Markdown for `docs/performance.md`.

use std::fmt::Write as _;

use crate::measure::{Backend, Key, Measurement, Round, Rounds, Scenario, Subject};

/// A table with aligned columns.
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these headings; all columns but the first are numbers.
    pub fn new(headings: &[&str]) -> Self {
        Self {
            rows: vec![headings.iter().map(|&heading| heading.to_owned()).collect()],
        }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// Renders the table as Markdown.
    pub fn markdown(&self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or_default();
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells
                .map(|cell| cell.chars().count())
                .max()
                .unwrap_or(0)
                .max(3)
        };
        let mut text = String::new();
        for (number, row) in self.rows.iter().enumerate() {
            for column in 0..columns {
                let cell = row.get(column).map_or("", String::as_str);
                let width = width(column);
                let _ = if column == 0 {
                    write!(text, "| {cell:width$} ")
                } else {
                    write!(text, "| {cell:>width$} ")
                };
            }
            text.push_str("|\n");
            if number == 0 {
                for column in 0..columns {
                    let dashes = "-".repeat(width(column) + 1);
                    let _ = if column == 0 {
                        write!(text, "|-{dashes}")
                    } else {
                        write!(text, "|{dashes}:")
                    };
                }
                text.push_str("|\n");
            }
        }
        text
    }
}

/// The measurements on one store.
pub fn measurements(backend: Backend, rounds: &Rounds, peak: u64) -> String {
    let mut text = format!("### {backend}\n\n");
    let mut table = Table::new(&[
        "what",
        "at once",
        "requests/s",
        "p50 ms",
        "p99 ms",
        "service CPU µs",
        "database CPU µs",
        "of the usual transaction",
    ]);
    let mut faults = Vec::new();
    let mut last: Option<Scenario> = None;
    for key in rounds.keys() {
        let (scenario, subject, at_once) = key;
        if last != Some(scenario) {
            table.row(vec![format!("**{}**", scenario.title())]);
            last = Some(scenario);
        }
        let median = |value: fn(&Measurement) -> Option<f64>| rounds.of(key, value);
        let found = rounds.faults(key);
        let mark = if found.is_empty() { "" } else { " (failed)" };
        for fault in found {
            faults.push(format!(
                "- {} {subject} {at_once}: {fault}",
                scenario.name()
            ));
        }
        table.row(vec![
            format!("{subject}{mark}"),
            at_once.to_string(),
            shown(median(|measured| Some(measured.rate())), 0),
            shown(median(|measured| Some(measured.p50? / 1e3)), 2),
            shown(median(|measured| Some(measured.p99? / 1e3)), 2),
            shown(median(|measured| measured.cpu.service), 1),
            shown(median(|measured| measured.cpu.database), 1),
            shown(rounds.median(|round| ratio(round, key)), 2),
        ]);
    }
    text.push_str(&table.markdown());
    let _ = writeln!(
        text,
        "\nMost memory of the service during a round: {} MB.",
        peak / 1024
    );
    let idle = rounds.of((Scenario::Create, Subject::Service, 64), |measured| {
        measured.idle
    });
    if let Some(idle) = idle {
        let _ = writeln!(
            text,
            "\nOf the machine {:.0} % were idle while 64 connections created.",
            idle * 100.0
        );
    }
    if !faults.is_empty() {
        let _ = writeln!(text, "\nWhat failed:\n\n{}", faults.join("\n"));
    }
    text
}

/// The rate of the service by that of the usual transaction with as many clients as suit it best.
fn ratio(round: &Round, key: Key) -> Option<f64> {
    let (scenario, Subject::Service, _) = key else {
        return None;
    };
    let good = |measured: &&Measurement| measured.faults.is_empty();
    let floors = round
        .iter()
        .filter(|((of, subject, _), _)| *of == scenario && *subject == Subject::Floor);
    let floors = floors.map(|(_, measured)| measured).filter(good);
    let best = floors.map(Measurement::rate).max_by(f64::total_cmp)?;
    Some(round.get(&key).filter(good)?.rate() / best)
}

/// A value that may be missing.
pub fn shown(value: Option<f64>, places: usize) -> String {
    value.map_or_else(|| "–".to_owned(), |value| format!("{value:.places$}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_aligned() {
        let mut table = Table::new(&["what", "n"]);
        table.row(vec!["é".to_owned(), "12345".to_owned()]);
        table.row(vec!["heading".to_owned()]);
        let expected = "| what    |     n |\n|---------|------:|\n| é       | 12345 |\n\
                        | heading |       |\n";
        assert_eq!(table.markdown(), expected);
    }

    #[test]
    fn a_failed_measurement_is_marked_and_explained() {
        let key = (Scenario::Create, Subject::Service, 64);
        let measured = Measurement {
            requests: 100.0,
            seconds: 2.0,
            p50: Some(1_500.0),
            faults: vec!["3 refused".to_owned()],
            ..Measurement::default()
        };
        let rounds = Rounds(vec![Round::from([(key, measured)])]);
        let text = measurements(Backend::Postgres, &rounds, 2048);
        assert!(text.contains("| service (failed) |"), "{text}");
        assert!(text.contains(" 50 |   1.50 |      – |"), "{text}");
        assert!(text.contains("- create service 64: 3 refused"), "{text}");
        assert!(text.contains("2 MB"), "{text}");
    }
}
