//! Renders the page of all metrics. State is cached for at most a minute. Each page has a new
//! recorder for it, so a value that cannot be read is missing.

mod attention;
mod catalogues;
mod clients;
mod newsletter;
mod postings;
mod process;
mod reading;
mod webhooks;

use std::sync::Arc;

use ::metrics::{gauge, with_local_recorder};
use ::newsletter::{
    store::{AccountState, SubscriberCount},
    subscriber::Account,
};
use domain::catalogue::LastImport;
use futures_util::future::{join, join5};
use kernel::{
    AttentionItem,
    outbox::{Backlog, Kind},
};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use runtime::{Clock, metrics};
use stores::Stores;
use time::OffsetDateTime;

pub use self::process::started;
use self::reading::{Reading, STATE_LIFETIME, in_time, number};

runtime::metrics! {
    gauge STORE_UP in Count = "posthaste_store_up",
        "1 if the store can do its work, else 0";
    gauge OUTBOX_TASKS in Count = "posthaste_outbox_tasks",
        "Side effects by kind and state: waiting (or under way) and dead; counted to 100000, \
         every 5 seconds";
    gauge OUTBOX_OLDEST in Seconds = "posthaste_outbox_oldest_seconds",
        "The age of the oldest waiting side effect, without bulk work, by kind; 0 if there is \
         none";
    gauge PUSHES_UNDER_WAY in Count = "posthaste_pushes_under_way",
        "Pushes and lines of imports that this process has not answered yet";
    gauge SIGNING_KEYS in Count = "posthaste_signing_keys",
        "Keys that can sign tokens; at 0 the process issues and accepts no token";
    gauge SIGNING_KEYS_AGE in Seconds = "posthaste_signing_keys_age_seconds",
        "The time since the folder of keys was read, which happens every second";
}

type NewsletterState = (Option<Vec<SubscriberCount>>, Vec<(Account, AccountState)>);

pub type Count = Arc<dyn Fn() -> usize + Send + Sync>;

pub struct Serving {
    pub pushes: Count,
    pub signing_keys: Count,
    /// The seconds since the key folder was last read completely.
    pub signing_keys_age: Arc<dyn Fn() -> u64 + Send + Sync>,
}

pub struct Page {
    recorder: PrometheusHandle,
    ports: PagePorts,
    attention: Reading<Vec<AttentionItem>>,
    backlog: Reading<Vec<Backlog>>,
    catalogues: Reading<Vec<LastImport>>,
    clients: Reading<Vec<clients::LastPush>>,
    postings: Reading<Vec<postings::Counted>>,
    subscribers: Reading<Vec<SubscriberCount>>,
    accounts: Reading<Vec<(Account, AccountState)>>,
    webhooks: Reading<webhooks::Endpoints>,
}

pub struct PagePorts {
    pub stores: Stores,
    pub kinds: &'static [Kind],
    /// Whether an account of the e-mail provider is configured.
    pub has_newsletter: bool,
    /// `None` in a process without the API.
    pub serving: Option<Serving>,
    pub clock: Clock,
}

impl Page {
    pub fn new(recorder: PrometheusHandle, ports: PagePorts) -> Self {
        Self {
            recorder,
            ports,
            attention: Reading::new("what needs attention", STATE_LIFETIME),
            backlog: Reading::new("the backlog", STATE_LIFETIME),
            catalogues: Reading::new("the catalogues", catalogues::LIFETIME),
            clients: Reading::new("the clients", clients::LIFETIME),
            postings: Reading::new("the postings", postings::LIFETIME),
            subscribers: Reading::new("the subscribers", newsletter::COUNTS_LIFETIME),
            accounts: Reading::new("the provider's accounts", STATE_LIFETIME),
            webhooks: Reading::new("the webhooks", STATE_LIFETIME),
        }
    }

    pub async fn make(&self) -> String {
        let PagePorts { stores, kinds, .. } = &self.ports;
        let (backlog, is_up, webhooks, clients, newsletter) = join5(
            self.backlog.look(stores.outbox.backlog(kinds)),
            self.is_up(),
            self.webhooks.look(webhooks::read(stores)),
            self.clients.look(clients::read(stores)),
            self.newsletter(),
        )
        .await;
        // One after the other, because these reads count rows and no client waits for them.
        let attention = self.attention.look(attention::read(stores)).await;
        let catalogues = self.catalogues.look(catalogues::read(stores)).await;
        let postings = self.postings.look(postings::read(stores)).await;
        let PagePorts { serving, clock, .. } = &self.ports;
        let asked_for = PrometheusBuilder::new().build_recorder();
        with_local_recorder(&asked_for, || {
            metrics::describe();
            gauge!(STORE_UP).set(u8::from(is_up));
            record_backlog(backlog.as_deref(), clock());
            if let Some((subscribers, accounts)) = newsletter {
                newsletter::record(subscribers.as_deref(), &accounts, clock());
            }
            webhooks::record(webhooks.as_ref(), clock());
            clients::record(clients.unwrap_or_default());
            catalogues::record(catalogues.unwrap_or_default());
            if let Some(items) = attention {
                attention::record(&items);
            }
            postings::record(&postings.unwrap_or_default());
            process::record();
            if let Some(serving) = serving {
                record_serving(serving);
            }
        });
        self.recorder.render() + &asked_for.handle().render()
    }

    async fn newsletter(&self) -> Option<NewsletterState> {
        if !self.ports.has_newsletter {
            return None;
        }
        let stores = &self.ports.stores;
        let subscribers = self.subscribers.look(stores.subscribers.counts());
        let accounts = self.accounts.look(newsletter::accounts(&*stores.accounts));
        let (subscribers, accounts) = join(subscribers, accounts).await;
        Some((subscribers, accounts.unwrap_or_default()))
    }

    /// Whether the store can do its work. A slow query of the backlog does not matter.
    async fn is_up(&self) -> bool {
        in_time(self.ports.stores.health.ready())
            .await
            .inspect_err(|error| tracing::warn!(%error, "the store is not ready"))
            .is_ok()
    }
}

fn record_backlog(backlog: Option<&[Backlog]>, now: OffsetDateTime) {
    for backlog in backlog.unwrap_or_default() {
        let kind = backlog.kind.as_str();
        let tasks = |state| gauge!(OUTBOX_TASKS, "kind" => kind, "state" => state);
        tasks("waiting").set(number(backlog.waiting));
        tasks("dead").set(number(backlog.dead));
        let age = backlog
            .oldest
            .map_or(0.0, |oldest| (now - oldest).as_seconds_f64().max(0.0));
        gauge!(OUTBOX_OLDEST, "kind" => kind).set(age);
    }
}

fn record_serving(serving: &Serving) {
    gauge!(PUSHES_UNDER_WAY).set(number((serving.pushes)() as u64));
    gauge!(SIGNING_KEYS).set(number((serving.signing_keys)() as u64));
    gauge!(SIGNING_KEYS_AGE).set(number((serving.signing_keys_age)()));
}
