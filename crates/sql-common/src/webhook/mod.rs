//! The tables `webhook_endpoints`, `webhook_waiting` and `webhook_deliveries`.

mod delivery;
mod endpoint;
mod lease;
mod waiting;

pub use self::{delivery::*, endpoint::*, lease::*, waiting::*};

fn most(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}
