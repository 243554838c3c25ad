use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use domain::{posting::DUPLICATES, usecase};
use kernel::{
    PostingId, StoreError,
    outbox::{Claimed, Queue},
};
use runtime::decide_again;
use tokio_util::sync::CancellationToken;

use super::{
    poll::{self, Handler},
    split::SplitBatch,
    tasks::{Failure, KindHandler, Tasks},
};

/// The most searches per claim: many, because most searches have nothing to do.
const AT_ONCE: usize = 64;

/// The time limit for retries after conflicts.
const CONFLICTS: Duration = Duration::from_millis(300);

struct Searches(Tasks);

pub(super) const HANDLER: KindHandler = KindHandler {
    kinds: &[DUPLICATES.kind()],
    start: |tasks, loops| {
        let (tasks, handler) = (tasks.clone(), Arc::new(Searches(tasks.clone())));
        loops.spawn(|stop| poll::run(tasks, handler, stop));
    },
};

#[async_trait]
impl Handler for Searches {
    type Permit = ();

    fn queue(&self) -> Queue {
        DUPLICATES
    }

    fn most(&self) -> usize {
        AT_ONCE
    }

    async fn ready(&self) {}

    async fn dead_letter(&self, task: &Claimed) -> Result<(), StoreError> {
        self.0.dead_letter(task, &Failure::poison()).await;
        Ok(())
    }

    async fn handle(&self, tasks: &[Claimed], stop: &CancellationToken) -> Result<(), StoreError> {
        let store = &*self.0.parts.stores.store;
        let all: Vec<_> = tasks
            .iter()
            .map(|task| (task.token, PostingId::new(task.effect.key())))
            .collect();
        let busy = match usecase::finish_idle_searches(store, &all, self.0.now()).await {
            // A row is locked, or a lease was lost: search for each posting alone.
            Err(StoreError::Locked(_) | StoreError::Conflict) => all,
            busy => busy?,
        };
        let mut split = SplitBatch::new(&self.0, busy.len());
        for (n, search) in busy.iter().enumerate() {
            if stop.is_cancelled() {
                let rest: Vec<_> = busy[n..].iter().map(|(token, _)| *token).collect();
                self.0.give_back(&rest, time::Duration::ZERO).await;
                break;
            }
            let look_up = || usecase::look_up(store, *search, self.0.now());
            let done = decide_again(CONFLICTS, look_up).await;
            if let Some(task) = tasks.iter().find(|task| task.token == search.0) {
                split.note(task, done).await?;
            }
        }
        Ok(())
    }
}
