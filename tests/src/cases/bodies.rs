//! Bodies that are no payload.

use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{Answer, Api, App, Site, Store, fresh, minimal, raw};

on_every_store! {
    what_is_not_json_is_400,
    json_that_is_no_object_is_422,
    nesting_without_end_is_refused_and_harms_nobody,
    a_body_at_the_limit_is_taken_and_one_past_it_is_413,
    a_body_past_the_limit_in_chunks_is_413,
    the_limit_can_be_set,
    only_json_is_a_supported_type,
    json_with_a_charset_or_in_capitals_is_json,
    a_compressed_body_is_415,
}

async fn what_is_not_json_is_400(store: Store) {
    let app = App::quiet(store);
    let valid = minimal().to_string();
    for body in [
        String::new(),
        " ".to_owned(),
        "{".to_owned(),
        "}".to_owned(),
        "nul".to_owned(),
        "title=Gardener".to_owned(),
        "<posting/>".to_owned(),
        "{'title': 'x'}".to_owned(),
        r#"{"title": "x",}"#.to_owned(),
        r#"{"title": NaN}"#.to_owned(),
        r#"{"salary_min": 0x10}"#.to_owned(),
        r#"{"salary_min": 05}"#.to_owned(),
        r#"{"title": "\x"}"#.to_owned(),
        "{\"title\": \"line\nbreak\"}".to_owned(),
        valid[..valid.len() - 1].to_owned(),
        format!("{valid}{valid}"),
        format!("{valid} x"),
    ] {
        let id = fresh("broken");
        app.api.put_text(&id, body.clone()).await.error(400);
        assert!(!app.api.exists(&id).await, "{body}");
    }
    // Not UTF-8: in a string that counts, in one that does not, and outside of strings.
    for body in [
        &b"{\"title\": \"\xff\"}"[..],
        b"{\"unknown\": \"\xc3\"}",
        b"{\"metadata\": {\"a\": \"\xed\xa0\x80\"}}",
        b"{\xff}",
        b"\xfe\xff\x00{\x00}",
    ] {
        app.api
            .put_text(&fresh("bytes"), body.to_vec())
            .await
            .error(400);
    }
}

async fn json_that_is_no_object_is_422(store: Store) {
    let app = App::quiet(store);
    for body in ["[]", "[{}]", "null", "true", "5", "1.5", "\"{}\"", "\"\""] {
        app.api.put_text(&fresh("root"), body).await.fields();
    }
}

async fn nesting_without_end_is_refused_and_harms_nobody(store: Store) {
    const DEPTH: usize = 100_000;
    let app = App::quiet(store);
    let arrays = "[".repeat(DEPTH);
    let closed = format!("{arrays}{}", "]".repeat(DEPTH));
    let objects = r#"{"a":"#.repeat(DEPTH);
    let id = fresh("deep");
    // What does not end is not JSON.
    for body in [&arrays, &objects] {
        app.api.put_text(&id, body.clone()).await.error(400);
    }
    // What does is more than anybody reads, wherever it is.
    for body in [
        closed.clone(),
        format!("{objects}1{}", "}".repeat(DEPTH)),
        format!(r#"{{"metadata": {{"a": {closed}}}}}"#),
        format!(r#"{{"title": {closed}}}"#),
        format!(r#"{{"company": {closed}}}"#),
        format!(r#"{{"employment_types": {closed}}}"#),
        format!(r#"{{"expiration": {{"reason": {closed}}}}}"#),
    ] {
        let answer = app.api.put_text(&id, body).await;
        assert!([400, 422].contains(&answer.status), "{}", answer.status);
        answer.error(answer.status);
    }
    assert_eq!(app.api.get("/healthz").await.status, 200);
}

/// A body of this many bytes that is a valid payload.
fn body_of(length: usize) -> String {
    let mut payload = minimal();
    payload["metadata"] = json!({"padding": ""});
    let padding = "x".repeat(length - payload.to_string().len());
    payload["metadata"]["padding"] = Value::String(padding);
    payload.to_string()
}

async fn a_body_at_the_limit_is_taken_and_one_past_it_is_413(store: Store) {
    let app = App::quiet(store);
    app.api
        .put_text(&fresh("large"), body_of(1_048_576))
        .await
        .created();
    let id = fresh("large");
    let target = Api::path(&id);
    let authorization = format!("Bearer {}", app.api.token());
    let headers = [
        ("Authorization", authorization.as_str()),
        ("Content-Type", "application/json"),
    ];
    for length in [1_048_577, 20_000_000] {
        let request = raw::request("PUT", &target, &headers, &body_of(length));
        let answer = raw::exchange(&app.site.host(), request);
        assert_eq!(answer.status, 413, "{answer:#?}");
        assert!(answer.json()["message"].is_string(), "{answer:#?}");
    }
    // The length alone tells.
    let head = raw::request("PUT", &target, &headers, "");
    let head = head.replace("\r\n\r\n", "\r\nContent-Length: 99999999999\r\n\r\n");
    assert_eq!(raw::exchange(&app.site.host(), head).status, 413);
    assert!(!app.api.exists(&id).await);
}

/// A request whose body comes in chunks, without a length.
fn chunked(app: &App, id: &str, body: &str) -> raw::RawAnswer {
    let authorization = format!("Bearer {}", app.api.token());
    let headers = [
        ("Authorization", authorization.as_str()),
        ("Content-Type", "application/json"),
        ("Transfer-Encoding", "chunked"),
    ];
    let mut request = raw::request("PUT", &Api::path(id), &headers, "").into_bytes();
    for chunk in body.as_bytes().chunks(10_000) {
        request.extend(format!("{:x}\r\n", chunk.len()).bytes());
        request.extend(chunk);
        request.extend(b"\r\n");
    }
    request.extend(b"0\r\n\r\n");
    raw::exchange(&app.site.host(), request)
}

async fn a_body_past_the_limit_in_chunks_is_413(store: Store) {
    let app = App::quiet(store);
    let answer = chunked(&app, &fresh("chunks"), &body_of(1_048_576));
    assert_eq!(answer.status, 201, "{answer:#?}");
    for length in [1_048_577, 5_000_000] {
        let id = fresh("chunks");
        let answer = chunked(&app, &id, &body_of(length));
        assert_eq!(answer.status, 413, "{answer:#?}");
        assert!(answer.json()["message"].is_string(), "{answer:#?}");
        assert!(!app.api.exists(&id).await);
    }
}

async fn the_limit_can_be_set(store: Store) {
    let site = Site::new(store).with("POSTHASTE_BODY_LIMIT", "2000");
    let _server = site.serve(&["--no-worker"]);
    let app = App::at(site);
    app.api
        .put_text(&fresh("small"), body_of(2_000))
        .await
        .created();
    app.api
        .put_text(&fresh("small"), body_of(2_001))
        .await
        .error(413);
}

/// Pushes a valid payload as something else.
async fn push_as(app: &App, headers: &[(&str, &str)]) -> Answer {
    let path = Api::path(&fresh("type"));
    let mut request = app
        .api
        .authorized(Method::PUT, &path)
        .body(minimal().to_string());
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    Answer::of(request.send().await.unwrap()).await
}

async fn only_json_is_a_supported_type(store: Store) {
    let app = App::quiet(store);
    push_as(&app, &[]).await.error(415);
    for content_type in [
        "",
        "text/plain",
        "text/json",
        "application/xml",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/jsonp",
        "application",
        "json",
    ] {
        push_as(&app, &[("content-type", content_type)])
            .await
            .error(415);
    }
}

async fn json_with_a_charset_or_in_capitals_is_json(store: Store) {
    let app = App::quiet(store);
    for content_type in [
        "application/json",
        "application/json; charset=utf-8",
        "application/json;charset=UTF-8",
        "Application/JSON",
    ] {
        push_as(&app, &[("content-type", content_type)])
            .await
            .created();
    }
}

async fn a_compressed_body_is_415(store: Store) {
    let app = App::quiet(store);
    let headers = [
        ("content-type", "application/json"),
        ("content-encoding", "gzip"),
    ];
    push_as(&app, &headers).await.error(415);
}
