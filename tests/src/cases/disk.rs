use std::fs;

use crate::harness::{App, Site, Store, fresh, minimal};

on_sqlite! {
    a_full_disk_is_an_outage_and_no_end,
    nothing_is_acknowledged_into_a_removed_database,
}

/// A limit on file sizes simulates a full disk. The limit sends SIGXFSZ, which needs a handler.
async fn a_full_disk_is_an_outage_and_no_end(store: Store) {
    let site = Site::new(store);
    let mut server = site.serve(&["--no-worker"]);
    let app = App::at(site);
    let kept = fresh("kept");
    app.put(&kept, &minimal()).await.created();
    server.limit_files(Some(4_096));
    let refused = app.api.try_put(&fresh("refused"), &minimal()).await;
    refused.unwrap().error(503);
    app.api.until_ready(false).await;
    assert_eq!(app.api.get("/healthz").await.status, 200);
    app.show(&kept).await;
    assert!(server.is_running(), "{}", app.site.log());
    server.limit_files(None);
    app.put(&fresh("more"), &minimal()).await.created();
    app.api.until_ready(true).await;
}

async fn nothing_is_acknowledged_into_a_removed_database(store: Store) {
    let site = Site::new(store);
    let _server = site.serve(&[]);
    let app = App::at(site);
    let kept = fresh("kept");
    app.put(&kept, &minimal()).await.created();
    let file = app.site.data().join("posthaste.db");
    let aside = file.with_extension("aside");
    fs::rename(&file, &aside).unwrap();
    for id in [fresh("lost"), kept.clone()] {
        app.api.try_put(&id, &minimal()).await.unwrap().error(503);
    }
    app.api.until_ready(false).await;
    assert_eq!(app.api.get("/healthz").await.status, 200);
    assert!(!file.exists(), "an empty database was made");
    assert!(app.site.log().contains("the database file was removed"));
    fs::rename(&aside, &file).unwrap();
    app.put(&kept, &minimal()).await.updated();
    app.put(&fresh("new"), &minimal()).await.created();
}
