//! The report, as Markdown for `docs/performance.md`.

use std::fmt::Write as _;

use crate::extras::{CROWD, Extras, PLACES};
use crate::measure::{Backend, Measurement, Rounds, Scenario, Subject};
use crate::targets::Target;

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

/// The measurements besides the scenarios.
pub fn extras(extras: &Extras) -> String {
    let mut lines = Vec::new();
    if let Some(rate) = extras.worker {
        lines.push(format!(
            "- `posthaste worker` with the builtin enricher: {rate:.0} postings a second."
        ));
    }
    if let Some(queue) = &extras.queue {
        lines.push(format!(
            "- {CROWD} clients on a queue of {PLACES}: {} accepted, {} answered 503 (p50 {:.1} ms, \
             p99 {:.1} ms, slowest {:.1} ms), {} other answers; 64 connections afterwards: \
             {:.0}/s, {}.",
            queue.accepted,
            queue.refused,
            queue.p50,
            queue.p99,
            queue.max,
            queue.other,
            queue.afterwards.rate(),
            if queue.afterwards.faults.is_empty() {
                "all accepted".to_owned()
            } else {
                queue.afterwards.faults.join("; ")
            }
        ));
    }
    if let Some(backlog) = &extras.backlog {
        let shown = |measured: &Measurement| {
            let p99 = shown(measured.p99.map(|p99| p99 / 1e3), 1);
            format!("{:.0}/s, p99 {p99} ms", measured.rate())
        };
        lines.push(format!(
            "- Creates at 64 connections: {}; with a worker on a backlog of 100,000: {}.",
            shown(&backlog.without),
            shown(&backlog.with)
        ));
    }
    if let Some(memory) = &extras.memory {
        lines.push(format!(
            "- Ten minutes of re-pushes and full updates at 64 connections ({:.0}/s): {} MB after \
             one minute, {} MB at the end, {} MB at most.",
            memory.load.rate(),
            memory.after_a_minute / 1024,
            memory.at_the_end / 1024,
            memory.most / 1024
        ));
    }
    lines.join("\n") + "\n"
}

/// The targets, and whether each was met.
pub fn targets(targets: &[Target]) -> String {
    let mut table = Table::new(&["target", "wanted", "measured", ""]);
    for target in targets {
        table.row(vec![
            target.what.clone(),
            target.wanted.clone(),
            shown(target.measured, 2),
            match target.met {
                Some(true) => "met",
                Some(false) => "missed",
                None => "not measured",
            }
            .to_owned(),
        ]);
    }
    format!("### Targets\n\n{}", table.markdown())
}

/// A value that may be missing.
pub fn shown(value: Option<f64>, places: usize) -> String {
    value.map_or_else(|| "–".to_owned(), |value| format!("{value:.places$}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Round;

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
