//! The ports on a store in memory, with faults on demand: an identifier such as `fault:overloaded`
//! makes its request fail that way.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

use async_trait::async_trait;
use domain::testing::MemoryStore;
use domain::{
    posting::{
        Answer, Lifetime, PostingView, PutPosting, SourceIdentifier, moderation::Moderation,
    },
    store::{Health, ListQuery, PostingPage, PostingReader, StoreError},
    usecase::{self, Ingest, IngestError},
};
use time::OffsetDateTime;

use super::FakeNewsletter;

/// An internal text that no answer may contain.
pub const INTERNALS: &str = "table postings at 10.0.0.1";

#[derive(Default)]
pub struct Backend {
    pub store: Arc<MemoryStore>,
    pub not_ready: AtomicBool,
    pub pushes: AtomicUsize,
    pub newsletter: Arc<FakeNewsletter>,
}

impl Backend {
    /// Applies an operator's command.
    pub async fn moderate(&self, identifier: &str, command: Moderation) {
        let identifier = SourceIdentifier::new(identifier).unwrap();
        let now = domain::microseconds(OffsetDateTime::now_utc());
        let (by, never) = (domain::testing::by_ann(1), Lifetime::NEVER);
        usecase::moderate(&*self.store, &identifier, &command, &by, never, now)
            .await
            .unwrap();
    }
}

#[async_trait]
impl Ingest for Backend {
    async fn put(&self, put: PutPosting) -> Result<Answer, IngestError> {
        self.pushes.fetch_add(1, Ordering::SeqCst);
        match put.identifier.as_str() {
            "fault:overloaded" => return Err(IngestError::Overloaded),
            "fault:unavailable" => return Err(IngestError::Unavailable(INTERNALS.into())),
            "fault:broken" => return Err(IngestError::Broken(INTERNALS.into())),
            "fault:panic" => panic!("{INTERNALS}"),
            "slow" => tokio::time::sleep(std::time::Duration::from_millis(500)).await,
            _ => {}
        }
        let now = domain::microseconds(OffsetDateTime::now_utc());
        let mut answers = usecase::ingest(&*self.store, &[put], Lifetime::NEVER, now)
            .await
            .unwrap();
        Ok(answers.remove(0)?)
    }
}

#[async_trait]
impl PostingReader for Backend {
    async fn find(&self, identifier: &SourceIdentifier) -> Result<Option<PostingView>, StoreError> {
        match identifier.as_str() {
            "fault:unavailable" => Err(StoreError::Unavailable(INTERNALS.into())),
            "fault:broken" => Err(StoreError::Broken(INTERNALS.into())),
            _ => PostingReader::find(&*self.store, identifier).await,
        }
    }

    async fn list(&self, query: &ListQuery) -> Result<PostingPage, StoreError> {
        PostingReader::list(&*self.store, query).await
    }
}

#[async_trait]
impl Health for Backend {
    async fn ready(&self) -> Result<(), StoreError> {
        if self.not_ready.load(Ordering::SeqCst) {
            Err(StoreError::Unavailable(INTERNALS.into()))
        } else {
            Ok(())
        }
    }
}
