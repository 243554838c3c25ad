//! The import of a catalogue: its beginning and its end.

use std::{sync::Arc, time::Duration};

use domain::{
    catalogue::{CatalogueId, MaxMissing, PastImport, Roster},
    import::{Missing, Summary},
    usecase::{CatalogueOrder, ImportError, ImportOrder},
};
use kernel::{CatalogueName, ClientId, Prefixes, StoreError};
use runtime::panics;
use time::OffsetDateTime;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::{
    delist::{Delisting, PAGE},
    lease::{self, HeldLease},
    outage::Patience,
    ports::{ImportPorts, PATIENCE, failed, new_catalogue_id, stopping},
};

/// How long the end of an import that is not complete is tried to be recorded. Its lease lapses
/// anyway.
const RECORD_WITHIN: Duration = Duration::from_secs(5);

/// What an import of a catalogue knows of it.
pub(super) struct CatalogueRun {
    /// The catalogue's id; a new one, never stored, for a dry run of a catalogue that is not there.
    pub id: CatalogueId,
    pub roster: Roster,
    /// The postings that the client may use.
    pub prefixes: Arc<Prefixes>,
    client: ClientId,
    name: CatalogueName,
    max_missing: MaxMissing,
    /// `None` for a dry run.
    lease: Option<HeldLease>,
}

impl CatalogueRun {
    /// Leases the catalogue, and reads what it has. A dry run leases nothing.
    pub async fn begin(
        ports: &ImportPorts,
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
            let lease = HeldLease::take(ports, client, name).await?;
            (lease.lease.catalogue, true, Some(lease))
        };
        let mut run = Self {
            id,
            roster: Roster::new(),
            prefixes: Arc::new(wanted.prefixes.clone()),
            client,
            name: name.clone(),
            max_missing: wanted.max_missing,
            lease,
        };
        if is_known && let Err(error) = run.read(ports, stop).await {
            let now = (ports.clock)();
            // The first error is the one to tell.
            let _ = run.end(ports, now, &mut Summary::default(), stop).await;
            return Err(error);
        }
        Ok(run)
    }

    /// Fills the roster.
    async fn read(
        &mut self,
        ports: &ImportPorts,
        stop: &CancellationToken,
    ) -> Result<(), ImportError> {
        let mut after = None;
        loop {
            if stop.is_cancelled() {
                return Err(stopping());
            }
            let page = ports.catalogues.open_postings(self.id, after, PAGE);
            let page = panics::caught(page).await.map_err(failed)?;
            for posting in &page {
                if self.prefixes.permit(&posting.identifier) {
                    self.roster.add(&posting.identifier);
                }
            }
            after = page.last().map(|posting| posting.id);
            if page.len() < PAGE {
                return Ok(());
            }
        }
    }

    /// Is cancelled when another import has the catalogue.
    pub fn lost(&self) -> Option<CancellationToken> {
        self.lease.as_ref().map(|lease| lease.lost().clone())
    }

    /// Ends the import: if it is complete, expires what is missing, unless that is too much. Adds
    /// what is missing to the summary, and records the import unless it was a dry run.
    pub async fn end(
        self,
        ports: &ImportPorts,
        started_at: OffsetDateTime,
        summary: &mut Summary,
        stop: &CancellationToken,
    ) -> Result<(), ImportError> {
        let mut result = Ok(());
        if summary.complete {
            result = self.expire_missing(ports, summary, stop).await;
            summary.complete = result.is_ok();
        }
        let recorded = self.record(ports, started_at, *summary, stop).await;
        result
            .and(recorded)
            .inspect_err(|_| summary.complete = false)
    }

    async fn expire_missing(
        &self,
        ports: &ImportPorts,
        summary: &mut Summary,
        stop: &CancellationToken,
    ) -> Result<(), ImportError> {
        let count = self.roster.missing() as u64;
        let held = self.roster.is_held(self.max_missing);
        let missing = summary.missing.insert(Missing {
            count,
            expired: 0,
            held,
        });
        if held {
            tracing::warn!(
                client_id = %self.client,
                catalogue = %self.name,
                missing = count,
                "so many postings are missing in an import that none of them expires"
            );
        }
        if held || count == 0 {
            return Ok(());
        }
        let Some(lease) = &self.lease else {
            missing.expired = count;
            return Ok(());
        };
        let mut delisting = Delisting::new(ports, lease, stop);
        let is_missing =
            |posting: &_| self.roster.is_missing(posting) && self.prefixes.permit(posting);
        let result = delisting.run(&self.name, is_missing).await;
        missing.expired = delisting.expired();
        if result.is_ok() {
            // What is not open any more, or is another catalogue's by now, is not missing.
            missing.count = missing.expired;
        }
        result
    }

    /// Records the import, and ends the lease.
    async fn record(
        &self,
        ports: &ImportPorts,
        started_at: OffsetDateTime,
        summary: Summary,
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
        let mut patience = Patience::new(within);
        let mut is_in_doubt = false;
        loop {
            let import = PastImport {
                started_at,
                finished_at: (ports.clock)(),
                summary,
            };
            let finished = panics::caught(ports.catalogues.finish(lease.lease, &import)).await;
            let error = match finished {
                Ok(true) => return Ok(()),
                Ok(false) if is_in_doubt => return Ok(()),
                Ok(false) => return Err(lease::lost()),
                Err(error) => error,
            };
            is_in_doubt |= matches!(error, StoreError::InDoubt(_));
            match patience.next() {
                Some(wait) if !stop.is_cancelled() => sleep(wait).await,
                _ => {
                    tracing::warn!(%error, catalogue = %self.name, "an import could not be recorded");
                    return Err(failed(error));
                }
            }
        }
    }
}
