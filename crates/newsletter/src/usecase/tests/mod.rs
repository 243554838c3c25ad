//! The use cases on a store and a provider in memory, run as a worker does.

mod departures;
mod migrate;
mod newsletter;
mod operate;
mod person;
mod sync;
mod withdraw;

use async_trait::async_trait;
use kernel::{
    outbox::{ClaimToken, Dismissal, Effect, Outbox, Queue},
    testing::{entries, rows},
};
use time::{Duration, OffsetDateTime};

use super::{
    Reported, Step, TaskError, TaskPorts, carry_out_move, carry_out_sync, carry_out_withdrawal,
    notice_events, operate::reinstate, put_subscribers,
};
use crate::{
    store::Store,
    subscriber::{
        Account, Email, MigrationToken, PutSubscriber, ReceivedEvent, Subscriber, SubscriberId,
        SubscriberStatus,
        provider::{Provider, ProviderError, ProviderStatus},
    },
    tasks,
    testing::{
        Call, Failing, MemoryProvider, MemoryStore, by_ann, email, hours, noon, notice, report,
        token, uuid,
    },
};

const QUEUES: [Queue; 6] = [
    tasks::syncs(Account::Old),
    tasks::syncs(Account::New),
    tasks::bulk_syncs(Account::Old),
    tasks::bulk_syncs(Account::New),
    tasks::MIGRATE,
    tasks::WITHDRAW,
];

const ANN: &str = "ann@example.com";
const MEMBER: &str = r#"{"membership":{"plan_category":"individual","status":"active"}}"#;
const LAPSED: &str = r#"{"membership":{"plan_category":"individual","status":"expired"}}"#;

struct World {
    store: MemoryStore,
    provider: MemoryProvider,
    now: OffsetDateTime,
    claims: u128,
}

impl World {
    fn new() -> Self {
        Self {
            store: MemoryStore::new(),
            provider: MemoryProvider::new(),
            now: noon(),
            claims: 0,
        }
    }

    async fn with_ann() -> Self {
        let mut world = Self::new();
        world.put(r#"{"name":"Ann"}"#).await;
        world.work().await.unwrap();
        world.provider.calls();
        world
    }

    async fn put(&mut self, body: &str) -> Reported {
        let mut answers = self.put_all(&[report(ANN, body)]).await;
        answers.remove(0)
    }

    async fn put_all(&mut self, batch: &[PutSubscriber]) -> Vec<Reported> {
        self.now += hours(1);
        put_subscribers(&self.store, batch, self.now).await.unwrap()
    }

    async fn notice(&mut self, batch: &[ReceivedEvent]) {
        self.now += hours(1);
        notice_events(&self.store, batch, self.now).await.unwrap();
    }

    async fn suppress(&mut self, status: SubscriberStatus) {
        self.notice(&[notice(ANN, status)]).await;
    }

    async fn reinstate(&mut self) -> Subscriber {
        self.now += hours(1);
        let (ann, by) = (
            self.ann().await,
            by_ann(self.now.unix_timestamp().unsigned_abs().into()),
        );
        let done = reinstate(&self.store, ann, "a mistake", &by, self.now).await;
        done.unwrap().subscriber
    }

    async fn ann(&self) -> Subscriber {
        let known = self.store.load(&[email(ANN)]).await.unwrap();
        known[&email(ANN)].clone()
    }

    fn sent_name(&self, account: Account) -> Option<String> {
        let person = self.provider.person(account, &email(ANN))?;
        person.profile?.fields.name
    }

    fn is_in(&self, account: Account) -> bool {
        self.provider.person(account, &email(ANN)).is_some()
    }

    /// The kinds of the tasks that are not dead.
    async fn tasks(&self) -> Vec<String> {
        let rows = rows(&self.store, false).await.unwrap();
        rows.into_iter().map(|row| row.kind).collect()
    }

    async fn claim(&mut self, queue: Queue) -> Option<(ClaimToken, Effect)> {
        self.claims += 1;
        let lease = uuid(0x1_0000 + self.claims);
        let claimed = self
            .store
            .claim(queue, 1, Duration::MINUTE, lease, self.now)
            .await
            .unwrap();
        let task = if let Some(task) = claimed.into_iter().next() {
            task
        } else {
            let claim = self
                .store
                .claim_crashed(queue, Duration::MINUTE, lease, self.now);
            claim.await.unwrap()?
        };
        Some((task.token, task.effect))
    }

    /// Works until nothing is due, or the provider fails. After a failure, open tasks are due
    /// again.
    async fn work(&mut self) -> Result<(), ProviderError> {
        self.now += hours(1);
        loop {
            let mut is_idle = true;
            for queue in QUEUES {
                while let Some((token, effect)) = self.claim(queue).await {
                    is_idle = false;
                    self.run(token, effect).await?;
                }
            }
            if is_idle {
                return Ok(());
            }
        }
    }

    async fn run(&self, token: ClaimToken, effect: Effect) -> Result<(), ProviderError> {
        let (id, queue) = (SubscriberId::new(effect.key()), effect.queue());
        let is_of = |account: &&Account| {
            [tasks::syncs(**account), tasks::bulk_syncs(**account)].contains(&queue)
        };
        let done = match Account::ALL.iter().find(is_of) {
            Some(account) => carry_out_sync(self, token, id, *account).await,
            None if queue == tasks::MIGRATE => carry_out_move(self, token, id).await,
            None => carry_out_withdrawal(self, token, id).await,
        };
        match done {
            Err(TaskError::Provider(error)) => return Err(error),
            Err(TaskError::Waits(_)) => {
                let later = self.now + hours(1);
                self.store.give_back(&[token], later).await.unwrap();
            }
            done => done.unwrap(),
        }
        Ok(())
    }
}

#[async_trait]
impl TaskPorts for World {
    type Guard = ();

    fn store(&self) -> &dyn Store {
        &self.store
    }

    fn provider(&self) -> &dyn Provider {
        &self.provider
    }

    fn now(&self) -> OffsetDateTime {
        self.now
    }

    async fn alone(&self, _: &Email) {}

    fn again<'a, T: Send + 'a>(
        &'a self,
        mut attempt: impl FnMut() -> Step<'a, T> + Send + 'a,
    ) -> Step<'a, T> {
        attempt()
    }
}

fn no_answer() -> ProviderError {
    ProviderError::Retry {
        message: "no answer".to_owned(),
        after: None,
    }
}
