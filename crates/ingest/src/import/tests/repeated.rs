use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use domain::{
    catalogue::CatalogueLease,
    posting::{Answer, Handling, PutPosting},
    testing::push,
};

use super::*;

struct Counted {
    lanes: Arc<dyn Ingest>,
    commands: Arc<AtomicUsize>,
}

#[async_trait]
impl Ingest for Counted {
    async fn put(&self, put: PutPosting) -> Result<Answer, IngestError> {
        self.lanes.put(put).await
    }

    async fn dry_run(&self, put: PutPosting) -> Result<Answer, IngestError> {
        self.lanes.dry_run(put).await
    }

    async fn put_all(
        &self,
        puts: Vec<Arc<PutPosting>>,
        dry_run: bool,
        lease: Option<CatalogueLease>,
    ) -> Vec<Result<Answer, IngestError>> {
        self.commands.fetch_add(puts.len(), Ordering::Relaxed);
        self.lanes.put_all(puts, dry_run, lease).await
    }
}

struct Seen {
    kit: Kit,
    lanes: Arc<dyn Ingest>,
    commands: Arc<AtomicUsize>,
}

impl Seen {
    async fn new() -> Self {
        let commands = Arc::new(AtomicUsize::new(0));
        let mut inner = None;
        let kit = Kit::with(|lanes| {
            inner = Some(Arc::clone(&lanes));
            Arc::new(Counted {
                lanes,
                commands: Arc::clone(&commands),
            })
        });
        let lanes = inner.unwrap();
        let seen = Self {
            kit,
            lanes,
            commands,
        };
        let first = seen.import(order()).await;
        assert_eq!(first, ("1 a created, 2 b created".to_owned(), 2));
        seen
    }

    async fn import(&self, order: ImportOrder) -> (String, usize) {
        let before = self.commands.load(Ordering::Relaxed);
        let outcome = self.kit.import(order, &body(&["a", "b"])).await;
        assert_eq!(outcome.result, Ok(()));
        let commands = self.commands.load(Ordering::Relaxed) - before;
        (outcome.receipts(), commands)
    }

    async fn push(&self, identifier: &str, body: &str) {
        self.lanes.put(push(identifier, body)).await.unwrap();
    }
}

fn unchanged(decided: usize) -> (String, usize) {
    ("1 a unchanged, 2 b unchanged".to_owned(), decided)
}

#[tokio::test]
async fn what_is_as_it_was_needs_no_decision() {
    let seen = Seen::new().await;
    for _ in 0..2 {
        assert_eq!(seen.import(order()).await, unchanged(0));
    }
    let dry = ImportOrder {
        dry_run: true,
        ..order()
    };
    assert_eq!(seen.import(dry).await, unchanged(0));
    let strict = ImportOrder {
        handling: Handling::Strict,
        ..order()
    };
    assert_eq!(seen.import(strict.clone()).await, unchanged(2));
    assert_eq!(seen.import(strict).await, unchanged(0));
}

#[tokio::test]
async fn a_posting_that_others_have_changed_is_decided() {
    let seen = Seen::new().await;
    seen.push("a", r#"{"title":"Other"}"#).await;
    let again = seen.import(order()).await;
    assert_eq!(again, ("1 a updated, 2 b unchanged".to_owned(), 1));
    // The push requests enrichment again until the new texts exist.
    assert_eq!(seen.import(order()).await, unchanged(1));
    assert_eq!(seen.import(order()).await, unchanged(0));
}

#[tokio::test]
async fn a_company_that_others_have_changed_is_decided() {
    let seen = Seen::new().await;
    let company = r#"{"company":{"name":"Bolt","website_url":"https://acme.example"}}"#;
    seen.push("a", company).await;
    let (receipts, decided) = seen.import(order()).await;
    assert!(receipts.starts_with("1 a updated, 2 b "), "{receipts}");
    assert_eq!(decided, 2);
    assert_eq!(seen.import(order()).await.0, unchanged(0).0);
    assert_eq!(seen.import(order()).await, unchanged(0));
}

#[tokio::test]
async fn a_catalogue_takes_its_postings_in() {
    let seen = Seen::new().await;
    for name in ["feed", "other"] {
        assert_eq!(seen.import(of_catalogue(name)).await, unchanged(2));
        assert_eq!(seen.import(of_catalogue(name)).await, unchanged(0));
        assert_eq!(seen.kit.catalogue(name).await.unwrap().postings, 2);
    }
    assert_eq!(seen.import(of_catalogue("feed")).await, unchanged(2));
}

#[tokio::test]
async fn a_fence_that_has_moved_is_kept() {
    let seen = Seen::new().await;
    let mut import = seen.kit.begin(order()).await;
    let prefixes = Prefixes::new(&["b"]).unwrap();
    let both = body(&["a", "b"]);
    import.take_within(&both, &prefixes).await.unwrap();
    import.settle().await.unwrap();
    assert_eq!(short(&import.receipts), "1 a refused, 2 b unchanged");
}

#[tokio::test(start_paused = true)]
async fn known_lines_wait_for_an_unavailable_store() {
    let seen = Seen::new().await;
    let away = StoreError::Unavailable("away".to_owned());
    seen.kit.store.fail_loads(Some(away));
    let heal = async {
        sleep(Duration::from_secs(5)).await;
        seen.kit.store.fail_loads(None);
    };
    let ((receipts, _), ()) = tokio::join!(seen.import(order()), heal);
    assert_eq!(receipts, unchanged(0).0);
}
