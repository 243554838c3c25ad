//! The loop around a queue: claim, have it handled while its leases are renewed, again.

use std::sync::Arc;

use async_trait::async_trait;
use domain::{
    outbox::{Claimed, Queue, Receipt},
    store::StoreError,
};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::{tasks::Tasks, wake::Wake};
use crate::{panics, waits};

/// Does what the tasks of a queue ask for.
#[async_trait]
pub(super) trait Handler: Send + Sync {
    /// The queue.
    fn queue(&self) -> Queue;

    /// How many tasks it takes at once at most.
    fn most(&self) -> usize;

    /// Waits until it makes sense to claim anything.
    async fn ready(&self) {}

    /// Handles claimed tasks: each is finished, put off or given up. An error means that the
    /// store cannot be reached, and that what was not settled is to be given back.
    ///
    /// When `stop` is cancelled it should not begin with anything more, and give that back.
    async fn handle(&self, tasks: &[Claimed], stop: &CancellationToken) -> Result<(), StoreError>;
}

/// Handles tasks until it is stopped.
pub(super) async fn run<H: Handler>(
    tasks: Tasks,
    handler: H,
    wake: Arc<Wake>,
    stop: CancellationToken,
) {
    let mut outage = None;
    let queue = handler.queue();
    loop {
        tokio::select! {
            biased;
            () = stop.cancelled() => return,
            () = handler.ready() => {}
        }
        let start = Instant::now();
        match panics::caught(round(&tasks, &handler, &stop)).await {
            Ok(claimed) => {
                outage = None;
                if claimed == 0 {
                    tokio::select! {
                        () = wake.called(queue) => {}
                        () = sleep(waits::about(tasks.settings.poll_every)) => {}
                        () = stop.cancelled() => {}
                    }
                } else {
                    tokio::select! {
                        () = sleep(tasks.courtesy.rest(start.elapsed())) => {}
                        () = stop.cancelled() => {}
                    }
                }
            }
            Err(error) => {
                let waits = outage.get_or_insert_with(waits::after_failures);
                let wait = waits.next().unwrap_or_default();
                tracing::warn!(?queue, %error, ?wait, "background work waits");
                // A call does not cut this short: calls come with every commit.
                tokio::select! {
                    () = sleep(wait) => {}
                    () = stop.cancelled() => {}
                }
            }
        }
    }
}

/// One claim and what comes of it; says how many tasks there were.
async fn round<H: Handler>(
    tasks: &Tasks,
    handler: &H,
    stop: &CancellationToken,
) -> Result<usize, StoreError> {
    let queue = handler.queue();
    let claimed = tasks.claim(queue, handler.most()).await?;
    if claimed.is_empty() {
        return Ok(0);
    }
    let receipts: Vec<Receipt> = claimed.iter().map(|task| task.receipt).collect();
    let patience = async {
        stop.cancelled().await;
        sleep(tasks.settings.stop_within).await;
    };
    let result = tokio::select! {
        result = panics::caught(handler.handle(&claimed, stop)) => result,
        never = tasks.keep(&receipts) => match never {},
        () = patience => {
            tracing::warn!(?queue, "work that took too long to stop is given back");
            tasks.give_back(&receipts, time::Duration::ZERO).await;
            return Ok(claimed.len());
        }
    };
    match result {
        Ok(()) => Ok(claimed.len()),
        Err(error) => {
            // Not at once: the same would happen again.
            tasks.give_back(&receipts, time::Duration::SECOND).await;
            Err(error)
        }
    }
}
