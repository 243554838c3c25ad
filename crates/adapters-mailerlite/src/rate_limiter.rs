use std::{
    collections::VecDeque,
    num::NonZeroU32,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use reqwest::header::HeaderMap;
use tokio::time::{Instant, sleep_until};

/// A minute with a margin: the provider counts requests on their arrival.
const MINUTE: Duration = Duration::from_secs(61);

/// A minute as the provider counts it.
const WINDOW: Duration = Duration::from_mins(1);

/// The pace is at least the limit divided by this. So the limiter notices when other users stop.
const SMALLEST_PART: u32 = 10;

/// Spaces an account's requests evenly, and saves up no unused time. Leaves other users their part.
#[derive(Debug)]
pub struct RateLimiter {
    limit: u32,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    last: Option<Instant>,
    sent: VecDeque<Instant>,
    share: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    pub limit: u32,
    pub remaining: u32,
}

impl Allowance {
    pub fn read(headers: &HeaderMap) -> Option<Self> {
        let number = |name: &str| headers.get(name)?.to_str().ok()?.trim().parse().ok();
        let limit = number("x-ratelimit-limit").filter(|limit| *limit > 0)?;
        let remaining = number("x-ratelimit-remaining")?;
        Some(Self { limit, remaining })
    }
}

impl RateLimiter {
    pub fn per_minute(limit: NonZeroU32) -> Self {
        let limit = limit.get();
        Self {
            limit,
            state: Mutex::new(State {
                last: None,
                sent: VecDeque::new(),
                share: limit,
            }),
        }
    }

    /// Waits for the caller's turn, in the order of the calls. The turn of a dropped caller stays
    /// unused.
    pub async fn next(&self) {
        let at = self.state().reserve(Instant::now());
        sleep_until(at).await;
    }

    /// Adapts the pace to an answer: the account's limit may be lower than configured, and other
    /// users may use a part of it.
    pub fn note(&self, allowance: Allowance) {
        let now = Instant::now();
        let mut state = self.state();
        state.forget(now);
        let sent = state.sent.iter().filter(|at| **at <= now).count();
        let used = allowance.limit.saturating_sub(allowance.remaining);
        let by_others = used.saturating_sub(u32::try_from(sent).unwrap_or(u32::MAX));
        let limit = self.limit.min(allowance.limit);
        let least = (limit / SMALLEST_PART).max(1);
        state.share = limit.saturating_sub(by_others).max(least);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn reserve(&mut self, now: Instant) -> Instant {
        self.forget(now);
        let gap = MINUTE / self.share.max(1);
        let at = self.last.map_or(now, |last| now.max(last + gap));
        self.last = Some(at);
        self.sent.push_back(at);
        at
    }

    fn forget(&mut self, now: Instant) {
        while self.sent.front().is_some_and(|at| *at + WINDOW < now) {
            self.sent.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderValue;

    use super::*;

    fn limiter(limit: u32) -> RateLimiter {
        RateLimiter::per_minute(limit.try_into().unwrap())
    }

    /// The times of requests that are sent at full speed for five minutes, after a minute without
    /// any.
    async fn passages(limit: u32) -> Vec<Instant> {
        let limiter = limiter(limit);
        tokio::time::advance(WINDOW).await;
        let start = Instant::now();
        let mut passages = Vec::new();
        loop {
            limiter.next().await;
            if start.elapsed() >= 5 * WINDOW {
                return passages;
            }
            passages.push(Instant::now());
        }
    }

    #[tokio::test(start_paused = true)]
    async fn no_minute_holds_more_than_the_limit() {
        for limit in [1, 2, 60, 120, 1000] {
            let passages = passages(limit).await;
            let busiest = passages.iter().map(|start| {
                let minute = *start..*start + WINDOW;
                passages.iter().filter(|at| minute.contains(*at)).count()
            });
            let limit = usize::try_from(limit).unwrap();
            assert!(busiest.max() <= Some(limit), "{limit}");
            // The limiter is not slower than necessary, either.
            assert!(passages.len() >= limit * 5 * 95 / 100, "{limit}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn nothing_is_saved_up() {
        let passages = passages(120).await;
        assert!(passages.len() > 500);
        let gaps = passages.windows(2).map(|pair| pair[1] - pair[0]);
        assert!(gaps.min() >= Some(Duration::from_millis(507)));
    }

    #[tokio::test(start_paused = true)]
    async fn concurrent_callers_get_their_turns_one_after_the_other() {
        let (limiter, start) = (limiter(120), Instant::now());
        let turns = (0..8).map(|_| async {
            limiter.next().await;
            Instant::now()
        });
        let turns = futures_util::future::join_all(turns).await;
        for pair in turns.windows(2) {
            assert!(pair[1] - pair[0] >= Duration::from_millis(507), "{turns:?}");
        }
        assert!(start.elapsed() < Duration::from_secs(4), "{turns:?}");
    }

    /// The duration of ten requests whose answers report this limit.
    async fn ten(limiter: &RateLimiter, remaining: impl Fn(u32) -> u32) -> Duration {
        let start = Instant::now();
        for nth in 1..=10 {
            limiter.next().await;
            let (limit, remaining) = (120, remaining(nth));
            limiter.note(Allowance { limit, remaining });
        }
        start.elapsed()
    }

    #[tokio::test(start_paused = true)]
    async fn requests_of_other_users_are_left_to_them() {
        let alone = ten(&limiter(120), |nth| 120 - nth).await;
        assert!(alone < Duration::from_secs(5), "{alone:?}");
        let shared = ten(&limiter(120), |nth| 60 - nth).await;
        assert!(shared > alone.mul_f64(1.8), "{shared:?}");
        let crowded = limiter(120);
        assert!(ten(&crowded, |_| 0).await > Duration::from_secs(40));
        // Once other users stop, the whole limit is used again.
        let again = ten(&crowded, |_| 119).await;
        assert!(again < Duration::from_secs(11), "{again:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn an_account_that_takes_less_than_the_settings_say_gets_less() {
        let limiter = limiter(120);
        let start = Instant::now();
        for nth in 1..=31 {
            limiter.next().await;
            let (limit, remaining) = (60, 60 - nth);
            limiter.note(Allowance { limit, remaining });
        }
        assert!(
            start.elapsed() > Duration::from_secs(29),
            "{:?}",
            start.elapsed()
        );
    }

    #[test]
    fn an_allowance_is_read_where_there_is_one() {
        let headers = |pairs: &[(&'static str, &'static str)]| {
            let pairs = pairs.iter().copied();
            pairs
                .map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_static(value)))
                .collect()
        };
        let (limit, remaining) = ("x-ratelimit-limit", "x-ratelimit-remaining");
        assert_eq!(
            Allowance::read(&headers(&[(limit, "120"), (remaining, " 7")])),
            Some(Allowance {
                limit: 120,
                remaining: 7
            })
        );
        for pairs in [
            &[(limit, "120")][..],
            &[(remaining, "7")],
            &[(limit, "0"), (remaining, "0")],
            &[(limit, "many"), (remaining, "7")],
        ] {
            assert_eq!(Allowance::read(&headers(pairs)), None);
        }
    }
}
