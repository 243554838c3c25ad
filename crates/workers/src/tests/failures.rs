use domain::posting::ENRICH;

use super::*;

#[tokio::test]
async fn a_failed_enrichment_is_put_off_and_harms_no_other() {
    let limit = Duration::from_millis(100);
    let late = "the enricher took longer than 0.1 s";
    let busy = EnrichError::Retry {
        message: "busy".to_owned(),
        after: Some(Duration::from_hours(1)),
    };
    let panicked = "the enricher failed: it panicked: an enricher's defect";
    for (treatment, error, minutes) in [
        (Treatment::Fail(busy), "busy", 50),
        (Treatment::Panic, panicked, 0),
        (Treatment::Wait(3 * limit), late, 0),
        (Treatment::Compute, late, 0),
        (Treatment::Block(4 * limit), late, 0),
    ] {
        let mut bench = Bench::new();
        if error == late {
            bench.settings.enrich_within = limit;
        }
        // With one thread, the second posting must wait.
        bench.settings.enrich_at_once = 1;
        bench.script.treat("a", treatment);
        let due = (bench.clock)() + time::Duration::minutes(minutes);
        bench
            .ingest(&[create("a", "acme"), create("b", "acme")])
            .await;
        let worker = bench.start();
        bench.until_approved("b").await;
        eventually(error, async || {
            let rows = bench.rows(false).await;
            let mut failed = rows.iter().filter(|row| row.last_error.is_some());
            let row = failed.next();
            row.is_some_and(|row| row.last_error.as_deref() == Some(error) && row.next_at >= due)
                && failed.next().is_none()
        })
        .await;
        assert_eq!(bench.script.calls(), 2, "{error}");
        worker.stop().await;
    }
}

#[tokio::test]
async fn one_bad_or_stuck_row_harms_no_other() {
    let locked = "canceling statement due to lock timeout".to_owned();
    for fault in [
        Fault::Fail(StoreError::Broken("bad row".into())),
        Fault::Fail(StoreError::Unavailable(locked)),
        Fault::Panic,
    ] {
        let mut bench = Bench::new();
        bench.settings.poll_every = Duration::from_millis(20);
        bench
            .ingest(&["a", "b", "c"].map(|id| create(id, "acme")))
            .await;
        bench.stores.faulty.poison("b", fault);
        let worker = bench.start();
        bench.until_approved("a").await;
        bench.until_approved("c").await;
        eventually("the failure is recorded", async || {
            let rows = bench.rows(false).await;
            rows.iter()
                .any(|row| row.kind == "enrich" && row.last_error.is_some())
        })
        .await;
        bench.stores.faulty.heal();
        bench.until_approved("b").await;
        worker.stop().await;
    }
}

#[tokio::test]
async fn no_task_is_dead_lettered_while_its_texts_cannot_be_kept() {
    let mut bench = Bench::new();
    bench.settings.poll_every = Duration::from_millis(20);
    let permanent = EnrichError::Permanent("no use".to_owned());
    bench.script.treat("a", Treatment::Fail(permanent));
    bench.ingest(&[create("a", "acme")]).await;
    let away = || Fault::Fail(StoreError::Unavailable("away".to_owned()));
    bench.stores.faulty.poison("a", away());
    let worker = bench.start();
    eventually("it is tried again", async || bench.script.calls() >= 2).await;
    assert_eq!(bench.backlog(ENRICH.kind()).await.dead, 0);
    bench.stores.faulty.heal();
    bench.until_dead().await;
    assert_eq!(bench.texts("a").await.as_deref(), Some("Engineer a"));
    worker.stop().await;
}

#[tokio::test]
async fn texts_that_cannot_be_written_keep_nothing_alive() {
    let bench = Bench::new();
    let permanent = EnrichError::Permanent("no use".to_owned());
    bench.script.treat("a", Treatment::Fail(permanent));
    bench.ingest(&[create("a", "acme")]).await;
    let broken = StoreError::Broken("bad row".to_owned());
    bench.stores.faulty.poison("a", Fault::Fail(broken));
    let worker = bench.start();
    bench.until_dead().await;
    let dead = bench.rows(true).await;
    assert_eq!(dead[0].last_error.as_deref(), Some("no use"));
    assert_eq!(bench.texts("a").await, None);
    worker.stop().await;
}

#[tokio::test]
async fn a_lifetime_that_cannot_be_ended_holds_up_no_other() {
    let mut bench = Bench::new();
    let clock = Arc::new(AtomicUsize::new(0));
    let days = Arc::clone(&clock);
    bench.clock = Arc::new(move || {
        let days = days.load(Ordering::SeqCst);
        clock::now() + time::Duration::days(i64::try_from(days).unwrap())
    });
    bench.settings.sweep_every = Duration::from_millis(20);
    let ids = ["a", "b", "c", "d"];
    bench.ingest(&ids.map(|id| create(id, "acme"))).await;
    let worker = bench.start();
    bench.until_idle().await;
    // Two consecutive postings, those overdue longest, are locked.
    let locked = StoreError::Unavailable("canceling statement due to lock timeout".to_owned());
    bench.stores.faulty.poison("a", Fault::Fail(locked.clone()));
    bench.stores.faulty.poison("b", Fault::Fail(locked));
    clock.store(61, Ordering::SeqCst);
    for id in ["c", "d"] {
        eventually("others expire", async || {
            bench.status(id).await == Status::Expired
        })
        .await;
    }
    assert_eq!(bench.status("a").await, Status::Approved);
    bench.stores.faulty.heal();
    for id in ["a", "b"] {
        eventually("what was stuck expires", async || {
            bench.status(id).await == Status::Expired
        })
        .await;
    }
    worker.stop().await;
}
