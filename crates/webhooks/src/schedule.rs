//! The times of retries.

use std::{num::IntErrorKind, str::FromStr, time::Duration};

/// The default waits in seconds. The first six are the example of Standard Webhooks; the sixth is
/// repeated four times.
pub const DEFAULT_RETRY_SECONDS: &str = "5,300,1800,7200,18000,36000,36000,36000,36000,36000";

const DEFAULT_WAITS: [u64; 10] = [
    5, 300, 1_800, 7_200, 18_000, 36_000, 36_000, 36_000, 36_000, 36_000,
];

const MOST: usize = 30;

const LONGEST: Duration = Duration::from_hours(7 * 24);

const LONGEST_RETRY_AFTER: Duration = Duration::from_hours(24);

/// A time that is longer than any wait.
pub const LONGER_THAN_ANY_WAIT: time::Duration = time::Duration::days(9);

const JITTER: f64 = 0.2;

/// The waits between an event's attempts. After the last attempt, the event is a dead letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetrySchedule(Vec<Duration>);

/// Why a text is no retry schedule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidRetrySchedule {
    /// The text has no wait.
    #[error("must have at least one wait")]
    Empty,
    /// The text has more than 30 waits.
    #[error("must not have more than {MOST} waits")]
    TooMany,
    /// A wait is not a whole number.
    #[error("must be whole seconds, separated by commas, which {0:?} are not")]
    Malformed(String),
    /// A wait is longer than a week.
    #[error("must have waits of at most {} seconds (a week)", LONGEST.as_secs())]
    TooLong,
}

impl RetrySchedule {
    /// The wait after this number of attempts; `None` for a dead letter. The first attempt has no
    /// wait.
    ///
    /// `jitter` (random, from 0 to 1) adds up to 20 %, so that retries of events that failed
    /// together are spread. The receiver may request a longer wait, up to one day.
    pub fn next(
        &self,
        attempts: u32,
        retry_after: Option<Duration>,
        jitter: f64,
    ) -> Option<Duration> {
        let Some(failures_before) = attempts.checked_sub(1) else {
            return Some(Duration::ZERO);
        };
        let wait = self.0.get(usize::try_from(failures_before).ok()?)?;
        let wait = wait.mul_f64(1.0 + JITTER * jitter.clamp(0.0, 1.0));
        let asked = retry_after.unwrap_or_default().min(LONGEST_RETRY_AFTER);
        Some(wait.max(asked))
    }
}

impl Default for RetrySchedule {
    fn default() -> Self {
        Self(DEFAULT_WAITS.map(Duration::from_secs).into())
    }
}

impl FromStr for RetrySchedule {
    type Err = InvalidRetrySchedule;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.trim().is_empty() {
            return Err(InvalidRetrySchedule::Empty);
        }
        let mut waits = Vec::new();
        for text in text.split(',') {
            if waits.len() == MOST {
                return Err(InvalidRetrySchedule::TooMany);
            }
            waits.push(wait(text.trim())?);
        }
        Ok(Self(waits))
    }
}

fn wait(text: &str) -> Result<Duration, InvalidRetrySchedule> {
    match text.parse().map(Duration::from_secs) {
        Ok(wait) if wait <= LONGEST => Ok(wait),
        Ok(_) => Err(InvalidRetrySchedule::TooLong),
        Err(error) if *error.kind() == IntErrorKind::PosOverflow => {
            Err(InvalidRetrySchedule::TooLong)
        }
        Err(_) => {
            let start = text.chars().take(20).collect();
            Err(InvalidRetrySchedule::Malformed(start))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(schedule: &RetrySchedule, attempts: u32, asked: Option<u64>) -> Option<u64> {
        let wait = schedule.next(attempts, asked.map(Duration::from_secs), 0.0);
        wait.map(|wait| wait.as_secs())
    }

    #[test]
    fn the_default_ends_after_eleven_attempts_within_three_days() {
        let schedule: RetrySchedule = DEFAULT_RETRY_SECONDS.parse().unwrap();
        assert_eq!(schedule, RetrySchedule::default());
        for (attempts, expect) in [(0, 0), (1, 5), (2, 300), (10, 36_000)] {
            assert_eq!(next(&schedule, attempts, None), Some(expect), "{attempts}");
        }
        assert_eq!(next(&schedule, 11, None), None);
        assert_eq!(next(&schedule, u32::MAX, Some(5)), None);
        let total: Duration = (1..=10).filter_map(|n| schedule.next(n, None, 0.5)).sum();
        let days = total.as_secs_f64() / 86_400.0;
        assert!((2.0..3.0).contains(&days), "{days}");
    }

    #[test]
    fn jitter_adds_up_to_a_fifth() {
        let schedule: RetrySchedule = "100".parse().unwrap();
        for (jitter, expect) in [(-1.0, 100), (0.0, 100), (0.5, 110), (1.0, 120), (7.0, 120)] {
            let wait = schedule.next(1, None, jitter).unwrap().as_secs_f64();
            assert!((wait - f64::from(expect)).abs() < 1e-6, "{jitter}: {wait}");
        }
    }

    #[test]
    fn a_receiver_can_ask_for_a_longer_wait_up_to_a_day() {
        let schedule: RetrySchedule = "100,604800".parse().unwrap();
        for (asked, expect) in [(7, 100), (700, 700), (u64::MAX, 86_400)] {
            assert_eq!(next(&schedule, 1, Some(asked)), Some(expect), "{asked}");
        }
        assert_eq!(
            next(&schedule, 2, Some(u64::MAX)),
            Some(604_800),
            "as configured"
        );
    }

    #[test]
    fn a_schedule_is_a_list_of_whole_seconds() {
        use InvalidRetrySchedule::{Empty, Malformed, TooLong, TooMany};
        let parse = |text: &str| text.parse::<RetrySchedule>();
        let ones = |count: usize| vec!["1"; count].join(",");
        assert_eq!(parse(" 1, 0 ,604800 ").unwrap().0.len(), 3);
        assert_eq!(parse(&ones(30)).unwrap().0.len(), 30);
        assert_eq!(parse(&ones(31)), Err(TooMany));
        assert_eq!([parse(""), parse("  ")], [Err(Empty), Err(Empty)]);
        for text in ["604801", "99999999999999999999"] {
            assert_eq!(parse(text), Err(TooLong));
        }
        for text in [",", "5,", ",5", "5;6", "5s", "-1", "1.5", "five"] {
            let result = parse(text);
            assert!(matches!(result, Err(Malformed(_))), "{text}: {result:?}");
        }
        let message = parse("5,soon").unwrap_err().to_string();
        let expect = "must be whole seconds, separated by commas, which \"soon\" are not";
        assert_eq!(message, expect);
    }
}
