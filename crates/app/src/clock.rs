//! The time, as everything below takes it: an argument; and whether others have the same.

use std::{sync::Arc, time::Duration};

pub use adapters_http::oauth::Clock;
use domain::store::{Health, StoreError};
use time::OffsetDateTime;
use tokio::time::sleep;
use tokio_util::task::AbortOnDropHandle;

/// How often the clocks are compared.
const CHECK: Duration = Duration::from_mins(1);

/// By how much clocks may differ.
pub const TOLERANCE: time::Duration = time::Duration::seconds(5);

/// The time now, cut to what every store keeps.
pub fn now() -> OffsetDateTime {
    domain::microseconds(OffsetDateTime::now_utc())
}

/// The clock of this machine.
pub fn system() -> Clock {
    Arc::new(now)
}

/// Warns at once and then every minute when the store's clock and this one differ: leases, which
/// several processes go by, are as good as their clocks. Ends when what it returns is dropped.
pub fn compare(health: &Arc<dyn Health>, clock: &Clock) -> AbortOnDropHandle<()> {
    let (health, clock) = (Arc::clone(health), Arc::clone(clock));
    AbortOnDropHandle::new(tokio::spawn(async move {
        loop {
            match ahead(&*health, &clock).await {
                Ok(Some(ahead)) if ahead.abs() > TOLERANCE => tracing::warn!(
                    seconds = ahead.as_seconds_f64(),
                    "this machine's clock is ahead of the database's by that much (behind, if \
                     negative): leases and lifetimes go wrong; set it by NTP"
                ),
                Ok(Some(_)) => {}
                Ok(None) => return,
                Err(error) => tracing::debug!(%error, "the clocks were not compared"),
            }
            sleep(CHECK).await;
        }
    }))
}

/// How much this clock is ahead of the store's, which told its time about halfway between question
/// and answer; `None` when it has none of its own.
pub async fn ahead(
    health: &dyn Health,
    clock: &Clock,
) -> Result<Option<time::Duration>, StoreError> {
    let asked = clock();
    let theirs = health.clock().await?;
    let answered = clock();
    Ok(theirs.map(|theirs| asked + (answered - asked) / 2 - theirs))
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use async_trait::async_trait;
    use domain::testing::noon;

    use super::*;

    const fn seconds(many: i64) -> time::Duration {
        time::Duration::seconds(many)
    }

    struct Server(time::Duration);

    #[async_trait]
    impl Health for Server {
        async fn ready(&self) -> Result<(), StoreError> {
            Ok(())
        }

        async fn clock(&self) -> Result<Option<OffsetDateTime>, StoreError> {
            Ok(Some(noon() + self.0))
        }
    }

    /// A clock that goes on by four seconds with each look at it.
    fn ticking() -> Clock {
        let time = Mutex::new(noon());
        Arc::new(move || {
            let mut time = time.lock().unwrap();
            *time += seconds(4);
            *time - seconds(4)
        })
    }

    #[tokio::test]
    async fn the_time_of_the_question_is_no_difference() {
        for (server, expect) in [(2, 0), (12, -10), (-8, 10)] {
            let ahead = ahead(&Server(seconds(server)), &ticking()).await.unwrap();
            assert_eq!(ahead, Some(seconds(expect)));
        }
    }
}
