//! Moves a subscriber from the old account to the new one. Each step may be done again, so a
//! move that failed half-way starts over; see [`usecase::begin_move`] for their order.

use std::sync::Arc;

use async_trait::async_trait;
use domain::outbox::{Claimed, Queue, Work};
use newsletter::{
    store::Store,
    subscriber::{Account, SubscriberId, provider::ProviderError},
    tasks,
    usecase::{self, Errand, MoveStep},
};

use super::{
    super::tasks::Tasks,
    job::{CONFLICTS, Errands, Trouble},
    leased::Line,
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
        tasks::MIGRATE
    }

    fn tasks(&self) -> &Tasks {
        &self.tasks
    }

    async fn ready(&self) {
        for account in Account::ALL {
            self.line.until_listed(*account).await;
        }
        self.line.ready(Account::ALL).await;
    }

    async fn carry_out(&self, task: &Claimed) -> Result<(), Trouble> {
        let Work::Effect(effect) = task.work else {
            return Ok(());
        };
        let (subscriber, receipt) = (SubscriberId::new(effect.key()), task.receipt);
        let _alone = self.line.people.alone(subscriber).await;
        for account in Account::ALL {
            self.line.admit(*account)?;
        }
        let (store, line) = (self.store.as_ref(), self.line.as_ref());
        let now = || self.tasks.now();
        let begin = || usecase::begin_move(store, receipt, subscriber, now());
        let Some(errand) = decide_again(CONFLICTS, begin).await? else {
            return Ok(());
        };
        let email = errand.state.profile.email.clone();
        let _alone = line.addresses.alone(email).await;
        let found = usecase::look_up(line, &errand).await?;
        let attempt = || usecase::record_found(store, &errand, found.as_ref(), false, now());
        let Some(joining) = go_on(decide_again(CONFLICTS, attempt).await?)? else {
            return Ok(());
        };
        let sight = usecase::join(line, &joining).await?;
        let attempt = || usecase::record_joined(store, &joining, &sight, now());
        let Some(errand) = go_on(decide_again(CONFLICTS, attempt).await?)? else {
            return Ok(());
        };
        // Somebody may have left while the new account was called.
        let was_there = found.is_some();
        let found = usecase::look_up(line, &errand).await?;
        let found = found.as_ref();
        let attempt = || usecase::record_found(store, &errand, found, was_there, now());
        if go_on(decide_again(CONFLICTS, attempt).await?)?.is_none() {
            return Ok(());
        }
        usecase::leave(line, found).await?;
        let attempt = || usecase::record_move(store, &joining, now());
        decide_again(CONFLICTS, attempt).await?;
        Ok(())
    }
}

/// What a move goes on with, if it does.
fn go_on(step: MoveStep) -> Result<Option<Errand>, ProviderError> {
    match step {
        MoveStep::GoOn(errand) => Ok(Some(errand)),
        MoveStep::Over => Ok(None),
        MoveStep::Stuck(error) => Err(error),
    }
}
