mod attention;
mod deleted;
mod drafts;
mod events;
mod expiry;
mod held;
mod job;
mod missed;
mod reporters;
mod sessions;
mod texts;
mod versions;

use std::sync::Arc;

use kernel::outbox::Kind;
use runtime::{Loops, panics, waits};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use self::job::Job;
use crate::parts::WorkerParts;

fn all(kinds: &'static [Kind]) -> Vec<Box<dyn Job>> {
    vec![
        Box::new(attention::Attention::new(kinds)),
        Box::<expiry::Expiry>::default(),
        Box::new(deleted::Deleted),
        Box::new(drafts::Drafts),
        Box::new(events::Events),
        Box::new(held::Held),
        Box::new(missed::Missed),
        Box::new(reporters::Reporters),
        Box::new(sessions::Sessions),
        Box::new(texts::Texts),
        Box::new(versions::Versions),
    ]
}

/// Starts the jobs, of a program that works on these kinds of tasks.
pub(super) fn start(parts: &Arc<WorkerParts>, kinds: &'static [Kind], loops: &mut Loops) {
    for job in all(kinds) {
        let parts = Arc::clone(parts);
        loops.spawn(|stop| repeat(job, parts, stop));
    }
}

async fn repeat(mut job: Box<dyn Job>, parts: Arc<WorkerParts>, stop: CancellationToken) {
    while !stop.is_cancelled() {
        if let Err(error) = panics::caught(job.run(&parts, &stop)).await {
            tracing::warn!(%error, "{} wait for the next time", job.subject());
        }
        let pause = sleep(waits::jittered(job.every(&parts)));
        stop.run_until_cancelled(pause).await;
    }
}
