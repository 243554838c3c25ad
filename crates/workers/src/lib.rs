//! The background work of Posthaste, on ports alone: what follows from commits, and what is done at
//! intervals.
//!
//! Several loops run side by side, so that none waits for another:
//!
//! - Tasks of the outbox: [`enrich`] enriches postings, [`duplicates`] looks up anew which ones
//!   duplicate each other, [`newsletter`] tells the e-mail provider. [`poll`] claims them and keeps
//!   their leases, [`tasks`] decides about a failed one. A commit of this process wakes them
//!   ([`wake`], [`observed`]); for the commits of others they look every second.
//! - [`webhooks`] delivers events to receivers.
//! - [`jobs`] ends lifetimes, and deletes what is over.
//! - [`activity`] writes what clients did; [`replica`] tells how far a replica is behind.
//!
//! While many clients push they give way, and long computations have threads of low priority
//! ([`background`]). An enricher that is somewhere else ([`enricher`]) has several loops, each with
//! one posting at a time, and a [circuit breaker](model_breaker), as each account of the e-mail
//! provider has.
//!
//! None of them ever dies: what fails is logged and tried again, and a panic is a failure. A batch
//! that fails as a whole is gone through task by task ([`split`]). The process may die, though, and
//! of one task: one whose worker died is worked on alone ([`quarantine`]), and is dead after three
//! deaths.
//!
//! A kind of task is a file and a line of [`HANDLERS`]; a periodic job is a file and a line of
//! [`jobs`].

mod activity;
mod background;
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

/// Everything that works on tasks, in the order in which their kinds are shown.
const HANDLERS: [KindHandler; 3] = [enrich::HANDLER, duplicates::HANDLER, newsletter::HANDLER];

/// Every kind of task that this program has.
pub fn kinds() -> &'static [Kind] {
    static KINDS: LazyLock<Vec<Kind>> =
        LazyLock::new(|| HANDLERS.iter().flat_map(|of| of.kinds).copied().collect());
    &KINDS
}

/// The time beyond their own limit in which loops may stop, for a store that does not answer.
const GRACE: Duration = Duration::from_secs(2);

/// Starts to work. Fails when there can be no threads for it.
///
/// A stop claims nothing more, and finishes what is under way or gives it back. Whatever it cannot
/// even give back is somebody else's once its lease ends.
pub fn start(parts: WorkerParts) -> io::Result<Loops> {
    let grace = parts.settings.stop_within + GRACE;
    let mut loops = Loops::new(grace, "its work is due again when its lease ends");
    let tasks = Tasks::new(parts)?;
    for handler in HANDLERS {
        (handler.start)(&tasks, &mut loops);
    }
    webhooks::start(&tasks.parts, &mut loops);
    jobs::start(&tasks.parts, &mut loops);
    Ok(loops)
}
