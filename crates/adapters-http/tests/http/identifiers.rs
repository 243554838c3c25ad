//! `uniqueSourceIdentifier` from the request line to the store and back.

use access::Scope;
use serde_json::json;

use crate::support::{PATH, TestApp, posting, request};

/// actix-web must neither decode the path nor resolve dot segments.
#[tokio::test]
async fn awkward_ones_arrive_as_they_are() {
    let app = TestApp::spawn();
    let token = app.writer().await;
    let crabs = ("%F0%9F%A6%80".repeat(255), "🦀".repeat(255));
    let mut connection = app.connect().await;
    for (segment, identifier) in [
        ("a%2Fb%3Fc", "a/b?c"),
        ("%23", "#"),
        ("%252F", "%2F"),
        ("a+b", "a+b"),
        ("..", ".."),
        ("%2E", "."),
        ("a;b=c&d,e:f@g", "a;b=c&d,e:f@g"),
        (&crabs.0, &crabs.1),
    ] {
        let path = format!("{PATH}/{segment}");
        let put = request("PUT", &path).token(&token).json(&posting());
        let put = connection.exchange(&put).await;
        assert_eq!(put.status, 201, "{segment}: {put:?}");
        let get = request("GET", &path).token(&token);
        let data = connection.exchange(&get).await.json()["data"].clone();
        assert_eq!(data["unique_source_identifier"], identifier, "{segment}");
        assert_eq!(data["uuid"], put.json()["data"]["uuid"], "{segment}");
    }
}

#[tokio::test]
async fn bad_ones_are_refused_under_their_name() {
    let app = TestApp::spawn();
    let token = app.writer().await;
    let to = |method: &str, segment: &str| {
        let request = request(method, &format!("{PATH}/{segment}")).token(&token);
        request.json(&posting())
    };
    for (method, segment) in [("PUT", ""), ("PUT", "a%0Ab"), ("GET", "%FF")] {
        let response = to(method, segment).send(&app).await;
        assert_eq!(response.status, 422, "{method} {segment}: {response:?}");
        let errors = response.json()["errors"].clone();
        assert!(
            errors["unique_source_identifier"][0].is_string(),
            "{errors}"
        );
    }
    // A client that reads an empty identifier probably means the list, so the message says so.
    let response = to("GET", "").send(&app).await;
    assert_eq!(response.status, 404, "{response:?}");
    assert!(response.message().contains("without a slash"));
}

#[tokio::test]
async fn an_escape_has_two_hexadecimal_digits() {
    let app = TestApp::spawn();
    let token = app
        .token(&[Scope::JobPostingsWrite, Scope::NewsletterSubscribersWrite])
        .await;
    for base in [PATH, "/api/newsletter/subscribers"] {
        for segment in ["%zz", "a%2", "a%", "%%41", "%4", "%+41"] {
            let request = request("PUT", &format!("{base}/{segment}")).token(&token);
            let response = request.json(&posting()).send(&app).await;
            assert_eq!(response.status, 400, "{base} {segment}: {response:?}");
            assert!(response.message().contains("%25"), "{response:?}");
        }
    }
}

#[tokio::test]
async fn one_segment_and_no_more() {
    let app = TestApp::spawn();
    let token = app.writer().await;
    for path in ["a/b", "a/", "/a", "a/b?c"] {
        let request = request("PUT", &format!("{PATH}/{path}")).token(&token);
        let response = request.json(&posting()).send(&app).await;
        assert_eq!(response.status, 404, "{path}");
        let says = "There is nothing at this path. A slash in an identifier is written %2F.";
        assert_eq!(response.message(), says, "{path}");
    }
    // A query string is not part of the identifier.
    let put = request("PUT", &format!("{PATH}/a?dry_run=false&b=/c%00")).token(&token);
    let refused = put.json(&posting()).send(&app).await;
    assert_eq!(
        refused.json()["errors"],
        json!({"b": ["is not a known parameter"]})
    );
    let put = request("PUT", &format!("{PATH}/a?dry_run=false")).token(&token);
    assert_eq!(put.json(&posting()).send(&app).await.status, 201);
    let get = request("GET", &format!("{PATH}/a")).token(&token);
    let found = get.send(&app).await.json();
    assert_eq!(found["data"]["unique_source_identifier"], json!("a"));
}
