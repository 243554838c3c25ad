//! A backup that is made under load is whole, and events go on after it was restored.

use std::fs;

use serde_json::Value;

use super::durability::nothing_is_lost;
use crate::harness::{App, Site, Store, load::Load, minimal};

on_sqlite! {
    a_backup_under_load_holds_all_that_was_acknowledged,
}

async fn a_backup_under_load_holds_all_that_was_acknowledged(store: Store) {
    let site = Site::new(store);
    // What a worker has leased would wait for the end of its lease after the restore.
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
    // The keys are the ones of before: the client's token is still good.
    nothing_is_lost(&app, &before).await;
    let gone = format!("/api/job-board/events?after={last}");
    assert_eq!(
        app.api.get(&gone).await.status,
        410,
        "an event that is gone"
    );
    let end = app
        .api
        .get("/api/job-board/events?after=latest")
        .await
        .json();
    let end = end["next_cursor"].as_str().unwrap();
    app.put("after-the-restore", &minimal()).await;
    let next = format!("/api/job-board/events?after={end}&types=JobPostingCreated&wait=10");
    let next = app.api.get(&next).await.json();
    let ids: Vec<&Value> = next["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["id"])
        .collect();
    assert_eq!(ids.len(), 1, "{next}");
    assert!(events.iter().all(|event| event["id"] != *ids[0]), "{next}");
}
