//! Syncs subscribers with one account.

use std::sync::Arc;

use async_trait::async_trait;
use kernel::outbox::{Claimed, Queue};
use newsletter::{
    subscriber::{Account, SubscriberId},
    tasks, usecase,
};

use runtime::decide_again;

use super::{
    super::tasks::Tasks,
    job::{CONFLICTS, JobError, ProviderJobs},
    leased::LeasedProvider,
};

/// The syncs of one account; bulk ones while there are no others.
pub(super) struct Syncs {
    pub account: Account,
    pub provider: Arc<LeasedProvider>,
    pub tasks: Tasks,
}

#[async_trait]
impl ProviderJobs for Syncs {
    fn queue(&self) -> Queue {
        tasks::syncs(self.account)
    }

    fn tasks(&self) -> &Tasks {
        &self.tasks
    }

    async fn ready(&self) {
        self.provider.until_listed(self.account).await;
        self.provider.ready(&[self.account]).await;
    }

    async fn carry_out(&self, task: &Claimed) -> Result<(), JobError> {
        let (subscriber, account) = (SubscriberId::new(task.effect.key()), self.account);
        let _alone = self.provider.people.alone(subscriber).await;
        // Checked before anything is written about a call.
        self.provider.admit(account)?;
        let (store, token) = (self.tasks.parts.newsletter.as_ref(), task.token);
        // Read just before the call, to include changes from while it waited.
        let begin = || usecase::begin_sync(store, token, subscriber, account, self.tasks.now());
        while let Some(job) = decide_again(CONFLICTS, begin).await? {
            let email = job.state.profile.email.clone();
            let _alone = self.provider.addresses.alone(email).await;
            if !usecase::is_still_due(store, &job).await? {
                continue;
            }
            let told = usecase::sync(self.provider.as_ref(), &job).await?;
            let record = || usecase::record_sync(store, &job, &told, self.tasks.now());
            decide_again(CONFLICTS, record).await?;
            break;
        }
        Ok(())
    }
}
