use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use runtime::RetryPolicy;

/// Prevents calls to a failing service. The breaker has no clock: callers pass times.
///
/// - **Closed**: calls are allowed.
/// - **Open**: no call is allowed. Each failure opens the breaker for longer, unless the service
///   requests a time.
/// - **Half-open**, until a call succeeds: [`admit`](Self::admit) allows one call at a time.
///
/// A call's answer does not count if a failure or rate limit of another call has opened the breaker
/// since the call began.
#[derive(Debug)]
pub struct CircuitBreaker {
    policy: RetryPolicy,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    open_until: Option<Instant>,
    failures: u32,
    opened: u64,
    is_probed: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct Call {
    opened: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    Closed,
    /// Half-open, and only this caller may call until [`end_probe`](CircuitBreaker::end_probe).
    Probe,
    Open(Instant),
    /// Half-open, but another caller's probe is in progress. This caller may not call yet.
    Probed,
}

impl CircuitBreaker {
    pub const fn new(policy: RetryPolicy) -> Self {
        Self {
            policy,
            state: Mutex::new(State {
                open_until: None,
                failures: 0,
                opened: 0,
                is_probed: false,
            }),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn open_until(&self, now: Instant) -> Option<Instant> {
        self.state().open_until(now)
    }

    /// Decides whether a caller may call. While half-open, admits one caller at a time.
    pub fn admit(&self, now: Instant) -> Admission {
        let mut state = self.state();
        if let Some(until) = state.open_until(now) {
            return Admission::Open(until);
        }
        if state.failures == 0 {
            Admission::Closed
        } else if std::mem::replace(&mut state.is_probed, true) {
            Admission::Probed
        } else {
            Admission::Probe
        }
    }

    pub fn end_probe(&self) {
        self.state().is_probed = false;
    }

    pub fn begin(&self, now: Instant) -> Result<Call, Instant> {
        let state = self.state();
        match state.open_until(now) {
            Some(until) => Err(until),
            None => Ok(Call {
                opened: state.opened,
            }),
        }
    }

    /// Whether no failure or rate limit has opened the breaker since the call began.
    pub fn is_current(&self, call: Call) -> bool {
        self.state().opened == call.opened
    }

    /// Notes a success. Returns whether the breaker was half-open.
    pub fn succeeded(&self, call: Call) -> bool {
        let mut state = self.state();
        state.opened == call.opened && std::mem::take(&mut state.failures) > 0
    }

    /// Opens the breaker for the time `asked`, or for a time that grows with each failure. Returns
    /// the time, or `None` if the call is no longer [current](Self::is_current).
    pub fn failed(&self, call: Call, asked: Option<Duration>, now: Instant) -> Option<Duration> {
        let mut state = self.state();
        if state.opened != call.opened {
            return None;
        }
        state.failures = state.failures.saturating_add(1);
        let time = asked.unwrap_or_else(|| self.policy.wait(state.failures));
        state.opened += 1;
        state.open(time, now);
        Some(time)
    }

    /// Opens the breaker after a rate limit, which is no failure. Does nothing if the call is no
    /// longer [current](Self::is_current).
    pub fn limited(&self, call: Call, time: Duration, now: Instant) {
        let mut state = self.state();
        if state.opened == call.opened {
            state.opened += 1;
            state.open(time, now);
        }
    }

    /// Keeps the breaker open for at least this time.
    pub fn pause(&self, time: Duration, now: Instant) {
        self.state().open(time, now);
    }
}

impl State {
    fn open_until(&self, now: Instant) -> Option<Instant> {
        self.open_until.filter(|until| *until > now)
    }

    fn open(&mut self, time: Duration, now: Instant) {
        self.open_until = self.open_until.max(Some(now + time));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn breaker() -> CircuitBreaker {
        CircuitBreaker::new(RetryPolicy::doubling(SECOND, 4 * SECOND))
    }

    #[test]
    fn failures_in_a_row_open_it_for_longer_and_longer() {
        let (breaker, mut now) = (breaker(), Instant::now());
        for seconds in [1, 2, 4, 4] {
            let call = breaker.begin(now).unwrap();
            assert_eq!(breaker.failed(call, None, now), Some(seconds * SECOND));
            let until = now + seconds * SECOND;
            assert_eq!(breaker.begin(now).unwrap_err(), until);
            assert_eq!(breaker.admit(now), Admission::Open(until));
            now = until;
        }
        assert!(breaker.succeeded(breaker.begin(now).unwrap()));
        assert_eq!(breaker.admit(now), Admission::Closed);
        let call = breaker.begin(now).unwrap();
        assert!(!breaker.succeeded(call), "it was closed");
        assert_eq!(breaker.failed(call, None, now), Some(SECOND));
    }

    #[test]
    fn one_probe_at_a_time_while_it_is_half_open() {
        let (breaker, now) = (breaker(), Instant::now());
        breaker.failed(breaker.begin(now).unwrap(), Some(9 * SECOND), now);
        let later = now + 9 * SECOND;
        assert_eq!(breaker.admit(later), Admission::Probe);
        assert_eq!(breaker.admit(later), Admission::Probed);
        breaker.end_probe();
        assert_eq!(breaker.admit(later), Admission::Probe);
        assert!(breaker.succeeded(breaker.begin(later).unwrap()));
        assert_eq!(breaker.admit(later), Admission::Closed);
    }

    #[test]
    fn a_call_from_before_it_opened_says_nothing_new() {
        let (breaker, now) = (breaker(), Instant::now());
        let calls = [(); 3].map(|()| breaker.begin(now).unwrap());
        assert_eq!(breaker.failed(calls[0], None, now), Some(SECOND));
        assert_eq!(breaker.failed(calls[1], None, now), None);
        breaker.limited(calls[1], 9 * SECOND, now);
        assert!(!breaker.succeeded(calls[2]) && !breaker.is_current(calls[2]));
        assert_eq!(breaker.open_until(now), Some(now + SECOND));
        assert_eq!(breaker.admit(now + SECOND), Admission::Probe);
    }

    #[test]
    fn a_pause_is_no_failure_and_the_longest_counts() {
        let (breaker, now) = (breaker(), Instant::now());
        let call = breaker.begin(now).unwrap();
        breaker.limited(call, 5 * SECOND, now);
        assert!(!breaker.is_current(call));
        breaker.pause(3 * SECOND, now);
        assert_eq!(breaker.open_until(now), Some(now + 5 * SECOND));
        breaker.pause(7 * SECOND, now);
        assert_eq!(breaker.open_until(now), Some(now + 7 * SECOND));
        assert_eq!(breaker.admit(now + 7 * SECOND), Admission::Closed);
    }
}
