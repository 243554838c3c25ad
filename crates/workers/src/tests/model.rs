mod loops;
mod outages;

use domain::{
    posting::{ENRICH, Lifetime, ReasonCode},
    store::PostingReader,
    testing::push,
};
use enrichment::EnrichError;
use kernel::{Status, testing::noon};
use tokio::time::Instant;

use super::*;
use crate::testing::{Answer, ScriptedModel};

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_mins(1);
const HOUR: Duration = Duration::from_hours(1);

struct ModelBench {
    stores: TestStores,
    model: Arc<ScriptedModel>,
    drafts: Arc<MemoryDrafts>,
    settings: WorkerSettings,
    clock: Clock,
}

impl ModelBench {
    fn new() -> Self {
        let start = Instant::now();
        Self {
            stores: TestStores::new(),
            model: Arc::default(),
            drafts: Arc::default(),
            settings: settings(4),
            clock: Arc::new(move || fields::microseconds(noon() + start.elapsed())),
        }
    }

    fn start(&self) -> Loops {
        let (model, drafts) = (Arc::clone(&self.model), Arc::clone(&self.drafts));
        let drafts: Arc<dyn DraftCache> = drafts;
        let mut parts = self.stores.parts(&self.clock, &self.settings);
        parts.enriching = enriching(Some(model), &drafts, &self.clock);
        parts.stores.drafts = drafts;
        start(parts).unwrap()
    }

    async fn push(&self, names: &[String]) {
        let puts: Vec<_> = names.iter().map(|name| posting(name, name)).collect();
        self.ingest(&puts).await;
    }

    async fn ingest(&self, puts: &[PutPosting]) {
        let now = (self.clock)();
        let answers = usecase::ingest(&*self.stores.waking, puts, Lifetime::NEVER, now).await;
        assert!(answers.unwrap().iter().all(Result::is_ok));
    }

    fn memory(&self) -> &MemoryStore {
        self.stores.memory()
    }

    async fn view(&self, name: &str) -> PostingView {
        let identifier = posting(name, name).identifier;
        PostingReader::find(self.memory(), &identifier)
            .await
            .unwrap()
            .unwrap()
    }

    async fn status(&self, name: &str) -> Status {
        self.view(name).await.posting.status()
    }

    async fn enrichments(&self) -> Backlog {
        self.stores.backlog(ENRICH.kind()).await
    }

    /// Waits until `holds`, at most a day. Returns the time that passed.
    async fn until(&self, what: &str, holds: impl AsyncFn() -> bool) -> Duration {
        let start = Instant::now();
        while !holds().await {
            assert!(start.elapsed() < 24 * HOUR, "never: {what}");
            sleep(Duration::from_millis(100)).await;
        }
        start.elapsed()
    }

    async fn until_idle(&self) -> Duration {
        self.until("nothing waits", async || {
            self.enrichments().await.waiting == 0
        })
        .await
    }

    fn calls(&self) -> usize {
        self.model.calls().len()
    }
}

fn settings(concurrency: usize) -> WorkerSettings {
    WorkerSettings::default().for_model(concurrency, 50 * MINUTE)
}

fn posting(name: &str, title: &str) -> PutPosting {
    let payload = format!(
        r#"{{
            "title": "Engineer {title}",
            "raw_description": "<p>Plan bridges with a small team, and see to it that they stand. You have built some before, and like to explain how.</p>",
            "application_url": "https://harbourpine.example/apply",
            "company": {{"name": "Harbourpine", "website_url": "https://harbourpine.example"}}
        }}"#
    );
    push(name, &payload)
}

fn names(range: std::ops::Range<usize>) -> Vec<String> {
    range.map(|n| format!("n{n}")).collect()
}

fn unavailable(after: Option<Duration>) -> Answer {
    Answer::Fail(EnrichError::Unavailable {
        message: "connection refused".to_owned(),
        after,
    })
}
