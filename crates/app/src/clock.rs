//! The time, as everything below takes it: an argument.

use std::sync::Arc;

use time::OffsetDateTime;

/// Where the time comes from.
pub type Clock = Arc<dyn Fn() -> OffsetDateTime + Send + Sync>;

/// The time now, cut to what every store keeps.
pub fn now() -> OffsetDateTime {
    domain::microseconds(OffsetDateTime::now_utc())
}

/// The clock of this machine.
pub fn system() -> Clock {
    Arc::new(now)
}
