//! Tells an account what is known of a subscriber.

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

/// Syncs to one account; bulk ones while there are no others to do.
pub(super) struct Syncs {
    pub account: Account,
    pub store: Arc<dyn Store>,
    pub line: Arc<Line>,
    pub tasks: Tasks,
}

#[async_trait]
impl Errands for Syncs {
    fn queue(&self) -> Queue {
        Queue::Sync(self.account)
    }

    fn tasks(&self) -> &Tasks {
        &self.tasks
    }

    async fn ready(&self) {
        self.line.until_listed(self.account).await;
        self.line.ready(&[self.account]).await;
    }

    async fn carry_out(&self, task: &Claimed) -> Result<(), Trouble> {
        let Work::Effect(Effect::Sync(subscriber, account) | Effect::BulkSync(subscriber, account)) =
            task.work
        else {
            return Ok(());
        };
        let _alone = self.line.people.alone(subscriber).await;
        // Before anything is written about a call.
        self.line.admit(account)?;
        let store = self.store.as_ref();
        // Read just before the call, so that what changed while it waited is in it.
        let named = [(task.receipt, subscriber, account)];
        let attempt = || usecase::syncs(store, &named, self.tasks.now());
        while let Some(errand) = decide_again(CONFLICTS, attempt).await?.pop() {
            let email = errand.telling.profile.email.clone();
            let _alone = self.line.addresses.alone(email).await;
            if !usecase::is_still_due(store, &errand).await? {
                continue;
            }
            let told = usecase::sync(self.line.as_ref(), &errand).await?;
            let attempt = || usecase::record_syncs(store, slice::from_ref(&told), self.tasks.now());
            decide_again(CONFLICTS, attempt).await?;
            break;
        }
        Ok(())
    }
}
