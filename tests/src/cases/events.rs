//! The events, followed by readers that wait.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::harness::{Api, App, SETTLING, Site, Store, fresh, minimal};

on_every_store! {
    a_reader_that_waits_sees_every_event_once_and_in_order,
    a_stop_answers_readers_that_wait,
}

const POSTINGS: usize = 40;

/// Reads on from a cursor and waits for events, until there are as many.
async fn follow(api: &Api, mut cursor: String, count: usize) -> Vec<Value> {
    let mut events: Vec<Value> = Vec::new();
    while events.len() < count {
        let path = format!("/api/job-board/events?wait=30&limit=7&after={cursor}");
        let answer = api.get(&path).await;
        assert_eq!(answer.status, 200, "{answer:#?}");
        let page = answer.json();
        events.extend_from_slice(page["data"].as_array().unwrap());
        page["next_cursor"]
            .as_str()
            .unwrap()
            .clone_into(&mut cursor);
    }
    events
}

/// Where the events end.
async fn latest(app: &App) -> String {
    let answer = app.api.get("/api/job-board/events?after=latest").await;
    let page = answer.json();
    assert_eq!(page["data"], json!([]));
    page["next_cursor"].as_str().unwrap().to_owned()
}

/// On PostgreSQL two servers write, and a third answers.
async fn a_reader_that_waits_sees_every_event_once_and_in_order(store: Store) {
    let site = Site::new(store);
    let url = site.url();
    let site = site.with("POSTHASTE_PUBLIC_URL", &url);
    let _server = site.serve(&["--no-worker"]);
    let beside = match store {
        Store::Sqlite => Vec::new(),
        Store::Postgres => vec![site.beside(), site.beside()],
    };
    let _others: Vec<_> = beside.iter().map(|it| it.serve(&["--no-worker"])).collect();
    let app = App::at(site);
    let others = beside.iter().map(|it| Api::new(&it.url(), app.api.token()));
    let mut writers: Vec<Api> = others.collect();
    if writers.is_empty() {
        writers.push(app.api.with_token(app.api.token()));
    }
    // Of each posting: created, updated twice, expired, reopened.
    let (cursor, count) = (latest(&app).await, POSTINGS * 5);
    let reading = [
        follow(&app.api, cursor.clone(), count),
        follow(&writers[0], cursor.clone(), count),
    ];
    let writing = join_all((0..POSTINGS).map(|n| {
        let writers = &writers;
        async move {
            let id = fresh("followed");
            let writer = |step: usize| &writers[(n + step) % writers.len()];
            let uuid = writer(0).put(&id, &minimal()).await.created();
            let changes = [
                json!({"salary_min": 1}),
                json!({"salary_min": 2}),
                json!({"expiration": {}}),
                json!({"expiration": null}),
            ];
            for (step, change) in changes.iter().enumerate() {
                writer(step + 1).put(&id, change).await.updated();
            }
            uuid.to_string()
        }
    }));
    let reading = timeout(SETTLING, join_all(reading));
    let (uuids, read) = tokio::join!(writing, reading);
    let read = read.expect("the readers have seen all");

    for events in &read {
        assert_eq!(events.len(), count);
        for uuid in &uuids {
            let own = events.iter().filter(|it| it["data"]["uuid"] == **uuid);
            let names: Vec<_> = own.map(|event| event["type"].as_str().unwrap()).collect();
            let expect = [
                "JobPostingCreated",
                "JobPostingUpdated",
                "JobPostingUpdated",
                "JobPostingExpired",
                "JobPostingReopened",
            ];
            assert_eq!(names, expect, "{uuid}");
        }
    }
    assert_eq!(read[0], read[1]);
    let mut all = app.all_events().await;
    all.retain(|event| event["id"].as_str() > Some(&cursor));
    assert_eq!(read[0], all);
}

async fn a_stop_answers_readers_that_wait(store: Store) {
    let site = Site::new(store);
    let server = site.serve(&["--no-worker"]);
    let app = App::at(site);
    let cursor = latest(&app).await;
    let path = format!("/api/job-board/events?wait=30&after={cursor}");
    let readers = join_all((0..8).map(|_| app.api.get(&path)));
    let stopping = async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        server.terminate();
    };
    let both = async { tokio::join!(readers, stopping) };
    // Before their time is over.
    let (answers, ()) = timeout(Duration::from_secs(20), both).await.unwrap();
    for answer in answers {
        assert_eq!(answer.status, 200, "{answer:#?}");
        assert_eq!(answer.json()["data"], json!([]));
        assert_eq!(answer.json()["next_cursor"], *cursor);
    }
    assert_eq!(server.stopped().code(), Some(0), "{}", app.site.log());
}
