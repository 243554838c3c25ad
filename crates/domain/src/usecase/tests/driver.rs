//! Carries tasks out step by step, the way a worker does.

use super::*;
use crate::{
    store::StoreError,
    subscriber::provider::Provider,
    usecase::{
        MoveStep, finish_withdrawal, join, leave, next_withdrawal, record_joined, record_move,
        record_withdrawal, withdraw,
    },
};

/// Commits and the time, with a pause before each step in which others may do something.
pub(super) struct Steps<'a> {
    pub store: &'a MemoryStore,
    pub provider: &'a dyn Provider,
    pub now: &'a (dyn Fn() -> OffsetDateTime + Sync),
}

impl Steps<'_> {
    pub async fn run(&self, receipt: Receipt, work: &Work) -> Result<(), ProviderError> {
        match work {
            Work::Event(event) => {
                let delivered = deliver(self.store, &[(receipt, event)], (self.now)()).await;
                delivered.unwrap();
                Ok(())
            }
            Work::Effect(Effect::Sync(id, account)) => self.sync(receipt, *id, *account).await,
            Work::Effect(Effect::Migrate(id)) => self.move_over(receipt, *id).await,
            Work::Effect(Effect::Withdraw(id)) => self.withdraw(receipt, *id).await,
            Work::Effect(Effect::Enrich(id)) => panic!("no posting {id} was pushed"),
        }
    }

    async fn sync(
        &self,
        receipt: Receipt,
        id: SubscriberId,
        account: Account,
    ) -> Result<(), ProviderError> {
        let named = [(receipt, id, account)];
        for errand in syncs(self.store, &named, (self.now)()).await.unwrap() {
            let told = super::super::sync(self.provider, &errand).await?;
            let recorded = record_syncs(self.store, &[told], (self.now)()).await;
            Self::finished(&recorded);
        }
        Ok(())
    }

    async fn move_over(&self, receipt: Receipt, id: SubscriberId) -> Result<(), ProviderError> {
        let (store, provider) = (self.store, self.provider);
        let errands = moves(store, &[(receipt, id)], (self.now)()).await.unwrap();
        for errand in errands {
            let found = look_up(provider, &errand).await?;
            let recorded = record_found(store, &errand, found.as_ref(), false, (self.now)()).await;
            let Some(joining) = Self::go_on(recorded)? else {
                continue;
            };
            let sight = join(provider, &joining).await?;
            let recorded = record_joined(store, &joining, &sight, (self.now)()).await;
            let Some(errand) = Self::go_on(recorded)? else {
                continue;
            };
            let was_there = found.is_some();
            let found = look_up(provider, &errand).await?;
            let found = found.as_ref();
            let recorded = record_found(store, &errand, found, was_there, (self.now)()).await;
            if Self::go_on(recorded)?.is_none() {
                continue;
            }
            leave(provider, found).await?;
            let recorded = record_move(store, &joining, (self.now)()).await;
            Self::finished(&recorded);
        }
        Ok(())
    }

    fn go_on(recorded: Result<MoveStep, StoreError>) -> Result<Option<Errand>, ProviderError> {
        match recorded {
            Ok(MoveStep::GoOn(errand)) => Ok(Some(errand)),
            Ok(MoveStep::Stuck(error)) => Err(error),
            Ok(MoveStep::Over) | Err(StoreError::Conflict) => Ok(None),
            Err(error) => panic!("{error}"),
        }
    }

    /// With a lost lease nothing is recorded: somebody else has the task.
    fn finished(recorded: &Result<(), StoreError>) {
        assert!(
            matches!(recorded, Ok(()) | Err(StoreError::Conflict)),
            "{recorded:?}"
        );
    }

    async fn withdraw(&self, receipt: Receipt, id: SubscriberId) -> Result<(), ProviderError> {
        let mut accounts = self.provider.accounts();
        let mut failure = Ok(());
        loop {
            let next = next_withdrawal(self.store, id, &accounts).await.unwrap();
            let Some(next) = next else { break };
            match withdraw(self.provider, &next).await {
                Ok(found) => {
                    let found = found.as_ref();
                    let recorded = record_withdrawal(self.store, &next, found, (self.now)()).await;
                    recorded.unwrap();
                }
                Err(error) => {
                    accounts.retain(|account| *account != next.account);
                    failure = Err(error);
                }
            }
        }
        if failure.is_ok() {
            let finished = finish_withdrawal(self.store, receipt, (self.now)()).await;
            Self::finished(&finished);
        }
        failure
    }
}
