//! The circuit breaker of an endpoint, and the rules that disable it.
//!
//! The circuit opens when a receiver does not answer. After a wait, the circuit is half-open and
//! allows one attempt, the probe. The probe closes the circuit or opens it for longer.

use std::time::Duration;

use kernel::RetryPolicy;
use time::OffsetDateTime;

use super::{Attempt, Outcome};

/// The largest number of concurrent attempts at an endpoint. The circuit opens after this many
/// consecutive attempts without an answer.
pub const WINDOW: usize = 32;

const DISABLED_AFTER: time::Duration = time::Duration::days(5);

/// How long the circuit stays open; jitter at most doubles the time. A wait is about a quarter of
/// the outage so far: about five minutes after twenty minutes of outage.
const PAUSES: RetryPolicy = RetryPolicy {
    first: Duration::from_millis(500),
    longest: Duration::from_mins(5),
    growth: 1.25,
};

const LONGEST_OPEN: Duration = Duration::from_mins(10);

/// Why an endpoint is disabled after five days.
pub const NO_SUCCESS: &str = "no delivery has succeeded for five days";

/// Why an endpoint is disabled after its client was revoked.
pub const CLIENT_REVOKED: &str = "its client was revoked";

/// Why an endpoint is disabled after its client lost the scope of webhooks.
pub const SCOPE_WITHDRAWN: &str = "its client may not manage webhooks any more";

/// Why an endpoint is disabled after the answer 410.
pub const WANTS_NO_MORE: &str = "the receiver answered 410: it wants no more events";

/// The health of an endpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Health {
    /// The last success.
    pub last_success_at: Option<OffsetDateTime>,
    /// The first failure since the last success.
    pub failing_since: Option<OffsetDateTime>,
    /// The number of consecutive silent rounds. In a silent round, no attempt was answered, or none
    /// of the last [`WINDOW`].
    pub silent_rounds: u32,
    /// When the circuit becomes half-open, or a pause ends that the receiver requested.
    pub open_until: Option<OffsetDateTime>,
}

impl Health {
    /// Whether the circuit is open, so that no attempt is allowed.
    pub fn is_open(&self, now: OffsetDateTime) -> bool {
        self.open_until.is_some_and(|until| now < until)
    }

    /// Whether the circuit is half-open, or will be after its wait. A round then makes one attempt,
    /// to find out whether the receiver answers.
    pub const fn is_half_open(&self) -> bool {
        self.silent_rounds > 0
    }

    /// The largest number of concurrent attempts.
    pub const fn window(&self) -> usize {
        if self.is_half_open() { 1 } else { WINDOW }
    }

    /// Whether an answer makes unanswered events due. After only one silent round, events keep to
    /// their schedule, because the cause may be a single event.
    pub const fn answer_ends_silence(&self) -> bool {
        self.silent_rounds > 1
    }

    /// Counts a finished attempt. If it disables the endpoint, returns the reason.
    #[must_use]
    pub fn note(&mut self, attempt: &Attempt, now: OffsetDateTime) -> Option<&'static str> {
        match attempt.outcome {
            Outcome::Delivered(_) => {
                self.last_success_at = Some(now);
                self.failing_since = None;
                None
            }
            Outcome::Gone => Some(WANTS_NO_MORE),
            Outcome::Refused { .. } | Outcome::NoAnswer(_) => {
                let since = *self.failing_since.get_or_insert(now);
                (now - since >= DISABLED_AFTER).then_some(NO_SUCCESS)
            }
        }
    }

    /// Opens the circuit after a silent round. `jitter` is random, from 0 to 1.
    pub fn back_off(&mut self, jitter: f64, now: OffsetDateTime) {
        self.silent_rounds = self.silent_rounds.saturating_add(1);
        self.open_until = Some(now + PAUSES.spread(self.silent_rounds, jitter));
    }

    /// Makes an open circuit half-open. A pause that the receiver requested stays.
    #[must_use]
    pub fn probed_now(self) -> Self {
        Self {
            open_until: self.open_until.filter(|_| self.silent_rounds == 0),
            ..self
        }
    }

    /// Closes the circuit after a round with answers. A requested pause lasts ten minutes at most.
    pub fn answer(&mut self, asked: Option<Duration>, now: OffsetDateTime) {
        self.silent_rounds = 0;
        self.open_until = asked.map(|wait| now + wait.min(LONGEST_OPEN));
    }
}

/// The pause that a receiver requested for all events, with the status 429 or 503.
pub fn asked_pause(outcome: Outcome) -> Option<Duration> {
    match outcome {
        Outcome::Refused {
            status: 429 | 503,
            retry_after,
        } => retry_after,
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use kernel::testing::{hours, noon};

    use super::*;
    use crate::NoAnswer;

    const TIME: Duration = Duration::from_millis(5);

    fn answered(status: u16) -> Attempt {
        Attempt::answered(status, None, TIME)
    }

    fn unanswered() -> Attempt {
        Attempt::unanswered(NoAnswer::Timeout, "", TIME)
    }

    #[test]
    fn five_days_of_failures_disable() {
        let mut health = Health::default();
        for (hour, attempt, disabled) in [
            (0, answered(500), None),
            (1, unanswered(), None),
            (119, answered(404), None),
            (119, answered(200), None),
            (120, answered(500), None),
            (239, unanswered(), None),
            (240, unanswered(), Some(NO_SUCCESS)),
        ] {
            assert_eq!(health.note(&attempt, noon() + hours(hour)), disabled);
        }
        assert_eq!(health.last_success_at, Some(noon() + hours(119)));
        assert_eq!(health.failing_since, Some(noon() + hours(120)));
        assert_eq!(health.note(&answered(200), noon() + hours(241)), None);
        assert_eq!(health.failing_since, None);
    }

    #[test]
    fn a_receiver_that_is_gone_is_disabled_at_once() {
        let mut health = Health::default();
        assert_eq!(health.note(&answered(410), noon()), Some(WANTS_NO_MORE));
    }

    #[test]
    fn the_circuit_opens_for_longer_and_longer_until_an_answer() {
        let mut health = Health::default();
        assert!(!health.is_open(noon()) && !health.is_half_open());
        let waits = [1.0, 1.25, 1.5625, 1.953_125].into_iter();
        for (round, seconds) in (1..).zip(waits) {
            health.back_off(1.0, noon());
            let until = noon() + Duration::from_secs_f64(seconds);
            assert_eq!(health.open_until, Some(until));
            assert!(health.is_open(until - TIME) && !health.is_open(until));
            assert_eq!((health.is_half_open(), health.window()), (true, 1));
            assert_eq!(health.answer_ends_silence(), round > 1);
        }
        for (rounds, jitter, seconds) in [(28, 1.0, 516), (29, 1.0, 600), (u32::MAX, 0.0, 300)] {
            health.silent_rounds = rounds;
            health.back_off(jitter, noon());
            let wait = health.open_until.unwrap() - noon();
            assert_eq!(wait.whole_seconds(), seconds);
        }
        health.answer(None, noon());
        assert_eq!((health.window(), health.open_until), (WINDOW, None));
        assert!(!health.answer_ends_silence());
    }

    #[test]
    fn a_receiver_may_ask_for_up_to_ten_minutes() {
        for (seconds, expect) in [(1, 1), (600, 600), (86_400, 600)] {
            let mut health = Health::default();
            health.answer(Some(Duration::from_secs(seconds)), noon());
            let until = noon() + Duration::from_secs(expect);
            assert_eq!((health.open_until, health.window()), (Some(until), WINDOW));
        }
        let wait = Some(TIME);
        for (status, asked) in [(429, wait), (503, wait), (500, None), (200, None)] {
            let attempt = Attempt::answered(status, wait, TIME);
            assert_eq!(asked_pause(attempt.outcome), asked);
        }
        assert_eq!(asked_pause(unanswered().outcome), None);
    }
}
