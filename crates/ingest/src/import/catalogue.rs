//! Begins and ends the import of a catalogue.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use domain::{
    catalogue::{CatalogueId, CatalogueLease, PastImport, PostingDigest, Roster},
    import::{Missing, Summary},
    usecase::{CatalogueOrder, Delisted, ImportError, ImportOrder},
};
use kernel::{ClientId, Prefixes, SourceIdentifier, StoreError};
use runtime::{panics, retry, waits};
use time::OffsetDateTime;
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

use super::{
    delist::{Delisting, MissingPostings},
    held::{Holding, Naming},
    lease::{self, HeldLease},
    ports::{CataloguePorts, PATIENCE, failed, new_catalogue_id, stopping},
    sweep::{PAGE, Sweep},
};

/// How long an incomplete import retries to record its end. Its lease expires anyway.
const RECORD_WITHIN: Duration = Duration::from_secs(5);

pub(super) struct CatalogueRun {
    /// A dry run of a missing catalogue has a new id, which is never stored.
    pub id: CatalogueId,
    roster: Roster,
    held: Roster,
    pub prefixes: Arc<Prefixes>,
    ports: CataloguePorts,
    client: ClientId,
    wanted: CatalogueOrder,
    /// `None` for a dry run.
    lease: Option<HeldLease>,
}

impl CatalogueRun {
    /// Leases and reads the catalogue. A dry run leases nothing.
    pub async fn begin(
        ports: &CataloguePorts,
        order: &ImportOrder,
        wanted: &CatalogueOrder,
        stop: &CancellationToken,
    ) -> Result<Self, ImportError> {
        let (client, name) = (order.client, &wanted.name);
        let (id, is_known, lease) = if order.dry_run {
            let now = (ports.clock)();
            let found = panics::caught(ports.catalogues.find(client, name, now)).await;
            let found = found.map_err(failed)?.map(|catalogue| catalogue.id);
            let id = found.unwrap_or_else(new_catalogue_id);
            (id, found.is_some(), None)
        } else {
            let new_id = Some(new_catalogue_id());
            let lease = HeldLease::take(ports, client, name, new_id).await?;
            let lease = lease.ok_or_else(lease::lost)?;
            (lease.lease.catalogue, true, Some(lease))
        };
        let mut run = Self {
            id,
            roster: Roster::default(),
            held: Roster::default(),
            prefixes: Arc::new(wanted.prefixes.clone()),
            ports: ports.clone(),
            client,
            wanted: wanted.clone(),
            lease,
        };
        if is_known && let Err(error) = run.read(stop).await {
            let now = (ports.clock)();
            // The first error is reported.
            let _ = run.end(now, &mut Summary::default(), false, stop).await;
            return Err(error);
        }
        Ok(run)
    }

    async fn read(&mut self, stop: &CancellationToken) -> Result<(), ImportError> {
        let (catalogues, name) = (&self.ports.catalogues, &self.wanted.name);
        let found = catalogues.find(self.client, name, (self.ports.clock)());
        let found = panics::caught(found).await.map_err(failed)?;
        // Allocated in one step: a growing list takes twice the memory.
        let count = found.as_ref().map_or(0, |catalogue| catalogue.postings);
        let mut digests = Vec::with_capacity(usize::try_from(count).unwrap_or_default());
        let mut after = None;
        loop {
            if stop.is_cancelled() {
                return Err(stopping());
            }
            let page = self.ports.catalogues.open_postings(self.id, after, PAGE);
            let page = panics::caught(page).await.map_err(failed)?;
            let permitted = page.iter().map(|posting| &posting.identifier);
            let permitted = permitted.filter(|identifier| self.prefixes.permit(identifier));
            digests.extend(permitted.map(PostingDigest::of));
            after = page.last().map(|posting| posting.id);
            if page.len() < PAGE {
                break;
            }
        }
        self.roster = if digests.len() <= PAGE {
            Roster::new(digests)
        } else {
            let roster = spawn_blocking(|| Roster::new(digests)).await;
            roster.map_err(|_| stopping())?
        };
        if self.lease.is_some() && found.is_some_and(|catalogue| catalogue.held.is_some()) {
            self.read_held(stop).await?;
        }
        Ok(())
    }

    async fn read_held(&mut self, stop: &CancellationToken) -> Result<(), ImportError> {
        let (mut digests, mut after) = (Vec::new(), None);
        loop {
            if stop.is_cancelled() {
                return Err(stopping());
            }
            let page = self.ports.catalogues.missing(self.id, after, PAGE);
            let page = panics::caught(page).await.map_err(failed)?;
            let held = page.iter().filter(|posting| posting.is_held);
            digests.extend(held.map(|posting| PostingDigest::of(&posting.identifier)));
            after = page.last().map(|posting| posting.id);
            if page.len() < PAGE {
                break;
            }
        }
        self.held = Roster::new(digests);
        Ok(())
    }

    pub fn name(&mut self, identifier: &SourceIdentifier) {
        self.roster.name(identifier);
        self.held.name(identifier);
    }

    pub fn lease(&self) -> Option<CatalogueLease> {
        self.lease.as_ref().map(|held| held.lease)
    }

    /// Returns a token that is cancelled when the lease is lost. `None` for a dry run.
    pub fn lost(&self) -> Option<CancellationToken> {
        self.lease.as_ref().map(|lease| lease.lost().clone())
    }

    /// Ends the import. A complete import expires missing postings, unless they are too many. Adds
    /// the missing postings to the summary, and records the import unless it is a dry run. Postings
    /// that an incomplete import named are no longer held back.
    pub async fn end(
        self,
        started_at: OffsetDateTime,
        summary: &mut Summary,
        is_proven: bool,
        stop: &CancellationToken,
    ) -> Result<(), ImportError> {
        let (mut result, mut keeps_held) = (Ok(()), false);
        if summary.complete {
            result = self.expire_missing(summary, is_proven, stop).await;
            summary.complete = result.is_ok();
            summary.changes = summary.changes.take().filter(|_| summary.complete);
        } else {
            keeps_held = self.keep_named(stop).await.is_ok();
        }
        let recorded = self.record(started_at, summary, keeps_held, stop).await;
        result
            .and(recorded)
            .inspect_err(|_| summary.complete = false)
    }

    async fn keep_named(&self, stop: &CancellationToken) -> Result<(), ImportError> {
        let Some(lease) = self.lease.as_ref().filter(|_| self.held.is_any_named()) else {
            return Ok(());
        };
        let mut naming = Naming {
            ports: &self.ports,
            lease: lease.lease,
            held: &self.held,
        };
        Sweep::new(&self.ports, lease, stop, &mut naming)
            .run()
            .await
    }

    async fn expire_missing(
        &self,
        summary: &mut Summary,
        is_proven: bool,
        stop: &CancellationToken,
    ) -> Result<(), ImportError> {
        let CatalogueOrder {
            guard, patience, ..
        } = self.wanted;
        let proves_none = is_proven && summary.counts.lines == 0;
        let count = self.roster.missing() as u64;
        let unattributed = summary.counts.unattributed;
        let held = self.roster.held(guard, unattributed, patience, proves_none);
        let missing = summary.missing.insert(Missing {
            count,
            held,
            ..Missing::default()
        });
        if let Some(because) = held {
            tracing::warn!(
                client_id = %self.client,
                catalogue = %self.wanted.name,
                missing = count,
                unattributed,
                %because,
                "an import is held back: it expires none of the missing postings"
            );
        }
        if count == 0 {
            return Ok(());
        }
        let missing_postings = MissingPostings {
            ports: &self.ports,
            catalogue: self.id,
            order: &self.wanted,
            is_missing: |posting: &_| {
                self.roster.is_missing(posting) && self.prefixes.permit(posting)
            },
        };
        if held.is_some() {
            let first = panics::caught(missing_postings.first());
            missing.first = first.await.map_err(failed)?;
            let Some(lease) = &self.lease else {
                return Ok(());
            };
            let mut holding = Holding {
                missing: missing_postings,
                lease: lease.lease,
            };
            let sweep = Sweep::new(&self.ports, lease, stop, &mut holding);
            return sweep.run().await;
        }
        let Some(lease) = &self.lease else {
            missing.expired = if self.wanted.patience.is_none() {
                count
            } else {
                let would_expire = panics::caught(missing_postings.would_expire());
                would_expire.await.map_err(failed)?
            };
            return Ok(());
        };
        let mut delisting = Delisting {
            missing: missing_postings,
            lease: lease.lease,
            delisted: Delisted::default(),
        };
        let sweep = Sweep::new(&self.ports, lease, stop, &mut delisting);
        let result = sweep.run().await;
        missing.expired = delisting.delisted.expired;
        if result.is_ok() {
            // Postings closed or moved to another catalogue meanwhile are not missing.
            missing.count = delisting.delisted.missing;
        }
        result
    }

    async fn record(
        &self,
        started_at: OffsetDateTime,
        summary: &Summary,
        keeps_held: bool,
        stop: &CancellationToken,
    ) -> Result<(), ImportError> {
        let Some(lease) = &self.lease else {
            return Ok(());
        };
        let within = if summary.complete {
            PATIENCE
        } else {
            RECORD_WITHIN
        };
        let waits = waits::after_failures().within(within);
        let waits = waits.take_while(|_| !stop.is_cancelled());
        let is_in_doubt = AtomicBool::new(false);
        let may_pass = |error: &StoreError| {
            is_in_doubt.fetch_or(matches!(error, StoreError::InDoubt(_)), Ordering::Relaxed);
            true
        };
        let finished = retry(waits, may_pass, async || {
            let import = PastImport {
                started_at,
                finished_at: (self.ports.clock)(),
                summary: summary.clone(),
            };
            let catalogues = &self.ports.catalogues;
            catalogues.finish(lease.lease, &import, keeps_held).await
        });
        match finished.await {
            Ok(false) if !is_in_doubt.into_inner() => Err(lease::lost()),
            Ok(_) => Ok(()),
            Err(error) => {
                tracing::warn!(%error, catalogue = %self.wanted.name, "an import could not be recorded");
                Err(failed(error))
            }
        }
    }
}
