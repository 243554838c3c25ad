mod lists;
mod moves;
mod outages;
mod script;
mod syncs;
mod takeover;

use std::{sync::Arc, time::Duration};

use kernel::{
    StoreError,
    outbox::{Backlog, Kind, Outbox as _, TaskRow},
    testing::noon,
};
use newsletter::{
    store::{Accounts, Store as _},
    subscriber::{
        Account::{New, Old},
        MigrationSource, Subscriber, SubscriberStatus,
        provider::ProviderError,
    },
    testing::{Call, MemoryStore, email, notice, report},
    usecase,
};
use runtime::{Clock, Loops};
use tokio::time::{Instant, sleep};

pub(crate) use self::script::Script;
use self::script::Treatment;
use crate::{
    WorkerSettings, start,
    testing::{Fault, TestStores},
};

const ADA: &str = "ada@example.com";
const BOB: &str = "bob@example.com";
const HOUR: Duration = Duration::from_hours(1);
const SECOND: Duration = Duration::from_secs(1);

const INDIVIDUAL: &str =
    r#"{"membership":{"plan_category":"individual","status":"active","expires_at":"2027-01-31"}}"#;

fn named(name: &str) -> String {
    format!(r#"{{"name":"{name}"}}"#)
}

fn busy(after: Option<Duration>) -> ProviderError {
    let message = "the provider answered 503".to_owned();
    ProviderError::Retry { message, after }
}

fn limited(after: Duration) -> ProviderError {
    ProviderError::Limited {
        message: "the provider answered 429".to_owned(),
        after: Some(after),
    }
}

fn locked() -> ProviderError {
    ProviderError::Locked("the provider answered 401".to_owned())
}

/// A store, a scripted provider and workers, in virtual time.
struct Bench {
    stores: TestStores,
    script: Arc<Script>,
    clock: Clock,
    settings: WorkerSettings,
}

impl Bench {
    fn new() -> Self {
        let start = Instant::now();
        let clock = move || fields::microseconds(noon() + start.elapsed());
        Self {
            stores: TestStores::new(),
            script: Arc::default(),
            clock: Arc::new(clock),
            settings: WorkerSettings::default(),
        }
    }

    fn start(&self) -> Loops {
        self.start_with(&self.script, Arc::clone(&self.stores.faulty.memory) as _)
    }

    fn start_with(&self, script: &Arc<Script>, accounts: Arc<dyn Accounts>) -> Loops {
        let mut parts = self.stores.parts(&self.clock, &self.settings);
        parts.stores.accounts = accounts;
        parts.provider = Arc::clone(script) as _;
        start(parts).unwrap()
    }

    fn memory(&self) -> &MemoryStore {
        self.stores.memory()
    }

    async fn put(&self, address: &str, body: &str) {
        let (puts, now) = ([report(address, body)], (self.clock)());
        usecase::put_subscribers(&*self.stores.waking, &puts, now)
            .await
            .unwrap();
    }

    async fn migrate(&self, address: &str) {
        let (emails, source) = ([email(address)], MigrationSource::Manual);
        usecase::migrate(&*self.stores.waking, &emails, source, (self.clock)())
            .await
            .unwrap();
    }

    async fn notice(&self, address: &str, status: SubscriberStatus) {
        let notices = [notice(address, status)];
        usecase::notice_events(&*self.stores.waking, &notices, (self.clock)())
            .await
            .unwrap();
    }

    async fn subscriber(&self, address: &str) -> Subscriber {
        let email = email(address);
        let known = self.memory().load(&[email]).await.unwrap();
        known.into_values().next().unwrap()
    }

    async fn rows(&self, dead: bool) -> Vec<TaskRow> {
        self.stores.rows(dead).await
    }

    async fn backlog(&self, kind: Kind) -> Backlog {
        self.stores.backlog(kind).await
    }

    async fn until(&self, what: &str, holds: impl AsyncFn() -> bool) {
        let start = Instant::now();
        while !holds().await {
            assert!(start.elapsed() < 24 * HOUR, "never: {what}");
            sleep(Duration::from_millis(100)).await;
        }
    }

    async fn until_under_way(&self, calls: usize) {
        let holds = async || self.script.under_way() == calls;
        self.until("so many calls are under way", holds).await;
    }

    async fn until_idle(&self) {
        self.until("nothing waits", async || self.rows(false).await.is_empty())
            .await;
    }
}
