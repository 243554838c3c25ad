mod counts;
mod deaths;
mod drafts;
mod failures;
mod model;

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use ::newsletter::testing::MemoryStore;
use async_trait::async_trait;
use domain::{
    posting::{ENRICH, EnrichedTexts, Enrichment, Lifetime, PostingView, PutPosting},
    store::PostingReader,
    testing::create,
    usecase,
};
use enrichment::{
    DraftCache, EnrichError, Enricher, EnrichmentInput, StopFlag, testing::MemoryDrafts,
};
use kernel::{
    Status, StoreError,
    outbox::{Backlog, Kind, Outbox, Revive, TaskRow},
};
use runtime::{Clock, Loops, clock};
use tokio::time::sleep;

use super::*;
use crate::testing::{Fault, TestStores, eventually};

/// An enricher that approves everything, except titles with a treatment.
#[derive(Default)]
struct Script {
    calls: AtomicUsize,
    under_way: Mutex<Vec<String>>,
    together: Mutex<Vec<Vec<String>>>,
    titles: Mutex<HashMap<String, Treatment>>,
}

#[derive(Clone)]
enum Treatment {
    Fail(EnrichError),
    Panic,
    Wait(Duration),
    /// Computes until stopped.
    Compute,
    /// Blocks its thread, even after a stop.
    Block(Duration),
}

impl Script {
    fn treat(&self, identifier: &str, treatment: Treatment) {
        self.titles
            .lock()
            .unwrap()
            .insert(format!("Engineer {identifier}"), treatment);
    }

    fn were_beside_others(&self, titles: &[String]) -> bool {
        let together = self.together.lock().unwrap();
        let mut crowds = together.iter().filter(|titles| titles.len() > 1);
        crowds.any(|crowd| crowd.iter().any(|title| titles.contains(title)))
    }

    fn begin(&self, title: &str) {
        let mut under_way = self.under_way.lock().unwrap();
        under_way.push(title.to_owned());
        self.together.lock().unwrap().push(under_way.clone());
    }

    fn end(&self, title: &str) {
        self.under_way.lock().unwrap().retain(|one| one != title);
    }

    fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl Enricher for Script {
    async fn enrich(
        &self,
        input: &EnrichmentInput,
        stop: &StopFlag,
    ) -> Result<Enrichment, EnrichError> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        let treatment = self.titles.lock().unwrap().get(&input.title).cloned();
        match treatment {
            Some(Treatment::Fail(error)) => return Err(error),
            Some(Treatment::Panic) => panic!("an enricher's defect"),
            Some(Treatment::Wait(time)) => {
                self.begin(&input.title);
                sleep(time).await;
                self.end(&input.title);
            }
            Some(Treatment::Compute) => {
                while !stop.load(Ordering::Relaxed) {
                    std::thread::yield_now();
                }
            }
            Some(Treatment::Block(time)) => std::thread::sleep(time),
            None => {}
        }
        Ok(Enrichment {
            texts: texts(input),
            ..Enrichment::bare()
        })
    }

    fn unjudged(&self, input: &EnrichmentInput) -> Option<Enrichment> {
        Some(Enrichment {
            texts: texts(input),
            ..Enrichment::bare()
        })
    }
}

fn texts(input: &EnrichmentInput) -> EnrichedTexts {
    EnrichedTexts {
        markdown: input.title.clone(),
        redacted_markdown: input.title.clone(),
        redacted_title: None,
    }
}

struct Bench {
    stores: TestStores,
    script: Arc<Script>,
    drafts: Arc<MemoryDrafts>,
    settings: WorkerSettings,
    clock: Clock,
}

impl Bench {
    fn new() -> Self {
        Self {
            stores: TestStores::new(),
            script: Arc::default(),
            drafts: Arc::default(),
            settings: WorkerSettings {
                // Poll rarely, so that a test fails if it needs a wake-up and none comes.
                poll_every: Duration::from_mins(1),
                lifetime: Lifetime::days(60),
                ..WorkerSettings::default()
            },
            clock: clock::system(),
        }
    }

    fn start(&self) -> Loops {
        let mut parts = self.stores.parts(&self.clock, &self.settings);
        parts.stores.drafts = Arc::clone(&self.drafts) as _;
        parts.enriching.enricher = Arc::clone(&self.script) as _;
        start(parts).unwrap()
    }

    async fn ingest(&self, puts: &[PutPosting]) {
        let now = (self.clock)();
        let answers =
            usecase::ingest(&*self.stores.waking, puts, self.settings.lifetime, now).await;
        assert!(answers.unwrap().iter().all(Result::is_ok));
    }

    fn memory(&self) -> &MemoryStore {
        self.stores.memory()
    }

    async fn view(&self, identifier: &str) -> PostingView {
        let identifier = create(identifier, "acme").identifier;
        PostingReader::find(self.memory(), &identifier)
            .await
            .unwrap()
            .unwrap()
    }

    async fn status(&self, identifier: &str) -> Status {
        self.view(identifier).await.posting.status()
    }

    async fn texts(&self, identifier: &str) -> Option<String> {
        let texts = self.view(identifier).await.texts;
        texts.map(|texts| texts.markdown)
    }

    async fn backlog(&self, kind: Kind) -> Backlog {
        self.stores.backlog(kind).await
    }

    async fn rows(&self, dead: bool) -> Vec<TaskRow> {
        self.stores.rows(dead).await
    }

    async fn until_idle(&self) {
        eventually("nothing waits", async || {
            let backlogs = self.stores.backlogs().await;
            backlogs.iter().all(|backlog| backlog.waiting == 0)
        })
        .await;
    }

    async fn until_dead(&self) {
        eventually("it is dead", async || {
            self.backlog(ENRICH.kind()).await.dead == 1
        })
        .await;
    }

    async fn until_approved(&self, identifier: &str) {
        eventually("it is approved", async || {
            self.status(identifier).await == Status::Approved
        })
        .await;
    }
}

#[tokio::test]
async fn outcomes_of_a_claim_share_a_commit() {
    let bench = Bench::new();
    let puts = ["a", "b", "c"].map(|id| create(id, "acme"));
    bench.ingest(&puts).await;
    let worker = bench.start();
    bench.until_idle().await;
    // The push is one of the commits with three postings.
    let commits = bench.stores.faulty.commits();
    let of_three = commits.iter().filter(|postings| **postings == 3);
    assert_eq!(of_three.count(), 2, "{commits:?}");
    assert_eq!(bench.script.calls(), 3);
    worker.stop().await;
}
