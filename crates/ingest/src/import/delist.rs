//! Expires the postings that are missing in a catalogue, in batches that give way to pushes.

use std::{slice, time::Duration};

use domain::{
    catalogue::OpenPosting,
    usecase::{self, ImportError},
};
use kernel::{CatalogueName, PostingId, SourceIdentifier, StoreError};
use runtime::{panics, waits};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::{
    lease::{self, HeldLease},
    outage::Patience,
    ports::{ImportPorts, PATIENCE, failed, stopping},
};

/// The open postings that are read at a time.
pub(super) const PAGE: usize = 1_024;
/// Postings per commit.
const BATCH: usize = 256;
/// Retries of a batch after conflicts with other writers.
const CONFLICTS: usize = 4;
/// The most postings that cannot be written now and are tried again at the end.
const MOST_STUCK: usize = 1_000;

/// The expiry of missing postings.
pub(super) struct Delisting<'a> {
    ports: &'a ImportPorts,
    lease: &'a HeldLease,
    stop: &'a CancellationToken,
    expired: u64,
    /// Postings that could not be written alone, each with the time since when.
    stuck: Vec<(SourceIdentifier, Instant)>,
    away: Patience,
}

impl<'a> Delisting<'a> {
    pub const fn new(
        ports: &'a ImportPorts,
        lease: &'a HeldLease,
        stop: &'a CancellationToken,
    ) -> Self {
        Self {
            ports,
            lease,
            stop,
            expired: 0,
            stuck: Vec::new(),
            away: Patience::new(PATIENCE),
        }
    }

    /// The number of postings that have expired.
    pub const fn expired(&self) -> u64 {
        self.expired
    }

    /// Expires the open postings of the catalogue that are missing.
    pub async fn run(
        &mut self,
        name: &CatalogueName,
        is_missing: impl Fn(&SourceIdentifier) -> bool,
    ) -> Result<(), ImportError> {
        let mut after = None;
        loop {
            let page = self.page(after).await?;
            after = page.last().map(|posting| posting.id);
            let is_last = page.len() < PAGE;
            let missing = page.into_iter().map(|posting| posting.identifier);
            let missing: Vec<_> = missing.filter(|posting| is_missing(posting)).collect();
            let mut rest = missing.as_slice();
            while !rest.is_empty() {
                let size = self.ports.throttle.sweep_size(BATCH).min(rest.len());
                let (batch, others) = rest.split_at(size);
                let start = Instant::now();
                self.expire(name, batch).await?;
                self.wait(self.ports.throttle.sweep_pause(start.elapsed()))
                    .await?;
                rest = others;
            }
            if is_last {
                return self.expire_stuck(name).await;
            }
        }
    }

    /// The open postings of the catalogue that follow one.
    async fn page(&mut self, after: Option<PostingId>) -> Result<Vec<OpenPosting>, ImportError> {
        let (catalogues, catalogue) = (&self.ports.catalogues, self.lease.lease.catalogue);
        loop {
            let page = catalogues.open_postings(catalogue, after, PAGE);
            match panics::caught(page).await {
                Ok(page) => return Ok(page),
                Err(error) => self.wait_while_away(error).await?,
            }
        }
    }

    /// Expires a batch in one commit, or if that fails one by one. Those that cannot be written now
    /// are left to the end.
    async fn expire(
        &mut self,
        name: &CatalogueName,
        batch: &[SourceIdentifier],
    ) -> Result<(), ImportError> {
        let Some(error) = self.together(name, batch, CONFLICTS).await? else {
            return Ok(());
        };
        tracing::debug!(%error, "missing postings are expired one by one");
        for posting in batch {
            let Some(error) = self.alone(name, posting).await? else {
                continue;
            };
            if self.stuck.len() >= MOST_STUCK {
                return Err(failed(error));
            }
            self.stuck.push((posting.clone(), Instant::now()));
        }
        Ok(())
    }

    /// Expires a posting; gives the error if it cannot be written now.
    async fn alone(
        &mut self,
        name: &CatalogueName,
        posting: &SourceIdentifier,
    ) -> Result<Option<StoreError>, ImportError> {
        let error = self.together(name, slice::from_ref(posting), 0).await?;
        if let Some(error) = &error {
            tracing::debug!(%error, ?posting, "a missing posting cannot be expired now");
            self.wait(Duration::ZERO).await?;
        }
        Ok(error)
    }

    /// Expires postings in one commit, again after so many conflicts; gives the error if they cannot
    /// be written now.
    async fn together(
        &mut self,
        name: &CatalogueName,
        postings: &[SourceIdentifier],
        conflicts: usize,
    ) -> Result<Option<StoreError>, ImportError> {
        let mut waits = waits::after_conflicts().take(conflicts);
        loop {
            let error = match self.attempt(name, postings).await {
                Ok(()) => return Ok(None),
                Err(error) => error,
            };
            match error {
                StoreError::Unavailable(_) | StoreError::InDoubt(_) => {
                    self.wait_while_away(error).await?;
                }
                StoreError::Conflict => {
                    self.lease.check(self.ports).await?;
                    match waits.next() {
                        Some(wait) => self.wait(wait).await?,
                        None => return Ok(Some(error)),
                    }
                }
                other => return Ok(Some(other)),
            }
        }
    }

    /// Tries the postings again that could not be written, each for a minute.
    async fn expire_stuck(&mut self, name: &CatalogueName) -> Result<(), ImportError> {
        let mut waits = waits::after_locks();
        while !self.stuck.is_empty() {
            self.wait(waits.next().unwrap_or_default()).await?;
            for (posting, since) in std::mem::take(&mut self.stuck) {
                let Some(error) = self.alone(name, &posting).await? else {
                    continue;
                };
                if since.elapsed() >= PATIENCE {
                    tracing::warn!(%error, ?posting, "a missing posting cannot be expired");
                    return Err(failed(error));
                }
                self.stuck.push((posting, since));
            }
        }
        Ok(())
    }

    async fn attempt(
        &mut self,
        name: &CatalogueName,
        postings: &[SourceIdentifier],
    ) -> Result<(), StoreError> {
        let (store, now) = (&*self.ports.store, (self.ports.clock)());
        let delisted = usecase::delist_missing(store, self.lease.lease, name, postings, now);
        let expired = panics::caught(delisted).await?;
        self.expired += expired as u64;
        self.away = Patience::new(PATIENCE);
        Ok(())
    }

    /// Waits after a failure of the store, and fails if it is unavailable for too long.
    async fn wait_while_away(&mut self, error: StoreError) -> Result<(), ImportError> {
        match self.away.next() {
            Some(wait) => self.wait(wait).await,
            None => Err(failed(error)),
        }
    }

    /// Waits, unless the service stops or another import has the catalogue.
    async fn wait(&self, time: Duration) -> Result<(), ImportError> {
        tokio::select! {
            biased;
            () = self.stop.cancelled() => Err(stopping()),
            () = self.lease.lost().cancelled() => Err(lease::lost()),
            () = sleep(time) => Ok(()),
        }
    }
}
