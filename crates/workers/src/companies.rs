//! Moves the postings of merged or unmerged companies, and finds companies that may be duplicates.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use domain::{
    posting::COMPANIES,
    usecase::{Settling, settle_batch},
};
use kernel::{
    CompanyId, StoreError,
    outbox::{Claimed, Queue},
};
use runtime::{BULK, bulk_pause, decide_again};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::{
    poll::{self, Handler},
    split::SplitBatch,
    tasks::{Failure, KindHandler, Tasks},
};

const AT_ONCE: usize = 64;

/// The time limit for a batch that conflicts with pushes.
const CONFLICTS: Duration = Duration::from_secs(5);

struct Companies(Tasks);

pub(super) const HANDLER: KindHandler = KindHandler {
    kinds: &[COMPANIES.kind()],
    start: |tasks, loops| {
        let (tasks, handler) = (tasks.clone(), Arc::new(Companies(tasks.clone())));
        loops.spawn(|stop| poll::run(tasks, handler, stop));
    },
};

#[async_trait]
impl Handler for Companies {
    type Permit = ();

    fn queue(&self) -> Queue {
        COMPANIES
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
        let mut split = SplitBatch::new(&self.0, tasks.len());
        for task in tasks {
            let done = self.settle(task, stop).await;
            split.note(task, done).await?;
        }
        Ok(())
    }
}

impl Companies {
    /// Works on a task until the task is done or postponed, or a stop releases it. An interrupted
    /// task later continues with the remaining postings.
    async fn settle(&self, task: &Claimed, stop: &CancellationToken) -> Result<(), StoreError> {
        let stores = &self.0.parts.stores;
        let ports = (&*stores.store, &*stores.companies);
        let company = CompanyId::new(task.effect.key());
        let mut after = None;
        loop {
            if stop.is_cancelled() {
                self.0.give_back(&[task.token], time::Duration::ZERO).await;
                return Ok(());
            }
            let start = Instant::now();
            let page = (after, BULK);
            let settle = || settle_batch(ports, (task.token, company), page, self.0.now());
            match decide_again(CONFLICTS, settle).await? {
                Settling::After(posting) => {
                    after = Some(posting);
                    let pause = bulk_pause(BULK, start.elapsed());
                    stop.run_until_cancelled(sleep(pause)).await;
                }
                Settling::Again(at) => {
                    self.0.give_back(&[task.token], at - self.0.now()).await;
                    return Ok(());
                }
                Settling::Done => return Ok(()),
            }
        }
    }
}
