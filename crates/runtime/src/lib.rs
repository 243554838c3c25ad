//! Run-time parts that all services share. The crate knows no use case.
//!
//! - Failures: [`conflicts`], [`waits`] (back-off with jitter), [`panics`].
//! - Background work: [`loops`], [`rounds`] (which back off while the store is unavailable),
//!   [`lease`], [`batches`], [`throttle`], [`cores`].
//! - Memory: [`cached`], [`recent`], [`gathered`] (which combines the lookups of many callers).
//! - [`clock`] and [`metrics`](mod@metrics).

pub mod batches;
pub mod cached;
pub mod clock;
pub mod conflicts;
pub mod cores;
pub mod gathered;
pub mod lease;
pub mod loops;
pub mod metrics;
pub mod panics;
pub mod recent;
pub mod rounds;
pub mod throttle;
pub mod waits;

pub use kernel::RetryPolicy;

pub use self::{
    batches::Cleanup,
    cached::Cached,
    clock::Clock,
    conflicts::{COMMAND_PATIENCE, decide_again, retry},
    gathered::Gathered,
    loops::Loops,
    recent::Recent,
    rounds::Rounds,
    throttle::{BULK, BusyProbe, Floor, Throttle, bulk_pause},
    waits::{Waits, Within},
};
