//! The lease of a catalogue while its import runs.

use std::time::Duration;

use domain::{
    catalogue::{CatalogueId, CatalogueLease, CatalogueQuery, Leased, MOST_CATALOGUES},
    usecase::ImportError,
};
use kernel::{CatalogueName, ClientId};
use runtime::{decide_again, lease::keep, panics};
use time::OffsetDateTime;
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};
use uuid::Uuid;

use super::ports::{CataloguePorts, failed};

/// How long a lease holds unless it is renewed, and how often it is.
const LEASE: Duration = Duration::from_secs(30);
const RENEW_EVERY: Duration = Duration::from_secs(10);

/// How long imports that begin at the same time are decided again.
const WITHIN: Duration = Duration::from_secs(5);

/// A lease that is renewed until it is dropped.
pub(super) struct HeldLease {
    pub lease: CatalogueLease,
    lost: CancellationToken,
    renewal: AbortOnDropHandle<()>,
}

impl HeldLease {
    /// Leases a client's catalogue; `None` if it is not there, and is not to be made with a new id.
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
                until: now + LEASE,
            };
            let leased = ports.catalogues.lease(&query).await?;
            Ok((leased, now))
        });
        match leased.await.map_err(failed)? {
            (Leased::Held(lease), _) => Ok(Some(Self::renewed(ports, lease))),
            (Leased::Unknown, _) => Ok(None),
            (Leased::Running(until), now) => Err(ImportError::Running(seconds(until - now))),
            (Leased::TooMany, _) => Err(ImportError::TooManyCatalogues(MOST_CATALOGUES)),
        }
    }

    fn renewed(ports: &CataloguePorts, lease: CatalogueLease) -> Self {
        let lost = CancellationToken::new();
        let renewal = renew(ports.clone(), lease, lost.clone());
        Self {
            lease,
            lost,
            renewal: AbortOnDropHandle::new(tokio::spawn(renewal)),
        }
    }

    /// Is cancelled when the lease is found to be another import's.
    pub const fn lost(&self) -> &CancellationToken {
        &self.lost
    }

    /// Ends the lease at once, if it is still held, so that nobody has to wait until it lapses. It
    /// is not tried again.
    pub async fn release(self, ports: &CataloguePorts) {
        self.renewal.abort();
        let released = panics::caught(ports.catalogues.renew(self.lease, (ports.clock)())).await;
        if let Err(error) = released {
            tracing::warn!(%error, "the lease of a catalogue was not released");
        }
    }

    /// Fails if the lease is another import's.
    pub async fn check(&self, ports: &CataloguePorts) -> Result<(), ImportError> {
        let until = until(ports);
        let renewed = panics::caught(ports.catalogues.renew(self.lease, until)).await;
        if self.lost.is_cancelled() || renewed == Ok(false) {
            return Err(lost());
        }
        Ok(())
    }
}

async fn renew(ports: CataloguePorts, lease: CatalogueLease, lost: CancellationToken) {
    // It may lapse while the store is unavailable, and is still held if no other import came.
    let renew = || ports.catalogues.renew(lease, until(&ports));
    keep("a catalogue", RENEW_EVERY, renew).await;
    lost.cancel();
}

fn until(ports: &CataloguePorts) -> OffsetDateTime {
    (ports.clock)() + LEASE
}

/// The end of an import whose catalogue another import has, or which was deleted.
pub(super) const fn lost() -> ImportError {
    ImportError::Running(LEASE.as_secs())
}

/// A time in whole seconds, at least one.
fn seconds(time: time::Duration) -> u64 {
    let seconds = time.as_seconds_f64().ceil();
    // The lease that it is the rest of is short.
    (1..=LEASE.as_secs())
        .find(|whole| seconds <= f64::from(u32::try_from(*whole).unwrap_or(u32::MAX)))
        .unwrap_or(LEASE.as_secs())
}
