//! Finds what needs attention, compares it with the stored items, and stores the difference.
//!
//! Each process checks, unless another one has just checked. Of concurrent checks, one is stored.

use std::{collections::BTreeMap, time::Duration};

use ::newsletter::subscriber::Account;
use async_trait::async_trait;
use attention::State;
use domain::{report::Waiting, usecase::company_lookalikes};
use kernel::{ClientId, StoreError, attention::AttentionCheck, outbox::Kind};
use time::OffsetDateTime;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::job::Job;
use crate::parts::WorkerParts;

/// The largest numbers of clients, webhooks and catalogues that are checked.
const MOST: usize = 1_000;

/// Counting visible postings takes at most 1/20 of the time.
const COUNTING: u32 = 20;

pub(super) struct Attention {
    kinds: &'static [Kind],
    /// When visible postings may be counted again.
    count_at: Option<Instant>,
}

#[async_trait]
impl Job for Attention {
    fn subject(&self) -> &'static str {
        "the checks of what needs attention"
    }

    fn every(&self, parts: &WorkerParts) -> Duration {
        parts.settings.sweep_every
    }

    async fn run(&mut self, parts: &WorkerParts, _: &CancellationToken) -> Result<(), StoreError> {
        let (stores, now) = (&parts.stores, (parts.clock)());
        let before = stores.attention.attention().await?;
        let is_fresh = |at: OffsetDateTime| at <= now && now - at < self.every(parts) / 2;
        if before.checked_at.is_some_and(is_fresh) {
            return Ok(());
        }
        let mut state = read(parts, self.kinds, now).await?;
        let visible = self.count(parts, &mut state).await?;
        for (client, held) in stores.browser.held_back(now).await? {
            state.activities.entry(client).or_default().held = held;
        }
        let check = AttentionCheck {
            visible,
            ..AttentionCheck::new(&before, attention::items(&state), now)
        };
        match stores.attention.record_check(&check).await {
            // Another process was faster.
            Err(StoreError::Conflict) => Ok(()),
            recorded => recorded,
        }
    }
}

impl Attention {
    pub(super) const fn new(kinds: &'static [Kind]) -> Self {
        Self {
            kinds,
            count_at: None,
        }
    }

    /// When a count is due, counts clients' visible postings, and returns the numbers that changed.
    async fn count(
        &mut self,
        parts: &WorkerParts,
        state: &mut State,
    ) -> Result<BTreeMap<ClientId, u64>, StoreError> {
        let (start, mut changed) = (Instant::now(), BTreeMap::new());
        if self.count_at.is_some_and(|at| start < at) {
            return Ok(changed);
        }
        let visible = parts.stores.browser.visible().await?;
        self.count_at = Some(Instant::now() + start.elapsed() * COUNTING);
        for client in &state.clients {
            let visible = visible.get(&client.id).copied().unwrap_or_default();
            let activity = state.activities.entry(client.id).or_default();
            if std::mem::replace(&mut activity.visible, visible) != visible {
                changed.insert(client.id, visible);
            }
        }
        Ok(changed)
    }
}

async fn read(
    parts: &WorkerParts,
    kinds: &[Kind],
    now: OffsetDateTime,
) -> Result<State, StoreError> {
    let stores = &parts.stores;
    let clients = stores.clients.list(MOST).await?;
    let ids: Vec<_> = clients.iter().map(|client| client.id).collect();
    let mut accounts = Vec::new();
    for account in Account::ALL {
        accounts.push((*account, stores.accounts.account_state(*account).await?));
    }
    let objections = stores.reports.waiting_objections(MOST).await?;
    Ok(State {
        now,
        reports: stores.reports.count_waiting().await?,
        objections: Waiting {
            count: objections.len(),
            since: objections.first().map(|objection| objection.at),
        },
        activities: stores.activity.activities(&ids, false).await?,
        clients,
        backlog: stores.outbox.backlog(kinds).await?,
        endpoints: stores.webhooks.list(None, None, MOST).await?,
        imports: stores.catalogues.last_imports(MOST).await?,
        accounts,
        lookalikes: company_lookalikes(&*stores.companies, MOST).await?,
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use access::{Clients as _, testing::client};
    use kernel::{
        AttentionKind,
        attention::{ATTENTION_CLEARED, ATTENTION_RAISED, AttentionList as _},
        event::{EventLog as _, LogQuery},
        testing::{hours, noon},
    };
    use runtime::Clock;

    use super::*;
    use crate::{WorkerSettings, testing::TestStores};

    async fn look(stores: &TestStores, at: OffsetDateTime) {
        let clock: Clock = Arc::new(move || at);
        let parts = stores.parts(&clock, &WorkerSettings::default());
        let done = Attention::new(crate::kinds())
            .run(&parts, &CancellationToken::new())
            .await;
        assert_eq!(done, Ok(()));
    }

    #[tokio::test]
    async fn an_item_begins_and_ends_once_however_many_look() {
        let stores = TestStores::new();
        let store = Arc::clone(&stores.faulty.memory);
        let mut expected = client(1);
        expected.expect_every = Some(hours(1));
        store.insert(&expected, None).await.unwrap();
        let late = expected.created_at + hours(2);
        for at in [late, late, late + hours(1)] {
            look(&stores, at).await;
        }
        let found = store.attention().await.unwrap();
        let kinds: Vec<_> = found.items.iter().map(|item| item.kind).collect();
        assert_eq!(
            (kinds, found.version),
            (vec![AttentionKind::SourceSilent], 2)
        );
        let write = expected.revoke(noon()).unwrap();
        store.update(&write, None).await.unwrap();
        look(&stores, late + hours(2)).await;
        look(&stores, late + hours(3)).await;
        assert_eq!(store.attention().await.unwrap().items, []);
        let query = LogQuery {
            after: None,
            names: vec![ATTENTION_RAISED, ATTENTION_CLEARED],
            prefixes: kernel::Prefixes::ALL,
            reader: Some(expected.id),
            limit: 9,
        };
        let page = store.read(&query).await.unwrap();
        let names: Vec<_> = page.events.into_iter().map(|it| it.event.name).collect();
        assert_eq!(names, [ATTENTION_RAISED, ATTENTION_CLEARED]);
    }
}
