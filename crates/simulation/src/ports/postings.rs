use std::{
    collections::{HashMap, HashSet},
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use async_trait::async_trait;
use domain::{
    posting::{
        AsOf, PostingVersion, PostingView,
        duplicate::{Apart, Candidate, Fingerprint, Number},
    },
    store::{
        ListQuery, LockedRows, PostingPage, PostingReader, Reads, RowLocks, Snapshot, Store,
        WriteSet,
    },
    testing::MemoryStore,
};
use kernel::{ClientId, CompanyId, PostingId, Prefixes, SourceIdentifier, StoreError, Version};
use newsletter::subscriber::{Email, MigrationToken, Remembered, Subscriber, SubscriberId};
use time::OffsetDateTime;
use tokio::time::Instant;
use uuid::Uuid;

use super::{Port, behind_the_link};
use crate::judge;

/// A line whose answer takes longer is sent again.
const LATE: Duration = Duration::from_secs(1);

#[async_trait]
impl Store for Port {
    async fn commit(&self, writes: WriteSet) -> Result<(), StoreError> {
        let (world, by) = (&self.0.world, &self.0.name);
        let (numbers, is_done) = (judge::numbers(&writes), AtomicBool::new(false));
        let began = Instant::now();
        let commit = Box::pin(async {
            judge::commit(world, by, writes).await?;
            is_done.store(true, Ordering::SeqCst);
            Ok(())
        });
        let answer = self.0.commit(commit).await;
        if is_done.into_inner() {
            let is_answered = answer.is_ok() && began.elapsed() <= LATE;
            judge::committed(world, numbers, is_answered);
        }
        answer
    }
}

behind_the_link! { Reads;
    read load(identifiers: &[SourceIdentifier], companies: &[CompanyId]) -> Result<Snapshot, StoreError>;
    read load_by_id(ids: &[PostingId]) -> Result<Snapshot, StoreError>;
    read candidates(fingerprints: &[Fingerprint], named: &[PostingId]) -> Result<Vec<Candidate>, StoreError>;
    read numbered(numbers: &[Number]) -> Result<Vec<Candidate>, StoreError>;
    read copies(of: &[PostingId], after: Option<PostingId>, limit: usize) -> Result<Vec<Candidate>, StoreError>;
    read told_apart(pairs: &[Apart]) -> Result<HashSet<Apart>, StoreError>;
    read held(before: OffsetDateTime, limit: usize) -> Result<Vec<SourceIdentifier>, StoreError>;
    read records(import: Uuid, postings: &[PostingId]) -> Result<Vec<PostingVersion>, StoreError>;
    read records_after(versions: &[(PostingId, Version)]) -> Result<Vec<PostingVersion>, StoreError>;
    read prefixes(clients: &[ClientId]) -> Result<HashMap<ClientId, Prefixes>, StoreError>;
    read overdue(now: OffsetDateTime, limit: usize) -> Result<Vec<SourceIdentifier>, StoreError>;
}

behind_the_link! { PostingReader;
    read find(identifier: &SourceIdentifier) -> Result<Option<PostingView>, StoreError>;
    read list(query: &ListQuery) -> Result<PostingPage, StoreError>;
    read as_of(identifier: &SourceIdentifier, moment: AsOf) -> Result<Option<PostingView>, StoreError>;
    read versions(identifier: &SourceIdentifier, before: Option<Version>, limit: usize) -> Result<Option<Vec<PostingVersion>>, StoreError>;
}

behind_the_link! { LockedRows;
    read locked_rows(rows: &RowLocks) -> Result<RowLocks, StoreError>;
}

#[async_trait]
impl newsletter::store::Store for Port {
    async fn load(&self, emails: &[Email]) -> Result<HashMap<Email, Subscriber>, StoreError> {
        let load = newsletter::store::Store::load(self.memory(), emails);
        self.0.read("load", load).await
    }

    async fn load_by_id(
        &self,
        ids: &[SubscriberId],
    ) -> Result<HashMap<SubscriberId, Subscriber>, StoreError> {
        let load = newsletter::store::Store::load_by_id(self.memory(), ids);
        self.0.read("load_by_id", load).await
    }

    async fn find_by_token(
        &self,
        token: &MigrationToken,
    ) -> Result<Option<Subscriber>, StoreError> {
        let find = self.memory().find_by_token(token);
        self.0.read("find_by_token", find).await
    }

    async fn remembered(&self, emails: &[Email]) -> Result<HashMap<Email, Remembered>, StoreError> {
        let remembered = self.memory().remembered(emails);
        self.0.read("remembered", remembered).await
    }

    async fn commit(&self, writes: newsletter::store::WriteSet) -> Result<(), StoreError> {
        let commit = newsletter::store::Store::commit(self.memory(), writes);
        self.0.commit(commit).await
    }
}
