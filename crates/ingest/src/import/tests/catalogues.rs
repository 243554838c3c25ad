use domain::{
    catalogue::{CatalogueQuery, Leased},
    import::Missing,
    store::RowLocks,
    testing::push,
    usecase::ingest,
};
use kernel::{Actor, Status};

use super::*;

#[tokio::test]
async fn a_catalogue_is_what_its_last_import_named() {
    let kit = Kit::new();
    let first = kit
        .import(of_catalogue("feed"), &body(&["a", "b", "c"]))
        .await;
    assert_eq!(first.receipts(), "1 a created, 2 b created, 3 c created");
    assert_eq!(first.missing(), (0, 0, false));
    let commits = kit.store.commits();
    let same = kit
        .import(of_catalogue("feed"), &body(&["c", "b", "a"]))
        .await;
    assert_eq!(
        same.receipts(),
        "1 c unchanged, 2 b unchanged, 3 a unchanged"
    );
    assert_eq!(
        kit.store.commits(),
        commits,
        "an unchanged catalogue writes nothing"
    );

    let fewer = kit
        .import(of_catalogue("feed"), &body(&["a", "d", "d"]))
        .await;
    assert_eq!(
        fewer.receipts(),
        "1 a unchanged, 2 d created, 3 d unchanged"
    );
    assert_eq!(fewer.missing(), (2, 2, false));
    let gone = kit.posting("b").await;
    assert_eq!(gone.status(), Status::Expired);
    let reason = gone.status_reason();
    assert_eq!(reason, Some("no longer in the catalogue feed"));
    let by = Actor::Catalogue(CatalogueName::new("feed").unwrap());
    assert_eq!(gone.updated_by, Some(by));
    let catalogue = kit.catalogue("feed").await.unwrap();
    assert_eq!((catalogue.postings, catalogue.is_running), (2, false));
    let last = catalogue.last_import().unwrap();
    assert_eq!(last.summary, fewer.summary);
    assert!(last.started_at < last.finished_at);

    let expires = r#"{"id":"a","payload":{"expiration":{}}}"#.to_owned();
    let back = kit
        .import(of_catalogue("feed"), &[line("b"), line("d"), expires])
        .await;
    assert_eq!(back.receipts(), "1 b reopened, 2 d unchanged, 3 a expired");
    assert_eq!(back.missing(), (0, 0, false));
    assert_eq!(back.summary.counts.expired, 1);
    // c expired earlier, so this import does not miss it.
    assert_eq!(kit.expired(&["a", "b", "c", "d"]).await, ["a", "c"]);
}

#[tokio::test]
async fn lines_that_are_refused_name_their_postings() {
    let kit = Kit::new();
    kit.import(of_catalogue("feed"), &body(&["a", "b", "c", "d", "e"]))
        .await;
    let mut import = kit.begin(of_catalogue("feed")).await;
    let refused = [
        r#"{"id":"a"}"#.to_owned(),
        r#"{"id":"b","payload":{"title":7}}"#.to_owned(),
        line("c"),
        r#"{"id":"d","#.to_owned(),
    ];
    import.take(&refused).await.unwrap();
    import.take(&[line("f")]).await.unwrap();
    import.settle().await.unwrap();
    let (summary, result) = import.finish(Ending::Whole).await;
    assert_eq!((summary.counts.refused, result), (3, Ok(())));
    assert_eq!(summary.counts.unattributed, 0);
    assert_eq!(kit.expired(&["a", "b", "c", "d", "e"]).await, ["e"]);
}

#[tokio::test]
async fn an_identifier_of_others_holds_everything() {
    let kit = Kit::new();
    kit.import(of_catalogue("feed"), &body(&["a-1", "a-2"]))
        .await;
    let mut import = kit.begin(of_catalogue("feed")).await;
    let prefixes = Prefixes::new(&["a-"]).unwrap();
    let lines = [line("a-1"), line("2")];
    import.take_within(&lines, &prefixes).await.unwrap();
    import.settle().await.unwrap();
    let (summary, _) = import.finish(Ending::Whole).await;
    assert_eq!(summary.counts.unattributed, 1);
    assert_eq!(kit.expired(&["a-1", "a-2"]).await, [""; 0]);
}

#[tokio::test]
async fn a_refused_line_with_a_misspelt_identifier_holds_everything() {
    let kit = Kit::new();
    kit.import(of_catalogue("feed"), &body(&["a", "b"])).await;
    for id in [
        "b ",
        "\u{a0}b",
        "b\u{200b}",
        "\u{feff}b",
        "\u{202a}b\u{202c}",
    ] {
        for payload in [
            r#"{"title":""}"#,
            r#"{"title":"T"}"#,
            r#"{"expiration":{}}"#,
        ] {
            let refused = format!(r#"{{"id":"{id}","payload":{payload}}}"#);
            let held = kit
                .import(of_catalogue("feed"), &[line("a"), refused])
                .await;
            let counts = held.summary.counts;
            assert_eq!((counts.refused, counts.unattributed), (1, 1), "{id:?}");
        }
    }
    assert_eq!(kit.expired(&["a", "b"]).await, [""; 0]);
    let created = kit.import(of_catalogue("feed"), &body(&["a", "b "])).await;
    assert_eq!(created.summary.counts.unattributed, 0);
    assert_eq!(created.missing(), (1, 1, false));
}

/// `domain` tests which lines can be read.
#[tokio::test]
async fn lines_that_name_no_posting_hold_everything() {
    let kit = Kit::new();
    kit.import(of_catalogue("feed"), &body(&["a", "b", "c"]))
        .await;
    let unread = r#"{"payload":{"title":"cut of"#.to_owned();
    let body = [line("a"), unread];
    let held = kit.import(up_to(100, of_catalogue("feed")), &body).await;
    assert_eq!(held.receipts(), "1 a unchanged, 2 - refused");
    let missing = Missing {
        count: 2,
        held: Some(HeldBecause::Unattributed),
        ..Missing::default()
    };
    let kept = kit.catalogue("feed").await.unwrap();
    let kept = &kept.last_import().unwrap().summary;
    assert_eq!(kept.missing, Some(missing));
    assert_eq!(
        held.summary.missing.unwrap().first,
        ["b", "c"].map(identifier)
    );
    let counts = held.summary.counts;
    assert_eq!((counts.refused, counts.unattributed), (1, 1));
    assert_eq!(kept.counts, counts);

    let mut allowed = of_catalogue("feed");
    if let Some(catalogue) = &mut allowed.catalogue {
        catalogue.guard.max_unattributed = 1;
    }
    assert_eq!(kit.import(allowed, &body).await.missing(), (2, 2, false));
}

#[tokio::test]
async fn a_line_names_all_postings_that_it_may_be_about() {
    let kit = Kit::new();
    kit.import(of_catalogue("feed"), &body(&["a", "b", "c"]))
        .await;
    let two = format!("{}{}", line("a"), line("b"));
    let outcome = kit.import(of_catalogue("feed"), &[two]).await;
    assert_eq!(outcome.receipts(), "1 a refused");
    assert_eq!(outcome.missing(), (1, 1, false));
    assert_eq!(kit.expired(&["a", "b", "c"]).await, ["c"]);
}

#[tokio::test]
async fn many_missing_postings_expire_in_batches() {
    let kit = Kit::new();
    let ids: Vec<_> = (0..2_500).map(|n| n.to_string()).collect();
    let all: Vec<_> = ids.iter().map(|id| line(id)).collect();
    kit.import(of_catalogue("feed"), &all).await;
    let before = kit.store.commits().len();
    let order = up_to(100, of_catalogue("feed"));
    let none = kit.import(order, &all[..1]).await;
    assert_eq!(none.missing(), (2_499, 2_499, false));
    let commits = kit.store.commits();
    assert!(commits[before..].iter().all(|size| *size <= 256));
    assert_eq!(commits[before..].iter().sum::<usize>(), 2_499);
}

#[tokio::test]
async fn a_dry_run_of_a_catalogue_says_what_would_happen() {
    let kit = Kit::new();
    let dry = |order| ImportOrder {
        dry_run: true,
        ..order
    };
    let new = kit.import(dry(of_catalogue("feed")), &body(&["a"])).await;
    assert_eq!(
        (new.receipts(), new.missing()),
        ("1 a created".to_owned(), (0, 0, false))
    );
    assert_eq!(kit.catalogue("feed").await, None);
    kit.import(of_catalogue("feed"), &body(&["a", "b"])).await;
    kit.import(of_catalogue("feed"), &body(&["b"])).await;
    let (tries, before) = (kit.store.tries(), kit.catalogue("feed").await);
    let running = kit.begin(of_catalogue("feed")).await;
    let held = kit.import(dry(of_catalogue("feed")), &body(&["a"])).await;
    assert_eq!(
        (held.receipts(), held.missing()),
        ("1 a reopened".to_owned(), (1, 0, true))
    );
    let order = up_to(100, dry(of_catalogue("feed")));
    assert_eq!(
        kit.import(order, &body(&["a"])).await.missing(),
        (1, 1, false)
    );
    assert_eq!(kit.store.tries(), tries);
    let after = kit.catalogue("feed").await.unwrap();
    assert!(after.is_running);
    assert_eq!(after.imports, before.unwrap().imports);
    drop(running);
}

#[tokio::test]
async fn postings_that_the_client_may_not_use_any_more_stay() {
    let kit = Kit::new();
    kit.import(of_catalogue("feed"), &body(&["a-1", "a-2", "b-1", "b-2"]))
        .await;
    let mut order = of_catalogue("feed");
    if let Some(catalogue) = &mut order.catalogue {
        catalogue.prefixes = Prefixes::new(&["a-"]).unwrap();
    }
    let narrowed = kit.import(order, &body(&["a-1"])).await;
    assert_eq!(narrowed.missing(), (1, 1, false));
    assert_eq!(kit.expired(&["a-1", "a-2", "b-1", "b-2"]).await, ["a-2"]);
    // The same holds if the prefixes change while the import runs.
    let mut import = kit.begin(of_catalogue("feed")).await;
    let prefixes = Prefixes::new(&["b-"]).unwrap();
    let named = body(&["b-1"]);
    import.take_within(&named, &prefixes).await.unwrap();
    import.settle().await.unwrap();
    let (summary, _) = import.finish(Ending::Whole).await;
    assert_eq!(summary.missing.unwrap().expired, 1);
    assert_eq!(kit.expired(&["a-1", "b-1", "b-2"]).await, ["b-2"]);
}

#[tokio::test(start_paused = true)]
async fn a_locked_row_holds_up_only_its_own_expiry() {
    for (unlocked_after, is_expired) in [(20, true), (1_000, false)] {
        let kit = Kit::new();
        kit.import(of_catalogue("feed"), &body(&["a", "b", "c", "d"]))
            .await;
        kit.store.lock(RowLocks {
            postings: [kit.posting("b").await.id].into(),
            ..RowLocks::default()
        });
        let start = Instant::now();
        let unlock = async {
            sleep(Duration::from_secs(1)).await;
            assert_eq!(kit.expired(&["a", "b", "c", "d"]).await, ["c", "d"]);
            assert!(kit.catalogue("feed").await.unwrap().is_running);
            sleep(Duration::from_secs(unlocked_after - 1)).await;
            kit.store.lock(RowLocks::default());
        };
        let body = body(&["a"]);
        let (outcome, ()) = tokio::join!(
            async {
                let outcome = kit.import(of_catalogue("feed"), &body).await;
                (outcome, start.elapsed().as_secs())
            },
            unlock
        );
        let (outcome, took) = outcome;
        let missing = outcome.summary.missing.clone().unwrap();
        if is_expired {
            assert_eq!(outcome.missing(), (3, 3, false));
            assert!((20..=22).contains(&took), "{took}");
        } else {
            assert_eq!((missing.count, missing.expired), (3, 2));
            assert!(matches!(outcome.result, Err(ImportError::Failed(_))));
            assert!(!outcome.summary.complete);
            assert!((60..=62).contains(&took), "{took}");
            let catalogue = kit.catalogue("feed").await.unwrap();
            assert_eq!(catalogue.last_import().unwrap().summary, outcome.summary);
        }
    }
}

/// The import's process lost its connection, its lease expired, and the client sent a newer version
/// to another process.
#[tokio::test(start_paused = true)]
async fn lines_of_an_import_that_lost_its_lease_are_not_written() {
    let kit = Kit::new();
    kit.import(of_catalogue("feed"), &body(&["a", "b"])).await;
    let mut import = kit.begin(of_catalogue("feed")).await;
    kit.store.close_gate();
    let lines = [titled("a", "Old"), line("new")];
    import.take(&lines).await.unwrap();
    sleep(Duration::from_millis(1)).await;
    let later = (kit.importer.ports.catalogues.clock)() + Duration::from_mins(1);
    let query = CatalogueQuery {
        client: client(),
        name: CatalogueName::new("feed").unwrap(),
        new_id: None,
        holder: uuid(7),
        now: later,
        until: later + Duration::from_mins(1),
    };
    let taken = Catalogues::lease(&*kit.store.memory, &query).await.unwrap();
    assert!(matches!(taken, Leased::Held(_)));
    let newer = [push("a", r#"{"title":"Newer"}"#)];
    let pushed = ingest(&*kit.store.memory, &newer, Lifetime::days(60), later);
    pushed.await.unwrap();
    kit.store.open_gate();
    let _ = import.settle().await;
    assert_eq!(short(&import.receipts), "1 a failed, 2 new failed");
    let (summary, result) = import.finish(Ending::Whole).await;
    assert_eq!((summary.complete, result.is_err()), (false, true));
    assert_eq!(kit.posting("a").await.details.title.as_str(), "Newer");
    let new = identifier("new");
    let found = PostingReader::find(&*kit.store.memory, &new);
    assert_eq!(found.await, Ok(None));
}
