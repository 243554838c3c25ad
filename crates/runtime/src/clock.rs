//! The clock, which is passed to use cases.

use std::sync::Arc;

use time::OffsetDateTime;

/// The source of the current time.
pub type Clock = Arc<dyn Fn() -> OffsetDateTime + Send + Sync>;

/// The current time, cut to the precision of the stores.
pub fn now() -> OffsetDateTime {
    kernel::microseconds(OffsetDateTime::now_utc())
}

/// This machine's clock.
pub fn system() -> Clock {
    Arc::new(now)
}
