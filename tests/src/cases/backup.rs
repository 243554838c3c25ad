use std::fs;

use super::durability::nothing_is_lost;
use crate::harness::{App, Site, Store, load::Load, minimal};

on_sqlite! {
    a_backup_under_load_holds_all_that_was_acknowledged,
}

async fn a_backup_under_load_holds_all_that_was_acknowledged(store: Store) {
    let site = Site::new(store);
    // No worker runs: after the restore, tasks that it had leased would wait for the end of their
    // lease.
    let server = site.serve(&["--no-worker"]);
    let app = App::at(site);
    let load = Load::start(&[&app.api], 4);
    load.until_acknowledged(100).await;
    let before = load.acknowledged();
    let copy = app.site.folder().join("copy");
    let copy = copy.to_str().unwrap();
    app.run(&["backup", copy]).succeeded();
    load.until_acknowledged(1).await;
    load.finish().await;
    let events = app.all_events().await;
    let last = events.last().unwrap()["id"].as_str().unwrap().to_owned();
    server.terminate();
    assert_eq!(server.stopped().code(), Some(0), "{}", app.site.log());

    fs::rename(app.site.data(), app.site.folder().join("lost")).unwrap();
    app.run(&["restore", copy]).succeeded();
    let _server = app.site.serve(&[]);
    // The keys are the same, so the client's token is still valid.
    nothing_is_lost(&app, &before).await;
    let gone = format!("/api/job-board/events?after={last}");
    let status = app.api.get(&gone).await.status;
    assert_eq!(status, 410, "an event that is gone");
    let new = app.put("after-the-restore", &minimal()).await.created();
    app.api.until("after-the-restore", "approved").await;
    let of_new = app.all_events().await.into_iter();
    let of_new: Vec<_> = of_new
        .filter(|event| event["data"]["uuid"] == new.to_string())
        .collect();
    assert_eq!(of_new.len(), 2, "{of_new:?}");
    assert!(
        of_new
            .iter()
            .all(|new| events.iter().all(|it| it["id"] != new["id"]))
    );
}
