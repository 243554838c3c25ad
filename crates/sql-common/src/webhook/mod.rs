//! The tables `webhook_endpoints`, `webhook_waiting` and `webhook_deliveries`.
//!
//! A transaction that writes waiting events or deliveries first locks the endpoint's row. If it
//! locks several endpoints, it does so in the order of ids, or skips locked ones. So no two
//! transactions block each other.

mod delivery;
mod endpoint;
mod lease;
mod round;
mod waiting;

pub use self::{delivery::*, endpoint::*, lease::*, round::*, waiting::*};
