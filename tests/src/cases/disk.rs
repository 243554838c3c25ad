//! The embedded store on a full disk, and without its file.

use std::fs;

use crate::harness::{App, SETTLING, Site, Store, WITHIN_TEN_SECONDS, eventually, fresh, minimal};

on_sqlite! {
    a_full_disk_is_an_outage_and_no_end,
    nothing_is_acknowledged_into_a_removed_database,
}

/// A limit on file sizes replaces a full disk; it also sends a signal (SIGXFSZ) that ends a process
/// that does not handle it.
async fn a_full_disk_is_an_outage_and_no_end(store: Store) {
    let site = Site::new(store);
    let mut server = site.serve(&["--no-worker"]);
    let app = App::at(site);
    let kept = fresh("kept");
    assert_eq!(app.put(&kept, &minimal()).await.status, 201);
    server.limit_files(Some(4_096));
    let refused = app.put(&fresh("refused"), &minimal()).await;
    refused.error(503);
    refused.header("retry-after");
    assert_eq!(app.api.get("/readyz").await.status, 503);
    assert_eq!(app.api.get("/healthz").await.status, 200);
    app.show(&kept).await;
    assert!(server.is_running(), "{}", app.site.log());
    server.limit_files(None);
    eventually("there is room again", WITHIN_TEN_SECONDS, || async {
        (app.put(&fresh("more"), &minimal()).await.status == 201).then_some(())
    })
    .await;
    eventually("it is ready", SETTLING, || async {
        (app.api.get("/readyz").await.status == 200).then_some(())
    })
    .await;
}

async fn nothing_is_acknowledged_into_a_removed_database(store: Store) {
    let site = Site::new(store);
    let _server = site.serve(&[]);
    let app = App::at(site);
    let kept = fresh("kept");
    assert_eq!(app.put(&kept, &minimal()).await.status, 201);
    let file = app.site.data().join("posthaste.db");
    let away = file.with_extension("away");
    fs::rename(&file, &away).unwrap();
    for id in [fresh("lost"), kept.clone()] {
        app.put(&id, &minimal()).await.error(503);
    }
    assert_eq!(app.api.get("/readyz").await.status, 503);
    assert_eq!(app.api.get("/healthz").await.status, 200);
    assert!(!file.exists(), "an empty database was made");
    assert!(app.site.log().contains("the database file was removed"));
    fs::rename(&away, &file).unwrap();
    eventually("the database is back", SETTLING, || async {
        (app.put(&kept, &minimal()).await.status == 200).then_some(())
    })
    .await;
    assert_eq!(app.put(&fresh("new"), &minimal()).await.status, 201);
}
