//! What services share at run time. The crate knows no use case.
//!
//! - [`conflicts`]: a use case is decided again after conflicts, and a call is made again after
//!   failures. [`waits`]: the growing waits with jitter between.
//! - [`loops`]: loops that run until they are stopped. [`rounds`]: one that works while the store
//!   is available. [`lease`]: keeps a lease. [`batches`]: cleans up in batches. [`cached`]: keeps a
//!   value for a time. [`recent`]: remembers keys for a time. [`gathered`]: looks up the keys of
//!   many callers together.
//! - [`panics`]: a panic is an error, so that a defect in one item ends no loop over all.
//! - [`throttle`]: background work gives way while many clients push. [`cores`]: the division of
//!   the machine's cores.
//! - [`clock`]: the current time. [`metrics!`]: declares metrics.

pub mod batches;
pub mod cached;
pub mod clock;
pub mod conflicts;
pub mod cores;
pub mod gathered;
pub mod lease;
pub mod loops;
mod metrics;
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
    throttle::{BusyProbe, Floor, Throttle},
    waits::{Waits, Within},
};
