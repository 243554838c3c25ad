//! The rate limit of a client in this process, in requests per minute.

use std::{fmt, num::NonZeroU32, sync::Arc, time::Duration};

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use governor::{
    Quota, RateLimiter,
    clock::{Clock, Reference as _},
    middleware::StateInformationMiddleware,
    state::{InMemoryState, NotKeyed},
};

/// The header with the limit (draft-ietf-httpapi-ratelimit-headers).
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");

/// The clock of limits: the time since a fixed moment. If limits used the time of day and a clock
/// was set back, clients would have to wait until the former time.
#[derive(Clone)]
pub struct Uptime(pub Arc<dyn Fn() -> Duration + Send + Sync>);

impl Clock for Uptime {
    type Instant = Duration;

    fn now(&self) -> Duration {
        (self.0)()
    }
}

/// A client's limit and its state. Used requests become available again, spread over a minute.
pub struct Limit {
    per_minute: NonZeroU32,
    clock: Uptime,
    limiter: RateLimiter<NotKeyed, InMemoryState, Uptime, StateInformationMiddleware>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    per_minute: NonZeroU32,
    remaining: u32,
    /// The seconds until all requests are available again. The value may be too high by the time of
    /// one request, because the limiter reports only whole requests.
    full_in: u64,
}

impl Limit {
    pub fn new(per_minute: NonZeroU32, clock: &Uptime) -> Self {
        let quota = Quota::per_minute(per_minute);
        let limiter = RateLimiter::direct_with_clock(quota, clock.clone());
        Self {
            per_minute,
            clock: clock.clone(),
            limiter: limiter.with_middleware(),
        }
    }

    pub const fn per_minute(&self) -> NonZeroU32 {
        self.per_minute
    }

    /// Counts a request. At the limit, returns the seconds until the next one is allowed, at least
    /// 1.
    pub fn count(&self) -> (Usage, Result<(), u64>) {
        let all = self.per_minute.get();
        let each = Quota::per_minute(self.per_minute).replenish_interval();
        let (remaining, full_in, outcome) = match self.limiter.check() {
            Ok(state) => {
                let remaining = state.remaining_burst_capacity();
                (remaining, each * (all - remaining.min(all)), Ok(()))
            }
            Err(until) => {
                let next = until.earliest_possible();
                let wait = Duration::from(next.duration_since(self.clock.now()));
                (0, wait + each * (all - 1), Err(seconds(wait).max(1)))
            }
        };
        let usage = Usage {
            per_minute: self.per_minute,
            remaining,
            full_in: seconds(full_in),
        };
        (usage, outcome)
    }
}

impl fmt::Debug for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Limit({})", self.per_minute)
    }
}

fn seconds(time: Duration) -> u64 {
    time.as_secs() + u64::from(time.subsec_nanos() > 0)
}

impl Usage {
    pub const fn per_minute(self) -> NonZeroU32 {
        self.per_minute
    }

    pub fn tell(self, headers: &mut HeaderMap) {
        let Self {
            per_minute,
            remaining,
            full_in,
        } = self;
        let policy = format!("\"client\";q={per_minute};w=60");
        let left = format!("\"client\";r={remaining};t={full_in}");
        for (name, value) in [(RATE_LIMIT_POLICY, policy), (RATE_LIMIT, left)] {
            if let Ok(value) = HeaderValue::try_from(value) {
                headers.insert(name, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    #[test]
    fn requests_come_back_one_by_one() {
        let millis = Arc::new(AtomicU64::new(0));
        let shown = Arc::clone(&millis);
        let clock = Uptime(Arc::new(move || {
            Duration::from_millis(shown.load(Ordering::SeqCst))
        }));
        let limit = Limit::new(NonZeroU32::new(3).unwrap(), &clock);
        for (at, remaining, full_in, outcome) in [
            (0, 2, 20, Ok(())),
            (0, 1, 40, Ok(())),
            (0, 0, 60, Ok(())),
            (100, 0, 60, Err(20)),
            (10_000, 0, 50, Err(10)),
            (19_999, 0, 41, Err(1)),
            (20_000, 0, 60, Ok(())),
            (20_000, 0, 60, Err(20)),
            (60_000, 1, 40, Ok(())),
            (1_000_000, 2, 20, Ok(())),
        ] {
            millis.store(at, Ordering::SeqCst);
            let (usage, counted) = limit.count();
            assert_eq!(
                (usage.remaining, usage.full_in),
                (remaining, full_in),
                "{at}"
            );
            assert_eq!(counted, outcome, "{at}");
        }
    }

    #[test]
    fn every_limit_is_announced() {
        let clock = Uptime(Arc::new(|| Duration::from_hours(500_000)));
        for (per_minute, left) in [
            (1, "r=0;t=60"),
            (600, "r=599;t=1"),
            (u32::MAX, "r=4294967294;t=1"),
        ] {
            let mut headers = HeaderMap::new();
            let limit = Limit::new(NonZeroU32::new(per_minute).unwrap(), &clock);
            limit.count().0.tell(&mut headers);
            let policy = format!("\"client\";q={per_minute};w=60");
            assert_eq!(headers.get(RATE_LIMIT_POLICY).unwrap(), &*policy);
            assert_eq!(
                headers.get(RATE_LIMIT).unwrap(),
                &*format!("\"client\";{left}")
            );
        }
    }
}
