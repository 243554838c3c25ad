//! Handles a catalogue's postings under its lease, in batches that give way to pushes.

use std::{slice, time::Duration};

use async_trait::async_trait;
use domain::{
    catalogue::{ExpiredPosting, MissingPosting, OpenPosting},
    usecase::ImportError,
};
use kernel::{PostingId, SourceIdentifier, StoreError};
use runtime::{BULK, Within, bulk_pause, panics, waits};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::{
    lease::{self, HeldLease},
    ports::{CataloguePorts, PATIENCE, failed, stopping},
};

pub(super) const PAGE: usize = 1_024;
const CONFLICTS: usize = 4;
const MOST_STUCK: usize = 1_000;

/// Postings, and the posting after which the next page begins; `None` after the last page.
pub(super) type Page<T> = (Vec<T>, Option<PostingId>);

pub(super) trait Named {
    fn name(&self) -> String;
}

impl Named for SourceIdentifier {
    fn name(&self) -> String {
        self.to_string()
    }
}

impl Named for OpenPosting {
    fn name(&self) -> String {
        self.identifier.to_string()
    }
}

impl Named for MissingPosting {
    fn name(&self) -> String {
        self.identifier.to_string()
    }
}

impl Named for ExpiredPosting {
    fn name(&self) -> String {
        let identifier = self.identifier.as_ref();
        identifier.map_or_else(|| self.id.to_string(), ToString::to_string)
    }
}

#[async_trait]
pub(super) trait Step: Send {
    type Posting: Clone + Named + Send + Sync;

    async fn page(&self, after: Option<PostingId>) -> Result<Page<Self::Posting>, StoreError>;

    /// Writes postings in one commit under the lease. After a failure, it may be called again for
    /// all or some of these postings.
    async fn commit(&mut self, postings: &[Self::Posting]) -> Result<(), StoreError>;
}

pub(super) struct Sweep<'a, S: Step> {
    ports: &'a CataloguePorts,
    lease: &'a HeldLease,
    stop: &'a CancellationToken,
    work: &'a mut S,
    /// Unwritable postings, with the time of the first failure.
    stuck: Vec<(S::Posting, Instant)>,
    away: Within,
}

impl<'a, S: Step> Sweep<'a, S> {
    pub const fn new(
        ports: &'a CataloguePorts,
        lease: &'a HeldLease,
        stop: &'a CancellationToken,
        work: &'a mut S,
    ) -> Self {
        Self {
            ports,
            lease,
            stop,
            work,
            stuck: Vec::new(),
            away: waits::after_failures().within(PATIENCE),
        }
    }

    pub async fn run(mut self) -> Result<(), ImportError> {
        let mut after = None;
        loop {
            let (page, next) = self.page(after).await?;
            for batch in page.chunks(BULK) {
                let start = Instant::now();
                self.write(batch).await?;
                self.wait(bulk_pause(batch.len(), start.elapsed())).await?;
            }
            if next.is_none() {
                return self.write_stuck().await;
            }
            after = next;
        }
    }

    async fn page(&mut self, after: Option<PostingId>) -> Result<Page<S::Posting>, ImportError> {
        loop {
            match panics::caught(self.work.page(after)).await {
                Ok(page) => return Ok(page),
                Err(error) => self.wait_while_away(error).await?,
            }
        }
    }

    /// Writes a batch in one commit. After a failure, writes its postings one by one, and leaves
    /// unwritable ones to the end.
    async fn write(&mut self, batch: &[S::Posting]) -> Result<(), ImportError> {
        let Some(error) = self.together(batch, CONFLICTS).await? else {
            return Ok(());
        };
        tracing::debug!(%error, "postings of a catalogue are written one by one");
        for posting in batch {
            let Some(error) = self.write_one(posting).await? else {
                continue;
            };
            if self.stuck.len() >= MOST_STUCK {
                return Err(failed(error));
            }
            self.stuck.push((posting.clone(), Instant::now()));
        }
        Ok(())
    }

    /// Returns the error if the posting cannot be written now.
    async fn write_one(&mut self, posting: &S::Posting) -> Result<Option<StoreError>, ImportError> {
        let error = self.together(slice::from_ref(posting), 0).await?;
        if let Some(error) = &error {
            let posting = posting.name();
            tracing::debug!(%error, %posting, "a posting of a catalogue cannot be written now");
            self.wait(Duration::ZERO).await?;
        }
        Ok(error)
    }

    async fn together(
        &mut self,
        postings: &[S::Posting],
        conflicts: usize,
    ) -> Result<Option<StoreError>, ImportError> {
        let mut waits = waits::after_conflicts().take(conflicts);
        loop {
            let error = match panics::caught(self.work.commit(postings)).await {
                Ok(()) => {
                    self.away = waits::after_failures().within(PATIENCE);
                    return Ok(None);
                }
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

    async fn write_stuck(&mut self) -> Result<(), ImportError> {
        let mut waits = waits::after_locks();
        while !self.stuck.is_empty() {
            self.wait(waits.next().unwrap_or_default()).await?;
            for (posting, since) in std::mem::take(&mut self.stuck) {
                let Some(error) = self.write_one(&posting).await? else {
                    continue;
                };
                if since.elapsed() >= PATIENCE {
                    let posting = posting.name();
                    tracing::warn!(%error, %posting, "a posting of a catalogue cannot be written");
                    return Err(failed(error));
                }
                self.stuck.push((posting, since));
            }
        }
        Ok(())
    }

    async fn wait_while_away(&mut self, error: StoreError) -> Result<(), ImportError> {
        match self.away.next() {
            Some(wait) => self.wait(wait).await,
            None => Err(failed(error)),
        }
    }

    async fn wait(&self, time: Duration) -> Result<(), ImportError> {
        tokio::select! {
            biased;
            () = self.stop.cancelled() => Err(stopping()),
            () = self.lease.lost().cancelled() => Err(lease::lost()),
            () = sleep(time) => Ok(()),
        }
    }
}
