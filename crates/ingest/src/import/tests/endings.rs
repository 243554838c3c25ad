use domain::catalogue::Forgotten;
use kernel::testing::hours;
use tokio::time::timeout;

use super::*;

#[tokio::test(start_paused = true)]
async fn a_catalogue_has_one_import_at_a_time() {
    let kit = Kit::new();
    let import = kit.begin(of_catalogue("feed")).await;
    let refused = async || {
        let begun = kit.importer.begin(of_catalogue("feed")).await;
        begun.err().unwrap()
    };
    assert_eq!(refused().await, ImportError::Running(30));
    sleep(Duration::from_secs(105)).await;
    let ImportError::Running(seconds) = refused().await else {
        panic!("it is running");
    };
    assert!((20..=30).contains(&seconds), "{seconds}");
    kit.begin(of_catalogue("other")).await;
    let (_, result) = import.finish(Ending::Whole).await;
    assert_eq!(result, Ok(()));
    kit.begin(of_catalogue("feed")).await;
}

#[tokio::test(start_paused = true)]
async fn an_import_that_is_dropped_ends_its_lease() {
    let kit = Kit::new();
    kit.import(of_catalogue("feed"), &body(&["a", "b"])).await;
    let mut import = kit.begin(of_catalogue("feed")).await;
    import.take(&body(&["c"])).await.unwrap();
    import.settle().await.unwrap();
    kit.store.close_gate();
    import.take(&body(&["d"])).await.unwrap();
    sleep(Duration::from_millis(1)).await;
    drop(import);
    sleep(Duration::from_secs(1)).await;
    assert!(kit.catalogue("feed").await.unwrap().is_running);
    kit.store.open_gate();
    eventually("its lease ends", async || {
        !kit.catalogue("feed").await.unwrap().is_running
    })
    .await;
    let catalogue = kit.catalogue("feed").await.unwrap();
    assert_eq!(catalogue.postings, 4);
    let summary = catalogue.last_import().unwrap().summary.clone();
    assert_eq!((summary.complete, summary.missing), (false, None));
    assert_eq!(summary.counts.created, 2);
}

#[tokio::test(start_paused = true)]
async fn an_import_whose_lease_is_lost_ends() {
    let kit = Kit::new();
    kit.import(of_catalogue("feed"), &body(&["a", "b"])).await;
    let name = CatalogueName::new("feed").unwrap();
    let mut import = kit.begin(of_catalogue("feed")).await;
    let later = noon() + hours(1);
    let deleted = kit.store.memory.delete(client(), &name, later, None);
    assert_eq!(deleted.await, Ok(Forgotten::Done));
    sleep(Duration::from_secs(11)).await;
    let taken = import.take(&body(&["a"])).await;
    let settled = import.settle().await;
    assert_eq!(taken.and(settled), Err(ImportError::Running(30)));
    assert!(import.receipts.iter().all(Receipt::is_failure));
    let (summary, result) = import.finish(Ending::Broken).await;
    assert_eq!(
        (summary.complete, result),
        (false, Err(ImportError::Running(30)))
    );
}

#[tokio::test]
async fn the_end_goes_on_without_its_client() {
    let kit = Kit::new();
    kit.import(of_catalogue("feed"), &body(&["a", "b", "c"]))
        .await;
    let mut import = kit.begin(of_catalogue("feed")).await;
    import.take(&body(&["a"])).await.unwrap();
    import.settle().await.unwrap();
    kit.store.close_gate();
    let before = kit.store.tries();
    let finish = tokio::spawn(import.finish(Ending::Whole));
    eventually("it expires", async || kit.store.tries() > before).await;
    finish.abort();
    assert!(finish.await.is_err());
    kit.store.open_gate();
    eventually("it ends", async || {
        !kit.catalogue("feed").await.unwrap().is_running
    })
    .await;
    assert_eq!(kit.expired(&["a", "b", "c"]).await, ["b", "c"]);
    let catalogue = kit.catalogue("feed").await.unwrap();
    let summary = &catalogue.last_import().unwrap().summary;
    assert!(summary.complete);
    assert_eq!(summary.missing.as_ref().unwrap().expired, 2);
}

#[tokio::test(start_paused = true)]
async fn a_stop_ends_imports() {
    let kit = Kit::new();
    let mut import = kit.begin(of_catalogue("feed")).await;
    kit.store.close_gate();
    let first = import.take(&body(&["a"])).await;
    assert_eq!(first, Ok(()));
    sleep(Duration::from_millis(1)).await;
    kit.tasks.interrupt();
    sleep(Duration::from_millis(1)).await;
    kit.store.open_gate();
    let more = import.take(&body(&["b"])).await;
    assert_eq!(more, Err(stopping()));
    assert_eq!(short(&import.receipts), "1 a created, 1 b failed");
    let (summary, result) = import.finish(Ending::Broken).await;
    assert_eq!((summary.complete, result), (false, Err(stopping())));
    assert!(!kit.catalogue("feed").await.unwrap().is_running);
    assert_eq!(kit.importer.begin(order()).await.err(), Some(stopping()));
    let stopped = timeout(Duration::from_secs(1), kit.tasks.stop()).await;
    assert!(stopped.is_ok());
}
