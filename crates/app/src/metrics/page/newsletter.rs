//! Metrics of the newsletter: subscribers by status, and the provider's accounts.

use std::time::Duration;

use kernel::StoreError;
use metrics::{Unit, describe_gauge, gauge};
use newsletter::{
    store::{AccountState, SubscriberCount},
    subscriber::{Account, SubscriberStatus},
};
use time::OffsetDateTime;
use tokio::{sync::Mutex, time::Instant};

use super::stores::{Stores, in_time, number};

const SUBSCRIBERS: &str = "posthaste_subscribers";
const LIST_AGE: &str = "posthaste_provider_list_age_seconds";
const PAUSED_FOR: &str = "posthaste_provider_paused_for_seconds";

/// The lifetime of a cached counts, which reads all subscribers.
const CENSUS_LIFETIME: Duration = Duration::from_mins(1);

/// The cached counts.
#[derive(Default)]
pub(super) struct Watch {
    counted: Mutex<Option<(Instant, Option<Vec<SubscriberCount>>)>>,
}

/// The state of the newsletter. Parts that cannot be read are missing.
pub(super) struct Newsletter {
    counts: Option<Vec<SubscriberCount>>,
    accounts: Vec<(Account, AccountState)>,
}

impl Watch {
    pub async fn look(&self, stores: &Stores) -> Newsletter {
        let counts = self.counts(stores).await;
        let states = in_time(async {
            let mut states = Vec::new();
            for &account in Account::ALL {
                states.push((account, stores.accounts.account_state(account).await?));
            }
            Ok::<_, StoreError>(states)
        });
        let accounts = states.await.unwrap_or_else(|error| {
            tracing::warn!(%error, "the metrics lack the provider's accounts");
            Vec::new()
        });
        Newsletter { counts, accounts }
    }

    /// Reads or reuses the counts. A failure is cached too: the counts may have been too much work.
    async fn counts(&self, stores: &Stores) -> Option<Vec<SubscriberCount>> {
        let mut counted = self.counted.lock().await;
        if let Some((at, counts)) = counted.as_ref()
            && at.elapsed() < CENSUS_LIFETIME
        {
            return counts.clone();
        }
        let counts = in_time(stores.subscribers.counts())
            .await
            .inspect_err(|error| tracing::warn!(%error, "the metrics lack the subscribers"))
            .ok();
        *counted = Some((Instant::now(), counts.clone()));
        counts
    }
}

pub(super) fn record(newsletter: &Newsletter, now: OffsetDateTime) {
    describe_gauge!(
        SUBSCRIBERS,
        Unit::Count,
        "Subscribers by account, status and whether they are on the way there; counted once a \
         minute"
    );
    describe_gauge!(
        LIST_AGE,
        Unit::Seconds,
        "How long ago the whole list of an account was read to its end; missing until it was"
    );
    describe_gauge!(
        PAUSED_FOR,
        Unit::Seconds,
        "For how long an account of the e-mail provider is still left alone; 0 if it is not"
    );
    if let Some(counts) = &newsletter.counts {
        record_census(counts);
    }
    for (account, state) in &newsletter.accounts {
        let account = account.as_str();
        if let Some(read_at) = state.reconciled_at {
            let age = (now - read_at).as_seconds_f64().max(0.0);
            gauge!(LIST_AGE, "account" => account).set(age);
        }
        let paused = state.paused_until.map(|until| until - now);
        let paused = paused.map_or(0.0, |left| left.as_seconds_f64().max(0.0));
        gauge!(PAUSED_FOR, "account" => account).set(paused);
    }
}

/// Records all combinations, so that one without subscribers shows as 0.
fn record_census(counts: &[SubscriberCount]) {
    for &account in Account::ALL {
        for &status in SubscriberStatus::ALL {
            for is_under_way in [false, true] {
                let mut counted = counts.iter().filter(|one| {
                    (one.account, one.status, one.is_under_way) == (account, status, is_under_way)
                });
                let people = counted.next().map_or(0, |one| one.people);
                // No subscriber moves to the old account.
                if people == 0 && is_under_way && account == Account::Old {
                    continue;
                }
                let gauge = gauge!(
                    SUBSCRIBERS,
                    "account" => account.as_str(),
                    "status" => status.as_str(),
                    "under_way" => if is_under_way { "true" } else { "false" },
                );
                gauge.set(number(people));
            }
        }
    }
}
