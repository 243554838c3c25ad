//! What is neither a posting nor a token.

use std::collections::BTreeSet;

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::Value;

use crate::harness::{Answer, App, Store};

on_every_store! {
    the_service_says_that_it_is_well_and_ready,
    every_answer_has_an_id_of_its_own,
    what_is_not_served_is_404_in_json,
    the_documentation_needs_no_other_host,
    the_served_openapi_document_is_the_printed_one,
    the_document_covers_what_is_served,
}

/// What anybody may read.
async fn open(app: &App, path: &str) -> Answer {
    Answer::of(app.api.request(Method::GET, path).send().await.unwrap()).await
}

async fn the_service_says_that_it_is_well_and_ready(store: Store) {
    let app = App::quiet(store);
    for path in ["/healthz", "/readyz"] {
        assert_eq!(open(&app, path).await.status, 200, "{path}");
    }
}

async fn every_answer_has_an_id_of_its_own(store: Store) {
    let app = App::quiet(store);
    let answers = join_all((0..20).map(|_| open(&app, "/healthz"))).await;
    let ids: BTreeSet<&str> = answers
        .iter()
        .map(|answer| answer.header("x-request-id"))
        .collect();
    assert_eq!(ids.len(), 20);
    // Whatever a client calls its request, the answer's header stays one line.
    for id in ["abc-123", "a b", "\u{e9}", &"x".repeat(5_000)] {
        let request = app
            .api
            .request(Method::GET, "/healthz")
            .header("x-request-id", id);
        let answer = Answer::of(request.send().await.unwrap()).await;
        assert!(answer.header("x-request-id").len() <= 255);
    }
}

async fn what_is_not_served_is_404_in_json(store: Store) {
    let app = App::quiet(store);
    for path in [
        "/",
        "/api",
        "/api/job-board",
        "/api/job-board/job-posting/x",
        "/oauth",
        "/.env",
        "/%FF",
    ] {
        let response = app.api.authorized(Method::GET, path).send().await.unwrap();
        Answer::of(response).await.error(404);
    }
}

async fn the_documentation_needs_no_other_host(store: Store) {
    let app = App::quiet(store);
    let mut path = "/docs".to_owned();
    let mut answer = open(&app, &path).await;
    while (300..400).contains(&answer.status) {
        path = answer.header("location").to_owned();
        answer = open(&app, &path).await;
    }
    assert_eq!(answer.status, 200);
    assert!(answer.header("content-type").starts_with("text/html"));
    let quoted = |after: &str| {
        let parts = answer.body.split(after).skip(1);
        parts
            .map(|part| part.split('"').next().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let base = quoted("<base href=\"").pop().unwrap_or(path);
    let base = reqwest::Url::parse(&app.site.url())
        .unwrap()
        .join(&base)
        .unwrap();
    let targets = [quoted("src=\""), quoted("href=\"")].concat();
    assert!(targets.len() > 2, "{}", answer.body);
    for target in targets {
        let target = base.join(&target).unwrap();
        assert_eq!(target.origin(), base.origin(), "{target}");
        assert_eq!(open(&app, target.path()).await.status, 200, "{target}");
    }
}

async fn the_served_openapi_document_is_the_printed_one(store: Store) {
    let app = App::quiet(store);
    let served = open(&app, "/api/openapi.json").await.json();
    let printed: Value = serde_json::from_str(&app.run(&["openapi"]).succeeded()).unwrap();
    assert_eq!(served, printed);
}

async fn the_document_covers_what_is_served(store: Store) {
    let app = App::quiet(store);
    let document = open(&app, "/api/openapi.json").await.json();
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"));
    for (path, methods) in [
        (
            "/api/job-board/job-postings/{uniqueSourceIdentifier}",
            vec!["get", "put"],
        ),
        ("/api/job-board/job-postings", vec!["get"]),
        ("/oauth/token", vec!["post"]),
    ] {
        for method in methods {
            let operation = &document["paths"][path][method];
            assert!(operation.is_object(), "{method} {path}");
            assert!(
                operation["responses"].as_object().unwrap().len() > 1,
                "{method} {path}"
            );
        }
    }
}
