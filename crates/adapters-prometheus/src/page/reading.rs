use std::time::Duration;

use kernel::StoreError;
use runtime::{Cached, panics};
use tokio::time::timeout;

/// The time limit of a read: less than the ten seconds that monitors wait.
const STORE_TIMEOUT: Duration = Duration::from_secs(5);

/// How long state is cached, so that frequent requests cost little.
pub const STATE_LIFETIME: Duration = Duration::from_secs(5);

/// Limits the time of a read. A panic of the store counts as a failure.
pub async fn in_time<T>(
    answer: impl Future<Output = Result<T, StoreError>> + Send,
) -> Result<T, StoreError> {
    timeout(STORE_TIMEOUT, panics::caught(answer))
        .await
        .unwrap_or_else(|elapsed| Err(StoreError::Unavailable(elapsed.to_string())))
}

/// A cached part of the page. A failure is cached as well, because a failing read may take long.
pub struct Reading<T> {
    part: &'static str,
    cached: Cached<Option<T>>,
}

impl<T: Clone> Reading<T> {
    /// `part` is the name in the log.
    pub const fn new(part: &'static str, lifetime: Duration) -> Self {
        Self {
            part,
            cached: Cached::new(lifetime),
        }
    }

    /// Returns the part, or `None` if it could not be read.
    pub async fn look(
        &self,
        read: impl Future<Output = Result<T, StoreError>> + Send,
    ) -> Option<T> {
        let read = async {
            let read = in_time(read).await;
            read.inspect_err(|error| tracing::warn!(%error, "the metrics lack {}", self.part))
                .ok()
        };
        self.cached.get(read).await
    }
}

/// Converts a count for a gauge, whose value is a float.
#[expect(
    clippy::cast_precision_loss,
    reason = "nothing here counts to more than 2^53"
)]
pub const fn number(count: u64) -> f64 {
    count as f64
}
