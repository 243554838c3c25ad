//! Counting tests from what cargo and pytest print.

use std::fmt;
use std::ops::AddAssign;

/// Numbers of tests by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    passed: u64,
    failed: u64,
    skipped: u64,
}

impl Tally {
    /// What one line of output adds: the closing line of a test binary or of `pytest -q`. One
    /// between equals signs is of a program that a failed test has run.
    pub fn of_line(line: &str) -> Self {
        let line = line.trim_end();
        let is_cargo = line.starts_with("test result: ");
        let is_pytest = line.starts_with(|first: char| first.is_ascii_digit())
            && line.contains(" in ")
            && line.ends_with(['s', ')']);
        if !is_cargo && !is_pytest {
            return Self::default();
        }
        let mut tally = Self::default();
        let words = line
            .split([' ', ';', ','])
            .filter(|word| !word.is_empty())
            .collect::<Vec<_>>();
        for pair in words.windows(2) {
            let &[number, outcome] = pair else { continue };
            let Ok(number) = number.parse::<u64>() else {
                continue;
            };
            match outcome {
                "passed" => tally.passed += number,
                "failed" | "error" | "errors" => tally.failed += number,
                "ignored" | "skipped" => tally.skipped += number,
                _ => {}
            }
        }
        tally
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            passed,
            failed,
            skipped,
        } = self;
        write!(
            formatter,
            "{passed} passed, {failed} failed, {skipped} skipped"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_lines_are_counted_and_others_are_not() {
        let cases = [
            (
                "test result: ok. 12 passed; 0 failed; 3 ignored; 0 measured; 1 filtered out; finished in 0.01s",
                (12, 0, 3),
            ),
            (
                "test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.20s",
                (1, 2, 0),
            ),
            ("5 passed in 0.12s", (5, 0, 0)),
            (
                "1 failed, 4 passed, 2 skipped in 61.00s (0:01:01)",
                (4, 1, 2),
            ),
            ("3 passed, 1 warning in 0.50s", (3, 0, 0)),
            ("2 passed, 1 error in 0.50s", (2, 1, 0)),
            ("test posting::tests::5 passed ... ok", (0, 0, 0)),
            ("7 passed", (0, 0, 0)),
            ("=== 1 error, 2 warnings in 14.96s ===", (0, 0, 0)),
            ("", (0, 0, 0)),
        ];
        for (line, (passed, failed, skipped)) in cases {
            let expected = Tally {
                passed,
                failed,
                skipped,
            };
            assert_eq!(Tally::of_line(line), expected, "{line}");
        }
    }
}
