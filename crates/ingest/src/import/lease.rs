use std::{sync::Arc, time::Duration};

use domain::{
    catalogue::{CatalogueId, CatalogueLease, CatalogueQuery, Leased, MOST_CATALOGUES},
    usecase::ImportError,
};
use kernel::{CatalogueName, ClientId};
use runtime::{
    decide_again,
    lease::{Held, Terms},
    panics,
};
use time::OffsetDateTime;
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};
use uuid::Uuid;

use super::ports::{CataloguePorts, failed};

const TERMS: Terms = Terms::STANDARD;

const WITHIN: Duration = Duration::from_secs(5);

pub(super) struct HeldLease {
    pub lease: CatalogueLease,
    held: Arc<Held>,
    renewal: AbortOnDropHandle<()>,
}

impl HeldLease {
    /// Leases a client's catalogue; `None` if it does not exist and no new id was given.
    pub async fn take(
        ports: &CataloguePorts,
        client: ClientId,
        name: &CatalogueName,
        new_id: Option<CatalogueId>,
    ) -> Result<Option<Self>, ImportError> {
        let holder = Uuid::new_v4();
        let leased = decide_again(WITHIN, async || {
            let now = (ports.clock)();
            let query = CatalogueQuery {
                client,
                name: name.clone(),
                new_id,
                holder,
                now,
                until: now + TERMS.length,
            };
            let held = Held::until(TERMS.until());
            Ok((ports.catalogues.lease(&query).await?, held, now))
        });
        match leased.await.map_err(failed)? {
            (Leased::Held(lease), held, _) => Ok(Some(Self::renewed(ports, lease, held))),
            (Leased::Unknown, ..) => Ok(None),
            (Leased::Running(until), _, now) => Err(ImportError::Running(seconds(until - now))),
            (Leased::TooMany, ..) => Err(ImportError::TooManyCatalogues(MOST_CATALOGUES)),
        }
    }

    fn renewed(ports: &CataloguePorts, lease: CatalogueLease, held: Held) -> Self {
        let held = Arc::new(held);
        let (ports, kept) = (ports.clone(), Arc::clone(&held));
        let renewal = tokio::spawn(async move {
            let renew = || ports.catalogues.renew(lease, until(&ports));
            TERMS.keep("a catalogue", &kept, renew).await;
        });
        Self {
            lease,
            held,
            renewal: AbortOnDropHandle::new(renewal),
        }
    }

    pub fn lost(&self) -> &CancellationToken {
        self.held.lost()
    }

    /// Ends a lease that is still held, so that no import waits for its expiry. Does not retry.
    pub async fn release(self, ports: &CataloguePorts) {
        self.renewal.abort();
        let released = panics::caught(ports.catalogues.renew(self.lease, (ports.clock)())).await;
        if let Err(error) = released {
            tracing::warn!(%error, "the lease of a catalogue was not released");
        }
    }

    pub async fn check(&self, ports: &CataloguePorts) -> Result<(), ImportError> {
        let until = until(ports);
        let renewed = panics::caught(ports.catalogues.renew(self.lease, until)).await;
        if self.lost().is_cancelled() || renewed == Ok(false) {
            return Err(lost());
        }
        Ok(())
    }
}

fn until(ports: &CataloguePorts) -> OffsetDateTime {
    (ports.clock)() + TERMS.length
}

pub(super) const fn lost() -> ImportError {
    ImportError::Running(TERMS.length.as_secs())
}

fn seconds(time: time::Duration) -> u64 {
    let seconds = time.as_seconds_f64().ceil();
    // A lease has at most this many seconds left, so the search is short.
    (1..=TERMS.length.as_secs())
        .find(|whole| seconds <= f64::from(u32::try_from(*whole).unwrap_or(u32::MAX)))
        .unwrap_or(TERMS.length.as_secs())
}
