//! Moves subscribers from the old account to the new one. Each step can be repeated, so a failed
//! move starts over; see [`usecase::begin_move`] for the order.

use std::sync::Arc;

use async_trait::async_trait;
use kernel::outbox::{Claimed, Queue};
use newsletter::{
    subscriber::{Account, SubscriberId, provider::ProviderError},
    tasks,
    usecase::{self, MoveStep, ProviderJob},
};

use runtime::decide_again;

use super::{
    super::tasks::Tasks,
    job::{CONFLICTS, JobError, ProviderJobs},
    leased::LeasedProvider,
};

/// The queue of moves.
pub(super) struct Moves {
    pub provider: Arc<LeasedProvider>,
    pub tasks: Tasks,
}

#[async_trait]
impl ProviderJobs for Moves {
    fn queue(&self) -> Queue {
        tasks::MIGRATE
    }

    fn tasks(&self) -> &Tasks {
        &self.tasks
    }

    async fn ready(&self) {
        for account in Account::ALL {
            self.provider.until_listed(*account).await;
        }
        self.provider.ready(Account::ALL).await;
    }

    async fn carry_out(&self, task: &Claimed) -> Result<(), JobError> {
        let (subscriber, token) = (SubscriberId::new(task.effect.key()), task.token);
        let _alone = self.provider.people.alone(subscriber).await;
        for account in Account::ALL {
            self.provider.admit(*account)?;
        }
        let (store, provider) = (self.tasks.parts.newsletter.as_ref(), self.provider.as_ref());
        let now = || self.tasks.now();
        let begin = || usecase::begin_move(store, token, subscriber, now());
        let Some(job) = decide_again(CONFLICTS, begin).await? else {
            return Ok(());
        };
        let email = job.state.profile.email.clone();
        let _alone = provider.addresses.alone(email).await;
        let found = usecase::look_up(provider, &job).await?;
        let attempt = || usecase::record_found(store, &job, found.as_ref(), false, now());
        let Some(joining) = go_on(decide_again(CONFLICTS, attempt).await?)? else {
            return Ok(());
        };
        let observed = usecase::join(provider, &joining).await?;
        let attempt = || usecase::record_joined(store, &joining, &observed, now());
        let Some(job) = go_on(decide_again(CONFLICTS, attempt).await?)? else {
            return Ok(());
        };
        // The subscriber may have unsubscribed during the call to the new account.
        let was_there = found.is_some();
        let found = usecase::look_up(provider, &job).await?;
        let found = found.as_ref();
        let attempt = || usecase::record_found(store, &job, found, was_there, now());
        if go_on(decide_again(CONFLICTS, attempt).await?)?.is_none() {
            return Ok(());
        }
        usecase::leave(provider, found).await?;
        let attempt = || usecase::record_move(store, &joining, now());
        decide_again(CONFLICTS, attempt).await?;
        Ok(())
    }
}

/// The job that a move continues with; `None` at its end.
fn go_on(step: MoveStep) -> Result<Option<ProviderJob>, ProviderError> {
    match step {
        MoveStep::GoOn(job) => Ok(Some(job)),
        MoveStep::Done => Ok(None),
        MoveStep::Stuck(error) => Err(error),
    }
}
