use async_compression::tokio::bufread::{GzipDecoder, ZstdDecoder};
use domain::posting::EnrichedTexts;
use serde_json::{Value, json};
use tokio::io::AsyncReadExt as _;

use crate::support::{PATH, Request, Response, TestApp, check, posting, push, put, request};

const EXPORT: &str = "/api/job-board/export";

async fn unpack(answer: &Response) -> Vec<u8> {
    let mut bytes = Vec::new();
    let packed = answer.body.as_slice();
    let read = match answer.header("Content-Encoding") {
        Some("gzip") => GzipDecoder::new(packed).read_to_end(&mut bytes).await,
        Some("zstd") => ZstdDecoder::new(packed).read_to_end(&mut bytes).await,
        other => panic!("{other:?}"),
    };
    read.unwrap();
    bytes
}

#[tokio::test]
async fn large_answers_are_compressed_for_those_who_ask() {
    let (app, token) = TestApp::with_writer().await;
    let get = |path: &str| request("GET", path).token(&token);
    for n in 0..3 {
        let mut body = posting();
        // The text is larger than a piece that is compressed at a time.
        body["raw_description"] = json!(format!("<p>{n} builds things.</p>").repeat(2_500));
        push(&app, &token, &n.to_string(), &body).await;
    }
    let one = format!("{PATH}/1");
    let (coding, form) = ("Accept-Encoding", "Accept, Accept-Encoding");
    for (path, vary) in [
        (PATH, coding),
        (EXPORT, coding),
        (&one, form),
        ("/api/openapi.json", coding),
    ] {
        let plain = get(path).send(&app).await;
        assert_eq!(plain.header("Content-Encoding"), None, "{path}");
        assert_eq!(plain.header("Vary"), Some(vary), "{path}");
        for coding in ["gzip", "zstd"] {
            let packed = get(path).header("Accept-Encoding", coding).send(&app).await;
            assert_eq!(packed.status, 200, "{path}");
            assert_eq!(packed.header("Content-Encoding"), Some(coding), "{path}");
            assert_eq!(packed.header("Vary"), Some(vary), "{path}");
            assert!(packed.body.len() * 2 < plain.body.len(), "{path} {coding}");
            assert!(unpack(&packed).await == plain.body, "{path} {coding}");
        }
    }
    let head = request("HEAD", PATH).token(&token);
    let head = head.header("Accept-Encoding", "gzip").send(&app).await;
    assert_eq!(head.header("Content-Encoding"), None);
}

#[tokio::test]
async fn small_and_secret_answers_and_errors_are_not_compressed() {
    let (app, token) = TestApp::with_writer().await;
    push(&app, &token, "one", &posting()).await;
    let expire = put(&token, "one", &json!({"expiration": {}}));
    for (request, status) in [
        (request("GET", "/api/job-board/events").token(&token), 200),
        (request("GET", &format!("{PATH}?page=2")).token(&token), 422),
        (expire, 200),
        (request("POST", "/oauth/token"), 400),
    ] {
        let answer = request.header("Accept-Encoding", "gzip").send(&app).await;
        assert_eq!(answer.status, status);
        assert_eq!(answer.header("Content-Encoding"), None);
        assert!(!answer.body.is_empty());
    }
}

#[tokio::test]
async fn errors_are_problems_for_clients_that_ask_for_them() {
    let (app, token) = TestApp::with_writer().await;
    let ask = |request: Request| request.header("Accept", "application/problem+json");
    let get = |path: &str| ask(request("GET", path).token(&token));
    for (request, expect) in [
        (
            get(&format!("{PATH}?page=2")),
            json!({"type": "about:blank", "title": "Unprocessable Entity", "status": 422,
                "detail": "page is not a known parameter.",
                "errors": {"page": ["is not a known parameter"]}}),
        ),
        (
            ask(request("GET", "/nowhere")),
            json!({"type": "about:blank", "title": "Not Found", "status": 404,
                "detail": "There is nothing at this path."}),
        ),
    ] {
        let answer = request.send(&app).await;
        assert_eq!(answer.status, expect["status"]);
        let kind = answer.header("Content-Type");
        assert_eq!(kind, Some("application/problem+json"));
        assert!(answer.header("X-Request-Id").is_some());
        let found: Value = serde_json::from_str(answer.text()).unwrap();
        assert_eq!(found, expect);
    }
    for (request, status) in [
        (get(PATH), 200),
        (ask(request("POST", "/oauth/token")), 400),
    ] {
        let answer = request.send(&app).await;
        let kind = answer.header("Content-Type");
        assert_eq!((answer.status, kind), (status, Some("application/json")));
    }
}

#[tokio::test]
async fn a_posting_is_not_sent_to_a_client_that_has_it() {
    let (app, token) = TestApp::with_writer().await;
    push(&app, &token, "one", &posting()).await;
    let get = || request("GET", &format!("{PATH}/one")).token(&token);
    let tag = |answer: &Response| answer.header("ETag").unwrap().to_owned();
    let if_other = async |request: Request, tag: &str| {
        let answer = request.header("If-None-Match", tag).send(&app).await;
        assert_eq!(answer.header("Cache-Control"), Some("private, no-cache"));
        assert_eq!(answer.header("Vary"), Some("Accept, Accept-Encoding"));
        assert!(answer.header("X-Request-Id").is_some());
        (answer.status, answer)
    };

    let first = get().send(&app).await;
    let (status, unchanged) = if_other(get(), &tag(&first)).await;
    assert_eq!((status, unchanged.body.len()), (304, 0));
    assert_eq!(tag(&unchanged), tag(&first));
    let head = request("HEAD", &format!("{PATH}/one")).token(&token);
    assert_eq!(if_other(head, &tag(&first)).await.0, 304);
    let packed = get().header("Accept-Encoding", "gzip");
    assert_eq!(if_other(packed, &tag(&first)).await.0, 304);

    // The company's name is not a field of the posting, but it is part of the answer.
    let mut body = posting();
    body["company"]["name"] = json!("Another name");
    push(&app, &token, "other", &body).await;
    let (status, renamed) = if_other(get(), &tag(&first)).await;
    assert_eq!(status, 200);
    assert_eq!(renamed.json()["data"]["company"]["name"], "Another name");
    assert_eq!(if_other(get(), &tag(&renamed)).await.0, 304);
    push(&app, &token, "one", &json!({"title": "Another title"})).await;
    assert_eq!(if_other(get(), &tag(&renamed)).await.0, 200);
}

#[tokio::test]
async fn an_approved_posting_is_json_ld_for_those_who_prefer_it() {
    const JSON_LD: &str = "application/ld+json";
    let (app, token) = TestApp::with_writer().await;
    let uuid = push(&app, &token, "one", &posting()).await;
    let get = |query: &str, accept: &str| {
        let get = request("GET", &format!("{PATH}/one{query}")).token(&token);
        get.header("Accept", accept)
    };
    let form = async |get: Request| {
        let answer = get.send(&app).await;
        let form = answer.header("Content-Type").unwrap().to_owned();
        (answer.status, form, answer)
    };

    let (status, _, refused) = form(get("", JSON_LD)).await;
    assert_eq!((status, refused.header("Vary")), (406, Some("accept")));
    assert!(refused.message().contains("it is not approved"));
    let (status, kind, _) = form(get("", "application/ld+json, */*;q=0.1")).await;
    assert_eq!((status, kind.as_str()), (200, "application/json"));
    let (_, empty) = export(&app, &token, "form=jsonld").await;
    assert_eq!(empty, "");

    let texts = EnrichedTexts {
        markdown: "At **Example**".to_owned(),
        redacted_markdown: "At **[company]**".to_owned(),
        redacted_title: Some("Hidden".to_owned()),
    };
    app.backend.enrich(&texts).await;
    let (status, kind, hidden) = form(get("", JSON_LD)).await;
    assert_eq!((status, kind.as_str()), (200, JSON_LD));
    assert_eq!(hidden.header("Vary"), Some("Accept, Accept-Encoding"));
    let json_of = |answer: &Response| serde_json::from_str::<Value>(answer.text()).unwrap();
    let job = json_of(&hidden);
    assert_eq!(job["title"], "Hidden");
    assert_eq!(job["identifier"]["@type"], "PropertyValue");
    assert_eq!(job["identifier"]["value"], uuid);
    let (_, _, shown) = form(get("?identity=shown", JSON_LD)).await;
    assert_eq!(json_of(&shown)["hiringOrganization"]["name"], "Example");
    let (_, kind, json) = form(get("?identity=shown", "application/ld+json, */*")).await;
    assert_eq!(kind, "application/json", "it is JSON where they tie");

    // Each of the three answers has its own tag.
    let tags = [&hidden, &shown, &json].map(|answer| answer.header("ETag").unwrap());
    for (query, accept, expect) in [
        ("", JSON_LD, [304, 200, 200]),
        ("?identity=shown", JSON_LD, [200, 304, 200]),
        ("", "*/*", [200, 200, 304]),
    ] {
        for (tag, expect) in tags.iter().zip(expect) {
            let again = get(query, accept).header("If-None-Match", tag);
            assert_eq!(again.send(&app).await.status, expect, "{query} {accept}");
        }
    }

    push(&app, &token, "two", &posting()).await;
    for (query, expect) in [
        ("form=jsonld", job),
        ("form=jsonld&identity=shown&texts=none", json_of(&shown)),
    ] {
        let (kind, lines) = export(&app, &token, query).await;
        assert_eq!(kind, "application/x-ndjson");
        let line: Value = serde_json::from_str(&lines).unwrap();
        assert_eq!(line, expect, "{query}");
    }
    let (_, none) = export(&app, &token, "form=jsonld&status=PendingEnrichment").await;
    assert_eq!(none, "");
    let refused = "GET /one?identity=mine | | 422 | identity must be one of hidden, shown.";
    check(&app, Some(&token), PATH, refused).await;
}

async fn export(app: &TestApp, token: &str, query: &str) -> (String, String) {
    let answer = app.get(token, &format!("{EXPORT}?{query}")).await;
    let kind = answer.header("Content-Type").unwrap().to_owned();
    (kind, answer.text().to_owned())
}
