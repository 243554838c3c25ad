//! The background work of Posthaste, on ports only: work that follows from commits, and periodic
//! jobs.
//!
//! Several loops run concurrently, so that none waits for another:
//!
//! - Tasks of the outbox: [`enrich`], [`duplicates`], [`companies`], [`newsletter`]. [`poll`]
//!   claims tasks and renews their leases, and [`tasks`] handles failures. A commit of this process
//!   wakes the loops ([`wake`], [`observed`]). To find commits of other processes, the loops poll
//!   every second.
//! - [`webhooks`] delivers events to receivers.
//! - [`jobs`] ends lifetimes and deletes old rows.
//! - [`activity`] writes the activity of clients; [`replica`] measures the lag of a replica.
//!
//! Under load, pushes have priority over the loops, and long computations run on low-priority
//! threads ([`background`]). A remote [`enricher`] has several loops, each with one posting at a
//! time, and a [circuit breaker](model_breaker).
//!
//! No loop ends because of an error or a panic: both are logged, and the work is retried. If a
//! batch fails, its tasks are handled one by one ([`split`]). A task whose worker died runs alone
//! ([`quarantine`]); after three such deaths it is dead-lettered.
//!
//! To add a kind of task, add a file and a line to [`HANDLERS`]. To add a periodic job, add a file
//! and a line to [`jobs`].

mod activity;
mod background;
mod companies;
mod duplicates;
mod enrich;
mod enricher;
mod feed;
mod jobs;
pub mod metrics;
mod model_breaker;
mod newsletter;
mod observed;
mod parts;
mod poll;
mod quarantine;
pub mod replica;
mod settings;
mod split;
mod tasks;
mod wake;
mod webhooks;

#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;

use std::{io, sync::LazyLock, time::Duration};

use kernel::outbox::Kind;
use runtime::Loops;

use self::tasks::{KindHandler, Tasks};
pub use self::{
    activity::Activities,
    enricher::{Enriching, enriching},
    feed::Feed,
    model_breaker::ModelBreaker,
    newsletter::{
        launch::{Launch, LaunchEnd},
        service::{Links, NewsletterService},
        walk::ListWalk,
    },
    observed::{ObservedStore, Observer},
    parts::{Body, WorkerParts},
    settings::WorkerSettings,
    wake::Wake,
};

const HANDLERS: [KindHandler; 4] = [
    enrich::HANDLER,
    duplicates::HANDLER,
    companies::HANDLER,
    newsletter::HANDLER,
];

pub fn kinds() -> &'static [Kind] {
    static KINDS: LazyLock<Vec<Kind>> =
        LazyLock::new(|| HANDLERS.iter().flat_map(|of| of.kinds).copied().collect());
    &KINDS
}

/// The time beyond the loops' own limit, in case the store does not answer.
const GRACE: Duration = Duration::from_secs(2);

/// Starts the background loops. Fails if their threads cannot be created.
///
/// After a stop, the loops claim nothing more, and finish or release tasks. If the time is too
/// short, the remaining leases expire.
pub fn start(parts: WorkerParts) -> io::Result<Loops> {
    let grace = parts.settings.stop_within + GRACE;
    let mut loops = Loops::new(grace, "its work is due again when its lease ends");
    let tasks = Tasks::new(parts)?;
    for handler in HANDLERS {
        (handler.start)(&tasks, &mut loops);
    }
    webhooks::start(&tasks.parts, &mut loops);
    jobs::start(&tasks.parts, kinds(), &mut loops);
    Ok(loops)
}
