//! Looks up anew which postings duplicate each other.

use std::{sync::Arc, time::Duration};

use access::Clients;
use async_trait::async_trait;
use domain::{posting::DUPLICATES, store::Store, usecase};
use kernel::{
    PostingId, StoreError,
    outbox::{Claimed, Queue},
};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::{
    poll::{self, Handler},
    split::SplitBatch,
    tasks::{Failure, Tasks},
    wake::Wake,
};
use crate::conflicts::decide_again;

/// The number of searches that are claimed at once. Most have nothing to do.
const AT_ONCE: usize = 64;

/// The time limit for a search that others interfere with.
const CONFLICTS: Duration = Duration::from_millis(300);

/// The handler of searches for duplicates.
pub(super) struct Searches {
    pub store: Arc<dyn Store>,
    pub clients: Arc<dyn Clients>,
    pub tasks: Tasks,
}

impl Searches {
    pub fn start(self, wake: Arc<Wake>, loops: &mut JoinSet<()>, stop: &CancellationToken) {
        let tasks = self.tasks.clone();
        loops.spawn(poll::run(tasks, Arc::new(self), wake, stop.clone()));
    }
}

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

    async fn give_up(&self, task: &Claimed) -> Result<(), StoreError> {
        self.tasks.give_up(task, &Failure::lethal()).await;
        Ok(())
    }

    async fn handle(&self, tasks: &[Claimed], stop: &CancellationToken) -> Result<(), StoreError> {
        let store = &*self.store;
        let all: Vec<_> = tasks
            .iter()
            .map(|task| (task.receipt, PostingId::new(task.effect.key())))
            .collect();
        let busy = match usecase::finish_idle_searches(store, &all, self.tasks.now()).await {
            // A row of one of them is held, or a lease was lost.
            Err(StoreError::Locked(_) | StoreError::Conflict) => all,
            busy => busy?,
        };
        let mut split = SplitBatch::new(&self.tasks, busy.len());
        for (n, search) in busy.iter().enumerate() {
            if stop.is_cancelled() {
                let rest: Vec<_> = busy[n..].iter().map(|(receipt, _)| *receipt).collect();
                self.tasks.give_back(&rest, time::Duration::ZERO).await;
                break;
            }
            let look_up = || usecase::look_up(store, &*self.clients, *search, self.tasks.now());
            let done = decide_again(CONFLICTS, look_up).await;
            if let Some(task) = tasks.iter().find(|task| task.receipt == search.0) {
                split.note(task, done).await?;
            }
        }
        Ok(())
    }
}
