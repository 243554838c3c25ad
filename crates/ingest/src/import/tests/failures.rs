//! Failures of the store, and of lines.

use std::{
    collections::HashMap,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use domain::{
    posting::{Answer, PutPosting},
    store::RowLocks,
};

use super::*;
use crate::testing::Fault;

/// Lanes of which every third answer is lost, of a command that was carried out or not.
struct Flaky {
    lanes: Arc<dyn Ingest>,
    calls: AtomicUsize,
    /// The titles that were pushed, by identifier.
    titles: Mutex<HashMap<String, Vec<String>>>,
}

#[async_trait]
impl Ingest for Flaky {
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
    ) -> Vec<Result<Answer, IngestError>> {
        let mut answers = Vec::new();
        for put in puts {
            let call = self.calls.fetch_add(1, Ordering::SeqCst);
            let lost = Err(IngestError::Unavailable("lost".to_owned()));
            if call % 6 == 2 {
                answers.push(lost);
                continue;
            }
            let title = put.patch.title.value().cloned().unwrap_or_default();
            let identifier = put.identifier.as_str().to_owned();
            let mut titles = self.titles.lock().unwrap().clone();
            titles.entry(identifier).or_default().push(title);
            *self.titles.lock().unwrap() = titles;
            let mut answer = self.lanes.put_all(vec![put], dry_run).await;
            answers.push(if call % 6 == 5 {
                lost
            } else {
                answer.remove(0)
            });
        }
        answers
    }
}

#[tokio::test(start_paused = true)]
async fn lines_of_an_identifier_keep_their_order_when_they_are_tried_again() {
    let flaky = Mutex::new(None);
    let kit = Kit::with(|lanes| {
        let made = Arc::new(Flaky {
            lanes,
            calls: AtomicUsize::new(0),
            titles: Mutex::default(),
        });
        *flaky.lock().unwrap() = Some(Arc::clone(&made));
        made
    });
    let mut body = Vec::new();
    for n in 10..40 {
        body.extend([titled("a", &format!("{n}")), titled(&format!("b{n}"), "B")]);
        body.push(titled("c", &format!("{n}")));
    }
    let outcome = kit.import(order(), &body).await;
    assert_eq!((outcome.result, outcome.summary.counts.failed), (Ok(()), 0));
    let numbers: Vec<_> = outcome.receipts.iter().map(|one| one.line).collect();
    assert_eq!(numbers, (1..=90).collect::<Vec<_>>());
    let flaky = flaky.lock().unwrap().take().unwrap();
    let titles = flaky.titles.lock().unwrap().clone();
    for id in ["a", "c"] {
        let titles = &titles[id];
        assert!(titles.is_sorted(), "{titles:?}");
        assert!(titles.len() >= 30, "{titles:?}");
        assert_eq!(kit.posting(id).await.details.title, "39");
    }
}

#[tokio::test(start_paused = true)]
async fn an_outage_of_less_than_a_minute_costs_no_line() {
    let kit = Kit::new();
    let away = StoreError::Unavailable("away".to_owned());
    kit.store.fail_loads(Some(away));
    let back = async {
        sleep(Duration::from_secs(55)).await;
        kit.store.fail_loads(None);
    };
    let body: Vec<_> = (0..500).map(|n| line(&n.to_string())).collect();
    let start = Instant::now();
    let (outcome, ()) = tokio::join!(kit.import(order(), &body), back);
    assert_eq!(outcome.result, Ok(()));
    assert!(outcome.summary.complete);
    assert_eq!(outcome.summary.counts.created, 500);
    let took = start.elapsed().as_secs();
    assert!((55..=61).contains(&took), "{took}");
}

#[tokio::test(start_paused = true)]
async fn an_outage_of_more_than_a_minute_ends_the_import() {
    let kit = Kit::new();
    let done = kit.import(of_catalogue("feed"), &body(&["x"])).await;
    assert_eq!(done.result, Ok(()));
    let mut import = kit.begin(of_catalogue("feed")).await;
    let mut receipts = Vec::new();
    let all = Prefixes::ALL;
    let first = lines(&body(&["a", "b"]));
    import.take(first, &all, &mut receipts).await.unwrap();
    import.settle(&mut receipts).await.unwrap();
    kit.store
        .fail_loads(Some(StoreError::Unavailable("away".to_owned())));
    let start = Instant::now();
    let mut rest: Vec<_> = (0..5_000).map(|n| line(&n.to_string())).collect();
    rest.insert(0, "nonsense".to_owned());
    let ended = import.take(lines(&rest), &all, &mut receipts).await;
    let away = ImportError::Failed(IngestError::Unavailable("away".to_owned()));
    assert_eq!(ended, Err(away.clone()));
    let took = start.elapsed().as_secs();
    assert!((60..=66).contains(&took), "{took}");
    // All that were taken have their receipts.
    assert_eq!(receipts.len(), 2 + 5_001);
    assert_eq!(
        short(&receipts[..3]),
        "1 a created, 2 b created, 1 - refused"
    );
    assert!(receipts[3..].iter().all(Receipt::is_failure));
    assert_eq!(receipts[5_002].id.as_deref(), Some("4999"));
    let more = import.take(lines(&rest), &all, &mut receipts).await;
    assert_eq!(more, Err(away.clone()));
    assert_eq!(receipts.len(), 2 + 5_001, "it takes nothing more");
    kit.store.fail_loads(None);
    let (summary, result) = import.finish(false).await;
    assert_eq!(result, Err(away));
    assert_eq!((summary.complete, summary.missing), (false, None));
    assert_eq!((summary.counts.created, summary.counts.failed), (2, 5_000));
    assert!(kit.expired(&["x"]).await.is_empty());
    let catalogue = kit.catalogue("feed").await.unwrap();
    assert!(!catalogue.is_running);
    assert_eq!(catalogue.last_import.unwrap().summary, summary);
}

#[tokio::test(start_paused = true)]
async fn a_row_that_stays_locked_fails_its_line_alone() {
    let kit = Kit::new();
    kit.import(order(), &body(&["a"])).await;
    kit.store.lock(RowLocks {
        postings: [kit.posting("a").await.id].into(),
        ..RowLocks::default()
    });
    let mut import = kit.begin(order()).await;
    let mut receipts = Vec::new();
    let all = Prefixes::ALL;
    let first = lines(&[titled("a", "New"), line("b")]);
    import.take(first, &all, &mut receipts).await.unwrap();
    // The others are carried out meanwhile.
    for n in 0..30 {
        let id = format!("c{n}");
        let more = lines(&[line(&id)]);
        import.take(more, &all, &mut receipts).await.unwrap();
        sleep(Duration::from_secs(2)).await;
        kit.posting(&id).await;
    }
    sleep(Duration::from_secs(30)).await;
    import.settle(&mut receipts).await.unwrap();
    assert_eq!(short(&receipts[..2]), "1 a failed, 2 b created");
    let (summary, result) = import.finish(true).await;
    assert_eq!(result, Ok(()));
    assert!(summary.complete);
    assert_eq!((summary.counts.failed, summary.counts.created), (1, 31));
}

#[tokio::test]
async fn a_line_that_breaks_the_store_fails_alone() {
    let kit = Kit::new();
    let broken = Fault::Fail(StoreError::Broken("a bad row".to_owned()));
    kit.store.poison("b", broken);
    kit.store.poison("d", Fault::Panic);
    let outcome = kit.import(order(), &body(&["a", "b", "c", "d"])).await;
    assert_eq!(outcome.result, Ok(()));
    assert!(outcome.summary.complete);
    let expect = "1 a created, 2 b failed, 3 c created, 4 d failed";
    assert_eq!(outcome.receipts(), expect);
}
