use domain::store::RowLocks;

use super::*;
use workers::testing::Fault;

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
    import.take(&body(&["a", "b"])).await.unwrap();
    import.settle().await.unwrap();
    kit.store
        .fail_loads(Some(StoreError::Unavailable("away".to_owned())));
    let start = Instant::now();
    let mut rest: Vec<_> = (0..5_000).map(|n| line(&n.to_string())).collect();
    rest.insert(0, "nonsense".to_owned());
    let ended = import.take(&rest).await;
    let away = ImportError::Failed(IngestError::Unavailable("away".to_owned()));
    assert_eq!(ended, Err(away.clone()));
    let took = start.elapsed().as_secs();
    assert!((60..=66).contains(&took), "{took}");
    let receipts = &import.receipts;
    assert_eq!(receipts.len(), 2 + 5_001);
    assert_eq!(
        short(&receipts[..3]),
        "1 a created, 2 b created, 1 - refused"
    );
    assert!(receipts[3..].iter().all(Receipt::is_failure));
    assert_eq!(receipts[5_002].id.as_deref(), Some("4999"));
    let more = import.take(&rest).await;
    assert_eq!(more, Err(away.clone()));
    assert_eq!(import.receipts.len(), 2 + 5_001, "it takes nothing more");
    kit.store.fail_loads(None);
    let (summary, result) = import.finish(Ending::Broken).await;
    assert_eq!(result, Err(away));
    assert_eq!((summary.complete, &summary.missing), (false, &None));
    assert_eq!((summary.counts.created, summary.counts.failed), (2, 5_000));
    assert!(kit.expired(&["x"]).await.is_empty());
    let catalogue = kit.catalogue("feed").await.unwrap();
    assert!(!catalogue.is_running);
    assert_eq!(catalogue.last_import().unwrap().summary, summary);
}

#[tokio::test(start_paused = true)]
async fn a_row_that_stays_locked_fails_only_its_line() {
    let kit = Kit::new();
    kit.import(order(), &body(&["a"])).await;
    kit.store.lock(RowLocks {
        postings: [kit.posting("a").await.id].into(),
        ..RowLocks::default()
    });
    let mut import = kit.begin(order()).await;
    import.take(&[titled("a", "New"), line("b")]).await.unwrap();
    for n in 0..30 {
        let id = format!("c{n}");
        import.take(&[line(&id)]).await.unwrap();
        sleep(Duration::from_secs(2)).await;
        kit.posting(&id).await;
    }
    sleep(Duration::from_secs(30)).await;
    import.settle().await.unwrap();
    assert_eq!(short(&import.receipts[..2]), "1 a failed, 2 b created");
    let (summary, result) = import.finish(Ending::Whole).await;
    assert_eq!(result, Ok(()));
    assert!(summary.complete);
    assert_eq!((summary.counts.failed, summary.counts.created), (1, 31));
}

#[tokio::test(start_paused = true)]
async fn a_line_whose_commit_was_in_doubt_is_reported_as_what_it_did() {
    let kit = Kit::new();
    let with = |id: &str, expiration| {
        format!(r#"{{"id":"{id}","payload":{{"expiration":{expiration}}}}}"#)
    };
    kit.store.fail_next([Fault::Lose, Fault::Lose]);
    let outcome = kit.import(order(), &body(&["a", "b", "c"])).await;
    assert_eq!(outcome.receipts(), "1 a created, 2 b created, 3 c created");
    kit.import(order(), &[with("c", "{}")]).await;
    kit.store.fail_next([Fault::Lose, Fault::Lose]);
    let body = [titled("a", "New"), with("b", "{}"), with("c", "null")];
    let outcome = kit.import(order(), &body).await;
    assert_eq!(outcome.receipts(), "1 a updated, 2 b expired, 3 c reopened");
    let again = kit.import(order(), &body[..1]).await;
    assert_eq!(again.receipts(), "1 a unchanged");
}

#[tokio::test]
async fn only_the_line_that_breaks_the_store_fails() {
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
