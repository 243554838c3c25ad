use std::collections::{BTreeMap, BTreeSet};

use futures_util::{StreamExt, stream};
use serde_json::Value;

use crate::harness::{
    Api, App, SETTLING, Server, Site, Store, eventually, fresh, load::Load, minimal, raw, raw::Raw,
};

on_every_store! {
    nothing_acknowledged_is_lost_by_a_kill_or_a_stop,
}

on_sqlite! {
    a_stop_answers_accepted_requests,
}

/// Every acknowledged posting is stored, gets enriched, and has readable events.
pub(super) async fn nothing_is_lost(app: &App, acknowledged: &BTreeMap<String, String>) {
    let uuids: Vec<String> = stream::iter(acknowledged)
        .map(|(id, title)| async move {
            let posting = app.show(id).await;
            let found = posting["title"].as_str().unwrap();
            assert!(
                found == title || found == "Updated",
                "{id}: {found} instead of {title}"
            );
            app.api.until(id, "approved").await;
            posting["uuid"].as_str().unwrap().to_owned()
        })
        .buffer_unordered(16)
        .collect()
        .await;
    eventually("the events can be read", SETTLING, || async {
        let events = app.all_events().await;
        let of = |name: &str| -> BTreeSet<String> {
            let events = events.iter().filter(|event| event["type"] == name);
            let uuids = events.map(|event| event["data"]["uuid"].as_str().unwrap());
            uuids.map(str::to_owned).collect()
        };
        let (created, approved) = (of("JobPostingCreated"), of("JobPostingApproved"));
        let has_both = |uuid: &String| created.contains(uuid) && approved.contains(uuid);
        uuids.iter().all(has_both).then_some(())
    })
    .await;
    assert_eq!(app.dead(), Vec::<Value>::new());
}

/// Newer content of an approved posting adds no entry to the history.
pub(super) async fn was_approved_once(app: &App, id: &str) {
    let posting = app.show(id).await;
    let history = posting["history"].as_array().unwrap();
    let steps: Vec<&Value> = history.iter().map(|step| &step["status"]).collect();
    assert_eq!(steps, ["PendingEnrichment", "approved"], "{posting}");
    assert_eq!(history[1]["by"], "enricher", "{posting}");
}

pub(super) async fn all_is_well(
    app: &App,
    acknowledged: &BTreeMap<String, String>,
    processes: &mut [Server],
) {
    nothing_is_lost(app, acknowledged).await;
    app.settled().await;
    for id in acknowledged.keys() {
        was_approved_once(app, id).await;
    }
    let log = app.site.log();
    for process in processes {
        assert!(process.is_running(), "{log}");
    }
    assert!(!log.contains("panicked"), "{log}");
}

async fn nothing_acknowledged_is_lost_by_a_kill_or_a_stop(store: Store) {
    let site = Site::new(store);
    let mut server = site.serve(&[]);
    let app = App::at(site);
    let mut acknowledged = BTreeMap::new();
    for is_kill in [true, false] {
        let load = Load::start(&[&app.api], 16);
        load.until_acknowledged(100).await;
        if is_kill {
            server.kill();
        } else {
            server.terminate();
            assert_eq!(server.stopped().code(), Some(0), "{}", app.site.log());
        }
        acknowledged.extend(load.finish().await);
        server = app.site.serve(&[]);
    }
    all_is_well(&app, &acknowledged, &mut [server]).await;
}

async fn a_stop_answers_accepted_requests(store: Store) {
    let site = Site::new(store);
    let server = site.serve(&[]);
    let app = App::at(site);
    let body = minimal().to_string();
    let (first, second) = body.split_at(body.len() / 2);
    let authorization = format!("Bearer {}", app.api.token());
    let length = body.len().to_string();
    let headers = [
        ("Authorization", authorization.as_str()),
        ("Content-Type", "application/json"),
        ("Content-Length", &length),
        ("Expect", "100-continue"),
    ];
    // The server stops while the bodies of these requests are half sent.
    let ids: Vec<String> = (0..8).map(|_| fresh("half")).collect();
    let mut half: Vec<Raw> = Vec::new();
    for id in &ids {
        let mut connection = Raw::connect(&app.site.host()).unwrap();
        connection.send(raw::request("PUT", &Api::path(id), &headers));
        connection.is_asked_for_its_body();
        connection.send(first);
        half.push(connection);
    }
    server.terminate();
    eventually("the port is closed", SETTLING, || async {
        Raw::connect(&app.site.host()).is_err().then_some(())
    })
    .await;
    for mut connection in half {
        connection.send(second);
        assert_eq!(connection.answer(), Some(201));
    }
    assert_eq!(server.stopped().code(), Some(0), "{}", app.site.log());

    let _server = app.site.serve(&[]);
    for id in &ids {
        app.api.until(id, "approved").await;
    }
}
