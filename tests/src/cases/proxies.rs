//! Proxies with the configurations of `docs/deploy`.

use std::time::Duration;

use reqwest::Method;
use serde_json::json;
use tokio::time::sleep;

use crate::harness::{
    Api, App, SETTLING, Store, eventually,
    follower::EVENTS,
    fresh,
    import::{IMPORTS, Sending, line},
    minimal,
    proxy::{Program, Proxy},
};

on_sqlite! {
    nginx_passes_everything_on,
    caddy_passes_everything_on,
}

async fn nginx_passes_everything_on(store: Store) {
    passes_everything_on(store, Program::Nginx).await;
}

async fn caddy_passes_everything_on(store: Store) {
    passes_everything_on(store, Program::Caddy).await;
}

async fn passes_everything_on(store: Store, program: Program) {
    let app = App::quiet(store);
    let proxy = Proxy::start(program, &app.site.host());
    let behind = Api::new(&proxy.url(), app.api.token());

    let identifier = format!("{}/a b%/ü", fresh("slash"));
    assert_eq!(behind.put(&identifier, &minimal()).await.status, 201);
    let shown = app.show(&identifier).await;
    assert_eq!(shown["unique_source_identifier"], *identifier);
    assert_eq!(behind.show(&identifier).await["uuid"], shown["uuid"]);

    // The service answers the head before the body arrives.
    let refused = behind.with_token("none");
    let refused = refused.put(&identifier, &minimal()).await;
    assert_eq!(refused.status, 401, "{refused:?}");

    is_streamed(&app, &behind).await;
    waits_for_events(&app, &behind).await;

    let export = behind.authorized(Method::GET, "/api/job-board/export");
    let export = export
        .header("accept-encoding", "gzip")
        .send()
        .await
        .unwrap();
    assert_eq!(export.headers()["content-encoding"], "gzip");
    assert!(export.headers().contains_key("posthaste-events-cursor"));
    assert!(export.bytes().await.unwrap().starts_with(b"\x1f\x8b"));
}

/// The lines of an import are processed while its body is sent. The body may be larger than a push.
async fn is_streamed(app: &App, behind: &Api) {
    let (feed, mut payload) = (fresh("feed"), minimal());
    payload["raw_description"] = json!(format!("<p>{}</p>", "Bread and rolls. ".repeat(6_000)));
    let sending = Sending::begin(behind, IMPORTS);
    for n in 0..40 {
        assert!(sending.send(line(&format!("{feed}-{n}"), &payload)).await);
    }
    let first = &format!("{feed}-0");
    eventually("the first line is taken in", SETTLING, || async move {
        app.api.exists(first).await.then_some(())
    })
    .await;
    assert!(
        sending
            .send(line(&format!("{feed}-last"), &minimal()))
            .await
    );
    let summary = sending.end().await.unwrap().complete();
    assert_eq!(summary["created"], 41);
}

/// The answer to a long poll arrives as soon as there is an event.
async fn waits_for_events(app: &App, behind: &Api) {
    let path = format!("{EVENTS}?after=latest&wait=30");
    let waiting = tokio::spawn({
        let behind = behind.clone();
        async move { behind.get(&path).await }
    });
    let identifier = fresh("awaited");
    while !waiting.is_finished() {
        // Each push names another company, so that it raises an event.
        app.api.put(&identifier, &minimal()).await;
        sleep(Duration::from_millis(500)).await;
    }
    let answer = waiting.await.unwrap();
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_ne!(answer.json()["data"], json!([]));
}
