mod attention;
mod deleted;
mod deletions;
mod events;
mod expiry;
mod held;
mod job;

use std::sync::Arc;

use kernel::outbox::Kind;
use runtime::{Loops, panics, waits};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use self::{deletions::DELETIONS, job::Job};
use crate::parts::WorkerParts;

fn all(kinds: &'static [Kind]) -> Vec<Box<dyn Job>> {
    let mut all: Vec<Box<dyn Job>> = vec![
        Box::new(attention::Attention::new(kinds)),
        Box::<expiry::Expiry>::default(),
        Box::new(deleted::Deleted),
        Box::new(events::Events),
        Box::new(held::Held),
    ];
    all.extend(DELETIONS.map(|it| Box::new(it) as _));
    all
}

pub(super) fn start(parts: &Arc<WorkerParts>, kinds: &'static [Kind], loops: &mut Loops) {
    for job in all(kinds) {
        let parts = Arc::clone(parts);
        loops.spawn(|stop| repeat(job, parts, stop));
    }
}

async fn repeat(mut job: Box<dyn Job>, parts: Arc<WorkerParts>, stop: CancellationToken) {
    while !stop.is_cancelled() {
        if let Err(error) = panics::caught(job.run(&parts, &stop)).await {
            tracing::warn!(%error, "{} wait for the next run", job.subject());
        }
        let pause = sleep(waits::jittered(job.every(&parts)));
        stop.run_until_cancelled(pause).await;
    }
}
