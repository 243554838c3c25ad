//! The loop around a queue: claim, have it handled while its leases are renewed, again.

use std::sync::Arc;

use async_trait::async_trait;
use kernel::{
    StoreError,
    outbox::{Claimed, Queue, Receipt},
};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::{tasks::Tasks, wake::Wake};
use crate::{panics, waits};

/// Handles the tasks of a queue.
#[async_trait]
pub(super) trait Handler: Send + Sync {
    /// A permit to claim tasks and to handle them.
    type Permit: Send;

    /// The queue.
    fn queue(&self) -> Queue;

    /// Tasks per claim at most.
    fn most(&self) -> usize;

    /// Whether other loops of this process take tasks of the same queue.
    fn is_shared_queue(&self) -> bool {
        false
    }

    /// Waits for the permit, which is held until the claimed tasks are handled.
    async fn ready(&self) -> Self::Permit;

    /// Handles claimed tasks: each is finished, put off or given up. An error means that the
    /// store cannot be reached, and that unsettled tasks are to be given back.
    ///
    /// After `stop` is cancelled an implementation begins no further task, and gives those back.
    async fn handle(&self, tasks: &[Claimed], stop: &CancellationToken) -> Result<(), StoreError>;

    /// Gives up a task that workers died of, without working on it.
    async fn give_up(&self, task: &Claimed) -> Result<(), StoreError>;
}

/// Claims and handles tasks until it is stopped. Several loops may share a handler.
pub(super) async fn run<H: Handler>(
    tasks: Tasks,
    handler: Arc<H>,
    wake: Arc<Wake>,
    stop: CancellationToken,
) {
    let mut outage = None;
    let queue = handler.queue();
    let kind = queue.kind();
    loop {
        let pass = tokio::select! {
            biased;
            () = stop.cancelled() => return,
            pass = handler.ready() => pass,
        };
        let start = Instant::now();
        let both = async {
            let suspects = suspect(&tasks, handler.as_ref(), &stop).await?;
            Ok::<_, StoreError>(suspects + round(&tasks, handler.as_ref(), &wake, &stop).await?)
        };
        let done = panics::caught(both).await;
        drop(pass);
        match done {
            Ok(claimed) => {
                outage = None;
                if claimed == 0 {
                    tokio::select! {
                        () = wake.called_within(queue, tasks.settings.poll_every) => {}
                        () = stop.cancelled() => {}
                    }
                } else {
                    tokio::select! {
                        () = sleep(tasks.throttle.pause(kind.into(), claimed, start.elapsed())) => {}
                        () = stop.cancelled() => {}
                    }
                }
            }
            Err(error) => {
                let waits = outage.get_or_insert_with(waits::after_failures);
                let wait = waits.next().unwrap_or_default();
                tracing::warn!(?queue, %error, ?wait, "background work waits");
                // A wake-up does not cut this short: every commit sends one.
                tokio::select! {
                    () = sleep(wait) => {}
                    () = stop.cancelled() => {}
                }
            }
        }
    }
}

/// Claims one suspect, if there is any, and handles it alone; returns how many there were.
async fn suspect<H: Handler>(
    tasks: &Tasks,
    handler: &H,
    stop: &CancellationToken,
) -> Result<usize, StoreError> {
    let queue = handler.queue();
    if !tasks.has_suspect(queue).await? {
        return Ok(0);
    }
    let _alone = tokio::select! {
        alone = tasks.quarantine.alone() => alone,
        () = stop.cancelled() => return Ok(0),
    };
    let Some(task) = tasks.claim_suspect(queue).await? else {
        return Ok(0);
    };
    tasks.quarantine.look_again(queue);
    let (effect, lost) = (task.effect, task.lost);
    if task.is_lethal() {
        // After a failure here the task is not given back: that would clear the suspicion.
        handler.give_up(&task).await?;
        return Ok(1);
    }
    tracing::warn!(?effect, lost, "a task whose worker died is worked on alone");
    work_on(tasks, handler, &[task], stop).await?;
    Ok(1)
}

/// Claims a batch and handles it; returns its size.
async fn round<H: Handler>(
    tasks: &Tasks,
    handler: &H,
    wake: &Wake,
    stop: &CancellationToken,
) -> Result<usize, StoreError> {
    let queue = handler.queue();
    let _beside = tokio::select! {
        beside = tasks.quarantine.beside_others(queue.kind()) => beside,
        () = stop.cancelled() => return Ok(0),
    };
    let claimed = tasks.claim(queue, handler.most()).await?;
    if claimed.is_empty() {
        return Ok(0);
    }
    if handler.is_shared_queue() {
        // There may be more tasks, and another loop is waiting.
        wake.call(queue);
    }
    work_on(tasks, handler, &claimed, stop).await?;
    Ok(claimed.len())
}

/// Handles claimed tasks while their leases are renewed.
async fn work_on<H: Handler>(
    tasks: &Tasks,
    handler: &H,
    claimed: &[Claimed],
    stop: &CancellationToken,
) -> Result<(), StoreError> {
    let receipts: Vec<Receipt> = claimed.iter().map(|task| task.receipt).collect();
    let patience = async {
        stop.cancelled().await;
        sleep(tasks.settings.stop_within).await;
    };
    let result = tokio::select! {
        result = panics::caught(handler.handle(claimed, stop)) => result,
        never = tasks.keep(&receipts) => match never {},
        () = patience => {
            let queue = handler.queue();
            tracing::warn!(?queue, "work that took too long to stop is given back");
            tasks.give_back(&receipts, time::Duration::ZERO).await;
            return Ok(());
        }
    };
    if result.is_err() {
        // Later: at once, the same would happen again.
        tasks.give_back(&receipts, time::Duration::SECOND).await;
    }
    result
}
