use std::{
    collections::HashMap,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use async_trait::async_trait;
use domain::{
    posting::{
        AsOf, PostingVersion, PostingView,
        duplicate::{Candidate, Fingerprint},
    },
    store::{
        ListQuery, LockedRows, PostingPage, PostingReader, RowLocks, Snapshot, Store, WriteSet,
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
    async fn load(
        &self,
        identifiers: &[SourceIdentifier],
        companies: &[CompanyId],
    ) -> Result<Snapshot, StoreError> {
        let load = Store::load(self.memory(), identifiers, companies);
        self.0.read("load", load).await
    }

    async fn load_by_id(&self, ids: &[PostingId]) -> Result<Snapshot, StoreError> {
        let load = Store::load_by_id(self.memory(), ids);
        self.0.read("load_by_id", load).await
    }

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
        let is_missing = answer.is_err() || began.elapsed() > LATE;
        if is_missing && is_done.into_inner() {
            judge::lost(world, numbers);
        }
        answer
    }

    async fn candidates(
        &self,
        fingerprints: &[Fingerprint],
        named: &[PostingId],
    ) -> Result<Vec<Candidate>, StoreError> {
        let near = Store::candidates(self.memory(), fingerprints, named);
        self.0.read("near", near).await
    }

    async fn copies(
        &self,
        of: &[PostingId],
        after: Option<PostingId>,
        limit: usize,
    ) -> Result<Vec<Candidate>, StoreError> {
        let copies = Store::copies(self.memory(), of, after, limit);
        self.0.read("copies", copies).await
    }

    async fn held(
        &self,
        before: OffsetDateTime,
        limit: usize,
    ) -> Result<Vec<SourceIdentifier>, StoreError> {
        let held = Store::held(self.memory(), before, limit);
        self.0.read("held", held).await
    }

    async fn records(
        &self,
        import: Uuid,
        postings: &[PostingId],
    ) -> Result<Vec<PostingVersion>, StoreError> {
        let records = self.memory().records(import, postings);
        self.0.read("records", records).await
    }

    async fn fences(
        &self,
        clients: &[ClientId],
    ) -> Result<HashMap<ClientId, Prefixes>, StoreError> {
        self.0.read("fences", self.memory().fences(clients)).await
    }

    async fn overdue(
        &self,
        now: OffsetDateTime,
        limit: usize,
    ) -> Result<Vec<SourceIdentifier>, StoreError> {
        let overdue = Store::overdue(self.memory(), now, limit);
        self.0.read("overdue", overdue).await
    }
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
