//! The loop around a queue: claims tasks, handles them while their leases are renewed, and repeats.

use std::sync::Arc;

use async_trait::async_trait;
use kernel::{
    StoreError,
    outbox::{ClaimToken, Claimed, Queue},
};
use runtime::{Floor, Rounds, panics};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::{tasks::Tasks, wake::Signal};

#[async_trait]
pub(super) trait Handler: Send + Sync {
    type Permit: Send;

    fn queue(&self) -> Queue;

    fn most(&self) -> usize;

    /// The work that the loop may do even under load.
    fn floor(&self) -> Floor {
        Floor {
            batch: 16,
            a_second: 20,
        }
    }

    /// Whether other loops of this process take tasks from the same queue.
    fn is_shared_queue(&self) -> bool {
        false
    }

    /// Waits until tasks may be claimed. The loop holds the permit until these tasks are handled.
    async fn ready(&self) -> Self::Permit;

    /// Settles each claimed task. After `stop`, begins no further task and releases the others. An
    /// error means that the store is unavailable and the caller must release unsettled tasks.
    async fn handle(&self, tasks: &[Claimed], stop: &CancellationToken) -> Result<(), StoreError>;

    /// Dead-letters a poison task without handling it.
    async fn dead_letter(&self, task: &Claimed) -> Result<(), StoreError>;
}

/// Runs a loop around the handler's queue until `stop`. Several loops may share a handler.
pub(super) async fn run<H: Handler>(tasks: Tasks, handler: Arc<H>, stop: CancellationToken) {
    let queue = handler.queue();
    let signal = tasks.parts.wake.signal(queue);
    let mut rounds = Rounds::new(format!("work on {queue:?}"), stop.clone());
    while let Some(permit) = rounds.wait(handler.ready()).await {
        let start = Instant::now();
        let both = async {
            let poison = poison(&tasks, handler.as_ref(), &stop).await?;
            let claimed = round(&tasks, handler.as_ref(), &signal, &stop).await?;
            Ok::<_, StoreError>(poison + claimed)
        };
        let done = panics::caught(both).await;
        drop(permit);
        // After a failure, a wake-up does not shorten the wait, because every commit sends one.
        let pause = done.map(async |claimed| {
            if claimed == 0 {
                signal.called_within(tasks.settings().poll_every).await;
            } else {
                let throttle = &tasks.parts.throttle;
                sleep(throttle.pause(handler.floor(), claimed, start.elapsed())).await;
            }
        });
        rounds.end(pause).await;
    }
}

/// Claims a task that may be poison, and handles it alone. Returns the number of tasks: 0 or 1.
async fn poison<H: Handler>(
    tasks: &Tasks,
    handler: &H,
    stop: &CancellationToken,
) -> Result<usize, StoreError> {
    let queue = handler.queue();
    if !tasks.has_crashed(queue).await? {
        return Ok(0);
    }
    let exclusive = stop.run_until_cancelled(tasks.quarantine.exclusive());
    let Some(_exclusive) = exclusive.await else {
        return Ok(0);
    };
    let Some(task) = tasks.claim_crashed(queue).await? else {
        return Ok(0);
    };
    tasks.quarantine.look_again(queue);
    let (effect, lost) = (task.effect, task.lost);
    if task.is_poison() {
        // If this fails, the task is not released: a release would clear the record of its crash.
        handler.dead_letter(&task).await?;
        return Ok(1);
    }
    tracing::warn!(
        kind = %effect.kind(),
        key = %effect.key(),
        lost,
        "a task whose worker died is worked on exclusively"
    );
    work_on(tasks, handler, &[task], stop).await?;
    Ok(1)
}

async fn round<H: Handler>(
    tasks: &Tasks,
    handler: &H,
    signal: &Signal,
    stop: &CancellationToken,
) -> Result<usize, StoreError> {
    let queue = handler.queue();
    let shared = stop.run_until_cancelled(tasks.quarantine.shared(queue.kind()));
    let Some(_shared) = shared.await else {
        return Ok(0);
    };
    let most = (tasks.parts.throttle).batch(handler.floor(), handler.most());
    let claimed = tasks.claim(queue, most).await?;
    if claimed.is_empty() {
        return Ok(0);
    }
    if handler.is_shared_queue() {
        // There may be more tasks, so another waiting loop is woken.
        signal.call();
    }
    work_on(tasks, handler, &claimed, stop).await?;
    Ok(claimed.len())
}

async fn work_on<H: Handler>(
    tasks: &Tasks,
    handler: &H,
    claimed: &[Claimed],
    stop: &CancellationToken,
) -> Result<(), StoreError> {
    let tokens: Vec<ClaimToken> = claimed.iter().map(|task| task.token).collect();
    let patience = async {
        stop.cancelled().await;
        sleep(tasks.settings().stop_within).await;
    };
    let result = tokio::select! {
        result = panics::caught(handler.handle(claimed, stop)) => result,
        () = tasks.keep(&tokens) => Ok(()),
        () = patience => {
            let queue = handler.queue();
            let (kind, lane) = (queue.kind(), queue.lane());
            tracing::warn!(%kind, lane, "tasks that did not end in time are released");
            tasks.give_back(&tokens, time::Duration::ZERO).await;
            return Ok(());
        }
    };
    if result.is_err() {
        // The delay is needed because an immediate retry would fail the same way.
        tasks.give_back(&tokens, time::Duration::SECOND).await;
    }
    result
}
