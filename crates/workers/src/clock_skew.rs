//! The skew between this machine's clock and the store's.

use std::{sync::Arc, time::Duration};

use domain::store::StoreClock;
use kernel::StoreError;
use runtime::Clock;
use tokio::time::sleep;
use tokio_util::task::AbortOnDropHandle;

/// The interval between two comparisons of the clocks.
const CHECK: Duration = Duration::from_mins(1);

/// The clock skew that is tolerated.
pub const TOLERANCE: time::Duration = time::Duration::seconds(5);

/// Warns, now and every minute, if the store's clock and this one differ: leases of tasks, which
/// several processes share, are only as good as their clocks. Ends when the handle is dropped.
pub fn compare(store: &Arc<dyn StoreClock>, clock: &Clock) -> AbortOnDropHandle<()> {
    let (store, clock) = (Arc::clone(store), Arc::clone(clock));
    AbortOnDropHandle::new(tokio::spawn(async move {
        loop {
            match ahead(&*store, &clock).await {
                Ok(Some(ahead)) if ahead.abs() > TOLERANCE => tracing::warn!(
                    seconds = ahead.as_seconds_f64(),
                    "this machine's clock is ahead of the database's by that much (behind, if \
                     negative): leases of tasks and lifetimes go wrong; set it by NTP"
                ),
                Ok(Some(_)) => {}
                Ok(None) => return,
                Err(error) => tracing::debug!(%error, "the clocks were not compared"),
            }
            sleep(CHECK).await;
        }
    }))
}

/// This clock's lead over the store's, on the assumption that the store read its clock half-way
/// between request and answer; `None` if the store has no clock of its own.
pub async fn ahead(
    store: &dyn StoreClock,
    clock: &Clock,
) -> Result<Option<time::Duration>, StoreError> {
    let asked = clock();
    let theirs = store.time().await?;
    let answered = clock();
    Ok(theirs.map(|theirs| asked + (answered - asked) / 2 - theirs))
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use async_trait::async_trait;
    use kernel::testing::noon;
    use time::OffsetDateTime;

    use super::*;

    const fn seconds(many: i64) -> time::Duration {
        time::Duration::seconds(many)
    }

    struct Server(time::Duration);

    #[async_trait]
    impl StoreClock for Server {
        async fn time(&self) -> Result<Option<OffsetDateTime>, StoreError> {
            Ok(Some(noon() + self.0))
        }
    }

    /// A clock that advances by four seconds with each reading.
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
