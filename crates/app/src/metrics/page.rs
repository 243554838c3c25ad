//! The page with all metrics. What the store and the lanes know is asked for when the page is
//! made, by a recorder of its own: what cannot be had then is left out, not repeated.

mod newsletter;

use std::{sync::Arc, time::Duration};

use ::newsletter::store::{Accounts, SubscriberReader};
use domain::{
    outbox::{Backlog, Outbox},
    store::{Health, StoreError},
};
use futures_util::future::join3;
use metrics::{Unit, describe_gauge, gauge, with_local_recorder};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use time::OffsetDateTime;
use tokio::{
    sync::Mutex,
    time::{Instant, timeout},
};

use crate::{clock::Clock, kinds, panics};

const OUTBOX_TASKS: &str = "posthaste_outbox_tasks";
const OUTBOX_OLDEST: &str = "posthaste_outbox_oldest_seconds";
const STORE_UP: &str = "posthaste_store_up";
const PUSHES_UNDER_WAY: &str = "posthaste_pushes_under_way";
const SIGNING_KEYS: &str = "posthaste_signing_keys";

/// How long the store may take. A monitor gives up after ten seconds.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long a count of what waits is good for: however many look, the store counts this often.
const COUNTED_EVERY: Duration = Duration::from_secs(5);

/// Counts something at the moment that it is asked.
pub type Count = Arc<dyn Fn() -> usize + Send + Sync>;

/// What is counted where the API is served.
pub struct Serving {
    /// Pushes under way.
    pub pushes: Count,
    /// Keys that can sign tokens.
    pub signing_keys: Count,
}

/// Makes the page.
pub struct Page {
    recorder: PrometheusHandle,
    ports: PagePorts,
    /// What waited when it was last counted.
    counted: Mutex<Option<(Instant, Vec<Backlog>)>>,
    newsletter: newsletter::Watch,
}

/// The store, as a page asks it.
#[derive(Clone)]
pub struct Stores {
    pub outbox: Arc<dyn Outbox>,
    pub health: Arc<dyn Health>,
    pub subscribers: Arc<dyn SubscriberReader>,
    pub accounts: Arc<dyn Accounts>,
}

/// Who is asked when a page is made.
pub struct PagePorts {
    pub stores: Stores,
    /// `None` where the API is not served.
    pub serving: Option<Serving>,
    pub clock: Clock,
}

impl Page {
    /// Shows what was recorded, and what these say.
    pub fn new(recorder: PrometheusHandle, ports: PagePorts) -> Self {
        Self {
            recorder,
            ports,
            counted: Mutex::default(),
            newsletter: newsletter::Watch::default(),
        }
    }

    /// Everything that can be said now.
    pub async fn make(&self) -> String {
        let newsletter = self.newsletter.look(&self.ports.stores);
        let (backlog, is_up, newsletter) = join3(self.backlog(), self.is_up(), newsletter).await;
        let PagePorts { serving, clock, .. } = &self.ports;
        let asked_for = PrometheusBuilder::new().build_recorder();
        with_local_recorder(&asked_for, || {
            record_store(is_up);
            record_backlog(backlog.as_deref(), clock());
            newsletter::record(&newsletter, clock());
            if let Some(serving) = serving {
                record_serving(serving);
            }
        });
        self.recorder.render() + &asked_for.handle().render()
    }

    /// Whether the store can do its work. That counting takes long says nothing about it.
    async fn is_up(&self) -> bool {
        in_time(self.ports.stores.health.ready())
            .await
            .inspect_err(|error| tracing::warn!(%error, "the store is not ready"))
            .is_ok()
    }

    /// How much waits, or waited a moment ago; `None` if that cannot be counted now.
    async fn backlog(&self) -> Option<Vec<Backlog>> {
        let mut counted = self.counted.lock().await;
        if let Some((at, backlog)) = counted.as_ref()
            && at.elapsed() < COUNTED_EVERY
        {
            return Some(backlog.clone());
        }
        *counted = in_time(self.ports.stores.outbox.backlog(&kinds::ALL))
            .await
            .inspect_err(|error| tracing::warn!(%error, "the metrics lack the backlog"))
            .ok()
            .map(|backlog| (Instant::now(), backlog));
        counted.as_ref().map(|(_, backlog)| backlog.clone())
    }
}

async fn in_time<T>(
    answer: impl Future<Output = Result<T, StoreError>> + Send,
) -> Result<T, StoreError> {
    timeout(PATIENCE, panics::caught(answer))
        .await
        .unwrap_or_else(|elapsed| Err(StoreError::Unavailable(elapsed.to_string())))
}

fn record_store(is_up: bool) {
    describe_gauge!(
        STORE_UP,
        Unit::Count,
        "1 if the store can do its work, else 0"
    );
    gauge!(STORE_UP).set(u8::from(is_up));
}

fn record_backlog(backlog: Option<&[Backlog]>, now: OffsetDateTime) {
    describe_gauge!(
        OUTBOX_TASKS,
        Unit::Count,
        "Side effects in the store by kind: waiting (or being worked on) and dead (given up); \
         counted to 100000, every 5 seconds"
    );
    describe_gauge!(
        OUTBOX_OLDEST,
        Unit::Seconds,
        "The age of the oldest side effect that waits and is no bulk work, by kind; 0 if none does"
    );
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
    describe_gauge!(
        PUSHES_UNDER_WAY,
        Unit::Count,
        "Pushes that this process has taken in and not answered yet"
    );
    gauge!(PUSHES_UNDER_WAY).set(number((serving.pushes)() as u64));
    describe_gauge!(
        SIGNING_KEYS,
        Unit::Count,
        "Keys that this process can sign tokens with; at 0 no token is given out or accepted"
    );
    gauge!(SIGNING_KEYS).set(number((serving.signing_keys)() as u64));
}

/// A gauge is a floating-point number.
#[expect(
    clippy::cast_precision_loss,
    reason = "nothing here counts to more than 2^53"
)]
const fn number(count: u64) -> f64 {
    count as f64
}
