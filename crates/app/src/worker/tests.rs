use std::{
    collections::HashMap,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use async_trait::async_trait;
use domain::{
    enrichment::{EnrichError, EnrichedTexts, Enrichment, EnrichmentInput, Verdict},
    outbox::{Backlog, Kind, TaskRow},
    posting::{PutPosting, Status},
    store::{PostingReader as _, StoreError},
    testing::{MemoryStore, create, push},
    usecase,
};
use tokio::time::sleep;

use super::*;
use crate::{
    clock, provider,
    testing::{Fault, FaultyStore, eventually},
};

/// An enricher that approves everything, unless a title is to be treated otherwise.
#[derive(Default)]
struct Script {
    calls: AtomicUsize,
    titles: Mutex<HashMap<String, Treatment>>,
}

#[derive(Clone)]
enum Treatment {
    Fail(EnrichError),
    Panic,
    Wait(Duration),
}

impl Script {
    fn treat(&self, identifier: &str, treatment: Treatment) {
        self.titles
            .lock()
            .unwrap()
            .insert(format!("Engineer {identifier}"), treatment);
    }

    fn relent(&self) {
        self.titles.lock().unwrap().clear();
    }

    fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl Enricher for Script {
    async fn enrich(&self, input: &EnrichmentInput) -> Result<Enrichment, EnrichError> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        let treatment = self.titles.lock().unwrap().get(&input.title).cloned();
        match treatment {
            Some(Treatment::Fail(error)) => return Err(error),
            Some(Treatment::Panic) => panic!("an enricher's defect"),
            Some(Treatment::Wait(time)) => sleep(time).await,
            None => {}
        }
        Ok(Enrichment {
            texts: EnrichedTexts {
                markdown: input.title.clone(),
                redacted_markdown: input.title.clone(),
            },
            coordinates: None,
            verdict: Verdict::Approve,
        })
    }
}

/// A worker with everything around it.
struct Bench {
    store: Arc<FaultyStore>,
    waking: Arc<WakingStore>,
    wake: Arc<Wake>,
    script: Arc<Script>,
    settings: WorkerSettings,
    lifetime: Lifetime,
    clock: Clock,
}

impl Bench {
    fn new() -> Self {
        let (store, wake) = (FaultyStore::new(), Arc::new(Wake::default()));
        Self {
            waking: Arc::new(WakingStore::new(Arc::clone(&store) as _, Arc::clone(&wake))),
            store,
            wake,
            script: Arc::default(),
            settings: WorkerSettings {
                // Long, so that a test that needs a call to wake the worker fails without one.
                poll_every: Duration::from_mins(1),
                ..WorkerSettings::default()
            },
            lifetime: Lifetime::days(60),
            clock: clock::system(),
        }
    }

    fn start(&self) -> Worker {
        Worker::start(WorkerParts {
            store: Arc::clone(&self.waking) as _,
            outbox: Arc::clone(&self.store.memory) as _,
            accounts: Arc::clone(&self.store.memory) as _,
            provider: provider::connect(&provider::none()).unwrap(),
            enricher: Arc::clone(&self.script) as _,
            lifetime: self.lifetime,
            clock: Arc::clone(&self.clock),
            wake: Arc::clone(&self.wake),
            is_busy: Arc::new(|| false),
            settings: self.settings,
        })
        .unwrap()
    }

    async fn ingest(&self, puts: &[PutPosting]) {
        let now = (self.clock)();
        let answers = usecase::ingest(self.waking.as_ref(), puts, self.lifetime, now).await;
        assert!(answers.unwrap().iter().all(Result::is_ok));
    }

    fn memory(&self) -> &MemoryStore {
        &self.store.memory
    }

    async fn status(&self, identifier: &str) -> Status {
        let identifier = create(identifier, "acme").identifier;
        self.memory()
            .find(&identifier)
            .await
            .unwrap()
            .unwrap()
            .posting
            .status
    }

    async fn backlog(&self, kind: Kind) -> Backlog {
        let backlog = self.memory().backlog().await.unwrap();
        backlog
            .into_iter()
            .find(|backlog| backlog.kind == kind)
            .unwrap()
    }

    async fn rows(&self, dead: bool) -> Vec<TaskRow> {
        Outbox::list(self.memory(), dead).await.unwrap()
    }

    async fn until_idle(&self) {
        eventually("nothing waits", async || {
            let backlog = self.memory().backlog().await.unwrap();
            backlog.iter().all(|backlog| backlog.waiting == 0)
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
async fn a_commit_wakes_the_worker_and_everything_gets_done() {
    let bench = Bench::new();
    let worker = bench.start();
    // Let it go to sleep first.
    sleep(Duration::from_millis(50)).await;
    bench
        .ingest(&[create("a", "acme"), create("b", "acme")])
        .await;
    bench.until_idle().await;
    assert_eq!(bench.status("a").await, Status::Approved);
    assert_eq!(bench.status("b").await, Status::Approved);
    worker.stop().await;
}

#[tokio::test]
async fn commits_of_other_processes_are_found() {
    let mut bench = Bench::new();
    bench.settings.poll_every = Duration::from_millis(20);
    let worker = bench.start();
    let (now, puts) = ((bench.clock)(), [create("a", "acme")]);
    usecase::ingest(bench.memory(), &puts, bench.lifetime, now)
        .await
        .unwrap()[0]
        .clone()
        .unwrap();
    bench.until_idle().await;
    assert_eq!(bench.status("a").await, Status::Approved);
    worker.stop().await;
}

#[tokio::test]
async fn more_than_one_claim_holds_gets_done() {
    let mut bench = Bench::new();
    bench.settings.claim = 3;
    let puts: Vec<_> = (0..10).map(|n| create(&n.to_string(), "acme")).collect();
    bench.ingest(&puts).await;
    // Several events of each posting: they come one after the other.
    let updates: Vec<_> = (0..10)
        .map(|n| push(&n.to_string(), r#"{"title": "Engineer"}"#))
        .collect();
    bench.ingest(&updates).await;
    let worker = bench.start();
    bench.until_idle().await;
    worker.stop().await;
}

#[tokio::test]
async fn outcomes_of_a_claim_share_a_commit() {
    let bench = Bench::new();
    bench
        .ingest(&[
            create("a", "acme"),
            create("b", "acme"),
            create("c", "acme"),
        ])
        .await;
    let worker = bench.start();
    bench.until_idle().await;
    // One of three was the push.
    let of_three = bench
        .store
        .commits()
        .into_iter()
        .filter(|postings| *postings == 3)
        .count();
    assert_eq!(of_three, 2, "{:?}", bench.store.commits());
    assert_eq!(bench.script.calls(), 3);
    worker.stop().await;
}

#[tokio::test]
async fn a_failed_enrichment_is_put_off_and_harms_no_other() {
    let bench = Bench::new();
    let (message, after) = ("busy".to_owned(), Some(Duration::from_hours(1)));
    bench
        .script
        .treat("a", Treatment::Fail(EnrichError::Retry { message, after }));
    bench
        .ingest(&[create("a", "acme"), create("b", "acme")])
        .await;
    let worker = bench.start();
    bench.until_approved("b").await;
    eventually("the failure is recorded", async || {
        let rows = bench.rows(false).await;
        rows.iter().any(|row| {
            row.last_error.as_deref() == Some("busy")
                && row.next_at > (bench.clock)() + time::Duration::minutes(50)
        })
    })
    .await;
    worker.stop().await;
}

#[tokio::test]
async fn a_permanent_failure_is_given_up() {
    let bench = Bench::new();
    bench.script.treat(
        "a",
        Treatment::Fail(EnrichError::Permanent("no quota".into())),
    );
    bench.ingest(&[create("a", "acme")]).await;
    let worker = bench.start();
    eventually("it is dead", async || {
        bench.backlog(Kind::Enrich).await.dead == 1
    })
    .await;
    let dead = bench.rows(true).await;
    assert_eq!(dead[0].last_error.as_deref(), Some("no quota"));
    assert_eq!(bench.status("a").await, Status::PendingEnrichment);
    worker.stop().await;
}

#[tokio::test]
async fn an_enricher_that_panics_fails_and_is_tried_again() {
    let mut bench = Bench::new();
    bench.settings.poll_every = Duration::from_millis(20);
    bench.script.treat("a", Treatment::Panic);
    bench
        .ingest(&[create("a", "acme"), create("b", "acme")])
        .await;
    let worker = bench.start();
    bench.until_approved("b").await;
    eventually("the panic is recorded", async || {
        let rows = bench.rows(false).await;
        let expected = "the enricher failed: it panicked: an enricher's defect";
        rows.iter()
            .any(|row| row.last_error.as_deref() == Some(expected))
    })
    .await;
    bench.script.relent();
    bench.until_approved("a").await;
    worker.stop().await;
}

#[tokio::test]
async fn an_enricher_that_hangs_fails() {
    let mut bench = Bench::new();
    bench.settings.enrich_within = Duration::from_millis(50);
    bench
        .script
        .treat("a", Treatment::Wait(Duration::from_millis(300)));
    bench.ingest(&[create("a", "acme")]).await;
    let worker = bench.start();
    eventually("it is recorded", async || {
        let rows = bench.rows(false).await;
        rows.iter().any(|row| {
            row.last_error
                .as_ref()
                .is_some_and(|e| e.contains("took longer"))
        })
    })
    .await;
    worker.stop().await;
}

#[tokio::test]
async fn a_lease_is_renewed_while_work_takes_long() {
    let mut bench = Bench::new();
    bench.settings.lease = Duration::from_millis(150);
    bench.settings.renew_every = Duration::from_millis(30);
    bench.settings.poll_every = Duration::from_millis(20);
    bench
        .script
        .treat("a", Treatment::Wait(Duration::from_millis(600)));
    bench.ingest(&[create("a", "acme")]).await;
    let (one, other) = (bench.start(), bench.start());
    bench.until_idle().await;
    assert_eq!(bench.script.calls(), 1, "nobody else took it meanwhile");
    assert_eq!(bench.status("a").await, Status::Approved);
    one.stop().await;
    other.stop().await;
}

#[tokio::test]
async fn a_conflict_on_recording_is_tried_again() {
    let bench = Bench::new();
    bench
        .ingest(&[create("a", "acme"), create("b", "acme")])
        .await;
    bench
        .store
        .fail_next(vec![Fault::Fail(StoreError::Conflict); 4]);
    let worker = bench.start();
    bench.until_idle().await;
    assert_eq!(bench.script.calls(), 2);
    worker.stop().await;
}

#[tokio::test]
async fn one_bad_row_harms_no_other() {
    for fault in [
        Fault::Fail(StoreError::Broken("bad row".into())),
        Fault::Panic,
    ] {
        let bench = Bench::new();
        bench
            .ingest(&[
                create("a", "acme"),
                create("b", "acme"),
                create("c", "acme"),
            ])
            .await;
        bench.store.poison("b", fault);
        let worker = bench.start();
        bench.until_approved("a").await;
        bench.until_approved("c").await;
        eventually("the failure is recorded", async || {
            let rows = bench.rows(false).await;
            rows.iter()
                .any(|row| row.kind == Kind::Enrich && row.last_error.is_some())
        })
        .await;
        worker.stop().await;
    }
}

#[tokio::test]
async fn a_store_that_is_away_for_a_while_is_survived() {
    let mut bench = Bench::new();
    bench.settings.poll_every = Duration::from_millis(20);
    bench.ingest(&[create("a", "acme")]).await;
    bench
        .store
        .fail_next(vec![Fault::Fail(StoreError::Unavailable("away".into())); 3]);
    let worker = bench.start();
    bench.until_idle().await;
    assert_eq!(bench.status("a").await, Status::Approved);
    worker.stop().await;
}

#[tokio::test]
async fn an_idle_worker_does_not_spin() {
    let mut bench = Bench::new();
    bench.settings.poll_every = Duration::from_millis(100);
    let reads = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&reads);
    bench.clock = Arc::new(move || {
        counted.fetch_add(1, Ordering::SeqCst);
        clock::now()
    });
    let worker = bench.start();
    sleep(Duration::from_millis(400)).await;
    worker.stop().await;
    // Each look at the outbox reads the clock once or twice.
    assert!(reads.load(Ordering::SeqCst) < 50, "{reads:?}");
}

#[tokio::test]
async fn a_stop_finishes_what_is_held_and_gives_the_rest_back() {
    let mut bench = Bench::new();
    bench.settings.enrich_at_once = 1;
    for identifier in ["a", "b", "c"] {
        bench
            .script
            .treat(identifier, Treatment::Wait(Duration::from_millis(200)));
    }
    bench
        .ingest(&[
            create("a", "acme"),
            create("b", "acme"),
            create("c", "acme"),
        ])
        .await;
    let worker = bench.start();
    eventually("it has begun", async || bench.script.calls() == 1).await;
    worker.stop().await;
    assert_eq!(bench.script.calls(), 1);
    let waiting = bench.rows(false).await;
    let due: Vec<_> = waiting
        .iter()
        .filter(|row| row.kind == Kind::Enrich && row.next_at <= (bench.clock)())
        .collect();
    assert_eq!(due.len(), 2, "{waiting:?}");
    assert!(due.iter().all(|row| row.last_error.is_none()));
}

#[tokio::test]
async fn a_stop_does_not_wait_for_ever() {
    let mut bench = Bench::new();
    bench.settings.stop_within = Duration::from_millis(50);
    bench
        .script
        .treat("a", Treatment::Wait(Duration::from_secs(2)));
    bench.ingest(&[create("a", "acme")]).await;
    let worker = bench.start();
    eventually("it has begun", async || bench.script.calls() == 1).await;
    let began = tokio::time::Instant::now();
    worker.stop().await;
    assert!(
        began.elapsed() < Duration::from_secs(1),
        "{:?}",
        began.elapsed()
    );
    let row = &bench.rows(false).await;
    assert!(
        row.iter()
            .any(|row| row.kind == Kind::Enrich && row.next_at <= (bench.clock)())
    );
}

#[tokio::test]
async fn lifetimes_are_ended() {
    let mut bench = Bench::new();
    let later = Arc::new(AtomicBool::new(false));
    let is_later = Arc::clone(&later);
    bench.clock = Arc::new(move || {
        let days = if is_later.load(Ordering::SeqCst) {
            61
        } else {
            0
        };
        clock::now() + time::Duration::days(days)
    });
    bench.settings.sweep_every = Duration::from_millis(20);
    bench.ingest(&[create("a", "acme")]).await;
    let worker = bench.start();
    bench.until_idle().await;
    assert_eq!(bench.status("a").await, Status::Approved);
    // The next sweep meets someone else's change first.
    bench.store.fail_next([Fault::Fail(StoreError::Conflict)]);
    later.store(true, Ordering::SeqCst);
    eventually("it is expired", async || {
        bench.status("a").await == Status::Expired
    })
    .await;
    bench.until_idle().await;
    worker.stop().await;
}
