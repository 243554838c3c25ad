//! The background work of Posthaste, on ports only: work that follows from commits, and periodic
//! jobs.
//!
//! Several loops run side by side, so that none waits for another:
//!
//! - Tasks of the outbox: [`enrich`], [`duplicates`], [`companies`], [`newsletter`]. [`poll`]
//!   claims them and renews their leases, [`tasks`] decides about failures. A commit of this
//!   process wakes the loops ([`wake`], [`observed`]). For commits of other processes they poll
//!   every second.
//! - [`webhooks`] delivers events to receivers.
//! - [`jobs`] ends lifetimes, and deletes old rows.
//! - [`activity`] writes what clients did; [`replica`] measures the lag of a replica.
//!
//! Under load the loops give way to pushes, and long computations have threads of low priority
//! ([`background`]). A remote [`enricher`] has several loops with one posting each, and a [circuit
//! breaker](model_breaker).
//!
//! No loop ends: failures and panics are logged, and the work is retried. If a batch fails, its
//! tasks are handled one by one ([`split`]). A task whose worker died runs exclusively
//! ([`quarantine`]), and is dead-lettered after three deaths.
//!
//! A kind of task is a file and a line of [`HANDLERS`]; a periodic job is a file and a line of
//! [`jobs`].

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

/// Beyond the loops' own time limit, if the store does not answer.
const GRACE: Duration = Duration::from_secs(2);

/// Fails if the threads cannot be created.
///
/// A stop claims nothing more, and finishes its tasks or gives them back. Other leases expire.
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
