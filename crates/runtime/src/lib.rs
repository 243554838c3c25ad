//! What services share at run time. The crate knows no use case.
//!
//! - [`conflicts`]: retries a use case after conflicts, and a call after transient failures.
//!   [`waits`]: back-off with jitter.
//! - [`loops`]: loops that run until they are stopped. [`rounds`]: a loop that backs off while the
//!   store is unavailable. [`lease`]: keeps a lease. [`batches`]: cleans up in batches.
//! - [`cached`]: caches a value for a time. [`recent`]: remembers keys for a time. [`gathered`]:
//!   combines the look-ups of many callers.
//! - [`panics`]: turns a panic into an error, so that a defect in one item ends no loop over all.
//! - [`throttle`]: slows background work while many clients push. [`cores`]: divides the machine's
//!   cores.
//! - [`clock`]: the current time. [`metrics`](mod@metrics): declares metrics.

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
    throttle::{BusyProbe, Floor, Throttle},
    waits::{Waits, Within},
};
