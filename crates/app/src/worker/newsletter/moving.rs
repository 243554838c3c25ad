//! Moves a subscriber from the old account to the new one. Each step may be done again, so a
//! move that failed half-way starts over; see [`usecase::moves`] for their order.

use std::{slice, sync::Arc};

use async_trait::async_trait;
use domain::{
    outbox::{Claimed, Effect, Queue, Work},
    store::Store,
    subscriber::Account,
    usecase,
};

use super::{
    super::tasks::Tasks,
    errand::{CONFLICTS, Errands, Trouble},
    line::Line,
};
use crate::conflicts::decide_again;

/// Moves.
pub(super) struct Moves {
    pub store: Arc<dyn Store>,
    pub line: Arc<Line>,
    pub tasks: Tasks,
}

#[async_trait]
impl Errands for Moves {
    fn queue(&self) -> Queue {
        Queue::Migrate
    }

    fn tasks(&self) -> &Tasks {
        &self.tasks
    }

    async fn ready(&self) {
        self.line.ready(Account::ALL).await;
    }

    async fn carry_out(&self, task: &Claimed) -> Result<(), Trouble> {
        let Work::Effect(Effect::Migrate(subscriber)) = task.work else {
            return Ok(());
        };
        let _alone = self.line.people.alone(subscriber).await;
        for account in Account::ALL {
            self.line.admit(*account)?;
        }
        let (store, line) = (self.store.as_ref(), self.line.as_ref());
        let now = || self.tasks.now();
        let named = [(task.receipt, subscriber)];
        for errand in decide_again(CONFLICTS, || usecase::moves(store, &named, now())).await? {
            let found = usecase::look_up(line, &errand).await?;
            let attempt = || usecase::record_found(store, &errand, found.as_ref(), now());
            let Some(errand) = decide_again(CONFLICTS, attempt).await? else {
                continue;
            };
            let told = usecase::carry_over(line, &errand, found.as_ref()).await?;
            let attempt = || usecase::record_moves(store, slice::from_ref(&told), now());
            decide_again(CONFLICTS, attempt).await?;
        }
        Ok(())
    }
}
