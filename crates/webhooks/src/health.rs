//! How an endpoint fares: when it is paused, and when it is disabled.

use std::time::Duration;

use time::OffsetDateTime;

use super::{Attempt, Outcome};

/// The number of attempts at an endpoint that are under way at a time.
pub const WINDOW: usize = 32;

/// The time without a success after which an endpoint is disabled.
const GIVEN_UP_AFTER: time::Duration = time::Duration::days(5);

/// The first wait after a silent round.
const SHORTEST_QUIET: Duration = Duration::from_secs(5);

/// The longest time for which an endpoint is paused.
const LONGEST_QUIET: Duration = Duration::from_mins(10);

/// Why an endpoint is disabled after five days.
pub const NO_SUCCESS: &str = "no delivery has succeeded for five days";

/// The reason of a disabled endpoint whose client was revoked.
pub const CLIENT_REVOKED: &str = "its client was revoked";

/// The reason of a disabled endpoint whose client lost the scope of webhooks.
pub const SCOPE_WITHDRAWN: &str = "its client may not manage webhooks any more";

/// Why an endpoint is disabled after 410.
pub const WANTS_NO_MORE: &str = "the receiver answered 410: it wants no more events";

/// The record of an endpoint's deliveries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Health {
    /// The last success.
    pub last_success_at: Option<OffsetDateTime>,
    /// The first failure since then.
    pub failing_since: Option<OffsetDateTime>,
    /// The number of silent rounds since the last answer. In a silent round nothing was answered,
    /// or nothing any more.
    pub silent_rounds: u32,
    /// The time until which no attempt is made.
    pub quiet_until: Option<OffsetDateTime>,
}

impl Health {
    /// Whether no attempt is made now.
    pub fn is_quiet(&self, now: OffsetDateTime) -> bool {
        self.quiet_until.is_some_and(|until| now < until)
    }

    /// Whether a round makes one attempt only, to find out if the endpoint answers again.
    pub const fn is_probing(&self) -> bool {
        self.silent_rounds > 0
    }

    /// The number of attempts that may be under way at a time.
    pub const fn window(&self) -> usize {
        if self.is_probing() { 1 } else { WINDOW }
    }

    /// Whether an answer now ends a silence that concerned all events, so that those that failed
    /// by it are due. After one silent round it may have been a single event's fault, and such an
    /// event is not to be tried again outside its schedule.
    pub const fn answer_ends_silence(&self) -> bool {
        self.silent_rounds > 1
    }

    /// Counts an attempt that has ended, and returns why the endpoint is disabled, if it is.
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
                (now - since >= GIVEN_UP_AFTER).then_some(NO_SUCCESS)
            }
        }
    }

    /// Pauses the endpoint after a silent round: for five seconds, and twice as long after
    /// each further one, up to ten minutes. `jitter`, a random number from 0 to 1, spreads it over
    /// its upper half.
    pub fn back_off(&mut self, jitter: f64, now: OffsetDateTime) {
        let doublings = self.silent_rounds.min(20);
        let wait = SHORTEST_QUIET.saturating_mul(1 << doublings);
        let wait = wait.min(LONGEST_QUIET);
        let wait = wait.mul_f64(0.5 + jitter.clamp(0.0, 1.0) / 2.0);
        self.silent_rounds = self.silent_rounds.saturating_add(1);
        self.quiet_until = Some(now + wait);
    }

    /// Ends the silence after a round with answers. The endpoint may have asked to be paused
    /// for a while, which it is for up to ten minutes.
    pub fn answer(&mut self, asked: Option<Duration>, now: OffsetDateTime) {
        self.silent_rounds = 0;
        self.quiet_until = asked.map(|wait| now + wait.min(LONGEST_QUIET));
    }
}

/// The wait that a receiver asks for on behalf of all events: with 429 or 503.
pub fn asked_for_quiet(outcome: Outcome) -> Option<Duration> {
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
    fn silence_is_answered_with_growing_quiet_until_an_answer() {
        let mut health = Health::default();
        assert!(!health.is_quiet(noon()) && !health.is_probing());
        for (round, seconds) in (1..).zip([5, 10, 20, 40, 80, 160, 320, 600, 600]) {
            health.back_off(1.0, noon());
            let until = noon() + Duration::from_secs(seconds);
            assert_eq!(health.quiet_until, Some(until));
            assert!(health.is_quiet(until - TIME) && !health.is_quiet(until));
            assert_eq!((health.is_probing(), health.window()), (true, 1));
            assert_eq!(health.answer_ends_silence(), round > 1);
        }
        health.silent_rounds = u32::MAX;
        health.back_off(0.0, noon());
        assert_eq!(health.quiet_until, Some(noon() + LONGEST_QUIET / 2));
        health.answer(None, noon());
        assert_eq!((health.window(), health.quiet_until), (WINDOW, None));
        assert!(!health.answer_ends_silence());
    }

    #[test]
    fn a_receiver_may_ask_for_up_to_ten_minutes() {
        for (seconds, expect) in [(1, 1), (600, 600), (86_400, 600)] {
            let mut health = Health::default();
            health.answer(Some(Duration::from_secs(seconds)), noon());
            let until = noon() + Duration::from_secs(expect);
            assert_eq!((health.quiet_until, health.window()), (Some(until), WINDOW));
        }
        let wait = Some(TIME);
        for (status, asked) in [(429, wait), (503, wait), (500, None), (200, None)] {
            let attempt = Attempt::answered(status, wait, TIME);
            assert_eq!(asked_for_quiet(attempt.outcome), asked);
        }
        assert_eq!(asked_for_quiet(unanswered().outcome), None);
    }
}
