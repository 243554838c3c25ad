//! The ports on a store in memory. Tests can cause faults: an identifier such as `fault:overloaded`
//! makes its request fail in this way.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use access::{
    Activity, ActivityLog, ActivityRecorder,
    activity::{ActivityWrites, Counts, Gathered, Refusal},
};
use async_trait::async_trait;
use domain::testing::MemoryStore;
use domain::{
    catalogue::CatalogueLease,
    posting::{
        Answer, AsOf, ENRICH, EnrichedTexts, Enrichment, Lifetime, PostingVersion, PostingView,
        PutPosting, moderation::Moderation,
    },
    store::{Health, ListQuery, PostingPage, PostingReader},
    usecase::{self, Ingest, IngestError, Outcome},
};
use kernel::{
    ClientId, PostingId, SourceIdentifier, StoreError, Version,
    event::{Cursor, EventFeed, EventLog, LogError, LogPage, LogQuery},
    outbox::Outbox as _,
};
use time::OffsetDateTime;
use tokio::time::{Instant, sleep};

use super::{FakeNewsletter, Receiver};

pub const INTERNALS: &str = "table postings at 10.0.0.1";

#[derive(Default)]
pub struct Backend {
    pub store: Arc<MemoryStore>,
    pub not_ready: AtomicBool,
    pub pushes: AtomicUsize,
    pub newsletter: Arc<FakeNewsletter>,
    pub receiver: Arc<Receiver>,
    pub log_is_away: AtomicBool,
    pub followers: AtomicUsize,
    /// How many pages an export can still read before it fails. If set, each page has one posting.
    pub export_pages: Mutex<Option<usize>>,
    pub imports: Arc<AtomicUsize>,
    pub gathered: Mutex<Gathered>,
}

struct Follower<'a>(&'a AtomicUsize);

impl Drop for Follower<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Backend {
    pub async fn moderate(&self, identifier: &str, command: Moderation) {
        let identifier = SourceIdentifier::new(identifier).unwrap();
        let now = fields::microseconds(OffsetDateTime::now_utc());
        let (by, never) = (kernel::testing::by_ann(1), Lifetime::NEVER);
        usecase::moderate(&*self.store, &identifier, &command, None, &by, never, now)
            .await
            .unwrap();
    }

    pub async fn enrich(&self, texts: &EnrichedTexts) {
        let now = fields::microseconds(OffsetDateTime::now_utc());
        let (store, lease) = (&*self.store, kernel::testing::uuid(1));
        let claimed = store
            .claim(ENRICH, 9, time::Duration::HOUR, lease, now)
            .await;
        let tasks = claimed.unwrap().into_iter();
        let tasks: Vec<_> = tasks
            .map(|task| (task.token, PostingId::new(task.effect.key())))
            .collect();
        let assignments = usecase::assignments(store, &tasks, now).await.unwrap();
        let outcomes = assignments.into_iter().map(|of| Outcome {
            token: of.token,
            posting: of.submission.posting.source_identifier,
            content: of.content,
            enrichment: Enrichment {
                texts: texts.clone(),
                ..Enrichment::bare()
            },
            trace: None,
        });
        let outcomes: Vec<_> = outcomes.collect();
        let recorded = usecase::record_outcomes(store, &outcomes, Lifetime::NEVER, now);
        recorded.await.unwrap();
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
            "slow" => sleep(Duration::from_millis(500)).await,
            _ => {}
        }
        let now = fields::microseconds(OffsetDateTime::now_utc());
        let mut answers = usecase::ingest(&*self.store, &[put], Lifetime::NEVER, now)
            .await
            .unwrap();
        Ok(answers.remove(0)?)
    }

    async fn dry_run(&self, put: PutPosting) -> Result<Answer, IngestError> {
        let now = fields::microseconds(OffsetDateTime::now_utc());
        let mut batch = usecase::Batch::new(Lifetime::NEVER, now);
        batch.load(&*self.store, &[&put], true).await.unwrap();
        Ok(batch.decide(&put, now)?.answer)
    }

    async fn put_all(
        &self,
        _: Vec<Arc<PutPosting>>,
        _: bool,
        _: Option<CatalogueLease>,
    ) -> Vec<Result<Answer, IngestError>> {
        unreachable!("imports are behind a port of their own")
    }
}

impl ActivityRecorder for Backend {
    fn pushed(&self, client: ClientId, counts: Counts, at: OffsetDateTime) {
        self.gathered.lock().unwrap().count(client, counts, at);
    }

    fn explained(&self, client: ClientId, refusal: Refusal) {
        self.gathered.lock().unwrap().explain(client, refusal);
    }

    fn used(&self, client: ClientId, digest: [u8; 32], at: OffsetDateTime) {
        let mut gathered = self.gathered.lock().unwrap();
        gathered.use_secret(client, digest, at);
    }
}

#[async_trait]
impl ActivityLog for Backend {
    async fn record(&self, writes: &ActivityWrites) -> Result<(), StoreError> {
        self.store.record(writes).await
    }

    /// First writes the collected activity.
    async fn activities(
        &self,
        clients: &[ClientId],
        with_refusals: bool,
    ) -> Result<HashMap<ClientId, Activity>, StoreError> {
        let writes = self.gathered.lock().unwrap().take();
        self.record(&writes).await?;
        self.store.activities(clients, with_refusals).await
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
        let mut query = query.clone();
        if let Some(left) = &mut *self.export_pages.lock().unwrap() {
            let away = StoreError::Unavailable(INTERNALS.into());
            *left = left.checked_sub(1).ok_or(away)?;
            query.limit = 1;
        }
        PostingReader::list(&*self.store, &query).await
    }

    async fn as_of(
        &self,
        identifier: &SourceIdentifier,
        moment: AsOf,
    ) -> Result<Option<PostingView>, StoreError> {
        PostingReader::as_of(&*self.store, identifier, moment).await
    }

    async fn versions(
        &self,
        identifier: &SourceIdentifier,
        before: Option<Version>,
        limit: usize,
    ) -> Result<Option<Vec<PostingVersion>>, StoreError> {
        PostingReader::versions(&*self.store, identifier, before, limit).await
    }
}

#[async_trait]
impl EventFeed for Backend {
    async fn follow(&self, query: &LogQuery, wait: Duration) -> Result<LogPage, LogError> {
        self.followers.fetch_add(1, Ordering::SeqCst);
        let _follower = Follower(&self.followers);
        let end = Instant::now() + wait;
        loop {
            self.end().await?;
            let page = self.store.read(query).await?;
            if !page.events.is_empty() || page.has_more || Instant::now() >= end {
                return Ok(page);
            }
            sleep(Duration::from_millis(5)).await;
        }
    }

    async fn end(&self) -> Result<Cursor, StoreError> {
        if self.log_is_away.load(Ordering::SeqCst) {
            return Err(StoreError::Unavailable(INTERNALS.into()));
        }
        EventLog::end(&*self.store).await
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
