//! `uniqueSourceIdentifier`, on its way from the request line into the store and back.

use domain::client::Scope;
use serde_json::json;

use crate::support::{PATH, TestApp, posting, request};

#[tokio::test]
async fn awkward_ones_arrive_as_they_are() {
    let app = TestApp::spawn();
    let token = app.writer().await;
    let long_ascii = "a".repeat(255);
    let long_crab = "🦀".repeat(255);
    let long_crab_encoded = "%F0%9F%A6%80".repeat(255);
    let cases = [
        ("plain-1", "plain-1"),
        ("a%2Fb%3Fc", "a/b?c"),
        ("a%2fb", "a/b"),
        ("%2F", "/"),
        ("%3F", "?"),
        ("%23", "#"),
        ("%25", "%"),
        ("%252F", "%2F"),
        ("a+b", "a+b"),
        ("a%2Bb", "a+b"),
        ("a%20b", "a b"),
        ("%20", " "),
        ("%F0%9F%A6%80", "🦀"),
        ("%C3%A9", "é"),
        ("e%CC%81", "e\u{301}"),
        ("%2E", "."),
        ("%2E%2E", ".."),
        ("..", ".."),
        ("a;b=c&d,e:f@g", "a;b=c&d,e:f@g"),
        ("%22%5C%3C%3E", "\"\\<>"),
        ("Case", "Case"),
        ("case", "case"),
        ("%E2%80%8B", "\u{200b}"),
        (long_ascii.as_str(), long_ascii.as_str()),
        (long_crab_encoded.as_str(), long_crab.as_str()),
    ];
    let mut connection = app.connect().await;
    for (segment, identifier) in cases {
        let path = format!("{PATH}/{segment}");
        let put = connection
            .exchange(&request("PUT", &path).token(&token).json(&posting()))
            .await;
        // Two spellings of one identifier are one posting.
        let expect = if matches!(segment, "a%2fb" | "a%2Bb" | "..") {
            200
        } else {
            201
        };
        let expect = if segment == "a%2fb" { 201 } else { expect };
        assert_eq!(put.status, expect, "{segment}: {put:?}");
        let get = connection
            .exchange(&request("GET", &path).token(&token))
            .await;
        assert_eq!(get.status, 200, "{segment}");
        assert_eq!(
            get.json()["data"]["unique_source_identifier"],
            identifier,
            "{segment}"
        );
        assert_eq!(
            get.json()["data"]["uuid"],
            put.json()["data"]["uuid"],
            "{segment}"
        );
    }
}

#[tokio::test]
async fn bad_ones_are_refused_under_their_name() {
    let app = TestApp::spawn();
    let token = app.writer().await;
    let too_long = "a".repeat(256);
    let cases = [
        ("", "must not be empty"),
        (too_long.as_str(), "at most 255 characters"),
        ("%00", "control characters"),
        ("a%0Ab", "control characters"),
        ("%7F", "control characters"),
        ("%C2%85", "control characters"),
        ("%FF", "percent-encoded UTF-8"),
        ("%F0%9F", "percent-encoded UTF-8"),
        ("%ED%A0%80", "percent-encoded UTF-8"),
    ];
    for (segment, message) in cases {
        for method in ["PUT", "GET"] {
            let path = format!("{PATH}/{segment}");
            let mut request = request(method, &path).token(&token);
            if method == "PUT" {
                request = request.json(&posting());
            }
            let response = request.send(&app).await;
            if (method, segment) == ("GET", "") {
                // Who asks for this means the list.
                assert_eq!(response.status, 404, "{response:?}");
                assert!(
                    response.message().contains("without a slash"),
                    "{response:?}"
                );
                continue;
            }
            assert_eq!(response.status, 422, "{method} {segment}: {response:?}");
            let errors = response.json()["errors"]["unique_source_identifier"].clone();
            assert!(
                errors[0].as_str().unwrap().contains(message),
                "{segment}: {errors}"
            );
        }
    }
}

#[tokio::test]
async fn an_escape_has_two_hexadecimal_digits() {
    let app = TestApp::spawn();
    let token = app
        .token(&[Scope::JobPostingsWrite, Scope::NewsletterSubscribersWrite])
        .await;
    for segment in ["%zz", "a%2", "a%", "%%41", "%4", "%+41"] {
        for (method, base) in [
            ("PUT", PATH),
            ("GET", PATH),
            ("PUT", "/api/newsletter/subscribers"),
            ("GET", "/api/newsletter/subscribers"),
        ] {
            let request = request(method, &format!("{base}/{segment}")).token(&token);
            let response = request.json(&posting()).send(&app).await;
            assert_eq!(
                response.status, 400,
                "{method} {base} {segment}: {response:?}"
            );
            assert!(response.message().contains("%25"), "{response:?}");
        }
    }
}

#[tokio::test]
async fn one_segment_and_no_more() {
    let app = TestApp::spawn();
    let token = app.writer().await;
    for path in ["a/b", "a/", "/a", "a/b?c"] {
        let request = request("PUT", &format!("{PATH}/{path}"))
            .token(&token)
            .json(&posting());
        let response = request.send(&app).await;
        assert_eq!(response.status, 404, "{path}");
        assert_eq!(
            response.message(),
            "There is nothing at this path. A slash in an identifier is written %2F.",
            "{path}"
        );
    }
    // A query belongs to no identifier.
    let request = request("PUT", &format!("{PATH}/a?b=/c%00"))
        .token(&token)
        .json(&posting());
    assert_eq!(request.send(&app).await.status, 201);
    let found = crate::support::request("GET", &format!("{PATH}/a"))
        .token(&token)
        .send(&app)
        .await;
    assert_eq!(found.json()["data"]["unique_source_identifier"], json!("a"));
}
