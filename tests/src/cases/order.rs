//! The order of refusal: of several reasons the first of the contract's list is given.

use reqwest::Method;
use serde_json::json;

use crate::harness::{Answer, Api, App, Store, fresh, minimal, raw};

on_every_store! {
    each_refusal_comes_before_all_later_ones,
    a_token_is_checked_before_the_body_is_looked_at,
    field_errors_come_before_what_is_stored,
    the_transition_comes_before_the_merged_rules,
    methods_that_are_not_there_are_405,
}

async fn each_refusal_comes_before_all_later_ones(store: Store) {
    let app = App::quiet(store);
    let path = Api::path(&fresh("order"));
    let too_large = "{".repeat(1_048_577);
    let broken = json!({"title": 5, "expiration": {}}).to_string();
    let nothing = json!({"expiration": {}, "salary_min": 2, "salary_max": 1}).to_string();
    let other = app.restricted("newsletter-subscribers:write");
    let send = |api: Option<Api>, method, content_type: &'static str, body: &str| {
        let request = match &api {
            Some(api) => api.authorized(method, &path),
            None => app.api.request(method, &path),
        };
        let request = request
            .header("content-type", content_type)
            .body(body.to_owned());
        async move { Answer::of(request.send().await.unwrap()).await }
    };
    let (text, json) = ("text/plain", "application/json");
    let api = || Some(app.api.clone());
    send(None, Method::DELETE, text, &too_large)
        .await
        .error(401);
    send(Some(other.clone()), Method::DELETE, text, &too_large)
        .await
        .error(403);
    send(Some(other), Method::PUT, text, &too_large)
        .await
        .error(403);
    send(api(), Method::DELETE, text, &too_large)
        .await
        .error(405);
    send(api(), Method::PUT, text, &too_large).await.error(415);
    send(api(), Method::PUT, json, &too_large).await.error(413);
    send(api(), Method::PUT, json, "{").await.error(400);
    send(api(), Method::PUT, json, &broken)
        .await
        .refused(&["title"]);
    send(api(), Method::PUT, json, &nothing).await.error(404);
}

async fn a_token_is_checked_before_the_body_is_looked_at(store: Store) {
    let app = App::quiet(store);
    let headers = [
        ("Content-Type", "application/json"),
        ("Expect", "100-continue"),
    ];
    let head = raw::request("PUT", &Api::path("x"), &headers, "");
    let head = head.replace("\r\n\r\n", "\r\nContent-Length: 1000\r\n\r\n");
    // The body is never sent.
    let start = std::time::Instant::now();
    let answer = raw::exchange(&app.site.host(), head);
    assert_eq!(answer.status, 401, "{answer:#?}");
    assert!(start.elapsed().as_secs() < 8, "{:?}", start.elapsed());
}

async fn field_errors_come_before_what_is_stored(store: Store) {
    let app = App::quiet(store);
    let unknown = fresh("unknown");
    app.put(&unknown, &json!({"title": 5, "expiration": {}}))
        .await
        .refused(&["title"]);
    app.put(&unknown, &json!({"expiration": {"reason": 5}}))
        .await
        .refused(&["expiration.reason"]);

    let rejected = fresh("rejected");
    app.put(&rejected, &minimal()).await.created();
    app.reject(&rejected, "no");
    app.put(&rejected, &json!({"title": 5, "expiration": {}}))
        .await
        .refused(&["title"]);
}

async fn the_transition_comes_before_the_merged_rules(store: Store) {
    let app = App::quiet(store);
    let id = fresh("rejected");
    app.put(&id, &minimal()).await.created();
    app.reject(&id, "no");
    let transition =
        json!({"message": "Invalid JobPosting state transition from rejected to expired."});
    for merged in [
        json!({"expiration": {}, "salary_min": 2, "salary_max": 1}),
        json!({"expiration": {}, "application_url": null}),
        json!({"expiration": {}, "company": {"website_url": "https://nobody.example/knows"}}),
    ] {
        app.put(&id, &merged).await.is_exactly(422, &transition);
    }
}

async fn methods_that_are_not_there_are_405(store: Store) {
    let app = App::quiet(store);
    let posting = Api::path(&fresh("method"));
    let cases = [
        (
            posting.as_str(),
            vec![Method::POST, Method::PATCH, Method::DELETE],
            vec!["GET", "PUT"],
        ),
        (
            Api::LIST,
            vec![Method::POST, Method::PUT, Method::PATCH, Method::DELETE],
            vec!["GET"],
        ),
        (
            "/oauth/token",
            vec![Method::GET, Method::PUT, Method::DELETE],
            vec!["POST"],
        ),
    ];
    for (path, methods, allowed) in cases {
        for method in methods {
            let answer = app
                .api
                .authorized(method.clone(), path)
                .send()
                .await
                .unwrap();
            let answer = Answer::of(answer).await;
            assert_eq!(answer.status, 405, "{method} {path}: {answer:#?}");
            let allow = answer.header("allow").to_owned();
            for allowed in &allowed {
                assert!(
                    allow.split(", ").any(|name| name == *allowed),
                    "{path}: {allow}"
                );
            }
        }
    }
}
